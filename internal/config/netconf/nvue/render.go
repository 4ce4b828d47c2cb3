package nvue

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/net/inventory"
)

// Platform is what messages call it.
const Platform = "Cumulus NVUE"

// Dialect is NVUE as package netconf takes it.
type Dialect struct{}

const fileName = "nvue.txt"

// The classes that roce makes.
const (
	dataClass, cnpClass = 3, 6
	firstData, firstCNP = 24, 48 // DSCPs: eight each
)

// roce is what nv set qos roce stands for in a mode: DSCP 24 to 31 in class 3, which has half of what class 6 leaves and,
// lossless, pauses; 48 to 55 in class 6, which is strict; the rest in class 0 (Cumulus Linux user guide, RoCE: the table
// that nv show qos roce prints).
func roce(mode string) (p netconf.Profile) {
	for d := range 8 {
		p.Classify[firstData+d], p.Classify[firstCNP+d] = dataClass, cnpClass
	}
	p.Classes = []netconf.Class{
		{TC: 0, Queue: 0, Share: 50},
		{TC: dataClass, Queue: dataClass, Share: 50, ECN: &netconf.ECN{Min: 150_000, Max: 1_500_000, Probability: 100}},
		{TC: cnpClass, Queue: cnpClass, Strict: true},
	}
	if mode != "lossy" {
		p.Classes[1].Pause = &netconf.Pause{Priority: dataClass}
	}
	return p
}

// Fit cuts a device to what is rendered.
func (Dialect) Fit(d *netconf.Device) (*netconf.Device, []string) {
	f := netconf.NewFitting(d)
	f.NoDropThresholds(Platform)
	f.NoRouting(Platform)
	f.NoPeer(Platform)
	f.NoSpeeds()
	f.PFCOn(Platform)
	f.NoLLDP(Platform)
	f.NoDescriptions(Platform)
	f.Buffers(Platform, "a cable's length stands for headroom, and no command for thresholds is on record",
		func(*netconf.Buffer) bool { return false })
	if b := f.Device.Balance; b != nil && b.Method == "dlb" && (b.Unit != "" || b.Gap > 0 || b.MAC != "" ||
		len(b.Ports) > 0) {
		f.Say("load balancing %s: adaptive routing is on, how it chooses is %s's own", b, Platform)
		f.Device.Balance = &netconf.Balance{Method: "dlb"}
	}
	f.NoBalance(Platform, func(b *netconf.Balance) bool { return b.Method == "dlb" })
	q := f.Device.QoS
	if q == nil {
		return f.Device, f.Left
	}
	cable := unit.Length(0)
	for i := range f.Device.Interfaces {
		if p := f.Device.Interfaces[i].QoS; p != nil {
			cable = max(cable, (p.Cable+unit.Metre-1)/unit.Metre*unit.Metre)
		}
	}
	for i := range f.Device.Interfaces {
		if p := f.Device.Interfaces[i].QoS; p != nil {
			if p.Cable != cable {
				f.Say("cables of several lengths: there is one for all ports, that of the longest, %v", cable)
			}
			p.Cable = cable
		}
	}
	pools := netconf.Pools{}
	if q.Pools.LosslessPart > 0 {
		pools.LossyPart = max(1, q.Pools.LossyPart)
		pools.LosslessPart = 100 - pools.LossyPart
	}
	q.Pools = pools
	fitWatchdog(f, q)
	return f.Device, f.Left
}

// Of the watchdog: how often it looks, and after how many looks it acts. Its own are those from the start.
const (
	leastPoll, mostPoll = 100 * unit.Millisecond, 5 * unit.Second
	mostLooks           = 1000
	ownPoll, ownLooks   = 100 * unit.Millisecond, 3
)

