package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// StepPath is the critical path of one step.
type StepPath struct {
	Step  int32
	Rank  int32            // which ended the step last
	Parts []result.PathRow // Invariant: contiguous, at least one
	Ops   []result.OperationRow
}

// From is when the path begins.
func (p *StepPath) From() unit.Time { return p.Parts[0].From }

// Until is when it ends.
func (p *StepPath) Until() unit.Time { return p.Parts[len(p.Parts)-1].Until }

// readPath keeps the longest path, the first among equals, and of a step that was lost and run again the last. The rows of a
// path are together.
func (d *Data) readPath(run *result.Run) error {
	var parts []result.PathRow
	keep := func() {
		if len(parts) == 0 {
			return
		}
		p := &StepPath{Step: parts[0].Step, Rank: parts[0].Rank, Parts: parts}
		if old := d.StepPath; old == nil || p.Step == old.Step || p.Until().Sub(p.From()) > old.Until().Sub(old.From()) {
			d.StepPath, parts = p, nil
		}
		parts = parts[:0]
	}
	for row, err := range run.Paths() {
		if err != nil {
			return err
		}
		if row.Step < 0 || !d.of(row.Job) { // of the start phase, or of another job
			continue
		}
		if len(parts) > 0 && (row.Step != parts[0].Step || d.life(row.From) != d.life(parts[0].From)) {
			keep()
		}
		if err := tooMany(len(parts), "parts of a step's path"); err != nil {
			return fmt.Errorf("table paths: %w", err)
		}
		parts = append(parts, row)
	}
	keep()
	return nil
}

// weight is how much of the path each rank did.
func (p *StepPath) weight() map[int32]unit.Duration {
	w := map[int32]unit.Duration{}
	for _, q := range p.Parts {
		w[q.OnRank] += q.Until.Sub(q.From)
	}
	return w
}

// split is the path's time by cause.
func (p *StepPath) split() (s cause.Split) {
	for _, q := range p.Parts {
		s[causeOf(q.Cause)] += q.Until.Sub(q.From)
	}
	return s
}

// causeOf finds a cause by its name in a table.
func causeOf(name string) cause.Cause {
	all := cause.All()
	if i := slices.IndexFunc(all, func(c cause.Cause) bool { return c.String() == name }); i >= 0 {
		return all[i]
	}
	return cause.Dependency // of another version: waited for something
}

// message returns the end of the parts, from i on, that are one message's: a part of
// anything else stands alone.
func (p *StepPath) message(i int) int {
	a, n := &p.Parts[i], i+1
	for ; n < len(p.Parts) && a.Src >= 0; n++ {
		if b := &p.Parts[n]; b.Kind != a.Kind || b.Src != a.Src || b.Dst != a.Dst {
			break
		}
	}
	return n
}

// links lead over the lanes of a timeline that begins at from: along a lane while its rank
// is at work, from one to another while a message is on its way. Where the path leaves the
// lanes that are shown there is none.
func (p *StepPath) links(all []lane, from unit.Time) (links []chart.Link) {
	places := placesOf(all)
	lane, known := 0, false
	for i := 0; i < len(p.Parts); {
		n := p.message(i)
		a, b := p.Parts[i].OnRank, p.Parts[i].OnRank
		if p.Parts[i].Src >= 0 {
			a, b = p.Parts[i].Src, p.Parts[i].Dst
		}
		if p.Parts[i].Kind == "acknowledgement" {
			a, b = b, a
		}
		start, hasA := places.find(a, p.Parts[i].Op)
		end, hasB := places.find(b, p.Parts[i].Op)
		if hasA && hasB {
			at, then := chart.Value(p.Parts[i].From.Sub(from)), chart.Value(p.Parts[n-1].Until.Sub(from))
			if known && lane != start { // to another stream of the rank, or to where it was let go
				links = append(links, chart.Link{Key: pathKey, From: lane, At: at, To: start, Then: at})
			}
			along := chart.Link{Key: pathKey, From: start, At: at, To: end, Then: then}
			if last := len(links) - 1; known && goesOn(&links[last], &along) {
				links[last].Then = then
			} else {
				links = append(links, along)
			}
			lane = end
		}
		known = hasA && hasB
		i = n
	}
	return links
}

