package qos

import (
	"cmp"
	"fmt"

	"railyard/internal/base/unit"
)

// Link is a cable at a port of a switch: the rate at which the port sends and the one-way delay.
type Link struct {
	Rate     unit.Bitrate
	Delay    unit.Duration
	Arriving unit.Bitrate // at which the other end sends; 0: the same rate
}

// arriving is the rate at which bytes come in.
func (l Link) arriving() unit.Bitrate { return cmp.Or(l.Arriving, l.Rate) }

// Switch is what a switch does, port by port.
type Switch struct {
	Shared unit.Bytes // part of the buffer that all ports share
	Spare  unit.Bytes // beyond it: a largest frame for each lossless account, for the one that crosses xOFF
	Ports  []Port     // link by link, of each every class
}

// Port is what a switch does with one class at one port, and when.
type Port struct {
	Rate  unit.Bitrate  `json:"rate_bps"`
	Delay unit.Duration `json:"cable_ps"`
	// at which the other end sends, where that is another rate
	Arriving unit.Bitrate `json:"arriving_bps,omitzero"`
	Reserve  unit.Bytes   `json:"reserve_bytes"`
	Shared   unit.Bytes   `json:"shared_bytes"`        // of the switch
	ECN      Marking      `json:"ecn,omitzero"`        // of what leaves by the port
	Drop     unit.Bytes   `json:"drop_bytes,omitzero"` // drop threshold of the egress queue
	PFC      Pausing      `json:"pfc,omitzero"`        // of what comes in by it
}

// Marking is the WRED profile of an egress queue.
type Marking struct {
	Min         unit.Bytes `json:"min_bytes"`
	Max         unit.Bytes `json:"max_bytes"`
	Probability unit.Ratio `json:"probability"`
	AtDequeue   bool       `json:"at_dequeue"`
}

// Pausing is the PFC of an ingress port.
type Pausing struct {
	Fixed     unit.Bytes `json:"fixed_bytes,omitzero"` // xOFF as configured, if fixed
	Alpha     unit.Ratio `json:"alpha,omitzero"`       // of a dynamic xOFF, doublings included
	Doublings int        `json:"alpha_doublings,omitzero"`
	XOFF      unit.Bytes `json:"xoff_bytes"` // while the buffer is empty; never above the shared part
	XON       unit.Bytes `json:"xon_bytes"`
	// what one sender alone has in the switch when it is paused
	FirstPause     unit.Bytes `json:"first_pause_bytes"`
	Headroom       unit.Bytes `json:"headroom_bytes"`
	HeadroomNeeded unit.Bytes `json:"headroom_needed_bytes"` // the most that can arrive after xOFF
	// no table has this speed: scaled from a slower one
	HeadroomAssumed bool          `json:"headroom_assumed,omitzero"`
	Response        unit.Duration `json:"response_ps"`           // of the neighbour to a pause frame
	SafeMark        unit.Bytes    `json:"safe_ecn_min_bytes"`    // MarkingBound of the port that pauses soonest
	SafeStatic      unit.Bytes    `json:"safe_fixed_xoff_bytes"` // StaticBound
}

// Marks reports whether the port marks.
func (p *Port) Marks() bool { return p.ECN != Marking{} }

// Lossless reports whether PFC protects the class.
func (p *Port) Lossless() bool { return p.PFC != Pausing{} }

// Rule is the threshold of the port, as it follows what is free.
func (p *Pausing) Rule() XOFF { return XOFF{Fixed: int64(p.Fixed), Alpha: p.Alpha} }

