package nic

import (
	"sync/atomic"

	"railyard/internal/base/cause"
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/engine/host"
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
)

// A queue pair may be the twin of another, its lead: then it sends nothing. What its lead's messages meet its own are told to have
// met, in the same events, at ports that correspond (Twin). That is so only as long as both are given the same at the same instants,
// and in the same order as what other leads and twins of the same NICs are given: each post and each credit is held against the other's.
// The first that differs parts them: what is told from then on is wrong, and the run begins anew without these twins.
//
//	host --Post--> lead --Pull--> fabric ... --> lead's receiver --Received--> host
//	     --Post--> twin: held against the lead's               --Received--> host     with the twin's header and ports
//
// The halves of a twin are in the islands of its lead's: images are between the same hosts.
type twins struct {
	of     []int32   // by queue pair: in all, -1: none
	led    [][]int32 // by queue pair: its twins
	all    []twin
	paces  map[paceKey]*pace
	parted atomic.Pointer[string] // all of them are, why; nil: they are not
	unlike []atomic.Int64         // by image: when it was given something else than its lead, plus 1; 0: it was not
}

// twin is a queue pair that does what its lead does.
type twin struct {
	id, lead, image int32
	ports           []topo.PortID             // by the lead's
	posts           lists.Queue[host.Message] // at its sender: not acknowledged yet
	credits         lists.Queue[int32]        // likewise: collectives of those that are given and have not come
	headers         lists.Queue[verbs.Header] // at its receiver: not received yet
	toReceiver      []verbs.Header            // until the window ends
	toSender        []int32                   // likewise
}

// paceKey names what is given to the queue pairs of a part of the network at one NIC.
type paceKey struct {
	card  int32 // of the lead
	image int32
}

// pace is what one of two NICs was given and the other was not yet: nothing once an instant is over.
type pace struct {
	given lists.Queue[given]
	twin  bool // it was the twin
}

// given is something that a queue pair is given.
type given struct {
	at   unit.Time
	lead int32 // the queue pair, or that which leads it
	size int64 // of a message; -1: a credit
}

// Twin has queue pairs be twins of others, one for one, with the ports of their images by those of leads. It is called once for each
// image, from 0 on, between Build and the first post. Leads are no twins.
func (n *Net) Twin(image int32, leads, pairs []int32, ports []topo.PortID) {
	if n.twins == nil {
		n.twins = &twins{of: make([]int32, len(n.senders)), led: make([][]int32, len(n.senders)), paces: map[paceKey]*pace{}}
		for i := range n.twins.of {
			n.twins.of[i] = -1
		}
	}
	t := n.twins
	t.unlike = make([]atomic.Int64, image+1)
	for i, id := range pairs {
		lead := leads[i]
		t.of[id] = int32(len(t.all))
		t.led[lead] = append(t.led[lead], t.of[id])
		t.all = append(t.all, twin{id: id, lead: lead, image: image, ports: ports})
		for _, c := range []*card{n.senders[lead].card, n.receivers[lead].card} {
			t.paces[paceKey{c.id, image}] = &pace{}
		}
	}
}

// Parted says why twins are none any more, "" if they are: then what was told is as if all had been simulated, as long as nothing
// random was drawn for leads.
func (n *Net) Parted() string {
	if n.twins == nil {
		return ""
	}
	if why := n.twins.parted.Load(); why != nil {
		return *why
	}
	for i := range n.twins.unlike {
		if n.twins.unlike[i].Load() > 0 {
			return UnlikeLeads
		}
	}
	return ""
}

// UnlikeLeads is why twins are none any more of which some were given something else than their leads: see Unlike.
const UnlikeLeads = "ranks did not send the same at the same time"

// Part has all twins be none any more.
func (n *Net) Part(why string) {
	if n.twins != nil {
		n.twins.parted.CompareAndSwap(nil, &why)
	}
}

