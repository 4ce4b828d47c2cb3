package sonic

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/net/inventory"
)

// leastMTU is that of IPv4 (RFC 791).
const leastMTU = 68

// check refuses what config_db.json has no words for, or none that are on record.
func (w *writer) check() {
	d := w.d
	if d.Name == "" {
		w.Refuse("a device without a name, want one")
	}
	w.Peered(d, peered)
	w.NoOverlay(d)
	w.NoChannels(d)
	if d.LLDP != nil || d.Balance != nil {
		w.Refuse("LLDP and load balancing are not rendered")
	}
	named := map[string]string{}
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		w.checkRouted(i)
		if i.Kind != netconf.Physical {
			continue
		}
		_, _, numbered := netconf.SplitPort(i.Name)
		switch {
		case i.Speed%unit.MegabitPerSec != 0 || i.LLDP != netconf.PortLLDP{}:
			w.Refuse("%s: LLDP is not rendered, and a speed in whole Mb/s", i.Name)
		case !numbered:
			w.Refuse("%s: want the name of a port, such as Ethernet1/1", i.Name)
		case i.MTU != 0 && inventory.IPMTU(i.MTU) < leastMTU:
			w.Refuse("%s: MTU %v, want at least %v", i.Name, i.MTU, netconf.FrameOf(leastMTU))
		case i.QoS != nil && (i.QoS.PFC == netconf.PFCAuto || i.QoS.Watchdog && !d.QoS.Watchdog.On):
			w.Refuse("%s: PFC auto, or a watchdog on a device that has none", i.Name)
		}
		if !numbered {
			continue
		}
		if same, known := named[portName(i)]; known {
			w.Refuse("%s and %s have the same number", same, i.Name)
		}
		named[portName(i)] = i.Name
	}
	if d.QoS != nil {
		w.checkQoS(d.QoS)
	}
}

func (w *writer) checkQoS(q *netconf.QoS) {
	if q.Pools.HeadroomPart+q.Pools.LossyPart+q.Pools.LosslessPart != 0 || q.Pools.Headroom > 0 && q.Pools.Size == 0 {
		w.Refuse("a split of the packet buffer in percent, or headroom without a size")
	}
	t := q.Watchdog
	watches := slices.ContainsFunc(w.d.Interfaces, func(i netconf.Interface) bool { return i.QoS != nil && i.QoS.Watchdog })
	fine := t.Action == "drop" || t.Action == "forward" || t.Action == "alert"
	for _, d := range []unit.Duration{t.Poll, t.Detect, t.Restore} {
		fine = fine && d > 0 && d%unit.Millisecond == 0
	}
	if t.On && (!fine || !watches) || !t.On && t != (netconf.Watchdog{}) {
		w.Refuse("watchdog: want times in whole milliseconds, an action of drop, forward or alert, and a port that has it")
	}
	for i := range q.Profiles {
		p := &q.Profiles[i]
		for k := range p.Classes {
			w.checkClass(p, &p.Classes[k])
		}
	}
}

func (w *writer) checkClass(p *netconf.Profile, c *netconf.Class) {
	for k := range p.Classes {
		o := &p.Classes[k]
		if o.TC != c.TC && (o.Queue == c.Queue || o.Pause != nil && c.Pause != nil &&
			o.Pause.Priority == c.Pause.Priority) {
			w.Refuse("traffic classes %d and %d share a queue or a priority", o.TC, c.TC)
		}
	}
	if c.Strict && c.Share > 0 {
		w.Refuse("traffic class %d: strict, and a share", c.TC)
	}
	if e := c.ECN; e != nil && (e.Drops || e.MaxFill != 0 || e.Probability < 0 || e.Probability > 100 || e.Max <= 0) {
		w.Refuse("traffic class %d: WRED %s, want marks, in bytes", c.TC, e)
	}
	if b := c.Buffer(); b != nil {
		n, ok := exponent(b.Alpha)
		if b.XOFF <= 0 && (!ok || n < -8 || n > 8) || b.XOFF > 0 && b.Alpha != (unit.Ratio{}) {
			w.Refuse("traffic class %d: xOFF %s: want a fixed one, or a power of 2 from 2^-8 to 2^8", c.TC,
				b.XOFFText())
		}
	}
}
