package coll

import (
	"fmt"
	"strings"
)

// prover proves one channel. Channels share no slot and no chunk, and what it
// does not know of the other channels could only order more.
//
// It unrolls the program `rounds` times: round k of rank r has the indices
// k*(Len+1) .. k*(Len+1)+Len, the last being the end of the round, where the
// rank waits for all its ops and acknowledgements. Clocks count these indices.
type prover struct {
	s        Schedule
	channel  int
	n        int
	rounds   int
	stagings int
	goal     Goal
	symbolic bool // follow contributions and check the goal

	ops      [][]Op    // [rank][i]
	match    [][]int32 // [rank][i] the peer's op of the same message, -1 none
	done     [][]int32 // [rank][i] the first op that starts only after op i has completed; Len: the end
	ackedBy  [][]int32 // [rank][i] the first op that starts only after Send i is acknowledged; Len: the end
	need     [][]int32 // [rank][unrolled Recv] the op that must have started before the message may be sent, -1 none
	problems Problems

	// state of the execution
	pc      []int       // [rank] unrolled
	clock   [][]int32   // [rank][q] newest op of q known to have started; Mattern's vector time
	waits   []int       // [rank] the unrolled Recv it waits for, -1 none
	arrived [][]arrival // [rank][unrolled Recv]
	terms   terms
	holds   [][]term // [rank][chunk]
	slots   [][]term // [rank][slot]
	writer  [][]int  // [rank][chunk] op that wrote it last, -1 none
}

// arrival is a message that has been sent.
type arrival struct {
	sent  bool
	clock []int32 // the sender's clock at the start of the Send; nil once joined
	value term
}

func newProver(s Schedule, channel, rounds, stagings int) *prover {
	p := &prover{s: s, channel: channel, n: s.Ranks(), rounds: rounds, stagings: stagings}
	p.ops = make([][]Op, p.n)
	p.match, p.done, p.ackedBy = make([][]int32, p.n), make([][]int32, p.n), make([][]int32, p.n)
	for r := range p.ops {
		length := s.Len(r, channel)
		p.ops[r] = make([]Op, length)
		p.match[r], p.done[r], p.ackedBy[r] = make([]int32, length), make([]int32, length), make([]int32, length)
		for i := range p.ops[r] {
			p.ops[r][i] = s.Op(r, channel, i)
			p.match[r][i], p.done[r][i], p.ackedBy[r][i] = -1, int32(length), int32(length)
		}
		for i, op := range p.ops[r] {
			if op.After >= 0 && int(op.After) < i {
				p.done[r][op.After] = min(p.done[r][op.After], int32(i))
			}
			if op.Acked >= 0 && int(op.Acked) < i {
				p.ackedBy[r][op.Acked] = min(p.ackedBy[r][op.Acked], int32(i))
			}
		}
	}
	return p
}

// span is the number of unrolled indices of one round of a rank.
func (p *prover) span(rank int) int { return len(p.ops[rank]) + 1 }

// findNeeds notes for each Recv which op of its rank must have started before
// the message may be on its way: the first that knows the slot's previous
// contents to have been read.
func (p *prover) findNeeds() {
	p.need = make([][]int32, p.n)
	for r, ops := range p.ops {
		p.need[r] = make([]int32, p.rounds*p.span(r))
		read := make([]int32, p.stagings*p.s.Slots()) // [area, slot] when the readers so far are done
		for i := range read {
			read[i] = -1
		}
		for round := range p.rounds {
			base, area := round*p.span(r), round%p.stagings*p.s.Slots()
			for i, op := range ops {
				switch op.Kind {
				case Recv:
					p.need[r][base+i] = read[area+int(op.Slot)]
				case Reduce, Copy:
					read[area+int(op.Slot)] = max(read[area+int(op.Slot)], int32(base)+p.done[r][i])
				}
			}
		}
	}
}

// run executes the unrolled programs, each rank as far as it gets.
func (p *prover) run() {
	p.reset()
	work := make([]int, p.n)
	for r := range work {
		work[r] = p.n - 1 - r
	}
	for len(work) > 0 && len(p.problems) == 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		for p.pc[r] < p.rounds*p.span(r) && p.ready(r) {
			if q := p.start(r); q >= 0 {
				work = append(work, q)
			}
			if len(p.problems) > 0 {
				return
			}
			p.pc[r]++
		}
	}
	p.checkDeadlock()
}

func (p *prover) reset() {
	p.pc, p.waits = make([]int, p.n), make([]int, p.n)
	p.clock, p.arrived = make([][]int32, p.n), make([][]arrival, p.n)
	p.holds, p.slots, p.writer = make([][]term, p.n), make([][]term, p.n), make([][]int, p.n)
	p.terms = newTerms(p.n)
	for r := range p.pc {
		p.waits[r] = -1
		p.clock[r] = make([]int32, p.n)
		for q := range p.clock[r] {
			p.clock[r][q] = -1
		}
		p.arrived[r] = make([]arrival, p.rounds*p.span(r))
		if !p.symbolic {
			continue
		}
		p.holds[r], p.slots[r] = make([]term, p.s.Chunks()), make([]term, p.s.Slots())
		p.writer[r] = make([]int, p.s.Chunks())
		for c := range p.holds[r] {
			p.writer[r][c] = -1
			if p.goal.starts(int32(r), p.channel, c) {
				p.holds[r][c] = leaf(r)
			}
		}
	}
}

// ready reports whether rank r's next op can start, and takes over what the rank
// learns by that. Only messages make a rank wait: reductions and acknowledgements
// of what has been sent come by themselves.
func (p *prover) ready(r int) bool {
	base := p.pc[r] / p.span(r) * p.span(r)
	i := p.pc[r] - base
	if i < len(p.ops[r]) {
		after := p.ops[r][i].After
		return after < 0 || p.ops[r][after].Kind != Recv || p.learn(r, base+int(after))
	}
	for m, op := range p.ops[r] {
		if op.Kind == Recv && !p.learn(r, base+m) {
			return false
		}
	}
	return true
}

