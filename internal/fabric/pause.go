package fabric

import (
	"railyard/internal/sim"
	"railyard/internal/unit"
)

// xoff tells the sender of link in to stop a class, because of a frame that goes out by port out.
func (f *Fabric) xoff(isl *sim.Island, now unit.Time, in, out PortID, class uint8) {
	f.buf.nodes[f.links.ingresses[in].far].pausing++
	root := f.blame(now, in, out, class)
	f.buf.ledgers[int(in)*f.nc+int(class)].root = root
	f.queuePause(isl, now, in, pauseFrame{class: class, on: true, quanta: f.cfg.PFC.Quanta, root: root})
	f.armRefresh(isl, now, in, class)
}

// xon tells it to go on.
func (f *Fabric) xon(isl *sim.Island, now unit.Time, in PortID, class uint8) {
	f.buf.nodes[f.links.ingresses[in].far].pausing--
	f.queuePause(isl, now, in, pauseFrame{class: class})
}

// queuePause gives a PFC frame to the port towards the sender of link in. It goes before all frames
// but the one in transmission.
func (f *Fabric) queuePause(isl *sim.Island, now unit.Time, in PortID, fr pauseFrame) {
	id := in ^ 1
	p := &f.links.ports[id]
	p.ctl = append(p.ctl, fr)
	if far := f.links.ingresses[in].far; far >= 0 { // no storm of a NIC
		f.buf.nodes[far].pausing++
	}
	p.flags |= flagCtl
	if p.flags&flagBusy == 0 {
		f.next(isl, now, id, p)
	}
}

// PausePeer has the NIC of a port tell its switch to stop a class, or to go on.
func (f *Fabric) PausePeer(isl *sim.Island, now unit.Time, id PortID, class uint8, on bool) {
	fr := pauseFrame{class: class, on: on, root: id ^ 1}
	if on {
		fr.quanta = f.cfg.PFC.Quanta
	}
	f.queuePause(isl, now, id^1, fr)
}

// PauseEvery is after how long such a pause has to be sent again, 0: never.
func (f *Fabric) PauseEvery(id PortID) unit.Duration {
	if f.cfg.PFC.Quanta == 0 || f.cfg.PFC.Refresh.Num == 0 {
		return 0
	}
	return f.refreshAfter(id ^ 1)
}

// sendPause puts a PFC frame on the link. It acts on the port at the far end after the cable's
// delay and the response time of the peer.
func (f *Fabric) sendPause(isl *sim.Island, now unit.Time, id PortID, p *port) {
	fr := p.ctl[0]
	if far := f.links.ingresses[id^1].far; far >= 0 {
		f.buf.nodes[far].pausing--
	}
	if p.ctl = p.ctl[:copy(p.ctl, p.ctl[1:])]; len(p.ctl) == 0 {
		p.flags &^= flagCtl
	}
	f.links.rated(now, id, p)
	tx := f.links.txTime(p, int64(f.cfg.PauseFrame)+f.links.overhead)
	p.sent = sent{flow: -1, line: p.sent.line}
	p.busyUntil = now.Add(tx)
	if p.psPerByte == 0 {
		p.busy += tx
	}
	p.pfcFrames++
	if fr.on {
		p.pausesSent++
	}
	if p.flags&flagRare != 0 && f.links.tapped(id) {
		f.links.tellPauseSent(isl, now, id, &fr)
	}
	f.links.awaitTxEnd(isl, id, p)
	fr.at = p.busyUntil.Add(p.cable + f.links.ports[id^1].respond)
	if p.flags&flagFar != 0 && isl.Mails() {
		f.postPause(f.links.state(isl), id, p, fr)
		return
	}
	f.pauseArriving(id, fr)
}

// Handle lets a PFC frame act on port owner.
func (h *pauseArrive) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f := (*Fabric)(h)
	link := owner ^ 1 // that it came over
	live := f.pauses[link]
	fr := live[0]
	live = live[:copy(live, live[1:])]
	f.pauses[link] = live
	p := &f.links.ports[owner]
	if p.sent.line&lineClass != 0 {
		f.lines.dissolve(isl, f.links.state(isl), now, PortID(owner))
	}
	if len(live) > 0 && !f.each {
		isl.At(live[0].at, sim.MakeKey(sim.Arrival, classPause, owner))
	}
	if f.faults != nil && f.faults.losesPause(now.Add(-p.respond), PortID(link)) {
		f.links.ingresses[link].faulted++
		return
	}
	class, known := f.heard(PortID(owner), fr.class)
	if fr.class = class; fr.on {
		p.pausesReceived++
	}
	if !known || f.faults != nil && f.faults.deaf(PortID(owner)) {
		return
	}
	if !fr.on {
		f.resume(isl, now, PortID(owner), p, fr.class)
		return
	}
	q := &f.egress.slow[int(owner)*f.nc+int(fr.class)]
	if f.dogs != nil {
		if !q.heeds(now) {
			return
		}
		f.watch(isl, now, PortID(owner), p)
	}
	if p.paused&(1<<fr.class) == 0 {
		f.setPaused(isl, now, PortID(owner), p, fr.class, true)
		q.root, q.rootSince = fr.root, now
		if f.cfg.OnEvent != nil {
			f.tellPause(isl, now, PortID(owner), fr.class, true)
		}
	} else if fr.root != q.root {
		f.moveRoot(isl, now, PortID(owner), q, fr)
	}
	if q.expires = unit.Never; fr.quanta > 0 {
		q.expires = now.Add(quantaTime(p.rate, fr.quanta))
		isl.At(q.expires, sim.MakeKey(sim.Timer, classExpire, owner))
	}
}

