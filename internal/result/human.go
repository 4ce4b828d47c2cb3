package result

import (
	"math"
	"strconv"
	"strings"

	"railyard/internal/unit"
)

// Figures for people: four significant digits at most, in the unit that gives one
// to three digits before the point. Nothing parses them.

// FormatTime prints a duration: "41.23 us", "600 ns".
func FormatTime(d unit.Duration) string { return d.Human() }

// FormatBytes prints a byte count in decimal multiples: "407.1 kB".
func FormatBytes(b unit.Bytes) string { return b.Human() }

// FormatByteRate prints bytes per second: "48.9 GB/s".
func FormatByteRate(bytesPerSecond float64) string {
	return unit.Scaled(bytesPerSecond, "B/s", "kB/s", "MB/s", "GB/s", "TB/s")
}

// FormatBitrate prints a link rate: "400 Gb/s".
func FormatBitrate(r unit.Bitrate) string { return r.Human() }

// FormatRate prints how many of something pass in a second: "8.12 M".
func FormatRate(v float64) string {
	return strings.TrimSuffix(unit.Scaled(v, "", "k", "M", "G", "T"), " ")
}

// FormatPercent prints a fraction: 0.964 is "96.4 %". Shares too small to show
// are "<0.1 %", and only a whole is "100 %".
func FormatPercent(f float64) string {
	v := math.Round(f*1000) / 10
	switch {
	case f > 0 && v < 0.1:
		return "<0.1 %"
	case f < 1 && v >= 100:
		return ">99.9 %"
	case f == 1:
		return "100 %"
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " %"
}

// FormatCount prints a whole number with commas: "12,345,678".
func FormatCount(n int64) string {
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

// FormatCountOf prints how many there are of a thing: "1 step", "2,814 steps".
func FormatCountOf(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return FormatCount(n) + " " + thing + "s"
}

// FormatClock prints a wall-clock span: "8 s", "3 min 20 s", "2 h 05 min".
func FormatClock(seconds float64) string {
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
