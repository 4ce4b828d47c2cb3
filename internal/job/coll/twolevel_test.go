package coll

import (
	"fmt"
	"slices"
	"testing"
)

// twoLevel is the all-to-all of hosts of so many ranks, in another order for each channel.
func twoLevel(t *testing.T, hosts, perHost, slices int) *TwoLevel {
	t.Helper()
	s, err := TwoLevelAllToAll(shuffled(hosts*perHost, 2), slices, perHost)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Blocks of any sizes, none among them, are where they are to be, each message finds its Recv, and the schedule may run again
// with two areas in turn: it is proved whatever the sizes are.
func TestTwoLevelAllToAllIsProved(t *testing.T) {
	for _, c := range []struct{ hosts, perHost, slices int }{{1, 4, 1}, {4, 1, 2}, {2, 2, 1}, {3, 2, 2}, {2, 4, 1}, {4, 4, 1}} {
		s := twoLevel(t, c.hosts, c.perHost, c.slices)
		if err := Check(s, s.Goal()); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if n := matches(t, s); n == 0 {
			t.Errorf("%+v: no message was looked for", c)
		}
		if err := ReuseSafe(s, 2); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		size := func(rank, block int) int { return (rank*5 + block*3) % 7 }
		at, in, out, want := moves(s, size)
		ExecuteFrom(s, at, in, out)
		for r := range out {
			if !slices.Equal(out[r][:len(want[r])], want[r]) {
				t.Errorf("%+v: rank %d has %v, want %v", c, r, out[r], want[r])
			}
		}
	}
}

// Between hosts a rank sends to those of its own place alone: what it has for their hosts, and what the ranks of its own host
// have for them, to the element.
func TestTwoLevelsCrossByRailsAlone(t *testing.T) {
	const hosts, perHost = 3, 4
	s := twoLevel(t, hosts, perHost, 1)
	size := func(rank, block int) int { return 2 + rank*13 + block }
	for r := range s.Ranks() {
		host, at := s.stands(r)
		sent := map[int32]int64{}
		for c := range s.Channels() {
			for _, of := range AppendBlocks(nil, s, r, c, size) {
				sent[of.Peer] += of.Elems
			}
		}
		want := map[int32]int64{}
		for h := range hosts {
			for a := range perHost {
				peer := s.rankAt(h, a)
				switch {
				case int(peer) == r:
				case h == host: // for it, and for those of its place
					for to := range hosts {
						want[peer] += int64(size(r, int(s.rankAt(to, a))))
					}
				case a == at: // from all of this host
					for from := range perHost {
						want[peer] += int64(size(int(s.rankAt(host, from)), int(peer)))
					}
				}
			}
		}
		if got := fmt.Sprint(sent); got != fmt.Sprint(want) {
			t.Errorf("rank %d sends %s, want %v", r, got, want)
		}
	}
}

// A block that is taken for another of those that pass through a rank is found, whether or not it is as large.
func TestTwoLevelsWithAWrongBlockAreRefused(t *testing.T) {
	s := twoLevel(t, 2, 4, 1)
	for _, wrong := range []func(op *Op){
		func(op *Op) { op.Chunk++ },                                    // the receiver of the next one
		func(op *Op) { op.Chunk = int32(s.Ranks()) },                   // always the first that passes through
		func(op *Op) { op.Buffer, op.Chunk = In, op.Chunk-op.Chunk%4 }, // one of its own
	} {
		changed := 0
		bad := changedSchedule{s, func(rank, i int, op Op) Op {
			part, m, _, step := s.find(i)
			if rank == 1 && part == passesOn && step == 2 && m == 1 {
				wrong(&op)
				changed++
			}
			return op
		}}
		if err := Check(bad, s.Goal()); err == nil || changed == 0 {
			t.Errorf("%v after %d changes, want it refused", err, changed)
		}
	}
}

// changedSchedule is a schedule with other operations.
type changedSchedule struct {
	*TwoLevel
	to func(rank, i int, op Op) Op
}

func (c changedSchedule) Op(rank, channel, i int) Op {
	return c.to(rank, i, c.TwoLevel.Op(rank, channel, i))
}
