package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/qos"
)

// Setting is what one port of a node is set to for a while, other than the configuration of its switch says: a link
// that came up at a lower speed, a port that somebody forgot. A zero field changes nothing. Of several settings of
// a port that hold at once the last one's fields do.
type Setting struct {
	Port PortID // of the node
	While
	Rate    unit.Bitrate       // at which it sends
	NoECN   bool               // its queues mark nothing
	ECN     *ECN               // where its queues mark
	NoPFC   bool               // it neither sends PFC frames nor heeds them
	XOFF    unit.Bytes         // of what came in by it: a fixed threshold
	MTU     unit.Bytes         // longer frames are lost, those that come and those that go
	ClassOf *[codePoints]uint8 // the class of frames that come in by it, by their DSCP
}

// portState is what of Setting a port has besides what the fabric keeps for every port.
type portState struct {
	mtu      int64  // 0: any
	deaf     bool   // NoPFC
	oversize int64  // frames that were too long to leave
	ecn      []mark // as it is while nothing is set, by class
	xoff     *threshold
	lossless uint8
	classOf  *[codePoints]uint8
}

func (x *faults) addSettings(all []Setting) {
	x.f.links.rates = make([][]Setting, len(x.links))
	for _, s := range all {
		x.settings[s.Port] = append(x.settings[s.Port], s)
		if s.Rate > 0 {
			x.f.links.rates[s.Port] = append(x.f.links.rates[s.Port], s)
			x.f.links.ports[s.Port].psPerByte = 0 // its bytes do not all take as long
		}
		x.plan(s.Port, s.From, x.ownerOfPort(s.Port))
		if s.Until != 0 {
			x.plan(s.Port, s.Until, x.ownerOfPort(s.Port))
		}
	}
	for id, s := range x.settings {
		if len(s) > 0 {
			x.keep(PortID(id))
			x.settle(nil, 0, PortID(id))
		}
	}
}

// keep notes how a port is while nothing is set.
func (x *faults) keep(id PortID) {
	f, s, in := x.f, &x.set[id], id^1
	for c := range f.nc {
		s.ecn = append(s.ecn, f.egress.slow[int(id)*f.nc+c].mark)
	}
	s.xoff, s.lossless = f.links.ingresses[in].xoff, f.links.ingresses[in].lossless
	if f.classes.of != nil {
		s.classOf = f.classes.of[in]
	}
}

// settle sets a port as its settings of an instant say.
func (x *faults) settle(isl *sim.Island, now unit.Time, id PortID) {
	if len(x.settings[id]) == 0 {
		return
	}
	var want Setting
	for i := range x.settings[id] {
		if s := &x.settings[id][i]; s.Holds(now) {
			want.take(s)
		}
	}
	f, s, p, in := x.f, &x.set[id], &x.f.links.ports[id], &x.f.links.ingresses[id^1]
	f.links.rated(now, id, p)
	x.setMarks(id, &want)
	s.mtu = int64(want.MTU)
	if in.xoff = s.xoff; want.XOFF > 0 {
		in.xoff = f.buf.threshold(qos.XOFF{Fixed: int64(want.XOFF)})
	}
	if f.classes.of != nil {
		if f.classes.of[id^1] = s.classOf; want.ClassOf != nil {
			f.classes.of[id^1] = want.ClassOf
		}
	}
	x.setPFC(isl, now, id, !want.NoPFC)
}

// take takes over what another setting says.
func (w *Setting) take(s *Setting) {
	if s.ECN != nil || s.NoECN {
		w.ECN, w.NoECN = s.ECN, s.NoECN
	}
	if s.XOFF > 0 {
		w.XOFF = s.XOFF
	}
	if s.MTU > 0 {
		w.MTU = s.MTU
	}
	if s.ClassOf != nil {
		w.ClassOf = s.ClassOf
	}
	w.NoPFC = w.NoPFC || s.NoPFC
}

// setMarks sets where the queues of a port mark: of classes that are marked at all.
func (x *faults) setMarks(id PortID, want *Setting) {
	f := x.f
	f.links.ports[id].flags &^= flagMarks
	for c, own := range x.set[id].ecn {
		m := own
		switch {
		case !own.on:
		case want.NoECN:
			m = unmarked
		case want.ECN != nil:
			m = newMark(want.ECN.At(f.graph.Ports[id].Rate))
		}
		f.setMarking(id, c, m)
	}
}

// setPFC switches PFC of a port off, or back on. What is paused goes on.
func (x *faults) setPFC(isl *sim.Island, now unit.Time, id PortID, on bool) {
	f, s, in := x.f, &x.set[id], &x.f.links.ingresses[id^1]
	if s.deaf == !on {
		return
	}
	s.deaf = !on
	if on {
		in.lossless = s.lossless
		return
	}
	if in.lossless = 0; isl != nil { // nothing is paused before the first event
		f.pfc.forget(isl, now, id)
	}
}

// deaf reports whether a port does not heed PFC frames.
func (x *faults) deaf(id PortID) bool { return x.set[id].deaf }

// tooLong reports whether a frame is longer than a port takes, that it comes to or is to leave by.
func (x *faults) tooLong(id PortID, pk *Packet) bool {
	mtu := x.set[id].mtu
	return mtu > 0 && int64(pk.Bytes) > mtu
}

// RateAt is the rate at which a port sends what it begins at an instant: that of its link, or what a fault leaves of it.
func (f *Fabric) RateAt(id PortID, t unit.Time) unit.Bitrate {
	return f.links.rateAt(id, t)
}

// txTime is how long a frame took whose last bit left a port at an instant. Both ends of a link may ask.
func (x *faults) txTime(id PortID, end unit.Time, bytes int64) unit.Duration {
	f := x.f
	if len(f.links.rates[id]) == 0 {
		return f.links.txTime(&f.links.ports[id], bytes+f.links.overhead)
	}
	tx := func(r unit.Bitrate) unit.Duration { return f.timeAt(r, bytes+f.links.overhead) }
	own := f.graph.Ports[id].Rate
	for i := range f.links.rates[id] { // the rate when it began
		if r := f.links.rates[id][i].Rate; f.links.rateAt(id, end.Add(-tx(r))) == r {
			return tx(r)
		}
	}
	return tx(own)
}
