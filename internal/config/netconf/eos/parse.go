package eos

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// A setting is what a qos profile says, or an interface beside its profile.
type setting struct {
	name      string // of a profile
	line      *lines.Line
	used      bool
	pfc       *lines.Line
	noPFC     *lines.Line
	unwatched *lines.Line
	noDrop    map[uint8]*lines.Line
	drop      map[uint8]*lines.Line
	queues    map[uint8]*queue
	base      *lines.Line // of an interface: its service-profile
	trust     string      // dscp, cos, none; "": nothing is said
	trustLine *lines.Line
	switched  bool // of an interface: it says so
}

// A queue is what a block says of one. What is nil is not said.
type queue struct {
	strict   *bool
	share    int
	ecn      *netconf.ECN
	line     *lines.Line
	marks    *lines.Line
	unmarked *lines.Line
}

func newSetting() *setting {
	return &setting{noDrop: map[uint8]*lines.Line{}, drop: map[uint8]*lines.Line{}, queues: map[uint8]*queue{}}
}

// says reports whether there is anything of quality of service in it.
func (s *setting) says() bool {
	return s.pfc != nil || s.noPFC != nil || len(s.noDrop) > 0 || len(s.queues) > 0 || s.trust != ""
}

// A reader is a device as far as its files have been read.
type reader struct {
	netconf.Parsed
	classify  [netconf.CodePoints]uint8
	dscpLines [netconf.CodePoints]*lines.Line
	queueOf   [netconf.Classes]uint8
	mapped    [netconf.Classes]bool // by traffic class: its queue is said
	profiles  map[string]*setting
	ports     map[string]*setting
	index     map[string]int // of an interface
	watchdog  netconf.Watchdog
	at        *setting // the block that is read
	port      *netconf.Interface
	queue     *queue
	routing   routing
	channels  []*channel // in order
	channel   *channel   // the block that is read
	said      bool       // anything of quality of service
	order     []*setting // profiles
	allOff    *lines.Line

	routedByDefault bool // switchport default mode routed
	someRouted      bool // a port says that it is
}

// Parse reads the files of a device as one.
func (Dialect) Parse(files []netconf.File) *netconf.Parsed {
	r := &reader{profiles: map[string]*setting{}, ports: map[string]*setting{}, index: map[string]int{},
		routing: routing{vlans: map[int]bool{}}}
	r.Device, r.Places, r.Names = &netconf.Device{}, map[string]netconf.Place{}, map[string]string{}
	r.Defaults, r.Untrusted = defaults, map[string]string{}
	for d := range r.classify {
		r.classify[d] = defaultClass(d)
	}
	for tc := range r.queueOf {
		r.queueOf[tc] = uint8(tc)
	}
	for _, f := range files {
		lines.Read(&r.Parsed, f.Name, lines.WithoutBanners(f.Text, banner), "!#", top, r)
	}
	r.finish()
	r.finishRouting()
	r.Device.Sort()
	r.Problems = r.Problems.Sorted()
	return &r.Parsed
}

// banner finds the text of banner motd, up to a line with EOF.
func banner(line []byte) (from int, end string) {
	switch strings.Join(strings.Fields(string(line)), " ") {
	case "banner login", "banner motd":
		return len(line), "\nEOF"
	case "comment": // of a block, as far in as it is
		return len(line), "\n" + string(line[:bytes.Index(line, []byte("comment"))]) + "EOF"
	}
	return 0, ""
}

// defaultClass is the map of DSCPs that a switch has from the start: by eights, the first two the
// other way round.
func defaultClass(dscp int) uint8 {
	switch of := uint8(dscp / 8); of {
	case 0, 1:
		return 1 - of
	default:
		return of
	}
}

func (r *reader) say(l *lines.Line, format string, args ...any) {
	r.Places[fmt.Sprintf(format, args...)] = netconf.Place{File: l.File, Line: int(l.Number)}
}

func (r *reader) slip(rule string, l *lines.Line, text string) error {
	r.Slips = append(r.Slips, netconf.Slip{Rule: rule, Place: netconf.Place{File: l.File, Line: int(l.Number)}, Text: text})
	return nil
}

// PortName is that of the port whose block is read.
func (r *reader) PortName() string { return r.port.Name }

// finish makes of profiles what each port does.
func (r *reader) finish() {
	d := r.Device
	if r.said || r.watchdog.On {
		d.QoS = &netconf.QoS{Watchdog: r.watchdog}
	}
	r.someRouted = slices.ContainsFunc(d.Interfaces, func(i netconf.Interface) bool {
		return i.Kind == netconf.Physical && isRouted(&i)
	})
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		if i.Routed && len(i.Addresses) > 0 {
			i.Routed = false // its address says so
		}
		all := r.settings(i)
		if len(all) == 0 || i.Kind != netconf.Physical {
			continue
		}
		i.QoS = &netconf.PortQoS{Profile: d.QoS.Use(r.profile(i, all))}
		watched := true
		for _, s := range all {
			if s.pfc != nil {
				i.QoS.PFC = netconf.PFCOn
				r.say(s.pfc, "interface %s pfc", i.Name)
			}
			if s.noPFC != nil {
				i.QoS.PFC = netconf.PFCOff
				r.say(s.noPFC, "interface %s pfc", i.Name)
			}
			if s.unwatched != nil {
				watched = false
				r.say(s.unwatched, "interface %s watchdog", i.Name)
			}
		}
		if r.allOff != nil {
			i.QoS.PFC = netconf.PFCOff
			r.say(r.allOff, "interface %s pfc", i.Name)
		}
		i.QoS.Watchdog = watched && isWatched(d.QoS, i.QoS)
	}
	for _, s := range r.order {
		if !s.used {
			r.Loose = append(r.Loose, netconf.Loose{Place: netconf.Place{File: s.line.File, Line: int(s.line.Number)},
				Text: "qos profile " + s.name, QoS: true})
		}
	}
	d.Intern()
	d.Sort()
	r.Problems = r.Problems.Sorted()
}

