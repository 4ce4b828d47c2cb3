package capture

import (
	"fmt"
	"net/netip"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/headers"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
	"railyard/internal/plan/transport"
)

// MAC is the address of a port: locally administered (IEEE 802, bit 1 of the first byte), with the port's number.
func MAC(id topo.PortID) wire.MAC {
	return wire.MAC{0x02, 0, byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)}
}

// ttl is the time to live that NICs write.
const ttl = 64

// build makes the frame that was sent, with what there is to say of it.
func (c *Capture) build(s *fabric.Sent) (*wire.Frame, []string) {
	if s.Pause != nil {
		return c.pause(s)
	}
	pk := &s.Frame
	q, known := &c.plan.Pairs[pk.Flow], &c.pairs[pk.Flow]
	forward := pk.Kind().Forward()
	from, to, path := q.From, q.To, q.Path
	if !forward {
		from, to, path = to, from, q.Back
	}
	r, comments := c.packetOf(s, known, headers.End{PKey: uint16(c.plan.Scenario.Transport.PKey),
		QP: c.plan.QPN(pk.Flow, !forward), First: wire.PSN(c.plan.Scenario.Transport.FirstPSN)})
	source := q.Key.SrcPort
	if pk.Entropy != 0 {
		source = pk.Entropy
	}
	dscp := c.plan.Switches.DSCP(pk.Class())
	if c.remaps {
		dscp = pk.DSCP()
	}
	f := &wire.Frame{UDP: &wire.UDP{Source: source}, RoCE: r, IPv4: &wire.IPv4{DSCP: dscp, ECN: pk.ECN(), DontFragment: true,
		Source: c.address(from), Dest: c.address(to)}}
	f.IPv4.TTL, f.Ethernet = c.hop(s, path)
	f.VLAN = c.tag(s)
	if pk.Tunnelled() && c.plan.Scenario.Fabric.Overlay() {
		f = c.wrap(f, from, to)
	}
	if !known.seen {
		known.seen = true
		g := c.plan.Graph
		comments = append(comments, fmt.Sprintf("queue pair %s: %s to %s", q.Name, g.NICName(q.From), g.NICName(q.To)))
	}
	return f, comments
}

// tag is the VLAN tag of a frame on the link of a host, where switches look at tags: the VLAN of its rail, and the
// priority of its class at who sends it.
func (c *Capture) tag(s *fabric.Sent) *wire.VLAN {
	if transport.Frames(c.plan.Scenario).Tag == 0 || s.Frame.Tunnelled() {
		return nil
	}
	port := s.Port
	if c.addresses.Ports[port].VLAN == 0 {
		port = c.plan.Graph.Peer(port)
	}
	priority := c.plan.Switches.Priority(s.Port, s.Frame.Class())
	return &wire.VLAN{Priority: uint8(priority), ID: uint16(c.addresses.Ports[port].VLAN)}
}

// wrap puts the headers of VXLAN around a frame between leaves, from loopback to loopback; inside it goes from NIC to
// NIC. DSCP and ECN are copied out (RFC 6040), and the source port, so that switches spread the flows.
func (c *Capture) wrap(f *wire.Frame, from, to topo.NICID) *wire.Frame {
	g := c.plan.Graph
	here, there := g.NICs[from].Port, g.NICs[to].Port
	outer := *f.IPv4
	outer.Source, outer.Dest = c.loopback(here), c.loopback(there)
	outer.TTL++ // the leaf that wraps the frame sends it
	w := &wire.Frame{Ethernet: f.Ethernet, IPv4: &outer, UDP: &wire.UDP{Source: f.UDP.Source},
		VXLAN: &wire.VXLAN{VNI: firstVNI + uint32(c.addresses.Ports[g.Peer(here)].VLAN)}, Inner: f}
	f.Ethernet, f.IPv4.TTL = wire.Ethernet{Source: MAC(here), Dest: MAC(there)}, ttl
	return w
}

