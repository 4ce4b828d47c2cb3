package nvue

import (
	"fmt"
	"maps"
	"regexp"
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

// A curve is what a congestion-control profile says of a traffic class.
type curve struct {
	netconf.ECN
	off bool
	// turned is the line that turns it on or off.
	turned *line
	line   *line
}

// A mapping is a profile that puts DSCPs into switch priorities.
type mapping struct {
	sp        [netconf.CodePoints]uint8
	said      [netconf.CodePoints]*line
	untrusted *line // packets are not sorted by DSCP
}

// A pfc is a profile of priorities that pause.
type pfc struct {
	priorities map[uint8]*line
	quiet      bool // it sends no pauses
	line       *line
}

// A scheduled is what an egress-scheduler profile says of a traffic class.
type scheduled struct {
	strict bool
	share  int
	line   *line
}

// A reader is a device as far as its files have been read.
type reader struct {
	index map[string]int // of an interface
	netconf.Parsed
	roce       *line
	mode       string
	maps       map[string]*mapping
	queueOf    map[string]map[uint8]uint8 // by profile and switch priority
	pfcs       map[string]*pfc
	curves     map[string]map[uint8]*curve // by profile and traffic class
	schedulers map[string]map[uint8]*scheduled
	uses       map[string]map[string]*line // by kind of profile and port
	watchOf    map[string]*line
	cable      unit.Length
	poll       unit.Duration
	robustness int
	said       bool
	peers      map[string]*peer
	order      []*peer
	bonds      map[string]int
}

// prompts are those of a shell before commands, as guides print them.
var prompts = regexp.MustCompile(`(?m)^[a-z][-\w]*@[-\w.]+:[^\s$#]*[$#] *(nv (?:set|unset|config) )`)

// Parse reads the files of a device as one: commands, or what nv config show prints.
func (Dialect) Parse(files []netconf.File) *netconf.Parsed {
	r := &reader{index: map[string]int{}, maps: map[string]*mapping{}, queueOf: map[string]map[uint8]uint8{}, pfcs: map[string]*pfc{},
		curves: map[string]map[uint8]*curve{}, schedulers: map[string]map[uint8]*scheduled{},
		uses: map[string]map[string]*line{}, watchOf: map[string]*line{}, peers: map[string]*peer{}, bonds: map[string]int{},
		poll: ownPoll, robustness: ownLooks}
	r.Device, r.Places, r.Names = &netconf.Device{QoS: &netconf.QoS{}}, map[string]netconf.Place{}, map[string]string{}
	r.Defaults = defaults
	for _, f := range files {
		text := f.Text
		if isYAML(text) {
			text = commands(text)
		}
		text = prompts.ReplaceAll(text, []byte("$1"))
		lines.Read(&r.Parsed, f.Name, text, "#", top, r)
	}
	r.finish()
	r.finishRouting()
	r.Device.Sort()
	r.Problems = r.Problems.Sorted()
	return &r.Parsed
}

func (r *reader) say(l *line, format string, args ...any) {
	r.Places[fmt.Sprintf(format, args...)] = netconf.Place{File: l.File, Line: int(l.Number)}
}

// on reports whether the words after an attribute turn it on: enable on, state enabled, enabled, or nothing.
func on(words []string) (yes, ok bool) {
	switch strings.Join(words, " ") {
	case "", "enable", "enabled", "on", "enable on", "state enabled", "state enable", "state on", "state up", "{}":
		return true, true
	case "disable", "disabled", "off", "enable off", "state disabled", "state off", "state disable":
		return false, true
	}
	return false, false
}

// whole reads a number of a command.
func whole(text string, least, most int) (int, error) {
	v, err := strconv.Atoi(text)
	if err != nil || v < least || v > most {
		return 0, fmt.Errorf("%s: want a number from %d to %d", located.Shown(text), least, most)
	}
	return v, nil
}

// list reads 3, 0,3 and 0-2.
func list(text string, most int) (all []uint8, err error) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		a, err1 := strconv.Atoi(first)
		b, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || b < a || b > most {
			return nil, fmt.Errorf("%s: want numbers from 0 to %d", located.Shown(text), most)
		}
		for v := a; v <= b; v++ {
			all = append(all, uint8(v))
		}
	}
	return all, nil
}

// expand lists the interfaces of swp1-4,swp7s0-1,bond2.
func expand(text string) (all []string, err error) {
	before := ""
	for part := range strings.SplitSeq(text, ",") {
		if strings.Trim(part, "0123456789-") == "" {
			part = before + part
		}
		first, last, ranged := strings.Cut(part, "-")
		stem := strings.TrimRight(first, "0123456789")
		before = stem
		if !ranged {
			all = append(all, part)
			continue
		}
		low, err1 := strconv.Atoi(first[len(stem):])
		high, err2 := strconv.Atoi(strings.TrimPrefix(last, stem))
		if err1 != nil || err2 != nil || high < low || high-low > 1024 || len(all) > 4096 {
			if err1 != nil { // a name with a dash
				all = append(all, part)
				continue
			}
			return nil, fmt.Errorf("%s: want interfaces such as swp1-4", located.Shown(part))
		}
		for n := low; n <= high; n++ {
			all = append(all, stem+strconv.Itoa(n))
		}
	}
	return all, nil
}

