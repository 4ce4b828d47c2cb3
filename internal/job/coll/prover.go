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
	aim      *aim // nil: contributions are not followed, and there is no goal

	ops     [][]Op             // [rank][i]
	match   [][]int32          // [rank][i] the peer's op of the same message, -1 none
	order   [][]int32          // [rank][i] Send, Recv: the number of the message on its link, in a round
	freedBy [][]int32          // [rank][Recv] the op that frees its slot, -1 none
	links   map[[2]int32]*link // by sender and receiver
	done    [][]int32          // [rank][i] the first op that starts only after op i has completed; Len: the end
	ackedBy [][]int32          // [rank][i] the first op that starts only after Send i is acknowledged; Len: the end
	// need is [rank][unrolled Recv] the op that must have started before the message may be sent,
	// -1 none.
	need     [][]int32
	problems Problems

	// state of the execution
	pc      []int       // [rank] unrolled
	clock   [][]int32   // [rank][q] newest op of q known to have started; Mattern's vector time
	waits   []wait      // [rank]
	arrived [][]arrival // [rank][unrolled Recv]
	// before is [rank][unrolled Recv] the message in its slot before: its sender, its number over
	// all rounds.
	before  [][]wait
	credits []map[int32][]int32 // [rank][unrolled op that frees] its clock
	read    map[[2]int32]int    // [link] how many messages the sender knows to have been read
	terms   terms
	holds   [][]value // [rank][chunk]
	writer  [][]int   // [rank][chunk] op that wrote it last, -1 none
}

// value is what a chunk holds: contributions from chunk piece of the inputs.
type value struct {
	piece int32
	of    term
}

// arrival is a message that has been sent.
type arrival struct {
	sent  bool
	clock []int32 // the sender's clock at the start of the Send; nil once joined
	value value
}

