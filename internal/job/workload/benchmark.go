package workload

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// BenchmarkRow is one collective that is run again and again.
type BenchmarkRow struct {
	Name       string
	Elems      int64         // of float32, of the larger of a rank's input and output
	Schedule   coll.Schedule // over all ranks; out of place with its Goal
	Protocol   *Protocol     // nil: nothing beside the data
	Warmup     int           // runs before those that are timed
	Iterations int
	Blocks     []int64       // of an all-to-all: elements that each rank has for each, from*ranks+to; nil: as Elems and Skew say
	Rails      bool          // messages go by the NIC on the receiver's rail: they have connections of their own
	Formula    bool          // no message is sent: see Collective.Formula
	Takes      unit.Duration // with Formula
	Skew       int           // of an all-to-all: rank 0 gets so many times as much as each other; 0 and 1: as much
}

// BenchmarkConfig is collectives over all ranks, timed one after the other.
type BenchmarkConfig struct {
	Ranks  int
	Rows   []BenchmarkRow
	Device Device
	Slow   map[int32]unit.Ratio // ranks whose device takes so many times as long
	// Barrier, if not nil, runs before the timed runs of a row, so that ranks begin them together.
	Barrier coll.Schedule // of one channel
}

// TimedRow is what of a job is one row of a benchmark: collectives First to First+Count-1.
type TimedRow struct{ First, Count int32 }

// The kinds of a group of all ranks.
const (
	GroupKindWorld = "world"
	GroupKindRails = "rails" // whose messages go by the NIC on the receiver's rail
)

// BenchmarkGroup is the group of rows whose messages go by the receiver's rail or do not: index in Job.Groups.
func BenchmarkGroup(rails bool) int32 {
	if rails {
		return 1
	}
	return 0
}

// Benchmark returns a job whose one step runs each row, run after run, as nccl-tests does: first
// those that warm up, then a barrier, which costs no launch, then those that are timed. Every run
// is a collective of its own with a launch. timed says which are timed.
//
// nccl-tests, src/common.cu (BenchTime): between warm-up and measurement it synchronises streams
// and crosses a barrier of the processes.
func Benchmark(c BenchmarkConfig) (j *Job, timed []TimedRow, err error) {
	if c.Ranks < 1 {
		return nil, nil, fmt.Errorf("benchmark over %d ranks, want at least 1", c.Ranks)
	}
	group := Group{Name: "world", Kind: GroupKindWorld}
	for r := range c.Ranks {
		group.Ranks = append(group.Ranks, int32(r))
	}
	groups := []Group{group}
	if slices.ContainsFunc(c.Rows, func(r BenchmarkRow) bool { return r.Rails }) {
		groups = append(groups, Group{Name: "rails", Kind: GroupKindRails, Ranks: group.Ranks})
	}
	j = &Job{Groups: groups, Of: make([]int32, c.Ranks),
		Buffers: []Buffer{{Name: "data", ElemBytes: Float32.Bytes()}, {Name: "token", Elems: 1, ElemBytes: Float32.Bytes()},
			{Name: "input", ElemBytes: Float32.Bytes()}}}
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Elems < 0 || row.Iterations < 1 || row.Warmup < 0 {
			return nil, nil, fmt.Errorf("benchmark row %q: %d elements, %d iterations, %d to warm up", row.Name, row.Elems,
				row.Iterations, row.Warmup)
		}
		if n := len(row.Blocks); n > 0 && n != c.Ranks*c.Ranks {
			return nil, nil, fmt.Errorf("benchmark row %q: %d counts, want %d: one for each two of %d ranks", row.Name, n,
				c.Ranks*c.Ranks, c.Ranks)
		}
		for k := range row.Warmup {
			j.collective(fmt.Sprintf("%s.warmup%d", row.Name, k+1), row)
		}
		if c.Barrier != nil {
			j.barrier(row.Name+".barrier", c.Barrier)
		}
		timed = append(timed, TimedRow{int32(len(j.Collectives)), int32(row.Iterations)})
		for k := range row.Iterations {
			j.collective(fmt.Sprintf("%s.%d", row.Name, k+1), row)
		}
	}
	fast := j.benchmarkProgram(c, c.Device)
	for r := range j.Of {
		j.Of[r] = fast
		if slow, ok := c.Slow[int32(r)]; ok {
			d := c.Device
			d.Slow = slow
			j.Of[r] = j.benchmarkProgram(c, d)
		}
	}
	return j, timed, j.Validate()
}

