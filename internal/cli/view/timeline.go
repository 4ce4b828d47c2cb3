package view

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
)

// ForecastBars are the operations of a step of a job, each when it is expected.
func ForecastBars(work *workload.Job, at [][]workload.Times) []Bar {
	bars := []Bar{}
	for r, spans := range at {
		program := work.Program(int32(r))
		for i, span := range spans {
			op := &program.Ops[i]
			stream := program.Streams[op.Stream].Name
			bars = append(bars, Bar{laneOf(int32(r), stream), int32(r), 0, op.ID, op.Name, unit.Time(span.Start),
				unit.Time(span.End), span.End - span.Start, -1, stream})
		}
	}
	sortBars(bars, nil)
	return bars
}

// laneOf names what a rank runs one after the other.
func laneOf(rank int32, stream string) string { return fmt.Sprintf("rank %d %s", rank, stream) }

// A Bar is one operation of a rank, or one message of a flow.
type Bar struct {
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

// ReadSpans reads the bars of so many steps of a job from one on, or of its flows, in order of lane and time; sum is its summary.
func ReadSpans(r *result.Run, sum *result.Summary, from, steps int) ([]Bar, error) {
	bars := []Bar{}
	others := func(job string) bool { return len(r.Summary.Jobs) > 0 && job != sum.Job }
	if sum.StepsPlanned == 0 && sum.Steps == 0 {
		for row, err := range r.Flows() {
			if err != nil {
				return nil, err
			}
			if end := max(row.Placed, row.Acked); end > 0 && !others(row.Job) && row.Kind != result.KindCollective {
				bars = append(bars, Bar{row.Name, -1, -1, -1, row.Name, row.Posted, end, end.Sub(row.Posted), -1, ""})
			}
		}
	} else {
		for row, err := range r.Operations() {
			if err != nil {
				return nil, err
			}
			start := row.Step < 0 && from == 0
			if s := int(row.Step); (start || s >= from && s < from+steps) && !others(row.Job) {
				bars = append(bars, Bar{laneOf(row.Rank, row.Stream), row.Rank, row.Step, row.Op,
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
func sortBars(bars []Bar, flows map[string]int) {
	slices.SortStableFunc(bars, func(a, b Bar) int {
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

// TimelineText draws the bars of a run from a step on, of so many ranks.
func TimelineText(s *sheet.Sheet, r *result.Run, bars []Bar, from, ranks int) error {
	if len(bars) == 0 {
		if r.Summary.Steps > 0 {
			return fmt.Errorf("no operations of step %d: the run has steps 0 to %d", from, r.Summary.Steps-1)
		}
		return errors.New("nothing to show: no operation and no message ended")
	}
	title := fmt.Sprintf("%s, seed %d", r.Summary.Name, r.Summary.Seed)
	if bars[0].Rank >= 0 {
		title += fmt.Sprintf(": step %d", from)
		if last := lastStep(bars); int(last) > from {
			title = strings.Replace(title, ": step ", ": steps ", 1) + fmt.Sprintf(" to %d", last)
		}
	}
	BarsText(s, bars, from, ranks, title)
	return nil
}

// BarsText draws the bars of so many ranks, and of a pipeline the timetable of the first step before them.
func BarsText(s *sheet.Sheet, bars []Bar, step, ranks int, title string) {
	c := newChart(s, bars)
	s.Wrap("", fmt.Sprintf("%s, %s of virtual time from %s on", title, c.to.Sub(c.from).Human(), instant(c.from)))
	s.Blank()
	if t := NewTimetable(int32(step), bars); t != nil {
		t.text(s, ranks)
	}
	c.draw(s, ranks)
	s.Blank()
	if bars[0].Rank >= 0 {
		operationTable(s, bars, c.from)
	} else {
		messageTable(s, bars, ranks, c.from)
	}
}

func lastStep(bars []Bar) int32 {
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
	bars     []Bar
	from, to unit.Time
	label    int // width
	columns  int
	letters  map[string]byte // by kind of operation
	kinds    []string        // in order of first use
}

func newChart(s *sheet.Sheet, bars []Bar) *chart {
	c := &chart{bars: bars, from: bars[0].Start, letters: map[string]byte{}}
	for _, b := range bars {
		c.from, c.to = min(c.from, b.Start), max(c.to, b.End)
		c.label = max(c.label, len(b.Lane))
	}
	c.label = min(c.label, 40)
	c.columns = max(s.Width-c.label-4, 8)
	byTime := slices.Clone(bars)
	slices.SortStableFunc(byTime, func(a, b Bar) int { return cmp.Compare(a.Start, b.Start) })
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
func (b *Bar) kind() string {
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
		s.Wrap("", fmt.Sprintf("and %s more: --ranks %d", unit.CountOf(int64(left), thing), shown+left))
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
func (c *chart) lane(bars []Bar) string {
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
func operationTable(s *sheet.Sheet, bars []Bar, from unit.Time) {
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
func messageTable(s *sheet.Sheet, bars []Bar, most int, from unit.Time) {
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
