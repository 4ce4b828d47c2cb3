package eos

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/net/inventory"
)

// Platform is what messages call it.
const Platform = "EOS"

// Dialect is EOS as package netconf takes it.
type Dialect struct{}

const fileName = "running-config"

// Fit cuts a device to what is rendered.
func (Dialect) Fit(d *netconf.Device) (*netconf.Device, []string) {
	f := netconf.NewFitting(d)
	f.NoDropThresholds(Platform)
	f.NoOverlay(Platform)
	if why := unrouted(f.Device); why != "" {
		f.NoRouting(Platform + ", which has no command on record for " + why + ",")
	}
	localized(f.Device)
	f.Peered(Platform, peered)
	if why := unbundled(f.Device); why != "" {
		f.Say("%s", why)
		f.NoChannels(Platform)
	}
	f.NoSpeeds()
	f.NoCables()
	f.NoPools(Platform)
	f.PFCOn(Platform)
	f.Buffers(Platform, "no command for thresholds of an ingress is on record",
		func(*netconf.Buffer) bool { return false })
	f.NoBalance(Platform, func(*netconf.Balance) bool { return false })
	if l := f.Device.LLDP; l != nil {
		f.Device.LLDP = nil // on by itself
		if l.DCBX != netconf.DCBXDefault || !l.On {
			f.Say("LLDP off or one kind of DCBX for all ports: want it said per port")
		}
	}
	for i := range f.Device.Interfaces {
		p := &f.Device.Interfaces[i]
		if p.LLDP.Silent {
			f.Say("no LLDP on a port: no command of %s is on record", Platform)
		}
		p.LLDP.Silent = false
		if q := p.QoS; q != nil {
			q.Watchdog = isWatched(f.Device.QoS, q)
		}
	}
	f.WatchdogWithin(Platform, netconf.WatchdogLimits{Step: unit.Millisecond, LeastPoll: 5 * unit.Millisecond,
		MostDetect: 60 * unit.Second, MostRestore: 60 * unit.Second})
	return f.Device, f.Left
}

// isWatched reports whether the watchdog looks at a port: at all with PFC, if it has a time.
func isWatched(d *netconf.QoS, q *netconf.PortQoS) bool {
	return d.Watchdog.On && q.PFC == netconf.PFCOn
}

// A writer writes one device.
type writer struct {
	strings.Builder
	netconf.Refusals
	d        *netconf.Device
	profiles []settled
}

// A settled is a qos profile: a profile of the device, with PFC or without.
type settled struct {
	profile int
	pfc     bool
}

// Render writes a device.
func (Dialect) Render(d *netconf.Device) ([]netconf.File, error) {
	w := &writer{Refusals: netconf.Refusals{Platform: Platform}, d: d}
	w.check()
	if err := w.Err(); err != nil {
		return nil, err
	}
	w.line(0, "hostname %s", d.Name)
	w.vlans()
	if d.QoS != nil {
		w.watchdog(&d.QoS.Watchdog)
		w.maps()
		w.qosProfiles()
	}
	w.channels()
	for i := range d.Interfaces {
		w.port(&d.Interfaces[i])
	}
	if d.Peer != nil {
		w.mlag(d.Peer)
	}
	if d.BGP != nil {
		w.speak(d.BGP)
	}
	return []netconf.File{{Name: fileName, Text: []byte(w.String())}}, nil
}

func (w *writer) line(in int, format string, args ...any) {
	fmt.Fprintf(w, strings.Repeat("   ", in)+format+"\n", args...)
}

// watchdog writes the times of all ports, in seconds.
func (w *writer) watchdog(d *netconf.Watchdog) {
	const base = "priority-flow-control pause watchdog "
	if !d.On {
		return
	}
	w.line(0, base+"default timeout %s", seconds(d.Detect))
	if d.Restore > 0 {
		w.line(0, base+"default recovery-time %s", seconds(d.Restore))
	}
	if d.Poll > 0 {
		w.line(0, base+"default polling-interval %s", seconds(d.Poll))
	}
	if d.Action != "" {
		w.line(0, base+"action %s", d.Action)
	}
}

