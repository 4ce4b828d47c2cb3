package unit

import (
	"math"
	"strconv"
	"strings"
)

// Human prints the span for people: "41.23 us", "600 ns". String is exact, this is
// not: four significant digits at most.
func (d Duration) Human() string { return Scaled(float64(d), "ps", "ns", "us", "ms", "s") }

// Human prints the time as the span since the start of the run, for people.
func (t Time) Human() string { return Duration(t).Human() }

// Human prints the count for people, in decimal multiples: "407.1 kB".
func (b Bytes) Human() string { return Scaled(float64(b), "B", "kB", "MB", "GB", "TB", "PB") }

// Human prints the rate for people: "400 Gb/s".
func (r Bitrate) Human() string {
	return Scaled(float64(r), "b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s")
}

// Scaled prints v, given in the first of the units (a factor 1000 apart), in the
// largest that leaves at least 1, rounded to four significant digits.
func Scaled(v float64, units ...string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	i := 0
	for i+1 < len(units) && math.Abs(v) >= 999.95 {
		v /= 1000
		i++
	}
	decimals := 3
	for a := math.Abs(v); decimals > 0 && a >= 9.9995; a /= 10 {
		decimals--
	}
	if i == 0 && v == math.Trunc(v) {
		decimals = 0 // a count of the smallest unit is whole
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if whole, frac, ok := strings.Cut(s, "."); ok && strings.Trim(frac, "0") == "" {
		s = whole
	}
	return s + " " + units[i]
}