// fitWatchdog keeps times that are whole numbers of looks.
func fitWatchdog(f *netconf.Fitting, q *netconf.QoS) {
	w := &q.Watchdog
	if w.Restore > 0 || w.Action != "" {
		f.Say("watchdog: what it does and when it gives back is %s's own", Platform)
	}
	w.Restore, w.Action = 0, ""
	if w.On && (w.Poll < leastPoll || w.Poll > mostPoll || w.Detect%w.Poll != 0 || w.Detect > mostLooks*w.Poll) {
		was := w.Detect
		step := 100 * unit.Millisecond
		w.Poll = min(max(step, (was+mostLooks*step-1)/(mostLooks*step)*step), mostPoll)
		w.Detect = min((was+w.Poll-1)/w.Poll, mostLooks) * w.Poll
		if w.Detect != was {
			f.Say("watchdog: acts after %v: %s looks every %v and acts after a whole number of looks, %v", was,
				Platform,
				w.Poll, w.Detect)
		}
	}
	watched := false
	for i := range f.Device.Interfaces {
		p := f.Device.Interfaces[i].QoS
		if p != nil {
			p.Watchdog = p.Watchdog && w.On
			watched = watched || p.Watchdog
		}
	}
	if !watched {
		q.Watchdog = netconf.Watchdog{}
	}
	f.Intern()
}

type writer struct {
	strings.Builder
	netconf.Refusals
	d *netconf.Device
}

func (w *writer) set(format string, args ...any) { fmt.Fprintf(w, "nv set "+format+"\n", args...) }

// Render writes a device.
func (Dialect) Render(d *netconf.Device) ([]netconf.File, error) {
	w := &writer{Refusals: netconf.Refusals{Platform: Platform}, d: d}
	w.check()
	if err := w.Err(); err != nil {
		return nil, err
	}
	w.set("system hostname %s", d.Name)
	if q := d.QoS; q != nil {
		w.qos(q)
	}
	for i := range d.Interfaces {
		w.port(&d.Interfaces[i])
	}
	if d.Balance != nil {
		w.set("router adaptive-routing enable on")
	}
	w.WriteString("nv config apply\n")
	return []netconf.File{{Name: fileName, Text: []byte(w.String())}}, nil
}

func (w *writer) qos(q *netconf.QoS) {
	w.set("qos roce mode lossless")
	if cable := w.cable(); cable > 0 {
		w.set("qos roce cable-length %d", cable/unit.Metre)
	}
	stock := roce("lossless")
	for dscp, tc := range q.Profiles[0].Classify {
		if tc != stock.Classify[dscp] {
			w.set("qos mapping default-global dscp %d switch-priority %d", dscp, tc)
		}
	}
	for i := range q.Profiles {
		e := q.Profiles[i].Class(dataClass).ECN
		base := "qos congestion-control " + profileName(i) + " traffic-class 3 "
		w.set(base + "ecn enable")
		w.set(base+"min-threshold %d", e.Min)
		w.set(base+"max-threshold %d", e.Max)
		w.set(base+"probability %d", e.Probability)
	}
	if q.Pools.LosslessPart > 0 {
		w.set("qos traffic-pool roce-lossless memory-percent %d", q.Pools.LosslessPart)
		w.set("qos traffic-pool default-lossy memory-percent %d", q.Pools.LossyPart)
	}
	if t := q.Watchdog; t.On {
		w.set("qos pfc-watchdog polling-interval %d", t.Poll/unit.Millisecond)
		w.set("qos pfc-watchdog robustness %d", t.Detect/t.Poll)
	}
}

func (w *writer) cable() unit.Length {
	for i := range w.d.Interfaces {
		if p := w.d.Interfaces[i].QoS; p != nil {
			return p.Cable
		}
	}
	return 0
}

func profileName(n int) string { return fmt.Sprintf("roce-%d", n+1) }

func portName(i *netconf.Interface) string {
	number, part, _ := netconf.SplitPort(i.Name)
	if part > 0 {
		return fmt.Sprintf("swp%ds%d", number, part-1)
	}
	return fmt.Sprintf("swp%d", number)
}

func (w *writer) port(i *netconf.Interface) {
	name := portName(i)
	if i.MTU > 0 {
		w.set("interface %s link mtu %d", name, inventory.IPMTU(i.MTU))
	}
	if i.QoS != nil {
		w.set("interface %s qos congestion-control profile %s", name, profileName(i.QoS.Profile))
		if i.QoS.Watchdog {
			w.set("interface %s qos pfc-watchdog", name)
		}
	}
}

