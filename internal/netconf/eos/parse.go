package eos

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/located"
	"railyard/internal/netconf"
	"railyard/internal/netconf/lines"
	"railyard/internal/unit"
)

// A setting is what a qos profile says, or an interface beside its profile.
type setting struct {
	pfc    *lines.Line
	noDrop map[uint8]*lines.Line
	queues map[uint8]*queue
	base   *lines.Line // of an interface: its service-profile
}

type queue struct {
	strict bool
	share  int
	ecn    *netconf.ECN
	line   *lines.Line
	marks  *lines.Line
}

func newSetting() *setting {
	return &setting{noDrop: map[uint8]*lines.Line{}, queues: map[uint8]*queue{}}
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
}

// Parse reads the files of a device as one.
func (Dialect) Parse(files []netconf.File) *netconf.Parsed {
	r := &reader{profiles: map[string]*setting{}, ports: map[string]*setting{}, index: map[string]int{},
		routing: routing{vlans: map[int]bool{}}}
	r.Device, r.Places = &netconf.Device{}, map[string]netconf.Place{}
	for d := range r.classify {
		r.classify[d] = defaultClass(d)
	}
	for tc := range r.queueOf {
		r.queueOf[tc] = uint8(tc)
	}
	for _, f := range files {
		r.Problems = append(r.Problems, lines.Read(f.Name, lines.WithoutBanners(f.Text, banner), "!#", top, r)...)
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

// finish makes of profiles what each port does.
func (r *reader) finish() {
	d := r.Device
	if r.said || r.watchdog.On {
		d.QoS = &netconf.QoS{Watchdog: r.watchdog}
	}
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		own := r.ports[i.Name]
		var all []*setting
		if own.base != nil {
			if base := r.profiles[own.base.Args[0]]; base != nil {
				all = append(all, base)
			} else {
				r.Problems = append(r.Problems, located.Problem{File: own.base.File, Line: int(own.base.Number),
					Column: 1, Width: 1,
					Message: fmt.Sprintf("no qos profile %s", located.Shown(own.base.Args[0]))})
			}
		}
		if own.pfc != nil || len(own.noDrop) > 0 || len(own.queues) > 0 {
			all = append(all, own)
		}
		if len(all) == 0 {
			continue
		}
		i.QoS = &netconf.PortQoS{Profile: d.QoS.Use(r.profile(i.Name, all))}
		for _, s := range all {
			if s.pfc != nil {
				i.QoS.PFC = netconf.PFCOn
				r.say(s.pfc, "interface %s pfc", i.Name)
			}
		}
		i.QoS.Watchdog = watched(d.QoS, i.QoS)
	}
	d.Intern()
	d.Sort()
	r.Problems = r.Problems.Sorted()
}

// profile is what settings say together, later ones on top.
func (r *reader) profile(port string, all []*setting) (p netconf.Profile) {
	p.Classify = r.classify
	for tc := range uint8(netconf.Classes) {
		c := netconf.Class{TC: tc, Queue: r.queueOf[tc]}
		for _, s := range all {
			if l := s.noDrop[tc]; l != nil {
				c.Pause = &netconf.Pause{Priority: tc}
				r.say(l, "interface %s tc %d pause", port, tc)
			}
			q := s.queues[c.Queue]
			if q == nil || netconf.QueueTaken(r.queueOf, r.mapped, tc) {
				continue
			}
			c.Strict, c.Share, c.ECN = q.strict, q.share, q.ecn
			r.say(q.line, "interface %s tc %d queue", port, tc)
			if q.marks != nil {
				r.say(q.marks, "interface %s tc %d ecn", port, tc)
			}
		}
		p.Classes = append(p.Classes, c)
	}
	for dscp, l := range r.dscpLines {
		if l != nil {
			r.say(l, "interface %s dscp %d", port, dscp)
			r.say(l, "interface %s tc %d dscp", port, r.classify[dscp])
		}
	}
	p.Tidy()
	return p
}

// portName is a port's in no vendor's words: Ethernet1/24 for Ethernet24.
func portName(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "Ethernet")
	if !ok {
		rest, ok = strings.CutPrefix(name, "Et")
	}
	neutral := "Ethernet1/" + rest
	if _, _, known := netconf.SplitPort(neutral); !ok || !known {
		return "", false
	}
	return neutral, true
}

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
