package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Range is values between two bounds, both of them included: so many, or one each step.
type Range struct {
	From, To float64
	Dim      Dim
	Log      bool    // values lie apart by a factor, not by a distance
	Count    int     // so many; 0: not said
	Step     float64 // one each step; 0: not said
	Whole    bool    // only whole numbers: both bounds are
	percent  bool    // written with %
}

// MaxValues bounds the values of a range.
const MaxValues = 10_000

const rangeForm = "want a range such as 2..64, 2..64 log 6, 100us..1ms 10 or 1MB..4MB step 512kB"

// ParseRange reads FROM..TO, with "step STEP", a number of values, or log and a number of values behind it.
func ParseRange(text string) (Range, error) {
	var r Range
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return r, fmt.Errorf("%q: %s", text, rangeForm)
	}
	low, high, ok := strings.Cut(fields[0], "..")
	from, ok1 := ParseQuantity(low)
	to, ok2 := ParseQuantity(high)
	if !ok || !ok1 || !ok2 {
		return r, fmt.Errorf("%q: %s", text, rangeForm)
	}
	r = Range{From: from.Value, To: to.Value, Dim: from.Dim, percent: strings.HasSuffix(low, "%")}
	r.Whole = from.Dim != Plain || !r.percent && whole(from.Value) && whole(to.Value)
	if from.Dim != to.Dim {
		a, _ := from.Dim.noun()
		b, _ := to.Dim.noun()
		return r, fmt.Errorf("%q: from %s to %s, want both bounds in one unit", text, a, b)
	}
	if !(r.From < r.To) || math.Abs(r.From) > 1<<53 || math.Abs(r.To) > 1<<53 {
		return r, fmt.Errorf("%q: want the smaller bound first, and the other above it", text)
	}
	if err := r.spacing(fields[1:]); err != nil {
		return r, fmt.Errorf("%q: %w", text, err)
	}
	return r, nil
}

func whole(v float64) bool { return v == math.Trunc(v) }

// spacing reads what stands behind the bounds.
func (r *Range) spacing(words []string) error {
	switch {
	case len(words) == 0:
		return nil
	case words[0] == "step" && len(words) == 2:
		q, ok := ParseQuantity(words[1])
		if !ok || q.Dim != r.Dim || q.Value <= 0 || r.Whole && !whole(q.Value) {
			_, example := r.Dim.noun()
			return fmt.Errorf("step %s: want one above 0 of the same kind, such as %s", words[1], example)
		}
		if r.Step = q.Value; (r.To-r.From)/r.Step > MaxValues-1 {
			return fmt.Errorf("more than %d values", MaxValues)
		}
		return nil
	case words[0] == "log":
		if r.Log = true; r.From <= 0 {
			return fmt.Errorf("log begins above 0")
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	n, err := strconv.Atoi(words[0])
	if len(words) > 1 || err != nil || n < 2 || n > MaxValues {
		return fmt.Errorf("%s: want 2 to %d values", strings.Join(words, " "), MaxValues)
	}
	r.Count = n
	return nil
}

// Values lists the values as a file would have them, each once; a range that says neither how many nor a step has all
// whole numbers.
func (r Range) Values() ([]string, error) {
	n, step := r.Count, r.Step
	if n == 0 && step == 0 {
		if step = 1; r.Dim != Plain || !r.Whole || r.Log {
			return nil, fmt.Errorf("how many values: want a number of them behind the range, or step and how far apart they are")
		}
		if r.To-r.From > MaxValues-1 {
			return nil, fmt.Errorf("more than %d values, want a number of them behind the range", MaxValues)
		}
	}
	var values []string
	if step > 0 {
		for i := 0; r.From+float64(i)*step <= r.To*(1+1e-12); i++ {
			values = append(values, r.text(r.From+float64(i)*step))
		}
		return slices.Compact(values), nil
	}
	for i := range n {
		values = append(values, r.At(float64(i)/float64(n-1)))
	}
	return slices.Compact(values), nil
}

// At is the value at a part of the range, from 0 to 1: of whole numbers the nearest.
func (r Range) At(part float64) string {
	switch {
	case part <= 0:
		return r.text(r.From)
	case part >= 1:
		return r.text(r.To)
	case r.Log:
		v := r.From * math.Pow(r.To/r.From, part)
		return r.text(rounded(v, v))
	}
	// The product is rounded by itself: the same where processors fuse.
	return r.text(rounded(r.From+float64(part*(r.To-r.From)), r.To-r.From))
}

// rounded leaves of a value what is a ten-thousandth of a size, or more: 774.8ns, not 774773ps.
func rounded(v, size float64) float64 {
	digits := math.Floor(math.Log10(size)) - 3
	if digits < 0 { // a power of ten that is exact
		scale := math.Pow(10, -digits)
		return math.Round(v*scale) / scale
	}
	scale := math.Pow(10, digits)
	return math.Round(v/scale) * scale
}

// text writes a value: six digits of one that is not whole.
func (r Range) text(v float64) string {
	switch {
	case r.Whole:
		return Quantity{math.Round(v), r.Dim}.Text()
	case r.percent:
		return strconv.FormatFloat(v*100, 'g', 6, 64) + "%"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