// firstVNI and a VLAN make the identifier of its overlay.
const firstVNI = 10_000

// loopback is that of the switch which a NIC's port leads to.
func (c *Capture) loopback(nic topo.PortID) netip.Addr {
	return c.addresses.Devices[c.plan.Graph.Ports[nic].To].Loopback.V4.Addr()
}

func (c *Capture) address(n topo.NICID) netip.Addr {
	return c.addresses.Ports[c.plan.Graph.NICs[n].Port].Address.V4.Addr()
}

// hop returns what changes from hop to hop: the time to live that is left, and the addresses of the link.
func (c *Capture) hop(s *fabric.Sent, path []topo.PortID) (uint8, wire.Ethernet) {
	if len(path) == 2 { // one switch, which bridges
		return ttl, wire.Ethernet{Source: MAC(path[0]), Dest: MAC(c.plan.Graph.Peer(path[1]))}
	}
	passed := s.Passed
	if passed < 0 {
		passed = slices.Index(path, s.Port)
	}
	if g := c.plan.Graph; passed < 0 && g.Nodes[g.Ports[s.Port].Node].Kind == topo.HostKind { // another port of a bond
		passed = 0
	} else if passed < 0 {
		passed = 1
	}
	return uint8(ttl - passed), wire.Ethernet{Source: MAC(s.Port), Dest: MAC(c.plan.Graph.Peer(s.Port))}
}

// packetOf is the packet from its BTH on, which goes to an end of its queue pair.
func (c *Capture) packetOf(s *fabric.Sent, p *pair, to headers.End) (*wire.RoCE, []string) {
	r, pk := &wire.RoCE{}, &roce.Packet{}
	nic.Packet(&s.Frame, pk)
	var comments []string
	var payload []byte
	switch {
	case pk.Data():
		payload, comments = c.data(pk, s, p)
	case pk.Opcode == wire.Acknowledge:
		comments = c.answer(pk, p)
	case pk.Opcode == wire.DatagramSend:
		headers.Manage(r, c.manage(s.Frame.Flow, pk))
		return r, nil
	case pk.Opcode != wire.CNPOpcode: // clear-to-sends and credits
		comments = append(comments, fmt.Sprintf("%s: %d in all", counts[pk.Opcode], pk.Count))
	}
	headers.To(r, pk, to, payload)
	return r, comments
}

// counts are what clear-to-sends and credits count.
var counts = map[wire.Opcode]string{roce.ClearToSend: "clear-to-send of slots", roce.CreditGiven: "credits",
	roce.CreditTaken: "credits that have come"}

func (c *Capture) psn(n uint32) wire.PSN { return wire.PSN(c.plan.PSN(n)) }

// data completes a packet of an RDMA WRITE, and returns what it carries.
func (c *Capture) data(pk *roce.Packet, s *fabric.Sent, p *pair) (payload []byte, comments []string) {
	sizes := transport.Frames(c.plan.Scenario)
	size := unit.Bytes(s.Frame.Bytes) - sizes.DataFrame(0, pk.Lands(), pk.Immediate())
	if s.Frame.Tunnelled() {
		size -= transport.Tunnel(c.plan.Scenario)
	}
	seq := p.expand(pk.PSN)
	p.near = max(p.near, seq)
	m := p.message(seq)
	if pk.Again {
		comments = append(comments, "sent again")
	}
	if pk.Marked {
		if at, ok := c.marks.at[packetID{s.Frame.Flow, pk.PSN}]; ok {
			comments = append(comments, "marked by "+c.plan.Graph.Ports[at].Name)
		}
	}
	offset := int64(0)
	if m != nil {
		offset = (seq - m.First) * int64(c.plan.Scenario.Transport.MTU)
		pk.Imm = uint32(m.Bytes)
	}
	if pk.Lands() {
		pk.Landing = c.landing(s.Frame.Flow, &s.Landing, offset, size)
	}
	payload = make([]byte, size)
	if m != nil && m.payload != nil {
		fill(payload, m.payload, offset, m.Bytes)
	} else if m == nil && c.plan.Scenario.Capture.Payload {
		comments = append(comments, "its message was acknowledged long ago: the payload is not known any more")
	}
	return payload, comments
}

