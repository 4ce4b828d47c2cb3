package nxos

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// check refuses what NX-OS has no words for, or none that are on record.
func (w *writer) check() {
	d := w.d
	if d.Name == "" {
		w.Refuse("a device without a name, want one")
	}
	w.Peered(d, peered)
	w.NoOverlay(d)
	w.NoChannels(d)
	if why := unrouted(d); why != "" {
		w.Refuse("no command is on record for %s", why)
	}
	if d.BGP != nil {
		w.checkBGP(d.BGP)
	}
	for i := range d.Interfaces {
		w.checkPort(&d.Interfaces[i])
	}
	if d.QoS != nil {
		w.checkQoS(d.QoS)
	}
	if d.LLDP != nil && (!d.LLDP.On || d.LLDP.DCBX == netconf.DCBXIEEE || d.LLDP.DCBX == netconf.DCBXCEE) {
		w.Refuse("LLDP that is off or one kind of DCBX for all ports, want it on and the kind per port")
	}
	if b := d.Balance; b != nil {
		w.checkBalance(b)
	}
}

func (w *writer) checkPort(i *netconf.Interface) {
	if i.MTU != 0 && (i.MTU < leastMTU || i.MTU > mostMTU) {
		w.Refuse("%s: frames of at most %v, want %d to %d", i.Name, i.MTU, leastMTU, mostMTU)
	}
	if i.Kind != netconf.Physical {
		w.checkVirtual(i)
		return
	}
	switch {
	case i.Speed != 0:
		w.Refuse("%s: speed %v is not rendered", i.Name, i.Speed)
	case i.VLAN != 0 && len(i.Addresses) > 0:
		w.Refuse("%s: an address and VLAN %d, want one of them", i.Name, i.VLAN)
	case i.LLDP.DCBX == netconf.DCBXOff:
		w.Refuse("%s: DCBX off on one port: want no LLDP there", i.Name)
	case i.LLDP.Silent && i.LLDP.DCBX != netconf.DCBXDefault:
		w.Refuse("%s: DCBX %s without LLDP", i.Name, i.LLDP.DCBX)
	case i.QoS != nil && i.QoS.Cable != 0:
		w.Refuse("%s: cable of %v: it takes no lengths", i.Name, i.QoS.Cable)
	}
}

func (w *writer) checkBalance(b *netconf.Balance) {
	switch {
	case b.QP:
		w.Refuse("load balancing %s: want the 5-tuple hashed", b)
	case b.Method == "ecmp" && b.Gap == 0 && b.MAC == "" && len(b.Ports) == 0 && b.Unit == "":
	case b.Method != "dlb" || b.Unit != "packet" && b.Unit != "flowlet" || b.Seed != 0:
		w.Refuse("load balancing %s: want ecmp, or dlb by packet or flowlet", b)
	case b.Unit == "packet" && b.Gap != 0 || b.Gap%unit.Microsecond != 0:
		w.Refuse("load balancing %s: want whole microseconds, of flowlets", b)
	}
}

func (w *writer) checkQoS(q *netconf.QoS) {
	if q.Pools != (netconf.Pools{}) {
		w.Refuse("a split of the packet buffer: it is the platform's own")
	}
	if bare := (netconf.Watchdog{On: q.Watchdog.On}); q.Watchdog != bare {
		w.Refuse("times of the PFC watchdog are not rendered")
	}
	of := map[uint8]string{} // what network-qos says of a class
	for i := range q.Profiles {
		for k := range q.Profiles[i].Classes {
			c := &q.Profiles[i].Classes[k]
			w.checkClass(c)
			said := "no pause"
			if c.Pause != nil {
				said = fmt.Sprintf("pause of priority %d", c.Pause.Priority)
			}
			if was, known := of[c.TC]; known && was != said {
				w.Refuse("traffic class %d: %s on some ports and %s on others: network-qos is one for all", c.TC,
					was, said)
			}
			of[c.TC] = said
		}
	}
}

func (w *writer) checkClass(c *netconf.Class) {
	if c.Queue != c.TC {
		w.Refuse("traffic class %d in queue %d: its queue has its number", c.TC, c.Queue)
	}
	if c.Pause != nil && (c.TC == 0 || c.Strict) {
		w.Refuse("traffic class %d pauses: want a class other than 0 whose queue is not strict", c.TC)
	}
	if e := c.ECN; e != nil {
		switch {
		case e.MaxFill != 0:
			w.Refuse("traffic class %d: ECN in percent of the queue, want kbytes", c.TC)
		case e.Min%unit.Kilobyte != 0 || e.Max%unit.Kilobyte != 0:
			w.Refuse("traffic class %d: ECN from %v to %v: want whole kbytes", c.TC, e.Min, e.Max)
		case e.Probability < 1 || e.Probability > 100:
			w.Refuse("traffic class %d: ECN of %d%%, want 1 to 100", c.TC, e.Probability)
		}
	}
	if b := c.Buffer(); b != nil && (b.XOFF <= 0 || b.Resume > b.XOFF || b.Reserve != 0 || b.Alpha != unit.Ratio{}) {
		w.Refuse("traffic class %d: xOFF %s: an ingress queue has a fixed one, at least as high as xON", c.TC,
			b.XOFFText())
	}
}
