package report

import (
	"fmt"
	"slices"

	"railyard/internal/cause"
	"railyard/internal/result"
	"railyard/internal/unit"
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

// readPath keeps the longest path, the first among equals. The rows of a path are together.
func (d *Data) readPath(run *result.Run) error {
	var parts []result.PathRow
	keep := func() {
		if len(parts) == 0 {
			return
		}
		p := &StepPath{Step: parts[0].Step, Rank: parts[0].Rank, Parts: parts}
		if d.StepPath == nil || p.Until().Sub(p.From()) > d.StepPath.Until().Sub(d.StepPath.From()) {
			d.StepPath, parts = p, nil
		}
		parts = parts[:0]
	}
	for row, err := range run.Paths() {
		if err != nil {
			return err
		}
		if len(parts) > 0 && row.Step != parts[0].Step {
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

// keys is the legend of the row of causes: of those that can be seen.
func (p *StepPath) keys() []Key {
	keys := []Key{{Name: "path:", Plain: true}}
	s := p.split()
	for _, c := range cause.All() {
		if unit.Share(s[c], s.Sum()) >= 0.002 {
			keys = append(keys, Key{Name: c.String(), Colour: causeColours[c]})
		}
	}
	return keys
}

// drawPath draws the row of causes at top, under its legend, and the line over the
// lanes, whose middles are given.
func (t *timeline) drawPath(f *Frame, top float64, middles []float64) {
	keys := t.path.keys()
	y := top + Legend(f.d, keys, 0, top+4, f.Right+14)
	f.d.Text(f.Left-8, y+6, smallSize, alignEnd, ink, "path")
	t.drawCauses(f, y-4)
	for _, line := range t.pathLines(f, middles) {
		f.d.Polyline(line, 4.5, paper)
		f.d.Polyline(line, 1.8, ink)
	}
}

// drawCauses draws the path's causes in their order. Parts too small to be seen join
// what is beside them: a column has the cause that took most of it.
func (t *timeline) drawCauses(f *Frame, y float64) {
	columns := int(f.Right - f.Left)
	most := make([]unit.Duration, columns)
	held := make([]int, columns) // the part; -1: none
	for c := range held {
		held[c] = -1
	}
	span := float64(t.to.Sub(t.from))
	edge := func(c int) unit.Time { return t.from.Add(unit.Duration(span * float64(c) / float64(columns))) }
	for i, p := range t.path.Parts {
		first := int(float64(p.From.Sub(t.from)) / span * float64(columns))
		for c := max(0, first-1); c < columns && edge(c) < p.Until; c++ {
			if d := min(p.Until, edge(c+1)).Sub(max(p.From, edge(c))); d > most[c] {
				most[c], held[c] = d, i
			}
		}
	}
	for c := 0; c < columns; {
		end := c + 1
		for end < columns && held[end] == held[c] {
			end++
		}
		if held[c] >= 0 {
			p := t.path.Parts[held[c]]
			f.d.Rect(f.Left+float64(c), y, float64(end-c), laneHeight-1, causeColours[causeOf(p.Cause)], t.partTip(&p))
		}
		c = end
	}
}

func (t *timeline) partTip(p *result.PathRow) string {
	who := fmt.Sprintf("rank %d", p.OnRank)
	if p.Src >= 0 {
		who = fmt.Sprintf("rank %d to rank %d", p.Src, p.Dst)
	}
	return fmt.Sprintf("%s: %s of %s, %s to %s (%s)", p.Cause, p.Kind, who, p.From.Sub(t.from).Human(), p.Until.Sub(t.from).Human(), p.Until.Sub(p.From).Human())
}

// pathLines returns the line over the lanes, in pieces where it leaves those shown.
func (t *timeline) pathLines(f *Frame, middles []float64) (lines [][]Point) {
	places := placesOf(t.lanes)
	var line []Point
	add := func(at unit.Time, lane int) {
		p := Point{f.X(float64(at.Sub(t.from))), middles[lane]}
		if n := len(line); n == 0 || p.X-line[n-1].X > 0.2 || p.Y != line[n-1].Y {
			line = append(line, p)
		}
	}
	end := func() {
		if len(line) > 1 {
			lines = append(lines, line)
		}
		line = nil
	}
	parts := t.path.Parts
	for i := 0; i < len(parts); {
		n := i + 1 // a message's parts are one stroke
		for n < len(parts) && parts[n].Kind == parts[i].Kind && parts[i].Src >= 0 && parts[n].Src == parts[i].Src && parts[n].Dst == parts[i].Dst {
			n++
		}
		p := &parts[i]
		from, to := p.OnRank, p.OnRank
		if p.Src >= 0 {
			from, to = p.Src, p.Dst
		}
		if p.Kind == "acknowledgement" {
			from, to = p.Dst, p.Src
		}
		a, hasA := places.find(from, p.Op)
		b, hasB := places.find(to, p.Op)
		if hasA && hasB {
			add(p.From, a)
			add(parts[n-1].Until, b)
		} else {
			end()
		}
		i = n
	}
	end()
	return lines
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
