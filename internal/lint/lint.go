package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/netconf"
	"railyard/internal/unit"
)

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// A Rule is one of the checks.
type Rule struct {
	ID, Title, Reason, Fix string
}

// Rules are all of them, by number.
var Rules = []Rule{
	{"Q01", "DSCPs agree on all devices", "a packet is in another class at the next hop", "one map for all devices"},
	{"Q02", "RoCE data is in a class that pauses, at every hop",
		"it is dropped where it is not, and go-back-N repeats all after it",
		"map its DSCP to the class that pauses"},
	{"Q03", "CNPs do not pause and go first",
		"a CNP that waits behind data comes too late, and one in the class that pauses stops with it",
		"a class of its own for CNPs, strict, without PFC"},
	{"Q04", "ECN marks in the class that pauses", "without marks senders slow down only when they are paused",
		"a WRED profile with ECN on its queue"},
	{"Q05", "WRED min is below max", "equal values mark nothing, then everything", "min below max"},
	{"Q06", "ECN acts before PFC", "pauses take the place of congestion control and spread",
		"a lower WRED max, or a higher xOFF"},
	{"Q07", "headroom holds what arrives after xOFF", "what has no room is dropped though PFC is on",
		"headroom by cable, rate and frame"},
	{"Q08", "marking scales with the rate", "a queue drains in half the time at twice the rate",
		"min and max in proportion to the rate"},
	{"Q09", "few priorities pause", "each takes headroom of every port", "PFC on one or two priorities"},
	{"Q10", "the PFC watchdog is on and can act", "one stuck neighbour stops the fabric",
		"a watchdog on each port with PFC"},
	{"Q11", "the class that pauses is for RoCE alone", "other traffic is paused, and fills its buffer",
		"only RoCE's DSCPs in it"},
	{"Q12", "MTUs are equal and large enough", "frames that are too long are dropped",
		"one MTU, at least RDMA's and its headers"},
	{"Q13", "ports of one role are configured alike", "one forgotten port drops, or is paused for ever",
		"the same profile on all"},
	{"Q14", "NX-OS: forms that do nothing", "the line is refused or has no effect", "see the finding"},
	{"Q15", "EOS: forms that do nothing", "the line is refused or has no effect", "see the finding"},
	{"Q16", "Junos: forms that do nothing", "the line is refused or has no effect", "see the finding"},
	{"Q17", "NX-OS DLB: one MAC, no egress policy",
		"no egress policy acts on its traffic, and a switch with another MAC does not take part",
		"the same mac-address on all; count marks at its ports"},
	{"Q18", "tiers hash with different seeds", "a second tier does not spread what the first one chose (polarisation)",
		"another seed for each tier"},
	{"Q19", "no buffers wait for each other in a circle", "with PFC all of them may stand still for ever",
		"one AS for all spines, so that no way goes down and up again; a watchdog"},
	{"Q20", "every line is understood", "what is not read is not checked", "see the line"},
	{"Q21", "watchdog and stock ECN by the platform's words",
		"the line is refused, or RoCE's class is not marked", "see the finding"},
	{"Q22", "LLDP and DCBX are on where PFC is auto", "without DCBX auto is off", "LLDP with DCBX on both ports, or PFC on"},
	{"Q23", "neighbours agree on PFC and shares", "one pauses a priority that the other does not", "the same on both ends"},
	{"Q24", "neighbours speak one DCBX", "IEEE and CEE do not understand each other", "the same version on both ends"},
	{"Q25", "switches that share NICs agree on them", "what a NIC gets depends on which of its ports is up",
		"the same VLAN, gateway, MTU, rate and priorities on all of them, one domain, and each the other's address"},
	{"Q26", "VLANs, VXLANs, subnets and summaries nest", "a summary without a subnet draws packets to nowhere",
		"summaries of what is there"},
}

// RuleOf returns a rule by its number.
func RuleOf(id string) Rule {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{ID: id}
	}
	return Rules[i]
}

