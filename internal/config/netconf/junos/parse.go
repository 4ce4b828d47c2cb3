package junos

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
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

// A forwarding class is what several statements say together, in any order.
type forwarding struct {
	queue    uint8
	numbered bool // queue is said
	pauses   bool
	priority uint8 // of its pauses, where said is set; else they have the queue's number
	said     bool
	line     *line // that says that it pauses, else its first
}

// pause is the priority of its pauses.
func (c *forwarding) pause() uint8 {
	if c.said {
		return c.priority
	}
	return c.queue // the priority of its code points
}

// A port is what an interface refers to.
type port struct {
	classifier, schedulers, notified *line
	first                            *line
}

// A reader is a device as far as its files have been read.
type reader struct {
	index map[string]int // of an interface
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
	said        bool            // anything of quality of service of ports
	split       map[string]int  // of the buffer: percent by place
	multicast   map[string]bool // forwarding classes whose queue is of multicast
	wild        []wild
	vlans       map[string]int     // by name
	irb         *framed            // of all gateways; nil: it is not said
	inet        map[string]*framed // of IP packets of an interface
	members     map[string]*line   // the VLAN that a port is in, by its name
	groups      map[string]*group
	order2      []*session
	localAS     uint32
	wholeBGP    bool // what it exports is a policy's
}

// wild is a line of quality of service for interfaces of several names: et-*.
type wild struct {
	pattern string
	set     func(*port)
}

