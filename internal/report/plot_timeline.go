package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// shownRanks is how many ranks a timeline shows.
const shownRanks = 16

// lane is one stream of one rank.
type lane struct {
	rank     int32
	stream   string
	ops      []result.OperationRow
	from, to unit.Time // of all of the rank's operations: before and after it is in another step
}

// lanes orders operations by rank and stream, streams in order of first use. Of many
// ranks it keeps those that count most by weight; without weights the slowest and
// others at equal distances.
func lanes(ops []result.OperationRow, weight map[int32]unit.Duration) (out []lane, from, to unit.Time, ranks int) {
	first, last := map[int32]unit.Time{}, map[int32]unit.Time{}
	var streams []string
	var all []int32
	for i, op := range ops {
		if i == 0 || op.Start < from {
			from = op.Start
		}
		to = max(to, op.End)
		if _, ok := last[op.Rank]; !ok {
			all = append(all, op.Rank)
			first[op.Rank] = op.Start
		}
		first[op.Rank] = min(first[op.Rank], op.Start)
		last[op.Rank] = max(last[op.Rank], op.End)
		if !slices.Contains(streams, op.Stream) {
			streams = append(streams, op.Stream)
		}
	}
	slices.Sort(all)
	kept := keepRanks(all, last)
	if weight != nil {
		kept = heaviestRanks(all, weight)
	}
	for _, r := range kept {
		for _, s := range streams {
			l := lane{rank: r, stream: s, from: first[r], to: last[r]}
			for _, op := range ops {
				if op.Rank == r && op.Stream == s {
					l.ops = append(l.ops, op)
				}
			}
			if len(l.ops) > 0 {
				slices.SortStableFunc(l.ops, func(a, b result.OperationRow) int { return cmp.Compare(a.Start, b.Start) })
				out = append(out, l)
			}
		}
	}
	return out, from, to, len(all)
}

func keepRanks(all []int32, last map[int32]unit.Time) []int32 {
	if len(all) <= shownRanks {
		return all
	}
	slowest := slices.MaxFunc(all, func(a, b int32) int { return cmp.Compare(last[a], last[b]) })
	kept := []int32{slowest}
	for i := range shownRanks - 1 {
		if r := all[i*len(all)/(shownRanks-1)]; r != slowest {
			kept = append(kept, r)
		}
	}
	slices.Sort(kept)
	return kept
}

func heaviestRanks(all []int32, weight map[int32]unit.Duration) []int32 {
	kept := slices.Clone(all)
	slices.SortStableFunc(kept, func(a, b int32) int { return cmp.Compare(weight[b], weight[a]) })
	kept = kept[:min(len(kept), shownRanks)]
	slices.Sort(kept)
	return kept
}

// phases are the first words of operations' names, each with its ink.
var phases = []struct {
	prefix, name string
	colour       Colour
}{
	{"forward", "forward", blue}, {"loss", "loss", yellow}, {"backward", "backward", green},
	{"allreduce", "all-reduce", orange}, {"update", "update", purple}, {"", "other", grey},
}

func phaseOf(name string) int {
	return slices.IndexFunc(phases, func(p struct {
		prefix, name string
		colour       Colour
	}) bool {
		return strings.HasPrefix(strings.ReplaceAll(name, "-", ""), p.prefix)
	})
}

// timeline is what a step's timeline shows.
type timeline struct {
	title    string
	lanes    []lane
	from, to unit.Time
	path     *StepPath // nil: none
}

// timelineFigures are rank x time of the median step, and of the step with the longest
// critical path.
func timelineFigures(d *Data) []Figure {
	var out []Figure
	if len(d.Timeline) > 0 && (d.StepPath == nil || int(d.StepPath.Step) != d.Steps.Median) {
		t := &timeline{title: fmt.Sprintf("Timeline of step %d, rank by rank", d.Steps.Median)}
		out = append(out, t.figure("timeline", d.Timeline, "The step that took the median time: what each rank's streams did, one lane a stream (%s). Empty space between a rank's first and last operation is waiting; what is shaded, before and after, belongs to its step before and its next."))
	}
	if p := d.StepPath; p != nil && len(p.Ops) > 0 {
		which := "the longest critical path that was kept"
		if int(p.Step) == d.Steps.Worst {
			which = "the slowest step"
		}
		t := &timeline{title: fmt.Sprintf("Critical path of step %d, over its timeline", p.Step), path: p}
		out = append(out, t.figure("critical-path", p.Ops, fmt.Sprintf("What rank %d, which ended last, had to wait for (%s, %s): the line runs along a lane (%%s) while that rank computes, and from one to another while a message is on its way. The row above has the causes.",
			p.Rank, which, p.Until().Sub(p.From()).Human())))
	}
	return out
}

