package coll

import "fmt"

// Collective is what a schedule is for.
type Collective uint8

// The collectives.
const (
	AllReduce     Collective = iota // every rank ends with the sum of all
	AllGather                       // every rank ends with every owner's chunk
	ReduceScatter                   // each chunk's owner ends with the sum of it
	BroadcastFrom                   // every rank ends with the root's buffer
	ReduceTo                        // the root ends with the sum of all
	GatherTo                        // the root ends with every rank's input, in order of ranks
	ScatterFrom                     // every rank ends with its block of the root's input
	AllToAll                        // every rank ends with the block that each rank has for it, in order of ranks
	SendReceive                     // ranks end with the input of the rank that sends to them
	Barrier                         // no rank ends before every rank has begun
	collectives
)

var collectiveNames = [collectives]string{"all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce",
	"gather", "scatter", "all-to-all", "send-receive", "barrier"}

// String returns the collective's name.
func (c Collective) String() string {
	if c >= collectives {
		return fmt.Sprintf("collective(%d)", uint8(c))
	}
	return collectiveNames[c]
}

// Rooted reports whether one rank has a part of its own.
func (c Collective) Rooted() bool {
	return c == BroadcastFrom || c == ReduceTo || c == GatherTo || c == ScatterFrom
}

// InPlace reports whether the collective's input lies in the buffer of its
// result.
func (c Collective) InPlace() bool { return c <= ReduceTo }

// Goal is what Check proves of a schedule.
type Goal struct {
	Collective Collective
	// Root is whose buffer a broadcast or scatter hands out, who ends with the result
	// of a reduce or gather.
	Root int32
	// Owner has a chunk at first (AllGather), or must have it in the end
	// (ReduceScatter).
	Owner   func(channel, chunk int) (rank int32)
	From    func(rank int32) (from int32) // SendReceive: who sends to a rank, -1 nobody
	Members []int32                       // the ranks that take part, in order: blocks count by it; nil: all
}

// aim is a goal for the ranks of a schedule.
type aim struct {
	Goal
	members []int32                                             // in order
	slices  int                                                 // of a block, out of place
	index   []int32                                             // [rank] its number among the members, -1 for none
	passes  func(rank, block int) (from, to int32, passes bool) // blocks of the output that pass through; nil: none do
}

// part is where what a chunk holds comes from: chunk `piece` of the input of
// rank `from`, or (from < 0) the sum of chunk `piece` over all members.
type part struct{ piece, from int }

func newAim(g Goal, s Schedule) aim {
	a := aim{Goal: g, members: g.Members, slices: Slices(s), index: make([]int32, s.Ranks())}
	if through, ok := s.(passer); ok {
		a.passes = through.Passes
	}
	if a.members == nil {
		for r := range a.index {
			a.members, a.index[r] = append(a.members, int32(r)), int32(r)
		}
		return a
	}
	for r := range a.index {
		a.index[r] = -1
	}
	for i, r := range a.members {
		a.index[r] = int32(i)
	}
	return a
}

// inputs reports whether the rank has something of its own in the chunk of its
// input at the start.
func (a *aim) inputs(rank, chunk int) bool {
	switch {
	case a.index[rank] < 0, a.Collective.InPlace():
		return false
	case a.Collective == ScatterFrom:
		return rank == int(a.Root)
	case a.Collective == GatherTo || a.Collective == SendReceive:
		return chunk < a.slices
	}
	return true
}

// starts reports whether the rank has something of its own in the chunk of its
// output at the start.
func (a *aim) starts(rank, channel, chunk int) bool {
	switch a.Collective {
	case AllGather:
		return a.Owner(channel, chunk) == int32(rank)
	case BroadcastFrom:
		return rank == int(a.Root)
	case AllReduce, ReduceScatter, ReduceTo:
		return a.index[rank] >= 0
	}
	return false
}

// want returns what the rank must hold in the chunk of its output at the end,
// false if anything will do.
func (a *aim) want(rank, channel, chunk int) (part, bool) {
	if a.index[rank] < 0 {
		return part{}, false
	}
	me, k := int(a.index[rank]), a.slices
	block, piece := chunk/k, chunk%k
	root := rank == int(a.Root)
	switch a.Collective {
	case AllReduce:
		return part{chunk, -1}, true
	case AllGather:
		return part{chunk, int(a.Owner(channel, chunk))}, true
	case ReduceScatter:
		return part{chunk, -1}, int(a.Owner(channel, chunk)) == rank
	case BroadcastFrom:
		return part{chunk, int(a.Root)}, true
	case ReduceTo:
		return part{chunk, -1}, root
	case GatherTo:
		return part{piece, a.member(block)}, root && block < len(a.members)
	case ScatterFrom:
		return part{me*k + piece, int(a.Root)}, block == 0
	case AllToAll:
		return part{me*k + piece, a.member(block)}, block < len(a.members)
	case SendReceive:
		from := int(a.From(int32(rank)))
		return part{piece, from}, from >= 0 && block == 0
	}
	return part{}, false
}