// A Finding is something that is wrong.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Device   string   `json:"device"`
	Port     string   `json:"port,omitempty"` // the first that it is about; "": the device
	netconf.Place
	Text   string `json:"text"`
	Reason string `json:"reason"`
	Fix    string `json:"fix"`
}

// A Device is one whose files were read.
type Device struct {
	*netconf.Parsed
	Dialect string
	File    string // what stands for it where no line does
}

// A Design is what is meant; nil: nobody says.
type Design struct {
	DSCP, CNPDSCP int
	Frame         unit.Bytes // the largest that anybody sends
	Devices       map[string]*netconf.Device
	Delay         func(device, port string) unit.Duration // of a port's cable
	Circle        string                                  // where buffers may wait for each other; "": nowhere
}

// roceDSCPs are those of RoCE data, and cnpDSCP that of CNPs, where no design says (vendors' guides).
var roceDSCPs = []int{24, 26}

const cnpDSCP = 48

// leastFrame holds 4,096 bytes and the longest headers of RoCEv2.
const leastFrame = 4096 + 82

// A linter gathers findings.
type linter struct {
	devices  []*Device
	design   *Design
	findings []Finding
}

// Check returns what is wrong with devices.
func Check(devices []*Device, design *Design) []Finding {
	l := &linter{devices: devices, design: design}
	for _, d := range devices {
		l.device(d)
	}
	l.fabric()
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(l.findings)
}

// add notes a finding at the first of places that is known.
func (l *linter) add(d *Device, rule string, s Severity, text string, places ...string) {
	at := netconf.Place{File: d.File}
	for _, p := range places {
		if known, ok := d.Places[p]; ok {
			at = known
			break
		}
	}
	r := RuleOf(rule)
	l.findings = append(l.findings, Finding{rule, s, d.Device.Name, portOf(places), at, text, r.Reason, r.Fix})
}

// portOf is the interface that the first of some places is of.
func portOf(places []string) string {
	for _, p := range places {
		if rest, ok := strings.CutPrefix(p, "interface "); ok {
			name, _, _ := strings.Cut(rest, " ")
			return name
		}
	}
	return ""
}

// device checks one by itself.
func (l *linter) device(d *Device) {
	for _, p := range d.Problems {
		s := Error
		if p.Warning {
			s = Warning
		}
		l.findings = append(l.findings, Finding{"Q20", s, d.Device.Name, "", netconf.Place{File: p.File,
			Line: p.Line}, p.Message,
			RuleOf("Q20").Reason, RuleOf("Q20").Fix})
	}
	for _, s := range d.Slips {
		r := RuleOf(s.Rule)
		l.findings = append(l.findings, Finding{s.Rule, Error, d.Device.Name, "", s.Place, s.Text, r.Reason, r.Fix})
	}
	l.subnets(d)
	if d.Device.QoS == nil {
		return
	}
	l.profiles(d)
	l.watchdog(d)
	l.forgotten(d)
	l.ports(d)
	if b := d.Device.Balance; b != nil && b.Method == "dlb" && d.Dialect == "nxos" {
		l.add(d, "Q17", Warning, "egress policies have no effect on DLB's traffic: check that its ports mark", "balance")
	}
}

// grouped are the ports that have a profile: a finding of it names the first, and how many more.
func grouped(d *netconf.Device, profile int) (first *netconf.Interface, text string) {
	var names []string
	for i := range d.Interfaces {
		if q := d.Interfaces[i].QoS; q != nil && q.Profile == profile {
			if first == nil {
				first = &d.Interfaces[i]
			}
			names = append(names, d.Interfaces[i].Name)
		}
	}
	text = strings.Join(names[:min(len(names), 3)], ", ")
	if more := len(names) - 3; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return first, text
}

// data is the DSCP of RoCE data at a profile: the design's, or the one of the usual that is in a class that
// pauses; false: none is.
func (l *linter) data(p *netconf.Profile) (dscp int, tc uint8, paused bool) {
	wanted := roceDSCPs
	if l.design != nil {
		wanted = []int{l.design.DSCP}
	}
	for _, v := range wanted {
		if c := p.Class(p.Classify[v]); c != nil && c.Pause != nil {
			return v, c.TC, true
		}
	}
	return wanted[0], p.Classify[wanted[0]], false
}

