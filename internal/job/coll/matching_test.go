package coll

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Where a schedule finds the Recv of a Send at once, it is that of the k-th message from one to the
// other: rings and all the direct ones do.
func TestMatchingIsTheKthReceive(t *testing.T) {
	quick := map[string]bool{}
	for _, name := range AlgorithmNames() {
		for n := 1; n <= 9; n++ {
			for channels := 1; channels <= 3; channels++ {
				for _, pipeline := range pipelines(name, 1, 3) {
					if !fits(name, channels) {
						continue
					}
					s := make1(t, name, shuffled(n, channels), pipeline)
					quick[name] = matches(t, s) > 0 || quick[name]
					for slots := 1; slots <= 3; slots++ {
						if c := credited(s, slots); c != nil {
							matches(t, c)
						}
					}
				}
			}
		}
	}
	for _, name := range AlgorithmNames() {
		s := Schedule(make1(t, name, shuffled(4, 2), 1))
		_, direct := s.(*Direct)
		_, ring := s.(*Ring)
		_, levels := s.(*TwoLevel)
		if (direct || ring || levels) != quick[name] {
			t.Errorf("%s: direct %v, ring %v, two levels %v, quick to match %v", name, direct, ring, levels, quick[name])
		}
	}
}

// matches compares what a schedule says with counting, and returns how many messages it has said so of.
func matches(t *testing.T, s Schedule) (said int) {
	t.Helper()
	for rank := range s.Ranks() {
		for c := range s.Channels() {
			sent := map[int32]int{}
			for i := range s.Len(rank, c) {
				op := s.Op(rank, c, i)
				if op.Kind != Send {
					continue
				}
				recv, ok := Matching(s, rank, c, i)
				if want := kthReceive(s, int(op.Peer), rank, c, sent[op.Peer]); ok && recv != want {
					t.Fatalf("%s, %d ranks, channel %d: op %d of rank %d is received by op %d of rank %d, want %d", s.Name(),
						s.Ranks(), c, i, rank, recv, op.Peer, want)
				}
				if ok {
					said++
				}
				sent[op.Peer]++
			}
		}
	}
	return said
}

// kthReceive is the k-th op with which a rank receives from another.
func kthReceive(s Schedule, rank, from, channel, k int) int {
	for i := range s.Len(rank, channel) {
		if op := s.Op(rank, channel, i); op.Kind == Recv && int(op.Peer) == from {
			if k == 0 {
				return i
			}
			k--
		}
	}
	return -1
}

// What one rank knows of its own chunks is what the layout of all says, also after sizes have changed.
func TestARanksOwnLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchedule(t, outOfPlace)
		g, _ := GoalOf(s)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		sizes := make([]int, s.Ranks()*max(Inputs(s), s.Chunks()))
		size := func(rank, block int) int { return sizes[rank*len(sizes)/s.Ranks()+block] }
		all := BlockLayout(s, g, size)
		for rank := range s.Ranks() {
			own := NewRankLayout(s, g, rank, size)
			for range 2 {
				for i := range sizes {
					sizes[i] = rng.IntN(40)
				}
				own.Forget()
				sameChunks(t, s, rank, all, own)
			}
		}
	})
}

func sameChunks(t *rapid.T, s Schedule, rank int, all Layout, own *RankLayout) {
	chunks := [bufferKinds]int{Out: s.Chunks(), In: Inputs(s)}
	for c := range s.Channels() {
		for b, n := range chunks {
			for k := range n {
				lo, hi := all(rank, Buffer(b), c, k)
				if first, last := own.Chunk(Buffer(b), c, k); first != lo || last != hi {
					t.Fatalf("%s: rank %d, channel %d, chunk %d of %v is [%d, %d), want [%d, %d)", s.Name(), rank, c, k,
						Buffer(b), first, last, lo, hi)
				}
			}
		}
	}
}
