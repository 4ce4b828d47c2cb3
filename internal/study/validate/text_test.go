package validate

import (
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
)

// judged are rows of two groups: within their bounds, at them, beyond them, and shown alone.
var judged = []Row{
	{Group: "flows alone", Name: "1 MB", Quantity: "time", Unit: "us", Want: 100, Got: 100, Why: "exact"},
	{Group: "flows alone", Name: "1 MB", Quantity: "packets", Want: 1000, Got: 1001, Bound: 1, Why: "one packet"},
	{Group: "flows alone", Name: "100 MB", Quantity: "time", Unit: "us", Want: 8_000_000.5, Got: 8_123_456.25, Bound: 1, Why: "1 us"},
	{Group: "incast", Name: "2 to 1", Quantity: "marks", Want: 0, Got: 0, Why: "none"},
	{Group: "incast", Name: "2 to 1", Quantity: "rate", Unit: "Gb/s", Want: 49.123456789, Got: 44.2, Bound: -1, Why: "shown"},
	{Group: "incast", Name: "8 to 1", Quantity: "marks", Want: 0, Got: 3, Bound: 2, Why: "two"},
	{Group: "incast", Name: "8 to 1", Quantity: "alpha", Want: -0.5, Got: -0.25, Bound: 0.25, Why: "a quarter"},
}

// Rows are printed in blocks and as tables, each with its verdict. What this notices: a row in the block of another group, digits that
// are cut from a whole number, a deviation of another sign, rows that are judged without a bound.
func TestRowsAsText(t *testing.T) {
	var text, tables strings.Builder
	if err := WriteText(&text, judged); err != nil {
		t.Fatal(err)
	}
	if err := WriteMarkdown(&tables, judged); err != nil {
		t.Fatal(err)
	}
	scripttest.Golden(t, "rows.txt", text.String())
	scripttest.Golden(t, "tables.txt", tables.String())
}

// Points agree until the first that could have seen a mark: the one behind a queue longer than where marking begins.
func TestPointsUntilTheFirstMark(t *testing.T) {
	at := func(i int) unit.Time { return unit.Time(500*unit.Nanosecond) + unit.Time(i)*unit.Time(every) }
	ref := []point{{at: at(0), queue: 5, shared: 6, sum: 7}, {at: at(1), queue: markFrom, shared: 6, sum: 7},
		{at: at(2), queue: markFrom + 1, shared: 6, sum: 7}, {at: at(3), queue: 9, shared: 6, sum: 7}}
	for _, c := range []struct {
		what   string
		change func(all []point) []point
		agree  int
	}{
		{"the same", func(all []point) []point { return all }, 3},
		{"another queue", func(all []point) []point { all[1].queue--; return all }, 2},
		{"another buffer", func(all []point) []point { all[1].shared++; return all }, 2},
		{"another rate", func(all []point) []point { all[2].sum = 8; return all }, 2},
		{"another time", func(all []point) []point { all[0].at++; return all }, 2},
		{"one point more or less after the mark", func(all []point) []point { all[3].queue = 0; return all }, 3},
		{"ended", func(all []point) []point { return all[:1] }, 1},
	} {
		if points, agree := exactUntil(ref, c.change(append([]point{}, ref...))); points != 3 || agree != c.agree {
			t.Errorf("%s: %d of %d agree, want %d of 3", c.what, agree, points, c.agree)
		}
	}
}