// quantaTime is the length of a pause: a quantum is 512 bit times of the port (802.3 annex 31B).
func quantaTime(r unit.Bitrate, quanta uint16) unit.Duration {
	return r.TransmitTime(unit.Bytes(quanta) * 64)
}

func (f *Fabric) resume(isl *sim.Island, now unit.Time, id PortID, p *port, class uint8) {
	if p.paused&(1<<class) == 0 {
		return
	}
	f.setPaused(isl, now, id, p, class, false)
	if f.cfg.OnEvent != nil {
		f.tellPause(isl, now, id, class, false)
	}
	if p.flags&flagBusy == 0 {
		f.next(isl, now, id, p)
	}
}

// moveRoot notes that a pause in force now has another root.
func (f *Fabric) moveRoot(isl *sim.Island, now unit.Time, id PortID, q *slow, fr pauseFrame) {
	if src := f.sources[id]; src != nil {
		src.Paused(isl, now, id, fr.class, true)
	}
	f.pausedFor[id] = AddRoot(f.pausedFor[id], q.root, now.Sub(q.rootSince))
	q.root, q.rootSince = fr.root, now
}

func (f *Fabric) setPaused(isl *sim.Island, now unit.Time, id PortID, p *port, class uint8, on bool) {
	if src := f.sources[id]; src != nil {
		src.Paused(isl, now, id, class, on)
	}
	q := &f.egress.slow[int(id)*f.nc+int(class)]
	if on {
		if p.paused == 0 {
			p.pausedSince = now
		}
		q.pausedSince = now
		p.paused |= 1 << class
		return
	}
	p.paused &^= 1 << class
	q.pausedTotal += now.Sub(q.pausedSince)
	f.pausedFor[id] = AddRoot(f.pausedFor[id], q.root, now.Sub(q.rootSince))
	if p.paused == 0 {
		p.pausedTotal += now.Sub(p.pausedSince)
	}
}

// pausedBy returns how long a queue has been paused in total, up to now.
func (f *Fabric) pausedBy(now unit.Time, id PortID, class uint8) unit.Duration {
	q := &f.egress.slow[int(id)*f.nc+int(class)]
	if f.links.ports[id].paused&(1<<class) != 0 {
		return q.pausedTotal + now.Sub(q.pausedSince)
	}
	return q.pausedTotal
}

// Handle ends the pauses whose time is over.
func (h *expire) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f := (*Fabric)(h)
	p := &f.links.ports[owner]
	for c := range uint8(f.nc) {
		if p.paused&(1<<c) != 0 && f.egress.slow[int(owner)*f.nc+int(c)].expires <= now {
			f.resume(isl, now, PortID(owner), p, c)
		}
	}
}

// armRefresh plans to send a pause again before it ends at the peer.
func (f *Fabric) armRefresh(isl *sim.Island, now unit.Time, in PortID, class uint8) {
	f.buf.ledgers[int(in)*f.nc+int(class)].sentAt = now
	if f.cfg.PFC.Quanta == 0 || f.cfg.PFC.Refresh.Num == 0 {
		return
	}
	if f.links.ingresses[in].refresh {
		return // its handler finds this account too
	}
	f.links.ingresses[in].refresh = true
	isl.At(now.Add(f.refreshAfter(in)), sim.MakeKey(sim.Timer, classRefresh, int32(in)))
}

// refreshAfter is when a pause is sent again: of the link's own rate. A port that is slower for a while stands
// still for longer.
func (f *Fabric) refreshAfter(in PortID) unit.Duration {
	return unit.Duration(f.cfg.PFC.Refresh.Of(int64(quantaTime(f.graph.Ports[in].Rate, f.cfg.PFC.Quanta))))
}

// Handle repeats the pauses of ingress port owner that still hold and are due.
func (h *refresh) Handle(isl *sim.Island, now unit.Time, owner int32) {
	f := (*Fabric)(h)
	in := &f.links.ingresses[owner]
	in.refresh = false
	after := f.refreshAfter(PortID(owner))
	next := unit.Never
	for c := range uint8(f.nc) {
		a := &f.buf.accounts[int(owner)*f.nc+int(c)]
		if !a.sentOff {
			continue
		}
		l := &f.buf.ledgers[int(owner)*f.nc+int(c)]
		if l.sentAt.Add(after) <= now {
			l.sentAt = now
			l.root = f.blame(now, PortID(owner), l.root, c)
			f.queuePause(isl, now, PortID(owner), pauseFrame{class: c, on: true, quanta: f.cfg.PFC.Quanta, root: l.root})
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
	f.xon(isl, now, in, class)
	if f.cfg.OnEvent != nil {
		f.tellHeld(isl, now, in, a, class, nil)
	}
}
