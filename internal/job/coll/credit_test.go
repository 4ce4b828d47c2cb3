package coll

import (
	"strings"
	"testing"
)

// What Check says of credits, inputs and blocks.
func TestCheckExplainsCreditsAndBlocks(t *testing.T) {
	ring, _ := RingAllReduce(identity(3, 1))
	sliced, _ := ring.Sliced(3)
	few, _ := sliced.Credited(2)
	all, _ := DirectAllToAll(identity(3, 1), 1)
	gather, _ := DirectGather(identity(3, 1), 1)
	barrier, _ := DisseminationBarrier(identity(5, 1))
	for _, c := range []struct {
		name string
		s    Schedule
		goal Goal
		want string
	}{
		{"a slot that nobody frees", edited(t, few, 1, func(o []Op) []Op { o[3].Frees = false; return o }), few.Goal(),
			"rank 1 channel 0 op 2: recv chunk 0 from 0 slot 0: nothing frees slot 0, but rank 0 waits for credits"},
		{"a credit that nobody waits for",
			edited(t, ring, 1, func(o []Op) []Op { o[2].Frees = true; return o }), ring.Goal(),
			"rank 1 channel 0 op 2: reduce chunk 0 slot 0 after 1 frees: rank 0 waits for no credit"},
		{"a window too large", edited(t, few, 0, func(o []Op) []Op { o[4].Window = 3; return o }), few.Goal(),
			"rank 0 channel 0 op 4: send chunk 2 to 1 window 3: may land in slot 0 of rank 1 (op 8) before its op 3 " +
				"has read it"},
		{"a window on a recv", edited(t, few, 0, func(o []Op) []Op { o[2].Window = 1; return o }), few.Goal(),
			"recv: window 1, want 0, or more for a send"},
		{"all slots full all round the ring", sendFirst(few), few.Goal(),
			"deadlock: rank 0 at op 2 (send chunk 2 to 1 window 2) waits for op 4 (reduce chunk 0 slot 0 after 3 " +
				"frees) of rank 1, " +
				"rank 1 at op 2 (send chunk 5 to 2 window 2) waits for op 4 (reduce chunk 3 slot 0 after 3 frees) " +
				"of rank 2, " +
				"rank 2 at op 2 (send chunk 8 to 0 window 2) waits for op 4 (reduce chunk 6 slot 0 after 3 frees) " +
				"of rank 0"},
		{"a block for another rank", edited(t, all, 0, func(o []Op) []Op { o[1].Chunk = 2; return o }), all.Goal(),
			"recv chunk 0 from 0 slot 0, but the matching op 1 of rank 0 sends input chunk 2"},
		{"a block not kept", edited(t, all, 1,
			func(o []Op) []Op { return moved(o[1:], func(v int32) int32 { return v - 1 }) }), all.Goal(),
			"rank 1 channel 0: chunk 1 ends without chunk 1 of the input of rank 1"},
		{"a block kept in place of another",
			edited(t, all, 1, func(o []Op) []Op { o[0].Source = 0; return o }), all.Goal(),
			"rank 1 channel 0 op 0: chunk 1 ends with chunk 0 of what it wants chunk 1 of"},
		{"a message for nobody", edited(t, gather, 0, func(o []Op) []Op { o[1].Chunk = 0; o[2].Chunk = 0; return o }),
			gather.Goal(),
			"rank 0 channel 0 op 1: recv chunk 0 from 2 slot 0, but the matching op 0 of rank 2 sends input chunk 0"},
		{"the input of a schedule in place",
			edited(t, ring, 0, func(o []Op) []Op { o[0].Buffer = In; return o }), ring.Goal(),
			"send of the input, but the schedule works in place"},
		{"a barrier of one round less", fewerRounds(barrier), barrier.Goal(),
			"rank 0 channel 0: may end before rank 1 begins"},
		{"a goal of no such member", ring, Goal{Collective: ReduceTo, Root: 1, Members: []int32{0, 2}},
			"goal: reduce to rank 1, want one of its 2 members"},
		{"a goal with a member twice", ring, Goal{Members: []int32{0, 2, 0}},
			"goal: all-reduce: rank 0 is a member twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check(c.s, c.goal)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got:\n%v\nwant: %s", err, c.want)
			}
		})
	}
}

// sendFirst has every rank of a ring with three slices and two slots send its
// third slice before it receives.
func sendFirst(s Schedule) *Table {
	t := NewTable(s)
	for part, ops := range t.ops {
		at := []int32{0, 1, 3, 4, 2} // where ops 0 to 4 go
		to := func(v int32) int32 {
			if int(v) < len(at) {
				return at[v]
			}
			return v
		}
		ops = moved(ops, to)
		t.ops[part] = append([]Op{ops[0], ops[1], ops[4], ops[2], ops[3]}, ops[5:]...)
	}
	return t
}

// fewerRounds is a barrier without the last round.
func fewerRounds(s Schedule) *Table {
	t := NewTable(s)
	for part, ops := range t.ops {
		t.ops[part] = ops[:len(ops)-3]
	}
	return t
}

// Windows of a link: with 3 slots for 7 messages the first waits until all of the
// run before are read, for the last of these took its slot.
func TestWindows(t *testing.T) {
	w := window{slots: 3, messages: 7}
	for m, want := range []struct{ slot, window int }{{0, 1}, {1, 3}, {2, 3}, {0, 3}, {1, 3}, {2, 3}, {0, 3}} {
		if w.slot(m) != want.slot || int(w.window(m)) != want.window {
			t.Errorf("message %d: slot %d, window %d, want %d and %d", m, w.slot(m),
				w.window(m), want.slot, want.window)
		}
	}
}

// A group names each member once, of the job, and as many as the schedule has.
func TestBadGroups(t *testing.T) {
	ring, _ := RingAllReduce(identity(3, 1))
	for _, c := range []struct {
		members []int32
		want    string
	}{
		{[]int32{0, 1}, "a group of 2 in a job of 8, want 3 members"},
		{[]int32{0, 1, 8}, "member 2 is rank 8, want 0 to 7"},
		{[]int32{0, 5, 0}, "rank 0 is member 0 and 2, want each once"},
	} {
		if _, err := Within(ring, c.members, 8); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.members, err, c.want)
		}
	}
}

// Two hosts of four: a group of their first two GPUs each has hosts of two.
func TestGroupOfAPlacement(t *testing.T) {
	g := cluster(2, 4, 4).Group([]int32{0, 1, 4, 5})
	if n, err := g.PerHost(); n != 2 || err != nil {
		t.Errorf("%d per host, %v, want 2", n, err)
	}
	for channel, want := range [][]int32{{0, 1, 2, 3}, {1, 0, 3, 2}} {
		for i, r := range Rings(g, 2)[channel] {
			if r != want[i] {
				t.Errorf("channel %d: %v, want %v", channel, Rings(g, 2)[channel], want)
				break
			}
		}
	}
	if _, err := cluster(2, 4, 4).Group([]int32{0, 1, 4}).PerHost(); err == nil {
		t.Error("2 ranks on one host and 1 on another: no error")
	}
}