// collective appends a collective over all ranks and the start of the buffer, which grows with it.
// One out of place reads the start of another.
func (j *Job) collective(name string, row *BenchmarkRow) {
	s, elems := row.Schedule, row.Elems
	c := Collective{Name: name, Range: Range{Elems: elems}, Schedule: s, ElemBytes: Float32.Bytes(), Protocol: row.Protocol,
		Group: BenchmarkGroup(row.Rails), Formula: row.Formula, Takes: row.Takes}
	if goal, ok := coll.GoalOf(s); ok && coll.Inputs(s) > 0 {
		c = c.shared(goal, row)
		j.Buffers[c.Input.Buffer].Elems = max(j.Buffers[c.Input.Buffer].Elems, c.Input.Elems)
	}
	j.Buffers[0].Elems = max(j.Buffers[0].Elems, c.Range.Elems)
	j.Collectives = append(j.Collectives, c)
}

// shared returns c out of place, from the buffer "input". The larger of a member's input and output
// has so many elements. Where they are shared among n members, all blocks are alike but for one
// element that some have more, so that input and output are no larger: in an all-to-all block b of
// member m is part (m+b) mod n, unless there is a skew: then member 0 receives more than it sends.
func (c Collective) shared(goal coll.Goal, row *BenchmarkRow) Collective {
	n, elems, skew := c.Schedule.Ranks(), row.Elems, int64(row.Skew)
	part := func(i int) int {
		lo, hi := coll.Range(int(elems), 1, n, 0, i%n)
		return hi - lo
	}
	in, size := elems, func(_, _ int) int { return int(elems) }
	switch goal.Collective {
	case coll.AllToAll:
		size = func(member, block int) int { return part(member + block) }
		if skew > 1 {
			size = func(_, block int) int { return skewed(elems, n, skew, 0, block) }
			c.Range.Elems = int64(n) * int64(size(0, 0))
		}
		if row.Blocks != nil {
			size = func(member, block int) int { return int(row.Blocks[member*n+block]) }
			in, c.Range.Elems = most(n, size)
		}
	case coll.GatherTo:
		in, size = int64(part(0)), func(member, _ int) int { return part(member) }
	case coll.ScatterFrom:
		c.Range.Elems, size = int64(part(0)), func(_, block int) int { return part(block) }
	}
	if goal.Collective == coll.AllToAll {
		for m := range n {
			c.through = max(c.through, int64(coll.OutputElems(c.Schedule, goal, m, size))-c.Range.Elems)
		}
		c.Range.Elems += c.through
	}
	return c.OutOfPlace(Range{Buffer: 2, Elems: in}, goal, size)
}

// most is the most that a member of n has in all, and the most that is for one.
func most(n int, size func(member, block int) int) (has, gets int64) {
	for m := range n {
		h, g := int64(0), int64(0)
		for b := range n {
			h, g = h+int64(size(m, b)), g+int64(size(b, m))
		}
		has, gets = max(has, h), max(gets, g)
	}
	return has, gets
}

// barrier appends a barrier of one channel. Its token is one element: none is empty.
func (j *Job) barrier(name string, s coll.Schedule) {
	c := Collective{Name: name, Range: Range{Elems: int64(s.Chunks())}, Schedule: s, ElemBytes: Float32.Bytes()}
	j.Buffers[0].Elems = max(j.Buffers[0].Elems, c.Range.Elems)
	j.Collectives = append(j.Collectives, c.OutOfPlace(Range{Buffer: 1, Elems: 1}, coll.Goal{Collective: coll.Barrier},
		func(int, int) int { return 1 }))
}

// benchmarkProgram appends the program of a device and returns its index.
func (j *Job) benchmarkProgram(c BenchmarkConfig, d Device) int32 {
	p := Program{Streams: []Stream{{"compute", -1}}, Device: d}
	for i := range j.Groups {
		p.Streams = append(p.Streams, Stream{j.Groups[i].Name, int32(i)})
	}
	for i := range j.Collectives {
		cl := &j.Collectives[i]
		op := Op{ID: int32(i), Name: cl.Name, Kind: Communication, Stream: 1 + cl.Group, Body: -1, Coll: int32(i),
			Writes: []Range{cl.Range}}
		if coll.Inputs(cl.Schedule) > 0 {
			op.Reads = []Range{cl.Input}
		}
		if i > 0 && j.Collectives[i-1].Group != cl.Group {
			op.Deps = []int32{int32(i - 1)} // groups have streams of their own
		}
		if cl.Schedule != c.Barrier {
			op.launch(d.LaunchTime(), cl.Protocol)
		}
		p.Ops = append(p.Ops, op)
	}
	j.Programs = append(j.Programs, p)
	return int32(len(j.Programs) - 1)
}