// seconds writes a time as 0.2.
func seconds(d unit.Duration) string {
	return strconv.FormatFloat(float64(d/unit.Microsecond)/1e6, 'f', -1, 64)
}

// maps writes the maps of the device, which all profiles share.
func (w *writer) maps() {
	if len(w.d.QoS.Profiles) == 0 {
		return
	}
	p := &w.d.QoS.Profiles[0]
	for dscp, tc := range p.Classify {
		w.line(0, "qos map dscp %d to traffic-class %d", dscp, tc)
	}
	for tc, queue := range queues(w.d.QoS) {
		if queue >= 0 {
			w.line(0, "qos map traffic-class %d to tx-queue %d", tc, queue)
		}
	}
}

// queues is the queue of each traffic class; -1: it is not used.
func queues(q *netconf.QoS) (of [netconf.Classes]int) {
	for tc := range of {
		of[tc] = -1
	}
	for i := range q.Profiles {
		for _, c := range q.Profiles[i].Classes {
			of[c.TC] = int(c.Queue)
		}
	}
	return of
}

// profileName is that of the n-th qos profile.
func profileName(n int) string {
	if n == 0 {
		return "ROCE"
	}
	return fmt.Sprintf("ROCE-%d", n+1)
}

func (w *writer) qosProfiles() {
	for i := range w.d.Interfaces {
		if q := w.d.Interfaces[i].QoS; q != nil {
			s := settled{q.Profile, q.PFC == netconf.PFCOn}
			if !slices.Contains(w.profiles, s) {
				w.profiles = append(w.profiles, s)
			}
		}
	}
	for n, s := range w.profiles {
		w.line(0, "qos profile %s", profileName(n))
		w.line(1, "qos trust dscp")
		if s.pfc {
			w.line(1, "priority-flow-control on")
		}
		p := &w.d.QoS.Profiles[s.profile]
		for i := range p.Classes {
			if c := &p.Classes[i]; c.Pause != nil {
				w.line(1, "priority-flow-control priority %d no-drop", c.Pause.Priority)
			}
		}
		for i := range p.Classes {
			w.queue(&p.Classes[i])
		}
	}
}

func (w *writer) queue(c *netconf.Class) {
	w.line(1, "uc-tx-queue %d", c.Queue)
	switch {
	case c.Strict:
		w.line(2, "priority strict")
	default:
		w.line(2, "no priority")
		if c.Share > 0 {
			w.line(2, "bandwidth percent %d", c.Share)
		}
	}
	if e := c.ECN; e != nil {
		w.line(2,
			"random-detect ecn minimum-threshold %d kbytes maximum-threshold %d kbytes max-mark-probability %d weight 0",
			e.Min/unit.Kilobyte, e.Max/unit.Kilobyte, e.Probability)
	}
}

func (w *writer) port(i *netconf.Interface) {
	w.line(0, "interface %s", nameOf(i))
	w.addressed(i)
	if i.Description != "" {
		w.line(1, "description %s", i.Description)
	}
	if i.MTU > 0 {
		w.line(1, "mtu %d", inventory.IPMTU(i.MTU))
	}
	if i.LLDP.DCBX == netconf.DCBXIEEE || i.LLDP.DCBX == netconf.DCBXCEE {
		w.line(1, "dcbx mode %s", i.LLDP.DCBX)
	}
	if q := i.QoS; q != nil {
		w.line(1, "service-profile %s", profileName(slices.Index(w.profiles, settled{q.Profile,
			q.PFC == netconf.PFCOn})))
	}
}

