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
//   - each Send has its Recv, whose chunk has the size of the one sent whatever
//     the sizes are;
//   - there is no deadlock, not even where an op waits for all ops before it, and
//     credits suffice (a cycle is printed);
//   - no message can land in a slot whose contents may still be read, and none
//     is lost;
//   - no op overwrites a chunk that an earlier Send may still read (it must be
//     acknowledged), and nothing reads a chunk or slot that is still being
//     written;
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
	a := newAim(goal, s)
	var all Problems
	for c := range s.Channels() {
		p := newProver(s, c, 1, 1)
		p.aim = &a
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
	for _, stage := range []func(){p.checkFields, p.matchMessages, p.checkLocalOrder, p.checkCredits, p.checkProgress,
		p.findNeeds, p.run, p.checkGoal} {
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
	chunks, slots, inputs := p.s.Chunks(), p.s.Slots(), Inputs(p.s)
	if op.Buffer == In {
		chunks = inputs
	}
	message := op.Kind == Send || op.Kind == Recv
	staged := op.Kind == Recv || op.Kind == Reduce || op.Kind == Copy
	switch {
	case op.Kind >= kinds:
		return fmt.Sprintf("%s, want send, recv, reduce, copy or keep", op.Kind)
	case op.Buffer >= bufferKinds || op.Buffer != Out && op.Kind != Send:
		return fmt.Sprintf("%s of the %s, want the output: only a send reads the input", op.Kind, op.Buffer)
	case message && (op.Peer < 0 || int(op.Peer) >= p.n):
		return fmt.Sprintf("%s: peer %d, want 0 to %d", op.Kind, op.Peer, p.n-1)
	case message && int(op.Peer) == r:
		return fmt.Sprintf("%s: peer %d is the rank itself", op.Kind, op.Peer)
	case !message && op.Peer != -1:
		return fmt.Sprintf("%s: peer %d, want none (-1)", op.Kind, op.Peer)
	case op.Buffer == In && inputs == 0:
		return fmt.Sprintf("%s of the input, but the schedule works in place", op.Kind)
	case op.Chunk < 0 || int(op.Chunk) >= chunks:
		return fmt.Sprintf("%s: %s, want 0 to %d", op.Kind, op.chunk(), chunks-1)
	case op.Kind == Keep && (op.Source < 0 || int(op.Source) >= inputs):
		return fmt.Sprintf("keep: source %d, want a chunk of the input, of which there are %d", op.Source, inputs)
	case op.Kind != Keep && op.Source != 0:
		return fmt.Sprintf("%s: source %d, want none (0)", op.Kind, op.Source)
	case op.Kind == Send && op.Slot != -1:
		return fmt.Sprintf("send: slot %d, want none (-1): the matching recv names it", op.Slot)
	case op.Kind == Keep && op.Slot != -1:
		return fmt.Sprintf("keep: slot %d, want none (-1)", op.Slot)
	case staged && (op.Slot < 0 || int(op.Slot) >= slots):
		return fmt.Sprintf("%s: slot %d, want 0 to %d", op.Kind, op.Slot, slots-1)
	case op.After < -1 || int(op.After) >= i:
		return fmt.Sprintf("%s: after op %d, want an earlier op", op.Kind, op.After)
	case op.Acked < -1 || int(op.Acked) >= i:
		return fmt.Sprintf("%s: acked op %d, want an earlier send", op.Kind, op.Acked)
	case op.Acked >= 0 && p.ops[r][op.Acked].Kind != Send:
		return fmt.Sprintf("%s: acked op %d, which is a %s, want a send", op.Kind, op.Acked, p.ops[r][op.Acked].Kind)
	case op.Window < 0 || op.Window > 0 && op.Kind != Send:
		return fmt.Sprintf("%s: window %d, want 0, or more for a send", op.Kind, op.Window)
	case op.Frees && op.Kind != Reduce && op.Kind != Copy:
		return fmt.Sprintf("%s frees a slot, want a reduce or copy", op.Kind)
	}
	return ""
}

// matchMessages pairs the k-th Send from a to b with the k-th Recv of b from a.
func (p *prover) matchMessages() {
	p.links = map[[2]int32]*link{}
	for r, ops := range p.ops {
		for i, op := range ops {
			if op.Kind == Send {
				at := [2]int32{int32(r), op.Peer}
				if p.links[at] == nil {
					p.links[at] = &link{}
				}
				l := p.links[at]
				p.order[r][i] = int32(len(l.sends))
				l.sends = append(l.sends, int32(i))
				l.windowed = l.windowed || op.Window > 0
			}
		}
	}
	for r, ops := range p.ops {
		for i, op := range ops {
			if op.Kind != Recv {
				continue
			}
			l := p.links[[2]int32{op.Peer, int32(r)}]
			if l == nil || len(l.recvs) == len(l.sends) {
				p.fail(r, i, "%s: rank %d has no such send left for rank %d", op, op.Peer, r)
				continue
			}
			k := l.sends[len(l.recvs)]
			p.order[r][i] = int32(len(l.recvs))
			l.recvs = append(l.recvs, int32(i))
			p.match[r][i], p.match[op.Peer][k] = k, int32(i)
			p.checkSize(r, i, int(k))
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

// checkSize refuses the Recv i of rank r if the matching Send k may carry
// another number of elements.
func (p *prover) checkSize(r, i, k int) {
	if p.aim == nil {
		return
	}
	op := p.ops[r][i]
	sent := p.ops[op.Peer][k]
	want, ok := p.aim.size(r, Out, p.channel, int(op.Chunk))
	if !ok {
		p.fail(r, i, "%s: the goal puts nothing in chunk %d of rank %d's output", op, op.Chunk, r)
		return
	}
	if got, ok := p.aim.size(int(op.Peer), sent.Buffer, p.channel, int(sent.Chunk)); !ok || got != want {
		p.fail(r, i, "%s, but the matching op %d of rank %d sends %s", op, k, op.Peer, sent.chunk())
	}
}

// checkLocalOrder proves what concerns one rank alone: its buffer is not
// overwritten while read, and what it reads has been written.
func (p *prover) checkLocalOrder() {
	for r := range p.ops {
		l := local{p: p, rank: r, slots: make([]filled, p.s.Slots()),
			written: make([]int, p.s.Chunks()), sends: make([][]int, p.s.Chunks())}
		for i := range l.slots {
			l.slots[i] = filled{by: -1, freed: -1}
		}
		for i := range l.written {
			l.written[i] = -1
		}
		for i, op := range p.ops[r] {
			l.op(i, op)
		}
		for _, s := range l.slots {
			if s.unread {
				p.fail(r, s.by, "%s: never read", p.ops[r][s.by])
			}
		}
	}
}

// local follows one rank's program in order.
type local struct {
	p       *prover
	rank    int
	slots   []filled
	written []int   // [chunk] the op that wrote it last, -1 none
	sends   [][]int // [chunk] the Sends that read it since
}

// filled is what a slot holds.
type filled struct {
	by      int   // the Recv that filled it last, -1 none
	unread  bool  // and nothing has read it yet
	freed   int   // the op that freed it, -1 none
	readers []int // the ops that have read it
}

func (l *local) op(i int, op Op) {
	if op.Kind != Recv && op.Buffer == Out {
		if w := l.written[op.Chunk]; w >= 0 && l.p.done[l.rank][w] > int32(i) {
			l.p.fail(l.rank, i, "%s: op %d may still be writing chunk %d (wants after %d)", op, w, op.Chunk, w)
		}
	}
	switch op.Kind {
	case Send:
		if op.Buffer == Out {
			l.sends[op.Chunk] = append(l.sends[op.Chunk], i)
		}
	case Recv:
		s := &l.slots[op.Slot]
		if s.unread {
			l.p.fail(l.rank, i, "%s: overwrites what op %d received, which nothing reads", op, s.by)
		}
		*s = filled{by: i, unread: true, freed: -1}
	case Keep:
		l.write(i, op)
	default:
		l.apply(i, op)
	}
}

func (l *local) apply(i int, op Op) {
	s := &l.slots[op.Slot]
	m := s.by
	switch {
	case m < 0:
		l.p.fail(l.rank, i, "%s: nothing has been received into slot %d", op, op.Slot)
	case l.p.done[l.rank][m] > int32(i):
		l.p.fail(l.rank, i, "%s: op %d may still be receiving into slot %d (wants after %d)", op, m, op.Slot, m)
	case l.p.ops[l.rank][m].Chunk != op.Chunk:
		l.p.fail(l.rank, i, "%s: slot %d holds chunk %d (op %d)", op, op.Slot, l.p.ops[l.rank][m].Chunk, m)
	case s.freed >= 0:
		l.p.fail(l.rank, i, "%s: op %d has freed slot %d", op, s.freed, op.Slot)
	}
	if op.Frees && m >= 0 {
		for _, reader := range s.readers {
			if l.p.done[l.rank][reader] > int32(i) {
				l.p.fail(l.rank, i, "%s: op %d may still be reading the slot that it frees (wants after %d)",
					op, reader, reader)
			}
		}
		s.freed, l.p.freedBy[l.rank][m] = i, int32(i)
	}
	s.unread, s.readers = false, append(s.readers, i)
	l.write(i, op)
}

// write notes that op i overwrites its chunk.
func (l *local) write(i int, op Op) {
	for _, s := range l.sends[op.Chunk] {
		if l.p.ackedBy[l.rank][s] > int32(i) {
			l.p.fail(l.rank, i, "%s: overwrites chunk %d, which op %d may still be sending (wants acked %d)",
				op, op.Chunk, s, s)
		}
	}
	l.written[op.Chunk], l.sends[op.Chunk] = i, l.sends[op.Chunk][:0]
}