// landing is where a packet at an offset of its message says that it goes: with all of the message, or where each
// packet is a write of its own, with what it has itself.
func (c *Capture) landing(qp int32, l *fabric.Landing, offset int64, size unit.Bytes) roce.Landing {
	to := roce.Landing{Address: l.Address, Key: l.Key, Length: l.Length}
	if l.Key == 0 {
		to.Address, to.Key = noMemory, noKey|uint32(qp)
	}
	if c.plan.Scenario.Transport.Receiver == "direct" {
		to.Address, to.Length = to.Address+uint64(offset), size
	}
	return to
}

// Where flows write to that have no memory, by a key for each queue pair. Keys of memory count from 1.
const (
	noMemory = 0x7f0000000000
	noKey    = 1 << 31
)

// fill writes the bytes of a message that lie in a packet. Gradients that travel as bfloat16 lie in memory as float32
// of which these are the upper halves; of another protocol's data the rest of the packet is its flags, and zero here.
func fill(to, payload []byte, offset int64, total unit.Bytes) {
	if int64(len(payload)) == 2*int64(total) && offset%2 == 0 && len(to)%2 == 0 {
		for i := 0; i < len(to); i += 2 {
			at := 2 * (offset + int64(i))
			to[i], to[i+1] = payload[at+2], payload[at+3]
		}
		return
	}
	lo, hi := verbs.Carries(len(payload), offset, unit.Bytes(len(to)), total)
	copy(to, payload[lo:min(hi, lo+int64(len(to)))])
}

// answer completes an ACK or a NAK.
func (c *Capture) answer(pk *roce.Packet, p *pair) (comments []string) {
	seq := p.expand(pk.PSN)
	ended := p.ended(seq)
	if pk.Nak() {
		ended = p.ended(seq - 1)
	}
	if pk.AETH.MSN = uint32(ended) & uint32(wire.PSNMask); c.plan.Scenario.Transport.Receiver == "direct" {
		pk.AETH.MSN = uint32(seq+1) & uint32(wire.PSNMask)
	}
	if pk.Sack > 0 {
		comments = append(comments, fmt.Sprintf("selective: packet %d is here", c.psn(pk.PSN+pk.Sack)))
	}
	if pk.Echo {
		comments = append(comments, "echoes a mark")
	}
	return comments
}

// pause makes a PFC frame.
func (c *Capture) pause(s *fabric.Sent) (*wire.Frame, []string) {
	g := c.plan.Graph
	priority := c.plan.Switches.Priority(s.Port, s.Pause.Class)
	p := &wire.PFC{Source: MAC(s.Port), Enable: 1 << priority}
	if !s.Pause.Stop {
		return c.control(p), []string{fmt.Sprintf("xON: priority %d may go on", priority)}
	}
	quanta := s.Pause.Quanta
	if quanta == 0 { // until it is told otherwise
		quanta = 1<<16 - 1
	}
	p.Quanta[priority] = quanta
	why := fmt.Sprintf("xOFF: priority %d stops for %d quanta, %s", priority, quanta,
		wire.PauseTime(quanta, g.Ports[s.Port].Rate).Human())
	if s.Pause.Root >= 0 {
		why += "; it spread from the queue of " + g.Ports[s.Pause.Root].Name
	}
	return c.control(p), []string{why}
}

func (c *Capture) control(p *wire.PFC) *wire.Frame {
	return &wire.Frame{Ethernet: wire.Ethernet{Source: p.Source, Dest: wire.MACControlAddress}, PFC: p}
}