// Parse reads the files of a device as one.
func (Dialect) Parse(files []netconf.File) *netconf.Parsed {
	r := &reader{index: map[string]int{}, classes: map[string]*forwarding{}, classifiers: map[string]map[int]*line{},
		notifies: map[string]map[int]*line{},
		watched:  map[string]*line{}, drops: map[string]*netconf.ECN{}, maps: map[string]map[string]*line{},
		schedulers: map[string]*scheduler{}, ports: map[string]*port{}, split: map[string]int{},
		multicast: map[string]bool{}}
	r.Device, r.Places, r.Names = &netconf.Device{QoS: &netconf.QoS{}}, map[string]netconf.Place{}, map[string]string{}
	r.vlans, r.members, r.groups, r.Defaults = map[string]int{}, map[string]*line{}, map[string]*group{}, defaults
	r.inet = map[string]*framed{}
	for _, f := range files {
		text, over := lines.Bounded(f.Name, f.Text)
		r.Problems = append(r.Problems, over...)
		all, passed := statements(text)
		r.Lines.Known += passed
		texts := make([]lines.Text, len(all))
		for i, x := range all {
			texts[i] = lines.Text{Number: x.line, Text: x.text}
		}
		lines.Play(&r.Parsed, f.Name, texts, "#", top, r)
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

// noSuch reports a name that nothing has.
func (r *reader) noSuch(l *line, others bool, format string, args ...any) {
	r.NoSuch(netconf.AboutQoS, others, netconf.Place{File: l.File, Line: int(l.Number)}, format, args...)
}

// stock are the forwarding classes that are there from the start, and their queues: Traffic Management User Guide (QFX).
var stock = map[string]uint8{"best-effort": 0, "network-control": 7, "fcoe": 3, "no-loss": 4}

// aliases are code points that have names (RFC 2474, RFC 2597, RFC 3246).
var aliases = map[string]int{"be": 0, "cs1": 8, "cs2": 16, "cs3": 24, "cs4": 32, "cs5": 40, "cs6": 48, "cs7": 56,
	"nc1": 48, "nc2": 56, "ef": 46,
	"af11": 10, "af12": 12, "af13": 14, "af21": 18, "af22": 20, "af23": 22, "af31": 26, "af32": 28, "af33": 30,
	"af41": 34, "af42": 36, "af43": 38}

// codePoints reads 011000 or [ 011000 011010 ].
func codePoints(text string) (all []int, err error) {
	for word := range strings.FieldsSeq(strings.Trim(text, "[] ")) {
		if v, named := aliases[word]; named {
			all = append(all, v)
			continue
		}
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

// interfaceNamed is an interface by Junos's name; false: it is none of the model.
func interfaceNamed(name string) (netconf.Interface, bool) {
	base, _, _ := strings.Cut(name, ".")
	switch {
	case base == "lo0":
		return netconf.Interface{Name: "Loopback0", Kind: netconf.Loopback}, true
	case strings.HasPrefix(base, "ae"):
		n, ok := number(base[2:])
		return netconf.Interface{Name: "ae" + itoa(n), Kind: netconf.Bundle}, ok
	}
	kind, rest, ok := strings.Cut(base, "-")
	if !ok || !slices.Contains([]string{"et", "xe", "ge", "mge"}, kind) {
		return netconf.Interface{}, false
	}
	place := strings.Split(rest, "/")
	if len(place) != 3 {
		return netconf.Interface{}, false
	}
	first, part, split := strings.Cut(place[2], ":")
	n, ok1 := number(first)
	m, ok2 := number(part)
	_, ok3 := number(place[0])
	_, ok4 := number(place[1])
	if !ok1 || split && (!ok2 || m > 255) || !ok3 || !ok4 {
		return netconf.Interface{}, false
	}
	if place[0] != "0" || place[1] != "0" {
		return netconf.Interface{Name: base}, true // of a chassis
	}
	if split {
		m++
	}
	return netconf.Interface{Name: netconf.JoinPort(n+1, m)}, true
}

// at is the port that Junos calls so.
func (r *reader) at(l *line) (*port, error) {
	i, ok := interfaceNamed(l.Args[0])
	if !ok || i.Kind == netconf.Loopback {
		return nil, fmt.Errorf("%s: want a port such as et-0/0/0 or et-0/0/0:1", located.Shown(l.Args[0]))
	}
	r.interfaceOf(l, i)
	if r.ports[i.Name] == nil {
		r.ports[i.Name] = &port{first: l}
	}
	return r.ports[i.Name], nil
}

// interfaceOf returns an interface, made where it is not there.
func (r *reader) interfaceOf(l *line, i netconf.Interface) *netconf.Interface {
	if at, known := r.index[i.Name]; known {
		return &r.Device.Interfaces[at]
	}
	r.index[i.Name] = len(r.Device.Interfaces)
	r.Device.Interfaces = append(r.Device.Interfaces, i)
	r.say(l, "interface %s", i.Name)
	if base, _, _ := strings.Cut(l.Args[0], "."); i.Kind == netconf.Physical && base != i.Name {
		r.Names[i.Name] = base
	}
	return &r.Device.Interfaces[len(r.Device.Interfaces)-1]
}

// each gives a line of quality of service to a port, or to all of a name with *, which are known at the end.
func (r *reader) each(l *line, set func(*port)) error {
	r.said = true
	if strings.ContainsAny(l.Args[0], "*<>[?") {
		r.wild = append(r.wild, wild{strings.Trim(l.Args[0], "<>"), set})
		return nil
	}
	p, err := r.at(l)
	if err == nil {
		set(p)
	}
	return err
}

// spread gives ports what is said of names with *. Where no port is known that they are of, the name stands for some.
func (r *reader) spread() {
	for _, w := range r.wild {
		found := false
		for i := range r.Device.Interfaces {
			here := &r.Device.Interfaces[i]
			if ok, _ := path.Match(strings.ReplaceAll(w.pattern, "/", ","),
				strings.ReplaceAll(r.Native(here.Name), "/", ",")); !ok ||
				here.Kind != netconf.Physical || here.Channel != 0 {
				continue
			}
			found = true
			if r.ports[here.Name] == nil {
				r.ports[here.Name] = &port{}
			}
			w.set(r.ports[here.Name])
		}
		if !found {
			if r.Device.Port(w.pattern) == nil {
				r.index[w.pattern] = len(r.Device.Interfaces)
				r.Device.Interfaces = append(r.Device.Interfaces, netconf.Interface{Name: w.pattern})
				r.ports[w.pattern] = &port{}
			}
			if p := r.ports[w.pattern]; p != nil {
				w.set(p)
			}
		}
	}
}

// finish makes of profiles what each port does.
func (r *reader) finish() {
	d := r.Device
	r.finishClasses()
	r.finishPorts()
	r.finishFrames()
	r.spread()
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		p := r.ports[i.Name]
		if i.Channel > 0 && p == nil {
			p = r.ports["ae"+itoa(i.Channel-1)]
		}
		if i.Kind != netconf.Physical || p == nil && !r.said {
			continue
		}
		if p == nil {
			p = &port{}
		}
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
	r.loose()
	r.finishRouting()
	d.Interfaces = netconf.Without(d.Interfaces, func(i netconf.Interface) bool {
		return i.Kind == netconf.Bundle && len(i.Addresses) == 0
	})
	d.Intern()
	d.Sort()
	r.Problems = r.Problems.Sorted()
}

// finishClasses leaves out the forwarding classes of which nothing says which queue they have.
func (r *reader) finishClasses() {
	named, some := r.order, slices.ContainsFunc(r.order, func(name string) bool { return r.classes[name].numbered })
	r.order = nil
	for _, name := range named {
		c := r.classes[name]
		queue, there := stock[name]
		if there && !c.numbered {
			c.queue = queue
		}
		switch {
		case c.numbered || there:
			r.order = append(r.order, name)
			continue
		case r.multicast[name]:
			r.noSuch(c.line, true, "no queue of unicast of forwarding class %s: nothing of it is paused", located.Shown(name))
		default:
			r.noSuch(c.line, some, "no queue-num of forwarding class %s", located.Shown(name))
		}
		delete(r.classes, name)
	}
}

// loose notes classifiers, scheduler maps and notification profiles that no interface names.
func (r *reader) loose() {
	used := map[string]bool{}
	for _, p := range r.ports { // of each its own: order does not matter
		for kind, l := range map[string]*line{"classifier": p.classifier, "scheduler-map": p.schedulers,
			"congestion-notification-profile": p.notified} {
			if l != nil {
				used[kind+" "+l.Args[1]] = true
			}
		}
	}
	note := func(kind, name string, lines []*line) {
		if used[kind+" "+name] || len(lines) == 0 {
			return
		}
		first := slices.MinFunc(lines, func(a, b *line) int { return int(a.Number - b.Number) })
		r.Loose = append(r.Loose, netconf.Loose{Place: netconf.Place{File: first.File, Line: int(first.Number)},
			Text: kind + " " + name, QoS: true})
	}
	for _, name := range slices.Sorted(maps.Keys(r.classifiers)) {
		note("classifier", name, slices.Collect(maps.Values(r.classifiers[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(r.maps)) {
		note("scheduler-map", name, slices.Collect(maps.Values(r.maps[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(r.notifies)) {
		note("congestion-notification-profile", name, slices.Collect(maps.Values(r.notifies[name])))
	}
}

func (r *reader) pools() {
	if len(r.split) == 0 {
		return
	}
	p := &r.Device.QoS.Pools
	p.LosslessPart, p.HeadroomPart, p.LossyPart = r.split["ingress lossless"], r.split["ingress lossless-headroom"],
		r.split["ingress lossy"]
	_, in := r.split["ingress lossless"]
	if out, said := r.split["egress lossless"]; said && out != p.LosslessPart && (in || !r.Hides(netconf.AboutQoS, "")) {
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
		if p.Class(tc) == nil { // several classes may have one queue
			p.Classes = append(p.Classes, netconf.Class{TC: tc, Queue: c.queue})
		}
	}
	for name, queue := range stock {
		if _, own := tcOf[name]; !own {
			tcOf[name] = queue // Tidy adds it where a DSCP is in it
		}
	}
	if of.classifier != nil {
		all, known := r.classifiers[of.classifier.Args[1]]
		if !known && of.classifier.Args[1] != "default" {
			r.noSuch(of.classifier, len(r.classifiers) > 0, "no classifier %s", located.Shown(of.classifier.Args[1]))
		}
		r.say(of.classifier, "interface %s classify", i.Name)
		for dscp := range p.Classify {
			l := all[dscp]
			if l == nil {
				continue
			}
			tc, known := tcOf[l.Args[1]]
			if !known && !r.multicast[l.Args[1]] {
				r.noSuch(l, len(r.classes) > 0, "no forwarding class %s", located.Shown(l.Args[1]))
			}
			p.Classify[dscp] = tc
			r.say(l, "interface %s dscp %d", i.Name, dscp)
			r.say(l, "interface %s tc %d dscp", i.Name, tc)
		}
	}
	r.schedule(i, of, tcOf, &p)
	for _, name := range r.order {
		if c := r.classes[name]; c.pauses && p.Class(tcOf[name]) != nil {
			p.Class(tcOf[name]).Pause = &netconf.Pause{Priority: c.pause()}
			r.say(c.line, "interface %s tc %d pause", i.Name, tcOf[name])
		}
	}
	r.compare(of, &p)
	p.Tidy()
	return p
}

// number is the traffic class of a forwarding class: that of its name, TC3, or its queue's.
func (r *reader) number(name string, queue uint8) uint8 {
	if v, err := strconv.ParseUint(strings.TrimPrefix(name, "TC"), 10, 3); err == nil && strings.HasPrefix(name,
		"TC") {
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
		r.noSuch(of.notified, len(r.notifies) > 0, "no congestion-notification-profile %s",
			located.Shown(of.notified.Args[1]))
		return
	}
	for dscp, tc := range p.Classify {
		c := p.Class(tc)
		if c != nil && c.Pause != nil && all[dscp] == nil {
			r.Missing(netconf.AboutQoS, netconf.Place{File: of.notified.File, Line: int(of.notified.Number)}, "",
				"DSCP %06b is in a class that pauses, and not in congestion-notification-profile %s", dscp,
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
		r.noSuch(of.schedulers, len(r.maps) > 0, "no scheduler-map %s", located.Shown(of.schedulers.Args[1]))
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
		if c == nil {
			continue
		}
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
			r.noSuch(s.drops, len(r.drops) > 0, "no drop-profile %s", located.Shown(s.drops.Args[1]))
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
