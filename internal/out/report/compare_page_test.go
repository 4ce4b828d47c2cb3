package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// buffers are n runs that differ in the size of a buffer; the more there is the sooner a step ends.
func buffers(t *testing.T, n int) (runs []*Data) {
	t.Helper()
	path := small(t, true)
	for i := range n {
		d := load(t, path)
		d.Path = fmt.Sprintf("runs/small-%d", i+1)
		text := strings.Replace(string(d.Summary.Scenario), `"4MB"`, fmt.Sprintf(`"%dMB"`, 4<<i), 1)
		d.Summary.Scenario = json.RawMessage(text)
		less := unit.Duration(i) * us / 2
		d.Summary.StepTime -= less
		d.Steps.Slowest[cause.Dependency] -= less
		for k := range d.Links {
			d.Links[k].Utilisation *= 1 - float64(i)/40
		}
		d.Summary.Drops = int64(i)
		runs = append(runs, d)
	}
	return runs
}

// comparedText is what a comparison says, and the values of its plots.
func comparedText(t *testing.T, c *Comparison) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", c.Answer)
	for _, s := range c.Bullets {
		fmt.Fprintf(&b, "- %s\n", s)
	}
	if side := c.compared(); len(c.Runs) <= overlaidRuns {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(side.Runs, " | "))
		for _, r := range side.Rows {
			fmt.Fprintf(&b, "%s:", r.Name)
			for _, cell := range r.Cells {
				fmt.Fprintf(&b, " | %s %s %s", cell.Value, cell.Text, cell.Verdict)
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", side.Same)
	}
	for _, f := range c.Plots {
		values, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n%s\n", values)
	}
	return b.String()
}

func TestComparePage(t *testing.T) {
	a, b := load(t, small(t, true)), load(t, small(t, true))
	change(b)
	b.Path = "runs/small-2"
	scripttest.Golden(t, "compare-page.txt", comparedText(t, Compare([]*Data{a, b})))
	scripttest.Golden(t, "compare-page-three.txt", comparedText(t, Compare(buffers(t, 3))))
}

// Every number of runs has a page whose plots are sound, in the same bytes each time.
func TestComparePageOfManyRuns(t *testing.T) {
	for _, n := range []int{2, 6, 7, 26, 30} {
		c := Compare(buffers(t, n))
		var names []string
		for i := range c.Plots {
			names = append(names, c.Plots[i].Name)
			if err := chart.Check(&c.Plots[i]); err != nil {
				t.Errorf("%d runs: %v", n, err)
			}
		}
		if slices.Sort(names); len(names) != len(slices.Compact(names)) {
			t.Errorf("%d runs: two plots have one name among %v", n, names)
		}
		want := []string{"causes", "completion", "curve-drops", "curve-step-time", "ports", "step-time",
			"step-time-distribution"}
		for _, name := range append(want, map[bool]string{true: "queue-b", false: "queues"}[n <= overlaidRuns]) {
			if n == 2 && strings.HasPrefix(name, "curve") { // two runs have no order
				continue
			}
			if !slices.Contains(names, name) {
				t.Errorf("%d runs: no plot %s among %v", n, name, names)
			}
		}
		var page, again bytes.Buffer
		if err := c.Page().Write(&page); err != nil {
			t.Fatal(err)
		}
		if err := Compare(buffers(t, n)).Page().Write(&again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(page.Bytes(), again.Bytes()) {
			t.Errorf("%d runs: two pages differ", n)
		}
		if page.Len() > 3e6 {
			t.Errorf("%d runs: a page of %d bytes", n, page.Len())
		}
	}
}

// Names in a run's directory are text in its page.
func TestComparePageQuotes(t *testing.T) {
	runs := buffers(t, 3)
	runs[0].Summary.Name, runs[1].Path = `<b>`, `</script><script src="x">`
	var page strings.Builder
	if err := Compare(runs).Page().Write(&page); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"<b>", `<script src`} {
		if strings.Contains(page.String(), s) {
			t.Errorf("the page contains %q", s)
		}
	}
}

