package chart

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/cause"
)

// What else a figure is refused for: stops of an axis, reaches of bars, maps with signs or an axis, loads without end.
func TestCheckOfTheRest(t *testing.T) {
	stops := func(f *Figure, at []Value, names ...string) { f.Bars.X.Stops, f.Bars.X.Stopped = at, names }
	inf := Value(math.Inf(1))
	for _, c := range []struct {
		plot, want string
		spoil      func(*Figure)
	}{
		{"bars", "", func(f *Figure) { stops(f, []Value{0, 50, 100}, "a", "b", "c") }},
		{"bars", "axis X: 2 stops with 1 names", func(f *Figure) { stops(f, []Value{0, 50}, "a") }},
		{"bars", "axis X: stops from 50 to 0: want them ascending, between 0 and 100", func(f *Figure) {
			stops(f, []Value{50, 0}, "a", "b")
		}},
		{"bars", "axis X: stops from -1 to 0", func(f *Figure) { stops(f, []Value{-1, 0}, "a", "b") }},
		{"bars", "axis X: stops from 0 to 101", func(f *Figure) { stops(f, []Value{0, 101}, "a", "b") }},
		{"bars", "stops of axis X: value 0 is NaN", func(f *Figure) { stops(f, []Value{Nothing}, "a") }},
		{"bars", "", func(f *Figure) { f.Bars.Rows[0].Reach = &Part{Key: "a", Value: 9} }},
		{"bars", `bar 0, reach: no key "c"`, func(f *Figure) { f.Bars.Rows[0].Reach = &Part{Key: "c", Value: 9} }},
		{"bars", "bar 0, reach: value 0 is +Inf", func(f *Figure) { f.Bars.Rows[0].Reach = &Part{Key: "a", Value: inf} }},
		{"lines", "", func(f *Figure) { f.Lines.Series[0].X[0], f.Lines.Series[0].Shape = 9, Points }},
		{"lines", "band from 1 to NaN at 0", func(f *Figure) { f.Lines.Series[0].High[0] = Nothing }},
		{"lines", "zone 0: from 5 to 5", func(f *Figure) { f.Lines.Zones[0].To = 5 }},
		{"lines", "zone 0: value 1 is +Inf", func(f *Figure) { f.Lines.Zones[0].To = inf }},
		{"lines", "rule 0: value 0 is NaN", func(f *Figure) { f.Lines.Rules[0].At = Nothing }},
		{"map", "", func(f *Figure) { f.Map.Value.Low = -100 }},
		{"map", "map: values from -50 to 100: want as far below zero as above", func(f *Figure) { f.Map.Value.Low = -50 }},
		{"map", "", func(f *Figure) { f.Map.X, f.Map.Columns = &Axis{High: 1}, nil }},
		{"map", "map, row 1: 1 cells, want 2", func(f *Figure) {
			f.Map.X, f.Map.Columns, f.Map.Cells[1] = &Axis{High: 1}, nil, f.Map.Cells[1][:1]
		}},
		{"map", "map, group both: 0 rows from 0, of 2", func(f *Figure) { f.Map.Groups[0].Count = 0 }},
		{"map", "map, group both: 2 rows from -1, of 2", func(f *Figure) { f.Map.Groups[0].First = -1 }},
		{"map", "map, ring at row 2, column 1 of 2, 2", func(f *Figure) { f.Map.Ringed[0].Row = 2 }},
		{"map", "map, ring at row -1, column 1 of 2, 2", func(f *Figure) { f.Map.Ringed[0].Row = -1 }},
		{"lanes", "link 0: from lane -1 to lane 1 of 2", func(f *Figure) { f.Lanes.Links[0].From = -1 }},
		{"lanes", "", func(f *Figure) { f.Lanes.Lanes[0].Spans[0].From = 2 }},
		{"graph", "graph, edge h1 to l1: value 0 is +Inf", func(f *Figure) { f.Graph.Edges[0].Up.Value = inf }},
		{"graph", "graph, edge h1 to l1: value 1 is +Inf", func(f *Figure) { f.Graph.Edges[0].Down.Value = inf }},
		{"graph", `graph, way 0: no key "c"`, func(f *Figure) { f.Graph.Ways[0].Key = "c" }},
	} {
		f := only(whole(), c.plot)
		c.spoil(&f)
		err := Check(&f)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.plot, err, c.want)
		}
	}
}

// Shares of a bar's parts are of the bar, or of what it says.
func TestWholeOfABar(t *testing.T) {
	b := Bar{Parts: []Part{{Value: 3}, {Value: 4.5}}}
	if b.Sum() != 7.5 || b.Whole() != 7.5 {
		t.Errorf("sum %v, whole %v", b.Sum(), b.Whole())
	}
	if b.Of = 30; b.Sum() != 7.5 || b.Whole() != 30 {
		t.Errorf("of 30: sum %v, whole %v", b.Sum(), b.Whole())
	}
}

