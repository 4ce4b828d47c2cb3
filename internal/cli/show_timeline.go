package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/foresight"
	"railyard/internal/output"
	"railyard/internal/result"
	"railyard/internal/scenario"
	"railyard/internal/sheet"
	"railyard/internal/unit"
	"railyard/internal/workload"
)

// timelineFlags is the flags of `railyard show timeline`.
type timelineFlags struct {
	job                string
	steps, from, ranks int
	json, force, quiet bool
	forecast           bool
}

func (a *app) timelineCommand() *cobra.Command {
	var f timelineFlags
	cmd := &cobra.Command{
		Use:   "timeline FILE|DIR",
		Short: "Print what each rank did when, in a few steps",
		Long: `Runs the first steps of the scenario in FILE, or reads the run directory DIR, and prints
the operations of each rank and stream as bars over time, and as a table. For a job of
flows the bars are messages. Of a pipeline, its timetable comes first, with the bubble measured
and by formula. --forecast runs nothing: it draws a step as the plan expects it.`,
		Example: "  railyard show timeline examples/digits-8gpu.yaml\n  railyard show timeline runs/digits-8gpu-1 " +
			"--from 100 --steps 1",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misuse("timeline: missing FILE or DIR, a scenario or a run directory: %s", cmd.UseLine())
			}
			return oneFile(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.steps < 1 || f.ranks < 1 || f.from < 0:
				return misuse("show timeline: --steps %d --ranks %d --from %d: want at least 1, 1 and 0", f.steps,
					f.ranks, f.from)
			case f.steps > 1000 || f.from > 1<<30:
				return misuse("show timeline: --steps %d --from %d: want at most 1000 and %d", f.steps, f.from, 1<<30)
			}
			return a.timeline(cmd.Context(), args[0], f)
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&f.steps, "steps", 2, "how many steps to show")
	fl.IntVar(&f.from, "from", 0, "first step to show, from 0")
	fl.StringVar(&f.job, "job", "", "of several jobs the one with this NAME, instead of the first")
	fl.IntVar(&f.ranks, "ranks", 16, "show so many ranks, or flows, at most")
	fl.BoolVar(&f.forecast, "forecast", false, "of a FILE: a step as it is expected, without a run")
	fl.BoolVar(&f.json, "json", false, "print all operations as JSON")
	fl.BoolVar(&f.force, "force", false, "run although the estimate is over 8 GB, what the machine has free, or 10^10 "+
		"packet-hops")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

func (a *app) timeline(ctx context.Context, path string, f timelineFlags) error {
	if f.forecast {
		return a.forecast(path, f)
	}
	dir := path
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		temp, remove, err := output.Temporary("timeline")
		if err != nil {
			return fmt.Errorf("cannot make a temporary folder: %w", err)
		}
		defer remove()
		dir = filepath.Join(temp, "run")
		if err := a.runSteps(ctx, path, dir, f); err != nil {
			return err
		}
	}
	r, err := result.Open(dir)
	if err != nil {
		return misuse("%w", err)
	}
	spans, err := readSpans(r, f)
	if err != nil {
		return err
	}
	if f.json {
		return a.timelineJSON(r.Summary.Name, spans, f)
	}
	s := a.newSheet()
	if err := timelineText(s, r, spans, f); err != nil {
		return err
	}
	return s.Flush(a.stdout)
}

// timelineJSON prints bars, and of a pipeline the timetable of the first step.
func (a *app) timelineJSON(name string, bars []bar, f timelineFlags) error {
	return a.printJSON(struct {
		Name     string     `json:"name"`
		Pipeline *timetable `json:"pipeline,omitempty"`
		Bars     []bar      `json:"bars"`
	}{name, newTimetable(int32(f.from), bars), bars})
}

// forecast prints a step of a scenario as it is expected.
func (a *app) forecast(path string, f timelineFlags) error {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return misuse("show timeline: --forecast %s: a run directory, want a scenario", path)
	}
	p, err := a.plan(path)
	if err != nil {
		return err
	}
	j, err := jobNamed(p, f.job)
	switch {
	case err != nil:
		return err
	case j.Work == nil:
		return errNoRanks
	}
	f.from, f.steps = 0, 1
	bars := forecastBars(j.Work, foresight.Forecast(p, j))
	if f.json {
		return a.timelineJSON(p.Scenario.Name, bars, f)
	}
	s := a.newSheet()
	barsText(s, bars, f, p.Scenario.Name+": a step as it is expected, nothing was run")
	return s.Flush(a.stdout)
}

