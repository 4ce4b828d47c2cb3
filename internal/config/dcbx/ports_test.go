package dcbx

import (
	"testing"

	"railyard/internal/config/netconf"
	"railyard/internal/net/wire"
)

// leaf is a switch whose class 3 pauses priority 4 and has 60 % of a port, class 0 the rest, and class 6 is strict.
func leaf() *netconf.Device {
	p := netconf.Profile{Classes: []netconf.Class{
		{TC: 0, Queue: 0, Share: 40},
		{TC: 3, Queue: 3, Share: 60, Pause: &netconf.Pause{Priority: 4}},
		{TC: 6, Queue: 6, Strict: true},
	}}
	return &netconf.Device{LLDP: &netconf.LLDP{On: true}, QoS: &netconf.QoS{Profiles: []netconf.Profile{p}},
		Interfaces: []netconf.Interface{{Name: "Ethernet1/1", QoS: &netconf.PortQoS{PFC: netconf.PFCAuto}}}}
}

// Which versions a port speaks follows the port, then the device, then the platform, which finds it by itself.
func TestWhoSpeaksWhat(t *testing.T) {
	on, off := &netconf.LLDP{On: true}, &netconf.LLDP{}
	for _, c := range []struct {
		device    *netconf.LLDP
		port      netconf.PortLLDP
		ieee, cee bool
	}{
		{on, netconf.PortLLDP{}, true, true},
		{off, netconf.PortLLDP{}, false, false},
		{nil, netconf.PortLLDP{}, false, false},
		{nil, netconf.PortLLDP{DCBX: netconf.DCBXCEE}, false, true},
		{off, netconf.PortLLDP{DCBX: netconf.DCBXCEE}, false, false},
		{on, netconf.PortLLDP{DCBX: netconf.DCBXIEEE}, true, false},
		{on, netconf.PortLLDP{DCBX: netconf.DCBXOff}, false, false},
		{on, netconf.PortLLDP{Silent: true}, false, false},
		{on, netconf.PortLLDP{Silent: true, DCBX: netconf.DCBXIEEE}, false, false},
		{&netconf.LLDP{On: true, DCBX: netconf.DCBXIEEE}, netconf.PortLLDP{}, true, false},
		{&netconf.LLDP{On: true, DCBX: netconf.DCBXIEEE}, netconf.PortLLDP{DCBX: netconf.DCBXCEE}, false, true},
	} {
		d := leaf()
		d.LLDP, d.Interfaces[0].LLDP = c.device, c.port
		if e := Of(d, &d.Interfaces[0]); (e.IEEE != nil) != c.ieee || (e.CEE != nil) != c.cee {
			t.Errorf("device %+v, port %+v: IEEE %v, CEE %v; want %v, %v", c.device, c.port, e.IEEE != nil, e.CEE != nil,
				c.ieee, c.cee)
		}
	}
}

// A NIC takes what its switch has, in either version: the priority that pauses, and the queues with their shares.
func TestANICTakesWhatItsSwitchHas(t *testing.T) {
	for dcbx, version := range map[netconf.DCBX]Version{netconf.DCBXIEEE: IEEE, netconf.DCBXCEE: CEE} {
		d, nic := leaf(), NIC(Card{})
		d.LLDP.DCBX = dcbx
		end := Of(d, &d.Interfaces[0])
		here, there := Resolve(&end, &nic)
		if here.Version != version || there.Version != version || here.PFC != 1<<4 || there.PFC != 1<<4 ||
			here.PFCFrom != Own || there.PFCFrom != Peer || here.ETSFrom != Own || there.ETSFrom != Peer {
			t.Fatalf("%v: %+v and %+v", version, here, there)
		}
		for _, s := range []*wire.Shares{here.ETS, there.ETS} {
			strict := s.Class[6]
			if s.Class[4] != 3 || s.Class[0] != 0 || s.Class[3] != 0 || s.Bandwidth[3] != 60 || s.Bandwidth[0] != 40 ||
				s.Selection[3] != wire.ETSShare || s.Selection[0] != wire.ETSShare {
				t.Errorf("%v: shares %+v", version, s)
			}
			if version == IEEE && (strict != 6 || s.Selection[6] != wire.StrictPriority) ||
				version == CEE && strict != strictGroup {
				t.Errorf("%v: priority 6 is in class %d, which is to be strict: %+v", version, strict, s)
			}
		}
	}
}

// On is what was told; auto what the exchange came to, and nothing where nothing was heard.
func TestWhatIsOperational(t *testing.T) {
	d := leaf()
	p := &d.Interfaces[0]
	heard, silent := &State{Version: IEEE, PFC: 1 << 5}, &State{Version: Silent, PFC: 1 << 5}
	for _, c := range []struct {
		mode          netconf.PFCMode
		heard, silent uint8
	}{{netconf.PFCAuto, 1 << 5, 0}, {netconf.PFCOn, 1 << 4, 1 << 4}, {netconf.PFCOff, 0, 0}} {
		p.QoS.PFC = c.mode
		if a, b := Operational(d, p, heard), Operational(d, p, silent); a != c.heard || b != c.silent {
			t.Errorf("%s: %#x, and %#x where nothing is heard; want %#x and %#x", c.mode, a, b, c.heard, c.silent)
		}
	}
	if p.QoS = nil; Operational(d, p, heard) != 0 || Of(d, p).IEEE.Config != nil || Of(d, p).CEE.Groups != nil {
		t.Error("a port without a profile pauses or has shares")
	}
}
