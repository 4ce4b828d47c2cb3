package report

import (
	"encoding/json"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// withKeys is a run of a training whose steps take perStep, with a scenario.
func withKeys(dir, scenario string, perStep unit.Duration) *Data {
	d := computeBound()
	d.Path, d.Summary.Name = dir, dir
	d.Summary.Scenario = json.RawMessage(scenario)
	d.Summary.StepTime = perStep
	d.Steps.Slowest = result.Causes{Compute: 90 * us, Queueing: perStep - 90*us}.Split()
	return d
}

// Several runs that differ in one key stand in the order of its values, whatever the order of the arguments.
func TestCompareIsOrderedByTheKeyThatDiffers(t *testing.T) {
	for _, c := range []struct {
		name, by string
		values   []string // JSON of a.b in the runs v0, v1, ...
		want     string   // their directories in the end
	}{
		{"rates", "a.b", []string{`"400Gb/s"`, `"1Tb/s"`, `"25Gb/s"`, `"100Gb/s"`}, "v2 v3 v0 v1"},
		{"sizes", "a.b", []string{`"1MB"`, `"64kB"`, `"1KiB"`}, "v2 v1 v0"},
		{"times", "a.b", []string{`"1ms"`, `"900us"`, `"none"`, `"2us"`}, "v3 v1 v0 v2"},
		{"ratios", "a.b", []string{`1`, `"1/8"`, `"1/2"`}, "v1 v2 v0"},
		{"numbers", "a.b", []string{`16`, `2`, `8`}, "v1 v2 v0"},
		{"words", "", []string{`"hpcc"`, `"dcqcn"`, `"swift"`}, "v0 v1 v2"},
		{"of two kinds", "", []string{`"9ms"`, `"64kB"`, `"1MB"`}, "v0 v1 v2"},
		{"two runs", "", []string{`"400Gb/s"`, `"25Gb/s"`}, "v0 v1"},
	} {
		var runs []*Data
		for i, v := range c.values {
			dir := "v" + string(rune('0'+i))
			runs = append(runs, withKeys(dir, `{"name": "`+dir+`", "seed": 1, "a": {"b": `+v+`}}`, 100*us))
		}
		got := Compare(runs)
		var dirs []string
		for _, r := range got.Runs {
			dirs = append(dirs, r.Dir)
		}
		if strings.Join(dirs, " ") != c.want || got.OrderedBy != c.by {
			t.Errorf("%s: %v by %q, want %s by %q", c.name, dirs, got.OrderedBy, c.want, c.by)
		}
	}
	// A second key that differs: no order is the right one.
	a := withKeys("a", `{"x": 3, "y": 1}`, 100*us)
	b := withKeys("b", `{"x": 2, "y": 1}`, 100*us)
	c := withKeys("c", `{"x": 1, "y": 2}`, 100*us)
	if got := Compare([]*Data{a, b, c}); got.OrderedBy != "" || got.Runs[0].Dir != "a" {
		t.Errorf("two keys differ: %v by %q", got.Runs, got.OrderedBy)
	}
}

// The first thing a comparison says is by how much the step time differs and which cause has most
// of it; the figures begin with it.
func TestCompareBeginsWithTheHeadline(t *testing.T) {
	a, b := withKeys("a", `{"x": 1}`, 100*us), withKeys("b", `{"x": 2}`, 160*us)
	c := Compare([]*Data{a, b})
	var text strings.Builder
	if err := c.WriteText(&text, 200); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text.String(), "\n\n")
	const want = "B: step time +60.0 % (160 us, A 100 us). A step of its slowest rank is 60 us longer. Of that, 100 % " +
		"is queueing.\n"
	if !strings.HasPrefix(rest, want) {
		t.Errorf("got\n%s\nwant it to begin, after the list of runs, with\n%s", text.String(), want)
	}
	if h := c.Headlines[0]; h.Figure != "step time" || h.Before != 100*us || h.After != 160*us ||
		h.Cause != "queueing" || h.Difference != 60*us {
		t.Errorf("%+v", h)
	}
	if c.Figures[0].Name != "step time" {
		t.Errorf("the first figure is %s", c.Figures[0].Name)
	}
	for _, f := range c.Figures {
		if strings.Contains(f.Name, "mean") {
			t.Errorf("a training has a figure %q beside its headline", f.Name)
		}
	}
	same := Compare([]*Data{a, a})
	if got := same.Headlines[0].Text; got != "step time the same (100 us, A 100 us)." {
		t.Errorf("a run against itself: %s", got)
	}
}

// Flows are compared by their mean completion time.
func TestCompareFlowsByTheirMean(t *testing.T) {
	a, b := mixed(), mixed()
	m := b.Flows.Of(result.KindJob)
	m.Time += 4 * unit.Millisecond
	m.Split[0] += 4 * unit.Millisecond
	for i := range b.Summary.Flows {
		*b.Summary.Flows[i].FCT += unit.Millisecond
	}
	h := Compare([]*Data{a, b}).Headlines
	if len(h) != 1 || h[0].Figure != "completion, mean" || h[0].After-h[0].Before != unit.Millisecond ||
		!strings.Contains(h[0].Text, "+10.0 % (11 ms, A 10 ms). Of that, 100 % is compute.") {
		t.Errorf("%+v", h)
	}
}
