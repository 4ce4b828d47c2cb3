package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// pfc is who sends PFC frames, and who heeds them: switches, for their accounts, and ports, for their queues.
type pfc struct {
	*setup
	f         *Fabric // whose ports go on
	links     *links
	egress    *egress
	buf       *buffers
	onWay     [][]pauseFrame // by link: PFC frames on it that the receiving end knows of
	pausedFor [][]RootTime   // by port
	dogs      []*Watchdog    // by port; nil: there are none

	priorities [][]uint8 // by node, of its classes; nil: they are the same everywhere
	deafTo     []uint8   // by port: classes that do not heed PFC frames; nil: all do
}

func newPFC(f *Fabric) pfc {
	n := len(f.graph.Ports)
	return pfc{setup: &f.setup, f: f, links: &f.links, egress: &f.egress, buf: &f.buf,
		onWay: make([][]pauseFrame, n), pausedFor: make([][]RootTime, n)}
}

// Handlers are views, one for each class of event.
type (
	pauseArrive pfc
	expire      pfc
	refresh     pfc
)

// xoff tells the sender of link in to stop a class, because of a frame that goes out by port out.
func (x *pfc) xoff(isl *sim.Island, now unit.Time, in, out PortID, class uint8) {
	x.buf.nodes[x.links.ingresses[in].far].pausing++
	root := x.f.blame(now, in, out, class)
	x.buf.ledgers[int(in)*x.nc+int(class)].root = root
	x.queuePause(isl, now, in, pauseFrame{class: class, on: true, quanta: x.cfg.PFC.Quanta, root: root})
	x.armRefresh(isl, now, in, class)
}

// xon tells it to go on.
func (x *pfc) xon(isl *sim.Island, now unit.Time, in PortID, class uint8) {
	x.buf.nodes[x.links.ingresses[in].far].pausing--
	x.queuePause(isl, now, in, pauseFrame{class: class})
}

// queuePause gives a PFC frame to the port towards the sender of link in. It goes before all frames
// but the one in transmission.
func (x *pfc) queuePause(isl *sim.Island, now unit.Time, in PortID, fr pauseFrame) {
	id := in ^ 1
	p := &x.links.ports[id]
	p.ctl = append(p.ctl, fr)
	if far := x.links.ingresses[in].far; far >= 0 { // no storm of a NIC
		x.buf.nodes[far].pausing++
	}
	p.flags |= flagCtl
	if p.flags&flagBusy == 0 {
		x.f.next(isl, now, id, p)
	}
}

// PausePeer has the NIC of a port tell its switch to stop a class, or to go on.
func (f *Fabric) PausePeer(isl *sim.Island, now unit.Time, id PortID, class uint8, on bool) {
	fr := pauseFrame{class: class, on: on, root: id ^ 1}
	if on {
		fr.quanta = f.cfg.PFC.Quanta
	}
	f.pfc.queuePause(isl, now, id^1, fr)
}

// PauseEvery is after how long such a pause has to be sent again, 0: never.
func (f *Fabric) PauseEvery(id PortID) unit.Duration {
	if f.cfg.PFC.Quanta == 0 || f.cfg.PFC.Refresh.Num == 0 {
		return 0
	}
	return f.pfc.refreshAfter(id ^ 1)
}

// sendPause puts a PFC frame on the link. It acts on the port at the far end after the cable's
// delay and the response time of the peer.
func (x *pfc) sendPause(isl *sim.Island, now unit.Time, id PortID, p *port) {
	fr := p.ctl[0]
	if far := x.links.ingresses[id^1].far; far >= 0 {
		x.buf.nodes[far].pausing--
	}
	if p.ctl = p.ctl[:copy(p.ctl, p.ctl[1:])]; len(p.ctl) == 0 {
		p.flags &^= flagCtl
	}
	x.links.rated(now, id, p)
	tx := x.links.txTime(p, int64(x.cfg.PauseFrame)+x.links.overhead)
	p.sent = sent{flow: -1, line: p.sent.line}
	p.busyUntil = now.Add(tx)
	if p.psPerByte == 0 {
		p.busy += tx
	}
	p.pfcFrames++
	if fr.on {
		p.pausesSent++
	}
	if p.flags&flagRare != 0 && x.links.tapped(id) {
		x.links.tellPauseSent(isl, now, id, &fr)
	}
	x.links.awaitTxEnd(isl, id, p)
	fr.at = p.busyUntil.Add(p.cable + x.links.ports[id^1].respond)
	if p.flags&flagFar != 0 && isl.Mails() {
		x.postPause(x.links.state(isl), id, p, fr)
		return
	}
	x.pauseArriving(id, fr)
}

