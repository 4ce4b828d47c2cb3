package coll

import (
	"fmt"
	"strings"
)

// link is what goes from one rank to another in the channel.
type link struct {
	sends, recvs []int32 // ops of the two ranks, the k-th of both for the k-th message
	freed        []int32 // [message] the receiver's op that gives the last credit for it and all messages before it
	windowed     bool    // some Send has a Window
}

// checkCredits proves that credits count: where a Send of a link waits for them,
// each message of the link gives one.
func (p *prover) checkCredits() {
	for q, ops := range p.ops {
		for i, op := range ops {
			if op.Kind != Recv {
				continue
			}
			l := p.links[[2]int32{op.Peer, int32(q)}]
			switch by := p.freedBy[q][i]; {
			case by < 0 && l.windowed:
				p.fail(q, i, "%s: nothing frees slot %d, but rank %d waits for credits", op, op.Slot, op.Peer)
			case by >= 0 && !l.windowed:
				p.fail(q, int(by), "%s: rank %d waits for no credit", p.ops[q][by], op.Peer)
			default:
				if n := len(l.freed); n > 0 {
					by = max(by, l.freed[n-1])
				}
				l.freed = append(l.freed, by)
			}
		}
	}
}

// credit returns what Send i of rank r in a round waits for: the peer's unrolled
// op that gives the credit, and how many messages, counted from the first run
// on, it says to have been read. ok is false if it waits for none.
func (p *prover) credit(r, round, i int) (u, read int, ok bool) {
	op := p.ops[r][i]
	l := p.links[[2]int32{int32(r), op.Peer}]
	k := round*len(l.sends) + int(p.order[r][i]) - int(op.Window)
	if op.Window == 0 || k < 0 {
		return 0, 0, false
	}
	q := int(op.Peer)
	return k/len(l.sends)*p.span(q) + int(l.freed[k%len(l.sends)]), k + 1, true
}

// checkProgress proves that every rank reaches its end, each op waiting for all
// before it: a driver that orders less waits for less. It knows no clocks: only
// messages and credits make a rank wait.
func (p *prover) checkProgress() {
	pc := make([]int, p.n)
	waits := make([]wait, p.n)
	work := make([]int, 0, p.n)
	for r := range pc {
		waits[r] = wait{rank: -1}
		work = append(work, p.n-1-r)
	}
	for len(work) > 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		for pc[r] < p.rounds*p.span(r) {
			w := p.blocked(r, pc)
			waits[r] = w
			if w.rank >= 0 {
				break
			}
			pc[r]++
			// Whoever waits for what r has just done goes on.
			if q := p.answers(r, pc[r]-1); q >= 0 && waits[q].rank == r && waits[q].op < pc[r] {
				waits[q].rank = -1
				work = append(work, q)
			}
		}
	}
	for r := range pc {
		if pc[r] < p.rounds*p.span(r) {
			p.failCycle(r, pc, waits)
			return
		}
	}
}

// wait is the unrolled op of another rank that a rank waits for.
type wait struct {
	rank, op int // rank -1: none
}

// blocked returns what rank r waits for before its next op can be done.
func (p *prover) blocked(r int, pc []int) wait {
	round, i := pc[r]/p.span(r), pc[r]%p.span(r)
	if i == len(p.ops[r]) {
		return wait{rank: -1}
	}
	op := p.ops[r][i]
	w := wait{rank: -1}
	switch q := int(op.Peer); op.Kind {
	case Recv:
		w = wait{q, round*p.span(q) + int(p.match[r][i])}
	case Send:
		if u, _, ok := p.credit(r, round, i); ok {
			w = wait{q, u}
		}
	}
	if w.rank >= 0 && pc[w.rank] > w.op {
		w.rank = -1
	}
	return w
}

// answers returns the rank to which rank r's unrolled op says something, -1 none.
func (p *prover) answers(r, u int) int {
	i := u % p.span(r)
	if i == len(p.ops[r]) {
		return -1
	}
	switch op := p.ops[r][i]; {
	case op.Kind == Send:
		return int(op.Peer)
	case op.Frees:
		return int(p.ops[r][p.filledBy(r, i)].Peer)
	}
	return -1
}

// filledBy returns the Recv whose message op i of rank r reads.
func (p *prover) filledBy(r, i int) int {
	m := i - 1
	for p.ops[r][m].Kind != Recv || p.ops[r][m].Slot != p.ops[r][i].Slot { // checkLocalOrder found it there
		m--
	}
	return m
}

// failCycle prints the ranks that wait for each other, beginning from one that
// has not reached its end.
func (p *prover) failCycle(r int, pc []int, waits []wait) {
	seen := make([]bool, p.n)
	for !seen[r] {
		seen[r] = true
		r = waits[r].rank
	}
	first, cycle := r, 0
	var steps []string
	for ok := true; ok; ok = r != first {
		w := waits[r]
		if cycle++; cycle <= maxProblems {
			at, of := pc[r]%p.span(r), w.op%p.span(w.rank)
			steps = append(steps, fmt.Sprintf("rank %d at op %d (%s) waits for op %d (%s) of rank %d",
				r, at, p.ops[r][at], of, p.ops[w.rank][of], w.rank))
		}
		r = w.rank
	}
	if cycle > maxProblems {
		steps = append(steps, fmt.Sprintf("and so on round %d ranks", cycle))
	}
	what := "deadlock"
	if p.rounds > 1 {
		what = fmt.Sprintf("deadlock in run %d", pc[first]/p.span(first))
	}
	p.fail(first, pc[first]%p.span(first), "%s: %s", what, strings.Join(steps, ", "))
}
