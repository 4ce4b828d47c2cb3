package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"railyard/internal/base/cause"
	"railyard/internal/base/scripttest"
	"railyard/internal/out/chart"
)

const us = chart.Value(1e6)

func key(c cause.Cause) chart.Key {
	return chart.Key{ID: c.Column(), Name: c.String(), Ink: chart.InkOf(c)}
}

func bars(name string) *chart.Figure {
	part := func(c cause.Cause, v chart.Value) chart.Part { return chart.Part{Key: c.Column(), Value: v * us} }
	return &chart.Figure{Name: "bars", Keys: []chart.Key{key(cause.Compute), key(cause.Dependency), key(cause.Queueing),
		key(cause.Pause), {ID: "other", Name: "other (2 causes)", Ink: chart.Other}},
		Bars: &chart.Bars{X: chart.Axis{Unit: chart.Time, High: 100 * us}, Rows: []chart.Bar{
			{Label: "critical path", Note: "100 us",
				Parts: []chart.Part{part(cause.Compute, 40), part(cause.Queueing, 59.2),
					part(cause.Pause, 0.3), {Key: "other", Value: us / 2}}},
			{Label: name, Note: "80 us",
				Parts: []chart.Part{part(cause.Compute, 40), part(cause.Dependency, 25), part(cause.Pause, 15)}},
			{Group: "Attributed to (a step)", Label: "cross traffic at rail1/host2", Note: "59.5 us, 59.5 %",
				Parts: []chart.Part{part(cause.Queueing, 59.2), part(cause.Pause, 0.3)}}}}}
}

func line(name string) *chart.Figure {
	f := &chart.Figure{Name: "line", Keys: []chart.Key{{ID: "t", Name: name, Ink: chart.Subject},
		{ID: "m", Name: "median", Ink: chart.Reference}, {ID: "z", Name: "marking", Ink: chart.Marking}},
		Lines: &chart.Lines{X: chart.Axis{Label: "step", Whole: true, High: 9},
			Y:      chart.Axis{Label: "time", Unit: chart.Time, High: 80 * us},
			Series: []chart.Series{{Key: "t"}}, Rules: []chart.Rule{{Key: "m", Along: "y", At: 25 * us}},
			Zones: []chart.Zone{{Key: "z", From: 60 * us, To: chart.Nothing}}}}
	s := &f.Lines.Series[0]
	for i, v := range []chart.Value{10, 20, 30, chart.Nothing, 50, 60, 70, 70, 79, 0} {
		s.X, s.Y = append(s.X, chart.Value(i)), append(s.Y, v*us)
		s.Low, s.High = append(s.Low, max(v-10, 0)*us), append(s.High, min(v+10, 80)*us)
	}
	return f
}

func histogram(name string) *chart.Figure {
	return &chart.Figure{Name: "histogram",
		Keys: []chart.Key{{ID: "n", Name: name, Ink: chart.Subject},
			{ID: "q", Name: "quantiles", Ink: chart.Reference}},
		Lines: &chart.Lines{X: chart.Axis{Unit: chart.Time, High: 50 * us},
			Y: chart.Axis{Label: "steps", Whole: true, High: 8},
			Series: []chart.Series{{Key: "n", Shape: chart.Filled, X: []chart.Value{10 * us, 20 * us, 30 * us, 40 * us},
				Y: []chart.Value{8, 0, 3, chart.Nothing}}},
			Rules: []chart.Rule{{Key: "q", Along: "x", At: 15 * us, Label: "p50 15 us"}},
			Marks: []chart.Mark{{Key: "q", X: 35 * us, Y: 6, Label: "p99 35 us"}}}}
}

func lanes(name string) *chart.Figure {
	span := func(from, to chart.Value, key string) chart.Span {
		return chart.Span{From: from * us, To: to * us, Key: key}
	}
	return &chart.Figure{Name: "lanes", Keys: []chart.Key{{ID: "f", Name: "forward", Ink: chart.Forward},
		{ID: "a", Name: "all-reduce", Ink: chart.AllReduce}, {ID: "out", Name: "another step", Ink: chart.Outside}},
		Lanes: &chart.Lanes{X: chart.Axis{Unit: chart.Time, High: 100 * us}, Lanes: []chart.Lane{
			{Group: "rank 0", Label: "compute",
				Spans: []chart.Span{span(0, 30, "f"), span(60, 80, "f"), span(80, 100, "out")}},
			{Group: "rank 0", Label: name, Spans: []chart.Span{span(30, 60, "a")}},
			{Group: "rank 1", Label: "compute"}}}}
}

// What figures look like in characters: at 60 and at 100 columns.
func TestDraw(t *testing.T) {
	var b strings.Builder
	for _, f := range []*chart.Figure{bars("mean"), line("time of a step"), histogram("steps"), lanes("comm 1")} {
		if err := chart.Check(f); err != nil {
			t.Fatal(err)
		}
		for _, w := range []int{60, 100} {
			b.WriteString(drawn(f, w) + "\n")
		}
	}
	scripttest.Golden(t, "figures.txt", b.String())
}

// No line is wider than asked for, whatever the names.
func TestWidth(t *testing.T) {
	name := strings.Repeat("a-very-long-name/", 9)
	for _, f := range []*chart.Figure{bars(name), histogram(name), line(name), lanes(name)} {
		for _, w := range []int{60, 81, 120} {
			for _, l := range strings.Split(drawn(f, w), "\n") {
				if n := utf8.RuneCountInString(l); n > w {
					t.Errorf("%s at %d: %d columns: %s", f.Name, w, n, l)
				}
			}
		}
	}
}

// Every key has a letter of its own, and none that stands for nothing.
func TestLetters(t *testing.T) {
	f := &chart.Figure{Keys: []chart.Key{{ID: "x", Ink: "unknown"}, {ID: "y", Ink: "unknown too"},
		{ID: "own", Ink: chart.OtherWork}}}
	for _, c := range cause.All() {
		f.Keys = append(f.Keys, key(c))
	}
	seen := map[byte]string{'.': "nothing"}
	for id, letter := range lettersOf(f) {
		if other, taken := seen[letter]; taken {
			t.Errorf("%c stands for %s and %s", letter, other, id)
		}
		seen[letter] = id
	}
	if got := lettersOf(f)[cause.Queueing.Column()]; got != 'q' {
		t.Errorf("queueing is %c, want q", got)
	}
}
