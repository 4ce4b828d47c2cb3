package nxos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// Platform is what messages call it.
const Platform = "NX-OS"

// Dialect is NX-OS as package netconf takes it.
type Dialect struct{}

// fileName is what a device's configuration is called.
const fileName = "running-config"

// Fit cuts a device to what is rendered.
func (Dialect) Fit(d *netconf.Device) (*netconf.Device, []string) {
	f := netconf.NewFitting(d)
	f.NoDropThresholds(Platform)
	f.NoChannels(Platform)
	f.NoOverlay(Platform)
	if why := unrouted(f.Device); why != "" {
		f.NoRouting(Platform + ", which has no command on record for " + why + ",")
	}
	f.MostPaths(Platform, mostPaths)
	f.Peered(Platform, peered)
	f.NoSpeeds()
	f.NoCables()
	f.NoPools(Platform)
	f.Buffers(Platform, "an ingress queue has fixed thresholds only", func(b *netconf.Buffer) bool {
		if b.XOFF > 0 { // pause-threshold counts the port's own part, too
			b.XOFF += b.Reserve
		}
		b.Reserve = 0
		return b.XOFF > 0
	})
	f.WatchdogTimes(Platform)
	f.NoBalance(Platform, func(b *netconf.Balance) bool {
		return b.Method == "ecmp" || b.Method == "dlb" && (b.Unit == "packet" || b.Unit == "flowlet")
	})
	return f.Device, f.Left
}

// A writer writes one device.
type writer struct {
	strings.Builder
	netconf.Refusals
	d        *netconf.Device
	queuing  numbering // by profile: which policy
	classify numbering
	ingress  numbering
}

// A numbering gives profiles that are alike in something the same number.
type numbering struct {
	of    []int // by profile; -1: none
	count int
}

// number numbers profiles that are alike; those to skip have no number.
func number(profiles []netconf.Profile, skip func(*netconf.Profile) bool,
	alike func(a, b *netconf.Profile) bool) numbering {
	n := numbering{of: make([]int, len(profiles))}
	for i := range profiles {
		n.of[i] = -1
		if skip(&profiles[i]) {
			continue
		}
		k := slices.IndexFunc(profiles[:i], func(p netconf.Profile) bool { return !skip(&p) && alike(&p, &profiles[i]) })
		if k >= 0 {
			n.of[i] = n.of[k]
			continue
		}
		n.of[i] = n.count
		n.count++
	}
	return n
}

// name of the n-th policy of a kind.
func name(base string, n int) string {
	if n == 0 {
		return base
	}
	return fmt.Sprintf("%s_%d", base, n+1)
}

// Render writes a device.
func (Dialect) Render(d *netconf.Device) ([]netconf.File, error) {
	w := &writer{Refusals: netconf.Refusals{Platform: Platform}, d: d}
	w.check()
	if err := w.Err(); err != nil {
		return nil, err
	}
	w.line(0, "hostname %s", d.Name)
	w.features()
	w.lldp()
	w.balance()
	w.vlans()
	if d.QoS != nil {
		w.plan()
		w.classes()
		w.classification()
		w.queues()
		w.network()
		w.watchdog()
		w.system()
	}
	for i := range d.Interfaces {
		w.port(&d.Interfaces[i])
	}
	if d.Peer != nil {
		w.vpc(d.Peer)
	}
	if d.BGP != nil {
		w.speak(d.BGP)
	}
	return []netconf.File{{Name: fileName, Text: []byte(w.String())}}, nil
}

func (w *writer) line(in int, format string, args ...any) {
	fmt.Fprintf(w, strings.Repeat("  ", in)+format+"\n", args...)
}

// plan finds which profiles share a policy.
func (w *writer) plan() {
	all := w.d.QoS.Profiles
	never := func(*netconf.Profile) bool { return false }
	w.classify = number(all, never, func(a, b *netconf.Profile) bool { return a.Classify == b.Classify })
	w.queuing = number(all, never, func(a, b *netconf.Profile) bool {
		return slices.EqualFunc(a.Classes, b.Classes, func(x, y netconf.Class) bool {
			return x.TC == y.TC && x.Strict == y.Strict && x.Share == y.Share && netconf.Equal(x.ECN, y.ECN)
		})
	})
	w.ingress = number(all, func(p *netconf.Profile) bool { return !buffered(p) }, func(a, b *netconf.Profile) bool {
		return slices.EqualFunc(a.Classes, b.Classes, func(x, y netconf.Class) bool {
			return x.TC == y.TC && netconf.Equal(x.Buffer(), y.Buffer())
		})
	})
}

func buffered(p *netconf.Profile) bool {
	return slices.ContainsFunc(p.Classes, func(c netconf.Class) bool { return c.Buffer() != nil })
}