// Unlike returns the images that were given something else than their leads, those with which that was so first: what others were
// given behind that they may have been given because of it. At the end of a run it is so of one that was not given all that its lead was,
// or more. It is asked between windows.
func (n *Net) Unlike() (all []int32) {
	if n.twins == nil {
		return nil
	}
	for k, p := range n.twins.paces {
		if p.given.Len() > 0 {
			n.unlike(p.given.At(0).at, k.image)
		}
	}
	first := int64(0)
	for i := range n.twins.unlike {
		if at := n.twins.unlike[i].Load(); at > 0 && (first == 0 || at < first) {
			first = at
		}
	}
	for i := range n.twins.unlike {
		if first > 0 && n.twins.unlike[i].Load() == first {
			all = append(all, int32(i))
		}
	}
	return all
}

// unlike takes it that an image was given something else than its lead at an instant.
func (n *Net) unlike(at unit.Time, image int32) {
	x := &n.twins.unlike[image]
	for {
		was := x.Load()
		if was > 0 && was <= int64(at)+1 || x.CompareAndSwap(was, int64(at)+1) {
			return
		}
	}
}

// LeadOf is the queue pair that leads another, or that itself.
func (n *Net) LeadOf(id int32) int32 {
	if n.twins == nil || n.twins.of[id] < 0 {
		return id
	}
	return n.twins.all[n.twins.of[id]].lead
}

// twin is that of a queue pair, nil if it is none.
func (t *twins) twin(id int32) *twin {
	if t == nil || t.of[id] < 0 {
		return nil
	}
	return &t.all[t.of[id]]
}

// followers are the twins of a queue pair.
func (n *Net) followers(id int32) []int32 {
	if n.twins == nil {
		return nil
	}
	return n.twins.led[id]
}

// gives takes it that a lead is given something at a card.
func (n *Net) gives(now unit.Time, lead, card int32, size int64) {
	for _, k := range n.followers(lead) {
		n.pace(now, card, n.twins.all[k].image, given{now, lead, size}, false)
	}
}

// pace holds what is given at a lead's card, or at the twin's beside it, against what the other was given.
func (n *Net) pace(now unit.Time, card, image int32, x given, twin bool) {
	p := n.twins.paces[paceKey{card, image}]
	if p.given.Len() > 0 && p.twin != twin {
		if first := p.given.Pop(); first != x {
			n.unlike(min(first.at, now), image)
		}
		return
	}
	if p.given.Len() > 0 && p.given.At(0).at != now {
		n.unlike(p.given.At(0).at, image)
	}
	p.twin = twin
	p.given.Push(x)
}

// postTwin takes a message of a twin.
func (n *Net) postTwin(now unit.Time, x *twin, m *host.Message) {
	s, r := &n.senders[x.lead], &n.receivers[x.lead]
	n.pace(now, s.card.id, x.image, given{now, x.lead, int64(m.Bytes)}, true)
	if m.From != nil {
		n.Part("messages carry something real")
	}
	x.posts.Push(*m)
	if s.card.isl == r.card.isl || !s.card.sim.Mails() {
		x.headers.Push(m.Header)
		return
	}
	if len(x.toReceiver) == 0 {
		s.card.isl.mailed = append(s.card.isl.mailed, n.twins.of[x.id])
	}
	x.toReceiver = append(x.toReceiver, m.Header)
}

// creditTwin takes a credit of a twin.
func (n *Net) creditTwin(now unit.Time, x *twin, coll int32) {
	s, r := &n.senders[x.lead], &n.receivers[x.lead]
	n.pace(now, r.card.id, x.image, given{now, x.lead, -1}, true)
	if s.card.isl == r.card.isl || !r.card.sim.Mails() {
		x.credits.Push(coll)
		return
	}
	if len(x.toSender) == 0 {
		r.card.isl.mailed = append(r.card.isl.mailed, n.twins.of[x.id])
	}
	x.toSender = append(x.toSender, coll)
}

// joinTwins hands over what the halves of an island's twins have for others.
func (n *Net) joinTwins(isl *island) {
	for _, k := range isl.mailed {
		x := &n.twins.all[k]
		for i := range x.toReceiver {
			x.headers.Push(x.toReceiver[i])
		}
		for _, coll := range x.toSender {
			x.credits.Push(coll)
		}
		x.toReceiver, x.toSender = x.toReceiver[:0], x.toSender[:0]
	}
	isl.mailed = isl.mailed[:0]
}