// check refuses what EOS has no words for, or none that are on record.
func (w *writer) check() {
	d := w.d
	if d.Name == "" {
		w.Refuse("a device without a name, want one")
	}
	w.Peered(d, peered)
	w.NoOverlay(d)
	if why := unbundled(d); why != "" {
		w.Refuse("%s", why)
	}
	if d.LLDP != nil || d.Balance != nil {
		w.Refuse("LLDP of the device and load balancing are not rendered")
	}
	if why := unrouted(d); why != "" {
		w.Refuse("no command is on record for %s", why)
	}
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		if i.Kind != netconf.Physical {
			w.checkVirtual(i)
			continue
		}
		_, _, numbered := netconf.SplitPort(i.Name)
		switch {
		case i.Speed != 0 || i.LLDP.Silent || i.LLDP.DCBX == netconf.DCBXOff:
			w.Refuse("%s: speed and LLDP are not rendered", i.Name)
		case i.VLAN != 0 && len(i.Addresses) > 0:
			w.Refuse("%s: an address and VLAN %d, want one of them", i.Name, i.VLAN)
		case !numbered:
			w.Refuse("%s: want the name of a port, such as Ethernet1/1", i.Name)
		case i.MTU != 0 && inventory.IPMTU(i.MTU) < leastMTU:
			w.Refuse("%s: MTU %v, want at least %v", i.Name, i.MTU, netconf.FrameOf(leastMTU))
		case i.QoS != nil && (i.QoS.PFC == netconf.PFCAuto || i.QoS.Cable != 0 || i.QoS.Watchdog != isWatched(d.QoS, i.QoS)):
			w.Refuse("%s: PFC auto, cable lengths and a watchdog on some ports only are not rendered", i.Name)
		}
	}
	if d.QoS != nil {
		w.checkQoS(d.QoS)
	}
}

// Bounds of an MTU: the least of IPv4 (RFC 791), and EOS's most.
const leastMTU, mostMTU = 68, 10_178

func (w *writer) checkQoS(q *netconf.QoS) {
	t := q.Watchdog
	fine := true
	for _, d := range []unit.Duration{t.Detect, t.Poll, t.Restore} {
		fine = fine && d%unit.Microsecond == 0
	}
	if t.On {
		fine = fine && t.Detect >= 10*unit.Millisecond && t.Detect <= 60*unit.Second && t.Restore <= 60*unit.Second &&
			2*t.Poll <= min(t.Detect, cmp.Or(t.Restore, t.Detect))
		fine = fine && (t.Poll == 0 || t.Poll >= 5*unit.Millisecond) && (t.Action == "" || t.Action == "drop")
	} else {
		fine = fine && t == netconf.Watchdog{}
	}
	if !fine {
		w.Refuse("watchdog: a timeout of %v, polling each %v, want 10ms to 60s, and polling at most half of that", t.Detect, t.Poll)
	}
	if q.Pools != (netconf.Pools{}) {
		w.Refuse("a split of the packet buffer: it is the platform's own")
	}
	of := queues(q)
	for i := range q.Profiles {
		p := &q.Profiles[i]
		if p.Classify != q.Profiles[0].Classify {
			w.Refuse("ports with different maps of DSCPs: there is one for the device")
		}
		for k := range p.Classes {
			c := &p.Classes[k]
			shared := slices.IndexFunc(of[:], func(queue int) bool { return queue == int(c.Queue) })
			if of[c.TC] != int(c.Queue) || shared != int(c.TC) {
				w.Refuse("traffic class %d in queue %d, and others with it: want a queue for each class", c.TC,
					c.Queue)
			}
			w.checkClass(c)
		}
	}
}

func (w *writer) checkClass(c *netconf.Class) {
	if c.Pause != nil && (c.Pause.Priority != c.TC || c.Pause.Buffer != nil) {
		w.Refuse("traffic class %d pauses priority %d with thresholds of its own: want its own number and the platform's thresholds",
			c.TC, c.Pause.Priority)
	}
	if c.Strict && c.Share > 0 {
		w.Refuse("traffic class %d: strict, and a share", c.TC)
	}
	e := c.ECN
	switch {
	case e == nil:
	case e.Drops || e.MaxFill != 0:
		w.Refuse("traffic class %d: WRED %s, want marks, in kbytes", c.TC, e)
	case e.Min%unit.Kilobyte != 0 || e.Max%unit.Kilobyte != 0 || e.Probability < 1 || e.Probability > 100 || e.Max <= 0:
		w.Refuse("traffic class %d: WRED %s, want whole kbytes and 1 to 100 %%", c.TC, e)
	}
}
