package junos

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/located"
	"railyard/internal/netconf"
)

const cos = "set class-of-service "

var top = &block{Rules: []rule{
	{Pattern: "set system host-name NAME", Do: func(r *reader, l *line) error {
		r.Device.Name = l.Args[0]
		r.say(l, "hostname")
		return nil
	}},
	{Pattern: cos + "classifiers dscp NAME forwarding-class CLASS loss-priority low code-points BITS...",
		Do: func(r *reader, l *line) error {
			all, err := codePoints(l.Args[2])
			for _, v := range all {
				if r.classifiers[l.Args[0]] == nil {
					r.classifiers[l.Args[0]] = map[int]*line{}
				}
				r.classifiers[l.Args[0]][v] = l
			}
			return err
		}},
	{Pattern: cos + "forwarding-classes class NAME queue-num N", Do: func(r *reader,
		l *line) error {
		return r.forward(l, false)
	}},
	{Pattern: cos + "forwarding-classes class NAME queue-num N no-loss pfc-priority P",
		Do: func(r *reader, l *line) error { return r.forward(l, true) }},
	{Pattern: cos + "forwarding-classes class NAME explicit-congestion-notification", Do: func(r *reader, l *line) error {
		r.slip("Q16", l, "explicit-congestion-notification belongs to a scheduler: under forwarding-classes it marks nothing")
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
			r.slip("Q16", l, "PFC by ieee-802.1 needs a VLAN tag, which a routed packet has not: nothing is paused, want input dscp")
			if r.notifies[l.Args[0]] == nil {
				r.notifies[l.Args[0]] = map[int]*line{}
			}
			return nil
		}},
	{Pattern: cos + "congestion-notification-profile NAME pfc-watchdog", Do: func(r *reader, l *line) error {
		r.watched[l.Args[0]] = l
		return nil
	}},
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
	{Pattern: cos + "schedulers NAME drop-profile-map loss-priority any protocol any drop-profile DROPS",
		Do: func(r *reader, l *line) error { r.scheduler(l).drops = l; return nil }},
	{Pattern: cos + "schedulers NAME explicit-congestion-notification",
		Do: func(r *reader, l *line) error { r.scheduler(l).marks = l; return nil }},
	{Pattern: cos + "schedulers NAME priority strict-high",
		Do: func(r *reader, l *line) error { r.scheduler(l).strict = true; return nil }},
	{Pattern: cos + "schedulers NAME transmit-rate percent N", Do: func(r *reader, l *line) (err error) {
		r.scheduler(l).share, err = l.Int(1, 0, 100)
		return err
	}},
	{Pattern: cos + "scheduler-maps NAME forwarding-class CLASS scheduler S", Do: func(r *reader, l *line) error {
		if r.maps[l.Args[0]] == nil {
			r.maps[l.Args[0]] = map[string]*line{}
		}
		r.maps[l.Args[0]][l.Args[1]] = l
		return nil
	}},
	{Pattern: cos + "shared-buffer WHERE buffer-partition PART percent N", Do: func(r *reader, l *line) error {
		key := l.Args[0] + " " + l.Args[1]
		if !strings.Contains(" ingress lossless, ingress lossless-headroom, ingress lossy, egress lossless, egress lossy, ", " "+key+",") {
			return fmt.Errorf("%s: want lossless, lossless-headroom or lossy, of ingress, or lossless or lossy of egress",
				located.Shown(key))
		}
		v, err := l.Int(2, 0, 100)
		r.split[key] = v
		r.say(l, "buffer")
		return err
	}},
	{Pattern: cos + "interfaces PORT unit 0 classifiers dscp NAME", Do: func(r *reader, l *line) error {
		p, err := r.at(l)
		if err == nil {
			p.classifier = l
		}
		return err
	}},
	{Pattern: cos + "interfaces PORT scheduler-map NAME", Do: func(r *reader, l *line) error {
		p, err := r.at(l)
		if err == nil {
			p.schedulers = l
		}
		return err
	}},
	{Pattern: cos + "interfaces PORT congestion-notification-profile NAME", Do: func(r *reader, l *line) error {
		p, err := r.at(l)
		if err == nil {
			p.notified = l
		}
		return err
	}},
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
}}

// scheduler is one by its name, which is a line's first word.
func (r *reader) scheduler(l *line) *scheduler {
	if r.schedulers[l.Args[0]] == nil {
		r.schedulers[l.Args[0]] = &scheduler{}
	}
	return r.schedulers[l.Args[0]]
}

// forward reads a forwarding class.
func (r *reader) forward(l *line, pauses bool) error {
	queue, err := l.Int(1, 0, netconf.Classes-1)
	if err != nil {
		return err
	}
	c := &forwarding{queue: uint8(queue), pauses: pauses, line: l}
	if pauses {
		v, err := l.Int(2, 0, netconf.Classes-1)
		if err != nil {
			return err
		}
		c.priority = uint8(v)
	}
	for _, other := range r.order {
		if other != l.Args[0] && r.number(other, r.classes[other].queue) == r.number(l.Args[0], c.queue) {
			return fmt.Errorf("%s: a second class of queue %s, want one for each", located.Shown(l.Args[0]),
				strconv.Itoa(queue))
		}
	}
	if r.classes[l.Args[0]] == nil {
		r.order = append(r.order, l.Args[0])
	}
	r.classes[l.Args[0]] = c
	return nil
}
