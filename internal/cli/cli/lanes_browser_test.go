//go:build unix

package cli

import (
	"fmt"
	"math"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"railyard/internal/base/cause"
	values "railyard/internal/out/chart"
	"railyard/internal/out/headline"
	"railyard/internal/out/report"
)

// lanes is what happened on two ranks of a job: short spans beside long ones, hatched and named.
func lanes(job string) values.Figure {
	const us = values.Value(1e6)
	f := values.Figure{Name: job + "-timeline", Title: "Job " + job + ": Timeline", Keys: []values.Key{
		{ID: "pcie", Name: "PCIe", Ink: values.InkOf(cause.PCIe)}, {ID: "compute", Name: "compute", Ink: values.InkOf(cause.Compute)},
		{ID: "queueing", Name: "queueing", Ink: values.InkOf(cause.Queueing)}},
		Lanes: &values.Lanes{X: values.Axis{Label: "time", Unit: values.Time, High: 1000 * us}}}
	for rank := range 2 {
		lane := values.Lane{Group: fmt.Sprintf("rank %d", rank), Label: "work"}
		for i := range 10 {
			at := values.Value(i) * 100 * us
			lane.Spans = append(lane.Spans, values.Span{From: at, To: at + 60*us, Key: "pcie"},
				values.Span{From: at + 60*us, To: at + 60*us + us/100, Key: "queueing"},
				values.Span{From: at + 70*us, To: at + 98*us, Key: "compute", Name: "B"})
		}
		f.Lanes.Lanes = append(f.Lanes.Lanes, lane)
	}
	return f
}

type laneState struct {
	W     float64 // of the area
	Spans []struct {
		X, W, Span float64
		Shown      bool
	}
	Hatching []string
	Names    int // that are shown
	Ticks    []string
}

const laneScript = `(() => {
  const svg = [...document.querySelectorAll('#left-timeline svg.chart')].find(s => s.getBoundingClientRect().width > 0);
  const area = svg.querySelector('.area'), shown = e => e.style.display !== 'none';
  return { W: Number(area.getAttribute('width')),
    Spans: [...area.querySelectorAll('rect')].map(e => ({ X: Number(e.getAttribute('x')), W: Number(e.getAttribute('width')),
      Span: Number(e.dataset.w), Shown: shown(e) })),
    Hatching: [...area.querySelectorAll('path')].filter(shown).map(e => e.getAttribute('d')),
    Names: [...area.querySelectorAll('text')].filter(shown).length,
    Ticks: [...svg.querySelectorAll('.ticks-x text')].map(t => t.textContent) };
})()`

// Zooming into lanes moves spans apart: what is short is not drawn longer than it is, gaps do not grow, hatchings keep their angle,
// and what was there comes back as it was.
func TestBrowserZoomsLanes(t *testing.T) {
	b := startBrowser(t)
	b.showPage(t, &report.Page{Name: "two jobs", Subject: "Jobs", Jobs: []string{"left", "right"},
		Figures: []values.Figure{{Name: "left-causes", Title: "Job left: Causes", Bars: lanesBars()}, lanes("left"), lanes("right")},
		Headline: []headline.Figure{{Name: "left: step time", Unit: values.Time, Value: 1e6},
			{Name: "right: step time", Unit: values.Time, Value: 1e6}, {Name: "drops"}}})
	look := func() (s laneState) {
		t.Helper()
		b.run(laneScript, &s)
		return s
	}
	click := func(name string) {
		t.Helper()
		b.run(fmt.Sprintf(`(document.querySelector('#left-timeline .zoom [title="%s"]').click(), 0)`, name), new(int))
	}
	whole := look()
	if len(whole.Spans) != 60 || whole.Names == 0 || len(whole.Hatching) == 0 {
		t.Fatalf("%d spans, %d names, %d hatchings", len(whole.Spans), whole.Names, len(whole.Hatching))
	}
	if s := whole.Spans[1]; s.W < 0.75 || s.Span > 0.1 {
		t.Errorf("a span of 10 ns is drawn %.2f wide for %.2f", s.W, s.Span)
	}
	for range 4 { // the middle sixteenth
		click("Zoom in")
	}
	near, from, size := look(), 0.5-1.0/32, 1.0/16
	shown := 0
	for i, s := range near.Spans {
		was := whole.Spans[i]
		left, right := (was.X-from*whole.W)/size, (was.X+was.Span-from*whole.W)/size
		outside := left > whole.W || right < -1
		if s.Shown == outside && math.Abs(right) > 20 && math.Abs(left-whole.W) > 20 {
			t.Errorf("span %d from %.1f to %.1f of %.1f is shown: %v", i, left, right, whole.W, s.Shown)
		}
		if !s.Shown {
			continue
		}
		shown++
		left, right = max(left, -2), min(right, whole.W+2)
		if math.Abs(s.X-left) > 0.2 || math.Abs(s.X+s.W-max(right, left+0.75)) > 1 {
			t.Errorf("span %d is drawn from %.2f to %.2f, want %.2f to %.2f", i, s.X, s.X+s.W, left, right)
		}
	}
	if shown == 0 || shown > 10 {
		t.Errorf("%d spans are shown", shown)
	}
	for _, d := range near.Hatching {
		var x1, y1, x2, y2 float64
		if n, _ := fmt.Sscanf(d, "M%g %gL%g %g", &x1, &y1, &x2, &y2); n != 4 || math.Abs(math.Abs(x2-x1)-math.Abs(y2-y1)) > 0.1 {
			t.Errorf("a hatching turned: %.40s", d)
		}
	}
	if gocmp.Equal(near.Ticks, whole.Ticks) {
		t.Errorf("the ticks stay %q", near.Ticks)
	}
	click("Show all")
	if diff := gocmp.Diff(whole, look()); diff != "" {
		t.Errorf("after all is shown (-before +now):\n%s", diff)
	}

	// One job at a time, and what is of none.
	visible := func() (names []string) {
		t.Helper()
		b.run(`[...document.querySelectorAll('figure, .headline div')].filter(e => e.getBoundingClientRect().height > 0)
			.map(e => e.id || e.querySelector('dt').textContent)`, &names)
		return names
	}
	choose := func(job string) []string {
		t.Helper()
		b.run(fmt.Sprintf(`([...document.querySelectorAll('.jobs button')].find(b => b.textContent === %q).click(), 0)`, job), new(int))
		return visible()
	}
	left := []string{"left-causes", "left: step time", "drops", "left-timeline"}
	if diff := gocmp.Diff(left, visible()); diff != "" {
		t.Errorf("at first (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]string{"right: step time", "drops", "right-timeline"}, choose("right")); diff != "" {
		t.Errorf("the job on the right (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]string{"left-causes", "left: step time", "right: step time", "drops", "left-timeline", "right-timeline"},
		choose("all")); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
}

func lanesBars() *values.Bars {
	return &values.Bars{X: values.Axis{Label: "time", Unit: values.Time, High: 1e6},
		Rows: []values.Bar{{Label: "step", Parts: nil}}}
}
