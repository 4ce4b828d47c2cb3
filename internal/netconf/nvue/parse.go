package nvue

import (
	"fmt"
	"slices"
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

// A curve is what a congestion-control profile says of a traffic class.
type curve struct {
	netconf.ECN
	off  bool
	line *line
}

// A reader is a device as far as its files have been read.
type reader struct {
	netconf.Parsed
	roce       *line
	classify   [netconf.CodePoints]uint8
	mapped     [netconf.CodePoints]*line
	curves     map[string]map[uint8]*curve // by profile and traffic class
	profileOf  map[string]*line            // by port
	index      map[string]int              // of an interface, by its name
	watchOf    map[string]*line
	cable      unit.Length
	poll       unit.Duration
	robustness int
	said       bool
}

// Parse reads the files of a device as one.
func (Dialect) Parse(files []netconf.File) *netconf.Parsed {
	r := &reader{index: map[string]int{}, curves: map[string]map[uint8]*curve{}, profileOf: map[string]*line{}, watchOf: map[string]*line{},
		poll: 100 * unit.Millisecond, robustness: 3} // from the start
	r.Device, r.Places = &netconf.Device{QoS: &netconf.QoS{}}, map[string]netconf.Place{}
	for _, f := range files {
		r.Problems = append(r.Problems, lines.Read(f.Name, f.Text, "#", top, r)...)
	}
	r.finish()
	return &r.Parsed
}

func (r *reader) say(l *line, format string, args ...any) {
	r.Places[fmt.Sprintf(format, args...)] = netconf.Place{File: l.File, Line: int(l.Number)}
}

var top = &block{Rules: []rule{
	{Pattern: "nv config apply"},
	{Pattern: "nv set system hostname NAME", Do: func(r *reader, l *line) error {
		r.Device.Name = l.Args[0]
		r.say(l, "hostname")
		return nil
	}},
	{Pattern: "nv set qos roce mode lossless", Do: func(r *reader, l *line) error { r.roce, r.said = l, true; return nil }},
	{Pattern: "nv set qos roce", Do: func(r *reader, l *line) error { r.roce, r.said = l, true; return nil }},
	{Pattern: "nv set qos roce cable-length N", Do: func(r *reader, l *line) error {
		v, err := l.Int(0, 1, 100_000)
		r.cable, r.said = unit.Length(v)*unit.Metre, true
		return err
	}},
	{Pattern: "nv set qos mapping default-global dscp D switch-priority P", Do: func(r *reader, l *line) error {
		d, err := l.Int(0, 0, netconf.CodePoints-1)
		if err != nil {
			return err
		}
		p, err := l.Int(1, 0, netconf.Classes-1)
		if err == nil {
			r.classify[d], r.mapped[d], r.said = uint8(p), l, true
		}
		return err
	}},
	{Pattern: "nv set qos congestion-control PROFILE traffic-class TC ecn enable", Do: marks(func(c *curve,
		_ int) {
		c.off = false
	}, 0)},
	{Pattern: "nv set qos congestion-control PROFILE traffic-class TC ecn disable", Do: marks(func(c *curve,
		_ int) {
		c.off = true
	}, 0)},
	{Pattern: "nv set qos congestion-control PROFILE traffic-class TC min-threshold N",
		Do: marks(func(c *curve, v int) { c.Min = unit.Bytes(v) }, 1<<40)},
	{Pattern: "nv set qos congestion-control PROFILE traffic-class TC max-threshold N",
		Do: marks(func(c *curve, v int) { c.Max = unit.Bytes(v) }, 1<<40)},
	{Pattern: "nv set qos congestion-control PROFILE traffic-class TC probability N",
		Do: marks(func(c *curve, v int) { c.Probability = v }, 100)},
	{Pattern: "nv set qos traffic-pool roce-lossless memory-percent N", Do: func(r *reader, l *line) (err error) {
		r.Device.QoS.Pools.LosslessPart, err = l.Int(0, 1, 100)
		return err
	}},
	{Pattern: "nv set qos traffic-pool default-lossy memory-percent N", Do: func(r *reader, l *line) (err error) {
		r.Device.QoS.Pools.LossyPart, err = l.Int(0, 1, 100)
		return err
	}},
	{Pattern: "nv set qos pfc-watchdog polling-interval N", Do: func(r *reader, l *line) error {
		v, err := l.Int(0, 100, 5000)
		if err == nil {
			r.poll = unit.Duration(v) * unit.Millisecond
			r.say(l, "watchdog")
		}
		return err
	}},
	{Pattern: "nv set qos pfc-watchdog robustness N", Do: func(r *reader, l *line) error {
		v, err := l.Int(0, 1, 1000)
		if err == nil {
			r.robustness = v
			r.say(l, "watchdog detect")
		}
		return err
	}},
	{Pattern: "nv set router adaptive-routing enable on", Do: adaptive},
	{Pattern: "nv set router adaptive-routing state enabled", Do: adaptive},
	{Pattern: "nv set interface PORT link mtu N", Do: func(r *reader, l *line) error {
		return r.ports(l, func(i *netconf.Interface) error {
			v, err := l.Int(1, leastMTU, mostMTU)
			if err == nil {
				i.MTU = netconf.FrameOf(unit.Bytes(v))
				r.say(l, "interface %s mtu", i.Name)
			}
			return err
		})
	}},
	{Pattern: "nv set interface PORT qos congestion-control profile NAME", Do: func(r *reader, l *line) error {
		return r.ports(l, func(i *netconf.Interface) error { r.profileOf[i.Name], r.said = l, true; return nil })
	}},
	{Pattern: "nv set interface PORT qos pfc-watchdog", Do: func(r *reader, l *line) error {
		return r.ports(l, func(i *netconf.Interface) error { r.watchOf[i.Name], r.said = l, true; return nil })
	}},
}}

func adaptive(r *reader, l *line) error {
	r.Device.Balance = &netconf.Balance{Method: "dlb"}
	r.say(l, "balance")
	return nil
}

// marks reads a line of a congestion-control profile; most 0: it has no number.
func marks(set func(*curve, int), most int) func(*reader, *line) error {
	return func(r *reader, l *line) error {
		v := 0
		if most > 0 {
			var err error
			if v, err = l.Int(2, 0, most); err != nil {
				return err
			}
		}
		all := r.curves[l.Args[0]]
		if all == nil {
			all = map[uint8]*curve{}
			r.curves[l.Args[0]] = all
		}
		for text := range strings.SplitSeq(l.Args[1], ",") {
			tc, err := strconv.ParseUint(text, 10, 3)
			if err != nil {
				return fmt.Errorf("%s: want traffic classes from 0 to 7", located.Shown(l.Args[1]))
			}
			if all[uint8(tc)] == nil {
				all[uint8(tc)] = &curve{ECN: netconf.ECN{Min: 150_000, Max: 1_500_000, Probability: 100}}
			}
			all[uint8(tc)].line, r.said = l, true
			set(all[uint8(tc)], v)
		}
		return nil
	}
}

// ports visits those of a list such as swp1,swp2.
func (r *reader) ports(l *line, visit func(*netconf.Interface) error) error {
	for text := range strings.SplitSeq(l.Args[0], ",") {
		rest, ok := strings.CutPrefix(text, "swp")
		first, part, split := strings.Cut(rest, "s")
		number, err1 := strconv.ParseUint(first, 10, 15)
		n, err2 := strconv.ParseUint(part, 10, 8)
		if !split {
			err2 = nil
		}
		if !ok || err1 != nil || err2 != nil || number == 0 {
			return fmt.Errorf("%s: want a port such as swp1 or swp1s0", located.Shown(text))
		}
		if split {
			n++
		}
		name := netconf.JoinPort(int(number), int(n))
		at, known := r.index[name]
		if !known {
			at = len(r.Device.Interfaces)
			r.index[name] = at
			r.Device.Interfaces = append(r.Device.Interfaces, netconf.Interface{Name: name})
			r.say(l, "interface %s", name)
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
		i.QoS = &netconf.PortQoS{Profile: d.QoS.Use(r.profile(i)), Cable: r.cable}
		if r.roce != nil {
			i.QoS.PFC = netconf.PFCOn
			r.say(r.roce, "interface %s pfc", i.Name)
		}
		if l := r.watchOf[i.Name]; l != nil {
			i.QoS.Watchdog = true
			d.QoS.Watchdog = netconf.Watchdog{On: true, Poll: r.poll, Detect: r.poll * unit.Duration(r.robustness)}
			r.say(l, "interface %s watchdog", i.Name)
		}
	}
	d.Intern()
	d.Sort()
	r.Problems = r.Problems.Sorted()
}

// profile is how a port treats classes: as roce makes them or, without it, with nothing that pauses
// and marks of class 0 alone.
func (r *reader) profile(i *netconf.Interface) netconf.Profile {
	p := roce()
	if r.roce == nil {
		p = netconf.Profile{Classes: []netconf.Class{{ECN: &netconf.ECN{Min: 150_000, Max: 1_500_000, Probability: 100}}}}
	} else {
		r.say(r.roce, "interface %s tc %d pause", i.Name, dataClass)
	}
	for d, l := range r.mapped {
		if l != nil {
			p.Classify[d] = r.classify[d]
			r.say(l, "interface %s dscp %d", i.Name, d)
			r.say(l, "interface %s tc %d dscp", i.Name, r.classify[d])
		}
	}
	name := "default-global"
	if l := r.profileOf[i.Name]; l != nil {
		name = l.Args[1]
		if r.curves[name] == nil {
			r.Problems = append(r.Problems, located.Problem{File: l.File, Line: int(l.Number), Column: 1, Width: 1,
				Message: "no congestion-control profile " + located.Shown(name)})
		}
	}
	for tc := range uint8(netconf.Classes) {
		c := r.curves[name][tc]
		if c == nil {
			continue
		}
		at := slices.IndexFunc(p.Classes, func(o netconf.Class) bool { return o.TC == tc })
		if at < 0 {
			at = len(p.Classes)
			p.Classes = append(p.Classes, netconf.Class{TC: tc, Queue: tc})
		}
		p.Classes[at].ECN = nil
		if !c.off && c.Max > 0 {
			e := c.ECN
			p.Classes[at].ECN = &e
		}
		r.say(c.line, "interface %s tc %d ecn", i.Name, tc)
	}
	p.Tidy()
	return p
}