// The answer names the run that is better, by how much, and the cause of most of it, whichever
// run is named first.
func TestCompareAnswer(t *testing.T) {
	us := unit.Microsecond
	key := func(dir string, x int, perStep unit.Duration) *Data {
		return withKeys(dir, fmt.Sprintf(`{"x": %d}`, x), perStep)
	}
	cut := key("b", 2, 160*us)
	cut.Summary.State = result.Interrupted
	for _, c := range []struct {
		runs []*Data
		want string
	}{
		{[]*Data{key("a", 1, 100*us), key("b", 2, 160*us)},
			"A (x 1) is better: its step time is 100 us, 37.5 % less than " +
				"the 160 us of B (x 2); 100 % of the difference is queueing."},
		{[]*Data{key("a", 1, 160*us), key("b", 2, 100*us)},
			"B (x 2) is better: its step time is 100 us, 37.5 % less than " +
				"the 160 us of A (x 1); 100 % of the difference is queueing."},
		{[]*Data{key("c", 3, 110*us), key("a", 1, 160*us), key("b", 2, 100*us)},
			"B (x 2) is the best of 3 runs: its step " +
				"time is 100 us, 37.5 % less than the 160 us of A (x 1), the worst; 100 % of the difference is queueing."},
		{[]*Data{key("a", 1, 100*us), key("b", 2, 100*us)}, "A (x 1) and B (x 2) have the same step time: 100 us."},
		{[]*Data{key("a", 1, 100*us), cut},
			"Not every run came to its end; as far as they got, A (x 1) is better: its step " +
				"time is 100 us, 37.5 % less than the 160 us of B (x 2); 100 % of the difference is queueing."},
		{[]*Data{key("a", 1, 100*us), mixed()},
			"These runs have no figure in common that says which is better: not all have " +
				"a step time, or a mean completion time."},
	} {
		if got := Compare(c.runs).Answer; got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// Where the largest change goes the other way, or is more than the whole, it is no share of it.
func TestCompareAnswerOfCausesThatCancel(t *testing.T) {
	a, b := withKeys("a", `{"x": 1}`, 160*us), withKeys("b", `{"x": 2}`, 100*us)
	a.Steps.Slowest = result.Causes{Compute: 10 * us, Queueing: 150 * us}.Split()
	b.Steps.Slowest = result.Causes{Compute: 90 * us, Queueing: 10 * us}.Split()
	if got := Compare([]*Data{a, b}).Answer; !strings.HasSuffix(got, "; the largest change is queueing, -140 us.") {
		t.Error(got)
	}
	// What is divided is longer, though the step time is shorter.
	b.Steps.Slowest = result.Causes{Compute: 200 * us}.Split()
	if got := Compare([]*Data{a, b}).Answer; !strings.HasSuffix(got, "the 160 us of A (x 1).") {
		t.Error(got)
	}
}

// A curve lies on an axis of the key's quantities, wide ranges on a logarithmic one; words are bars.
func TestCurve(t *testing.T) {
	point := func(v chart.Value) CurvePoint { return CurvePoint{v, v - 1, v + 1} }
	line := func(n int) (all []CurvePoint) {
		for i := range n {
			all = append(all, point(chart.Value(10+i)))
		}
		return all
	}
	for _, c := range []struct {
		values []string
		lines  int
		want   string
	}{
		{[]string{"64kB", "1MB", "auto", "4MB"}, 1, "lines B log 64000 1e+06 4e+06 banded; Not on this axis: auto."},
		{[]string{"8", "2", "4"}, 2, "lines -  2 4 8 banded"},
		{[]string{"20m", "2m"}, 1, "lines - log 2 20 banded"},
		{[]string{"1us", "2us"}, 4, "lines ps  1e+06 2e+06"},
		{[]string{"hpcc", "dcqcn"}, 2, "bars hpcc dcqcn"},
		{[]string{"1", "2"}, 9, "map 9 rows 2 columns"},
	} {
		curve := Curve{Name: "c", Title: "T", Key: "k", Values: c.values, Unit: chart.Time, Band: "the band"}
		for n := range c.lines {
			curve.Lines = append(curve.Lines, CurveLine{fmt.Sprint("l", n), line(len(c.values))})
		}
		f := curve.Figure()
		if err := chart.Check(&f); err != nil {
			t.Errorf("%v: %v", c.values, err)
		}
		got := ""
		switch {
		case f.Lines != nil:
			got = fmt.Sprintf("lines %s %s", f.Lines.X.Unit, map[bool]string{true: "log"}[f.Lines.X.Log])
			for _, x := range f.Lines.Series[0].X {
				got += fmt.Sprintf(" %g", float64(x))
			}
			if f.Lines.Series[0].Low != nil {
				got += " banded"
			}
			if _, rest, ok := strings.Cut(f.Caption, "Not"); ok {
				got += "; Not" + rest
			}
		case f.Bars != nil:
			got = "bars"
			for _, r := range f.Bars.Rows {
				if r.Label == "l0" && r.Reach != nil {
					got += " " + r.Group
				}
			}
		case f.Map != nil:
			got = fmt.Sprintf("map %d rows %d columns", len(f.Map.Rows), len(f.Map.Columns))
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

// The objects of compare --json, as its document has them.
func TestComparisonIsDocumented(t *testing.T) {
	isDocumented(t, "compare-json.md", map[string]any{"The object": Comparison{}, "A run": ComparedRun{},
		"The headline of a run": Headline{}, "A key that differs": Difference{}, "A figure of all runs": FigureRow{},
		"The causes of a run": SplitDelta{}})
}