// Each cause has an ink of its own, which no other mark has.
func TestInksOfCauses(t *testing.T) {
	seen := map[Ink]bool{Subject: true, Other: true, Reference: true, Alarm: true, Marking: true, Pausing: true, Highlight: true,
		Outside: true, Forward: true, Loss: true, Backward: true, AllReduce: true, Update: true, OtherWork: true, InkOfRun(0): true}
	for _, c := range cause.All() {
		if ink := InkOf(c); seen[ink] || !strings.HasPrefix(string(ink), "cause-") {
			t.Errorf("%v has the ink %s", c, ink)
		} else {
			seen[ink] = true
		}
	}
}

// Where values lie on an axis, linear and logarithmic.
func TestPlacesOnAnAxis(t *testing.T) {
	linear, log := Axis{Low: 10, High: 30}, Axis{Low: 1, High: 1e4, Log: true}
	for v, want := range map[Value]float64{10: 0, 15: 0.25, 30: 1, 40: 1.5, 0: -0.5} {
		if got := linear.At(v); got != want {
			t.Errorf("linear: %v is at %v, want %v", float64(v), got, want)
		}
	}
	for v, want := range map[Value]float64{1: 0, 100: 0.5, 1e4: 1} {
		if got := log.At(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("logarithmic: %v is at %v, want %v", float64(v), got, want)
		}
	}
}

// The greater value stands out; on an axis with signs the one further from zero.
func TestWhatStandsOut(t *testing.T) {
	plain, signed := Axis{High: 10}, Axis{Low: -10, High: 10}
	for _, c := range []struct {
		a        Axis
		v, other Value
		want     bool
	}{{plain, 2, 1, true}, {plain, 1, 2, false}, {plain, 2, 2, false}, {plain, -3, 1, false}, {signed, -3, 1, true},
		{signed, 1, -3, false}, {signed, -3, 3, false}, {signed, 4, -3, true}} {
		if got := c.a.Beyond(c.v, c.other); got != c.want {
			t.Errorf("%v beside %v from %v: %v", float64(c.v), float64(c.other), float64(c.a.Low), got)
		}
	}
}

// The name of an axis has the multiple of its unit that its upper end is large enough for, to a rounding.
func TestNamesOfAxes(t *testing.T) {
	for _, c := range []struct {
		a    Axis
		want string
	}{
		{Axis{Label: "time", Unit: Time, High: 999.4}, "time (ps)"}, {Axis{Label: "time", Unit: Time, High: 999.6}, "time (ns)"},
		{Axis{Label: "time", Unit: Time, High: 1e15}, "time (s)"}, {Axis{Label: "load", Unit: Fraction, High: 1}, "load (%)"},
		{Axis{Unit: Bitrate, High: 4e11}, "Gb/s"}, {Axis{Label: "packets", High: 1e9}, "packets"},
		{Axis{Label: "a second", Unit: Rate, High: 10}, "a second"}, {Axis{Label: "a second", Unit: Rate, High: 1e4}, "a second (k)"},
		{Axis{Label: "size", Unit: Bytes, High: 1e6, Stops: []Value{1}, Stopped: []string{"1B"}}, "size"},
	} {
		if got := c.a.Name(); got != c.want {
			t.Errorf("up to %v: %q, want %q", float64(c.a.High), got, c.want)
		}
	}
}

// Steps between ticks are 1, 2, 5 or 10 times a power of ten, the nearest.
func TestStepsOfTicks(t *testing.T) {
	for raw, want := range map[float64]float64{1.49: 1, 1.5: 2, 2.99: 2, 3: 5, 6.99: 5, 7: 10, 99: 100, 140: 100} {
		if got := niceStep(raw); got != want {
			t.Errorf("%v: %v, want %v", raw, got, want)
		}
	}
	for v, want := range map[float64]string{1: "1", 0.5: "0.5", 999_999: "999,999", 1e12: "1e+12", 0.000_02: "2e-05"} {
		if got := powerText(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	if got := steps(0, 1, 0); !slices.Equal(got, []float64{0}) {
		t.Errorf("no ticks: %v", got)
	}
}

// Multiples are a copy: who changes it changes nothing here.
func TestMultiplesAreACopy(t *testing.T) {
	all := Multiples()
	if !slices.Equal(slices.Sorted(maps.Keys(all)), []Unit{Rate, Bytes, ByteRate, Bitrate, Time}) {
		t.Errorf("%v", slices.Sorted(maps.Keys(all)))
	}
	if delete(all, Time); Time.Text(5e6) != "5 us" {
		t.Error("a unit is gone")
	}
}
