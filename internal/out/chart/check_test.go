package chart

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// whole is a figure with each kind of plot; the tests set all but one to nil.
func whole() Figure {
	axis := Axis{Label: "time", Unit: Time, High: 100}
	return Figure{
		Name: "fig-1", Title: "A figure", Caption: "What to see.",
		Keys: []Key{{ID: "a", Name: "one thing", Ink: Subject},
			{ID: "b", Name: "another", Meaning: "not the one", Ink: Other}},
		Lines: &Lines{X: axis, Y: Axis{Unit: Bytes, Low: 1, High: 10, Log: true},
			Series: []Series{{Key: "a", X: []Value{0, 1, 2}, Y: []Value{1, Nothing, 3},
				Low: []Value{1, Nothing, 2}, High: []Value{2, Nothing, 3}}},
			Zones: []Zone{{Key: "b", From: 5, To: Nothing}}, Rules: []Rule{{Key: "b", Along: "y", At: 2}},
			Marks: []Mark{{Key: "b", X: 1, Y: 2, Label: "here"}}},
		Bars: &Bars{X: axis, Rows: []Bar{{Label: "row", Parts: []Part{{Key: "a", Value: 1}, {Key: "b", Value: 0.1}}}}},
		Lanes: &Lanes{X: axis,
			Lanes: []Lane{{Group: "rank 0", Label: "compute", Spans: []Span{{From: 1, To: 2, Key: "a"}}},
				{Label: "idle"}},
			Links: []Link{{Key: "b", From: 0, At: 2, To: 1, Then: 3}}},
		Map: &Map{Value: axis, Rows: []string{"x", "y"}, Columns: []string{"x", "y"},
			Cells:  [][]Value{{1, 2}, {Nothing, 3}},
			Groups: []Group{{Name: "both", First: 0, Count: 2}}, Ringed: []Cell{{Row: 1, Column: 1}}},
		Graph: &Graph{Load: axis,
			Tiers: []Tier{{Name: "hosts", Nodes: []Node{{ID: "h1"}}}, {Name: "leaves", Nodes: []Node{{ID: "l1"}}}},
			Edges: []Edge{{Low: "h1", High: "l1", Cables: 1}}, Ways: []Way{{Key: "a", Nodes: []string{"h1", "l1"}}}},
	}
}

// only keeps one plot.
func only(f Figure, plot string) Figure {
	for name, drop := range map[string]func(){"lines": func() { f.Lines = nil }, "bars": func() { f.Bars = nil },
		"lanes": func() { f.Lanes = nil }, "map": func() { f.Map = nil }, "graph": func() { f.Graph = nil }} {
		if name != plot {
			drop()
		}
	}
	return f
}

// What a figure is refused for, one broken thing each.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		plot, want string
		spoil      func(*Figure)
	}{
		{"lines", "", nil}, {"bars", "", nil}, {"lanes", "", nil}, {"map", "", nil}, {"graph", "", nil},
		{"none", "0 plots: want one", nil},
		{"bars", "2 plots: want one", func(f *Figure) { f.Map = whole().Map }},
		{"bars", `name "Fig 1"`, func(f *Figure) { f.Name = "Fig 1" }},
		{"bars", `key "a": want an ID of its own`, func(f *Figure) { f.Keys[1].ID = "a" }},
		{"bars", `keys "a" and "b" have one ink, subject`, func(f *Figure) { f.Keys[1].Ink = Subject }},
		{"bars", `key "b": no mark has it`, func(f *Figure) { f.Bars.Rows[0].Parts = f.Bars.Rows[0].Parts[:1] }},
		{"bars", `bar 0, part 1: no key "c"`, func(f *Figure) { f.Bars.Rows[0].Parts[1].Key = "c" }},
		{"bars", "bar 0, part 0: value -1: want at least 0", func(f *Figure) { f.Bars.Rows[0].Parts[0].Value = -1 }},
		{"bars", "axis X: from 100 to 100: want some length", func(f *Figure) { f.Bars.X.Low = 100 }},
		{"bars", "axis X: logarithmic from 0", func(f *Figure) { f.Bars.X.Log = true }},
		{"bars", "axis X: value 1 is +Inf", func(f *Figure) { f.Bars.X.High = Value(math.Inf(1)) }},
		{"lines", "series 0: 2 X, 3 Y, 3 low, 3 high", func(f *Figure) { f.Lines.Series[0].X = []Value{0, 1} }},
		{"lines", "series 0: 3 X, 3 Y, 2 low, 3 high", func(f *Figure) { f.Lines.Series[0].Low = []Value{0, 1} }},
		{"lines", "series 0: X does not ascend", func(f *Figure) { f.Lines.Series[0].X[0] = 9 }},
		{"lines", "series 0, X: value 0 is NaN", func(f *Figure) { f.Lines.Series[0].X[0] = Nothing }},
		{"lines", "series 0, Y: value 2 is +Inf", func(f *Figure) { f.Lines.Series[0].Y[2] = Value(math.Inf(1)) }},
		{"lines", "series 0: band from 5 to 2 at 0", func(f *Figure) { f.Lines.Series[0].Low[0] = 5 }},
		{"lines", "zone 0: from 5 to 4", func(f *Figure) { f.Lines.Zones[0].To = 4 }},
		{"lines", `rule 0: axis "z": want x or y`, func(f *Figure) { f.Lines.Rules[0].Along = "z" }},
		{"lines", "mark 0: value 1 is NaN", func(f *Figure) { f.Lines.Marks[0].Y = Nothing }},
		{"lanes", "lane 0, span 0: from 3 to 2", func(f *Figure) { f.Lanes.Lanes[0].Spans[0].From = 3 }},
		{"lanes", "link 0: from lane 0 to lane 2 of 2", func(f *Figure) { f.Lanes.Links[0].To = 2 }},
		{"map", "map, row 1: 1 cells, want 2", func(f *Figure) { f.Map.Cells[1] = f.Map.Cells[1][:1] }},
		{"map", "map: 1 rows of cells, 2 names", func(f *Figure) { f.Map.Cells = f.Map.Cells[:1] }},
		{"map", "map, group both: 3 rows from 0, of 2", func(f *Figure) { f.Map.Groups[0].Count = 3 }},
		{"map", "map, ring at row 1, column 2 of 2, 2", func(f *Figure) { f.Map.Ringed[0].Column = 2 }},
		{"map", "columns have names and an axis", func(f *Figure) { f.Map.X = &f.Map.Value }},
		{"graph", `graph, node "h1": want an ID of its own`, func(f *Figure) { f.Graph.Tiers[1].Nodes[0].ID = "h1" }},
		{"graph", "graph, edge h1 to l2: no such node", func(f *Figure) { f.Graph.Edges[0].High = "l2" }},
		{"graph", `graph, way 0: no node "l2"`, func(f *Figure) { f.Graph.Ways[0].Nodes[1] = "l2" }},
	} {
		f := only(whole(), c.plot)
		if c.spoil != nil {
			c.spoil(&f)
		}
		err := Check(&f)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v, want no problem", c.plot, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.plot, err, c.want)
		}
	}
}

