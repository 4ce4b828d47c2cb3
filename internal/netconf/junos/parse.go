package junos

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/located"
	"railyard/internal/netconf"
	"railyard/internal/netconf/lines"
	"railyard/internal/unit"
)

type (
	rule  = lines.Rule[*reader]
	block = lines.Block[*reader]
	line  = lines.Line
)

type scheduler struct {
	strict bool
	share  int
	drops  *line
	marks  *line
}

type forwarding struct {
	queue    uint8
	pauses   bool
	priority uint8
	line     *line
}

// A port is what an interface refers to.
type port struct {
	classifier, schedulers, notified *line
	first                            *line
}

// A reader is a device as far as its files have been read.
type reader struct {
	netconf.Parsed
	classes     map[string]*forwarding
	order       []string
	classifiers map[string]map[int]*line    // by DSCP: Args[1] is the class
	notifies    map[string]map[int]*line    // by DSCP
	watched     map[string]*line            // by notification profile
	drops       map[string]*netconf.ECN     // by drop profile
	maps        map[string]map[string]*line // by map and class: Args[2] is the scheduler
	schedulers  map[string]*scheduler
	ports       map[string]*port
	split       map[string]int // of the buffer: percent by place
}

// Parse reads the files of a device as one.
func (Dialect) Parse(files []netconf.File) *netconf.Parsed {
	r := &reader{classes: map[string]*forwarding{}, classifiers: map[string]map[int]*line{},
		notifies: map[string]map[int]*line{},
		watched:  map[string]*line{}, drops: map[string]*netconf.ECN{}, maps: map[string]map[string]*line{},
		schedulers: map[string]*scheduler{}, ports: map[string]*port{}, split: map[string]int{}}
	r.Device, r.Places = &netconf.Device{QoS: &netconf.QoS{}}, map[string]netconf.Place{}
	for _, f := range files {
		lines.Read(&r.Parsed, f.Name, f.Text, "#", top, r)
	}
	r.finish()
	return &r.Parsed
}

func (r *reader) say(l *line, format string, args ...any) {
	r.Places[fmt.Sprintf(format, args...)] = netconf.Place{File: l.File, Line: int(l.Number)}
}

func (r *reader) slip(rule string, l *line, text string) {
	r.Slips = append(r.Slips, netconf.Slip{Rule: rule, Place: netconf.Place{File: l.File, Line: int(l.Number)}, Text: text})
}

func (r *reader) late(l *line, format string, args ...any) {
	r.Problems = append(r.Problems, located.Problem{File: l.File, Line: int(l.Number), Column: 1, Width: 1,
		Message: fmt.Sprintf(format, args...)})
}

// codePoints reads 011000 or [ 011000 011010 ].
func codePoints(text string) (all []int, err error) {
	for word := range strings.FieldsSeq(strings.Trim(text, "[] ")) {
		v, err := strconv.ParseUint(word, 2, 6)
		if err != nil || len(word) != 6 {
			return nil, fmt.Errorf("%s: want six bits, such as 011000", located.Shown(word))
		}
		all = append(all, int(v))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: want six bits, such as 011000", located.Shown(text))
	}
	return all, nil
}

// at is the port that Junos calls so.
func (r *reader) at(l *line) (*port, error) {
	name := l.Args[0]
	rest, ok := strings.CutPrefix(name, "et-0/0/")
	first, part, split := strings.Cut(rest, ":")
	n, err1 := strconv.ParseUint(first, 10, 15)
	m, err2 := strconv.ParseUint(part, 10, 8)
	if !ok || err1 != nil || split && err2 != nil {
		return nil, fmt.Errorf("%s: want a port such as et-0/0/0 or et-0/0/0:1", located.Shown(name))
	}
	if split {
		m++
	}
	neutral := netconf.JoinPort(int(n)+1, int(m))
	if r.ports[neutral] == nil {
		r.ports[neutral] = &port{first: l}
		r.Device.Interfaces = append(r.Device.Interfaces, netconf.Interface{Name: neutral})
		r.say(l, "interface %s", neutral)
	}
	return r.ports[neutral], nil
}

// finish makes of profiles what each port does.
func (r *reader) finish() {
	d := r.Device
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		p := r.ports[i.Name]
		i.QoS = &netconf.PortQoS{}
		i.QoS.Profile = d.QoS.Use(r.profile(i, p))
		if p.notified != nil {
			i.QoS.PFC = netconf.PFCOn
			r.say(p.notified, "interface %s pfc", i.Name)
			if l := r.watched[p.notified.Args[1]]; l != nil {
				i.QoS.Watchdog, d.QoS.Watchdog.On = true, true
				r.say(l, "watchdog")
			}
		}
	}
	r.pools()
	d.Intern()
	d.Sort()
	r.Problems = r.Problems.Sorted()
}