// roles names classes as the book does: those that are paused, those that are strict.
func roles(p *netconf.Profile, c *netconf.Class) string {
	base := fmt.Sprintf("TC%d", c.TC)
	switch {
	case c.Pause != nil:
		base = "ROCEv2"
	case c.Strict:
		base = "CNP"
	default:
		return base
	}
	for i := range p.Classes {
		o := &p.Classes[i]
		if o.TC == c.TC {
			return base
		}
		if (o.Pause != nil) == (c.Pause != nil) && (o.Strict == c.Strict || c.Pause != nil) {
			return fmt.Sprintf("%s_TC%d", base, c.TC)
		}
	}
	return base
}

// A matched is a class map: the DSCPs of a traffic class, at profiles that classify alike.
type matched struct {
	name string
	tc   uint8
	dscp []int
}

// maps lists the class maps of a profile: all classes but the one that the rest falls into.
func (w *writer) maps(profile int) (all []matched) {
	p := &w.d.QoS.Profiles[profile]
	rest := p.Default()
	for i := range p.Classes {
		c := &p.Classes[i]
		if dscp := p.DSCPs(c.TC); c.TC != rest && len(dscp) > 0 {
			all = append(all, matched{name(roles(p, c), w.classify.of[profile]), c.TC, dscp})
		}
	}
	return all
}

// firsts lists for each number the first profile that has it.
func (n *numbering) firsts() []int {
	all := make([]int, n.count)
	for i := len(n.of) - 1; i >= 0; i-- {
		if n.of[i] >= 0 {
			all[n.of[i]] = i
		}
	}
	return all
}

// step marks where a step of the book begins.
func (w *writer) step(n int, text string) { w.line(0, "! Step %d: %s", n, text) }

func (w *writer) classes() {
	w.step(1, "class maps: DSCPs of RoCE data and of CNPs")
	for _, profile := range w.classify.firsts() {
		for _, m := range w.maps(profile) {
			w.line(0, "class-map type qos match-any %s", m.name)
			w.line(1, "match dscp %s", strings.Join(netconf.Ranges(m.dscp), ","))
		}
	}
}

func (w *writer) classification() {
	w.step(2, "classification policy: DSCP to qos-group")
	for n, profile := range w.classify.firsts() {
		w.line(0, "policy-map type qos %s", name(classificationPolicy, n))
		for _, m := range w.maps(profile) {
			w.line(1, "class %s", m.name)
			w.line(2, "set qos-group %d", m.tc)
		}
		w.line(1, "class class-default")
		w.line(2, "set qos-group %d", w.d.QoS.Profiles[profile].Default())
	}
}

// The book's names.
const (
	classificationPolicy = "QOS_CLASSIFICATION"
	egressPolicy         = "QOS_EGRESS_PORT"
	ingressPolicy        = "QOS_INGRESS_PORT"
	networkPolicy        = "qos_network"
)

// queueName is that of a qos-group's queue.
func queueName(tc uint8) string {
	if tc == 0 {
		return "c-out-8q-q-default"
	}
	return fmt.Sprintf("c-out-8q-q%d", tc)
}

func (w *writer) queues() {
	w.step(3, "queuing policy: scheduling and ECN of each queue")
	for n, profile := range w.queuing.firsts() {
		p := &w.d.QoS.Profiles[profile]
		w.line(0, "policy-map type queuing %s", name(egressPolicy, n))
		for tc := netconf.Classes - 1; tc >= 0; tc-- {
			w.queue(uint8(tc), p.Class(uint8(tc)))
		}
	}
	for n, profile := range w.ingress.firsts() {
		p := &w.d.QoS.Profiles[profile]
		w.line(0, "policy-map type queuing %s", name(ingressPolicy, n))
		for i := range p.Classes {
			if b := p.Classes[i].Buffer(); b != nil {
				w.line(1, "class type queuing c-in-q%d", p.Classes[i].TC)
				w.line(2, "pause buffer-size %d pause-threshold %d resume-threshold %d", b.XOFF+b.Headroom, b.XOFF,
					b.XOFF-b.Resume)
			}
		}
	}
}

func (w *writer) queue(tc uint8, c *netconf.Class) {
	w.line(1, "class type queuing %s", queueName(tc))
	switch {
	case c == nil:
		w.line(2, "bandwidth remaining percent 0")
		return
	case c.Strict:
		w.line(2, "priority level 1")
	default:
		w.line(2, "bandwidth remaining percent %d", c.Share)
	}
	if e := c.ECN; e != nil {
		marks := " ecn"
		if e.Drops {
			marks = ""
		}
		w.line(2,
			"random-detect minimum-threshold %d kbytes maximum-threshold %d kbytes drop-probability %d weight 0%s",
			e.Min/unit.Kilobyte, e.Max/unit.Kilobyte, e.Probability, marks)
	}
}