// profiles checks how ports treat classes.
func (l *linter) profiles(d *Device) {
	for n := range d.Device.QoS.Profiles {
		p := &d.Device.QoS.Profiles[n]
		first, ports := grouped(d.Device, n)
		at := func(tc uint8, what string) string { return fmt.Sprintf("interface %s tc %d %s", first.Name, tc, what) }
		here := "interface " + first.Name
		pausing := 0
		for k := range p.Classes {
			if p.Classes[k].Pause != nil {
				pausing++
			}
		}
		for k := range p.Classes {
			c := &p.Classes[k]
			if c.Pause != nil && pausing <= mostPausing {
				l.pausingClass(d, p, c, ports, at)
			}
			if e := c.ECN; e != nil {
				l.curve(d, e, fmt.Sprintf("%s: traffic class %d", ports, c.TC), at(c.TC, "ecn"))
			}
		}
		switch {
		case pausing == 0:
			if d.Dialect == "nvue" && p.Class(3) == nil {
				l.add(d, "Q21", Error, ports+": ECN marks traffic class 0 alone, as from the start: class 3 is unmarked",
					"interface "+first.Name)
			}
			continue
		case pausing > mostPausing:
			l.add(d, "Q09", Error, fmt.Sprintf("%s: %d classes pause", ports, pausing), here+" pfc", here)
			continue // what follows would follow from that
		}
		if !anyPFC(d.Device) {
			l.add(d, "Q02", Error, ports+": a class is to pause, and PFC is off at every port", here+" pfc", here)
			continue
		}
		if dscp, tc, paused := l.data(p); !paused && !slipped(d, "Q14") {
			l.add(d, "Q02", Error, fmt.Sprintf("%s: DSCP %d of RoCE data is in traffic class %d, which does not pause", ports, dscp, tc),
				fmt.Sprintf("%s dscp %d", here, dscp), at(tc, "dscp"), here+" classify", here)
		}
		l.cnp(d, p, ports, here)
	}
}

// mostPausing is how many classes may pause.
const mostPausing = 2

// slipped reports whether a form of a rule was found, from which other findings would follow.
func slipped(d *Device, rule string) bool {
	return slices.ContainsFunc(d.Slips, func(s netconf.Slip) bool { return s.Rule == rule })
}

// cnp checks the class of CNPs.
func (l *linter) cnp(d *Device, p *netconf.Profile, ports, here string) {
	dscp := cnpDSCP
	if l.design != nil {
		dscp = l.design.CNPDSCP
	}
	c := p.Class(p.Classify[dscp])
	of := fmt.Sprintf("%s: DSCP %d of CNPs is in traffic class %d", ports, dscp, c.TC)
	places := []string{fmt.Sprintf("%s tc %d queue", here, c.TC), fmt.Sprintf("%s dscp %d", here, dscp), here}
	switch {
	case c.Pause != nil:
		l.add(d, "Q03", Error, of+", which pauses", places[1:]...)
	case !c.Strict:
		l.add(d, "Q03", Error, of+", whose queue is not strict", places...)
	}
}

// pausingClass checks a class that pauses.
func (l *linter) pausingClass(d *Device, p *netconf.Profile, c *netconf.Class, ports string, at func(uint8,
	string) string) {
	of := fmt.Sprintf("%s: traffic class %d pauses", ports, c.TC)
	if c.ECN == nil {
		l.add(d, "Q04", Error, of+", and nothing marks in its queue", at(c.TC, "queue"), at(c.TC, "pause"))
	} else if c.ECN.Drops {
		l.add(d, "Q04", Error, of+", and its WRED profile drops: ecn is missing", at(c.TC, "ecn"))
	}
	if c.TC == p.Default() && len(p.DSCPs(c.TC)) > 8 {
		l.add(d, "Q11", Error, of+", and all other traffic is in it", at(c.TC, "pause"), at(c.TC, "dscp"))
	}
	if d.Dialect == "eos" && d.Device.QoS.Watchdog.On && !c.Strict && c.Share == 0 {
		l.add(d, "Q10", Error, of+", and its queue has no guaranteed bandwidth: the watchdog does not look at it", at(c.TC, "queue"))
	}
	l.order(d, c, of, at(c.TC, "ecn"))
}

