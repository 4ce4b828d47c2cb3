package chart

import (
	"math"
	"slices"
	"strconv"

	"railyard/internal/base/unit"
)

// Ticks is what stands at an axis.
type Ticks struct {
	At    []Value
	Texts []string // of each, in Unit
	Unit  string   // the multiple that the texts count in: "us"; "" for none
}

// Ticks returns round values from Low to High, about n of them: multiples of 1, 2 or 5
// times a power of ten, on a logarithmic axis those themselves. Where only some values were tried these stand there, all of them.
func (a *Axis) Ticks(n int) Ticks {
	if len(a.Stops) > 0 {
		return Ticks{At: slices.Clone(a.Stops), Texts: slices.Clone(a.Stopped)}
	}
	name, size := a.Unit.scale(a.High)
	t := Ticks{Unit: name}
	lo, hi := float64(a.Low)/size, float64(a.High)/size
	if a.Log && lo > 0 {
		for _, v := range powers(lo, hi) {
			t.At = append(t.At, Value(v*size))
			t.Texts = append(t.Texts, powerText(v))
		}
		return t
	}
	if a.Whole {
		n = min(n, max(1, int(hi-lo)))
	}
	all := steps(lo, hi, n)
	for _, v := range all {
		t.At = append(t.At, Value(v*size))
		t.Texts = append(t.Texts, tickText(v, stepOf(all)))
	}
	return t
}

// powers returns 1, 2 and 5 times the powers of ten in [lo, hi], of many powers only
// those of ten.
func powers(lo, hi float64) (out []float64) {
	digits := []float64{1, 2, 5}
	if hi/lo > 1e5 {
		digits = digits[:1]
	}
	for p := math.Floor(math.Log10(lo)); p <= math.Log10(hi)+1; p++ {
		for _, m := range digits {
			if v := m * math.Pow(10, p); v >= lo*0.9999 && v <= hi*1.0001 {
				out = append(out, v)
			}
		}
	}
	return out
}

// powerText prints a tick of a logarithmic axis.
func powerText(v float64) string {
	if v >= 1 && v < 1e12 {
		return unit.Count(int64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// steps returns multiples of 1, 2 or 5 times a power of ten in [lo, hi], about n of them.
func steps(lo, hi float64, n int) []float64 {
	if !(hi > lo) || n < 1 {
		return []float64{lo}
	}
	step := niceStep((hi - lo) / float64(n))
	var out []float64
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+step*1e-9; k++ {
		out = append(out, k*step+0) // -0 becomes 0
	}
	return out
}

// niceStep rounds to the nearest of 1, 2, 5 and 10 times a power of ten.
func niceStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	switch f := raw / power; {
	case f < 1.5:
		return power
	case f < 3:
		return 2 * power
	case f < 7:
		return 5 * power
	}
	return 10 * power
}

// tickText prints a tick of a series with a given distance between ticks.
func tickText(v, step float64) string {
	decimals := 0
	for s := step; decimals < 6 && math.Abs(s-math.Round(s)) > 1e-6*math.Abs(s); s *= 10 {
		decimals++
	}
	if math.Abs(v) < step*1e-9 {
		v = 0
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

func stepOf(all []float64) float64 {
	if len(all) < 2 {
		if len(all) == 1 && all[0] != 0 {
			return math.Abs(all[0])
		}
		return 1
	}
	return all[1] - all[0]
}

// At places a value on the axis: 0 at Low, 1 at High.
func (a *Axis) At(v Value) float64 {
	lo, hi, x := float64(a.Low), float64(a.High), float64(v)
	if a.Log {
		lo, hi, x = math.Log10(lo), math.Log10(hi), math.Log10(x)
	}
	if hi <= lo {
		return 0
	}
	return (x - lo) / (hi - lo)
}

// Signed reports an axis that begins below zero.
func (a *Axis) Signed() bool { return a.Low < 0 }

// Beyond reports which of two values stands out: the greater one, or the one further from zero.
func (a *Axis) Beyond(v, other Value) bool {
	if a.Signed() {
		return max(v, -v) > max(other, -other)
	}
	return v > other
}

// Name is the label with the multiple in which ticks count: "time (us)".
func (a *Axis) Name() string {
	switch name, _ := a.Unit.scale(a.High); {
	case name == "" || len(a.Stops) > 0: // which have their units
		return a.Label
	case a.Label == "":
		return name
	default:
		return a.Label + " (" + name + ")"
	}
}
