package lint

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// data is the DSCP of RoCE data at a profile: the design's, or the one of the usual that is in a class that
// pauses; false: none is.
func (l *linter) data(p *netconf.Profile) (dscp int, tc uint8, paused bool) {
	wanted := l.dataDSCPs()
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
		if meant := l.intended(p); meant != nil {
			l.displaced(d, p, meant, ports, at)
			l.cnp(d, p, ports, here)
			continue // what follows would follow from that
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
				l.idle(d, on, ports)
			}
			if d.Dialect == "nvue" && p.Class(3) == nil {
				l.lacks(d, netconf.AboutQoS, first.Name, "Q21", Error,
					ports+": ECN marks traffic class 0 alone, as from the start: class 3 is unmarked",
					"interface "+first.Name)
			}
			continue
		case pausing > mostPausing && pfcAt(d.Device, n):
			l.add(d, "Q09", Error, fmt.Sprintf("%s: %d classes pause", ports, pausing), here+" pfc", here)
			continue // what follows would follow from that
		}
		if !anyPFC(d.Device) {
			l.lacks(d, netconf.AboutQoS, "", "Q02", Error,
				ports+": a class is to pause, and PFC is off at every port", here+" pfc", here)
			continue
		}
		if pausing > mostPausing { // and off at all of these, which is said of them
			continue
		}
		if l.untrusted(d, p, first, ports) {
			continue // classes are not by DSCP
		}
		if dscp, tc, paused := l.data(p); !paused && !slipped(d, "Q14") {
			l.lossy(d, p, first,
				fmt.Sprintf("%s: DSCP %d of RoCE data%s is in traffic class %d, which does not pause", ports, dscp,
					l.source(l.hosts.DSCP), tc),
				fmt.Sprintf("%s dscp %d", here, dscp), at(tc, "dscp"), here+" classify", here)
		} else if paused {
			l.apart(d, p, first, ports, dscp)
		}
		l.cnp(d, p, ports, here)
	}
}

// intended is the class that another one pauses in place of: RoCE's DSCPs are in it and its queue marks, while that which pauses
// has none of them and no mark. nil: there is none.
func (l *linter) intended(p *netconf.Profile) (meant *netconf.Class) {
	pausing := 0
	for k := range p.Classes {
		c := &p.Classes[k]
		roce := slices.ContainsFunc(l.dataDSCPs(), func(v int) bool { return p.Classify[v] == c.TC })
		switch {
		case c.Pause != nil && (c.ECN != nil || roce):
			return nil
		case c.Pause != nil:
			pausing++
		case c.ECN != nil && !c.ECN.Drops && roce && meant == nil:
			meant = c
		}
	}
	if pausing != 1 {
		return nil
	}
	return meant
}

// displaced reports a class that pauses in place of the one that was meant, at the line that has it pause.
func (l *linter) displaced(d *Device, p *netconf.Profile, meant *netconf.Class, ports string, at func(uint8, string) string) {
	for k := range p.Classes {
		c := &p.Classes[k]
		if c.Pause == nil {
			continue
		}
		l.add(d, "Q02", Error, fmt.Sprintf("%s: traffic class %d pauses, and DSCP %s of RoCE data, whose queue marks, is in %d, "+
			"which does not", ports, c.TC, strings.Join(netconf.Ranges(p.DSCPs(meant.TC)), " "), meant.TC), at(c.TC, "pause"),
			at(c.TC, "queue"))
		f := &l.findings[len(l.findings)-1]
		f.Fix = fmt.Sprintf("have traffic class %d pause in place of %d", meant.TC, c.TC)
		for _, v := range l.dataDSCPs() {
			if p.Classify[v] == meant.TC {
				f.DSCP = v
			}
		}
	}
}

// isDisplaced reports whether a port pauses another class than is meant, which is said of its device.
func (l *linter) isDisplaced(d *Device, i *netconf.Interface) bool {
	p := d.Device.ProfileOf(i)
	return p != nil && l.intended(p) != nil
}

// untrusted reports ports that do not look at DSCPs though a class of theirs is to pause; false: they do, or nothing comes of it.
func (l *linter) untrusted(d *Device, p *netconf.Profile, first *netconf.Interface, ports string) bool {
	why := d.Untrusted[first.Name]
	tc := p.Classify[0]
	if c := p.Class(tc); why == "" || c != nil && c.Pause != nil {
		return false
	}
	at := "interface " + first.Name
	l.lacks(d, netconf.AboutQoS|netconf.AboutRouting, first.Name, "Q02", Error, fmt.Sprintf("%s: DSCPs are not looked at (%s), "+
		"so RoCE data is in traffic class %d, which does not pause", ports, why, tc), at+" classify", at)
	return true
}

