package chart

import (
	"math"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
)

// ByteRate is the unit of a bandwidth that counts bytes, such as that of a collective.
const ByteRate Unit = "B/s"

// Text prints a value for people: rounded, with its unit. The script of a page writes
// values in the same way; a test in a browser holds the two together.
func (u Unit) Text(v Value) string {
	f := float64(v)
	switch {
	case v.None():
		return "-"
	case multiples[u] != nil && f == 0:
		return "0" // of whatever
	case multiples[u] != nil:
		return strings.TrimSuffix(unit.Scaled(f, multiples[u]...), " ")
	case u == Fraction:
		return unit.Percent(f)
	case u == Count && f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return unit.Count(int64(f))
	}
	return strconv.FormatFloat(f, 'g', 4, 64)
}
