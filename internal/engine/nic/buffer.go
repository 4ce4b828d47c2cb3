package nic

import (
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/sim"
)

// ReceiveBuffer is what a NIC has for packets that PCIe has not taken yet. Where Pauses is set it sends PFC frames as a
// switch does: xOFF when so much waits, xON when it is less again; else, and when there is no room left, it drops.
//
//	link --> [ waits for PCIe ........ XON ... XOFF ......... Size ]
//	                                   xON     xOFF  headroom  drop
type ReceiveBuffer struct {
	Size, XOFF, XON unit.Bytes
	Pauses          bool
}

// inbox is what waits in a NIC for PCIe.
type inbox struct {
	leaves lists.Queue[leaving] // in order
	bytes  unit.Bytes
	last   unit.Time // when the last of them leaves
	off    uint8     // classes that have been told to stop
	sent   unit.Time // xOFF, last
}

type leaving struct {
	at    unit.Time
	bytes unit.Bytes
}

// drain lets go what PCIe has taken by now.
func (b *inbox) drain(now unit.Time) {
	for b.leaves.Len() > 0 && b.leaves.At(0).at <= now {
		l := b.leaves.Pop()
		b.bytes -= l.bytes
	}
}

// under returns when no more than so much waits, if nothing comes.
func (b *inbox) under(most unit.Bytes) (at unit.Time) {
	left := b.bytes
	for i := 0; left > most; i++ {
		l := b.leaves.At(i)
		left, at = left-l.bytes, l.at
	}
	return at
}

// refuses drops a packet that a NIC has no room for.
func (c *card) refuses(isl *sim.Island, now unit.Time, pk *fabric.Packet) bool {
	n, b := c.net, &c.inbox
	if b.drain(now); b.bytes+unit.Bytes(pk.Bytes) <= n.cfg.Receive.Size {
		return false
	}
	if n.cfg.OnFull != nil {
		n.cfg.OnFull(c.isl.index, fabric.Loss{At: now, Port: n.graph.Peer(c.port), Kind: fabric.Data, Flow: pk.Flow, Seq: pk.PSN(),
			Why: fabric.LostBeforePCIe, Far: true})
	}
	n.fab.TakeTrace(isl, pk)
	return true
}

// hold keeps bytes of a class until they have crossed PCIe, and tells the switch to stop if that is too much.
func (c *card) hold(now, crossed unit.Time, bytes unit.Bytes, class uint8) {
	n, b := c.net, &c.inbox
	b.last = max(b.last, crossed)
	b.leaves.Push(leaving{b.last, bytes})
	b.bytes += bytes
	if r := n.cfg.Receive; r.Pauses && b.bytes >= r.XOFF && b.off&(1<<class) == 0 {
		b.off |= 1 << class
		c.net.fab.TellHost(c.sim, now, c.port, class, true, b.bytes, r.XOFF)
		c.stop(now)
	}
}

// stop sends xOFF for the classes that are to stop, and plans to look again.
func (c *card) stop(now unit.Time) {
	n, b := c.net, &c.inbox
	for class := range uint8(8) {
		if b.off&(1<<class) != 0 {
			n.fab.PausePeer(c.sim, now, c.port, class, true)
		}
	}
	b.sent = now
	c.lookAgain(now)
}

// lookAgain plans to send xON, or xOFF again.
func (c *card) lookAgain(now unit.Time) {
	at := max(c.inbox.under(c.net.cfg.Receive.XON), now+1)
	if every := c.net.fab.PauseEvery(c.port); every > 0 {
		at = min(at, c.inbox.sent.Add(every))
	}
	c.sim.At(at, sim.MakeKey(sim.Timer, classReceive, c.id))
}

type receiveTimer Net

// Handle sends xON if PCIe has taken enough, or xOFF again before the pause runs out.
func (h *receiveTimer) Handle(_ *sim.Island, now unit.Time, owner int32) {
	c := &h.cards[owner]
	b := &c.inbox
	if b.off == 0 {
		return // an earlier look has done it
	}
	b.drain(now)
	if b.bytes <= h.cfg.Receive.XON {
		for class := range uint8(8) {
			if b.off&(1<<class) != 0 {
				h.fab.TellHost(c.sim, now, c.port, class, false, b.bytes, h.cfg.Receive.XON)
				h.fab.PausePeer(c.sim, now, c.port, class, false)
			}
		}
		b.off = 0
		return
	}
	if every := h.fab.PauseEvery(c.port); every > 0 && b.sent.Add(every) <= now {
		c.stop(now)
		return
	}
	c.lookAgain(now)
}
