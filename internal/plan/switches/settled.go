package switches

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
	"railyard/internal/plan/scenario"
)

// settle says what ports want as one value for the switch, as far as most of them agree, and returns where single
// ports differ; nil: none does. What the scenario comes to already stays as it is written there.
func (a *applying) settle() []fabric.PortProfile {
	links := fabric.Links(a.s.graph, a.id)
	if a.same(links, a.marksAlike) {
		// as the scenario says
	} else if curve := a.mostCurve(); curve != nil {
		e := &a.f.QoS.ECN
		e.Enabled, e.PortRate = true, scenario.Opt[unit.Bitrate]{}
		e.Min, e.Max = scenario.Some(curve.Min.Bytes), scenario.Some(curve.Max.Bytes)
		e.Probability = scenario.Some(curve.Probability)
	} else {
		a.f.QoS.ECN.Enabled = false
	}
	a.f.QoS.PFC.Enabled = slices.ContainsFunc(a.want, func(w wanted) bool { return w.classes[ClassData].Lossless })
	a.settlePauses(links)
	a.settleShares()
	own := a.s.Profile(&a.f)
	ports := make([]fabric.PortProfile, len(a.want))
	differ := false
	for k := range a.want {
		ports[k] = a.differing(k, links[k], &own)
		differ = differ || ports[k].Classes != nil || ports[k].ClassOf != nil || ports[k].XOFF != nil || ports[k].Headroom != nil ||
			ports[k].Deaf != 0
	}
	if !differ {
		return nil
	}
	return ports
}

// same reports whether all ports are alike in something.
func (a *applying) same(links []qos.Link, alike func(k int, l qos.Link) bool) bool {
	for k := range a.want {
		if !alike(k, links[k]) {
			return false
		}
	}
	return true
}

// marksAlike reports whether a port is to mark data as the switch does.
func (a *applying) marksAlike(k int, l qos.Link) bool {
	e := a.want[k].classes[ClassData].ECN
	if e == nil || !a.f.QoS.ECN.Enabled {
		return e == nil && !a.f.QoS.ECN.Enabled
	}
	return sameCurve(e.At(l.Rate), a.f.QoS.ECN.Curve().At(l.Rate))
}

func sameCurve(x, y qos.Marking) bool {
	return x.Min == y.Min && x.Max == y.Max && x.Probability.Cmp(y.Probability) == 0 && x.AtDequeue == y.AtDequeue
}

// mostCurve is the marking of data that most ports have; nil: none marks.
func (a *applying) mostCurve() (most *qos.ECN) {
	n := map[qos.ECN]int{}
	for k := range a.want {
		if e := a.want[k].classes[ClassData].ECN; e != nil {
			if n[*e]++; most == nil || n[*e] > n[*most] {
				most = e
			}
		}
	}
	return most
}

// settlePauses takes the xOFF that most ports have.
func (a *applying) settlePauses(links []qos.Link) {
	pfc := a.s.Profile(&a.f).PFC
	if a.same(links, func(k int, l qos.Link) bool {
		return a.want[k].xoff == nil || sameXOFF(*a.want[k].xoff, pfc.XOFF(l.Rate))
	}) {
		return
	}
	n, most := map[qos.XOFF]int{}, qos.XOFF{}
	for k := range a.want {
		if x := a.want[k].xoff; x != nil {
			if n[*x]++; n[*x] > n[most] {
				most = *x
			}
		}
	}
	q := &a.f.QoS.PFC
	if q.Threshold = (scenario.Opt[unit.Bytes]{}); most.Fixed > 0 {
		q.Threshold = scenario.Some(unit.Bytes(most.Fixed))
	} else {
		q.Alpha = most.Alpha
	}
}

func sameXOFF(x, y qos.XOFF) bool {
	return x.Fixed == y.Fixed && (x.Fixed > 0 || x.Alpha.Cmp(y.Alpha) == 0)
}

// settleShares takes the shares of the first port that has both.
func (a *applying) settleShares() {
	if len(a.want[0].classes) == 1 {
		return
	}
	q := &a.f.QoS
	for k := range a.want {
		data, other := &a.want[k].classes[ClassData], &a.want[k].classes[ClassOther]
		if a.profile(k) == nil || data.Strict || other.Strict {
			continue
		}
		if data.Weight*q.OtherWeight != other.Weight*q.DataWeight {
			q.DataWeight, q.OtherWeight = data.Weight, other.Weight
		}
		return
	}
}

// differing is where a port differs from its switch.
func (a *applying) differing(k int, l qos.Link, own *fabric.Profile) (out fabric.PortProfile) {
	w := &a.want[k]
	out.Deaf = w.deaf
	for c := range w.classes {
		x, y := &w.classes[c], &own.Classes[c]
		marks := (x.ECN == nil) == (y.ECN == nil) && (x.ECN == nil || sameCurve(x.ECN.At(l.Rate), y.ECN.At(l.Rate)))
		if x.Strict != y.Strict || x.Lossless != y.Lossless || !marks || !a.sharesAlike(w.classes, own.Classes) {
			out.Classes = w.classes
		}
	}
	if w.classOf != nil && !a.classedAlike(w.classOf, own.ClassOf) {
		out.ClassOf = w.classOf
	}
	if !slices.ContainsFunc(w.classes, func(c fabric.Class) bool { return c.Lossless }) {
		return out
	}
	if w.xoff != nil && !sameXOFF(*w.xoff, own.PFC.XOFF(l.Rate)) {
		out.XOFF = w.xoff
	}
	if w.headroom != nil && *w.headroom != own.PFC.Headroom.At(l) {
		out.Headroom = w.headroom
	}
	return out
}

// sharesAlike reports whether classes that are not strict have the same shares.
func (a *applying) sharesAlike(x, y []fabric.Class) bool {
	for i := range x {
		for k := range x[:i] {
			if !x[i].Strict && !x[k].Strict && !y[i].Strict && !y[k].Strict && x[i].Weight*y[k].Weight != x[k].Weight*y[i].Weight {
				return false
			}
		}
	}
	return true
}

// classedAlike reports whether what NICs write is in the same classes.
func (a *applying) classedAlike(x, y *[64]uint8) bool {
	for c, dscp := range a.s.DSCPs() {
		of := uint8(c)
		if y != nil {
			of = y[dscp]
		}
		if x[dscp] != of {
			return false
		}
	}
	return true
}
