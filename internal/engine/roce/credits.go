package roce

import (
	"slices"

	"railyard/internal/base/unit"
)

// A credit is what a receiving rank gives when it has read a staging slot that serves again: in the
// library a reliable write of a counter (NCCL writes the head of the receive buffer). A frame says
// how many credits of one collective there have been on the connection, so one that comes twice or
// late does nothing; the sender answers with that number, and the receiver repeats the frame as
// long as an answer is missing.

// Given is the receiving end's account of credits.
type Given struct {
	colls      []given
	unanswered int       // credits
	due        unit.Time // by when those that were given first of them are to have one; 0: all have
}

// given is the credits of a collective.
type given struct {
	coll     int32
	count    uint32 // given
	answered uint32 // of those, what is known to be known to the sender
	waits    uint32 // were given when due was set
}

func (g *Given) of(coll int32) *given {
	i := slices.IndexFunc(g.colls, func(c given) bool { return c.coll == coll })
	if i < 0 {
		i = len(g.colls)
		g.colls = append(g.colls, given{coll: coll})
	}
	return &g.colls[i]
}

// Give gives one more credit and writes it to pk.
func (g *Given) Give(coll int32, pk *Packet) {
	c := g.of(coll)
	c.count++
	g.unanswered++
	credit(coll, c.count, pk)
}

// credit writes how many credits of a collective there have been.
func credit(coll int32, count uint32, pk *Packet) {
	*pk = Packet{Opcode: CreditGiven, Coll: coll, Count: count}
}

// OnAnswer notes that the sender knows of so many.
func (g *Given) OnAnswer(coll int32, count uint32) {
	c := g.of(coll)
	if news := int32(count - c.answered); news > 0 {
		c.answered = count
		g.unanswered -= int(news)
	}
	if g.unanswered == 0 {
		g.due = 0
	}
}

// Await has what is given until now answered by a time, a retransmission timeout ahead, unless something is awaited already. It
// returns by when that is: the driver calls Repeat then, if that is still Due.
func (g *Given) Await(by unit.Time) unit.Time {
	if g.due == 0 {
		g.due = by
		for i := range g.colls {
			g.colls[i].waits = g.colls[i].count
		}
	}
	return g.due
}

// Due is by when the answer to what is awaited must have come; 0: nothing is awaited, since all is answered.
func (g *Given) Due() unit.Time { return g.due }

// Repeat sends again, when the answers that are awaited must have come, each credit whose answer has not; pk is
// written for that. It reports whether any answer is missing, awaited or not: then Await is to be asked again.
func (g *Given) Repeat(pk *Packet, send func(*Packet)) (missing bool) {
	g.due = 0
	for i := range g.colls {
		c := &g.colls[i]
		if int32(c.waits-c.answered) > 0 {
			credit(c.coll, c.count, pk)
			send(pk)
		}
	}
	return g.unanswered > 0
}

// Known is the sending end's account: how many credits of each collective have come.
type Known struct {
	colls []known
}

type known struct {
	coll  int32
	count uint32
}

// OnCredit notes that there have been so many credits of a collective. It returns how many of them
// are new.
func (k *Known) OnCredit(coll int32, count uint32) int {
	i := slices.IndexFunc(k.colls, func(c known) bool { return c.coll == coll })
	if i < 0 {
		i = len(k.colls)
		k.colls = append(k.colls, known{coll: coll})
	}
	c := &k.colls[i]
	news := max(0, int32(count-c.count))
	c.count += uint32(news)
	return int(news)
}