// forecastBars are the operations of a step of a job, each when it is expected.
func forecastBars(work *workload.Job, at [][]workload.Times) []bar {
	bars := []bar{}
	for r, spans := range at {
		program := work.Program(int32(r))
		for i, span := range spans {
			op := &program.Ops[i]
			stream := program.Streams[op.Stream].Name
			bars = append(bars, bar{laneOf(int32(r), stream), int32(r), 0, op.ID, op.Name, unit.Time(span.Start),
				unit.Time(span.End), span.End - span.Start, -1, stream})
		}
	}
	sortBars(bars, nil)
	return bars
}

// laneOf names what a rank runs one after the other.
func laneOf(rank int32, stream string) string { return fmt.Sprintf("rank %d %s", rank, stream) }

// runSteps runs as much of a scenario as is to be shown into dir.
func (a *app) runSteps(ctx context.Context, file, dir string, f timelineFlags) error {
	sc, err := a.readScenario(file)
	if err != nil {
		return err
	}
	sc.Output = scenario.Output{Sample: sc.Output.Sample, Operations: true}
	for i := range sc.Jobs {
		if t := sc.Jobs[i].Train; t != nil {
			t.Steps = scenario.Some(min(f.from+f.steps, t.Steps.Or(f.from+f.steps)))
		} else {
			sc.Output.Flows = true
		}
	}
	ctx, stop := a.interruptible(ctx)
	defer stop()
	p := a.startProgress(f.quiet, "running "+file)
	defer p.stop()
	d, err := result.Create(dir)
	if err != nil {
		return err
	}
	sum, err := a.engine.run(ctx, sc, runOptions{Dir: d, Force: f.force, Progress: p.update})
	p.stop()
	switch {
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, errors.New("interrupted; nothing was kept")}
	case err != nil:
		return a.located(file, sc, err)
	}
	if sum.State == "" || sum.State == result.Running {
		sum.State = result.Complete
	}
	return d.Finish(sum)
}

// A bar is one operation of a rank, or one message of a flow.
type bar struct {
	Lane       string        `json:"lane"` // "rank 0 compute", or the flow's name
	Rank       int32         `json:"rank"` // -1: none
	Step       int32         `json:"step"` // -1: of the start phase, or none
	Op         int32         `json:"op"`   // -1: none
	Name       string        `json:"name"`
	Start      unit.Time     `json:"start_ps"`
	End        unit.Time     `json:"end_ps"`
	Duration   unit.Duration `json:"duration_ps"`
	ReleasedBy int32         `json:"released_by"` // the operation whose end let it start; -1: none
	stream     string
}

// summaryOf returns the summary of the job with a name; "": of the first.
func summaryOf(s *result.Summary, name string) (*result.Summary, error) {
	if name == "" {
		return s.First(), nil
	}
	var names []string
	for i, f := range s.PerJob() {
		if f.Job == name && len(s.Jobs) == 0 {
			return s, nil
		}
		if f.Job == name {
			return s.OfJob(i), nil
		}
		names = append(names, f.Job)
	}
	return nil, noJob(name, names)
}