// pauses lists the classes that network-qos speaks of: those that pause, else those that share and are not the rest.
func (w *writer) pauses() (all []netconf.Class) {
	for i := range w.d.QoS.Profiles {
		p := &w.d.QoS.Profiles[i]
		for _, c := range p.Classes {
			known := slices.ContainsFunc(all, func(o netconf.Class) bool { return o.TC == c.TC })
			if !known && c.TC > 0 && !c.Strict {
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b netconf.Class) int { return cmp.Compare(a.TC, b.TC) })
	return all
}

func (w *writer) network() {
	w.step(4, "network-qos policy: PFC priorities and MTU")
	w.line(0, "policy-map type network-qos %s", networkPolicy)
	for _, c := range w.pauses() {
		w.line(1, "class type network-qos c-8q-nq%d", c.TC)
		if mtu := w.mtu(); mtu > 0 {
			w.line(2, "mtu %d", mtu)
		}
		if c.Pause != nil {
			w.line(2, "pause pfc-cos %d", c.Pause.Priority)
		}
	}
}

// mtu is the largest of ports; 0: not said.
func (w *writer) mtu() (most unit.Bytes) {
	for i := range w.d.Interfaces {
		if here := &w.d.Interfaces[i]; here.Kind == netconf.Physical {
			most = max(most, here.MTU)
		}
	}
	return most
}

func (w *writer) watchdog() {
	w.step(5, "PFC watchdog; on a port the book prints watch-dog, the platform's keyword is watch-dog-interval on")
	if w.d.QoS.Watchdog.On {
		w.line(0, "priority-flow-control watch-dog-interval on")
	}
}

func (w *writer) system() {
	w.step(6, "where the policies hold")
	w.line(0, "system qos")
	w.line(1, "service-policy type network-qos %s", networkPolicy)
	if w.queuing.count > 0 {
		w.line(1, "service-policy type queuing output %s", egressPolicy)
	}
}

func (w *writer) port(i *netconf.Interface) {
	w.line(0, "interface %s", nameOf(i))
	if i.Description != "" {
		w.line(1, "description %s", i.Description)
	}
	w.addressed(i)
	switch {
	case i.LLDP.Silent:
		w.line(1, "no lldp transmit")
		w.line(1, "no lldp receive")
	case i.LLDP.DCBX != netconf.DCBXDefault:
		w.line(1, "lldp dcbx version %s", i.LLDP.DCBX)
	}
	q := i.QoS
	if q == nil {
		return
	}
	w.line(1, "priority-flow-control mode %s", q.PFC)
	if q.Watchdog {
		w.line(1, "priority-flow-control watch-dog-interval on")
	}
	w.line(1, "service-policy type qos input %s", name(classificationPolicy, w.classify.of[q.Profile]))
	if n := w.queuing.of[q.Profile]; n > 0 {
		w.line(1, "service-policy type queuing output %s", name(egressPolicy, n))
	}
	if n := w.ingress.of[q.Profile]; n >= 0 {
		w.line(1, "service-policy type queuing input %s", name(ingressPolicy, n))
	}
}

func (w *writer) lldp() {
	l := w.d.LLDP
	if l == nil || !l.On {
		return
	}
	w.line(0, "feature lldp")
	if l.DCBX == netconf.DCBXOff {
		w.line(0, "no lldp tlv-select dcbxp")
	}
}

func (w *writer) balance() {
	b := w.d.Balance
	switch {
	case b == nil:
	case b.Method == "ecmp":
		text := "ip load-sharing address source-destination port source-destination"
		if b.Seed > 0 {
			text += fmt.Sprintf(" universal-id %d", b.Seed)
		}
		w.line(0, "%s", text)
	default:
		w.dlb(b)
	}
}

// dlb is the book's example 12-1.
func (w *writer) dlb(b *netconf.Balance) {
	w.line(0, "! Dynamic load balancing: save and reload, then show system config reload-pending.")
	w.line(0, "! Egress QoS policies have no effect on its traffic.")
	w.line(0, "hardware profile dlb")
	for _, p := range b.Ports {
		w.line(1, "dlb-interface %s", strings.Replace(p, "Ethernet", "Eth", 1))
	}
	if len(b.Ports) == 0 {
		w.line(1, "dlb-interface all")
	}
	if b.MAC != "" {
		w.line(1, "mac-address %s", b.MAC)
	}
	mode := "per-packet"
	if b.Unit == "flowlet" {
		mode = "flowlet"
	}
	w.line(1, "mode %s", mode)
	if b.Gap > 0 {
		w.line(1, "flowlet-aging %d", b.Gap/unit.Microsecond)
	}
}
