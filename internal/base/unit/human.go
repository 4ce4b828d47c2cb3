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

// ByteRate prints bytes per second: "48.9 GB/s".
func ByteRate(bytesPerSecond float64) string {
	return Scaled(bytesPerSecond, "B/s", "kB/s", "MB/s", "GB/s", "TB/s")
}

// Rate prints how many of something pass in a second: "8.12 M".
func Rate(v float64) string {
	return strings.TrimSuffix(Scaled(v, "", "k", "M", "G", "T"), " ")
}

// Percent prints a fraction: 0.964 is "96.4 %". Shares too small to show
// are "<0.1 %", or ">-0.1 %", and only a whole is "100 %".
func Percent(f float64) string {
	v := math.Round(f*1000) / 10
	switch {
	case f < 0 && v > -0.1:
		return ">-0.1 %"
	case f > 0 && v < 0.1:
		return "<0.1 %"
	case f < 1 && v >= 100:
		return ">99.9 %"
	case f == 1:
		return "100 %"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " %"
}

// Count prints a whole number with commas: "12,345,678".
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// CountOf prints how many there are of a thing: "1 step", "2,814 steps".
func CountOf(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// Clock prints a wall-clock span: "8 s", "3 min 20 s", "2 h 05 min".
func Clock(seconds float64) string {
	n := int64(math.Round(seconds))
	two := func(v int64) string { return strconv.FormatInt(v/10, 10) + strconv.FormatInt(v%10, 10) }
	switch {
	case seconds < 10:
		return strconv.FormatFloat(seconds, 'f', 1, 64) + " s"
	case n < 60:
		return strconv.FormatInt(n, 10) + " s"
	case n < 3600:
		return strconv.FormatInt(n/60, 10) + " min " + two(n%60) + " s"
	}
	return strconv.FormatInt(n/3600, 10) + " h " + two(n%3600/60) + " min"
}

// Share is part of whole as a fraction from 0 to 1; of nothing it is 0.
func Share(part, whole Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return min(max(float64(part)/float64(whole), 0), 1)
}