// settings are those that hold at an interface, later ones on top: of its port channel, then its own.
func (r *reader) settings(i *netconf.Interface) (all []*setting) {
	add := func(name string) {
		own := r.ports[name]
		if own == nil {
			return
		}
		if own.base != nil {
			if base := r.profiles[own.base.Args[0]]; base != nil {
				base.used = true
				all = append(all, base)
			} else {
				r.NoSuch(netconf.AboutQoS, len(r.profiles) > 0, netconf.Place{File: own.base.File, Line: int(own.base.Number)},
					"no qos profile %s", located.Shown(own.base.Args[0]))
			}
		}
		if own.says() {
			all = append(all, own)
		}
	}
	if i.Kind == netconf.Physical && i.Channel > 0 {
		add(fmt.Sprintf("Port-Channel%d", i.Channel))
	}
	add(i.Name)
	return all
}

// switched reports whether a port is no routed one: it says so, or it says nothing where others say no switchport.
func (r *reader) switched(i *netconf.Interface) bool {
	switch {
	case isRouted(i):
		return false
	case r.ports[i.Name].switched:
		return true
	}
	return i.Channel == 0 && r.someRouted && !r.routedByDefault
}

func isRouted(i *netconf.Interface) bool { return i.Routed || len(i.Addresses) > 0 }

// profile is what settings say together, later ones on top: what a queue's block does not say, a lower one may.
func (r *reader) profile(i *netconf.Interface, all []*setting) (p netconf.Profile) {
	port := i.Name
	p.Classify = r.classify
	trust, at := "", (*lines.Line)(nil)
	for _, s := range all {
		if s.trust != "" {
			trust, at = s.trust, s.trustLine
		}
	}
	why := map[string]string{"cos": "qos trust cos", "none": "no qos trust"}[trust]
	if trust == "" && r.switched(i) { // EOS user manual: switched ports trust CoS, routed ones DSCP
		trust, at, why = "cos", r.ports[port].line, "a switched port trusts CoS where no qos trust dscp is said"
	}
	if trust == "cos" || trust == "none" {
		r.Untrusted[port] = why
		for d := range p.Classify {
			p.Classify[d] = classOfCoS0
		}
		r.say(at, "interface %s classify", port)
	}
	for tc := range uint8(netconf.Classes) {
		c := netconf.Class{TC: tc, Queue: r.queueOf[tc]}
		for _, s := range all {
			if l := s.drop[tc]; l != nil {
				c.Pause = nil
				r.say(l, "interface %s tc %d pause", port, tc)
			}
			if l := s.noDrop[tc]; l != nil {
				c.Pause = &netconf.Pause{Priority: tc}
				r.say(l, "interface %s tc %d pause", port, tc)
			}
			q := s.queues[c.Queue]
			if q == nil || netconf.QueueTaken(r.queueOf, r.mapped, tc) {
				continue
			}
			r.queued(&c, q, port)
		}
		p.Classes = append(p.Classes, c)
	}
	for dscp, l := range r.dscpLines {
		if l != nil && (trust == "" || trust == "dscp") {
			r.say(l, "interface %s dscp %d", port, dscp)
			r.say(l, "interface %s tc %d dscp", port, r.classify[dscp])
		}
	}
	p.Tidy()
	return p
}

// classOfCoS0 is the traffic class of packets without a tag, which have CoS 0: EOS user manual, "Default CoS to traffic
// class map".
const classOfCoS0 = 1

// queued adds what a queue's block says to a class.
func (r *reader) queued(c *netconf.Class, q *queue, port string) {
	if q.strict != nil {
		c.Strict = *q.strict
	}
	if q.share > 0 {
		c.Share = q.share
	}
	if c.Strict {
		c.Share = 0
	}
	if q.strict != nil || q.share > 0 {
		r.say(q.line, "interface %s tc %d queue", port, c.TC)
	} else if _, known := r.Places[fmt.Sprintf("interface %s tc %d queue", port, c.TC)]; !known {
		r.say(q.line, "interface %s tc %d queue", port, c.TC)
	}
	switch {
	case q.unmarked != nil:
		c.ECN = nil
		r.say(q.unmarked, "interface %s tc %d ecn", port, c.TC)
	case q.ecn != nil:
		c.ECN = q.ecn
		r.say(q.marks, "interface %s tc %d ecn", port, c.TC)
	}
}

// portName is a port's in no vendor's words: Ethernet1/24 for Ethernet24.
func portName(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "Ethernet")
	if !ok {
		rest, ok = strings.CutPrefix(name, "Et")
	}
	neutral := "Ethernet1/" + rest
	if _, _, known := netconf.SplitPort(neutral); ok && known {
		return neutral, true
	}
	return "Ethernet" + rest, ok && modular.MatchString(rest) // of a chassis: none of this model's names
}

var modular = regexp.MustCompile(`^[1-9][0-9]?(/[0-9]{1,3}){1,2}$`)

// duration reads seconds with a point.
func duration(l *lines.Line, arg int, least, most unit.Duration) (unit.Duration, error) {
	text := l.Args[arg]
	whole, part, _ := strings.Cut(text, ".")
	v, err := strconv.ParseUint(whole+(part + "000000")[:6], 10, 40)
	d := unit.Duration(v) * unit.Microsecond
	if err != nil || len(part) > 6 || d < least || d > most {
		return 0, fmt.Errorf("%s: want seconds from %s to %s", located.Shown(text), seconds(least), seconds(most))
	}
	return d, nil
}
