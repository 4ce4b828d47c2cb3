package exec

import (
	"fmt"

	"railyard/internal/base/cause"
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// credits is what a channel of a collective whose staging slots serve in turn knows of them.
// Unlike the rest of a channelRun it lasts from step to step: so do the slots.
type credits struct {
	outOf lists.Numbers // by peer: a rank of the job
	inOf  lists.Numbers // by peer, as the schedule numbers it
	out   []outLink
	in    []inLink
	slots []held // by slot
}

// newCredits returns what is known of so many slots. Most channels have one peer on either side: what is known of that lies
// beside it, since each message needs it.
func newCredits(slots int) *credits {
	var room struct {
		credits
		peers [1]outLink
		froms [1]inLink
	}
	k := &room.credits
	k.out, k.in, k.slots = room.peers[:0:1], room.froms[:0:1], make([]held, slots)
	return k
}

// outLink is the messages to one peer.
type outLink struct {
	peer     int32 // as the schedule numbers it
	windowed bool  // some Send waits for credits
	sent     int64 // messages, those of empty chunks too, over all steps
	waiting  []sentMessage
}

// sentMessage is a message without a credit, the number-th of its link.
type sentMessage struct {
	number, step int64
	op           int32 // the Send in the program
}

// inLink is the messages from one peer.
type inLink struct {
	conn  int32  // the inbox
	gives bool   // this rank gives credits
	taken int64  // messages
	read  []bool // of the last ones, those that have no credit yet: which are read
}

// held is the message that lies in a slot: the number-th of an inLink.
type held struct {
	link   int32
	number int64
}

// toPeer returns the link to the peer of a Send, the operation at index i of the program.
func (c *collRun) toPeer(channel int, peer int32, i int) *outLink {
	k := c.channels[channel].credits
	if l, ok := k.outOf.Find(c.members[peer]); ok {
		return &k.out[l]
	}
	l := outLink{peer: peer}
	for n := c.Schedule.Len(c.me, channel); i < n && !l.windowed; i++ {
		op := c.Schedule.Op(c.me, channel, i)
		l.windowed = op.Kind == coll.Send && op.Peer == peer && op.Window > 0
	}
	k.outOf.Add(c.members[peer], int32(len(k.out)))
	k.out = append(k.out, l)
	return &k.out[len(k.out)-1]
}

// fromPeer returns the number of the link from the peer of the Recv at index i of the program.
func (c *collRun) fromPeer(channel int, recv *planned, i int) int32 {
	k := c.channels[channel].credits
	if l, ok := k.inOf.Find(recv.Peer); ok {
		return l
	}
	k.inOf.Add(recv.Peer, int32(len(k.in)))
	k.in = append(k.in, inLink{conn: recv.conn, gives: freedBy(c.Schedule, c.me, channel, i) >= 0})
	return int32(len(k.in) - 1)
}

// freedBy returns the operation that frees the slot of the Recv at index i of a rank's program, -1
// if none does.
func freedBy(s coll.Schedule, rank, channel, i int) int {
	slot := s.Op(rank, channel, i).Slot
	for n := s.Len(rank, channel); i+1 < n; {
		i++
		op := s.Op(rank, channel, i)
		if op.Slot != slot {
			continue
		}
		if op.Kind == coll.Recv {
			return -1
		}
		if op.Frees {
			return i
		}
	}
	return -1
}

// hasCredit reports whether a Send with a window may start: whether the message Window before it
// has its credit. Those of empty chunks count, and need none.
func (c *collRun) hasCredit(channel int, op *planned) bool {
	if op.bytes == 0 {
		return true
	}
	l := c.toPeer(channel, op.Peer, 0)
	return len(l.waiting) == 0 || l.waiting[0].number > l.sent-int64(op.Window)
}

// countSend notes a Send.
func (r *Rank) countSend(c *collRun, channel int, op *planned) {
	ch := &c.channels[channel]
	if ch.credits == nil {
		return
	}
	l := c.toPeer(channel, op.Peer, 0)
	if l.windowed && op.bytes > 0 {
		l.waiting = append(l.waiting, sentMessage{l.sent, r.step, int32(ch.pc)})
		r.owing++
	}
	l.sent++
}

// fillSlot notes the message that the channel's current Recv has taken.
func (r *Rank) fillSlot(c *collRun, channel int, op *planned) {
	k := c.channels[channel].credits
	at := c.fromPeer(channel, op, c.channels[channel].pc)
	l := &k.in[at]
	if !l.gives {
		return
	}
	k.slots[op.Slot] = held{at, l.taken}
	l.taken++
	l.read = append(l.read, false)
	r.owing++
}

// giveCredits gives the sender credits when a slot is free: in the order of the messages, so that each
// says that all before it are read.
func (r *Rank) giveCredits(c *collRun, channel int, op *planned) {
	k := c.channels[channel].credits
	h := k.slots[op.Slot]
	l := &k.in[h.link]
	l.read[h.number-(l.taken-int64(len(l.read)))] = true
	for len(l.read) > 0 && l.read[0] {
		l.read = append(l.read[:0], l.read[1:]...)
		r.owing--
		r.cfg.Transport.Credit(r.viaIn(&r.inboxes[l.conn]), c.id)
	}
}

// Credited says that the peer of a connection, by its Outlet, has read the oldest message of a collective to it
// without a credit: its slot is free.
func (r *Rank) Credited(now unit.Time, out, coll int32) {
	if r.over {
		return
	}
	from := &r.outboxes[out]
	c, l := r.owed(from, coll)
	if l == nil {
		panic(fmt.Sprintf("exec: rank %d: credit from rank %d on channel %d for collective %d, no message waits for one",
			r.cfg.Rank, from.Peer, from.Channel, coll))
	}
	m := l.waiting[0]
	l.waiting = append(l.waiting[:0], l.waiting[1:]...)
	r.owing--
	ch := &c.channels[from.Channel]
	if ch.wait != credit || ch.op.Peer != l.peer || !c.hasCredit(int(from.Channel), ch.op) {
		return
	}
	ch.credited(r.step, m)
	ch.gate(now, cause.Window, nil)
	r.advance(now, c, int(from.Channel)) // the Send that waited has not started
	r.finish(now, c)
	r.settle(now)
}

// owed returns the link on which a message of a collective waits for a credit, nil if none does.
func (r *Rank) owed(from *outbox, id int32) (*collRun, *outLink) {
	c := r.running(from.stream)
	if c == nil || c.id != id {
		i, ok := r.numberOf.Find(id)
		if !ok {
			return nil, nil
		}
		c = &r.colls[i]
	}
	if c.Formula || c.Group != from.Group || int(from.Channel) >= len(c.channels) ||
		c.channels[from.Channel].credits == nil {
		return nil, nil
	}
	k := c.channels[from.Channel].credits
	i, ok := k.outOf.Find(from.Peer)
	if !ok || len(k.out[i].waiting) == 0 {
		return nil, nil
	}
	return c, &k.out[i]
}
