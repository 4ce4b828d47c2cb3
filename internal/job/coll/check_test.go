package coll

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// edited is a ring of n with one rank's program changed.
func edited(t *testing.T, s Schedule, rank int, edit func(ops []Op) []Op) *Table {
	t.Helper()
	e := NewTable(s)
	e.ops[rank*e.channels] = edit(e.ops[rank*e.channels])
	return e
}

// What Check says about the usual mistakes.
func TestCheckExplains(t *testing.T) {
	ring, _ := RingAllReduce(identity(3, 1))
	chain, _ := ChainBroadcast(identity(3, 1), 2)
	for _, c := range []struct {
		name string
		s    Schedule
		goal Goal
		want string
	}{
		{"a copy for a reduce", edited(t, ring, 1, func(o []Op) []Op { o[2].Kind = Copy; return o }), ring.Goal(),
			"rank 0 channel 0 op 8: chunk 0 ends without the contribution of rank 1"},
		{"a reduce for a copy", edited(t, ring, 1, func(o []Op) []Op { o[8].Kind = Reduce; return o }), ring.Goal(),
			"rank 1 channel 0 op 8: reduce chunk 1 slot 2 after 7 acked 0: the contribution of rank"},
		{"no wait for the acknowledgement",
			edited(t, ring, 2, func(o []Op) []Op { o[8].Acked = -1; return o }), ring.Goal(),
			"rank 2 channel 0 op 8: copy chunk 2 slot 2 after 7: overwrites chunk 2, which op 0 may still be " +
				"sending (wants acked 0)"},
		{"no wait for the message", edited(t, ring, 0, func(o []Op) []Op { o[2].After = -1; return o }), ring.Goal(),
			"op 1 may still be receiving into slot 0 (wants after 1)"},
		{"no wait for the sum", edited(t, ring, 0, func(o []Op) []Op { o[3].After = -1; return o }), ring.Goal(),
			"op 2 may still be writing chunk 2 (wants after 2)"},
		{"a message to oneself", edited(t, ring, 0, func(o []Op) []Op { o[0].Peer = 0; return o }), ring.Goal(),
			"rank 0 channel 0 op 0: send: peer 0 is the rank itself"},
		{"the wrong peer", edited(t, ring, 0, func(o []Op) []Op { o[0].Peer = 2; return o }), ring.Goal(),
			"rank 2 has no recv for it"},
		{"another chunk", edited(t, ring, 0, func(o []Op) []Op { o[0].Chunk = 1; return o }), ring.Goal(),
			"recv chunk 0 from 0 slot 0, but the matching op 0 of rank 0 sends chunk 1"},
		{"one slot for all", oneSlot(ring), ring.Goal(),
			"may land in slot 0 of rank"},
		{"received and not read", edited(t, chain, 2, func(o []Op) []Op {
			return []Op{o[0], {Kind: Recv, Peer: 1, Chunk: 1, After: -1, Acked: -1},
				{Kind: Copy, Peer: -1, Chunk: 1, After: 1, Acked: -1}}
		}), chain.Goal(),
			"rank 2 channel 0 op 1: recv chunk 1 from 1 slot 0: overwrites what op 0 received, which nothing reads"},
		{"never read", edited(t, chain, 2, func(o []Op) []Op { return o[:3] }), chain.Goal(),
			"rank 2 channel 0 op 2: recv chunk 1 from 1 slot 1: never read"},
		{"nobody begins", receiveFirst(ring), ring.Goal(),
			"deadlock: rank 0 at op 0 (recv chunk 2 from 2 slot 0) waits for op 2 (send chunk 2 to 0) of rank 2, " +
				"rank 2 at op 0"},
		{"another root", chain, Goal{Collective: BroadcastFrom, Root: 1},
			"rank 0 channel 0 op 0: send chunk 0 to 1: the chunk holds no contribution yet"},
		{"the wrong goal", chain, Goal{Collective: AllReduce},
			"chunk 0 ends without the contribution of ranks 1 and 2"},
		{"no owner", ring, Goal{Collective: ReduceScatter}, "goal: reduce-scatter without an owner"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check(c.s, c.goal)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got:\n%v\nwant: %s", err, c.want)
			}
		})
	}
	var p Problem
	if err := Check(chain, Goal{}); !errors.As(err, &p) || p.Rank != 0 || p.Op != -1 {
		t.Errorf("errors.As finds %+v in %v", p, err)
	}
}

