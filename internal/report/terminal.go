package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"railyard/internal/cause"
	"railyard/internal/result"
	"railyard/internal/sheet"
	"railyard/internal/unit"
)

// How many ranks and groups of links the terminal shows.
const (
	terminalRanks  = 8
	terminalGroups = 16
)

// WriteText prints the report for a terminal of width columns (at least 60 are used): the answer,
// what else there is to say, one picture, then the tables. Of a run that is known by its summary
// alone the tables are those of the summary.
func WriteText(w io.Writer, d *Data, width int) error {
	t := newText(width)
	s := d.Summary
	t.header(s)
	t.notes(d)
	t.answer(Answer(d))
	t.picture(d)
	t.figures(d)
	t.unfinished(s)
	t.ranksSplit(s)
	t.collectives(s.Collectives)
	t.flows(s.Flows)
	t.busiest(s.BusiestLinks)
	t.deepest(s.Queues)
	t.pausing(s.Pausing)
	t.timeline(d)
	t.steps(d)
	t.messages(d)
	t.groups(d)
	t.queues(d)
	return t.Flush(w)
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
	subject, split := d.subject()
	whole := split.Sum()
	if whole == 0 {
		return
	}
	t.Blank()
	t.Wrap("", "Time of "+subject)
	rows := [][]string{{"cause", "time", "share", ""}}
	for _, c := range cause.All() {
		if split[c] == 0 {
			continue
		}
		part := unit.Share(split[c], whole)
		rows = append(rows, []string{c.String(), split[c].Human(), unit.Percent(part), t.bar(part)})
	}
	rows = append(rows, []string{"total", whole.Human(), "", ""})
	t.Grid("lrrl", rows)
}

// bar draws a share.
func (t *text) bar(share float64) string {
	return strings.Repeat("#", int(share*float64(min(t.Width-46, 36))+0.5))
}

// letters stands for the phases in a timeline.
const letters = "flbAuo"

// timeline draws the median step, a row for each stream of a rank: the letter of what
// ran longest in a column, a point for waiting, nothing where the rank is in another step.
func (t *text) timeline(d *Data) {
	if len(d.Timeline) == 0 {
		return
	}
	all, from, to, ranks := lanes(d.Timeline, nil)
	label := 0
	for _, l := range all {
		label = max(label, len(laneName(l)))
	}
	columns := max(t.Width-label-4, 8)
	span := to.Sub(from)
	t.Title(fmt.Sprintf("Timeline of step %d, which took the median time (a column is %s)", d.Steps.Median,
		(span / unit.Duration(columns)).Human()))
	elsewhere := false
	used, shown, last := map[int]bool{}, 0, int32(-1)
	for _, l := range all {
		if l.rank != last {
			last = l.rank
			if shown++; shown > terminalRanks {
				break
			}
		}
		elsewhere = elsewhere || l.from > from || l.to < to
		t.Line("  " + laneName(l) + strings.Repeat(" ", label-len(laneName(l))) + "  " +
			laneText(l, from, span, columns, used))
	}
	var keys []string
	for i, p := range phases {
		if used[i] {
			keys = append(keys, letters[i:i+1]+" "+p.name)
		}
	}
	keys = append(keys, ". waiting")
	if elsewhere {
		keys = append(keys, "blank "+otherStep)
	}
	t.Wrap("  ", strings.Join(keys, ", "))
	if ranks > terminalRanks {
		t.Line(fmt.Sprintf("  and %d more ranks: operations.parquet", ranks-terminalRanks))
	}
}

func laneName(l lane) string {
	return "rank " + strconv.Itoa(int(l.rank)) + " " +
		sheet.Shorten(strings.Replace(l.stream, "communicator ", "comm ", 1), 20)
}

func laneText(l lane, from unit.Time, span unit.Duration, columns int, used map[int]bool) string {
	cell := make([]byte, columns)
	best := make([]unit.Duration, columns)
	for i := range cell {
		cell[i] = '.'
		best[i] = span / unit.Duration(2*columns) // waiting, where it fills most of the column
	}
	edge := func(c int) unit.Time { return from.Add(unit.Duration(float64(span) * float64(c) / float64(columns))) }
	for c := range cell {
		if edge(c+1) <= l.from || edge(c) >= l.to {
			cell[c] = ' '
		}
	}
	for _, op := range l.ops {
		p := phaseOf(op.Name)
		for c := range cell {
			d := min(op.End, edge(c+1)).Sub(max(op.Start, edge(c)))
			if d > best[c] {
				cell[c], best[c] = letters[p], d
				used[p] = true
			}
		}
	}
	return strings.TrimRight(string(cell), " ")
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

// queues draws the deepest queue over time, greatest length of a column.
func (t *text) queues(d *Data) {
	q := d.Queue
	if q == nil {
		return
	}
	const rows = 5
	columns := t.Width - 14
	t.Title(fmt.Sprintf("Deepest queue: %s, priority %d, over %s", q.Port, q.Class, unit.Duration(d.End).Human()))
	high := make([]unit.Bytes, columns)
	for i, e := range q.Whole.Columns {
		c := i * columns / len(q.Whole.Columns)
		high[c] = max(high[c], e.High)
	}
	for r := rows; r > 0; r-- {
		label := ""
		if r == rows {
			label = q.Max.Human()
		}
		var b strings.Builder
		for _, v := range high {
			if float64(v) > float64(q.Max)*float64(r-1)/rows {
				b.WriteByte('#')
			} else {
				b.WriteByte(' ')
			}
		}
		t.Line(fmt.Sprintf("  %9s |%s", label, b.String()))
	}
	t.Line("          0 +" + strings.Repeat("-", columns))
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
		t.Wrap("  ", strings.Join(named, ", ")+".")
	}
}
