package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
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
// ranks it keeps the first, the slowest, those with the most weight, and others at equal
// distances.
func lanes(ops []result.OperationRow, weight map[int32]unit.Duration) (out []lane, from, to unit.Time, ranks int) {
	first, last := map[int32]unit.Time{}, map[int32]unit.Time{}
	var streams []string
	var all []int32
	by := map[laneKey][]result.OperationRow{}
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
		key := laneKey{op.Rank, op.Stream}
		by[key] = append(by[key], op)
	}
	slices.Sort(all)
	for _, r := range keepRanks(all, last, weight) {
		for _, s := range streams {
			l := lane{rank: r, stream: s, from: first[r], to: last[r], ops: by[laneKey{r, s}]}
			if len(l.ops) > 0 {
				slices.SortStableFunc(l.ops,
					func(a, b result.OperationRow) int { return cmp.Compare(a.Start, b.Start) })
				out = append(out, l)
			}
		}
	}
	return out, from, to, len(all)
}

type laneKey struct {
	rank   int32
	stream string
}

// keepRanks chooses shownRanks of all, which ascend: the first, the one that ended last,
// the heaviest, and others at equal distances.
func keepRanks(all []int32, last map[int32]unit.Time, weight map[int32]unit.Duration) []int32 {
	if len(all) <= shownRanks {
		return all
	}
	slowest := slices.MaxFunc(all, func(a, b int32) int { return cmp.Compare(last[a], last[b]) })
	order := []int32{all[0], slowest}
	heavy := slices.Clone(all)
	slices.SortStableFunc(heavy, func(a, b int32) int { return cmp.Compare(weight[b], weight[a]) })
	for _, r := range heavy {
		if weight[r] > 0 {
			order = append(order, r)
		}
	}
	for i := range shownRanks {
		order = append(order, all[i*len(all)/shownRanks])
	}
	var kept []int32
	for _, r := range order {
		if len(kept) < shownRanks && !slices.Contains(kept, r) {
			kept = append(kept, r)
		}
	}
	slices.Sort(kept)
	return kept
}

// phases are the first words of operations' names, each with its ink.
var phases = []struct {
	prefix, name string
	ink          chart.Ink
}{
	{"forward", "forward", chart.Forward}, {"norm", "forward", chart.Forward}, {"attend", "forward", chart.Forward},
	{"project", "forward", chart.Forward}, {"finish", "forward", chart.Forward}, {"join", "forward", chart.Forward},
	{"loss", "loss", chart.Loss}, {"backward", "backward", chart.Backward}, {"again", "backward", chart.Backward},
	{"allreduce", "all-reduce", chart.AllReduce},
	{"allgather", "all-gather", chart.AllGather}, {"reducescatter", "reduce-scatter", chart.ReduceScatter},
	{"send.activations", "activations", chart.Activations}, {"receive.activations", "activations", chart.Activations},
	{"send.deltas", "gradients of activations", chart.Deltas}, {"receive.deltas", "gradients of activations", chart.Deltas},
	{"update", "update", chart.Update}, {"", "other", chart.OtherWork},
}

func phaseOf(name string) int {
	name = strings.ReplaceAll(name, "-", "")
	for i, p := range phases {
		if strings.HasPrefix(name, p.prefix) {
			return i
		}
	}
	return len(phases) - 1
}

// The keys of a timeline beside those of phases.
const (
	outsideKey = "outside"
	pathKey    = "path"
)

// otherStep is the time in which a rank is not in the step that a timeline shows.
const otherStep = "another step"

// timelineChart is what the ranks did in one step: the one with the longest critical
// path that was kept, else the one that took the median time.
func timelineChart(d *Data) []chart.Figure {
	if p := d.StepPath; p != nil && len(p.Ops) > 0 {
		which := "has the longest critical path that was kept"
		if int(p.Step) == d.Steps.Worst {
			which = "is the slowest"
		}
		all, from, to, ranks := lanes(p.Ops, p.weight())
		from, to = min(from, p.From()), max(to, p.Until())
		f := laneFigure(p.Step, which, all, from, to)
		f.Lanes.Links = p.links(all, from)
		if n := countRanks(all); ranks > n {
			f.Caption += shownOf(n, ranks, "the first, the one that ended last, those on the critical path,")
		}
		if len(f.Lanes.Links) > 0 {
			f.Keys = append(f.Keys, chart.Key{ID: pathKey, Name: "critical path",
				Meaning: "what the rank that ended last had to wait for", Ink: chart.Highlight})
			f.Caption += " The line is the critical path: along a lane while that rank works, between lanes while a " +
				"message" +
				" is in flight."
			if ranks > countRanks(all) {
				f.Caption += " Where it leaves these ranks it has a gap."
			}
		}
		return []chart.Figure{f}
	}
	if len(d.Timeline) == 0 {
		return nil
	}
	all, from, to, ranks := lanes(d.Timeline, nil)
	f := laneFigure(d.Timeline[0].Step, "took the median time", all, from, to)
	if n := countRanks(all); ranks > n {
		f.Caption += shownOf(n, ranks, "the first, the one that ended last,")
	}
	return []chart.Figure{f}
}