// All problems are named at once.
func TestCheckNamesAll(t *testing.T) {
	f := only(whole(), "bars")
	f.Name, f.Bars.X.Low = "", 100
	f.Bars.Rows[0].Parts[0].Value = -1
	if err := Check(&f); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("%v, want three problems", err)
	}
}

// A figure comes back from JSON as it was, and equal figures are equal bytes.
func TestJSON(t *testing.T) {
	for _, plot := range []string{"lines", "bars", "lanes", "map", "graph"} {
		f, same := only(whole(), plot), only(whole(), plot)
		a, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(same)
		if string(a) != string(b) {
			t.Errorf("%s: two encodings differ:\n%s\n%s", plot, a, b)
		}
		var back Figure
		if err := json.Unmarshal(a, &back); err != nil {
			t.Fatal(err)
		}
		equal := cmp.Comparer(func(a, b Value) bool { return a == b || a.None() && b.None() })
		if d := cmp.Diff(f, back, equal); d != "" {
			t.Errorf("%s: %s", plot, d)
		}
	}
	zero := Value(math.Copysign(0, -1))
	for v, want := range map[Value]string{0.1: "0.1", 1e21: "1e+21", 123456789012345: "123456789012345", zero: "0"} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%v: %s %v, want %s", float64(v), got, err, want)
		}
	}
	if _, err := json.Marshal(Value(math.Inf(1))); err == nil {
		t.Error("an infinite value has JSON")
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis  Axis
		n     int
		unit  string
		texts string
	}{
		{Axis{High: 10}, 5, "", "0 2 4 6 8 10"},
		{Axis{High: 1}, 4, "", "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{High: 1, Unit: Fraction}, 4, "%", "0 20 40 60 80 100"},
		{Axis{Low: 115.1, High: 115.6}, 5, "", "115.1 115.2 115.3 115.4 115.5 115.6"},
		{Axis{Low: 1e6, High: 2811e6, Unit: Time}, 6, "ms", "0.5 1.0 1.5 2.0 2.5"},
		{Axis{Low: -1, High: 1}, 4, "", "-1.0 -0.5 0.0 0.5 1.0"},
		{Axis{High: 2, Whole: true}, 8, "", "0 1 2"},
		{Axis{Low: 1e6, High: 3e7, Unit: Time, Log: true}, 5, "us", "1 2 5 10 20"},
		{Axis{Low: 1, High: 1e6, Log: true}, 5, "", "1 10 100 1,000 10,000 100,000 1,000,000"},
		{Axis{Low: 3, High: 3}, 5, "", "3"},
		{Axis{Low: 0.9e6, High: 9e6, Unit: Bytes, Log: true, Stops: []Value{1e6, 3e6, 8e6}, Stopped: []string{"1MB", "3MB", "8MB"}}, 2,
			"", "1MB 3MB 8MB"},
	} {
		got := c.axis.Ticks(c.n)
		if strings.Join(got.Texts, " ") != c.texts || got.Unit != c.unit {
			t.Errorf("%v to %v: %s %q, want %s %q", float64(c.axis.Low), float64(c.axis.High), got.Texts,
				got.Unit, c.texts, c.unit)
		}
		if len(got.At) != len(got.Texts) || !slices.IsSorted(got.At) {
			t.Errorf("%v to %v: at %v", float64(c.axis.Low), float64(c.axis.High), got.At)
		}
	}
}
