package junos

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// Platform is what messages call it.
const Platform = "Junos"

// Dialect is Junos as package netconf takes it.
type Dialect struct{}

const fileName = "juniper.conf.set"

// Fit cuts a device to what is rendered.
func (Dialect) Fit(d *netconf.Device) (*netconf.Device, []string) {
	f := netconf.NewFitting(d)
	f.NoDropThresholds(Platform)
	f.NoRouting(Platform)
	f.NoPeer(Platform)
	f.NoSpeeds()
	f.NoCables()
	f.NoDescriptions(Platform)
	f.PFCOn(Platform)
	f.NoLLDP(Platform)
	f.Buffers(Platform, "headroom is a part of the buffer, and no command for thresholds is on record",
		func(*netconf.Buffer) bool { return false })
	f.NoBalance(Platform, func(b *netconf.Balance) bool {
		return b.Method == "dlb" && (b.Unit == "packet" ||
			b.Unit == "flowlet")
	})
	if b := f.Device.Balance; b != nil {
		*b = netconf.Balance{Method: b.Method, Unit: b.Unit, Gap: b.Gap}
	}
	q := f.Device.QoS
	if q == nil {
		return f.Device, f.Left
	}
	lossless := q.Pools.Size * unit.Bytes(q.Pools.LosslessPart) / 100
	for i := range q.Profiles {
		for k := range q.Profiles[i].Classes {
			fill(f, q.Profiles[i].Classes[k].ECN, lossless)
		}
	}
	q.Pools.Size, q.Pools.Headroom = 0, 0
	f.WatchdogTimes(Platform)
	w := &q.Watchdog
	on := false
	for i := range f.Device.Interfaces {
		p := f.Device.Interfaces[i].QoS
		on = on || p != nil && p.PFC == netconf.PFCOn
	}
	w.On = w.On && on
	for i := range f.Device.Interfaces {
		if p := f.Device.Interfaces[i].QoS; p != nil {
			p.Watchdog = w.On && p.PFC == netconf.PFCOn // the same on all ports with the profile
		}
	}
	f.Intern()
	return f.Device, f.Left
}

// fill turns lengths into parts of what a queue may be: rounded down, and apart from each other.
func fill(f *netconf.Fitting, e *netconf.ECN, queue unit.Bytes) {
	if e == nil || e.MaxFill > 0 || queue <= 0 {
		return
	}
	low := min(99, int(e.Min*100/queue))
	high := min(100, max(low+1, int(e.Max*100/queue)))
	f.Say("ECN from %v to %v: %d to %d %% of the queue, taken as the lossless part of the buffer, %v", e.Min,
		e.Max, low, high, queue)
	*e = netconf.ECN{MinFill: low, MaxFill: high, Probability: e.Probability, Drops: e.Drops}
}

type writer struct {
	strings.Builder
	netconf.Refusals
	d *netconf.Device
}

func (w *writer) cos(format string, args ...any) {
	fmt.Fprintf(w, "set class-of-service "+format+"\n", args...)
}

// Render writes a device.
func (Dialect) Render(d *netconf.Device) ([]netconf.File, error) {
	w := &writer{Refusals: netconf.Refusals{Platform: Platform}, d: d}
	w.check()
	if err := w.Err(); err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "set system host-name %s\n", d.Name)
	if d.QoS != nil {
		w.qos(d.QoS)
	}
	for i := range d.Interfaces {
		w.port(&d.Interfaces[i])
	}
	if b := d.Balance; b != nil {
		w.balance(b)
	}
	return []netconf.File{{Name: fileName, Text: []byte(w.String())}}, nil
}

func (w *writer) balance(b *netconf.Balance) {
	const base = "set forwarding-options enhanced-hash-key ecmp-dlb "
	switch {
	case b.Unit == "packet":
		w.WriteString(base + "per-packet\n")
	case b.Gap > 0:
		fmt.Fprintf(w, base+"flowlet inactivity-interval %d\n", b.Gap/unit.Microsecond)
	default:
		w.WriteString(base + "flowlet\n")
	}
}

// named is the n-th of something.
func named(base string, n int) string { return fmt.Sprintf("%s%d", base, n+1) }