func newProver(s Schedule, channel, rounds, stagings int) *prover {
	p := &prover{s: s, channel: channel, n: s.Ranks(), rounds: rounds, stagings: stagings}
	p.ops = make([][]Op, p.n)
	p.match, p.done, p.ackedBy = make([][]int32, p.n), make([][]int32, p.n), make([][]int32, p.n)
	p.order, p.freedBy = make([][]int32, p.n), make([][]int32, p.n)
	for r := range p.ops {
		length := s.Len(r, channel)
		p.ops[r] = make([]Op, length)
		p.match[r], p.done[r], p.ackedBy[r] = make([]int32, length), make([]int32, length), make([]int32, length)
		p.order[r], p.freedBy[r] = make([]int32, length), make([]int32, length)
		for i := range p.ops[r] {
			p.ops[r][i] = s.Op(r, channel, i)
			p.match[r][i], p.done[r][i], p.ackedBy[r][i] = -1, int32(length), int32(length)
			p.freedBy[r][i] = -1
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
// the message may be on its way, the first that knows the slot's previous
// contents to have been read; and which message those were, of which a credit may
// have told the sender the same.
func (p *prover) findNeeds() {
	p.need, p.before = make([][]int32, p.n), make([][]wait, p.n)
	for r, ops := range p.ops {
		p.need[r], p.before[r] = make([]int32, p.rounds*p.span(r)), make([]wait, p.rounds*p.span(r))
		read := make([]int32, p.stagings*p.s.Slots()) // [area, slot] when the readers so far are done
		last := make([]wait, p.stagings*p.s.Slots())  // [area, slot] the message that came last
		for i := range read {
			read[i], last[i] = -1, wait{rank: -1}
		}
		for round := range p.rounds {
			base, area := round*p.span(r), round%p.stagings*p.s.Slots()
			for i, op := range ops {
				switch op.Kind {
				case Recv:
					at := area + int(op.Slot)
					p.need[r][base+i], p.before[r][base+i] = read[at], last[at]
					messages := len(p.links[[2]int32{op.Peer, int32(r)}].sends)
					last[at] = wait{int(op.Peer), round*messages + int(p.order[r][i])}
				case Reduce, Copy:
					read[area+int(op.Slot)] = max(read[area+int(op.Slot)], int32(base)+p.done[r][i])
				}
			}
		}
	}
}

// run executes the unrolled programs, each rank as far as it gets. It comes to
// the end: checkProgress has shown it where more waits.
func (p *prover) run() {
	p.reset()
	work := make([]int, p.n)
	for r := range work {
		work[r] = p.n - 1 - r
	}
	for len(work) > 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		for p.pc[r] < p.rounds*p.span(r) && p.ready(r) {
			p.start(r)
			if len(p.problems) > 0 {
				return
			}
			p.pc[r]++
			if q := p.answers(r, p.pc[r]-1); q >= 0 && p.waits[q].rank == r && p.waits[q].op < p.pc[r] {
				p.waits[q].rank = -1
				work = append(work, q)
			}
		}
	}
}

func (p *prover) reset() {
	p.pc, p.waits = make([]int, p.n), make([]wait, p.n)
	p.clock, p.arrived = make([][]int32, p.n), make([][]arrival, p.n)
	p.credits, p.read = make([]map[int32][]int32, p.n), map[[2]int32]int{}
	p.holds, p.writer = make([][]value, p.n), make([][]int, p.n)
	p.terms = newTerms(p.n)
	for r := range p.pc {
		p.waits[r] = wait{rank: -1}
		p.credits[r] = map[int32][]int32{}
		p.clock[r] = make([]int32, p.n)
		for q := range p.clock[r] {
			p.clock[r][q] = -1
		}
		p.arrived[r] = make([]arrival, p.rounds*p.span(r))
		if p.aim == nil {
			continue
		}
		p.holds[r], p.writer[r] = make([]value, p.s.Chunks()), make([]int, p.s.Chunks())
		for c := range p.holds[r] {
			p.writer[r][c] = -1
			if p.aim.starts(r, p.channel, c) {
				p.holds[r][c] = value{int32(c), leaf(r)}
			}
		}
	}
}

// ready reports whether rank r's next op can start, and takes over what the rank
// learns by that. Only messages and credits make a rank wait: reductions and
// acknowledgements of what has been sent come by themselves.
func (p *prover) ready(r int) bool {
	round := p.pc[r] / p.span(r)
	base := round * p.span(r)
	i := p.pc[r] - base
	if i == len(p.ops[r]) {
		for m, op := range p.ops[r] {
			if op.Kind == Recv && !p.learn(r, base+m, int(op.Peer)) {
				return false
			}
		}
		return true
	}
	op := p.ops[r][i]
	if a := op.After; a >= 0 && p.ops[r][a].Kind == Recv && !p.learn(r, base+int(a), int(p.ops[r][a].Peer)) {
		return false
	}
	return op.Kind != Send || p.allowed(r, round, i, op)
}

// learn joins the clock of the message that unrolled Recv m takes from rank q, if
// it is there.
func (p *prover) learn(r, m, q int) bool {
	a := &p.arrived[r][m]
	if !a.sent {
		p.waits[r] = wait{q, m/p.span(r)*p.span(q) + int(p.match[r][m%p.span(r)])}
		return false
	}
	p.join(r, a.clock)
	a.clock = nil
	return true
}

// allowed joins the clock of the credit that Send i waits for, if it has come.
func (p *prover) allowed(r, round, i int, op Op) bool {
	u, read, ok := p.credit(r, round, i)
	if !ok {
		return true
	}
	q := int(op.Peer)
	if p.pc[q] <= u {
		p.waits[r] = wait{q, u}
		return false
	}
	p.join(r, p.credits[q][int32(u)])
	at := [2]int32{int32(r), op.Peer}
	p.read[at] = max(p.read[at], read)
	return true
}

func (p *prover) join(r int, clock []int32) {
	for q, t := range clock {
		p.clock[r][q] = max(p.clock[r][q], t)
	}
}

// start performs rank r's next op.
func (p *prover) start(r int) {
	u := p.pc[r]
	p.clock[r][r] = int32(u)
	i := u % p.span(r)
	if i == len(p.ops[r]) {
		return
	}
	switch op := p.ops[r][i]; op.Kind {
	case Send:
		p.send(r, u, i, op)
	case Reduce, Copy, Keep:
		if op.Frees {
			p.credits[r][int32(u)] = append([]int32(nil), p.clock[r]...)
		}
		p.apply(r, u, i, op)
	}
}

func (p *prover) send(r, u, i int, op Op) {
	q := int(op.Peer)
	m := u/p.span(r)*p.span(q) + int(p.match[r][i])
	before := p.before[q][m]
	if p.clock[r][q] < p.need[q][m] && (before.rank != r || before.op >= p.read[[2]int32{int32(r), op.Peer}]) {
		p.failSlot(r, u, i, q, m)
		return
	}
	a := arrival{sent: true, clock: append([]int32(nil), p.clock[r]...)}
	if p.aim != nil {
		a.value = p.reads(r, op)
		if a.value.of == nothing {
			p.fail(r, i, "%s: the chunk holds no contribution yet", op)
		}
	}
	p.arrived[q][m] = a
}

// reads is the value of the chunk that a Send reads.
func (p *prover) reads(r int, op Op) value {
	if op.Buffer == Out {
		return p.holds[r][op.Chunk]
	}
	return p.input(r, op.Chunk)
}

// input is the value of a chunk of rank r's input.
func (p *prover) input(r int, chunk int32) value {
	if !p.aim.inputs(r, int(chunk)) {
		return value{}
	}
	return value{chunk, leaf(r)}
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
	p.fail(r, i, "%s: may land in slot %d of rank %d (op %d) before its op %d has read it",
		p.ops[r][i], slot, q, recv, reader)
}

// apply performs a Reduce, Copy or Keep on contributions.
func (p *prover) apply(r, u, i int, op Op) {
	if p.aim == nil {
		return
	}
	var v value
	if op.Kind == Keep {
		if v = p.input(r, op.Source); v.of == nothing {
			p.fail(r, i, "%s: the rank has no such input", op)
			return
		}
	} else {
		v = p.arrived[r][u-i+p.filledBy(r, i)].value
	}
	if op.Kind == Reduce {
		old := p.holds[r][op.Chunk]
		switch twice := p.terms.common(old.of, v.of); {
		case old.of == nothing:
			p.fail(r, i, "%s: the chunk holds no contribution to add to", op)
			return
		case old.piece != v.piece:
			p.fail(r, i, "%s: adds what comes from chunk %d to what comes from chunk %d", op, v.piece, old.piece)
			return
		case len(twice) > 0:
			p.fail(r, i, "%s: the contribution of %s is doubled", op, ranks(twice))
			return
		}
		v.of = p.terms.add(old.of, v.of)
	}
	p.holds[r][op.Chunk], p.writer[r][op.Chunk] = v, i
}

// checkGoal compares what every rank holds with the goal.
func (p *prover) checkGoal() {
	if p.aim == nil {
		return
	}
	for r := range p.n {
		if p.aim.Collective == Barrier {
			p.checkBarrier(r)
			continue
		}
		for c := range p.s.Chunks() {
			if w, ok := p.aim.want(r, p.channel, c); ok {
				p.checkChunk(r, c, w)
			}
		}
	}
}

// checkBarrier proves that every member has begun when rank r ends.
func (p *prover) checkBarrier(r int) {
	if p.aim.index[r] < 0 {
		return
	}
	for _, q := range p.aim.members {
		if int(q) != r && p.clock[r][q] < 0 {
			p.fail(r, -1, "may end before rank %d begins", q)
			return
		}
	}
}

func (p *prover) checkChunk(r, c int, w part) {
	v := p.holds[r][c]
	var lacking, more []int
	for q := range p.n {
		wanted := w.from == q || w.from < 0 && p.aim.index[q] >= 0
		switch has := v.of != nothing && p.terms.has(v.of, q); {
		case wanted && !has:
			lacking = append(lacking, q)
		case has && !wanted:
			more = append(more, q)
		}
	}
	first := int(p.aim.members[0])
	switch {
	case len(lacking) > 0 && p.aim.Collective.InPlace():
		p.fail(r, p.writer[r][c], "chunk %d ends without the contribution of %s", c, ranks(lacking))
	case len(lacking) > 0:
		p.fail(r, p.writer[r][c], "chunk %d ends without chunk %d of the input of %s", c, w.piece, ranks(lacking))
	case len(more) > 0:
		p.fail(r, p.writer[r][c], "chunk %d ends with a contribution of %s too", c, ranks(more))
	case int(v.piece) != w.piece:
		p.fail(r, p.writer[r][c], "chunk %d ends with chunk %d of what it wants chunk %d of", c, v.piece, w.piece)
	case p.aim.Collective == AllReduce && v != p.holds[first][c]:
		p.fail(r, p.writer[r][c],
			"chunk %d is summed in another order than on rank %d: their bits may differ", c, first)
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
