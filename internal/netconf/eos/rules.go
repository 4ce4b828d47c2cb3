package eos

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

// The blocks of a configuration.
var (
	top = &block{Rules: append([]rule{
		{Pattern: "hostname NAME", Do: func(r *reader, l *line) error {
			r.Device.Name = l.Args[0]
			r.say(l, "hostname")
			return nil
		}},
		{Pattern: "end"},
		{Pattern: "qos map dscp LIST...", Do: mapDSCP},
		{Pattern: "qos map traffic-class TC to tx-queue QUEUE", Do: mapQueue},
		{Pattern: "qos map traffic-class TC to uc-tx-queue QUEUE", Do: func(r *reader, l *line) error {
			return r.slip("Q15", l, "the map of the device says tx-queue on every platform, uc-tx-queue is no target of it")
		}},
		{Pattern: "priority-flow-control pause watchdog default timeout T", Do: func(r *reader, l *line) (err error) {
			r.watchdog.Detect, err = duration(l, 0, 10*unit.Millisecond, 60*unit.Second)
			r.watchdog.On = err == nil
			r.say(l, "watchdog")
			return err
		}},
		{Pattern: "priority-flow-control pause watchdog default recovery-time T", Do: func(r *reader, l *line) (err error) {
			r.watchdog.Restore, err = duration(l, 0, 0, 60*unit.Second)
			return err
		}},
		{Pattern: "priority-flow-control pause watchdog default polling-interval T", Do: func(r *reader,
			l *line) (err error) {
			r.watchdog.Poll, err = duration(l, 0, 5*unit.Millisecond, 30*unit.Second)
			r.say(l, "watchdog poll")
			return err
		}},
		{Pattern: "priority-flow-control pause watchdog action drop", Do: func(r *reader, l *line) error {
			r.watchdog.Action = "drop"
			return nil
		}},
		{Pattern: "qos profile NAME", Enter: inProfile, Do: func(r *reader, l *line) error {
			if r.at = r.profiles[l.Args[0]]; r.at == nil {
				r.at = newSetting()
				r.profiles[l.Args[0]] = r.at
			}
			r.said = true
			return nil
		}},
		{Pattern: "interface Port-Channel*", Enter: inChannel, Do: beginChannel},
		{Pattern: "interface NAME", Enter: inInterface, Do: beginInterface},
	}, routed...)}
	settings = []rule{
		{Pattern: "qos trust dscp"},
		{Pattern: "priority-flow-control on", Do: func(r *reader, l *line) error { return r.pfcOn(l) }},
		{Pattern: "priority-flow-control mode on", Do: func(r *reader, l *line) error { return r.pfcOn(l) }}, // before 4.20
		{Pattern: "priority-flow-control priority N no-drop", Do: func(r *reader, l *line) error {
			v, err := l.Int(0, 0, netconf.Classes-1)
			if err == nil {
				r.at.noDrop[uint8(v)], r.said = l, true
			}
			return err
		}},
		{Pattern: "priority-flow-control priority N enable", Do: func(r *reader, l *line) error {
			return r.slip("Q15", l, "priority-flow-control priority ends in no-drop or drop, enable is no word of it: nothing is paused")
		}},
		{Pattern: "uc-tx-queue N", Enter: inQueue, Do: beginQueue},
		{Pattern: "tx-queue N", Enter: inQueue, Do: beginQueue},
	}
	inProfile   = &block{Rules: settings, Ends: []string{"exit"}}
	inInterface = &block{Rules: append([]rule{
		{Pattern: "description TEXT...", Do: func(r *reader, l *line) error {
			r.port.Description = strings.Join(strings.Fields(l.Args[0]), " ")
			return nil
		}},
		{Pattern: "mtu N", Do: func(r *reader, l *line) error {
			v, err := l.Int(0, leastMTU, mostMTU)
			if err == nil {
				r.port.MTU = netconf.FrameOf(unit.Bytes(v))
				r.say(l, "interface %s mtu", r.port.Name)
			}
			return err
		}},
		{Pattern: "no switchport"},
		{Pattern: "switchport"},
		{Pattern: "switchport mode access"},
		{Pattern: "no shutdown"},
		{Pattern: "service-profile NAME", Do: func(r *reader, l *line) error {
			r.at.base, r.said = l, true
			r.say(l, "interface %s classify", r.port.Name)
			return nil
		}},
		{Pattern: "dcbx mode ieee", Do: func(r *reader, l *line) error { return r.dcbx(l, netconf.DCBXIEEE) }},
		{Pattern: "dcbx mode cee", Do: func(r *reader, l *line) error { return r.dcbx(l, netconf.DCBXCEE) }},
	}, slices.Concat(settings, onInterface)...), Ends: []string{"exit"}}
	inQueue = &block{Ends: []string{"exit"}, Rules: []rule{
		{Pattern: "no priority", Do: func(r *reader, l *line) error { r.queue.strict = false; return nil }},
		{Pattern: "priority strict", Do: func(r *reader, l *line) error { r.queue.strict = true; return nil }},
		{Pattern: "bandwidth percent N", Do: func(r *reader, l *line) (err error) {
			r.queue.share, err = l.Int(0, 1, 100)
			return err
		}},
		{Pattern: "random-detect ecn minimum-threshold A UNIT maximum-threshold B UNIT max-mark-probability P weight W", Do: detect},
		{Pattern: "random-detect ecn minimum-threshold A UNIT maximum-threshold B UNIT max-mark-probability P", Do: detect},
	}}
)