// className is the forwarding class of a traffic class.
func className(tc uint8) string { return fmt.Sprintf("TC%d", tc) }

// notified is what the DSCPs that pause are called in a profile.
const notified = "cnp"

func (w *writer) qos(q *netconf.QoS) {
	for tc := range uint8(netconf.Classes) {
		for i := range q.Profiles {
			if c := q.Profiles[i].Class(tc); c != nil {
				pause := ""
				if c.Pause != nil {
					pause = fmt.Sprintf(" no-loss pfc-priority %d", c.Pause.Priority)
				}
				w.cos("forwarding-classes class %s queue-num %d%s", className(tc), c.Queue, pause)
				break
			}
		}
	}
	for i := range q.Profiles {
		w.profile(i, &q.Profiles[i])
	}
	if p := q.Pools; p.LosslessPart > 0 {
		w.cos("shared-buffer ingress buffer-partition lossless percent %d", p.LosslessPart)
		w.cos("shared-buffer ingress buffer-partition lossless-headroom percent %d", p.HeadroomPart)
		w.cos("shared-buffer ingress buffer-partition lossy percent %d", p.LossyPart)
		w.cos("shared-buffer egress buffer-partition lossless percent %d", p.LosslessPart)
		w.cos("shared-buffer egress buffer-partition lossy percent %d", 100-p.LosslessPart)
	}
}

func (w *writer) profile(n int, p *netconf.Profile) {
	for dscp, tc := range p.Classify {
		w.cos("classifiers dscp %s forwarding-class %s loss-priority low code-points %06b", named("dscp", n),
			className(tc), dscp)
		if c := p.Class(tc); c.Pause != nil {
			w.cos("congestion-notification-profile %s input dscp code-point %06b pfc", named(notified, n), dscp)
		}
	}
	if w.d.QoS.Watchdog.On {
		w.cos("congestion-notification-profile %s pfc-watchdog", named(notified, n))
	}
	for i := range p.Classes {
		c := &p.Classes[i]
		scheduler := fmt.Sprintf("s%d-%s", n+1, className(c.TC))
		w.cos("scheduler-maps %s forwarding-class %s scheduler %s", named("map", n), className(c.TC), scheduler)
		if c.Strict {
			w.cos("schedulers %s priority strict-high", scheduler)
		}
		if c.Share > 0 {
			w.cos("schedulers %s transmit-rate percent %d", scheduler, c.Share)
		}
		if e := c.ECN; e != nil {
			drops := fmt.Sprintf("d%d-%s", n+1, className(c.TC))
			w.cos("drop-profiles %s interpolate fill-level [ %d %d ] drop-probability [ 0 %d ]", drops,
				e.MinFill, e.MaxFill,
				e.Probability)
			w.cos("schedulers %s drop-profile-map loss-priority any protocol any drop-profile %s", scheduler, drops)
			if !e.Drops {
				w.cos("schedulers %s explicit-congestion-notification", scheduler)
			}
		}
	}
}

func portName(i *netconf.Interface) string {
	number, part, _ := netconf.SplitPort(i.Name)
	if part > 0 {
		return fmt.Sprintf("et-0/0/%d:%d", number-1, part-1)
	}
	return fmt.Sprintf("et-0/0/%d", number-1)
}

func (w *writer) port(i *netconf.Interface) {
	if i.QoS == nil {
		return
	}
	name, n := portName(i), i.QoS.Profile
	if i.MTU > 0 {
		fmt.Fprintf(w, "set interfaces %s mtu %d\n", name, i.MTU-fcs)
	}
	w.cos("interfaces %s unit 0 classifiers dscp %s", name, named("dscp", n))
	w.cos("interfaces %s scheduler-map %s", name, named("map", n))
	if i.QoS.PFC == netconf.PFCOn {
		w.cos("interfaces %s congestion-notification-profile %s", name, named(notified, n))
	}
}

// Bounds of an MTU, without FCS.
const leastMTU, mostMTU = 256, 16_000

