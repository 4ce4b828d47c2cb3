package bayes

import (
	"math"
	"slices"

	"railyard/internal/base/splitmix"
	"railyard/internal/learn/nn"
)

// Dim is a dimension of points: 0 to 1, or so many levels. Levels have an order, and then stand at equal distances from 0 to 1, or
// are categories, numbered from 0.
type Dim struct {
	Levels   int // 0: any value
	Category bool
}

// At is the coordinate at a part of a dimension, 0 to 1.
func (d Dim) At(part float64) float64 {
	part = min(max(part, 0), 1)
	if d.Levels == 0 {
		return part
	}
	level := float64(d.level(part))
	if d.Category || d.Levels == 1 {
		return level
	}
	return level / float64(d.Levels-1)
}

// level is the level in whose share a part lies.
func (d Dim) level(part float64) int {
	return min(int(math.Floor(float64(part*float64(d.Levels)))), d.Levels-1)
}

// Level is the level at a coordinate.
func (d Dim) Level(at float64) int {
	if d.Category || d.Levels == 1 {
		return int(at)
	}
	return int(math.Round(float64(at * float64(d.Levels-1))))
}

// Seen is a point that was tried.
type Seen struct {
	At    []float64
	Value float64
	None  bool // it has no value
}

// mostTries bounds how many points are drawn for one that is free.
const mostTries = 10_000

// Next proposes so many points to try: those that may be the smallest by most. Each after the first takes for seen what is expected
// at those before it. There may be fewer, where hardly any point is free. Free may change the coordinates of a point that have no meaning
// there. The lengths of the kernel are fitted to what is seen, so the
// work grows with its cube: 200 points take a second.
func Next(dims []Dim, seen []Seen, n int, seed uint64, free func([]float64) bool) (points [][]float64) {
	s := &searcher{dims: dims, free: free, draws: splitmix.Stream(splitmix.Mix(seed + splitmix.Mix(uint64(len(seen)))))}
	s.learn(seen)
	for k := range n {
		s.expects((len(seen)+k)%2 == 1)
		x := s.best()
		if x == nil {
			break
		}
		points = append(points, x)
		s.suppose(x)
	}
	return points
}

// searcher looks for the next points.
type searcher struct {
	dims  []Dim
	free  func([]float64) bool
	draws splitmix.Stream

	x     [][]float64 // with values
	y     []float64   // even: see evened
	all   [][]float64 // without, too
	there []float64   // 1: it has a value
	taken [][]float64 // of this round

	values, chances *process // nil: nothing is known
	shape           shape
	least           float64
	near            []int // of x, those with the smallest values
}

// change is the noise of what is known of where there are values: it may change between two points that are close to each other.
const change = 0.01

// learn fits the processes to what is seen.
func (s *searcher) learn(seen []Seen) {
	var y []float64
	none := false
	for _, p := range seen {
		s.all = append(s.all, p.At)
		if p.None {
			none = true
			s.there = append(s.there, 0)
			continue
		}
		s.there = append(s.there, 1)
		s.x, y = append(s.x, p.At), append(y, p.Value)
	}
	s.y = evened(y)
	s.shape = make(shape, len(s.dims)+1)
	for i := range s.dims {
		s.shape[i] = -1
	}
	s.shape[len(s.dims)] = leastNoise
	if len(s.x) > 1 {
		s.values, s.shape = fitted(s.dims, s.x, s.y)
	}
	if none {
		s.chances, _ = newProcess(s.shape.kernel(s.dims), s.all, s.there, change)
	}
	for i := range s.x {
		s.near = append(s.near, i)
	}
	slices.SortStableFunc(s.near, func(a, b int) int { return compare(s.y[a], s.y[b]) })
	s.near = s.near[:min(3, len(s.near))]
}

// lowest is what is to be improved on: the smallest value that is expected where one is known. Noise does not make it better.
func (s *searcher) lowest() {
	s.least = math.Inf(1)
	for _, x := range s.x {
		s.least = min(s.least, s.values.expect(x))
	}
}

// worth is what every second point is to be better by, at least, in deviations of all values: else points gather about the best one, where
// each is sure to be a little better, and another valley is never found (Lizotte 2008, section 3.3).
const worth = 0.1

// expects makes the process of what is seen and supposed, for a point that is to be better, or better by so much.
func (s *searcher) expects(much bool) {
	if s.values == nil {
		return
	}
	if p, ok := newProcess(s.shape.kernel(s.dims), s.x, s.y, power(s.shape[len(s.dims)])); ok {
		s.values = p
	}
	s.lowest()
	if much {
		s.least -= worth
	}
}