func (r *reader) pools() {
	if len(r.split) == 0 {
		return
	}
	p := &r.Device.QoS.Pools
	p.LosslessPart, p.HeadroomPart, p.LossyPart = r.split["ingress lossless"], r.split["ingress lossless-headroom"],
		r.split["ingress lossy"]
	if out, said := r.split["egress lossless"]; said && out != p.LosslessPart {
		r.Slips = append(r.Slips, netconf.Slip{Rule: "Q16", Place: r.Places["buffer"],
			Text: fmt.Sprintf("lossless is %d%% of the buffer at ingress and %d%% at egress: they must match",
				p.LosslessPart, out)})
	}
}

// profile is what a port's classifier, notification profile and schedulers make.
func (r *reader) profile(i *netconf.Interface, of *port) (p netconf.Profile) {
	tcOf := map[string]uint8{}
	for _, name := range r.order {
		c := r.classes[name]
		tc := r.number(name, c.queue)
		tcOf[name] = tc
		p.Classes = append(p.Classes, netconf.Class{TC: tc, Queue: c.queue})
	}
	if of.classifier != nil {
		all, known := r.classifiers[of.classifier.Args[1]]
		if !known {
			r.late(of.classifier, "no classifier %s", located.Shown(of.classifier.Args[1]))
		}
		r.say(of.classifier, "interface %s classify", i.Name)
		for dscp := range p.Classify {
			l := all[dscp]
			if l == nil {
				continue
			}
			tc, known := tcOf[l.Args[1]]
			if !known {
				r.late(l, "no forwarding class %s", located.Shown(l.Args[1]))
			}
			p.Classify[dscp] = tc
			r.say(l, "interface %s dscp %d", i.Name, dscp)
			r.say(l, "interface %s tc %d dscp", i.Name, tc)
		}
	}
	r.schedule(i, of, tcOf, &p)
	for _, name := range r.order {
		if c := r.classes[name]; c.pauses {
			p.Class(tcOf[name]).Pause = &netconf.Pause{Priority: c.priority}
			r.say(c.line, "interface %s tc %d pause", i.Name, tcOf[name])
		}
	}
	r.compare(of, &p)
	p.Tidy()
	return p
}

// number is the traffic class of a forwarding class: that of its name, TC3, or its queue's.
func (r *reader) number(name string, queue uint8) uint8 {
	if v, err := strconv.ParseUint(strings.TrimPrefix(name, "TC"), 10, 3); err == nil && strings.HasPrefix(name, "TC") {
		return uint8(v)
	}
	return queue
}

// compare reports DSCPs of classes that pause and are not in the port's notification profile.
func (r *reader) compare(of *port, p *netconf.Profile) {
	if of.notified == nil {
		return
	}
	all, known := r.notifies[of.notified.Args[1]]
	if !known {
		r.late(of.notified, "no congestion-notification-profile %s", located.Shown(of.notified.Args[1]))
		return
	}
	for dscp, tc := range p.Classify {
		c := p.Class(tc)
		if c != nil && c.Pause != nil && all[dscp] == nil {
			r.late(of.notified, "DSCP %06b is in a class that pauses, and not in congestion-notification-profile %s", dscp,
				located.Shown(of.notified.Args[1]))
		}
	}
}

// schedule reads the port's schedulers.
func (r *reader) schedule(i *netconf.Interface, of *port, tcOf map[string]uint8, p *netconf.Profile) {
	if of.schedulers == nil {
		return
	}
	all, known := r.maps[of.schedulers.Args[1]]
	if !known {
		r.late(of.schedulers, "no scheduler-map %s", located.Shown(of.schedulers.Args[1]))
	}
	for _, name := range r.order {
		l := all[name]
		if l == nil {
			continue
		}
		s := r.schedulers[l.Args[2]]
		if s == nil {
			continue // one that says nothing
		}
		c := p.Class(tcOf[name])
		c.Strict, c.Share = s.strict, s.share
		r.say(l, "interface %s tc %d queue", i.Name, c.TC)
		if s.drops == nil {
			continue
		}
		if e := r.drops[s.drops.Args[1]]; e != nil {
			own := *e
			own.Drops = s.marks == nil
			c.ECN = &own
			r.say(s.drops, "interface %s tc %d ecn", i.Name, c.TC)
		} else {
			r.late(s.drops, "no drop-profile %s", located.Shown(s.drops.Args[1]))
		}
	}
}

// gap reads an inactivity interval in microseconds.
func gap(r *reader, l *line) error {
	v, err := l.Int(0, 16, 32_000)
	r.Device.Balance = &netconf.Balance{Method: "dlb", Unit: "flowlet", Gap: unit.Duration(v) * unit.Microsecond}
	r.say(l, "balance")
	return err
}
