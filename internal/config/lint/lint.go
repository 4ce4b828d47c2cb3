package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/dcbx"
	"railyard/internal/config/lldp"
	"railyard/internal/config/netconf"
)

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	// Unknown is what may be wrong: it rests on the absence of something, and lines that are not understood may say it.
	Unknown Severity = "unknown"
)

// A Finding is something that is wrong.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Device   string   `json:"device"`
	Port     string   `json:"port,omitempty"` // the first that it is about, by the device's own name; "": the device
	netconf.Place
	Lines  []int  `json:"lines,omitempty"` // of several like it
	Text   string `json:"text"`
	Reason string `json:"reason"`
	Fix    string `json:"fix"`
	// Interface is Port by its neutral name.
	Interface string `json:"-"`
	// DSCP is what hosts would write for it to matter; 0: the usual.
	DSCP int `json:"-"`
}

// A Device is one whose files were read.
type Device struct {
	*netconf.Parsed
	Dialect string
	File    string // what stands for it where no line does
	Switch  string // what the design calls it; "": as it calls itself
	Heard   []lldp.Neighbour
}

// Meant is what the design calls it.
func (d *Device) Meant() string {
	if d.Switch != "" {
		return d.Switch
	}
	return d.Device.Name
}

// A Design is what is meant; nil: nobody says.
type Design struct {
	DSCP, CNPDSCP int
	Frame         unit.Bytes // the largest that anybody sends
	Devices       map[string]*netconf.Device
	Delay         func(device, port string) unit.Duration // of a port's cable
	Circle        string                                  // where buffers may wait for each other; "": nowhere
}

// Hosts is what hosts were read to write into packets, where no design says it, and their NICs.
type Hosts struct {
	DSCP, CNPDSCP Written
	Cards         []Card
}

// A Card is a NIC whose host was read, and which port it hears.
type Card struct {
	Name  string // host1 eth2
	Hears lldp.Neighbour
	dcbx.Card
	At netconf.Place // the line that says which priorities it pauses
	By netconf.Place // the line that says who sets it up; none: it is not known
}

// A Written is a DSCP with the line of a host that says it; without a line nothing does.
type Written struct {
	Value int
	netconf.Place
}

// roceDSCPs are those of RoCE data, and usualCNP that of CNPs, where neither a design nor a host says (vendors' guides).
var roceDSCPs = []int{24, 26}

const usualCNP = 48

// dataDSCPs are those that RoCE data may have.
func (l *linter) dataDSCPs() []int {
	switch {
	case l.design != nil:
		return []int{l.design.DSCP}
	case l.hosts.DSCP.Line > 0:
		return []int{l.hosts.DSCP.Value}
	}
	return roceDSCPs
}

// cnpDSCP is that of CNPs.
func (l *linter) cnpDSCP() int {
	switch {
	case l.design != nil:
		return l.design.CNPDSCP
	case l.hosts.CNPDSCP.Line > 0:
		return l.hosts.CNPDSCP.Value
	}
	return usualCNP
}

// source is which line of a host says that it writes a DSCP: put behind what is said of it; "": no host has to say it.
func (l *linter) source(w Written) string {
	if l.design != nil || w.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" (hosts write it: %s:%d)", w.File, w.Line)
}

// leastFrame holds 4,096 bytes and the longest headers of RoCEv2.
const leastFrame = 4096 + 82

// A linter gathers findings.
type linter struct {
	devices  []*Device
	design   *Design
	hosts    Hosts
	findings []Finding
	links    links
	together map[[2]*Device]bool         // those that share NICs
	small    map[*netconf.Interface]bool // whose frames are too small, which is said
	odd      map[*Device]bool            // whose class that pauses has other DSCPs than most, which is said of all devices
	pausing  map[string]int              // of priorities that pause: on how many devices
	told     map[*netconf.Loose]bool     // that is not used, which another finding says
}

// Check returns what is wrong with devices. hosts say what they write, if anything is known of them.
func Check(devices []*Device, design *Design, hosts Hosts) []Finding {
	l := &linter{devices: devices, design: design, hosts: hosts, links: linksOf(devices), together: map[[2]*Device]bool{},
		small: map[*netconf.Interface]bool{}, told: map[*netconf.Loose]bool{}, odd: map[*Device]bool{}, pausing: pausingAlike(devices)}
	sets, most := l.pausedDSCPs()
	for k, d := range devices {
		l.odd[d] = !slices.Equal(sets[k], most)
		l.device(d)
	}
	l.fabric()
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Text, b.Text))
	})
	return slices.CompactFunc(l.findings, func(a, b Finding) bool {
		return a.Rule == b.Rule && a.Place == b.Place && a.Text == b.Text && a.Device == b.Device
	})
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
	port := portOf(places)
	l.findings = append(l.findings, Finding{Rule: rule, Severity: s, Device: d.Device.Name, Port: d.Native(port), Place: at,
		Text: text, Reason: r.Reason, Fix: r.Fix, Interface: port})
}

// lacks is add for what rests on the absence of something of a topic, of a port or, "", of the device: it is not known
// where lines that are not understood may say it.
func (l *linter) lacks(d *Device, t netconf.Topic, port, rule string, s Severity, text string, places ...string) {
	switch {
	case d.Tagged && t&netconf.AboutQoS != 0:
		s, text = Unknown, text+"; not known, since classes are also of tags"
	case d.Hides(t, port):
		s, text = Unknown, text+notKnown
	}
	l.add(d, rule, s, text, places...)
}

