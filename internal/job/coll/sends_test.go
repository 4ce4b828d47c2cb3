package coll

import (
	"slices"
	"testing"
)

// What a schedule says of its traffic at once is what its operations add up to.
func TestTrafficIsThatOfTheOperations(t *testing.T) {
	for _, name := range AlgorithmNames() {
		for n := 1; n <= 9; n++ {
			for _, pipeline := range pipelines(name, 1, 3) {
				s := make1(t, name, shuffled(n, 2), pipeline)
				table := NewTable(s)
				for _, elems := range []int{0, 1, 2, 7, 2 * n * pipeline, 1000} {
					for c := range s.Channels() {
						for r := range n {
							got, want := AppendTraffic(nil, s, r, c, elems), AppendTraffic(nil, table, r, c, elems)
							if !slices.Equal(got, want) {
								t.Fatalf("%s, %d ranks, pipeline %d, %d elements: rank %d channel %d sends %v, its "+
									"operations %v",
									name, n, pipeline, elems, r, c, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// Likewise of hierarchical all-reduces over one to four hosts of one to four ranks, in shuffled rings.
func TestTrafficOfHosts(t *testing.T) {
	for perHost := 1; perHost <= 4; perHost++ {
		for hosts := 1; hosts <= 4; hosts++ {
			s, err := HierarchicalAllReduce(shuffled(perHost*hosts, 2), perHost)
			if err != nil {
				t.Fatal(err)
			}
			table := NewTable(s)
			for _, elems := range []int{0, 1, 5, 13, 100, 1000} {
				for at := range s.Ranks() * s.Channels() {
					r, c := at/s.Channels(), at%s.Channels()
					got, want := AppendTraffic(nil, s, r, c, elems), AppendTraffic(nil, table, r, c, elems)
					if !slices.Equal(got, want) {
						t.Fatalf("%d hosts of %d, %d elements: rank %d channel %d sends %v, its operations %v",
							hosts, perHost, elems, r, c, got, want)
					}
				}
			}
		}
	}
}

// A ring all-reduce over n ranks sends 2(n-1) messages from each rank, 2(n-1)/n of the buffer.
func TestTrafficOfARing(t *testing.T) {
	s := make1(t, "ring-all-reduce", identity(32768, 1), 1)
	got := AppendTraffic(nil, s, 5, 0, 32768*10)
	want := []Traffic{{Peer: 6, Messages: 2 * 32767, Elems: 2 * 32767 * 10}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Traffic of blocks of any sizes is what the layout of those blocks gives, message by message.
func TestTrafficOfBlocks(t *testing.T) {
	seen := 0
	for _, name := range AlgorithmNames() {
		for n := 1; n <= 6; n++ {
			for _, pipeline := range pipelines(name, 1, 3) {
				s := make1(t, name, shuffled(n, 2), pipeline)
				if Inputs(s) == 0 {
					continue
				}
				seen++
				size := func(rank, block int) int { return (7*rank + 5*block) % 11 }
				if goal := s.(interface{ Goal() Goal }).Goal(); goal.Collective == Barrier {
					size = func(int, int) int { return 3 }
				}
				at := BlockLayout(s, s.(interface{ Goal() Goal }).Goal(), size)
				for c := range s.Channels() {
					for r := range n {
						want := map[int32]Traffic{}
						for i := range s.Len(r, c) {
							op := s.Op(r, c, i)
							if op.Kind != Send {
								continue
							}
							w := want[op.Peer]
							w.Peer = op.Peer
							if lo, hi := at(r, op.Buffer, c, int(op.Chunk)); hi > lo {
								w.Messages, w.Elems = w.Messages+1, w.Elems+int64(hi-lo)
							}
							want[op.Peer] = w
						}
						got := AppendBlocks(nil, s, r, c, size)
						for _, g := range got {
							if g != want[g.Peer] {
								t.Fatalf("%s, %d ranks, pipeline %d: rank %d channel %d sends %v, want %v", name, n, pipeline, r, c,
									g, want[g.Peer])
							}
						}
						if len(got) != len(want) {
							t.Fatalf("%s: rank %d sends to %d peers, want %d", name, r, len(got), len(want))
						}
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no schedule out of place")
	}
}