// twinsAcked has the oldest messages of twins be acknowledged as that of their lead is just now.
func (n *Net) twinsAcked(now unit.Time, s *sender, m *message) {
	own := s.card.isl
	for _, k := range n.followers(s.id) {
		x := &n.twins.all[k]
		if x.posts.Len() == 0 {
			n.unlike(now, x.image)
			continue
		}
		msg := x.posts.Pop()
		if n.flowDone != nil {
			r := own.rows.next()
			x.flow(&r.flow, &m.flow, &msg)
			r.hops = x.hops(r.hops[:0], m.flow.Hops)
			r.flow.Hops = r.hops
			if msg.OfRanks {
				r.message = msg.Of
				r.flow.Message = &r.message
			}
			n.flowDone(own.index, &r.flow)
		}
		own.twinned = x.segments(own.twinned[:0], own.segments)
		n.hosts.Acked(now, x.id, &host.Answer{Placed: m.flow.Placed, Segments: own.twinned})
	}
}

// twinsReceived has the oldest messages of twins be received as that of their lead was just now.
func (n *Net) twinsReceived(now unit.Time, r *receiver, a *arrival, placed unit.Time) {
	own := r.card.isl
	for _, k := range n.followers(r.id) {
		x := &n.twins.all[k]
		if x.headers.Len() == 0 {
			n.unlike(now, x.image)
			continue
		}
		own.twinned = x.segments(own.twinned[:0], a.segments)
		d := host.Delivery{Posted: a.asked, Placed: placed, Header: x.headers.Pop(), Segments: own.twinned}
		n.hosts.Received(x.id, &d)
		own.twinned = d.Segments
	}
}

// twinsCredited has so many credits of twins come as those of their lead have just now.
func (n *Net) twinsCredited(now unit.Time, s *sender, count int) {
	for _, k := range n.followers(s.id) {
		x := &n.twins.all[k]
		coll := int32(-1)
		for range count {
			if x.credits.Len() == 0 || coll >= 0 && *x.credits.At(0) != coll {
				n.unlike(now, x.image)
				break
			}
			coll = x.credits.Pop()
		}
		if coll >= 0 {
			n.hosts.Credited(now, x.id, coll, count)
		}
	}
}

// unfinishedTwins calls f for the messages of twins that are not acknowledged as those of a lead are not.
func (n *Net) unfinishedTwins(s *sender, f func(*Flow)) {
	for _, k := range n.followers(s.id) {
		x := &n.twins.all[k]
		for i := range min(s.n, x.posts.Len()) {
			m, msg := s.msgAt(i), x.posts.At(i)
			var own Flow
			x.flow(&own, &m.flow, msg)
			own.Hops = x.hops(nil, m.flow.Hops)
			if msg.OfRanks {
				own.Message = &msg.Of
			}
			f(&own)
		}
	}
}

// flow is a lead's as that of the twin's message, but for its hops.
func (x *twin) flow(to, of *Flow, msg *host.Message) {
	*to = *of
	to.QP, to.Tag, to.Message = x.id, msg.Tag, nil
}

// hops are a lead's, at the ports of the twin.
func (x *twin) hops(to, of []HopWait) []HopWait {
	for _, h := range of {
		h.Port, h.Root = x.port(h.Port), x.port(h.Root)
		to = append(to, h)
	}
	return to
}

// segments are a lead's, at the ports of the twin.
func (x *twin) segments(to, of []exec.Segment) []exec.Segment {
	for _, s := range of {
		if s.Cause != cause.PCIe { // there it is a link inside the host
			s.At = int32(x.port(topo.PortID(s.At)))
		}
		to = append(to, s)
	}
	return to
}

// port is the lead's as it is the twin's; what is no port of the network is the same for both.
func (x *twin) port(p topo.PortID) topo.PortID {
	if p < 0 || int(p) >= len(x.ports) || x.ports[p] < 0 {
		return p
	}
	return x.ports[p]
}
