package sonic

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// A settled is what tables say of a port.
type settled struct {
	profile netconf.Profile
	queues  map[uint8]netconf.Class   // by queue: scheduling and ECN
	lines   map[uint8]*node           // of those
	buffers map[uint8]*netconf.Buffer // by priority group
	groupOf map[uint8]uint8           // of a traffic class; where nothing is said that of its priority
	maps    *node
	enabled []uint8
	said    bool
}

// qos makes of tables what each port does.
func (r *reader) qos() {
	all := make([]*settled, len(r.Device.Interfaces))
	for i := range all {
		all[i] = &settled{queues: map[uint8]netconf.Class{}, lines: map[uint8]*node{}, buffers: map[uint8]*netconf.Buffer{}}
	}
	r.objects("PORT_QOS_MAP", func(o *node) {
		for p := range strings.SplitSeq(o.key, ",") {
			if at, there := r.ports[p]; there {
				all[at].maps, all[at].said = o, true
			}
		}
	})
	r.each("QUEUE", all, r.queue)
	r.each("BUFFER_PG", all, r.group)
	q := &netconf.QoS{}
	for i, s := range all {
		if s.said {
			here := &r.Device.Interfaces[i]
			here.QoS = &netconf.PortQoS{}
			r.profile(here, s)
			here.QoS.Profile = q.Use(s.profile)
		}
	}
	r.Device.QoS = q
	r.objects("BUFFER_POOL", func(o *node) {
		if o.key == losslessPool {
			q.Pools.Size, q.Pools.Headroom = r.amount(o, "size"), r.amount(o, "xoff")
			r.say(o, "buffer")
			if q.Pools.Size == 0 {
				q.Pools = netconf.Pools{}
			}
		}
	})
	r.objects("CABLE_LENGTH", func(o *node) {
		for _, f := range o.below {
			length, err := unit.ParseLength(f.text)
			at, there := r.ports[f.key]
			switch {
			case err != nil || length < 0:
				r.wrong(f, "%s: want a length such as 5m", f.text)
			case there && r.Device.Interfaces[at].QoS != nil:
				r.Device.Interfaces[at].QoS.Cable = length
			}
		}
	})
	r.watchdog(q)
}

// each visits a table whose keys are PORT,PORT|N or PORT|N-M.
func (r *reader) each(name string, all []*settled, visit func(o *node, s *settled, n uint8)) {
	r.objects(name, func(o *node) {
		ports, numbers, ok := strings.Cut(o.key, "|")
		low, high, ranged := strings.Cut(numbers, "-")
		if !ranged {
			high = low
		}
		a, err1 := strconv.ParseUint(low, 10, 3)
		b, err2 := strconv.ParseUint(high, 10, 3)
		if !ok || err1 != nil || err2 != nil || b < a {
			r.wrong(o, "%s %s: want PORT|N or PORT|N-M, from 0 to %d", name, strconv.Quote(o.key), netconf.Classes-1)
			return
		}
		for p := range strings.SplitSeq(ports, ",") {
			for n := a; n <= b; n++ {
				if at, there := r.ports[p]; there {
					all[at].said = true
					visit(o, all[at], uint8(n))
				}
			}
		}
	})
}

func (r *reader) queue(o *node, s *settled, n uint8) {
	c := netconf.Class{}
	if reference := o.field("scheduler"); reference != "" {
		if of := r.find(o, "SCHEDULER", reference); of != nil {
			switch of.field("type") {
			case "STRICT":
				c.Strict = true
			case "DWRR", "WRR":
				if v, ok := r.whole(of, of.field("weight"), 1, 100); ok {
					c.Share = int(v)
				}
			case "":
				r.lacking(of, "%s: no type, want DWRR or STRICT", located.Shown(of.key))
			default:
				r.wrong(of, "type %q: want DWRR or STRICT", of.field("type"))
			}
		}
	}
	if reference := o.field("wred_profile"); reference != "" {
		if of := r.find(o, "WRED_PROFILE", reference); of != nil {
			c.ECN = r.marks(of)
		}
	}
	s.queues[n], s.lines[n] = c, o
}

