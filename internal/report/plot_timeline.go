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
	rank   int32
	stream string
	ops    []result.OperationRow
}

// lanes orders operations by rank and stream, streams in order of first use. Of
// many ranks it keeps the slowest and others at equal distances.
func lanes(ops []result.OperationRow) (out []lane, from, to unit.Time, ranks int) {
	last := map[int32]unit.Time{}
	var streams []string
	var all []int32
	for i, op := range ops {
		if i == 0 || op.Start < from {
			from = op.Start
		}
		to = max(to, op.End)
		if _, ok := last[op.Rank]; !ok {
			all = append(all, op.Rank)
		}
		last[op.Rank] = max(last[op.Rank], op.End)
		if !slices.Contains(streams, op.Stream) {
			streams = append(streams, op.Stream)
		}
	}
	slices.Sort(all)
	kept := keepRanks(all, last)
	for _, r := range kept {
		for _, s := range streams {
			l := lane{rank: r, stream: s}
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

// timelineFigure is rank x time of the median step.
func timelineFigure(d *Data) []Figure {
	if len(d.Timeline) == 0 {
		return nil
	}
	all, from, to, ranks := lanes(d.Timeline)
	title := fmt.Sprintf("Timeline of step %d, rank by rank", d.Steps.Median)
	caption := "The step that took the median time: what each rank's streams did, one lane a stream (" + strings.Join(streamNames(all), ", ") + "). Empty space in a lane is waiting."
	if ranks > shownRanks {
		caption += fmt.Sprintf(" %d of %d ranks, the slowest among them.", countRanks(all), ranks)
	}
	return one(Figure{Name: "timeline", Title: title, Caption: caption,
		Draw: func(w float64) *Drawing { return drawTimeline(w, title, all, from, to) }})
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

func drawTimeline(w float64, title string, all []lane, from, to unit.Time) *Drawing {
	var keys []Key
	for i, p := range phases {
		if slices.ContainsFunc(all, func(l lane) bool {
			return slices.ContainsFunc(l.ops, func(o result.OperationRow) bool { return phaseOf(o.Name) == i })
		}) {
			keys = append(keys, Key{Name: p.name, Colour: p.colour})
		}
	}
	head := Legend(nil, keys, 0, 12, w) + 8
	const high, gap = 13.0, 6.0
	h := head + high*float64(len(all)) + gap*float64(countRanks(all)) + 40
	g := NewDrawing(w, h, title, fmt.Sprintf("%d lanes over %s", len(all), result.FormatTime(to.Sub(from))))
	Legend(g, keys, 0, 12, w)
	f := Frame{d: g, Left: 56, Right: w - 14, Top: head, Bottom: h - 40, XHi: float64(to.Sub(from))}
	q := timeUnit(to.Sub(from))
	for _, x := range ticks(0, f.XHi/q.size, f.xTickCount()) {
		g.Line(f.X(x*q.size), f.Top, f.X(x*q.size), f.Bottom, 1, grid, "", "")
	}
	y := f.Top
	for i, l := range all {
		if i == 0 || all[i-1].rank != l.rank {
			y += gap
			g.Text(f.Left-8, y+11, smallSize, alignEnd, ink, fmt.Sprintf("rank %d", l.rank))
		}
		for _, op := range l.ops {
			x := f.X(float64(op.Start.Sub(from)))
			wide := max(f.X(float64(op.End.Sub(from)))-x, 0.75)
			tip := fmt.Sprintf("rank %d, %s: %s, %s to %s (%s)", l.rank, l.stream, op.Name, result.FormatTime(op.Start.Sub(from)), result.FormatTime(op.End.Sub(from)), result.FormatTime(op.End.Sub(op.Start)))
			p := phases[phaseOf(op.Name)]
			g.Rect(x, y+0.5, max(wide-0.75, 0.5), high-1, p.colour, tip)
			if s := op.Name; textWidth(s, 9.5) < wide-6 {
				g.Text(x+3, y+10, 9.5, alignStart, Colour{"dark", "#101010", "#101010"}, s)
			}
		}
		y += high
	}
	f.XAxis("time since the step began", q)
	return g
}