const leastMTU, mostMTU = 552, 9216

// check refuses what roce does not make, and what no command is on record for.
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
	if b := d.Balance; b != nil && b.String() != "dlb" {
		w.Refuse("load balancing %s: want dlb, without parameters", b)
	}
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		_, _, numbered := netconf.SplitPort(i.Name)
		switch mtu := inventory.IPMTU(i.MTU); {
		case i.Kind != netconf.Physical || i.VLAN != 0 || len(i.Addresses) > 0 || i.Speed != 0 ||
			i.LLDP != netconf.PortLLDP{} ||
			i.Description != "" || !numbered:
			w.Refuse("%s: of a port only its quality of service is rendered", i.Name)
		case i.MTU == 0 && i.QoS == nil || i.MTU != 0 && (mtu < leastMTU || mtu > mostMTU):
			w.Refuse("%s: MTU %v, want %v to %v", i.Name, i.MTU, netconf.FrameOf(leastMTU), netconf.FrameOf(mostMTU))
		case (i.QoS == nil) != (d.QoS == nil):
			w.Refuse("%s: quality of service on some ports: roce is for all", i.Name)
		case i.QoS != nil && (i.QoS.PFC != netconf.PFCOn || i.QoS.Cable != w.cable() || i.QoS.Cable%unit.Metre != 0 ||
			i.QoS.Watchdog && !d.QoS.Watchdog.On):
			w.Refuse("%s: PFC %s, cable %v: roce has PFC on and one cable length in metres", i.Name, i.QoS.PFC,
				i.QoS.Cable)
		}
	}
	if d.QoS != nil {
		w.checkQoS(d.QoS)
	}
}

func (w *writer) checkQoS(q *netconf.QoS) {
	stock := roce("lossless")
	for i := range q.Profiles {
		p := q.Profiles[i]
		if p.Classify != q.Profiles[0].Classify {
			w.Refuse("ports with different maps of DSCPs: there is one for all")
		}
		own := p
		own.Classify = stock.Classify
		own.Classes = append([]netconf.Class(nil), p.Classes...)
		marked := false
		for k := range own.Classes {
			c := &own.Classes[k]
			if c.TC == dataClass && c.ECN != nil {
				e := c.ECN
				marked = !e.Drops && e.Max > 0 && e.Probability >= 0 && e.Probability <= 100
				c.ECN = stock.Class(dataClass).ECN
			}
		}
		if !own.Equal(&stock) || !marked {
			w.Refuse("classes other than roce's: want RoCE data in class and queue 3 at 50%%, marked, pausing priority 3 with the " +
				"platform's thresholds; CNPs in class 6, strict; the rest in class 0 at 50%% " +
				"(fabric.qos: {data_priority: 3, cnp_priority: 6, other_priority: 0})")
		}
	}
	if pools := (netconf.Pools{LosslessPart: q.Pools.LosslessPart, LossyPart: q.Pools.LossyPart}); q.Pools != pools ||
		pools != (netconf.Pools{}) && (pools.LosslessPart+pools.LossyPart != 100 || pools.LossyPart < 1 ||
			pools.LosslessPart < 1) {
		w.Refuse("a split of the buffer that is not two parts of 100 %%")
	}
	t := q.Watchdog
	watches := false
	for i := range w.d.Interfaces {
		watches = watches || w.d.Interfaces[i].QoS != nil && w.d.Interfaces[i].QoS.Watchdog
	}
	if bare := (netconf.Watchdog{On: t.On, Poll: t.Poll, Detect: t.Detect}); t != bare || t.On != watches ||
		t.On && (t.Poll < leastPoll || t.Poll > mostPoll || t.Poll%unit.Millisecond != 0 ||
			t.Detect < t.Poll ||
			t.Detect%t.Poll != 0 || t.Detect/t.Poll > mostLooks) || !t.On && t != (netconf.Watchdog{}) {
		w.Refuse("watchdog: polling each %v, acting after %v: want 100ms to 5s, and 1 to 1000 times that",
			t.Poll, t.Detect)
	}
}
