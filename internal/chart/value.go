package chart

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Value is a number of a plot. As JSON it has up to 15 significant digits, and
// Nothing is null.
type Value float64

// Nothing is no value: a gap of a line, an open bound.
var Nothing = Value(math.NaN())

// None reports whether v is Nothing.
func (v Value) None() bool { return math.IsNaN(float64(v)) }

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) {
	switch f := float64(v); {
	case math.IsNaN(f):
		return []byte("null"), nil
	case math.IsInf(f, 0):
		return nil, fmt.Errorf("chart: value %v has no JSON", f)
	default:
		return strconv.AppendFloat(nil, f, 'g', 15, 64), nil
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*v = Nothing
		return nil
	}
	return json.Unmarshal(b, (*float64)(v))
}
