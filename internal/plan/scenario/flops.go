package scenario

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"railyard/internal/base/located"
)

// FLOPS is a compute rate in floating-point operations per second.
type FLOPS int64

var flopsScales = []struct {
	name string
	size int64
}{{"PFLOP/s", 1e15}, {"TFLOP/s", 1e12}, {"GFLOP/s", 1e9}, {"MFLOP/s", 1e6}, {"FLOP/s", 1}}

// ParseFLOPS reads a compute rate such as 495TFLOP/s.
func ParseFLOPS(s string) (FLOPS, error) {
	const want = "a compute rate (GFLOP/s, TFLOP/s, PFLOP/s)"
	t := strings.TrimSpace(s)
	i := strings.IndexFunc(t, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if i < 0 {
		i = len(t)
	}
	number, name := t[:i], strings.TrimSpace(t[i:])
	if !decimalText.MatchString(number) || len(number) > 40 {
		return 0, fmt.Errorf("%s: want a number with a unit: %s", located.Shown(s), want)
	}
	if name == "" {
		return 0, fmt.Errorf("%s: no unit, want %s", located.Shown(s), want)
	}
	for _, sc := range flopsScales {
		if sc.name != name {
			continue
		}
		r, ok := new(big.Rat).SetString(number)
		if !ok {
			return 0, fmt.Errorf("%s: want a number with a unit: %s", located.Shown(s), want)
		}
		r.Mul(r, new(big.Rat).SetInt64(sc.size))
		if !r.IsInt() || !r.Num().IsInt64() {
			return 0, fmt.Errorf("%s: not a whole number of FLOP/s below 2^63", located.Shown(s))
		}
		return FLOPS(r.Num().Int64()), nil
	}
	return 0, fmt.Errorf("%s: unknown unit %q, want %s", located.Shown(s), located.Cut(name), want)
}

// String prints the rate exactly, in the largest unit that needs at most three decimals.
func (f FLOPS) String() string {
	for _, sc := range flopsScales {
		step := max(sc.size/1000, 1)
		if int64(f) < sc.size || int64(f)%step != 0 {
			continue
		}
		t := strconv.FormatInt(int64(f)/sc.size, 10)
		if rem := int64(f) % sc.size; rem != 0 {
			t += "." + strings.TrimRight(fmt.Sprintf("%03d", rem/step), "0")
		}
		return t + sc.name
	}
	return strconv.FormatInt(int64(f), 10) + "FLOP/s"
}