// check refuses what Junos has no words for, or none that are on record.
func (w *writer) check() {
	d := w.d
	if d.Name == "" {
		w.Refuse("a device without a name, want one")
	}
	w.NoPeer(d)
	w.NoOverlay(d)
	w.NoChannels(d)
	if d.BGP != nil || d.LLDP != nil {
		w.Refuse("BGP and LLDP are not rendered")
	}
	if b := d.Balance; b != nil && (b.Method != "dlb" || b.Unit != "packet" && b.Unit != "flowlet" ||
		b.Gap%unit.Microsecond != 0 ||
		b.Unit == "packet" && b.Gap != 0 || b.MAC != "" || b.Ports != nil || b.Seed != 0) {
		w.Refuse("load balancing %s: want dlb by packet, or by flowlet and whole microseconds, on all ports", b)
	}
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		_, _, numbered := netconf.SplitPort(i.Name)
		bare := netconf.Interface{Name: i.Name, QoS: i.QoS}
		switch {
		case !numbered || i.Kind != bare.Kind || i.VLAN != 0 || len(i.Addresses) > 0 || i.Speed != 0 ||
			i.LLDP != bare.LLDP || i.Description != "" || i.QoS == nil:
			w.Refuse("%s: of a port its quality of service is rendered, and nothing else", i.Name)
		case i.MTU != 0 && (i.MTU-fcs < leastMTU || i.MTU-fcs > mostMTU):
			w.Refuse("%s: frames of at most %v, want %d to %d and FCS", i.Name, i.MTU, leastMTU, mostMTU)
		case i.QoS.PFC == netconf.PFCAuto || i.QoS.Cable != 0 || i.QoS.Watchdog != (d.QoS.Watchdog.On &&
			i.QoS.PFC == netconf.PFCOn):
			w.Refuse("%s: PFC auto, cable lengths and a watchdog on some ports only are not rendered", i.Name)
		}
	}
	if d.QoS != nil {
		w.checkQoS(d.QoS)
	}
}

func (w *writer) checkQoS(q *netconf.QoS) {
	if bare := (netconf.Watchdog{On: q.Watchdog.On}); q.Watchdog != bare {
		w.Refuse("times of the watchdog are not rendered")
	}
	on := slices.ContainsFunc(w.d.Interfaces, func(i netconf.Interface) bool {
		return i.QoS != nil &&
			i.QoS.PFC == netconf.PFCOn
	})
	if q.Watchdog.On && !on {
		w.Refuse("a watchdog, and no port with PFC")
	}
	p := q.Pools
	if p.Size != 0 || p.Headroom != 0 || p != (netconf.Pools{}) && (p.LosslessPart+p.HeadroomPart+p.LossyPart != 100 ||
		p.LosslessPart < 1 || p.HeadroomPart < 0 || p.LossyPart < 0) {
		w.Refuse("a split of the buffer that is not three parts of 100 %%")
	}
	type forwarding struct {
		queue    uint8
		pauses   bool
		priority uint8
	}
	of := map[uint8]forwarding{}
	for i := range q.Profiles {
		for k := range q.Profiles[i].Classes {
			c := &q.Profiles[i].Classes[k]
			own := forwarding{queue: c.Queue, pauses: c.Pause != nil}
			if own.pauses {
				own.priority = c.Pause.Priority
			}
			if was, known := of[c.TC]; known && was != own {
				w.Refuse("traffic class %d: another queue or pause on some ports: forwarding classes are one for all", c.TC)
			}
			of[c.TC] = own
			w.checkClass(&q.Profiles[i], c)
		}
	}
}

func (w *writer) checkClass(p *netconf.Profile, c *netconf.Class) {
	e := c.ECN
	switch {
	case c.Pause != nil && c.Pause.Buffer != nil:
		w.Refuse("traffic class %d: thresholds of an ingress are not rendered", c.TC)
	case c.Pause != nil && len(p.DSCPs(c.TC)) == 0:
		w.Refuse("traffic class %d pauses, and no DSCP is in it", c.TC)
	case e != nil && (e.MaxFill < 1 || e.MaxFill > 100 || e.MinFill < 0 || e.MinFill > e.MaxFill ||
		e.Min != 0 || e.Max != 0 ||
		e.Probability < 0 || e.Probability > 100):
		w.Refuse("traffic class %d: WRED %s, want percent of the queue", c.TC, e)
	}
}