// member returns the rank of a block, -1 for a block beyond the last.
func (a *aim) member(block int) int {
	if block >= len(a.members) {
		return -1
	}
	return int(a.members[block])
}

// size names the size of a chunk: chunks of the same name have the same number
// of elements, and of others nothing is known. false: the chunk has no size, for
// nothing comes there.
func (a *aim) size(rank int, b Buffer, channel, chunk int) (part, bool) {
	switch {
	case a.Collective.InPlace():
		return part{chunk, -1}, true
	case a.Collective == Barrier:
		return part{0, -1}, true
	case b == In:
		return part{chunk, rank}, a.inputs(rank, chunk)
	}
	if w, ok := a.want(rank, channel, chunk); ok || a.passes == nil {
		return w, ok
	}
	from, to, ok := a.passes(rank, chunk/a.slices)
	if !ok || a.index[from] < 0 || a.index[to] < 0 {
		return part{}, false
	}
	return part{int(a.index[to])*a.slices + chunk%a.slices, int(from)}, true
}

// passer is a schedule of an all-to-all in which blocks pass through ranks that they are not for, in chunks behind those of the
// result.
type passer interface {
	// Passes returns who sends what passes through a rank in a block of its output, and to whom.
	Passes(rank, block int) (from, to int32, passes bool)
}

// Through returns who sends what passes through a rank, and to whom, block by block of those behind its output: of most
// schedules none.
func Through(s Schedule, rank int) (all [][2]int32) {
	p, ok := s.(passer)
	for block := s.Ranks(); ok; block++ {
		var from, to int32
		if from, to, ok = p.Passes(rank, block); ok {
			all = append(all, [2]int32{from, to})
		}
	}
	return all
}

// validate reports a goal that makes no sense for a schedule.
func (g Goal) validate(s Schedule) error {
	n := s.Ranks()
	in := make([]bool, n)
	for i := range in {
		in[i] = g.Members == nil
	}
	for i, r := range g.Members {
		if r < 0 || int(r) >= n {
			return fmt.Errorf("%s: member %d is rank %d, want 0 to %d", g.Collective, i, r, n-1)
		}
		if in[r] {
			return fmt.Errorf("%s: rank %d is a member twice, want each once", g.Collective, r)
		}
		in[r] = true
	}
	member := func(r int32) bool { return r >= 0 && int(r) < n && in[r] }
	switch g.Collective {
	case AllReduce, AllToAll, Barrier:
		return nil
	case BroadcastFrom, ScatterFrom:
		if !member(g.Root) {
			return fmt.Errorf("%s from rank %d, want %s", g.Collective, g.Root, g.ranks(n))
		}
		return nil
	case ReduceTo, GatherTo:
		if !member(g.Root) {
			return fmt.Errorf("%s to rank %d, want %s", g.Collective, g.Root, g.ranks(n))
		}
		return nil
	case AllGather, ReduceScatter:
		return g.owners(s, member)
	case SendReceive:
		if g.From == nil {
			return fmt.Errorf("%s without who sends to whom", g.Collective)
		}
		for r := range int32(n) {
			if from := g.From(r); from != -1 && (!member(from) || !member(r)) {
				return fmt.Errorf("%s: rank %d gets from rank %d, want %s or -1", g.Collective, r, from, g.ranks(n))
			}
		}
		return nil
	}
	return fmt.Errorf("%s, want one from %s to %s", g.Collective, AllReduce, Barrier)
}

// owners validates the owner of each chunk.
func (g Goal) owners(s Schedule, member func(int32) bool) error {
	if g.Owner == nil {
		return fmt.Errorf("%s without an owner for each chunk", g.Collective)
	}
	for c := range s.Channels() {
		for k := range s.Chunks() {
			if r := g.Owner(c, k); !member(r) {
				return fmt.Errorf("%s: owner of channel %d chunk %d is rank %d, want %s", g.Collective, c,
					k, r, g.ranks(s.Ranks()))
			}
		}
	}
	return nil
}

// ranks says which ranks a goal may name.
func (g Goal) ranks(n int) string {
	if g.Members != nil {
		return fmt.Sprintf("one of its %d members", len(g.Members))
	}
	return fmt.Sprintf("0 to %d", n-1)
}

// Within returns the goal of a schedule as the goal of a group of a job's ranks.
func (g Goal) Within(members []int32) Goal {
	if g.Members != nil {
		panic("coll: the goal of a group within another")
	}
	of := g
	of.Members = members
	switch g.Collective {
	case BroadcastFrom, ReduceTo, GatherTo, ScatterFrom:
		of.Root = members[g.Root]
	}
	if g.Owner != nil {
		of.Owner = func(channel, chunk int) int32 { return members[g.Owner(channel, chunk)] }
	}
	if g.From != nil {
		of.From = func(rank int32) int32 {
			for i, r := range members {
				if r != rank {
					continue
				}
				if from := g.From(int32(i)); from >= 0 {
					return members[from]
				}
			}
			return -1
		}
	}
	return of
}
