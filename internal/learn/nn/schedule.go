package nn

import (
	"fmt"
	"math"
)

// Course is how a learning rate goes after the warm-up.
type Course uint8

// The courses.
const (
	Constant    Course = iota
	Steps              // times Factor after each Every steps
	Cosine             // half a cosine, from the whole rate down to End of it at the last step
	Linear             // a straight line there
	InverseSqrt        // with the root of the step: sqrt(Warmup/step), step from 1 (Vaswani et al., NIPS 2017, section 5.3)
	courses
)

var courseNames = [courses]string{"constant", "step", "cosine", "linear", "inverse-sqrt"}

// String is the name a scenario uses.
func (c Course) String() string { return courseNames[c] }

// ParseCourse reads a name as a scenario writes it.
func ParseCourse(s string) (Course, error) {
	for i, name := range courseNames {
		if s == name {
			return Course(i), nil
		}
	}
	return 0, fmt.Errorf("unknown schedule %q, want %s", s, names(courseNames[:]))
}

// Schedule is how the learning rate goes over the steps of a training. The zero value is constant.
//
//	rate |      ____            warm-up: linear, from 1/Warmup of the rate to all of it
//	     |    /      \_         then the course
//	     |  /           \__
//	     +------------------ step
//	       warm-up  cosine
type Schedule struct {
	Course Course
	Warmup int64   // steps
	Every  int64   // of Steps, at least 1
	Factor float64 // of Steps
	End    float64 // of Cosine and Linear: a part of the rate
	Total  int64   // of Cosine and Linear: steps of the training
}

// factor is by what the learning rate is multiplied at a step of the training, from 0.
func (s *Schedule) factor(step int64) float64 {
	if step < s.Warmup {
		return float64(step+1) / float64(s.Warmup)
	}
	if s.Course == InverseSqrt {
		return math.Sqrt(float64(max(1, s.Warmup)) / float64(step+1))
	}
	step -= s.Warmup
	last := max(1, s.Total-1-s.Warmup)
	x := float64(min(step, last)) / float64(last) // of the way to the last step
	switch s.Course {
	case Steps:
		return power(s.Factor, step/s.Every)
	case Cosine:
		return s.End + float64((1-s.End)*float64(0.5*(1+cosPi(x))))
	case Linear:
		return s.End + float64((1-s.End)*(1-x))
	}
	return 1
}

// cosPi is the cosine of pi x, 0 <= x <= 1, within 1e-15: its Taylor series near 0, that of the sine
// near 1/2.
func cosPi(x float64) float64 {
	switch {
	case x > 0.5:
		return -cosPi(1 - x)
	case x > 0.25:
		y := float64(math.Pi * (0.5 - x))
		return float64(y * taylor(y, 2))
	}
	return taylor(float64(math.Pi*x), 1)
}

// taylor is 1 - y^2/(n(n+1)) + y^4/(n(n+1)(n+2)(n+3)) - ...: cos y of n = 1, sin(y)/y of n = 2.
func taylor(y, n float64) float64 {
	square, sum := float64(y*y), 1.0
	for k := n + 18; k >= n; k -= 2 {
		sum = 1 - float64(float64(square/float64(k*(k+1)))*sum)
	}
	return sum
}
