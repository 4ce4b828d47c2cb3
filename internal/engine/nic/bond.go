package nic

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// A NIC with several ports is a bond (IEEE 802.1AX, link aggregation): each queue pair sends by one of
// them, which a hash of its headers names, and is answered by one, which a hash of the answers' names.
// When the NIC finds a port down, what went by it goes by the others; when the port is up again it comes
// back. Frames that are queued for the port go along; those on its link are lost with it.

// Down is a time in which a NIC takes a port for down: from when it has found out until it finds out that
// the port is up.
type Down struct {
	Port        topo.PortID
	From, Until unit.Time
}

// bonded is what one half of a queue pair needs to know of the bond that it is on.
type bonded struct {
	hash  uint64
	moves bool // the switches choose the ways of its frames, so they may leave by any port
}

type bondTimer Net

// planDowns plans when NICs look at which of their ports are up.
func (n *Net) planDowns() {
	for _, d := range n.cfg.Downs {
		nic := n.graph.Ports[d.Port].NIC
		if len(n.graph.NICs[nic].Ports) == 1 {
			continue
		}
		c := n.cardOf(nic, d.Port)
		for _, at := range []unit.Time{d.From, d.Until} {
			if at < unit.Never {
				n.eng.At(c.isl.index, at, sim.MakeKey(sim.Timer, classBond, c.id))
			}
		}
	}
}

// up reports whether a NIC takes a port for up at a time.
func (n *Net) up(now unit.Time, port topo.PortID) bool {
	for _, d := range n.cfg.Downs {
		if d.Port == port && d.From <= now && now < d.Until {
			return false
		}
	}
	return true
}

// Handle moves the queue pairs of a NIC to the ports where they now belong.
func (h *bondTimer) Handle(_ *sim.Island, now unit.Time, owner int32) {
	n := (*Net)(h)
	at := &n.cards[owner]
	nic, up := &n.graph.NICs[at.nic], func(p topo.PortID) bool { return n.up(now, p) }
	for _, id := range at.qps {
		if s := &n.senders[id]; s.bonded.moves {
			s.moveTo(now, n.cardOf(at.nic, nic.PortOf(s.bonded.hash, up)))
		}
	}
	for _, id := range at.isl.receivers {
		if r := &n.receivers[id]; r.card.nic == at.nic && r.bonded.moves {
			r.card = n.cardOf(at.nic, nic.PortOf(r.bonded.hash, up))
		}
	}
	for ports := n.ports(at.nic); len(ports) > 0; ports = ports[1:] {
		ports[0].handOver()
	}
	for i := range n.ports(at.nic) {
		n.ports(at.nic)[i].kick(now)
	}
}

// moveTo has a queue pair send by another port of its NIC from now on.
func (s *sender) moveTo(now unit.Time, to *card) {
	if s.card == to {
		return
	}
	s.account(now)
	if s.state == ready {
		s.card.out.Ready[s.class].Remove(int(s.number))
	}
	from, was := s.card, s.state
	s.card = to
	to.isl.moves++
	if c := to.net; c.cfg.OnEvent != nil {
		to.tell(now, EventMoved, s.id, uint32(from.port))
	}
	if was == ready || was == waiting {
		s.schedule(now, now)
	}
	to.expect(s.Deadline())
}

// handOver passes frames that wait at a port on to where the halves of their queue pairs now are.
func (c *card) handOver() {
	for range c.out.Acks.Len() {
		c.pass(c.out.Acks.Pop(), func(to *card, pk fabric.Packet) { to.out.Acks.Push(pk) })
	}
	for range c.out.Notes.Len() {
		c.pass(c.out.Notes.Pop(), func(to *card, pk fabric.Packet) { to.out.Notes.Push(pk) })
	}
}

// pass gives a frame that answers to the port by which its half of a queue pair sends. A frame on a path
// stays where that begins.
func (c *card) pass(pk fabric.Packet, push func(*card, fabric.Packet)) {
	r := &c.net.receivers[pk.Flow]
	to, moves := r.card, r.bonded.moves
	if pk.Kind().Forward() {
		s := &c.net.senders[pk.Flow]
		to, moves = s.card, s.bonded.moves
	}
	if !moves {
		to = c
	}
	push(to, pk)
}
