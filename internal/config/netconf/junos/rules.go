package junos

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

const cos = "set class-of-service "

var top = &block{Known: knownAtTop, Rules: append([]rule{
	{Pattern: "set system host-name NAME", Do: func(r *reader, l *line) error {
		r.Device.Name = l.Args[0]
		r.say(l, "hostname")
		return nil
	}},
	{Pattern: cos + "classifiers dscp NAME import WHAT", Do: func(r *reader, l *line) error {
		if r.classifiers[l.Args[0]] == nil {
			r.classifiers[l.Args[0]] = map[int]*line{}
		}
		return nil
	}},
	{Pattern: cos + "classifiers dscp NAME forwarding-class CLASS loss-priority PRIORITY code-points BITS...",
		Do: func(r *reader, l *line) error {
			all, err := codePoints(l.Args[3])
			for _, v := range all {
				if r.classifiers[l.Args[0]] == nil {
					r.classifiers[l.Args[0]] = map[int]*line{}
				}
				r.classifiers[l.Args[0]][v] = l
			}
			return err
		}},
	{Pattern: cos + "forwarding-classes class NAME queue-num N", Do: forwards(1, 0, false)},
	{Pattern: cos + "forwarding-classes class NAME queue-num N no-loss pfc-priority P", Do: forwards(1, 2, true)},
	{Pattern: cos + "forwarding-classes class NAME pfc-priority P queue-num N no-loss", Do: forwards(2, 1, true)},
	{Pattern: cos + "forwarding-classes class NAME queue-num N pfc-priority P", Do: forwards(1, 2, false)},
	{Pattern: cos + "forwarding-classes class NAME queue-num N no-loss", Do: forwards(1, 0, true)},
	{Pattern: cos + "forwarding-classes class NAME no-loss", Do: forwards(0, 0, true)},
	{Pattern: cos + "forwarding-classes class NAME pfc-priority P", Do: forwards(0, 1, false)},
	{Pattern: cos + "forwarding-classes queue N NAME", Do: func(r *reader, l *line) error {
		l.Args[0], l.Args[1] = l.Args[1], l.Args[0]
		return r.forward(l, 1, 0, false)
	}},
	{Pattern: cos + "forwarding-classes class NAME explicit-congestion-notification", Do: func(r *reader,
		l *line) error {
		r.slip("Q16", l,
			"explicit-congestion-notification belongs to a scheduler: under forwarding-classes it marks nothing")
		return nil
	}},
	{Pattern: cos + "congestion-notification-profile NAME input dscp code-point BITS pfc", Do: func(r *reader,
		l *line) error {
		all, err := codePoints(l.Args[1])
		for _, v := range all {
			if r.notifies[l.Args[0]] == nil {
				r.notifies[l.Args[0]] = map[int]*line{}
			}
			r.notifies[l.Args[0]][v] = l
		}
		return err
	}},
	{Pattern: cos + "congestion-notification-profile NAME input ieee-802.1 code-point BITS pfc",
		Do: func(r *reader, l *line) error {
			r.slip("Q16", l,
				"PFC by ieee-802.1 needs a VLAN tag, which a routed packet has not: nothing is paused, want input dscp")
			if r.notifies[l.Args[0]] == nil {
				r.notifies[l.Args[0]] = map[int]*line{}
			}
			return nil
		}},
	{Pattern: cos + "congestion-notification-profile NAME pfc-watchdog", Do: watchdog},
	{Pattern: cos + "congestion-notification-profile NAME pfc-watchdog poll-interval N", Do: watchdog},
	{Pattern: cos + "congestion-notification-profile NAME pfc-watchdog detection N", Do: watchdog},
	{Pattern: cos + "congestion-notification-profile NAME pfc-watchdog recovery N", Do: watchdog},
	{Pattern: cos + "congestion-notification-profile NAME pfc-watchdog watchdog-action ACTION", Do: watchdog},
	{Pattern: cos + "congestion-notification-profile NAME pfc-watchdog pfc-watchdog-action ACTION", Do: watchdog},
	{Pattern: cos + "congestion-notification-profile NAME output ieee-802.1 code-point BITS flow-control-queue TEXT..."},
	{Pattern: cos + "congestion-notification-profile NAME input cable-length N"},
	{Pattern: cos + "congestion-notification-profile NAME cable-length N"},
	{Pattern: cos + "drop-profiles NAME interpolate fill-level [ A B ] drop-probability [ C D ]",
		Do: func(r *reader, l *line) error {
			var v [4]int
			for k, arg := range []int{1, 2, 3, 4} {
				var err error
				if v[k], err = l.Int(arg, 0, 100); err != nil {
					return err
				}
			}
			if v[2] != 0 || v[1] < v[0] || v[1] == 0 {
				return fmt.Errorf("%s: want fill levels that rise, and a probability that begins at 0",
					located.Shown(l.Args[0]))
			}
			r.drops[l.Args[0]] = &netconf.ECN{MinFill: v[0], MaxFill: v[1], Probability: v[3]}
			return nil
		}},
	{Pattern: cos + "drop-profiles NAME interpolate fill-level TEXT...", Do: interpolate},
	{Pattern: cos + "drop-profiles NAME interpolate drop-probability TEXT...", Do: func(r *reader, l *line) error {
		all, err := points(l.Args[1])
		if err != nil {
			return err
		}
		return r.curved(l.Args[0], nil, all)
	}},
	{Pattern: cos + "drop-profiles NAME fill-level A drop-probability P", Do: discrete},
	{Pattern: cos + "schedulers NAME drop-profile-map loss-priority any protocol any drop-profile DROPS",
		Do: func(r *reader, l *line) error { r.scheduler(l).drops = l; return nil }},
	{Pattern: cos + "schedulers NAME explicit-congestion-notification",
		Do: func(r *reader, l *line) error { r.scheduler(l).marks = l; return nil }},
	{Pattern: cos + "schedulers NAME priority strict-high",
		Do: func(r *reader, l *line) error { r.scheduler(l).strict = true; return nil }},
	{Pattern: cos + "schedulers NAME drop-profile-map loss-priority PRIORITY protocol PROTOCOL drop-profile DROPS",
		Do: func(r *reader, l *line) error {
			if l.Args[1] == "high" && r.scheduler(l).drops != nil { // for what is dropped first anyway
				return nil
			}
			r.scheduler(l).drops = &line{File: l.File, Number: l.Number, Args: []string{l.Args[0], l.Args[3]}}
			return nil
		}},
	{Pattern: cos + "schedulers NAME transmit-rate percent N exact", Do: func(r *reader, l *line) (err error) {
		r.scheduler(l).share, err = l.Int(1, 0, 100)
		return err
	}},
	{Pattern: cos + "schedulers NAME buffer-size TEXT..."},
	{Pattern: cos + "schedulers NAME shaping-rate TEXT..."},
	{Pattern: cos + "schedulers NAME buffer-dynamic-threshold TEXT..."},
	{Pattern: cos + "schedulers NAME explicit-congestion-notification TEXT...",
		Do: func(r *reader, l *line) error { r.scheduler(l).marks = l; return nil }},
	{Pattern: cos + "schedulers NAME transmit-rate percent N", Do: func(r *reader, l *line) (err error) {
		r.scheduler(l).share, err = l.Int(1, 0, 100)
		return err
	}},
	{Pattern: cos + "schedulers NAME transmit-rate TEXT..."},
	{Pattern: cos + "schedulers NAME priority PRIORITY"},
	{Pattern: cos + "scheduler-maps NAME forwarding-class CLASS scheduler S", Do: func(r *reader, l *line) error {
		if r.maps[l.Args[0]] == nil {
			r.maps[l.Args[0]] = map[string]*line{}
		}
		r.maps[l.Args[0]][l.Args[1]] = l
		return nil
	}},
	{Pattern: cos + "shared-buffer WHERE buffer-partition PART percent N", Do: func(r *reader, l *line) error {
		key := l.Args[0] + " " + l.Args[1]
		if l.Args[1] == "multicast" {
			return lines.ErrKnown
		}
		if !strings.Contains(" ingress lossless, ingress lossless-headroom, ingress lossy, egress lossless, egress lossy, ", " "+key+",") {
			return fmt.Errorf("%s: want lossless, lossless-headroom or lossy, of ingress, or lossless or lossy of egress",
				located.Shown(key))
		}
		v, err := l.Int(2, 0, 100)
		r.split[key] = v
		r.say(l, "buffer")
		return err
	}},
	{Pattern: cos + "interfaces PORT unit UNIT classifiers dscp NAME", Do: func(r *reader, l *line) error {
		of := &line{File: l.File, Number: l.Number, Args: []string{l.Args[0], l.Args[2]}}
		return r.each(l, func(p *port) { p.classifier = of })
	}},
	{Pattern: cos + "interfaces PORT classifiers dscp NAME", Do: func(r *reader, l *line) error {
		return r.each(l, func(p *port) { p.classifier = l })
	}},
	{Pattern: cos + "interfaces PORT scheduler-map NAME", Do: func(r *reader, l *line) error {
		return r.each(l, func(p *port) { p.schedulers = l })
	}},
	{Pattern: cos + "interfaces PORT congestion-notification-profile NAME", Do: func(r *reader, l *line) error {
		return r.each(l, func(p *port) { p.notified = l })
	}},
	{Pattern: cos + "interfaces PORT unit UNIT rewrite-rules TEXT..."},
	{Pattern: cos + "interfaces PORT rewrite-rules TEXT..."},
	{Pattern: cos + "interfaces PORT unit UNIT classifiers ieee-802.1 NAME"},
	{Pattern: cos + "interfaces PORT unit UNIT forwarding-class NAME"},
	{Pattern: cos + "interfaces PORT forwarding-class-set TEXT..."},
	{Pattern: cos + "interfaces PORT shaping-rate TEXT..."},
	{Pattern: "set forwarding-options enhanced-hash-key ecmp-dlb per-packet", Do: func(r *reader, l *line) error {
		r.Device.Balance = &netconf.Balance{Method: "dlb", Unit: "packet"}
		r.say(l, "balance")
		return nil
	}},
	{Pattern: "set forwarding-options enhanced-hash-key ecmp-dlb flowlet", Do: func(r *reader, l *line) error {
		r.Device.Balance = &netconf.Balance{Method: "dlb", Unit: "flowlet"}
		r.say(l, "balance")
		return nil
	}},
	{Pattern: "set forwarding-options enhanced-hash-key ecmp-dlb flowlet inactivity-interval N", Do: gap},
}, routed...)}