func (r *reader) pfcOn(l *line) error {
	r.at.pfc, r.said = l, true
	return nil
}

func (r *reader) dcbx(l *line, mode netconf.DCBX) error {
	r.port.LLDP.DCBX = mode
	r.say(l, "interface %s dcbx", r.port.Name)
	return nil
}

// mapDSCP reads a list of DSCPs and to traffic-class N.
func mapDSCP(r *reader, l *line) error {
	words := strings.Fields(l.Args[0])
	n := len(words)
	if n < 4 || words[n-3] != "to" || words[n-2] != "traffic-class" {
		return fmt.Errorf("%s: want DSCPs and to traffic-class N", located.Shown(l.Args[0]))
	}
	tc, err := strconv.Atoi(words[n-1])
	if err != nil || tc < 0 || tc >= netconf.Classes {
		return fmt.Errorf("%s: want a traffic class from 0 to %d", located.Shown(words[n-1]), netconf.Classes-1)
	}
	for _, w := range words[:n-3] {
		v, err := strconv.Atoi(w)
		if err != nil || v < 0 || v >= netconf.CodePoints {
			return fmt.Errorf("%s: want DSCPs from 0 to %d", located.Shown(w), netconf.CodePoints-1)
		}
		r.classify[v], r.dscpLines[v], r.said = uint8(tc), l, true
	}
	return nil
}

func mapQueue(r *reader, l *line) error {
	tc, err := l.Int(0, 0, netconf.Classes-1)
	if err != nil {
		return err
	}
	queue, err := l.Int(1, 0, netconf.Classes-1)
	if err == nil {
		r.queueOf[tc], r.mapped[tc], r.said = uint8(queue), true, true
	}
	return err
}

func beginInterface(r *reader, l *line) error {
	name, ok := portName(l.Args[0])
	i, isVirtual := virtual(l.Args[0])
	switch {
	case ok:
		i = netconf.Interface{Name: name}
	case isVirtual:
		name = i.Name
	default:
		r.at, r.port = newSetting(), &netconf.Interface{} // so that its lines are read
		if !strings.HasPrefix(l.Args[0], "Et") {          // a port channel, Management1, Vxlan1: in no model
			return lines.ErrUnknown
		}
		return fmt.Errorf("%s: not the name of a port, want Ethernet24, Ethernet24/1, Vlan101 or Loopback0", located.Shown(l.Args[0]))
	}
	if r.ports[name] == nil {
		r.ports[name] = newSetting()
		r.index[name] = len(r.Device.Interfaces)
		r.Device.Interfaces = append(r.Device.Interfaces, i)
		r.say(l, "interface %s", name)
	}
	r.at, r.port = r.ports[name], &r.Device.Interfaces[r.index[name]]
	return nil
}

func beginQueue(r *reader, l *line) error {
	r.queue = &queue{line: l}
	v, err := l.Int(0, 0, netconf.Classes-1)
	if err != nil {
		return err
	}
	if r.at.queues[uint8(v)] == nil {
		r.at.queues[uint8(v)] = r.queue
	}
	r.queue, r.said = r.at.queues[uint8(v)], true
	return nil
}

// scales are units of thresholds that are lengths; segments and milliseconds depend on the platform.
var scales = map[string]unit.Bytes{"bytes": unit.Byte, "kbytes": unit.Kilobyte, "mbytes": unit.Megabyte}

func detect(r *reader, l *line) error {
	var v [2]unit.Bytes
	for k := range v {
		scale, known := scales[l.Args[2*k+1]]
		n, err := l.Int(2*k, 0, 1_000_000_000)
		if err != nil {
			return err
		}
		if !known {
			return fmt.Errorf("%s: want bytes, kbytes or mbytes: how long others are depends on the platform",
				located.Shown(l.Args[2*k+1]))
		}
		v[k] = unit.Bytes(n) * scale
	}
	p, err := l.Int(4, 1, 100)
	if err != nil {
		return err
	}
	if len(l.Args) > 5 {
		if _, err := l.Int(5, 0, 15); err != nil {
			return err
		}
	}
	r.queue.ecn, r.queue.marks = &netconf.ECN{Min: v[0], Max: v[1], Probability: p}, l
	return nil
}
