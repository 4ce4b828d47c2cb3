package coll

import (
	"fmt"
)

// Check proves that a schedule reaches the goal whatever the timing, or says
// why not. It executes the schedule on sets of contributions instead of numbers
// and keeps a vector clock per rank, so that "before" means before in every
// execution, not in one. It proves:
//
//   - every op is well formed and names earlier ops only;
//   - each Send has its Recv, carrying the same chunk, and there is no deadlock;
//   - no message can land in a slot whose contents may still be read, and none
//     is lost;
//   - no Reduce or Copy overwrites a chunk that an earlier Send may still read
//     (it must be acknowledged), and nothing reads a chunk or slot that is still
//     being written;
//   - every rank ends with exactly the contributions of the goal, none lacking,
//     none doubled; and after an all-reduce all ranks added them in the same
//     order, so that their bits agree.
//
// The error is of type Problems and names rank, channel and op. Check presumes
// nothing of an earlier run in the same staging: see ReuseSafe. Time and memory
// grow with ops * ranks.
func Check(s Schedule, goal Goal) error {
	if err := goal.validate(s); err != nil {
		return fmt.Errorf("goal: %w", err)
	}
	var all Problems
	for c := range s.Channels() {
		p := newProver(s, c, 1, 1)
		p.goal, p.symbolic = goal, true
		p.prove()
		all = append(all, p.problems...)
	}
	if len(all) > 0 {
		return all
	}
	return nil
}

// ReuseSafe proves that a schedule may be run again and again, a rank starting
// the next run as soon as it has ended the last one, with `stagings` staging
// areas in alternation (run i uses area i mod stagings): no message of a later
// run can land in a slot that an earlier run has still to read. It returns nil or
// Problems that name the first message that may come too soon. It supposes that
// Check has passed and that no chunk is empty (at least channels * chunks
// elements); for a ring all-reduce with one area the latter does not matter.
func ReuseSafe(s Schedule, stagings int) error {
	if stagings < 1 {
		panic(fmt.Sprintf("coll: %d staging areas", stagings))
	}
	var all Problems
	for c := range s.Channels() {
		// Run `stagings` is the first to meet an area again. What holds between it
		// and run 0 holds between any two, which have only more before them.
		p := newProver(s, c, stagings+1, stagings)
		p.prove()
		all = append(all, p.problems...)
	}
	if len(all) > 0 {
		return all
	}
	return nil
}

// prove runs the stages; each one presumes the ones before it.
func (p *prover) prove() {
	for _, stage := range []func(){p.checkFields, p.matchMessages, p.checkLocalOrder, p.findNeeds, p.run, p.checkGoal} {
		stage()
		if len(p.problems) > 0 {
			return
		}
	}
}

func (p *prover) fail(rank, op int, format string, args ...any) {
	p.problems = append(p.problems, Problem{Rank: rank, Channel: p.channel, Op: op, What: fmt.Sprintf(format, args...)})
}

// checkFields refuses fields out of range and dependencies that are not earlier.
func (p *prover) checkFields() {
	for r, ops := range p.ops {
		for i, op := range ops {
			if what := p.badField(r, i, op); what != "" {
				p.fail(r, i, "%s", what)
			}
		}
	}
}

func (p *prover) badField(r, i int, op Op) string {
	chunks, slots := p.s.Chunks(), p.s.Slots()
	message := op.Kind == Send || op.Kind == Recv
	switch {
	case op.Kind >= kinds:
		return fmt.Sprintf("%s, want send, recv, reduce or copy", op.Kind)
	case message && (op.Peer < 0 || int(op.Peer) >= p.n):
		return fmt.Sprintf("%s: peer %d, want 0 to %d", op.Kind, op.Peer, p.n-1)
	case message && int(op.Peer) == r:
		return fmt.Sprintf("%s: peer %d is the rank itself", op.Kind, op.Peer)
	case !message && op.Peer != -1:
		return fmt.Sprintf("%s: peer %d, want none (-1)", op.Kind, op.Peer)
	case op.Chunk < 0 || int(op.Chunk) >= chunks:
		return fmt.Sprintf("%s: chunk %d, want 0 to %d", op.Kind, op.Chunk, chunks-1)
	case op.Kind == Send && op.Slot != -1:
		return fmt.Sprintf("send: slot %d, want none (-1): the matching recv names it", op.Slot)
	case op.Kind != Send && (op.Slot < 0 || int(op.Slot) >= slots):
		return fmt.Sprintf("%s: slot %d, want 0 to %d", op.Kind, op.Slot, slots-1)
	case op.After < -1 || int(op.After) >= i:
		return fmt.Sprintf("%s: after op %d, want an earlier op", op.Kind, op.After)
	case op.Acked < -1 || int(op.Acked) >= i:
		return fmt.Sprintf("%s: acked op %d, want an earlier send", op.Kind, op.Acked)
	case op.Acked >= 0 && p.ops[r][op.Acked].Kind != Send:
		return fmt.Sprintf("%s: acked op %d, which is a %s, want a send", op.Kind, op.Acked, p.ops[r][op.Acked].Kind)
	}
	return ""
}

