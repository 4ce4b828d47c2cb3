package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/located"
	"railyard/internal/netconf"
	"railyard/internal/unit"
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
}

// A Device is one whose files were read.
type Device struct {
	*netconf.Parsed
	Dialect string
	File    string // what stands for it where no line does
	Switch  string // what the design calls it; "": as it calls itself
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
	links    links
	together map[[2]*Device]bool         // those that share NICs
	small    map[*netconf.Interface]bool // whose frames are too small, which is said
}

// Check returns what is wrong with devices.
func Check(devices []*Device, design *Design) []Finding {
	l := &linter{devices: devices, design: design, links: linksOf(devices), together: map[[2]*Device]bool{},
		small: map[*netconf.Interface]bool{}}
	for _, d := range devices {
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
		s, text = Unknown, text+"; not known, since lines that are not understood may say otherwise"
	}
	l.add(d, rule, s, text, places...)
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
	l.loose(d)
	l.applied(d)
	l.frames(d)
	if d.Device.QoS == nil {
		return
	}
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
		first, ports := grouped(d, n)
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
			if on := enabled(d.Device, n); on != nil && !slipped(d, "Q02") && !slipped(d, "Q14") &&
				!slipped(d, "Q15") && !slipped(d, "Q16") {
				at := "interface " + on.Name
				l.lacks(d, netconf.AboutQoS, "", "Q02", Error, ports+": PFC is on, and no class pauses", at+" pfc", at)
			}
			if d.Dialect == "nvue" && p.Class(3) == nil {
				l.lacks(d, netconf.AboutQoS, first.Name, "Q21", Error,
					ports+": ECN marks traffic class 0 alone, as from the start: class 3 is unmarked",
					"interface "+first.Name)
			}
			continue
		case pausing > mostPausing:
			l.add(d, "Q09", Error, fmt.Sprintf("%s: %d classes pause", ports, pausing), here+" pfc", here)
			continue // what follows would follow from that
		}
		if !anyPFC(d.Device) {
			l.lacks(d, netconf.AboutQoS, "", "Q02", Error,
				ports+": a class is to pause, and PFC is off at every port", here+" pfc", here)
			continue
		}
		if dscp, tc, paused := l.data(p); !paused && !slipped(d, "Q14") {
			l.lossy(d, p, first,
				fmt.Sprintf("%s: DSCP %d of RoCE data is in traffic class %d, which does not pause", ports, dscp, tc),
				fmt.Sprintf("%s dscp %d", here, dscp), at(tc, "dscp"), here+" classify", here)
		}
		l.cnp(d, p, ports, here)
	}
}

// enabled is the first port of a profile whose PFC is on; nil: none is.
func enabled(d *netconf.Device, profile int) *netconf.Interface {
	for i := range d.Interfaces {
		if q := d.Interfaces[i].QoS; q != nil && q.Profile == profile && q.PFC == netconf.PFCOn && !d.Interfaces[i].Down {
			return &d.Interfaces[i]
		}
	}
	return nil
}

// lossy reports data in a class that does not pause. Where no design says which DSCP hosts use, and some are in the
// class that pauses, those may be it.
func (l *linter) lossy(d *Device, p *netconf.Profile, port *netconf.Interface, text string, places ...string) {
	s := Error
	if l.design == nil {
		for k := range p.Classes {
			if c := &p.Classes[k]; c.Pause != nil && len(p.DSCPs(c.TC)) > 0 {
				s = Warning
				text = fmt.Sprintf("%s; no scenario says that hosts use it, and DSCP %s is in one that does", text,
					strings.Join(netconf.Ranges(p.DSCPs(c.TC)), " "))
				break
			}
		}
	}
	l.lacks(d, netconf.AboutQoS, port.Name, "Q02", s, text, places...)
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
	if c == nil {
		return
	}
	of := fmt.Sprintf("%s: DSCP %d of CNPs is in traffic class %d", ports, dscp, c.TC)
	places := []string{fmt.Sprintf("%s tc %d queue", here, c.TC), fmt.Sprintf("%s dscp %d", here, dscp), here}
	switch {
	case c.Pause != nil:
		l.add(d, "Q03", Error, of+", which pauses", places[1:]...)
	case !c.Strict:
		l.lacks(d, netconf.AboutQoS, portOf(places), "Q03", Error, of+", whose queue is not strict", places...)
	}
	if d.Dialect == "eos" && c.TC == 7 {
		l.add(d, "Q15", Warning, of+", which the platform has for its own packets, as its queue", places[1:]...)
	}
}