// marks reads a WRED profile; green is the colour of what is not marked yet.
func (r *reader) marks(o *node) *netconf.ECN {
	e := &netconf.ECN{Min: r.amount(o, "green_min_threshold"), Max: r.amount(o, "green_max_threshold")}
	if p := o.field("green_drop_probability"); p != "" {
		v, _ := r.whole(o, p, 0, 100)
		e.Probability = int(v)
	}
	switch marked := o.field("ecn"); marked {
	case "ecn_all", "ecn_green", "ecn_green_yellow", "ecn_green_red":
	case "ecn_none", "":
		e.Drops = true
	default:
		r.wrong(o, "ecn %q: want ecn_all or ecn_none", marked)
	}
	if e.Max == 0 {
		return nil
	}
	return e
}

func (r *reader) group(o *node, s *settled, n uint8) {
	reference := o.field("profile")
	if reference == "NULL" { // worked out by the switch
		return
	}
	of := r.find(o, "BUFFER_PROFILE", reference)
	if of == nil {
		return
	}
	b := &netconf.Buffer{Reserve: r.amount(of, "size"), Headroom: r.amount(of, "xoff"),
		Resume: max(r.amount(of, "xon_offset"), r.amount(of, "xon"))}
	switch dynamic, static := of.field("dynamic_th"), of.field("static_th"); {
	case static != "":
		b.XOFF = r.amount(of, "static_th")
	case dynamic != "":
		v, ok := r.whole(of, dynamic, -8, 8)
		if !ok {
			return
		}
		b.Alpha = power(int(v))
	}
	if b.XOFF > 0 || b.Alpha.Num > 0 {
		s.buffers[n] = b
	}
}

// pairs reads a map of numbers.
func (r *reader) pairs(from *node, table, field string, keys int64, set func(f *node, k, v uint8)) {
	reference := from.field(field)
	if reference == "" {
		return
	}
	if of := r.find(from, table, reference); of != nil {
		for _, f := range of.below {
			k, ok := r.whole(f, f.key, 0, keys-1)
			v, ok2 := r.whole(f, f.text, 0, netconf.Classes-1)
			if ok && ok2 {
				set(f, uint8(k), uint8(v))
			}
		}
	}
}

// profile puts together what a port does.
func (r *reader) profile(here *netconf.Interface, s *settled) {
	p, maps := &s.profile, s.maps
	var queueOf [netconf.Classes]uint8
	var queued [netconf.Classes]bool
	var pausedQueue [netconf.Classes]int // by priority; -1: none
	for tc := range queueOf {
		queueOf[tc], pausedQueue[tc] = uint8(tc), -1
	}
	if maps != nil {
		r.pairs(maps, "DSCP_TO_TC_MAP", "dscp_to_tc_map", netconf.CodePoints, func(f *node, k, v uint8) {
			p.Classify[k] = v
			r.say(f, "interface %s tc %d dscp", here.Name, v)
			r.say(f, "interface %s dscp %d", here.Name, k)
		})
		r.pairs(maps, "TC_TO_QUEUE_MAP", "tc_to_queue_map", netconf.Classes, func(_ *node, k, v uint8) {
			queueOf[k], queued[k] = v, true
		})
		s.groupOf = map[uint8]uint8{}
		r.pairs(maps, "TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map", netconf.Classes, func(_ *node, k, v uint8) {
			s.groupOf[k] = v
		})
		r.pairs(maps, "MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue_map", netconf.Classes, func(_ *node, k, v uint8) {
			pausedQueue[k] = int(v)
		})
		s.enabled = r.priorities(maps, "pfc_enable")
		if len(s.enabled) > 0 {
			here.QoS.PFC = netconf.PFCOn
			r.say(maps, "interface %s pfc", here.Name)
			for priority := range pausedQueue {
				if !slices.Contains(s.enabled, uint8(priority)) {
					pausedQueue[priority] = -1
				} else if pausedQueue[priority] < 0 {
					pausedQueue[priority] = priority
				}
			}
		}
		r.priorities(maps, "pfcwd_sw_enable") // on which it may act, where PFC_WD has the port
		r.say(maps, "interface %s classify", here.Name)
	}
	for tc := range uint8(netconf.Classes) {
		s.class(r, here, netconf.Class{TC: tc, Queue: queueOf[tc]}, !netconf.QueueTaken(queueOf, queued, tc), pausedQueue)
	}
	p.Percents() // of weights
	p.Tidy()
}