// readSpans reads the bars of the steps, or of the flows, in order of lane and time.
func readSpans(r *result.Run, f timelineFlags) ([]bar, error) {
	bars := []bar{}
	sum, err := summaryOf(r.Summary, f.job)
	if err != nil {
		return nil, err
	}
	others := func(job string) bool { return len(r.Summary.Jobs) > 0 && job != sum.Job }
	if sum.StepsPlanned == 0 && sum.Steps == 0 {
		for row, err := range r.Flows() {
			if err != nil {
				return nil, err
			}
			if end := max(row.Placed, row.Acked); end > 0 && !others(row.Job) && row.Kind != result.KindCollective {
				bars = append(bars, bar{row.Name, -1, -1, -1, row.Name, row.Posted, end, end.Sub(row.Posted), -1, ""})
			}
		}
	} else {
		for row, err := range r.Operations() {
			if err != nil {
				return nil, err
			}
			start := row.Step < 0 && f.from == 0
			if s := int(row.Step); (start || s >= f.from && s < f.from+f.steps) && !others(row.Job) {
				bars = append(bars, bar{laneOf(row.Rank, row.Stream), row.Rank, row.Step, row.Op,
					row.Name, row.Start, row.End, row.End.Sub(row.Start), row.ReleasedBy, row.Stream})
			}
		}
	}
	order := map[string]int{} // of flows: as in the scenario
	for i, fl := range r.Summary.Flows {
		order[fl.Name] = i - len(r.Summary.Flows) // of very many some are not listed: they are last
	}
	sortBars(bars, order)
	return bars, nil
}

// sortBars puts bars in order of lane and time; flows is the order of flows by name.
func sortBars(bars []bar, flows map[string]int) {
	slices.SortStableFunc(bars, func(a, b bar) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(flows[a.Lane], flows[b.Lane]),
			cmp.Compare(streamOrder(a.stream), streamOrder(b.stream)), cmp.Compare(a.stream, b.stream),
			cmp.Compare(a.Start, b.Start), cmp.Compare(a.Op, b.Op))
	})
}

// streamOrder puts compute before groups.
func streamOrder(stream string) int {
	if stream == "compute" {
		return 0
	}
	return 1
}

func timelineText(s *sheet.Sheet, r *result.Run, bars []bar, f timelineFlags) error {
	if len(bars) == 0 {
		if r.Summary.Steps > 0 {
			return fmt.Errorf("no operations of step %d: the run has steps 0 to %d", f.from, r.Summary.Steps-1)
		}
		return errors.New("nothing to show: no operation and no message ended")
	}
	title := fmt.Sprintf("%s, seed %d", r.Summary.Name, r.Summary.Seed)
	if bars[0].Rank >= 0 {
		title += fmt.Sprintf(": step %d", f.from)
		if last := lastStep(bars); int(last) > f.from {
			title = strings.Replace(title, ": step ", ": steps ", 1) + fmt.Sprintf(" to %d", last)
		}
	}
	barsText(s, bars, f, title)
	return nil
}

// barsText draws the bars, and of a pipeline the timetable of the first step before them.
func barsText(s *sheet.Sheet, bars []bar, f timelineFlags, title string) {
	c := newChart(s, bars)
	s.Wrap("", fmt.Sprintf("%s, %s of virtual time from %s on", title, c.to.Sub(c.from).Human(), instant(c.from)))
	s.Blank()
	if t := newTimetable(int32(f.from), bars); t != nil {
		t.text(s, f.ranks)
	}
	c.draw(s, f.ranks)
	s.Blank()
	if bars[0].Rank >= 0 {
		operationTable(s, bars, c.from)
	} else {
		messageTable(s, bars, f.ranks, c.from)
	}
}

func lastStep(bars []bar) int32 {
	last := int32(0)
	for _, b := range bars {
		last = max(last, b.Step)
	}
	return last
}

// A chart draws bars as letters: a column is a span of virtual time.
//
//	rank 0 compute         |ffFlBbb......uU|
//	rank 0 data-parallel   |....aaaaAAAA...|
type chart struct {
	bars     []bar
	from, to unit.Time
	label    int // width
	columns  int
	letters  map[string]byte // by kind of operation
	kinds    []string        // in order of first use
}

func newChart(s *sheet.Sheet, bars []bar) *chart {
	c := &chart{bars: bars, from: bars[0].Start, letters: map[string]byte{}}
	for _, b := range bars {
		c.from, c.to = min(c.from, b.Start), max(c.to, b.End)
		c.label = max(c.label, len(b.Lane))
	}
	c.label = min(c.label, 40)
	c.columns = max(s.Width-c.label-4, 8)
	byTime := slices.Clone(bars)
	slices.SortStableFunc(byTime, func(a, b bar) int { return cmp.Compare(a.Start, b.Start) })
	for _, start := range []bool{false, true} { // what is in steps has its own first letter
		for _, b := range byTime {
			if start == (b.Rank >= 0 && b.Step < 0) {
				c.letter(b.kind())
			}
		}
	}
	return c
}