// pausingClass checks a class that pauses.
func (l *linter) pausingClass(d *Device, p *netconf.Profile, c *netconf.Class, ports string, at func(uint8,
	string) string) {
	of := fmt.Sprintf("%s: traffic class %d pauses", ports, c.TC)
	if c.ECN == nil {
		port := portOf([]string{at(c.TC, "queue")})
		l.lacks(d, netconf.AboutQoS, port, "Q04", Error, of+", and nothing marks in its queue", at(c.TC,
			"ecn"), at(c.TC, "queue"), at(c.TC, "pause"))
	} else if c.ECN.Drops {
		port := portOf([]string{at(c.TC, "ecn")})
		l.lacks(d, netconf.AboutQoS, port, "Q04", Error, of+", and its WRED profile drops: ecn is missing", at(c.TC, "ecn"))
	}
	if rest := len(p.DSCPs(c.TC)); rest > 8 && p.Classify[0] == c.TC || rest > netconf.CodePoints/2 {
		l.lacks(d, netconf.AboutQoS, portOf([]string{at(c.TC, "pause")}), "Q11", Error,
			of+", and all other traffic is in it",
			at(c.TC, "pause"), at(c.TC, "dscp"))
	} else {
		l.strangers(d, p, c, of, at)
	}
	if d.Dialect == "eos" && d.Device.QoS.Watchdog.On && !c.Strict && c.Share == 0 {
		l.lacks(d, netconf.AboutQoS, portOf([]string{at(c.TC, "queue")}), "Q10", Error,
			of+", and its queue has no guaranteed bandwidth: the watchdog does not look at it", at(c.TC, "queue"))
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
		l.add(d, "Q06", Error,
			fmt.Sprintf("%s with %v of one sender in the switch (%s; ingress and egress converted), and everything is "+
				"marked only above %v", of, pause, how, c.ECN.Max), place)
	}
}

func (l *linter) curve(d *Device, e *netconf.ECN, of, place string) {
	low, high := int64(e.Min), int64(e.Max)
	if e.Scale != "" {
		low, high = int64(e.Least), int64(e.Most)
	}
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

// some names the first few of some ports.
func (d *Device) some(ports []string) string {
	var names []string
	for _, p := range ports[:min(3, len(ports))] {
		names = append(names, d.Native(p))
	}
	text := strings.Join(names, ", ")
	if more := len(ports) - 3; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// strangers warns of DSCPs in the class that pauses beside those of RoCE data: with a design all others, without one those
// that are not of the same class selector (RFC 2474).
func (l *linter) strangers(d *Device, p *netconf.Profile, c *netconf.Class, of string, at func(uint8, string) string) {
	all := p.DSCPs(c.TC)
	data, _, paused := l.data(p)
	if !paused || p.Classify[data] != c.TC || len(all) > 16 {
		return
	}
	cnp := cnpDSCP
	if l.design != nil {
		cnp = l.design.CNPDSCP
	}
	var others []int
	for _, v := range all {
		if v/8 != data/8 && v != cnp {
			others = append(others, v)
		}
	}
	if len(others) > 0 && len(others) < len(all) {
		l.add(d, "Q11", Warning, fmt.Sprintf("%s, and DSCP %s is in it beside %d of RoCE data", of,
			strings.Join(netconf.Ranges(others), " "), data), fmt.Sprintf("interface %s dscp %d",
			portOf([]string{at(c.TC, "dscp")}), others[0]),
			at(c.TC, "dscp"), at(c.TC, "pause"))
	}
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