// learn joins the clock of the message that unrolled Recv m takes, if it is there.
func (p *prover) learn(r, m int) bool {
	a := &p.arrived[r][m]
	if !a.sent {
		p.waits[r] = m
		return false
	}
	for q, t := range a.clock {
		p.clock[r][q] = max(p.clock[r][q], t)
	}
	a.clock = nil
	return true
}

// start performs rank r's next op. It returns a rank that this releases, or -1.
func (p *prover) start(r int) int {
	u := p.pc[r]
	p.clock[r][r] = int32(u)
	i := u % p.span(r)
	if i == len(p.ops[r]) {
		return -1
	}
	switch op := p.ops[r][i]; op.Kind {
	case Send:
		return p.send(r, u, i, op)
	case Reduce, Copy:
		p.apply(r, u, i, op)
	}
	return -1
}

func (p *prover) send(r, u, i int, op Op) int {
	q := int(op.Peer)
	m := u/p.span(r)*p.span(q) + int(p.match[r][i])
	if need := p.need[q][m]; p.clock[r][q] < need {
		p.failSlot(r, u, i, q, m)
		return -1
	}
	a := arrival{sent: true, clock: append([]int32(nil), p.clock[r]...)}
	if p.symbolic {
		a.value = p.holds[r][op.Chunk]
		if a.value == nothing {
			p.fail(r, i, "%s: the chunk holds no contribution yet", op)
		}
	}
	p.arrived[q][m] = a
	if p.waits[q] != m {
		return -1
	}
	p.waits[q] = -1
	return q
}

// failSlot reports that the message of unrolled Send u may land in a slot whose
// contents rank q has still to read.
func (p *prover) failSlot(r, u, i, q, m int) {
	recv := p.match[r][i]
	slot := p.ops[q][recv].Slot
	reader, when := -1, ""
	for j, op := range p.ops[q] {
		if (op.Kind == Reduce || op.Kind == Copy) && op.Slot == slot && (reader < 0 || j < int(recv)) {
			reader = j
		}
	}
	if reader > int(recv) {
		when = fmt.Sprintf(" in run %d", m/p.span(q)-p.stagings)
	}
	if p.rounds > 1 {
		p.fail(r, i, "%s of run %d: may land in slot %d of rank %d before its op %d has read it%s",
			p.ops[r][i], u/p.span(r), slot, q, reader, when)
		return
	}
	p.fail(r, i, "%s: may land in slot %d of rank %d (op %d) before its op %d has read it", p.ops[r][i], slot, q, recv, reader)
}

// apply performs a Reduce or Copy on contributions.
func (p *prover) apply(r, u, i int, op Op) {
	if !p.symbolic {
		return
	}
	value := p.slotValue(r, u, i, op)
	if op.Kind == Reduce {
		old := p.holds[r][op.Chunk]
		if old == nothing {
			p.fail(r, i, "%s: the chunk holds no contribution to add to", op)
			return
		}
		if twice := p.terms.common(old, value); len(twice) > 0 {
			p.fail(r, i, "%s: the contribution of %s is doubled", op, ranks(twice))
			return
		}
		value = p.terms.add(old, value)
	}
	p.holds[r][op.Chunk], p.writer[r][op.Chunk] = value, i
}

// slotValue is what op i of rank r reads: the message of the last Recv into its slot.
func (p *prover) slotValue(r, u, i int, op Op) term {
	m := i - 1
	for p.ops[r][m].Kind != Recv || p.ops[r][m].Slot != op.Slot { // checkLocalOrder found it there
		m--
	}
	return p.arrived[r][u-i+m].value
}

// checkDeadlock reports the ranks that did not reach their end.
func (p *prover) checkDeadlock() {
	for r := range p.pc {
		if p.pc[r] == p.rounds*p.span(r) {
			continue
		}
		m := p.waits[r] % p.span(r)
		recv := p.ops[r][m]
		p.fail(r, p.pc[r]%p.span(r), "deadlock: waits for op %d (%s), which is op %d of rank %d; that rank is at its op %d",
			m, recv, p.match[r][m], recv.Peer, p.pc[recv.Peer]%p.span(int(recv.Peer)))
	}
}

// checkGoal compares what every rank holds with the goal.
func (p *prover) checkGoal() {
	if !p.symbolic {
		return
	}
	for r := range p.n {
		for c := range p.s.Chunks() {
			if p.goal.wants(int32(r), p.channel, c) {
				p.checkChunk(r, c)
			}
		}
	}
}

func (p *prover) checkChunk(r, c int) {
	var lacking []int
	for q := range p.n { // only what starts with a contribution can have brought one
		if p.goal.starts(int32(q), p.channel, c) && !p.terms.has(p.holds[r][c], q) {
			lacking = append(lacking, q)
		}
	}
	switch {
	case len(lacking) > 0:
		p.fail(r, p.writer[r][c], "chunk %d ends without the contribution of %s", c, ranks(lacking))
	case p.goal.Collective == AllReduce && p.holds[r][c] != p.holds[0][c]:
		p.fail(r, p.writer[r][c], "chunk %d is summed in another order than on rank 0: their bits may differ", c)
	}
}

// ranks prints a list of ranks: "rank 3", "ranks 1, 4 and 5".
func ranks(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("rank %d", list[0])
	}
	var b strings.Builder
	b.WriteString("ranks ")
	for i, r := range list {
		switch {
		case i == len(list)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, r)
	}
	return b.String()
}
