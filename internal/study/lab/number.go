package lab

import (
	"math"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
)

// digits is with how many decimals a number is shown.
type digits int

// auto shows a whole number as such and any other with four significant digits.
const auto digits = -1

// text prints a number for people.
func (d digits) text(v float64) string {
	if v == 0 {
		v = 0 // no -0
	}
	whole := math.Abs(v-math.Round(v)) <= 1e-9*math.Max(1, math.Abs(v))
	switch {
	case math.Abs(v) >= 1e15 || v != 0 && math.Abs(v) < 1e-5:
		return strconv.FormatFloat(v, 'g', 4, 64)
	case d < 0 && whole:
		return unit.Count(int64(math.Round(v)))
	case d < 0:
		// 4 significant digits, and every digit before the point.
		magnitude := int(math.Floor(math.Log10(math.Abs(v))))
		text := strconv.FormatFloat(v, 'f', max(3-magnitude, 0), 64)
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return grouped(text)
	}
	return grouped(fixed(v, int(d)))
}

// fixed prints a number in a table: with so many decimals, however small it is.
func fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// grouped writes thousands apart: 131,072.5.
func grouped(text string) string {
	body, fraction, point := strings.Cut(text, ".")
	n, err := strconv.ParseInt(body, 10, 64)
	if err != nil || n > -1000 && n < 1000 {
		return text
	}
	if body = unit.Count(n); point {
		body += "." + fraction
	}
	return body
}

// with adds a unit to a number's text.
func with(text, unit string) string {
	switch unit {
	case "":
		return text
	case "%":
		return text + " %"
	}
	return text + " " + unit
}
