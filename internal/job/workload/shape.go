package workload

import (
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// Order is what follows from the streams and dependencies of a phase's operations. Programs that differ in their collectives
// alone have one together: it is not written to.
type Order struct {
	Dependents [][]int32 // by operation: those that wait for it
	Queues     [][]int32 // by stream: operations in issue order
	At         []int32   // by operation: its place in that order
	Coll       []int32   // by operation: which of the phase's collectives it runs, in order; -1: none
	Colls      int32     // how many there are
}

// NewOrder returns the order of some operations on so many streams.
func NewOrder(ops []Op, streams int) *Order {
	o := &Order{Dependents: make([][]int32, len(ops)), Queues: make([][]int32, streams), At: make([]int32, len(ops)),
		Coll: make([]int32, len(ops))}
	for i := range ops {
		op := &ops[i]
		for _, d := range op.Deps {
			o.Dependents[d] = append(o.Dependents[d], op.ID)
		}
		o.At[i] = int32(len(o.Queues[op.Stream]))
		o.Queues[op.Stream] = append(o.Queues[op.Stream], op.ID)
		o.Coll[i] = -1
		if op.Kind == Communication {
			o.Coll[i] = o.Colls
			o.Colls++
		}
	}
	return o
}

// StepOrder returns the order of a step's operations.
func (p *Program) StepOrder() *Order {
	if p.order == nil {
		return NewOrder(p.Ops, len(p.Streams))
	}
	return p.order
}

// OpsKept is how many operations of steps programs have by themselves, and how many they have again, with other collectives.
func (j *Job) OpsKept() (own, again int64) {
	seen := map[*Order]bool{}
	for i := range j.Programs {
		p := &j.Programs[i]
		if p.order != nil && seen[p.order] {
			again += int64(len(p.Ops))
			continue
		}
		seen[p.order] = true
		own += int64(len(p.Ops))
	}
	return own, again
}

// streams are those of a rank: one that computes, and one for each of its groups.
func (b *lowering) streams(rank int) []Stream {
	all := []Stream{{"compute", ComputeGroup}}
	for i := range b.j.Groups {
		if g := &b.j.Groups[i]; slices.Contains(g.Ranks, int32(rank)) {
			all = append(all, Stream{g.Name, int32(i)})
		}
	}
	return all
}

// kind is what ranks have in common whose programs differ in their collectives alone, if their groups are alike: see again.
type kind struct {
	stage int
	data  int // of shards, which are of other elements on each replica; else 0
	slow  unit.Ratio
}

func (b *lowering) kind(at Coord, d *Device) kind {
	k := kind{stage: at.Stage, slow: d.Slow}
	if b.l.Zero > ZeroNone {
		k.data = at.Data
	}
	return k
}

// again returns the program of a rank from that of another of its kind, with the rank's own collectives in place of the other's.
// What operations touch and wait for is kept once for both. It reports false where groups or collectives are not alike.
func (b *lowering) again(lead, rank int) (Program, bool) {
	from := &b.j.Programs[b.j.Of[lead]]
	p := Program{Streams: b.streams(rank), Device: from.Device, order: from.order}
	if len(p.Streams) != len(from.Streams) || !b.pair(from.Streams, p.Streams) {
		return p, false
	}
	p.Ops = slices.Clone(from.Ops)
	for i := range p.Ops {
		op := &p.Ops[i]
		if op.Coll >= 0 {
			part := strings.TrimSuffix(op.Name, b.j.Collectives[op.Coll].Name)
			op.Coll = b.paired[op.Coll]
			if op.Name = b.j.Collectives[op.Coll].Name; part != "" {
				op.Name = part + op.Name
			}
		}
		if op.Body >= 0 {
			op.Body = b.bodyAgain(op.Body)
		}
	}
	return p, true
}

// bodyAgain is the body of a rank for that of another, whose collectives are paired with its own.
func (b *lowering) bodyAgain(id int32) int32 {
	body := b.j.Bodies[id]
	if body.Got.By == Keep && body.Give.By == Keep {
		return id
	}
	for _, h := range []*Handed{&body.Got, &body.Give} {
		if h.By != Keep {
			h.Coll = b.paired[h.Coll]
		}
	}
	return b.body(body)
}

// pair notes which collectives of one rank stand for those of another, group by group, and reports false where they are not
// alike.
func (b *lowering) pair(from, to []Stream) bool {
	if b.ofGroup == nil {
		b.ofGroup, b.paired = make([][]int32, len(b.j.Groups)), make([]int32, len(b.j.Collectives))
		for id := range b.j.Collectives {
			g := b.j.Collectives[id].Group
			b.ofGroup[g] = append(b.ofGroup[g], int32(id))
		}
	}
	for s := 1; s < len(from); s++ {
		a, c := b.ofGroup[from[s].Group], b.ofGroup[to[s].Group]
		if len(a) != len(c) || b.j.Groups[from[s].Group].Kind != b.j.Groups[to[s].Group].Kind {
			return false
		}
		for k := range a {
			one, other := &b.j.Collectives[a[k]], &b.j.Collectives[c[k]]
			if one.Range != other.Range || one.Input != other.Input || one.Counts != nil || other.Counts != nil {
				return false
			}
			b.paired[a[k]] = c[k]
		}
	}
	return true
}