// goesOn reports whether b goes on along the lane where a ended.
func goesOn(a, b *chart.Link) bool {
	return a.From == a.To && b.From == b.To && a.To == b.From && a.Then == b.At
}

// lanePlaces says which lane has an operation of a rank, and which is a rank's first.
type lanePlaces struct {
	of    map[[2]int32]int // by rank and operation
	first map[int32]int
}

func placesOf(all []lane) lanePlaces {
	p := lanePlaces{map[[2]int32]int{}, map[int32]int{}}
	for i, l := range all {
		if i == 0 || all[i-1].rank != l.rank {
			p.first[l.rank] = i
		}
		for _, op := range l.ops {
			p.of[[2]int32{l.rank, op.Op}] = i
		}
	}
	return p
}

// find returns the lane of an operation, else the first of its rank; false: not shown.
func (p *lanePlaces) find(rank, op int32) (int, bool) {
	if i, ok := p.of[[2]int32{rank, op}]; ok {
		return i, true
	}
	i, ok := p.first[rank]
	return i, ok
}

// pathRanks is how many ranks the critical path is shown on.
const pathRanks = 16

// elsewhere is the lane of ranks that have none of their own.
const elsewhere = "other ranks"

// pathChart is where the critical path was and what it spent its time on: a lane for each
// rank, in causes.
func pathChart(d *Data) []chart.Figure {
	p := d.StepPath
	if p == nil {
		return nil
	}
	weight := p.weight()
	ranks := slices.Sorted(maps.Keys(weight))
	slices.SortStableFunc(ranks, func(a, b int32) int { return cmp.Compare(weight[b], weight[a]) })
	all := len(ranks)
	ranks = ranks[:min(all, pathRanks)]
	slices.Sort(ranks)
	var out []chart.Lane
	for _, r := range ranks {
		out = append(out, chart.Lane{Group: rankName(r)})
	}
	if all > len(ranks) {
		out = append(out, chart.Lane{Group: elsewhere})
	}
	split := p.split()
	k := keysOf([]cause.Split{split}, split.Sum())
	whole := p.Until().Sub(p.From())
	f := chart.Figure{Name: "critical-path",
		Title: fmt.Sprintf("The critical path of step %d by cause", p.Step), Keys: k.keys,
		Caption: fmt.Sprintf("What rank %d, which ended the step last, had to wait for, on the rank that did it: %s "+
			"in all.",
			p.Rank, whole.Human()),
		Lanes: &chart.Lanes{X: stepTimeAxis(p.From(), p.Until()),
			Lanes: thinned(p.byRank(out, ranks, k), chart.Value(whole))}}
	if all > len(ranks) {
		f.Caption += fmt.Sprintf(" %d of %d ranks have a lane: those on which it spent most time.", len(ranks), all)
	}
	f.Keys = usedKeys(f.Keys, f.Lanes.Lanes)
	return []chart.Figure{f}
}

// byRank puts the parts of the path into the lanes of their ranks, in order of time.
func (p *StepPath) byRank(lanes []chart.Lane, ranks []int32, k *causeKeys) []chart.Lane {
	for i := range p.Parts {
		q := &p.Parts[i]
		n, found := slices.BinarySearch(ranks, q.OnRank)
		if !found {
			n = len(ranks)
		}
		c := causeOf(q.Cause)
		s := chart.Span{From: chart.Value(q.From.Sub(p.From())), To: chart.Value(q.Until.Sub(p.From())),
			Key: k.key[c], Name: c.String() + ", " + q.Kind}
		if q.Src >= 0 {
			s.Name += fmt.Sprintf(" of rank %d to rank %d", q.Src, q.Dst)
		}
		lanes[n].Spans = append(lanes[n].Spans, s)
	}
	return lanes
}

// usedKeys drops the keys of spans that were put together with others.
func usedKeys(keys []chart.Key, lanes []chart.Lane) []chart.Key {
	used := map[string]bool{}
	for i := range lanes {
		for _, s := range lanes[i].Spans {
			used[s.Key] = true
		}
	}
	return slices.DeleteFunc(keys, func(k chart.Key) bool { return !used[k.ID] })
}