// figure fits the lanes to the operations. The caption has a place for the streams' names.
func (t *timeline) figure(name string, ops []result.OperationRow, caption string) Figure {
	var weight map[int32]unit.Duration
	if t.path != nil {
		weight = t.path.weight()
	}
	var ranks int
	t.lanes, t.from, t.to, ranks = lanes(ops, weight)
	if t.path != nil {
		t.from, t.to = min(t.from, t.path.From()), max(t.to, t.path.Until())
	}
	caption = fmt.Sprintf(caption, strings.Join(streamNames(t.lanes), ", "))
	switch {
	case ranks > shownRanks && t.path != nil:
		caption += fmt.Sprintf(" %d of %d ranks, those on which the path spends most time; where it leaves them the line is broken.", countRanks(t.lanes), ranks)
	case ranks > shownRanks:
		caption += fmt.Sprintf(" %d of %d ranks, the slowest among them.", countRanks(t.lanes), ranks)
	}
	return Figure{Name: name, Title: t.title, Caption: caption, Draw: t.draw}
}

func streamNames(all []lane) []string {
	var names []string
	for _, l := range all {
		if !slices.Contains(names, l.stream) {
			names = append(names, l.stream)
		}
	}
	return names
}

func countRanks(all []lane) int {
	n := 0
	for i, l := range all {
		if i == 0 || all[i-1].rank != l.rank {
			n++
		}
	}
	return n
}

const laneHeight, rankGap = 13.0, 6.0

func (t *timeline) draw(w float64) *Drawing {
	keys := phaseKeys(t.lanes)
	strip := 0.0
	if t.path != nil {
		keys = append([]Key{{Name: "lanes:", Plain: true}}, keys...)
		keys = append(keys, Key{Name: "critical path", Colour: ink, Dash: "-"})
		strip = Legend(nil, t.path.keys(), 0, 12, w) + laneHeight + 4
	}
	head := Legend(nil, keys, 0, 12, w) + 8
	h := head + strip + laneHeight*float64(len(t.lanes)) + rankGap*float64(countRanks(t.lanes)+1) + 40
	span := t.to.Sub(t.from)
	g := NewDrawing(w, h, t.title, fmt.Sprintf("%d lanes over %s", len(t.lanes), span.Human()))
	Legend(g, keys, 0, 12, w)
	f := &Frame{d: g, Left: 56, Right: w - 14, Top: head + strip, Bottom: h - 40, XHi: float64(span)}
	q := timeUnit(span)
	for _, x := range ticks(0, f.XHi/q.size, f.xTickCount()) {
		g.Line(f.X(x*q.size), f.Top-min(strip, laneHeight+4), f.X(x*q.size), f.Bottom, 1, grid, "", "")
	}
	middles := make([]float64, len(t.lanes))
	y := f.Top
	for i, l := range t.lanes {
		if i == 0 || t.lanes[i-1].rank != l.rank {
			y += rankGap
			g.Text(f.Left-8, y+11, smallSize, alignEnd, ink, fmt.Sprintf("rank %d", l.rank))
		}
		t.drawLane(f, l, y)
		middles[i] = y + laneHeight/2
		y += laneHeight
	}
	if t.path != nil {
		t.drawPath(f, head, middles)
	}
	f.XAxis("time since the step began", q)
	return g
}

// otherStep is the time in which a rank is not in the step that a timeline shows.
const otherStep = "another step"

func phaseKeys(all []lane) (keys []Key) {
	if slices.ContainsFunc(all, func(l lane) bool { return l.from != all[0].from || l.to != all[0].to }) {
		defer func() { keys = append(keys, Key{Name: otherStep, Colour: grid}) }()
	}
	for i, p := range phases {
		if slices.ContainsFunc(all, func(l lane) bool {
			return slices.ContainsFunc(l.ops, func(o result.OperationRow) bool { return phaseOf(o.Name) == i })
		}) {
			keys = append(keys, Key{Name: p.name, Colour: p.colour})
		}
	}
	return keys
}

// drawLane draws a stream's operations, with their names where no path covers them, and
// shades the time in which its rank is in another step.
func (t *timeline) drawLane(f *Frame, l lane, y float64) {
	for _, s := range []struct {
		from, to unit.Time
		tip      string
	}{{t.from, l.from, "the step before"}, {l.to, t.to, "the next step"}} {
		if x := f.X(float64(s.from.Sub(t.from))); s.to > s.from {
			f.d.Rect(x, y+0.5, f.X(float64(s.to.Sub(t.from)))-x, laneHeight-1, grid, fmt.Sprintf("rank %d: %s", l.rank, s.tip))
		}
	}
	for _, op := range l.ops {
		x := f.X(float64(op.Start.Sub(t.from)))
		wide := max(f.X(float64(op.End.Sub(t.from)))-x, 0.75)
		tip := fmt.Sprintf("rank %d, %s: %s, %s to %s (%s)", l.rank, l.stream, op.Name, op.Start.Sub(t.from).Human(), op.End.Sub(t.from).Human(), op.End.Sub(op.Start).Human())
		p := phases[phaseOf(op.Name)]
		f.d.Rect(x, y+0.5, max(wide-0.75, 0.5), laneHeight-1, p.colour, tip)
		if s := op.Name; t.path == nil && textWidth(s, 9.5) < wide-6 {
			f.d.Text(x+3, y+10, 9.5, alignStart, inkOn(p.colour), s)
		}
	}
}