// Handle lets a PFC frame act on port owner.
func (h *pauseArrive) Handle(isl *sim.Island, now unit.Time, owner int32) {
	x := (*pfc)(h)
	link := owner ^ 1 // that it came over
	live := x.onWay[link]
	fr := live[0]
	live = live[:copy(live, live[1:])]
	x.onWay[link] = live
	p := &x.links.ports[owner]
	if p.sent.line&lineClass != 0 {
		x.f.lines.dissolve(isl, x.links.state(isl), now, PortID(owner))
	}
	if len(live) > 0 && !x.each {
		isl.At(live[0].at, sim.MakeKey(sim.Arrival, classPause, owner))
	}
	if x.f.faults != nil && x.f.faults.losesPause(now.Add(-p.respond), PortID(link)) {
		x.links.ingresses[link].faulted++
		return
	}
	class, known := x.heard(PortID(owner), fr.class)
	if fr.class = class; fr.on {
		p.pausesReceived++
	}
	if !known || x.f.faults != nil && x.f.faults.deaf(PortID(owner)) {
		return
	}
	if !fr.on {
		x.resume(isl, now, PortID(owner), p, fr.class)
		return
	}
	q := &x.egress.slow[int(owner)*x.nc+int(fr.class)].hold
	if x.dogs != nil {
		if !q.heeds(now) {
			return
		}
		x.watch(isl, now, PortID(owner), p)
	}
	if p.paused&(1<<fr.class) == 0 {
		x.setPaused(isl, now, PortID(owner), p, fr.class, true)
		q.begin(now, fr.root)
		if x.cfg.OnEvent != nil {
			x.f.witness.tellPause(isl, now, PortID(owner), fr.class, true)
		}
	} else if fr.root != q.root {
		x.moveRoot(isl, now, PortID(owner), q, fr)
	}
	if until := q.lasts(now, p.rate, fr.quanta); fr.quanta > 0 {
		isl.At(until, sim.MakeKey(sim.Timer, classExpire, owner))
	}
}

// quantaTime is the length of a pause: a quantum is 512 bit times of the port (802.3 annex 31B).
func quantaTime(r unit.Bitrate, quanta uint16) unit.Duration {
	return r.TransmitTime(unit.Bytes(quanta) * 64)
}

func (x *pfc) resume(isl *sim.Island, now unit.Time, id PortID, p *port, class uint8) {
	if p.paused&(1<<class) == 0 {
		return
	}
	x.setPaused(isl, now, id, p, class, false)
	if x.cfg.OnEvent != nil {
		x.f.witness.tellPause(isl, now, id, class, false)
	}
	if p.flags&flagBusy == 0 {
		x.f.next(isl, now, id, p)
	}
}

// moveRoot notes that a pause in force now has another root.
func (x *pfc) moveRoot(isl *sim.Island, now unit.Time, id PortID, q *hold, fr pauseFrame) {
	if src := x.f.sources[id]; src != nil {
		src.Paused(isl, now, id, fr.class, true)
	}
	x.took(id, q.move(now, fr.root))
}

func (x *pfc) setPaused(isl *sim.Island, now unit.Time, id PortID, p *port, class uint8, on bool) {
	if src := x.f.sources[id]; src != nil {
		src.Paused(isl, now, id, class, on)
	}
	if on {
		if p.paused == 0 {
			p.pausedSince = now
		}
		p.paused |= 1 << class
		return
	}
	p.paused &^= 1 << class
	x.took(id, x.egress.slow[int(id)*x.nc+int(class)].hold.end(now))
	if p.paused == 0 {
		p.pausedTotal += now.Sub(p.pausedSince)
	}
}

// pausedBy returns how long a queue has been paused in total, up to now.
func (x *pfc) pausedBy(now unit.Time, id PortID, class uint8) unit.Duration {
	return x.egress.slow[int(id)*x.nc+int(class)].hold.by(now)
}

// took counts a time for which a port was paused because of another.
func (x *pfc) took(id PortID, t RootTime) { x.pausedFor[id] = AddRoot(x.pausedFor[id], t.Root, t.Time) }

// Handle ends the pauses whose time is over.
func (h *expire) Handle(isl *sim.Island, now unit.Time, owner int32) {
	x := (*pfc)(h)
	p := &x.links.ports[owner]
	for c := range uint8(x.nc) {
		if x.egress.slow[int(owner)*x.nc+int(c)].hold.over(now) {
			x.resume(isl, now, PortID(owner), p, c)
		}
	}
}

