package chart

import (
	"encoding/json"
	"fmt"
	"maps"
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
		return strconv.AppendFloat(nil, f+0, 'g', 15, 64), nil // + 0: no -0
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

// Unit says in what a value counts.
type Unit string

// The units of values.
const (
	Count    Unit = ""    // of things
	Time     Unit = "ps"  // picoseconds of virtual time
	Bytes    Unit = "B"   //
	Bitrate  Unit = "b/s" //
	Fraction Unit = "1"   // 0.964 is shown as 96.4 %
	Rate     Unit = "1/s" // things in a second
	Plain    Unit = "-"   // a figure without a unit, such as a loss
)

// multiples are the names of a unit's decimal multiples, each a thousand times the one before.
var multiples = map[Unit][]string{
	Time:    {"ps", "ns", "us", "ms", "s"},
	Bytes:   {"B", "kB", "MB", "GB", "TB", "PB"},
	Bitrate: {"b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s"},

	ByteRate: {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"},
	Rate:     {"", "k", "M", "G", "T"},
}

// Multiples returns the names of the decimal multiples of each unit that has some, each a
// thousand times the one before.
func Multiples() map[Unit][]string { return maps.Clone(multiples) }

// scale returns the multiple in which an axis up to high counts: its name, and how much
// of the unit it is.
func (u Unit) scale(high Value) (name string, size float64) {
	if u == Fraction {
		return "%", 0.01
	}
	size = 1
	for i, m := range multiples[u] {
		if i == 0 || float64(high) >= size*1000*0.9995 {
			if i > 0 {
				size *= 1000
			}
			name = m
		}
	}
	return name, size
}