// watchdog reads a line of the watchdog of a congestion-notification profile.
func watchdog(r *reader, l *line) error {
	r.watched[l.Args[0]] = l
	return nil
}

// points reads [ 20 60 ] or 20.
func points(text string) (all []int, err error) {
	for w := range strings.FieldsSeq(strings.Trim(text, "[] ")) {
		v, err := strconv.Atoi(w)
		if err != nil || v < 0 || v > 100 {
			return nil, fmt.Errorf("%s: want percents", located.Shown(w))
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: want percents", located.Shown(text))
	}
	return all, nil
}

// interpolate reads one side of a curve: its ends count.
func interpolate(r *reader, l *line) error {
	all, err := points(l.Args[1])
	if err != nil {
		return err
	}
	return r.curved(l.Args[0], all, nil)
}

// curved adds to a drop profile where the queue stands at its points, or how probable marks are there: its ends count.
func (r *reader) curved(name string, fill, probability []int) error {
	if r.drops[name] == nil {
		r.drops[name] = &netconf.ECN{MaxFill: 100, Probability: 100}
	}
	e := r.drops[name]
	if fill != nil {
		e.MinFill, e.MaxFill = slices.Min(fill), slices.Max(fill)
	}
	if probability != nil {
		e.Probability = slices.Max(probability)
	}
	return nil
}

// discrete reads a point of a curve that has steps.
func discrete(r *reader, l *line) error {
	fill, err := l.Int(1, 0, 100)
	if err != nil {
		return err
	}
	p, err := l.Int(2, 0, 100)
	if err != nil {
		return err
	}
	e := r.drops[l.Args[0]]
	if e == nil {
		e = &netconf.ECN{MinFill: fill, MaxFill: max(fill, 1), Probability: p}
		r.drops[l.Args[0]] = e
	}
	e.MinFill, e.MaxFill, e.Probability = min(e.MinFill, fill), max(e.MaxFill, fill), max(e.Probability, p)
	return nil
}

// scheduler is one by its name, which is a line's first word.
func (r *reader) scheduler(l *line) *scheduler {
	if r.schedulers[l.Args[0]] == nil {
		r.schedulers[l.Args[0]] = &scheduler{}
	}
	return r.schedulers[l.Args[0]]
}

// mostQueue is the number of the last queue: from 8 on they are of multicast (Traffic Management User Guide (QFX): 10 or 12).
const mostQueue = 11

// forwards is forward for statements whose arguments stand in that order.
func forwards(queueAt, priorityAt int, pauses bool) func(r *reader, l *line) error {
	return func(r *reader, l *line) error { return r.forward(l, queueAt, priorityAt, pauses) }
}

// forward adds to a forwarding class what a statement says of it: its queue and the priority of its pauses, which are
// arguments (0: it says none), and whether it pauses.
func (r *reader) forward(l *line, queueAt, priorityAt int, pauses bool) error {
	name, c := l.Args[0], forwarding{line: l}
	if old := r.classes[name]; old != nil {
		c = *old
	}
	if queueAt > 0 {
		queue, err := l.Int(queueAt, 0, mostQueue)
		if err != nil {
			return err
		}
		if queue >= netconf.Classes { // of multicast
			r.multicast[name] = true
			return lines.ErrKnown
		}
		c.queue, c.numbered = uint8(queue), true
	}
	if priorityAt > 0 {
		v, err := l.Int(priorityAt, 0, netconf.Classes-1)
		if err != nil {
			return err
		}
		c.priority, c.said = uint8(v), true
	}
	if pauses {
		c.pauses, c.line = true, l
	}
	if r.classes[name] == nil {
		r.order = append(r.order, name)
	}
	r.classes[name] = &c
	return nil
}