func shownOf(n, ranks int, which string) string {
	return fmt.Sprintf(" %d of %s ranks: %s and others at equal distances.", n, unit.Count(int64(ranks)), which)
}

// laneFigure is lanes with the legend of what they hold.
func laneFigure(step int32, which string, all []lane, from, to unit.Time) chart.Figure {
	f := chart.Figure{Name: "timeline", Title: fmt.Sprintf("Timeline of step %d", step),
		Caption: fmt.Sprintf("This step %s; a lane for each stream of a rank. What is empty is waiting.", which),
		Lanes:   &chart.Lanes{X: stepTimeAxis(from, to), Lanes: laneValues(all, from, to)}}
	for i, p := range phases {
		if i == 0 || phases[i-1].ink != p.ink {
			f.Keys = append(f.Keys, chart.Key{ID: string(p.ink), Name: p.name, Ink: p.ink})
		}
	}
	f.Keys = append(f.Keys, chart.Key{ID: outsideKey, Name: otherStep,
		Meaning: "the rank was in the step before or the next", Ink: chart.Outside})
	f.Keys = usedKeys(f.Keys, f.Lanes.Lanes)
	return f
}

func stepTimeAxis(from, to unit.Time) chart.Axis {
	return chart.Axis{Label: "time since the step began", Unit: chart.Time, High: chart.Value(max(to.Sub(from), 1))}
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

// laneValues are lanes as a figure has them: times from the beginning, and small spans
// put together until there are few enough for a page.
func laneValues(all []lane, from, to unit.Time) []chart.Lane {
	out := make([]chart.Lane, len(all))
	for i := range all {
		out[i] = all[i].value(from, to)
	}
	return thinned(out, chart.Value(to.Sub(from)))
}

// value is a lane with a span for each operation, and for the time outside of the step.
func (l *lane) value(from, to unit.Time) chart.Lane {
	v := chart.Lane{Group: rankName(l.rank), Label: l.stream}
	since := func(t unit.Time) chart.Value { return chart.Value(t.Sub(from)) }
	if l.from > from {
		v.Spans = append(v.Spans, chart.Span{From: 0, To: since(l.from), Key: outsideKey, Name: "the step before"})
	}
	for _, op := range l.ops {
		key := string(phases[phaseOf(op.Name)].ink)
		v.Spans = append(v.Spans, chart.Span{From: since(op.Start), To: since(op.End), Key: key, Name: op.Name})
	}
	if l.to < to {
		v.Spans = append(v.Spans, chart.Span{From: since(l.to), To: since(to), Key: outsideKey, Name: "the next step"})
	}
	return v
}

func rankName(rank int32) string { return fmt.Sprintf("rank %d", rank) }

// mostSpans is how many spans a figure of lanes has, about.
const mostSpans = 1500

// thinned puts small spans together until a figure has few enough: what is put together
// is at most a column wide.
func thinned(all []chart.Lane, high chart.Value) []chart.Lane {
	for columns := chart.Value(1000); ; columns /= 2 {
		out, n := make([]chart.Lane, len(all)), 0
		for i := range all {
			out[i] = all[i]
			out[i].Spans = joinSmall(all[i].Spans, high/columns)
			n += len(out[i].Spans)
		}
		if n <= mostSpans || columns < 100 {
			return out
		}
	}
}

// joinSmall puts neighbouring spans, in order of time, together while they and the gaps
// between them are within one column. The key with most of the time names them.
func joinSmall(all []chart.Span, column chart.Value) (out []chart.Span) {
	for i := 0; i < len(all); {
		n := i + 1
		for n < len(all) && all[n].To-all[i].From <= column {
			n++
		}
		out = append(out, joined(all[i:n]))
		i = n
	}
	return out
}

func joined(all []chart.Span) chart.Span {
	if len(all) == 1 {
		return all[0]
	}
	s := chart.Span{From: all[0].From, To: all[0].To, Name: fmt.Sprintf("%d together", len(all))}
	time := map[string]chart.Value{}
	for _, a := range all {
		s.To = max(s.To, a.To)
		time[a.Key] += a.To - a.From
		if s.Key == "" || time[a.Key] > time[s.Key] {
			s.Key = a.Key
		}
	}
	return s
}