// armRefresh plans to send a pause again before it ends at the peer.
func (x *pfc) armRefresh(isl *sim.Island, now unit.Time, in PortID, class uint8) {
	x.buf.ledgers[int(in)*x.nc+int(class)].sentAt = now
	if x.cfg.PFC.Quanta == 0 || x.cfg.PFC.Refresh.Num == 0 {
		return
	}
	if x.links.ingresses[in].refresh {
		return // its handler finds this account too
	}
	x.links.ingresses[in].refresh = true
	isl.At(now.Add(x.refreshAfter(in)), sim.MakeKey(sim.Timer, classRefresh, int32(in)))
}

// refreshAfter is when a pause is sent again: of the link's own rate. A port that is slower for a while stands
// still for longer.
func (x *pfc) refreshAfter(in PortID) unit.Duration {
	return unit.Duration(x.cfg.PFC.Refresh.Of(int64(quantaTime(x.graph.Ports[in].Rate, x.cfg.PFC.Quanta))))
}

// Handle repeats the pauses of ingress port owner that still hold and are due.
func (h *refresh) Handle(isl *sim.Island, now unit.Time, owner int32) {
	x := (*pfc)(h)
	in := &x.links.ingresses[owner]
	in.refresh = false
	after := x.refreshAfter(PortID(owner))
	next := unit.Never
	for c := range uint8(x.nc) {
		a := &x.buf.accounts[int(owner)*x.nc+int(c)]
		if !a.sentOff {
			continue
		}
		l := &x.buf.ledgers[int(owner)*x.nc+int(c)]
		if l.sentAt.Add(after) <= now {
			l.sentAt = now
			l.root = x.f.blame(now, PortID(owner), l.root, c)
			x.queuePause(isl, now, PortID(owner), pauseFrame{class: c, on: true, quanta: x.cfg.PFC.Quanta, root: l.root})
		}
		next = min(next, l.sentAt.Add(after))
	}
	if next != unit.Never {
		in.refresh = true
		isl.At(next, sim.MakeKey(sim.Timer, classRefresh, owner))
	}
}

// release gives a frame's bytes back to the account that it was charged to, and sends xON if that is low enough.
func (f *Fabric) release(isl *sim.Island, now unit.Time, account int32, size int64) {
	a := &f.buf.accounts[account]
	if a.release(size); !a.sentOff {
		return
	}
	in, class := PortID(int(account)/f.nc), uint8(int(account)%f.nc)
	if !a.goesOn(f.links.ingresses[in].xoff) {
		return
	}
	f.pfc.xon(isl, now, in, class)
	if f.cfg.OnEvent != nil {
		f.witness.tellHeld(isl, now, in, a, class, nil)
	}
}

// postPause sends a PFC frame to the far end of a link in another island.
func (x *pfc) postPause(st *state, id PortID, p *port, fr pauseFrame) {
	b := x.links.opened(st, p, fr.at)
	b.out.pauses = append(b.out.pauses, postedPause{id, fr})
}

// pauseArriving tells it of a PFC frame.
func (x *pfc) pauseArriving(id PortID, fr pauseFrame) {
	if len(x.onWay[id]) == 0 || x.each {
		x.links.ingresses[id].isl.At(fr.at, sim.MakeKey(sim.Arrival, classPause, int32(id^1)))
	}
	x.onWay[id] = append(x.onWay[id], fr)
}

// heard returns which class a PFC frame holds that comes to a port and names a class of the node that sent it.
func (x *pfc) heard(at PortID, class uint8) (own uint8, ok bool) {
	if x.priorities == nil {
		return class, x.heeds(at, class)
	}
	p := &x.graph.Ports[at]
	named := x.priorities[p.To][class]
	for c, priority := range x.priorities[p.Node] {
		if priority == named {
			return uint8(c), x.heeds(at, uint8(c))
		}
	}
	return 0, false
}

// heeds reports whether a class of a port stops for a PFC frame.
func (x *pfc) heeds(at PortID, class uint8) bool {
	return x.deafTo == nil || x.deafTo[at]&(1<<class) == 0
}

// forget makes a node forget the pauses of a port's link, which goes down or comes up: those that it has heard of,
// and those that it has sent or is about to send. If the link is up the far end hears that it may go on: a pause
// frame may have left as it came up.
func (x *pfc) forget(isl *sim.Island, now unit.Time, id PortID) {
	p, in := &x.links.ports[id], id^1
	if far := x.links.ingresses[in].far; far >= 0 {
		x.buf.nodes[far].pausing -= int32(len(p.ctl))
	}
	p.ctl = p.ctl[:0]
	p.flags &^= flagCtl
	for c := range uint8(x.nc) {
		if a := &x.buf.accounts[int(in)*x.nc+int(c)]; a.sentOff {
			a.sentOff = false
			x.xon(isl, now, in, c)
		}
	}
	for c := range uint8(x.nc) {
		x.resume(isl, now, id, p, c)
	}
}
