package dcbx

import (
	"railyard/internal/config/netconf"
	"railyard/internal/net/wire"
)

// Of is what a port of a configured switch says: its priorities and shares, and that it is not
// willing, for which no platform on record has a word. Where a platform finds the version by itself
// it speaks both.
func Of(d *netconf.Device, i *netconf.Interface) (e End) {
	speaks := i.LLDP.DCBX
	if speaks == netconf.DCBXDefault && d.LLDP != nil {
		speaks = d.LLDP.DCBX
	}
	on := d.LLDP != nil && d.LLDP.On || d.LLDP == nil && speaks != netconf.DCBXDefault // a port that says which speaks it
	if !on || i.LLDP.Silent || speaks == netconf.DCBXOff {
		return e
	}
	pfc, ets := Configured(d, i), sharesOf(d.ProfileOf(i))
	if speaks != netconf.DCBXCEE {
		e.IEEE = &wire.DCBX{PFC: &wire.PFCConfig{Capability: netconf.Classes, Enable: pfc}}
		if ets != nil {
			e.IEEE.Config, e.IEEE.Recommended = &wire.ETS{Shares: *ets}, &wire.Recommendation{Shares: *ets}
		}
	}
	if speaks != netconf.DCBXIEEE {
		on := wire.Feature{Enable: true}
		e.CEE = &wire.CEE{PFC: &wire.CEEPFC{Feature: on, Enabled: pfc, Classes: netconf.Classes}}
		if ets != nil {
			e.CEE.Groups = groupsOf(ets)
		}
	}
	return e
}

// A Card is what is known of a NIC. The zero value is one whose firmware speaks DCBX and has nothing of its own.
type Card struct {
	PFC  uint8 // priorities that it was told to pause, a bit each
	Host bool  // its host sets it up (mlnx_qos: "DCBX mode: OS controlled"), and nobody speaks DCBX for it
}

// NIC is what a host's port says: firmware takes what its switch has, and has its own where that says nothing.
func NIC(c Card) End {
	if c.Host {
		return End{}
	}
	willing := wire.Feature{Enable: true, Willing: true}
	return End{
		IEEE: &wire.DCBX{Config: &wire.ETS{Willing: true},
			PFC: &wire.PFCConfig{Willing: true, Capability: netconf.Classes, Enable: c.PFC}},
		CEE: &wire.CEE{Groups: &wire.CEEGroups{Feature: willing},
			PFC: &wire.CEEPFC{Feature: willing, Classes: netconf.Classes, Enabled: c.PFC}},
	}
}

// Pauses are the priorities that a NIC does pause, with its state: what the exchange came to, else what it was told.
func (c Card) Pauses(s *State) uint8 {
	if c.Host || s.Version == Silent {
		return c.PFC
	}
	return s.PFC
}

// Configured are the priorities that a port is told to pause, a bit each.
func Configured(d *netconf.Device, i *netconf.Interface) (priorities uint8) {
	p := d.ProfileOf(i)
	if p == nil || i.QoS.PFC == netconf.PFCOff {
		return 0
	}
	for k := range p.Classes {
		if pause := p.Classes[k].Pause; pause != nil {
			priorities |= 1 << pause.Priority
		}
	}
	return priorities
}

// Operational are those that it does pause, with its state: on is what it was told, auto what the
// exchange came to, and nothing where there was none.
func Operational(d *netconf.Device, i *netconf.Interface, s *State) uint8 {
	switch {
	case i.QoS == nil || i.QoS.PFC != netconf.PFCAuto:
		return Configured(d, i)
	case s.Version == Silent:
		return 0
	}
	return s.PFC
}

// sharesOf are the shares of a profile's queues; nil: it has none.
func sharesOf(p *netconf.Profile) *wire.Shares {
	if p == nil {
		return nil
	}
	s := &wire.Shares{}
	for k := range p.Classes {
		c := &p.Classes[k]
		priority := c.TC
		if c.Pause != nil {
			priority = c.Pause.Priority
		}
		s.Class[priority] = c.Queue
		if !c.Strict {
			s.Bandwidth[c.Queue], s.Selection[c.Queue] = uint8(c.Share), wire.ETSShare
		}
	}
	return s
}

// groupsOf are shares as CEE's groups of priorities.
func groupsOf(s *wire.Shares) *wire.CEEGroups {
	g := &wire.CEEGroups{Feature: wire.Feature{Enable: true}, Bandwidth: s.Bandwidth, Classes: netconf.Classes}
	for p, class := range s.Class {
		if g.Group[p] = class; s.Selection[class] == wire.StrictPriority {
			g.Group[p] = strictGroup
		}
	}
	return g
}
