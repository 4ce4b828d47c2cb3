package coll

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// hostile runs a schedule as the worst driver would that keeps the promises of
// doc.go: every op, placement, reduction and acknowledgement comes after a
// random, heavy-tailed delay; a message is read from the sender's chunk when it
// is placed, lands whether or not the receiver has got to its Recv, and must
// still be there unchanged when it is acknowledged.
type hostile struct {
	s       Schedule
	at      Layout
	bufs    [bufferKinds][][]float32
	rng     *rand.Rand
	runs    int // back to back, in one staging area
	now     int
	ranks   [][]*walker // [rank][channel]
	slots   map[[3]int][]float32
	actions []action
}

// walker is one rank's program in one channel.
type walker struct {
	rank, channel, run, pc int
	notBefore              int      // when the next op may start
	finished               [][]bool // [run][i] Recv: placed; Reduce, Copy, Keep: applied; Send: acknowledged
	sends                  map[int32]int
	sent, credits          map[int32]int          // to a peer over all runs, and how many of these are credited
	freed                  map[int32]map[int]bool // by peer: messages from it, numbered over all runs, that are read
	given                  map[int32]int          // to a peer: credits, which go in the order of its messages
}

// action is something that will happen to op i of a lane in a run.
type action struct {
	at   int
	kind string // place, ack, apply, credit
	l    *walker
	run  int
	i    int
	nth  int       // place: messages to that peer before it in this run
	sent []float32 // ack: what was placed
}

// runHostile returns an error if the schedule deadlocks or a chunk is
// overwritten before the message that reads it is acknowledged.
func runHostile(s Schedule, bufs [][]float32, runs int, seed uint64) error {
	return runHostileFrom(s, EvenLayout(s, len(bufs[0])), nil, bufs, runs, seed)
}

func runHostileFrom(s Schedule, at Layout, in, out [][]float32, runs int, seed uint64) error {
	h := &hostile{s: s, at: at, rng: rand.New(rand.NewPCG(seed, 1)), runs: runs, slots: map[[3]int][]float32{}}
	h.bufs[Out], h.bufs[In] = out, in
	for r := range s.Ranks() {
		lanes := make([]*walker, s.Channels())
		for c := range lanes {
			lanes[c] = &walker{rank: r, channel: c, sends: map[int32]int{}, notBefore: h.delay(),
				sent: map[int32]int{}, credits: map[int32]int{},
				freed: map[int32]map[int]bool{}, given: map[int32]int{}}
			for range runs {
				lanes[c].finished = append(lanes[c].finished, make([]bool, s.Len(r, c)))
			}
		}
		h.ranks = append(h.ranks, lanes)
	}
	for {
		h.endRuns()
		l, a := h.choose()
		switch {
		case a >= 0:
			act := h.actions[a]
			h.actions = slices.Delete(h.actions, a, a+1)
			h.now = max(h.now, act.at)
			if err := h.perform(act); err != nil {
				return err
			}
		case l != nil:
			h.now = max(h.now, l.notBefore)
			h.start(l)
		default:
			return h.deadlock()
		}
	}
}

func (h *hostile) delay() int { return h.now + 1 + h.rng.IntN(2<<h.rng.IntN(12)) }

// choose returns the lane or action that comes next, if any.
func (h *hostile) choose() (next *walker, act int) {
	act = -1
	best := int(^uint(0) >> 1)
	for i, a := range h.actions {
		if a.at < best {
			best, act = a.at, i
		}
	}
	for _, lanes := range h.ranks {
		for _, l := range lanes {
			if l.notBefore < best && h.canStart(l) {
				best, act, next = l.notBefore, -1, l
			}
		}
	}
	return next, act
}

func (h *hostile) canStart(l *walker) bool {
	if l.run == h.runs || l.pc == h.s.Len(l.rank, l.channel) {
		return false
	}
	op := h.s.Op(l.rank, l.channel, l.pc)
	if a := op.After; a >= 0 && h.s.Op(l.rank, l.channel, int(a)).Kind != Send && !l.finished[l.run][a] {
		return false
	}
	if op.Window > 0 && l.sent[op.Peer]+1-l.credits[op.Peer] > int(op.Window) {
		return false
	}
	return op.Acked < 0 || l.finished[l.run][op.Acked]
}

func (h *hostile) start(l *walker) {
	switch op := h.s.Op(l.rank, l.channel, l.pc); op.Kind {
	case Send:
		h.actions = append(h.actions, action{h.delay(), "place", l, l.run, l.pc, l.sends[op.Peer], nil})
		l.sends[op.Peer]++
		l.sent[op.Peer]++
	case Reduce, Copy, Keep:
		h.actions = append(h.actions, action{h.delay(), "apply", l, l.run, l.pc, 0, nil})
	}
	l.pc++
	l.notBefore = h.delay()
}