// kind is the operation's name without its number: forward.1 is forward.
func (b *bar) kind() string {
	if b.Rank < 0 {
		return "message"
	}
	k, _, _ := strings.Cut(b.Name, ".")
	return k
}

// letter returns the lower-case letter of a kind: its first one that is free.
func (c *chart) letter(kind string) byte {
	if l, ok := c.letters[kind]; ok {
		return l
	}
	taken := func(l byte) bool {
		for _, other := range c.letters {
			if other == l {
				return true
			}
		}
		return false
	}
	pick := byte('o')
	for _, l := range []byte(strings.ToLower(kind) + "abcdefghijklmnopqrstuvwxyz") {
		if l >= 'a' && l <= 'z' && !taken(l) {
			pick = l
			break
		}
	}
	c.letters[kind] = pick
	c.kinds = append(c.kinds, kind)
	return pick
}

func (c *chart) draw(s *sheet.Sheet, lanes int) {
	shown, left := 0, 0
	for i := 0; i < len(c.bars); {
		n := i
		for n < len(c.bars) && c.bars[n].Lane == c.bars[i].Lane {
			n++
		}
		first := i == 0 || c.bars[i].Rank < 0 || c.bars[i].Rank != c.bars[i-1].Rank
		switch {
		case first && shown == lanes:
			left++
		case first:
			shown++
		}
		if left == 0 {
			s.Line(fmt.Sprintf("%-*s  |%s|", c.label, fit(c.bars[i].Lane, c.label), c.lane(c.bars[i:n])))
		}
		i = n
	}
	s.Line(fmt.Sprintf("%-*s   %s", c.label, "", c.scale()))
	if left > 0 {
		thing := "rank"
		if c.bars[0].Rank < 0 {
			thing = "flow"
		}
		s.Wrap("", fmt.Sprintf("and %s more: --ranks %d", count(left, thing), shown+left))
	}
	var legend []string
	for _, k := range c.kinds {
		legend = append(legend, string(c.letters[k])+" "+k)
	}
	s.Wrap("", strings.Join(legend, ", ")+", . nothing; the case changes from one to the next; one column "+
		"is "+(c.to.Sub(c.from)/unit.Duration(c.columns)).Human())
}

// lane draws the bars of one lane, which are in order of time. A column shows the bar
// that fills most of it, where bars fill half of it; a bar that would not be seen gets
// the column of its middle.
func (c *chart) lane(bars []bar) string {
	line, most, busy := []byte(strings.Repeat(".", c.columns)), make([]float64, c.columns), make([]float64, c.columns)
	perColumn := max(float64(c.to-c.from), 1) / float64(c.columns)
	drawn := make([]byte, c.columns)
	for i, b := range bars {
		l := c.letter(b.kind())
		if i%2 == 1 {
			l -= 'a' - 'A'
		}
		lo, hi := float64(b.Start-c.from)/perColumn, float64(b.End-c.from)/perColumn
		for x := int(lo); x < c.columns && float64(x) < hi; x++ {
			part := min(hi, float64(x+1)) - max(lo, float64(x))
			busy[x] += part
			if part > most[x] {
				most[x], drawn[x] = part, l
			}
		}
	}
	for x := range line {
		if busy[x] >= 0.5 {
			line[x] = drawn[x]
		}
	}
	for i, b := range bars {
		middle := min(int((float64(b.Start-c.from)+float64(b.End-b.Start)/2)/perColumn), c.columns-1)
		if line[middle] == '.' {
			l := c.letter(b.kind())
			if i%2 == 1 {
				l -= 'a' - 'A'
			}
			line[middle] = l
		}
	}
	return string(line)
}