// lossless is how many classes are under PFC, at the port that has most.
func (p *Policy) lossless() (most int) {
	for i := range max(len(p.Ports), 1) {
		n := 0
		for _, c := range p.classes(i) {
			if c.Lossless {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Switch returns what a switch with these links does. It fails where the buffer holds no shared
// part.
func (p *Policy) Switch(links []Link) (Switch, error) {
	s := p.split(links)
	if s.Shared <= 0 {
		step := unit.Bytes(1e3)
		if p.Buffer.Size-s.Shared > 10e6 {
			step = 1e6
		}
		return s, fmt.Errorf("buffer %v is smaller than its ports' reserves and headrooms by %s: want a fabric.switch.buffer of "+
			"at least %v, or a smaller reserve or headroom", p.Buffer.Size, (-s.Shared).Human(), (p.Buffer.Size-s.Shared+step)/step*step)
	}
	classes := p.lossless()
	safeMark, safeStatic := unit.Bytes(0), unit.Bytes(0)
	if classes > 0 && len(links) > 0 { // a spine may have none: fabric.spines_per_leaf
		safeMark, safeStatic = p.safeMark(links, s.Shared), StaticBound(s.Shared, len(links), classes)
	}
	s.Ports = make([]Port, 0, len(links)*len(p.Classes))
	for i, l := range links {
		for _, c := range p.classes(i) {
			port := Port{Rate: l.Rate, Delay: l.Delay, Arriving: l.Arriving, Reserve: p.Buffer.Reserve, Shared: s.Shared,
				Drop: c.Drop.At(l.Rate)}
			if c.ECN != nil {
				port.ECN = c.ECN.At(l.Rate)
			}
			if c.Lossless {
				port.PFC = p.pausing(i, l, &s)
				port.PFC.SafeMark, port.PFC.SafeStatic = safeMark, safeStatic
			}
			s.Ports = append(s.Ports, port)
		}
	}
	return s, nil
}

// split splits the buffer into reserves, headroom and the shared part, which may be negative.
func (p *Policy) split(links []Link) Switch {
	s := Switch{Shared: p.Buffer.Size}
	for i, l := range links {
		none := p.port(i).Headroom == nil && p.PFC.Headroom.None()
		for _, c := range p.classes(i) {
			s.Shared -= p.Buffer.Reserve
			if !c.Lossless || none {
				continue
			}
			s.Shared -= p.headroom(i, l)
			if !p.Buffer.CrossingInHeadroom {
				s.Shared -= p.MTU
				s.Spare += p.MTU
			}
		}
	}
	return s
}

// safeMark returns the marking bound of a switch: that of the ingress port which pauses soonest.
func (p *Policy) safeMark(links []Link, shared unit.Bytes) unit.Bytes {
	least := unit.Bytes(-1)
	for i, l := range links {
		x := p.xoff(i, l)
		b := FixedMarkingBound(min(unit.Bytes(x.Fixed), shared), len(links))
		if x.Fixed == 0 {
			b = MarkingBound(shared, len(links), p.lossless(), x.Alpha)
		}
		if least < 0 || b < least {
			least = b
		}
	}
	return max(0, least)
}

func (p *Policy) pausing(i int, l Link, s *Switch) Pausing {
	x := p.xoff(i, l)
	q := Pausing{
		Fixed:           unit.Bytes(x.Fixed),
		XOFF:            min(s.Shared, unit.Bytes(x.At(int64(s.Shared)))),
		FirstPause:      p.firstPause(&x, s),
		Headroom:        p.headroom(i, l),
		HeadroomNeeded:  p.needed(l),
		HeadroomAssumed: p.port(i).Headroom == nil && (p.PFC.Headroom.Assumed(l.Rate) || p.PFC.Headroom.Assumed(l.arriving())),
		Response:        p.PFC.Response.At(l.arriving()),
	}
	if q.Fixed == 0 {
		q.Alpha = x.Alpha
		if p.port(i).XOFF == nil {
			q.Doublings = p.PFC.Doublings(l.Rate)
		}
	}
	q.XON = max(0, q.XOFF-p.PFC.ResumeOffset)
	return q
}

// firstPause returns what one sender alone has in a switch when it is paused: the reserve and the
// least share x of the shared part with x >= xOFF at what x leaves free. With alpha N/D that is x >
// (N shared - D) / (N + D). A fixed xOFF that the buffer cannot hold acts when the shared part
// is full.
func (p *Policy) firstPause(x *XOFF, s *Switch) unit.Bytes {
	share := x.Alpha.Num*int64(s.Shared) - x.Alpha.Den
	switch {
	case x.Fixed > 0:
		share = min(x.Fixed, int64(s.Shared)+1)
	case share < 0:
		return 0 // the threshold is 0 from the start
	default:
		share = share/(x.Alpha.Num+x.Alpha.Den) + 1
	}
	return p.Buffer.Reserve + unit.Bytes(share)
}