// oneSlot lands everything in slot 0.
func oneSlot(s Schedule) *Table {
	t := NewTable(s)
	for _, ops := range t.ops {
		for i := range ops {
			ops[i].Slot = min(ops[i].Slot, 0)
		}
	}
	return t
}

// receiveFirst makes every rank of a ring of three receive and reduce before its first send.
func receiveFirst(s Schedule) *Table {
	t := NewTable(s)
	for part, ops := range t.ops {
		for i := range ops {
			for _, f := range []*int32{&ops[i].After, &ops[i].Acked} {
				if *f >= 0 && *f <= 2 {
					*f = (*f + 2) % 3
				}
			}
		}
		t.ops[part] = append([]Op{ops[1], ops[2], ops[0]}, ops[3:]...)
	}
	return t
}

// How few slots a ring of n can do with in one run: a slot may be used again n
// steps later, when the chunk's journey proves it read; not n-1 steps later.
func TestSlotReuseWithinARun(t *testing.T) {
	for n := 3; n <= 9; n++ {
		ring, _ := RingAllReduce(identity(n, 1))
		for slots := n - 1; slots <= n; slots++ {
			few := NewTable(ring)
			few.slots = slots
			for _, ops := range few.ops {
				for i := range ops {
					if ops[i].Kind != Send {
						ops[i].Slot %= int32(slots)
					}
				}
			}
			err := Check(few, ring.Goal())
			if (err == nil) != (slots == n) {
				t.Errorf("%d ranks with %d slots: %v", n, slots, err)
			}
			if slots == n && ReuseSafe(few, 1) == nil {
				t.Errorf("%d ranks with %d slots: safe back to back, which the ring cannot know", n, slots)
			}
		}
	}
}

// An all-reduce in which two ranks add in different orders is right but not
// reproducible: replicas would drift apart.
func TestSummationOrderMustAgree(t *testing.T) {
	s := NewTable(exchange{3})
	err := Check(s, Goal{Collective: AllReduce})
	if err == nil || !strings.Contains(err.Error(), "summed in another order than on rank 0") {
		t.Errorf("three ranks, each adding the others in turn: %v", err)
	}
	if err := Check(NewTable(exchange{2}), Goal{Collective: AllReduce}); err != nil {
		t.Errorf("two ranks: a+b and b+a are the same bits, but: %v", err)
	}
}

// exchange: everybody sends its chunk to everybody, then adds up what it got.
type exchange struct{ n int }

func (exchange) Name() string       { return "exchange" }
func (e exchange) Ranks() int       { return e.n }
func (exchange) Channels() int      { return 1 }
func (exchange) Chunks() int        { return 1 }
func (e exchange) Slots() int       { return e.n - 1 }
func (e exchange) Len(int, int) int { return 3 * (e.n - 1) }
func (e exchange) Op(rank, _, i int) Op {
	if i < e.n-1 {
		return Op{Kind: Send, Peer: int32((rank + i + 1) % e.n), Slot: -1, After: -1, Acked: -1}
	}
	k := (i - (e.n - 1)) / 2
	if i -= e.n - 1; i%2 == 0 { // waits for what came before in its turn: an op has one After and one Acked
		return Op{Kind: Recv, Peer: int32((rank + k + 1) % e.n), Slot: int32(k),
			After: int32(e.n - 2 + i), Acked: int32(k)}
	}
	return Op{Kind: Reduce, Peer: -1, Slot: int32(k), After: int32(e.n - 2 + i), Acked: int32(e.n - 2)}
}

func TestProblemsAreCut(t *testing.T) {
	ps := make(Problems, 13)
	for i := range ps {
		ps[i] = Problem{Rank: i, Op: -1, What: "x"}
	}
	if got := ps.Error(); !strings.HasSuffix(got, "\n... and 3 more") || strings.Count(got, "\n") != 10 {
		t.Errorf("%s", got)
	}
	if got, want := fmt.Sprint(ps[2]), "rank 2 channel 0: x"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// NewTable writes out a schedule.
func NewTable(s Schedule) *Table {
	t := &Table{name: s.Name(), ranks: s.Ranks(), channels: s.Channels(), chunks: s.Chunks(), slots: s.Slots(),
		inputs: Inputs(s), slices: Slices(s)}
	for r := range t.ranks {
		for c := range t.channels {
			ops := make([]Op, s.Len(r, c))
			for i := range ops {
				ops[i] = s.Op(r, c, i)
			}
			t.ops = append(t.ops, ops)
		}
	}
	return t
}
