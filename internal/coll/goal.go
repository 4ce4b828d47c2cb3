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
	collectives
)

var collectiveNames = [collectives]string{"all-reduce", "all-gather", "reduce-scatter", "broadcast"}

// String returns the collective's name.
func (c Collective) String() string {
	if c >= collectives {
		return fmt.Sprintf("collective(%d)", uint8(c))
	}
	return collectiveNames[c]
}

// Goal is what Check proves of a schedule.
type Goal struct {
	Collective Collective
	Root       int32                                 // BroadcastFrom: whose buffer
	Owner      func(channel, chunk int) (rank int32) // AllGather: who has the chunk at first; ReduceScatter: who must have it in the end
}

// validate reports a goal that makes no sense for a schedule.
func (g Goal) validate(s Schedule) error {
	n := s.Ranks()
	switch g.Collective {
	case AllReduce:
		return nil
	case BroadcastFrom:
		if g.Root < 0 || int(g.Root) >= n {
			return fmt.Errorf("broadcast from rank %d, want 0 to %d", g.Root, n-1)
		}
		return nil
	case AllGather, ReduceScatter:
		if g.Owner == nil {
			return fmt.Errorf("%s without an owner for each chunk", g.Collective)
		}
		for c := range s.Channels() {
			for k := range s.Chunks() {
				if r := g.Owner(c, k); r < 0 || int(r) >= n {
					return fmt.Errorf("%s: owner of channel %d chunk %d is rank %d, want 0 to %d", g.Collective, c, k, r, n-1)
				}
			}
		}
		return nil
	}
	return fmt.Errorf("%s, want all-reduce, all-gather, reduce-scatter or broadcast", g.Collective)
}

// starts reports whether rank holds a contribution to the chunk at the start.
func (g Goal) starts(rank int32, channel, chunk int) bool {
	switch g.Collective {
	case AllGather:
		return g.Owner(channel, chunk) == rank
	case BroadcastFrom:
		return g.Root == rank
	}
	return true
}

// wants reports whether the goal says what rank must hold in the chunk at the end.
func (g Goal) wants(rank int32, channel, chunk int) bool {
	return g.Collective != ReduceScatter || g.Owner(channel, chunk) == rank
}