// scale marks where steps begin, and else only the ends.
func (c *chart) scale() string {
	line := []byte(strings.Repeat(" ", c.columns))
	begins := map[int32]unit.Time{}
	for _, b := range c.bars {
		if t, ok := begins[b.Step]; b.Rank >= 0 && (!ok || b.Start < t) {
			begins[b.Step] = b.Start
		}
	}
	free := 0
	for step := int32(-1); len(begins) > 0 && step <= lastStep(c.bars); step++ {
		t, ok := begins[step]
		if !ok {
			continue
		}
		at := min(int(int64(t-c.from)*int64(c.columns)/max(int64(c.to-c.from), 1)), c.columns-1)
		mark := "^" + stepName(step)
		if at >= free && at+len(mark) <= c.columns {
			free = at + copy(line[at:], mark) + 1
		}
	}
	if len(begins) == 0 {
		line[0] = '0'
		free = 1
	}
	if end := instant(c.to - c.from); free+1+len(end) <= c.columns {
		copy(line[c.columns-len(end):], end)
	}
	return string(line)
}

// stepName is what a step is called, or the start phase.
func stepName(step int32) string {
	if step < 0 {
		return "start"
	}
	return "step " + strconv.Itoa(int(step))
}

// instant prints a point in virtual time.
func instant(t unit.Time) string {
	if t == 0 {
		return "0"
	}
	return unit.Duration(t).Human()
}

// fit cuts a label.
func fit(s string, width int) string {
	if len(s) > width {
		return s[:width-2] + ".."
	}
	return s
}

// mostRows bounds a table; --json has all.
const mostRows = 60

// operationTable has a row per step and name of operation: when the first rank starts it and
// the last one ends it, as time from `from` on.
func operationTable(s *sheet.Sheet, bars []bar, from unit.Time) {
	type key struct {
		step int32
		name string
	}
	type row struct {
		key
		op         int32 // the first by that name: programs of ranks may differ
		start, end unit.Time
		sum, max   unit.Duration
		n          int64
		slowest    int32
	}
	var all []row
	index := map[key]int{}
	for _, b := range bars {
		k := key{b.Step, b.Name}
		i, ok := index[k]
		if !ok {
			i = len(all)
			index[k] = i
			all = append(all, row{key: k, op: b.Op, start: b.Start, max: -1})
		}
		r := &all[i]
		r.op, r.start, r.end = min(r.op, b.Op), min(r.start, b.Start), max(r.end, b.End)
		r.sum, r.n = r.sum+b.Duration, r.n+1
		if b.Duration > r.max {
			r.max, r.slowest = b.Duration, b.Rank
		}
	}
	slices.SortFunc(all, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.op, b.op), cmp.Compare(a.name, b.name))
	})
	cells := [][]string{{"step", "operation", "starts", "ends", "mean", "longest", "rank"}}
	for _, r := range all[:min(len(all), mostRows)] {
		number := strconv.Itoa(int(r.step))
		if r.step < 0 {
			number = stepName(r.step)
		}
		cells = append(cells, []string{number, r.name, instant(r.start - from),
			instant(r.end - from),
			(r.sum / unit.Duration(r.n)).Human(), r.max.Human(), strconv.Itoa(int(r.slowest))})
	}
	s.Grid("rwrrrrr", cells)
	if n := len(all) - mostRows; n > 0 {
		s.Wrap("  ", fmt.Sprintf("and %d more: --json has all", n))
	}
}

// messageTable has a row per flow: when its first message is posted and its last one
// done, as time from `from` on.
func messageTable(s *sheet.Sheet, bars []bar, most int, from unit.Time) {
	cells := [][]string{{"flow", "messages", "posted", "done", "mean", "longest"}}
	left := 0
	for i := 0; i < len(bars); {
		n, sum, longest, end := i, unit.Duration(0), unit.Duration(0), unit.Time(0)
		for ; n < len(bars) && bars[n].Lane == bars[i].Lane; n++ {
			sum, longest, end = sum+bars[n].Duration, max(longest, bars[n].Duration), max(end, bars[n].End)
		}
		if len(cells) > most {
			left++
		} else {
			cells = append(cells, []string{bars[i].Lane, strconv.Itoa(n - i), instant(bars[i].Start - from),
				instant(end - from),
				(sum / unit.Duration(n-i)).Human(), longest.Human()})
		}
		i = n
	}
	s.Grid("lrrrrr", cells)
	if left > 0 {
		s.Wrap("  ", fmt.Sprintf("and %d more: --json has all", left))
	}
}