// class adds a class with what its queue says.
func (s *settled) class(r *reader, here *netconf.Interface, c netconf.Class, own bool, paused [netconf.Classes]int) {
	if own {
		if of, said := s.queues[c.Queue]; said {
			c.Strict, c.Share, c.ECN = of.Strict, of.Share, of.ECN
			r.say(s.lines[c.Queue], "interface %s tc %d queue", here.Name, c.TC)
			if c.ECN != nil {
				r.say(s.lines[c.Queue], "interface %s tc %d ecn", here.Name, c.TC)
			}
		}
		for priority, queue := range paused {
			if queue == int(c.Queue) {
				group, said := s.groupOf[c.TC]
				if !said {
					group = uint8(priority)
				}
				if said && group == 0 && priority != 0 {
					if here.QoS.PFC == netconf.PFCOn {
						r.misplace(s.maps, c.TC, priority)
					}
					continue
				}
				c.Pause = &netconf.Pause{Priority: uint8(priority), Buffer: s.buffers[group]}
				r.say(s.maps, "interface %s tc %d pause", here.Name, c.TC)
			}
		}
	}
	s.profile.Classes = append(s.profile.Classes, c)
}

// misplace reports a class whose packets are counted in priority group 0, which is that of what is dropped: it pauses
// nobody (SONiC's Configuration Database Manual, TC_TO_PRIORITY_GROUP_MAP).
func (r *reader) misplace(maps *node, tc uint8, priority int) {
	at := maps
	if of := r.find(maps, "TC_TO_PRIORITY_GROUP_MAP", maps.field("tc_to_pg_map")); of != nil {
		at = of
		for _, f := range of.below {
			if f.key == number(tc) {
				at = f
			}
		}
	}
	if r.misplaced[at] {
		return
	}
	r.misplaced[at] = true
	r.Slips = append(r.Slips, netconf.Slip{Rule: "Q02", Place: netconf.Place{File: r.file, Line: at.line},
		Text: fmt.Sprintf("traffic class %d is in priority group 0, and its priority %d is to pause: nothing pauses", tc, priority)})
}

// priorities reads 3 or 3,4.
func (r *reader) priorities(o *node, name string) (all []uint8) {
	text := o.field(name)
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		if v, ok := r.whole(o, part, 0, netconf.Classes-1); ok {
			all = append(all, uint8(v))
		}
	}
	return all
}

// watchdog reads PFC_WD. Ports have one setting: one that differs is reported.
func (r *reader) watchdog(q *netconf.QoS) {
	w := &q.Watchdog
	first := true
	if r.metadataOf != nil && r.metadataOf.field("default_pfcwd_status") == "enable" { // pfcwd start_default, at boot
		w.On = true
		for i := range r.Device.Interfaces {
			if p := r.Device.Interfaces[i].QoS; p != nil && p.PFC != netconf.PFCOff {
				p.Watchdog = true
			}
		}
	}
	r.objects("PFC_WD", func(o *node) {
		if o.key == "GLOBAL" {
			if v, ok := r.whole(o, o.field("POLL_INTERVAL"), 1, 1_000_000); ok {
				w.Poll, w.On = unit.Duration(v)*unit.Millisecond, true
			}
			r.say(o, "watchdog")
			return
		}
		detect, ok := r.whole(o, o.field("detection_time"), 1, 1_000_000)
		restore, ok2 := r.whole(o, cmp.Or(o.field("restoration_time"), "0"), 0, 1_000_000)
		own := netconf.Watchdog{On: true, Poll: w.Poll, Detect: unit.Duration(detect) * unit.Millisecond,
			Restore: unit.Duration(restore) * unit.Millisecond, Action: o.field("action")}
		switch {
		case !ok || !ok2 || o.field("action") == "" || o.field("restoration_time") == "":
		case !first && (own.Detect != w.Detect || own.Restore != w.Restore || own.Action != w.Action):
			r.wrong(o, "PFC_WD %s: other times than those of the ports before, want one setting for all", o.key)
		default:
			own.Poll = w.Poll
			*w, first = own, false
		}
		for p := range strings.SplitSeq(o.key, ",") {
			if at, there := r.ports[p]; there && r.Device.Interfaces[at].QoS != nil {
				r.Device.Interfaces[at].QoS.Watchdog = true
				r.say(o, "interface %s watchdog", r.Device.Interfaces[at].Name)
			}
		}
	})
}