// idle reports a port whose PFC is on for nothing. What would pause may be defined, and attached nowhere: that is said in the
// same finding, at its line.
func (l *linter) idle(d *Device, on *netconf.Interface, ports string) {
	at, n := "interface "+on.Name, len(l.findings)
	k := slices.IndexFunc(d.Loose, func(x netconf.Loose) bool { return x.Pauses })
	if k < 0 {
		l.lacks(d, netconf.AboutQoS, "", "Q02", Error, ports+": PFC is on, and no class pauses", at+" pfc", at)
		return
	}
	l.told[&d.Loose[k]] = true
	l.lacks(d, netconf.AboutQoS, "", "Q02", Error,
		fmt.Sprintf("%s: PFC is on, and no class pauses: %s is defined, and never used", ports, d.Loose[k].Text), at)
	l.findings[n].Place = d.Loose[k].Place
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

// pfcAt reports whether PFC is on, or may be, at a port of a profile.
func pfcAt(d *netconf.Device, profile int) bool {
	return slices.ContainsFunc(d.Interfaces, func(i netconf.Interface) bool {
		return i.QoS != nil && i.QoS.Profile == profile && i.QoS.PFC != netconf.PFCOff
	})
}

// lossy reports data in a class that does not pause. Where no design says which DSCP hosts use, and some are in the
// class that pauses, those may be it.
func (l *linter) lossy(d *Device, p *netconf.Profile, port *netconf.Interface, text string, places ...string) {
	s := Error
	if l.design == nil && l.hosts.DSCP.Line == 0 {
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
	dscp := l.cnpDSCP()
	c := p.Class(p.Classify[dscp])
	if c == nil {
		return
	}
	of := fmt.Sprintf("%s: DSCP %d of CNPs%s is in traffic class %d", ports, dscp, l.source(l.hosts.CNPDSCP), c.TC)
	places := []string{fmt.Sprintf("%s tc %d queue", here, c.TC), fmt.Sprintf("%s dscp %d", here, dscp), here}
	switch {
	case c.Pause != nil:
		l.add(d, "Q03", Error, of+", which pauses", places[1:]...)
	case !c.Strict:
		l.lacks(d, netconf.AboutQoS, portOf(places), "Q03", Error, of+", whose queue is not strict", places...)
	}
	if d.Dialect == "eos" && c.TC == 7 {
		l.add(d, "Q15", Warning, of+", which the platform has for its own packets, as its queue", places[1:]...)
		l.findings[len(l.findings)-1].Fix = "another class for CNPs, such as 6"
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
		l.findings[len(l.findings)-1].Fix = "a share of the bandwidth for its queue"
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

// strangers warns of DSCPs in the class that pauses beside those of RoCE data: with a design all others, without one those
// that are not of the same class selector (RFC 2474).
func (l *linter) strangers(d *Device, p *netconf.Profile, c *netconf.Class, of string, at func(uint8, string) string) {
	all := p.DSCPs(c.TC)
	data, _, paused := l.data(p)
	if !paused || p.Classify[data] != c.TC || len(all) > 16 {
		return
	}
	cnp := l.cnpDSCP()
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

// apart warns of a usual DSCP of RoCE data that is outside of the class in which another one pauses, where that looks like a
// mistake: all others of its class selector (RFC 2474) are in that class, or a line takes it out that takes no neighbour
// along. Whoever maps DSCPs one by one, all of them, means what he says.
func (l *linter) apart(d *Device, p *netconf.Profile, port *netconf.Interface, ports string, data int) {
	if l.design != nil || l.hosts.DSCP.Line > 0 || l.odd[d] {
		return
	}
	in, here := p.Classify[data], "interface "+port.Name
	for _, v := range roceDSCPs {
		out := p.Classify[v]
		if c := p.Class(out); out == in || c != nil && c.Pause != nil {
			continue
		}
		with, along := 0, false
		for w := v / selector * selector; w < (v/selector+1)*selector; w++ {
			_, told := d.Places[fmt.Sprintf("%s dscp %d", here, w)]
			along = along || told && w != v && p.Classify[w] == out
			if p.Classify[w] == in {
				with++
			}
		}
		place := fmt.Sprintf("%s dscp %d", here, v)
		if _, told := d.Places[place]; 2*with > selector || told && !along {
			l.lossy(d, p, port, fmt.Sprintf("%s: DSCP %d, which hosts use for RoCE data as they use %d, is in traffic class %d, "+
				"which does not pause", ports, v, data, out), place, here+" classify", here)
			l.findings[len(l.findings)-1].DSCP = v
		}
	}
}

// selector is how many DSCPs are of one class selector.
const selector = 8
