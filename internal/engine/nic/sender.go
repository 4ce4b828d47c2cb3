package nic

import (
	"fmt"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/sim"
	"railyard/internal/net/cc"
	"railyard/internal/net/topo"
)

// state says where a queue pair waits.
type state uint8

const (
	idle    state = iota // nothing to send
	ready                // in its NIC's ready list
	waiting              // in its NIC's heap: paced, or bytes not yet at the NIC
	blocked              // the window is full
)

// sender is the sending half of a queue pair at its NIC, with its ledger.
type sender struct {
	popped int64 // messages acknowledged
	roce.Requester
	card   *card
	id     int32
	number int32 // among those of its NIC
	class  uint8
	state  state
	log    bool
	route  fabric.Route
	fetch  host.Fetch // the host path from its GPU
	way    host.Way   // of the next packet's message
	looked int64      // which that is, counting from the first that was posted; -1: none
	ledger ledger

	msgs    []message // ring of messages not yet acknowledged
	head, n int
	notes   notes // of those that have arrived, from the oldest that is not acknowledged

	back     fabric.Route // of acknowledgements
	hopsBack int          // links of it
	answerer topo.PortID  // the port that they leave by
	rng      sim.Stream   // of its timeouts
	drawn    sim.Stream   // of the entropies of its packets
	retried  unit.Time    // its last timeout

	admission Admission
	backlog   backlog // not yet admitted
	bonded    bonded
}

// message is what the NIC knows of a posted message beside what roce keeps.
type message struct {
	flow    Flow
	fetched host.Fetched
	base    cause.Split
	// begun is when its first packet left for the first time. Before that, bits on the wire were
	// those of earlier messages.
	begun   unit.Time
	ahead   unit.Duration   // serialisation in the ledger until then
	pauses0 []unit.Duration // of the ledger when it was posted
	links0  []unit.Duration // likewise
	msg     host.Message
	asked   unit.Time       // when the host posted it; the flow's own post may have waited for admission
	part    bool            // not the last slice of the host's message
	held    []cause.Segment // with a log: what held it up until its last packet left for the first time
}

func (s *sender) msgAt(i int) *message { return &s.msgs[(s.head+i)&(len(s.msgs)-1)] }

func (s *sender) pushMsg() *message {
	if len(s.msgs) == 0 {
		s.msgs = s.card.isl.messages.take()
	}
	if s.n == len(s.msgs) {
		msgs := make([]message, max(1, 2*len(s.msgs)))
		for i := range s.n {
			msgs[i] = *s.msgAt(i)
		}
		s.msgs, s.head = msgs, 0
	}
	s.n++
	return s.msgAt(s.n - 1)
}

// Post starts a message: host.Network.
func (n *Net) Post(now unit.Time, m *host.Message) {
	if x := n.twins.twin(m.QP); x != nil {
		n.postTwin(now, x, m)
		return
	}
	s := &n.senders[m.QP]
	n.gives(now, m.QP, s.card.id, int64(m.Bytes))
	if m.OfRanks && s.admission.Slots > 0 || !s.Connected() {
		s.admit(now, m)
		return
	}
	s.post(now, m, now, false)
}

// post queues a message. Its bytes start over the host path at once; the queue pair becomes ready
// when they arrive.
func (s *sender) post(now unit.Time, hm *host.Message, asked unit.Time, part bool) {
	s.account(now)
	c := s.card
	if c.shared != nil {
		c.enter(s)
	}
	if s.n == 0 {
		s.ledger.restart()
	}
	m := s.pushMsg() // each field is set: another message was there
	m.flow = Flow{}
	f := &m.flow
	f.QP, f.Tag, f.Bytes, f.Posted, f.Placed, f.Acked = s.id, hm.Tag, hm.Bytes, now, -1, -1
	m.msg, m.asked, m.part, m.begun, m.ahead, m.held = *hm, asked, part, -1, 0, nil
	m.pauses0, m.links0 = times(m.pauses0, s.ledger.pauses), times(m.links0, s.ledger.links)
	s.ledger.at(now, &m.base)
	s.fetch.Begin(now, hm.Bytes, &m.fetched)
	posted := s.Requester.Post(roce.Write{Bytes: hm.Bytes, Address: hm.Address, Key: hm.Key, Imm: uint32(hm.Bytes)})
	m.flow.LastPSN = uint32(posted.Last()) & roce.PSNMask
	if c.net.cfg.OnPost != nil {
		c.net.cfg.OnPost(c.isl.index, Posted{At: now, QP: s.id, First: posted.First, Last: posted.Last(), Bytes: hm.Bytes,
			From: hm.From, Acked: s.popped})
	}
	if s.state == idle && !s.Dead() {
		s.ledger.end = max(s.ledger.end, now)
		s.schedule(now, now)
		c.kick(now)
	}
}