func (h *hostile) perform(a action) error {
	op := h.s.Op(a.l.rank, a.l.channel, a.i)
	chunk := h.chunk(a.l, op.Buffer, op.Chunk)
	switch a.kind {
	case "place":
		to := h.ranks[op.Peer][a.l.channel]
		m := h.recv(a.l.rank, to, a.nth)
		slot := h.s.Op(to.rank, to.channel, m).Slot
		a.sent = slices.Clone(chunk)
		h.slots[[3]int{to.rank, to.channel, int(slot)}] = a.sent
		to.finished[a.run][m] = true
		a.at, a.kind = h.delay(), "ack"
		h.actions = append(h.actions, a)
		return nil
	case "ack":
		if !slices.Equal(a.sent, chunk) {
			return fmt.Errorf("rank %d channel %d: chunk %d changed while op %d was sending it", a.l.rank,
				a.l.channel, op.Chunk, a.i)
		}
	case "credit":
		a.l.credits[op.Peer]++
		return nil
	case "apply":
		if op.Kind == Keep {
			copy(chunk, h.chunk(a.l, In, op.Source))
			break
		}
		slot := h.slots[[3]int{a.l.rank, a.l.channel, int(op.Slot)}]
		for e := range chunk {
			if op.Kind == Reduce {
				chunk[e] += slot[e]
			} else {
				chunk[e] = slot[e]
			}
		}
		if op.Frees {
			h.free(a, op)
		}
	}
	a.l.finished[a.run][a.i] = true
	return nil
}

// free gives the sender of the message that an op has read a credit, once it has
// one for each message before.
func (h *hostile) free(a action, op Op) {
	m := a.i - 1
	for q := h.s.Op(a.l.rank, a.l.channel, m); q.Kind != Recv ||
		q.Slot != op.Slot; q = h.s.Op(a.l.rank, a.l.channel, m) {
		m--
	}
	peer := h.s.Op(a.l.rank, a.l.channel, m).Peer
	before, all := 0, 0
	for i := range h.s.Len(a.l.rank, a.l.channel) {
		if q := h.s.Op(a.l.rank, a.l.channel, i); q.Kind == Recv && q.Peer == peer {
			if all++; i < m {
				before++
			}
		}
	}
	if a.l.freed[peer] == nil {
		a.l.freed[peer] = map[int]bool{}
	}
	a.l.freed[peer][a.run*all+before] = true
	for ; a.l.freed[peer][a.l.given[peer]]; a.l.given[peer]++ {
		from := h.ranks[peer][a.l.channel]
		for i := range h.s.Len(from.rank, from.channel) { // any send to this rank names the link
			if q := h.s.Op(from.rank, from.channel, i); q.Kind == Send && int(q.Peer) == a.l.rank {
				h.actions = append(h.actions, action{at: h.delay(), kind: "credit", l: from, i: i})
				break
			}
		}
	}
}

func (h *hostile) chunk(l *walker, b Buffer, chunk int32) []float32 {
	buf := h.bufs[b][l.rank]
	lo, hi := h.at(l.rank, b, l.channel, int(chunk))
	return buf[lo:hi]
}

// recv is the index of the nth Recv from a rank.
func (h *hostile) recv(from int, to *walker, nth int) int {
	for i := range h.s.Len(to.rank, to.channel) {
		if op := h.s.Op(to.rank, to.channel, i); op.Kind == Recv && int(op.Peer) == from {
			if nth == 0 {
				return i
			}
			nth--
		}
	}
	panic("a send without its recv: Check should have refused it")
}

// endRuns takes ranks whose every op has finished to their next run.
func (h *hostile) endRuns() {
	for r, lanes := range h.ranks {
		for lanes[0].run < h.runs && !slices.ContainsFunc(lanes, func(l *walker) bool {
			return l.pc < h.s.Len(r, l.channel) || slices.Contains(l.finished[l.run], false)
		}) {
			for _, l := range lanes {
				l.run, l.pc, l.notBefore = l.run+1, 0, h.delay()
				clear(l.sends)
			}
		}
	}
}

func (h *hostile) deadlock() error {
	for _, lanes := range h.ranks {
		for _, l := range lanes {
			if l.run < h.runs {
				return fmt.Errorf("deadlock: rank %d channel %d stands at op %d of run %d",
					l.rank, l.channel, l.pc, l.run)
			}
		}
	}
	return nil
}