// order compares ECN with xOFF, both in bytes of one sender that is alone.
func (l *linter) order(d *Device, c *netconf.Class, of, place string) {
	b, pools := c.Pause.Buffer, d.Device.QoS.Pools
	if b == nil || c.ECN == nil || c.ECN.Max == 0 {
		return
	}
	pause := b.XOFF
	how := "a fixed xOFF"
	if pause == 0 {
		shared := pools.Size - pools.Headroom
		if shared <= 0 {
			return
		}
		pause = unit.Bytes(unit.Ratio{Num: b.Alpha.Num, Den: b.Alpha.Num + b.Alpha.Den}.Of(int64(shared)))
		how = fmt.Sprintf("alpha %s of the %v that ports share", b.Alpha, shared)
	}
	if c.ECN.Max > pause {
		l.add(d, "Q06", Error, fmt.Sprintf("%s with %v of one sender in the switch (%s; ingress and egress converted), and everything is "+
			"marked only above %v", of, pause, how, c.ECN.Max), place)
	}
}

func (l *linter) curve(d *Device, e *netconf.ECN, of, place string) {
	low, high := int64(e.Min), int64(e.Max)
	if e.MaxFill > 0 {
		low, high = int64(e.MinFill), int64(e.MaxFill)
	}
	switch {
	case low > high:
		l.add(d, "Q05", Error, of+": WRED min is above max: "+e.String(), place)
	case low == high:
		l.add(d, "Q05", Warning, of+": WRED min is max: "+e.String(), place)
	}
}

// watchdog checks that it is on wherever PFC is.
func (l *linter) watchdog(d *Device) {
	q := d.Device.QoS
	var bare []string
	for i := range d.Device.Interfaces {
		p := d.Device.Interfaces[i].QoS
		if p != nil && p.PFC != netconf.PFCOff && !p.Watchdog && pausesAt(d.Device, &d.Device.Interfaces[i]) {
			bare = append(bare, d.Device.Interfaces[i].Name)
		}
	}
	if slipped(d, "Q21") {
		return
	}
	if len(bare) > 0 {
		l.add(d, "Q10", Warning, fmt.Sprintf("%s: PFC, and no watchdog", strings.Join(bare[:min(3, len(bare))], ", ")),
			"interface "+bare[0]+" watchdog", "interface "+bare[0])
	} else if d.Dialect == "nxos" && !q.Watchdog.On && len(bare) == 0 && anyWatched(d.Device) {
		l.add(d, "Q10", Warning, "the watchdog is on at ports, and off for the device", "watchdog")
	}
	w := q.Watchdog
	if w.Poll > 0 && w.Detect > 0 && 2*w.Poll > w.Detect && d.Dialect != "nvue" {
		l.add(d, "Q10", Error, fmt.Sprintf("the watchdog looks every %v and is to act after %v: want a look in at most half of that",
			w.Poll, w.Detect), "watchdog poll", "watchdog")
	}
}

func anyPFC(d *netconf.Device) bool {
	return slices.ContainsFunc(d.Interfaces, func(i netconf.Interface) bool {
		return i.QoS != nil && i.QoS.PFC != netconf.PFCOff
	})
}

func anyWatched(d *netconf.Device) bool {
	return slices.ContainsFunc(d.Interfaces, func(i netconf.Interface) bool { return i.QoS != nil && i.QoS.Watchdog })
}

func pausesAt(d *netconf.Device, i *netconf.Interface) bool {
	p := d.ProfileOf(i)
	return p != nil && slices.ContainsFunc(p.Classes, func(c netconf.Class) bool { return c.Pause != nil })
}