// look finds out when the next packet's bytes are at the NIC.
func (s *sender) look(now unit.Time) {
	of := s.popped + int64(s.Sending())
	if s.looked == of && !s.fetch.Shared() && !s.Recovering() {
		return // where nobody takes a share, all bytes of a message are there at once
	}
	var seg roce.Segment
	s.Peek(&seg)
	s.looked = s.popped + int64(seg.Index)
	s.Credit(s.fetch.Here(now, &s.msgAt(seg.Index).fetched, seg.Offset+int64(seg.Payload), &s.way))
}

// lookAgain is look for the packet that is next anyway.
func (s *sender) lookAgain(now unit.Time) {
	if s.fetch.Shared() && s.Ready() {
		s.look(now)
	}
}

// schedule puts a queue pair into the state where it belongs: ready, waiting, blocked or idle. It
// is ready if it may send by the time the port is free.
func (s *sender) schedule(now, free unit.Time) {
	if !s.Ready() {
		s.state = idle
		return
	}
	s.look(now)
	c := s.card
	if at := s.Due(); at > free {
		s.state = waiting
		c.out.Wait(at, s.id)
		return
	}
	if s.WindowFull(now, &c.net.cfg.Transport) {
		s.state = blocked
		return
	}
	s.state = ready
	c.out.Ready[s.class].Add(int(s.number))
}

// send takes the next packet of a ready queue pair. It may find that the queue pair has none, or
// may not send it now.
func (s *sender) send(now unit.Time, f *fabric.Packet) bool {
	c := s.card
	n := c.net
	t := &n.cfg.Transport
	s.lookAgain(now)
	s.account(now)
	pk := &c.isl.out
	switch s.Next(now, pk, t) {
	case roce.Nothing:
		s.state = idle
		return false
	case roce.Window:
		s.state = blocked
		return false
	case roce.Later: // repaced while it waited for the port, or others took a share of the host path
		s.state = waiting
		c.out.Wait(s.Due(), s.id)
		return false
	}
	if t.Entropy.Kind != roce.OneEntropy {
		pk.Entropy = s.Entropy(t, firstPort|uint16(s.drawn.Uint64()&portMask))
	}
	lands, first, last := pk.Lands(), pk.Payload.Offset == 0, t.Ends(pk.Opcode)
	bytes := n.cfg.Frames.DataFrame(pk.Payload.Size, lands, pk.Immediate())
	// The rate limiter spaces the starts of packets.
	tx, gap := n.fab.Spacing(c.port, bytes, s.Rate(now))
	free := now.Add(tx)
	s.note(now, pk, first, last, free)
	if s.Sent(now, pk, bytes, tx, gap, t) {
		s.arm(free)
	}
	s.data(f, pk, bytes)
	// The packet that completes a message is its last; where packets count in any order it may be any.
	// The first packet and some between show what the queue pair meets on its way.
	if last || t.Receiver != roce.InOrder || n.cfg.Telemetry || pk.Payload.Offset/int64(t.MTU)%probeEvery == 0 {
		s.attach(now, pk, last, n.fab.StartTrace(c.sim, now, c.port, f))
	}
	s.schedule(now, free)
	return true
}

// note writes a packet that leaves into the ledger; its bits are on the link until free.
func (s *sender) note(now unit.Time, pk *roce.Packet, first, last bool, free unit.Time) {
	l := &s.ledger
	l.last = cause.Serialisation
	if pk.Again {
		l.last = cause.Retransmission
		s.msgAt(pk.Payload.Message).flow.Retransmits++
		s.card.isl.retransmits++
	} else if first {
		m := s.msgAt(pk.Payload.Message)
		m.begun, m.ahead = now, l.of(cause.Serialisation, now)
	}
	l.add(l.last, -1, free)
	if last && s.log && !pk.Again {
		l.remember(now, s.msgAt(pk.Payload.Message))
	}
}