// suppose takes a point for seen, with the value that is expected there.
func (s *searcher) suppose(x []float64) {
	s.taken = append(s.taken, x)
	if s.values == nil {
		return
	}
	y := s.values.expect(x)
	s.x, s.y = append(s.x, x), append(s.y, y)
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// part is a draw in [0, 1), in steps of 2^-53.
func (s *searcher) part() float64 { return float64(float64(s.draws.Next()>>11) / (1 << 53)) }

// How many points are looked at: drawn anywhere, and then near the best of them, closer and closer.
const (
	anywhere = 600
	starts   = 4
	tries    = 12 // a dimension, each time
)

// widths are how close.
var widths = []float64{0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001}

// best is the point with the largest expected improvement, as far as it is found. nil: none is free.
func (s *searcher) best() []float64 {
	type candidate struct {
		x    []float64
		gain float64
	}
	var found []candidate
	for n := 0; n < mostTries && len(found) < anywhere; n++ {
		x := make([]float64, len(s.dims))
		for i, d := range s.dims {
			x[i] = d.At(s.part())
		}
		if n%4 == 3 && len(s.near) > 0 { // beside what is good already
			x = s.moved(s.x[s.near[n/4%len(s.near)]], 0.1)
		}
		if s.open(x) {
			found = append(found, candidate{x, s.gain(x)})
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return compare(b.gain, a.gain) })
	found = found[:min(starts, len(found))]
	top := found[0]
	for _, c := range found {
		for _, width := range widths {
			for range tries * len(s.dims) {
				x := s.moved(c.x, width)
				if !s.open(x) {
					continue
				}
				if g := s.gain(x); g > c.gain {
					c = candidate{x, g}
				}
			}
		}
		if c.gain > top.gain {
			top = c
		}
	}
	return top.x
}

// moved is a point beside another: some of its coordinates are others.
func (s *searcher) moved(from []float64, width float64) []float64 {
	x := slices.Clone(from)
	one := int(s.draws.Next() % uint64(len(x)))
	for i, d := range s.dims {
		if i != one && s.draws.Next()%2 == 0 {
			continue
		}
		bell := s.part() + s.part() + s.part() + s.part() - 2 // a standard deviation of 0.58
		switch {
		case d.Levels == 0:
			x[i] = min(max(x[i]+float64(bell*float64(width*1.7)), 0), 1)
		case d.Category:
			if i == one {
				x[i] = float64(s.draws.Next() % uint64(d.Levels))
			}
		default:
			step := math.Round(float64(bell * float64(float64(width*1.7)*float64(d.Levels-1))))
			if step == 0 {
				if step = 1; s.draws.Next()%2 == 0 {
					step = -1
				}
			}
			level := min(max(float64(d.Level(x[i]))+step, 0), float64(d.Levels-1))
			x[i] = level / float64(max(1, d.Levels-1))
		}
	}
	return x
}

// open reports whether a point may be tried, and is not yet.
func (s *searcher) open(x []float64) bool {
	same := func(o []float64) bool { return slices.Equal(o, x) }
	return s.free(x) && !slices.ContainsFunc(s.all, same) && !slices.ContainsFunc(s.taken, same)
}

// gain is the logarithm of the improvement that is expected at a point, if it can be run, times the chance that it can.
func (s *searcher) gain(x []float64) float64 {
	sum := 0.0
	if s.values != nil {
		mean, deviation := s.values.predict(x)
		sum = improvement(s.least, mean, deviation)
	} else if s.chances == nil { // nothing is known
		return 0
	}
	if s.chances != nil {
		mean, deviation := s.chances.predict(x)
		sum += logDistribution((mean - 0.5) / deviation)
	}
	return sum
}

// evened are values of which those that are far above the others lie closer: a process that is to know the smallest well need not know
// how bad the bad ones are. The order stays, and what lies between the smallest and as far above the median. Values are then of mean 0
// and variance 1.
func evened(y []float64) []float64 {
	if len(y) == 0 {
		return nil
	}
	order := slices.Sorted(slices.Values(y))
	middle := order[len(order)>>1]
	unit := middle - order[0]
	if unit == 0 {
		unit = order[len(order)-1] - order[0]
	}
	if unit == 0 {
		unit = 1
	}
	out := make([]float64, len(y))
	sum, square := 0.0, 0.0
	for i, v := range y {
		z := (v - middle) / unit
		if z > 1 {
			z = 1 + nn.Log(z)
		}
		out[i] = z
		sum += z
	}
	mean := sum / float64(len(y))
	for _, z := range out {
		square += float64((z - mean) * (z - mean))
	}
	deviation := math.Sqrt(square / float64(len(y)))
	if deviation == 0 {
		deviation = 1
	}
	for i := range out {
		out[i] = (out[i] - mean) / deviation
	}
	return out
}