const notKnown = "; not known, since lines that are not understood may say otherwise"

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
	l.unread(d)
	for _, p := range d.Problems {
		s := Error
		if p.Warning {
			s = Unknown
		}
		l.findings = append(l.findings, Finding{Rule: "Q20", Severity: s, Device: d.Device.Name,
			Place: netconf.Place{File: p.File,
				Line: p.Line}, Text: p.Message, Reason: RuleOf("Q20").Reason, Fix: RuleOf("Q20").Fix})
	}
	for _, s := range d.Slips {
		r := RuleOf(s.Rule)
		l.findings = append(l.findings, Finding{Rule: s.Rule, Severity: Error, Device: d.Device.Name, Place: s.Place, Text: s.Text,
			Reason: r.Reason, Fix: r.Fix})
	}
	l.subnets(d)
	l.frames(d)
	if d.Device.QoS != nil {
		l.quality(d)
	}
	l.applied(d)
	l.loose(d)
}

// quality checks quality of service.
func (l *linter) quality(d *Device) {
	l.profiles(d)
	l.watchdog(d)
	l.forgotten(d)
	l.ports(d)
	if b := d.Device.Balance; b != nil && b.Method == "dlb" && d.Dialect == "nxos" {
		l.add(d, "Q17", Warning, "egress policies have no effect on DLB's traffic: check that its ports mark",
			"balance")
	}
}

// unread lists kinds of lines that are not understood, each once.
func (l *linter) unread(d *Device) {
	kinds := map[string]int{}
	for i := range d.Unread {
		u := &d.Unread[i]
		key := u.File + " " + u.Kind()
		at, known := kinds[key]
		if !known {
			at = len(l.findings)
			kinds[key] = at
			l.findings = append(l.findings, Finding{Rule: "Q20", Severity: Warning, Device: d.Device.Name,
				Port:  d.Native(u.Port),
				Place: u.Place, Text: located.Shown(u.Text) + ": not understood", Reason: RuleOf("Q20").Reason,
				Fix:       RuleOf("Q20").Fix,
				Interface: u.Port})
		}
		l.findings[at].Lines = append(l.findings[at].Lines, u.Line)
		if n := len(l.findings[at].Lines); n > 1 {
			l.findings[at].Text = fmt.Sprintf("%s: not understood, %d times", located.Shown(u.Kind()), n)
		}
	}
	if more := d.Lines.Unread - len(d.Unread); more > 0 {
		l.add(d, "Q20", Warning, fmt.Sprintf("%d more lines are not understood", more))
	}
}

// grouped are the ports that have a profile: a finding of it names the first, and how many more.
func grouped(d *Device, profile int) (first *netconf.Interface, text string) {
	var names []string
	for i := range d.Device.Interfaces {
		here := &d.Device.Interfaces[i]
		if q := here.QoS; q != nil && q.Profile == profile {
			if first == nil {
				first = here
			}
			names = append(names, d.Native(here.Name))
		}
	}
	text = strings.Join(names[:min(len(names), 3)], ", ")
	if more := len(names) - 3; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return first, text
}

// watchdog checks that it is on wherever PFC is.
func (l *linter) watchdog(d *Device) {
	q := d.Device.QoS
	var bare []string
	for i := range d.Device.Interfaces {
		p := d.Device.Interfaces[i].QoS
		if here := &d.Device.Interfaces[i]; p != nil && p.PFC != netconf.PFCOff && !p.Watchdog && !here.Down && pausesAt(d.Device, here) {
			bare = append(bare, here.Name)
		}
	}
	if slipped(d, "Q21") {
		return
	}
	if len(bare) > 0 {
		l.lacks(d, netconf.AboutQoS, bare[0], "Q10", Warning, fmt.Sprintf("%s: PFC, and no watchdog", d.some(bare)),
			"interface "+bare[0]+" watchdog", "interface "+bare[0])
	} else if watched := firstWatched(d.Device); d.Dialect == "nxos" && !q.Watchdog.On && watched != "" {
		l.lacks(d, netconf.AboutQoS, "", "Q10", Warning, "the watchdog is on at ports, and off for the device",
			"watchdog", "interface "+
				watched+" watchdog")
	}
	w := q.Watchdog
	if w.Poll > 0 && w.Detect > 0 && 2*w.Poll > w.Detect && d.Dialect != "nvue" {
		s := Error
		if w.Poll <= w.Detect && d.Dialect == "sonic" { // whose own default is a look in that time (pfcwd start_default)
			s = Warning
		}
		l.add(d, "Q10", s,
			fmt.Sprintf("the watchdog looks every %v and is to act after %v: want a look in at most half of that",
				w.Poll, w.Detect), "watchdog poll", "watchdog")
	}
}

// some names the first few of some ports, as the device does.
func (d *Device) some(ports []string) string {
	names := make([]string, len(ports))
	for k, p := range ports {
		names[k] = d.Native(p)
	}
	return Some(names)
}

// Some names the first three of some, and says how many more there are.
func Some(names []string) string {
	text := strings.Join(names[:min(3, len(names))], ", ")
	if more := len(names) - 3; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func anyPFC(d *netconf.Device) bool {
	return slices.ContainsFunc(d.Interfaces, func(i netconf.Interface) bool {
		return i.QoS != nil && i.QoS.PFC != netconf.PFCOff
	})
}

// firstWatched is the first port that the watchdog looks at; "": none.
func firstWatched(d *netconf.Device) string {
	for i := range d.Interfaces {
		if q := d.Interfaces[i].QoS; q != nil && q.Watchdog {
			return d.Interfaces[i].Name
		}
	}
	return ""
}

func pausesAt(d *netconf.Device, i *netconf.Interface) bool {
	p := d.ProfileOf(i)
	return p != nil && slices.ContainsFunc(p.Classes, func(c netconf.Class) bool { return c.Pause != nil })
}