// attach writes what the receiver is told with a packet: where the message goes, with the packets
// that have RETH; what held it up, with those that may complete it.
func (s *sender) attach(now unit.Time, pk *roce.Packet, last bool, tr *fabric.Trace) {
	lands, completes := pk.Lands(), last || s.card.net.cfg.Transport.Receiver != roce.InOrder
	if !lands && !completes {
		return
	}
	m, e := s.msgAt(pk.Payload.Message), &tr.Edge
	e.Again = pk.Again
	if lands {
		l := &pk.Landing
		e.Landing = fabric.Landing{Address: l.Address, Key: l.Key, Length: l.Length, PSN: l.PSN}
		e.Payload, e.Header = m.msg.From, m.msg.Header.Words()
		e.Posted, e.Asked, e.Part = m.flow.Posted, m.asked, m.part
	}
	if completes {
		s.ledger.at(now, &e.Sender)
		m.sender(&e.Sender)
		tr.Hop(0).Root, e.PCIe = most(s.ledger.pauses, m.pauses0), int32(most(s.ledger.links, m.links0))
	}
	if e.Before = e.Before[:0]; last && s.log {
		e.Before = append(e.Before, m.held...)
	}
}

// Entropies are UDP source ports from 0xC000 on: those that RoCEv2 NICs take (IBTA annex A17, and RFC 6335, section 6).
const (
	firstPort = 0xc000
	portMask  = 0x3fff
)

// arm starts the retransmission timer again.
func (s *sender) arm(now unit.Time) {
	t := &s.card.net.cfg.Transport
	jitter := s.Jitter(t)
	if jitter > 0 {
		jitter = unit.Duration(s.rng.Below(uint64(jitter)))
	}
	s.Arm(now, jitter, t)
	s.card.expect(s.Deadline())
}

// onResponse takes an ACK or NAK.
func (s *sender) onResponse(isl *sim.Island, now unit.Time, port fabric.PortID, pk *fabric.Packet) {
	c := s.card
	n, own := c.net, c.isl
	tr := n.fab.TakeTrace(isl, pk)
	if s.Dead() {
		return
	}
	if own.answer = nil; tr != nil && !n.cfg.Telemetry {
		n.witness(tr, n.metBy(s.id, true), s.back)
		own.answer = tr
	}
	s.account(now)
	hops, path := own.telemetry(n, tr)
	own.network.Hops, own.network.Path = hops, path
	h := s.receive(now, port, pk)
	for _, ok := s.Take(); ok; _, ok = s.Take() {
		s.acked(now)
	}
	if h.Notified {
		s.notified(now)
	}
	if n.cfg.OnEvent != nil {
		if pk.Kind() == fabric.Nak {
			c.tell(now, EventNAKReceived, s.id, pk.PSN())
		}
		s.tellRate(now, pk.Kind())
	}
	if n.cfg.Quirks.Repace && h.Paced {
		s.repace(now)
	}
	if h.Arm {
		s.arm(now)
	}
	freed := s.state == idle || s.state == blocked
	if freed {
		s.schedule(now, now)
		freed = s.state != idle && s.state != blocked
	}
	if freed || c.shared != nil {
		c.kick(now)
	}
}

// receive hands a frame that came back to the core.
func (s *sender) receive(now unit.Time, port fabric.PortID, f *fabric.Packet) roce.Heard {
	own, n := s.card.isl, s.card.net
	pk := &own.in
	Packet(f, pk)
	own.network.Lead = n.fab.Lead(port, unit.Bytes(f.Bytes))
	return s.Receive(now, pk, &n.cfg.Transport)
}

// onControl takes a frame that came back and is no acknowledgement. Ranks and their posts belong to the phase of hosts.
func (s *sender) onControl(now unit.Time, port fabric.PortID, f *fabric.Packet) {
	c := s.card
	n, pk := c.net, &c.isl.in
	h := s.receive(now, port, f)
	if h.Notified {
		s.notified(now)
		if n.cfg.OnEvent != nil {
			s.tellRate(now, fabric.CNP)
		}
	}
	if h.Freed {
		n.hosts.Alarm(c.host, now, host.Alarm{What: alarmAdmit, QP: s.id})
	}
	if s.Answer(&c.isl.out) {
		c.send(&c.isl.out, s.id, s.route)
		c.kick(now)
	}
	if h.Credits > 0 {
		n.hosts.Credited(now, s.id, pk.Coll, h.Credits)
		n.twinsCredited(now, s, h.Credits)
	}
	if h.Replied {
		n.hosts.Alarm(c.host, now.Add(n.cfg.Setup.Time), host.Alarm{What: alarmReady, QP: s.id})
	}
}

