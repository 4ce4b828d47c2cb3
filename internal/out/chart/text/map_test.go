package text

import (
	"strings"
	"testing"

	"railyard/internal/base/sheet"
	"railyard/internal/out/chart"
)

func drawn(f *chart.Figure, width int) string {
	s, b := sheet.New(width), strings.Builder{}
	Draw(s, f)
	_ = s.Flush(&b) // a strings.Builder cannot fail
	return b.String()
}

func row(v ...chart.Value) []chart.Value { return v }

// A map over time names its groups; columns that share a character show their greatest.
func TestMap(t *testing.T) {
	long := make([]chart.Value, 200)
	long[199] = 800
	f := &chart.Figure{Name: "queues", Map: &chart.Map{
		Value:  chart.Axis{Label: "mean length", Unit: chart.Bytes, High: 800},
		X:      &chart.Axis{Label: "time", Unit: chart.Time, High: 8e6},
		Rows:   []string{"rail1/host1", "spine1/rail1"},
		Cells:  [][]chart.Value{long, long},
		Groups: []chart.Group{{Name: "rail to host", Count: 1}, {Name: "spine to rail", First: 1, Count: 1}},
		Ringed: []chart.Cell{{Row: 1, Column: 199, Note: "greatest sample: 900 B"}},
	}}
	if got, want := drawn(f, 72), `  mean length: 0 . : - = + * # % @ 800 B
  rail to host
  rail1/host1   .................................................@
  spine to rail
  spine1/rail1  .................................................@
                time from 0 to 8 us
                spine1/rail1: greatest sample: 900 B
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A matrix has two characters for a column where there is room; what is not known is blank.
func TestMatrix(t *testing.T) {
	f := &chart.Figure{Name: "traffic", Map: &chart.Map{
		Value:   chart.Axis{Label: "sent", Unit: chart.Bytes, Low: 1, High: 1e8, Log: true},
		ColName: "to", Rows: []string{"a", "b", "c"}, Columns: []string{"a", "b", "c"},
		Cells: [][]chart.Value{row(chart.Nothing, 1e8, 0), row(1, chart.Nothing, 10), row(11, 9e6, chart.Nothing)}}}
	if got, want := drawn(f, 60), `  sent: 0 . 1 B : - = + * # % @ 100 MB, log scale
  a    @@..
  b  ::  ::
  c  --%%
     columns: to, in the order of the rows
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Below zero shades are digits, and of several columns to a character the one furthest from zero shows.
func TestSignedMap(t *testing.T) {
	f := &chart.Figure{Name: "weights", Map: &chart.Map{
		Value: chart.Axis{Label: "weight", Unit: chart.Plain, Low: -2, High: 2}, ColName: "input",
		Rows: []string{"a", "b"}, Columns: []string{"1", "2", "3", "4"},
		Cells: [][]chart.Value{row(-2, -0.1, 0, 2), row(1, chart.Nothing, -1, 0.1)},
	}}
	if got, want := drawn(f, 72), `  weight: -2 8 7 6 5 4 3 2 1 . : - = + * # % @ 2
  a  8811..@@
  b  ++  44::
     columns: input, in the order of the rows
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