// matchMessages pairs the k-th Send from a to b with the k-th Recv of b from a.
func (p *prover) matchMessages() {
	type pair struct{ from, to int32 }
	sends := map[pair][]int32{}
	for r, ops := range p.ops {
		for i, op := range ops {
			if op.Kind == Send {
				at := pair{int32(r), op.Peer}
				sends[at] = append(sends[at], int32(i))
			}
		}
	}
	for r, ops := range p.ops {
		for i, op := range ops {
			if op.Kind != Recv {
				continue
			}
			at := pair{op.Peer, int32(r)}
			if len(sends[at]) == 0 {
				p.fail(r, i, "%s: rank %d has no such send left for rank %d", op, op.Peer, r)
				continue
			}
			k := sends[at][0]
			sends[at] = sends[at][1:]
			p.match[r][i], p.match[op.Peer][k] = k, int32(i)
			if sent := p.ops[op.Peer][k]; sent.Chunk != op.Chunk {
				p.fail(r, i, "%s, but the matching op %d of rank %d sends chunk %d", op, k, op.Peer, sent.Chunk)
			}
		}
	}
	for r, ops := range p.ops {
		for i, op := range ops {
			if op.Kind == Send && p.match[r][i] < 0 {
				p.fail(r, i, "%s: rank %d has no recv for it", op, op.Peer)
			}
		}
	}
}

// checkLocalOrder proves what concerns one rank alone: its buffer is not
// overwritten while read, and what it reads has been written.
func (p *prover) checkLocalOrder() {
	for r := range p.ops {
		l := local{p: p, rank: r, received: make([]int, p.s.Slots()), unread: make([]bool, p.s.Slots()),
			written: make([]int, p.s.Chunks()), sends: make([][]int, p.s.Chunks())}
		for i := range l.received {
			l.received[i] = -1
		}
		for i := range l.written {
			l.written[i] = -1
		}
		for i, op := range p.ops[r] {
			l.op(i, op)
		}
		for slot, unread := range l.unread {
			if unread {
				p.fail(r, l.received[slot], "%s: never read", p.ops[r][l.received[slot]])
			}
		}
	}
}

// local follows one rank's program in order.
type local struct {
	p        *prover
	rank     int
	received []int   // [slot] the Recv that filled it last, -1 none
	unread   []bool  // [slot] and nothing has read it yet
	written  []int   // [chunk] the Reduce or Copy that wrote it last, -1 none
	sends    [][]int // [chunk] the Sends that read it since
}

func (l *local) op(i int, op Op) {
	if w := -1; op.Kind != Recv {
		if w = l.written[op.Chunk]; w >= 0 && l.p.done[l.rank][w] > int32(i) {
			l.p.fail(l.rank, i, "%s: op %d may still be writing chunk %d (wants after %d)", op, w, op.Chunk, w)
		}
	}
	switch op.Kind {
	case Send:
		l.sends[op.Chunk] = append(l.sends[op.Chunk], i)
	case Recv:
		if l.unread[op.Slot] {
			l.p.fail(l.rank, i, "%s: overwrites what op %d received, which nothing reads", op, l.received[op.Slot])
		}
		l.received[op.Slot], l.unread[op.Slot] = i, true
	default:
		l.apply(i, op)
	}
}

func (l *local) apply(i int, op Op) {
	m := l.received[op.Slot]
	switch {
	case m < 0:
		l.p.fail(l.rank, i, "%s: nothing has been received into slot %d", op, op.Slot)
	case l.p.done[l.rank][m] > int32(i):
		l.p.fail(l.rank, i, "%s: op %d may still be receiving into slot %d (wants after %d)", op, m, op.Slot, m)
	case l.p.ops[l.rank][m].Chunk != op.Chunk:
		l.p.fail(l.rank, i, "%s: slot %d holds chunk %d (op %d)", op, op.Slot, l.p.ops[l.rank][m].Chunk, m)
	}
	for _, s := range l.sends[op.Chunk] {
		if l.p.ackedBy[l.rank][s] > int32(i) {
			l.p.fail(l.rank, i, "%s: overwrites chunk %d, which op %d may still be sending (wants acked %d)", op, op.Chunk, s, s)
		}
	}
	l.unread[op.Slot] = false
	l.written[op.Chunk], l.sends[op.Chunk] = i, l.sends[op.Chunk][:0]
}
