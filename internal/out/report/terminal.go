package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	draw "railyard/internal/out/chart/text"
	"railyard/internal/out/result"
)

// terminalGroups is how many groups of links the terminal shows.
const terminalGroups = 16

// WriteText prints the report for a terminal of width columns (at least 60 are used): the answer,
// what else there is to say, one picture, then the tables. Of a run that is known by its summary
// alone the tables are those of the summary.
func WriteText(w io.Writer, d *Data, width int) error {
	t := newText(width)
	s := d.Summary
	t.header(s)
	t.notes(d)
	t.answer(Answer(d))
	if len(d.Jobs) == 0 {
		t.picture(d)
	}
	t.figures(d)
	t.unfinished(s)
	for _, j := range d.Jobs {
		t.job(d, j)
	}
	t.waterfall(s)
	t.ranksSplit(s)
	t.collectives(s.Collectives)
	t.flows(s)
	t.busiest(s.BusiestLinks)
	t.deepest(s.Queues)
	t.pausing(s.Pausing)
	if len(d.Jobs) == 0 {
		t.plot(timelineChart(d))
		t.steps(d)
	}
	t.messages(d)
	t.groups(d)
	t.plot(queueCharts(d))
	t.thresholds(d)
	return t.Flush(w)
}

// job prints what is a job's own, of several.
func (t *text) job(d, job *Data) {
	t.Title("Job " + job.job)
	t.ownFigures(d, job)
	t.picture(job)
	t.ranksSplit(job.Summary)
	t.collectives(job.Summary.Collectives)
	t.plot(timelineChart(job))
	t.steps(job)
}

// header names the run.
func (t *text) header(s *result.Summary) {
	about := []string{"seed " + strconv.FormatUint(s.Seed, 10)}
	if s.Kernel != "" {
		about = append(about, "kernel "+s.Kernel)
	}
	t.Wrap("", fmt.Sprintf("%s: %s (%s)", s.Name, s.State, strings.Join(about, ", ")))
	if s.Dir != "" {
		t.Wrap("", "run directory: "+s.Dir)
	}
	t.Blank()
}

// notes says what is wrong with a run or its directory.
func (t *text) notes(d *Data) {
	for _, n := range d.Notes {
		t.Wrap("! ", n)
	}
	if len(d.Notes) > 0 {
		t.Blank()
	}
}

// answer prints what limited the run.
func (t *text) answer(sentence string, bullets []string) {
	t.Wrap("", sentence)
	if len(bullets) > 0 {
		t.Blank()
	}
	for _, b := range bullets {
		t.Wrap("- ", b)
	}
}

// picture draws how the time of what the run is measured by divides among causes.
func (t *text) picture(d *Data) {
	for _, f := range causesChart(d) {
		t.Blank()
		t.Wrap("", f.Title)
		draw.Draw(t.Sheet, &f)
	}
}

// plot draws the first of some figures, if there is one.
func (t *text) plot(all []chart.Figure) {
	if len(all) > 0 {
		t.Title(all[0].Title)
		draw.Draw(t.Sheet, &all[0])
	}
}

func (t *text) steps(d *Data) {
	s := d.Steps
	if s == nil || s.Whole < 2 {
		return
	}
	t.Title("Time of each step's slowest rank (steps are counted from 0)")
	t.Grid("lrrrrrr", [][]string{{"", "fastest", "median", "90 % within", "99 % within", "slowest", "step"},
		{count(int64(s.Whole), "step"), s.Ranked[0].Human(), s.Quantile(0.5).Human(), s.Quantile(0.9).Human(),
			s.Quantile(0.99).Human(), s.Ranked[s.Whole-1].Human(), strconv.Itoa(s.Worst)}})
}

func (t *text) messages(d *Data) {
	if d.Flows == nil || len(d.Flows.Kinds) == 0 {
		return
	}
	t.Title("Completion times of messages")
	rows := [][]string{{"kind", "completed", "mean", "99 % within", "slowest", "largest cause"}}
	for _, k := range d.Flows.Kinds {
		m := d.Flows.Of(k)
		if m.Done == 0 {
			rows = append(rows, []string{k, "0"})
			continue
		}
		mean, split := m.Mean()
		top := largest(&split)[0]
		rows = append(rows, []string{k, unit.Count(m.Done), mean.Human(), m.Quantile(0.99).Human(),
			m.Longest.Human(), top.String() + " " + unit.Percent(unit.Share(split[top], split.Sum()))})
	}
	t.Grid("lrrrrr", rows)
}

func (t *text) groups(d *Data) {
	all, by := GroupLinks(d.Links)
	if len(all) == 0 {
		return
	}
	t.Title("Link utilisation by tier and " + by)
	rows := [][]string{{"ports", "at", "number", "mean", "busiest", "", "port"}}
	for _, g := range all[:min(len(all), terminalGroups)] {
		bar := strings.Repeat("#", int(g.Max*12+0.5))
		rows = append(rows, []string{g.Tier, g.Node, strconv.Itoa(g.Ports), unit.Percent(g.Mean),
			unit.Percent(g.Max), bar, g.Busiest})
	}
	t.Grid("llrrrll", rows)
	if n := len(all) - terminalGroups; n > 0 {
		t.Line(fmt.Sprintf("  and %d more: links.parquet", n))
	}
}

// thresholds says which of them the deepest queue passed.
func (t *text) thresholds(d *Data) {
	q := d.Queue
	if len(queueCharts(d)) == 0 {
		return
	}
	th := d.thresholds(q)
	var named []string
	if th.marks {
		for _, b := range []struct {
			name string
			at   unit.Bytes
		}{{"WRED min", th.marking.Min}, {"WRED max", th.marking.Max}} {
			passed := " not reached"
			if q.Max >= b.at {
				passed = " passed"
			}
			named = append(named, b.name+" "+b.at.Human()+passed)
		}
	}
	if th.pauses {
		named = append(named, th.xoffText()+" (of one ingress port)")
	}
	if len(named) > 0 {
		t.Wrap("  ", "At most "+q.Max.Human()+": "+strings.Join(named, ", ")+".")
	}
}

// bar draws a share.
func (t *text) bar(share float64) string {
	return strings.Repeat("#", int(share*float64(min(t.Width-46, 36))+0.5))
}