// named is the interface that NVUE calls so; false: it is of no matter here.
func named(name string) (netconf.Interface, bool) {
	if name == "lo" {
		return netconf.Interface{Name: "Loopback0", Kind: netconf.Loopback}, true
	}
	if id, ok := strings.CutPrefix(name, "vlan"); ok {
		n, err := strconv.Atoi(id)
		return netconf.Interface{Name: "Vlan" + id, Kind: netconf.SVI, VLAN: n}, err == nil && n > 0 && n < 4095 &&
			strconv.Itoa(n) == id
	}
	rest, ok := strings.CutPrefix(name, "swp")
	if !ok {
		return netconf.Interface{}, false
	}
	first, part, split := strings.Cut(rest, "s")
	number, err1 := strconv.ParseUint(first, 10, 15)
	n, err2 := strconv.ParseUint(part, 10, 8)
	if !split {
		err2 = nil
	}
	if err1 != nil || err2 != nil || number == 0 {
		return netconf.Interface{}, false
	}
	if split {
		n++
	}
	return netconf.Interface{Name: netconf.JoinPort(int(number), int(n))}, true
}

// ports visits the interfaces of a list that have a place in the model.
func (r *reader) ports(l *line, visit func(*netconf.Interface) error) error {
	all, err := expand(l.Args[0])
	if err != nil {
		return err
	}
	for _, text := range all {
		i, ok := named(text)
		switch {
		case !ok && strings.HasPrefix(text, "swp") && !strings.Contains(text, "."):
			return fmt.Errorf("%s: want a port such as swp1 or swp1s0", located.Shown(text))
		case !ok:
			continue // of management, a bond
		}
		at, known := r.index[i.Name]
		if !known {
			at = len(r.Device.Interfaces)
			r.index[i.Name] = at
			r.Device.Interfaces = append(r.Device.Interfaces, i)
			r.say(l, "interface %s", i.Name)
			if i.Name != text {
				r.Names[i.Name] = text
			}
		}
		if err := visit(&r.Device.Interfaces[at]); err != nil {
			return err
		}
	}
	return nil
}

// finish makes of profiles what each port does.
func (r *reader) finish() {
	d := r.Device
	for k := range d.Interfaces {
		i := &d.Interfaces[k]
		if !r.said {
			break
		}
		if i.Kind != netconf.Physical {
			continue
		}
		p, pauses := r.profile(i)
		i.QoS = &netconf.PortQoS{Profile: d.QoS.Use(p), Cable: r.cable}
		if pauses != nil {
			i.QoS.PFC = netconf.PFCOn
			r.say(pauses, "interface %s pfc", i.Name)
		}
		if l := r.watchOf[i.Name]; l != nil {
			i.QoS.Watchdog = true
			d.QoS.Watchdog = netconf.Watchdog{On: true, Poll: r.poll, Detect: r.poll * unit.Duration(r.robustness)}
			r.say(l, "interface %s watchdog", i.Name)
		}
	}
	r.loose()
	d.Intern()
}

