package prove

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/net/qos"
)

// edit returns a copy of a device in which the profile of a port, and the port, are changed.
func (s *subject) edit(change func(d *netconf.Device, p *netconf.Profile, i *netconf.Interface)) side {
	d := s.device.Clone()
	i := d.Port(s.port.Name)
	if i.QoS == nil {
		i.QoS = &netconf.PortQoS{}
	}
	d.QoS.Profiles = append(d.QoS.Profiles, d.QoS.Profiles[i.QoS.Profile])
	i.QoS.Profile = len(d.QoS.Profiles) - 1
	p := &d.QoS.Profiles[i.QoS.Profile]
	p.Classes = slices.Clone(p.Classes)
	change(d, p, i)
	p.Tidy()
	return side{d, i}
}

func (s *subject) itself() side { return side{s.device, s.port} }

// all gives every port one side.
func all(x side) func(string, int) side { return func(string, int) side { return x } }

// pausing is the first class of a profile that pauses; nil: none does.
func pausing(p *netconf.Profile) *netconf.Class {
	for i := range p.Classes {
		if p.Classes[i].Pause != nil {
			return &p.Classes[i]
		}
	}
	return nil
}

// lossless puts RoCE data into a class that pauses and marks; or has its class pause, which marks, where another does in
// its place.
func (s *subject) lossless(_ *netconf.Device, p *netconf.Profile, i *netconf.Interface) {
	c := pausing(p)
	if own := p.Class(p.Classify[s.dscp]); c != nil && own != nil && c != own && c.ECN == nil && own.ECN != nil {
		c.Pause, own.Pause = nil, &netconf.Pause{Priority: own.TC}
		c = own
	}
	if c == nil {
		tc := uint8(3)
		if c = p.Class(tc); c == nil {
			p.Classes = append(p.Classes, netconf.Class{TC: tc, Queue: tc, Share: 50})
			c = &p.Classes[len(p.Classes)-1]
		}
		c.Pause = &netconf.Pause{Priority: tc}
	}
	if c.ECN == nil {
		c.ECN = s.usualECN()
	}
	p.Classify[s.dscp] = c.TC
	if i.QoS.PFC == netconf.PFCOff {
		i.QoS.PFC = netconf.PFCOn
	}
}

// usualECN is the marking of the HPCC authors' production network, at the port's rate.
func (s *subject) usualECN() *netconf.ECN {
	m := qos.DefaultECN.At(s.rate)
	return &netconf.ECN{Min: m.Min, Max: m.Max, Probability: int(m.Probability.Of(100))}
}

// marking gives the class that pauses a curve that marks.
func (s *subject) marking(_ *netconf.Device, p *netconf.Profile, _ *netconf.Interface) {
	c := pausing(p)
	if c.ECN == nil {
		c.ECN = s.usualECN()
		return
	}
	e := *c.ECN
	e.Drops = false
	c.ECN = &e
}

// strictCNP gives CNPs a class of their own that goes first.
func (s *subject) strictCNP(_ *netconf.Device, p *netconf.Profile, _ *netconf.Interface) {
	c := p.Class(p.Classify[s.cnp])
	if c == nil || c.Pause != nil || len(p.DSCPs(c.TC)) > 8 {
		tc := s.freeClass(p)
		p.Classes = append(p.Classes, netconf.Class{TC: tc, Queue: tc})
		p.Classify[s.cnp] = tc
		c = &p.Classes[len(p.Classes)-1]
	}
	c.Strict, c.Share = true, 0
}

// freeClass is a traffic class whose number and queue no other has, the highest.
func (s *subject) freeClass(p *netconf.Profile) uint8 {
	for tc := uint8(netconf.Classes - 1); ; tc-- {
		if !slices.ContainsFunc(p.Classes, func(c netconf.Class) bool { return c.TC == tc || c.Queue == tc }) {
			return tc
		}
	}
}

// scaledECN has a curve begin at a tenth of where it ends, and end no later than most.
func scaledECN(c *netconf.Class, most unit.Bytes) {
	e := *c.ECN
	if e.MaxFill > 0 {
		e.MinFill = min(e.MinFill, e.MaxFill) / 10
	} else {
		e.Max = min(max(e.Min, e.Max), most)
		e.Min = e.Max / 10
	}
	c.ECN = &e
}