// telemetry returns what the switches wrote into the data packet that an acknowledgement answers, and a number for its
// path. The header has room for so many hops; switches beyond them write nothing.
func (isl *island) telemetry(n *Net, tr *fabric.Trace) (hops []cc.Hop, path uint64) {
	if tr == nil || !n.cfg.Telemetry {
		return nil, 0
	}
	isl.hops = isl.hops[:0]
	for i := 1; i < min(tr.N, cc.MaxHops+1); i++ {
		h := tr.Hop(i)
		isl.hops = append(isl.hops, cc.Hop{Queue: h.Queue, TxBytes: h.TxBytes, Time: h.Start,
			Rate: n.fab.RateAt(h.Port, h.Start)})
		path = path*pathBase + uint64(h.Port) + 1
	}
	return isl.hops, path
}

// pathBase is more than any number of ports, so that different paths of up to three switches have different numbers,
// and longer ones hardly the same.
const pathBase = 1_000_003

// notified counts a congestion notification for the message that is being sent, or that was sent
// last.
func (s *sender) notified(now unit.Time) {
	c := s.card
	c.isl.heard++
	if c.net.cfg.OnEvent != nil {
		c.tell(now, EventCNPReceived, s.id, 0)
	}
	if s.n > 0 {
		s.msgAt(min(s.Sending(), s.n-1)).flow.CNPs++
	}
}

// acked removes the oldest message, which is complete.
func (s *sender) acked(now unit.Time) {
	n, own := s.card.net, s.card.isl
	m, arrived := s.msgAt(0), s.notes.pop(&own.notes)
	arrived.tell(&m.flow)
	m.flow.Acked = now
	s.wayBack(now, m, arrived)
	if n.flowDone != nil {
		r := own.rows.next()
		arrived.hops, r.hops = r.hops[:0], m.flow.Hops // an exchange of memory
		r.flow = m.flow
		if m.msg.OfRanks {
			r.message = m.msg.Of
			r.flow.Message = &r.message
		}
		n.flowDone(own.index, &r.flow)
	}
	n.twinsAcked(now, s, m)
	if !m.part {
		n.hosts.Acked(now, s.id, &host.Answer{Placed: m.flow.Placed, Segments: own.segments})
	}
	m.msg.From = nil
	own.spans.give(m.held)
	m.held = nil
	s.popped++
	if m.msg.OfRanks && s.admission.Slots > 0 {
		s.expectClear(now)
	}
	s.head = (s.head + 1) & (len(s.msgs) - 1)
	s.n--
	if len(s.msgs) == 1 {
		own.messages.give(s.msgs)
		s.msgs = nil
	}
	if s.n == 0 {
		s.ledger.settle()
	}
	if c := s.card; c.shared != nil && s.n == 0 {
		c.shared.rings[s.class].done++
	}
}

// timedOut sends again what was not acknowledged in time.
func (s *sender) timedOut(now unit.Time) {
	s.account(now)
	n := s.card.net
	t := &n.cfg.Transport
	if s.Outstanding() {
		s.retried = now
		if n.cfg.OnTimeout != nil {
			n.cfg.OnTimeout(s.card.isl.index, now, s.id, s.Una())
		}
	}
	expiry := s.Expire(now, t)
	if n.cfg.OnEvent != nil {
		s.tellRate(now, fabric.Data)
	}
	switch expiry {
	case roce.Failed:
		s.state = idle
		n.hosts.Fail(s.card.sim, now, s.id, s.failure(now))
	case roce.Retry:
		s.arm(now)
		if s.state == idle || s.state == blocked {
			s.schedule(now, now)
		}
	}
}

func (s *sender) failure(now unit.Time) error {
	t := &s.card.net.cfg.Transport
	tried := ""
	switch {
	case t.Retries == 1:
		tried = ", nor after a retry"
	case t.Retries > 1:
		tried = fmt.Sprintf(", nor after %d retries", t.Retries)
	}
	return fmt.Errorf("queue pair %s failed at %s: no acknowledgement within %s%s", s.card.net.Name(s.id), now.Human(),
		s.TimeoutOf(t).Human(), tried)
}