// loose notes profiles that no port names: default-global is all ports'.
func (r *reader) loose() {
	used := map[string]bool{}
	for kind, of := range r.uses { // of each its own: order does not matter
		for _, l := range of {
			used[kind+" "+l.Args[len(l.Args)-1]] = true
		}
	}
	note := func(kind, name string, at *line) {
		if at != nil && name != "default-global" && !used[kind+" "+name] {
			r.Loose = append(r.Loose, netconf.Loose{Place: netconf.Place{File: at.File, Line: int(at.Number)},
				Text: kind + " profile " + name, QoS: true})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.pfcs)) {
		note("pfc", name, r.pfcs[name].line)
	}
	for _, name := range slices.Sorted(maps.Keys(r.curves)) {
		for tc := range uint8(netconf.Classes) {
			if c := r.curves[name][tc]; c != nil {
				note("congestion-control", name, c.line)
				break
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.maps)) {
		i := slices.IndexFunc(r.maps[name].said[:], func(l *line) bool { return l != nil })
		if i >= 0 {
			note("mapping", name, r.maps[name].said[i])
		}
	}
}

// used is the profile of a kind that holds at a port, and its name: default-global, unless the port names one.
func (r *reader) used(kind, port string) (name string, at *line) {
	if l := r.uses[kind][port]; l != nil {
		return l.Args[len(l.Args)-1], l
	}
	return "default-global", nil
}

func (r *reader) noProfile(at *line, others bool, kind, name string) {
	r.NoSuch(netconf.AboutQoS, others, netconf.Place{File: at.File, Line: int(at.Number)}, "no %s profile %s",
		kind, located.Shown(name))
}

// profile is how a port treats classes, as roce makes them or, without it, with nothing that pauses and marks of class 0
// alone; then what profiles say. It returns the line by which it pauses; nil: none.
func (r *reader) profile(i *netconf.Interface) (p netconf.Profile, pauses *line) {
	if r.roce == nil {
		p = netconf.Profile{Classes: []netconf.Class{{ECN: &netconf.ECN{Min: 150_000, Max: 1_500_000, Probability: 100}}}}
	} else {
		p = roce(r.mode)
		if c := p.Class(dataClass); c != nil && c.Pause != nil {
			pauses = r.roce
			r.say(r.roce, "interface %s tc %d pause", i.Name, dataClass)
		}
	}
	r.classify(i, &p)
	class := func(tc uint8) *netconf.Class {
		at := slices.IndexFunc(p.Classes, func(o netconf.Class) bool { return o.TC == tc })
		if at < 0 {
			at = len(p.Classes)
			p.Classes = append(p.Classes, netconf.Class{TC: tc, Queue: tc})
		}
		return &p.Classes[at]
	}
	name, at := r.used("egress-queue-mapping", i.Name)
	for sp, tc := range r.queueOf[name] {
		class(sp).Queue = tc // of each its own: order does not matter
	}
	if at != nil && r.queueOf[name] == nil {
		r.noProfile(at, len(r.queueOf) > 0, "egress-queue-mapping", name)
	}
	if l := r.pausing(i, class); l != nil {
		pauses = l
	}
	r.schedule(i, &p)
	name, at = r.used("congestion-control", i.Name)
	if at != nil && r.curves[name] == nil {
		r.noProfile(at, len(r.curves) > 0, "congestion-control", name)
	}
	for tc := range uint8(netconf.Classes) {
		c := r.curves[name][tc]
		if c == nil {
			continue
		}
		at := slices.IndexFunc(p.Classes, func(o netconf.Class) bool { return o.Queue == tc })
		of := class(tc)
		if at >= 0 {
			of = &p.Classes[at]
		}
		of.ECN = nil
		if !c.off && c.Max > 0 {
			e := c.ECN
			of.ECN = &e
		}
		from := c.line
		if c.off {
			from = c.turned
		}
		r.say(from, "interface %s tc %d ecn", i.Name, of.TC)
	}
	p.Tidy()
	return p, pauses
}

// classify is which DSCPs are in which class.
func (r *reader) classify(i *netconf.Interface, p *netconf.Profile) {
	name, at := r.used("mapping", i.Name)
	m := r.maps[name]
	if m == nil {
		if at != nil {
			r.noProfile(at, len(r.maps) > 0, "mapping", name)
		}
		return
	}
	if m.untrusted != nil {
		p.Classify = [netconf.CodePoints]uint8{}
		r.say(m.untrusted, "interface %s classify", i.Name)
		return
	}
	for d, l := range m.said {
		if l != nil {
			p.Classify[d] = m.sp[d]
			r.say(l, "interface %s dscp %d", i.Name, d)
			r.say(l, "interface %s tc %d dscp", i.Name, m.sp[d])
		}
	}
}

// pausing is what a port's pfc profile says; nil: it has none that pauses.
func (r *reader) pausing(i *netconf.Interface, class func(uint8) *netconf.Class) *line {
	name, at := r.used("pfc", i.Name)
	f := r.pfcs[name]
	switch {
	case f == nil && at != nil:
		r.noProfile(at, len(r.pfcs) > 0, "pfc", name)
		return nil
	case f == nil || f.quiet:
		return nil
	}
	for sp, l := range f.priorities { // of each its own: order does not matter
		class(sp).Pause = &netconf.Pause{Priority: sp}
		r.say(l, "interface %s tc %d pause", i.Name, sp)
	}
	if at == nil {
		at = f.line
	}
	if len(f.priorities) == 0 {
		return nil
	}
	return at
}

// schedule is how a port's queues are served.
func (r *reader) schedule(i *netconf.Interface, p *netconf.Profile) {
	name, at := r.used("egress-scheduler", i.Name)
	if at != nil && r.schedulers[name] == nil {
		r.noProfile(at, len(r.schedulers) > 0, "egress-scheduler", name)
	}
	for k := range p.Classes {
		c := &p.Classes[k]
		if s := r.schedulers[name][c.Queue]; s != nil {
			c.Strict, c.Share = s.strict, s.share
			if c.Strict {
				c.Share = 0
			}
			r.say(s.line, "interface %s tc %d queue", i.Name, c.TC)
		}
	}
}
