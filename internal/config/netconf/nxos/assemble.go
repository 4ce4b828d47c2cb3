package nxos

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
)

// assemble makes of policies and what refers to them what each port does.
func (r *reader) assemble() {
	if ref := r.system["network-qos"]; ref != nil {
		if p := r.find(ref, "network-qos"); p != nil {
			r.network(p)
		}
	}
	said := len(r.policies) > 0 || len(r.system) > 0
	for i, p := range r.ports {
		here := &r.Device.Interfaces[i]
		if here.Kind != netconf.Physical {
			continue
		}
		here.MTU = p.mtu
		r.bundled(here)
		if said || len(p.refs) > 0 || p.pfcLine != nil || p.wdLine != nil {
			here.QoS = &netconf.PortQoS{Profile: r.qos().Use(r.profile(p)), PFC: p.pfc, Watchdog: p.watchdog}
		}
		for what, l := range map[string]*line{"pfc": p.pfcLine, "watchdog": p.wdLine,
			"classify": p.refs["qos input"]} {
			if l != nil {
				r.At(l, "interface %s %s", p.name, what) // of each port its own key: order does not matter
			}
		}
	}
	r.finishRouting()
	r.Device.Sort()
	r.Device.Intern()
	r.unused()
	r.Finish()
}

// unused reads policies that hold nowhere, so that what is not understood in them is said.
func (r *reader) unused() {
	classes := map[string]bool{}
	for _, p := range r.policies { // of each its own: order does not matter
		for _, c := range p.classes {
			classes[p.kind()+" "+c.Word(len(c.Words)-1)] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.classMaps)) {
		if c := r.classMaps[key]; !classes[key] && len(r.policies) > 0 {
			r.Loose = append(r.Loose, netconf.Loose{Place: netconf.Place{File: c.line.File, Line: c.line.Number}, Text: "class-map " + key,
				QoS: true})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.policies)) {
		p := r.policies[key]
		if p.used {
			continue
		}
		at := netconf.Place{File: p.line.File, Line: p.line.Number}
		scratch := &reader{source: newSource(&netconf.Parsed{}), classMaps: r.classMaps,
			pause: map[uint8]*pausing{}}
		scratch.lines = r.lines
		switch out := (&netconf.Profile{}); p.kind() {
		case "network-qos":
			scratch.network(p)
		case "qos":
			scratch.classification(&port{}, p, out)
		default:
			scratch.queues(&port{}, p, strings.Contains(p.text(), "c-in-q"), out)
		}
		r.Loose = append(r.Loose, netconf.Loose{Place: at, Text: p.line.Text(0), QoS: true, Pauses: len(scratch.pause) > 0})
		r.Problems, r.Slips = append(r.Problems, scratch.Problems...), append(r.Slips, scratch.Slips...)
		for _, u := range scratch.Unread {
			r.NotUnderstood(u)
		}
	}
}

// kind is the type of a policy.
func (p *policy) kind() string {
	if len(p.line.Words) == 2 {
		return "qos"
	}
	return p.line.Word(2)
}

// bundled gives a port what its port channel says.
func (r *reader) bundled(here *netconf.Interface) {
	at, known := r.at[fmt.Sprintf("port-channel%d", here.Channel)]
	if here.Channel == 0 || !known {
		return
	}
	p, b := r.ports[at], &r.Device.Interfaces[at]
	here.MTU, here.VLAN, here.Trunk = cmp.Or(here.MTU, p.mtu), cmp.Or(here.VLAN, b.VLAN), here.Trunk || b.Trunk
	if len(here.Allowed) == 0 {
		here.Allowed = b.Allowed
	}
	own := r.ports[r.at[here.Name]]
	for what, l := range p.refs {
		if own.refs[what] == nil {
			own.refs[what] = l
		}
	}
	if own.pfcLine == nil {
		own.pfc, own.pfcLine = p.pfc, p.pfcLine
	}
}

// text is the classes of a policy.
func (p *policy) text() (all string) {
	for _, c := range p.classes {
		all += c.Text(0) + "\n"
	}
	return all
}

// find returns the policy that a line attaches; nil: there is none of that name.
func (r *reader) find(ref *line, kind string) *policy {
	last := len(ref.Words) - 1
	p := r.policies[kind+" "+ref.Word(last)]
	if ref.Word(last) == "no-stats" {
		last--
		p = r.policies[kind+" "+ref.Word(last)]
	}
	if p == nil {
		if kind == "network-qos" && strings.HasPrefix(ref.Word(last), "default-") { // the platform's
			return nil
		}
		r.NoSuch(netconf.AboutQoS, len(r.policies) > 0, netconf.Place{File: ref.File, Line: ref.Number},
			"no policy-map type %s %s", kind,
			ref.Word(last))
		return nil
	}
	p.used = true
	return p
}

// network reads what a network-qos policy says of qos-groups.
func (r *reader) network(p *policy) {
	for _, c := range p.classes {
		if !c.Is("class", "type", "network-qos") || len(c.Words) != 4 {
			r.Unknown(c)
			continue
		}
		tc, ok := r.group(c, 3, "network-qos", "c-8q-nq")
		if !ok {
			continue
		}
		for _, b := range c.Below {
			switch {
			case b.Is("mtu") && len(b.Words) == 2: // ports of a Nexus 9000 have their own: Cisco 118994
				if _, ok := r.whole(b, 1, leastMTU, mostMTU); ok {
					r.At(b, "mtu")
				}
			case b.Text(0) == "pause no-drop":
				r.pause[tc] = &pausing{tc, b}
			case b.Is("pause", "pfc-cos") && len(b.Words) == 3:
				if v, ok := r.whole(b, 2, 0, netconf.Classes-1); ok {
					r.pause[tc] = &pausing{uint8(v), b}
				}
			case b.Is("pause", "buffer-size"):
			default:
				r.Tell(b, knownOfClass)
			}
			r.None(b)
		}
	}
}

// group is the qos-group of a class of a policy: of one that is predefined, or of a class map.
func (r *reader) group(l *line, word int, kind, predefined string) (uint8, bool) {
	label := l.Word(word)
	if text, ok := strings.CutPrefix(label, predefined); ok {
		if text == "-default" {
			return 0, true
		}
		if v, err := strconv.Atoi(text); err == nil && v >= 0 && v < netconf.Classes {
			return uint8(v), true
		}
	}
	if label == "class-default" {
		return 0, true
	}
	if m := r.classMaps[kind+" "+label]; m != nil && m.group >= 0 {
		return uint8(m.group), true
	}
	r.Missing(netconf.AboutQoS, netconf.Place{File: l.File, Line: l.Number}, "",
		"class %s: no class of that name, want %s1 to %s7, or one of a class-map with match qos-group", label,
		predefined, predefined)
	return 0, false
}

// profile is how a port treats classes.
func (r *reader) profile(p *port) (out netconf.Profile) {
	if ref := p.refs["qos input"]; ref != nil {
		if of := r.find(ref, "qos"); of != nil {
			r.classification(p, of, &out)
		}
	} else if ref := r.system["qos input"]; ref != nil {
		if of := r.find(ref, "qos"); of != nil {
			r.classification(p, of, &out)
		}
	}
	for _, direction := range []string{"queuing output", "queuing input"} {
		ref := p.refs[direction]
		if ref == nil {
			ref = r.system[direction]
		}
		if ref != nil {
			if of := r.find(ref, "queuing"); of != nil {
				r.queues(p, of, direction == "queuing input", &out)
			}
		}
	}
	for tc, said := range r.pause {
		class(&out, tc).Pause = &netconf.Pause{Priority: said.priority, Buffer: bufferAt(&out, tc)}
		r.At(said.line, "interface %s tc %d pause", p.name, tc)
	}
	for i := range out.Classes {
		if c := &out.Classes[i]; c.Pause != nil && r.pause[c.TC] == nil { // a buffer, and no pause that would need it
			c.Pause = nil
		}
	}
	slices.SortFunc(out.Classes, func(a, b netconf.Class) int { return int(a.TC) - int(b.TC) })
	out.Tidy()
	return out
}

func bufferAt(p *netconf.Profile, tc uint8) *netconf.Buffer {
	if c := p.Class(tc); c != nil {
		return c.Buffer()
	}
	return nil
}

// class is one of a profile; it is added where it is not there.
func class(p *netconf.Profile, tc uint8) *netconf.Class {
	if c := p.Class(tc); c != nil {
		return c
	}
	p.Classes = append(p.Classes, netconf.Class{TC: tc, Queue: tc})
	return &p.Classes[len(p.Classes)-1]
}

// classification reads a policy of type qos. The first class that matches counts.
func (r *reader) classification(p *port, of *policy, out *netconf.Profile) {
	var taken [netconf.CodePoints]bool
	for _, c := range of.classes {
		label := c.Word(len(c.Words) - 1)
		m := r.classMaps["qos "+label]
		switch {
		case !c.Is("class"):
			r.Unknown(c)
			continue
		case m == nil && label != "class-default":
			r.Missing(netconf.AboutQoS, netconf.Place{File: c.File, Line: c.Number}, "",
				"no class-map type qos %s", label)
			continue
		}
		for _, b := range c.Below {
			r.None(b)
			if !b.Is("set", "qos-group") || len(b.Words) != 3 {
				r.Tell(b, []string{"set dscp", "set cos", "set precedence", "police", "set traffic-class"})
				continue
			}
			v, ok := r.whole(b, 2, 0, netconf.Classes-1)
			if !ok {
				continue
			}
			for d := range out.Classify {
				if !taken[d] && (m == nil || slices.Contains(m.dscp, d)) {
					out.Classify[d], taken[d] = uint8(v), true
					if m != nil {
						r.At(m.line, "interface %s dscp %d", p.name, d)
					}
				}
			}
			line := b
			if m != nil {
				line = m.line
			}
			r.At(line, "interface %s tc %d dscp", p.name, v)
		}
	}
}

// queues reads a policy of type queuing.
func (r *reader) queues(p *port, of *policy, ingress bool, out *netconf.Profile) {
	predefined := "c-out-8q-q"
	if ingress {
		predefined = "c-in-q"
	}
	for _, l := range of.classes {
		if !l.Is("class", "type", "queuing") || len(l.Words) != 4 {
			r.Unknown(l)
			continue
		}
		tc, ok := r.group(l, 3, "queuing", predefined)
		if !ok {
			continue
		}
		c := class(out, tc)
		r.At(l, "interface %s tc %d queue", p.name, tc)
		for _, b := range l.Below {
			r.None(b)
			if ingress {
				r.ingressLine(b, c)
			} else {
				r.egressLine(p, b, c)
			}
		}
	}
}

func (r *reader) egressLine(p *port, b *line, c *netconf.Class) {
	switch {
	case b.Text(0) == "priority level 1":
		c.Strict, c.Share = true, 0
	case b.Is("bandwidth", "remaining", "percent") && len(b.Words) == 4:
		c.Share, _ = r.whole(b, 3, 0, 100)
	case b.Is("bandwidth", "percent") && len(b.Words) == 3:
		c.Share, _ = r.whole(b, 2, 0, 100)
	case b.Is("random-detect", "minimum-threshold"):
		r.detect(p, b, c)
	case b.Is("random-detect"):
		r.Slip("Q14", b, "%s on a line of its own: thresholds and ecn belong on one line, want random-detect "+
			"minimum-threshold ... maximum-threshold ... drop-probability ... weight 0 ecn", b.Text(0))
	case b.Is("pause"):
		r.Slip("Q14", b, "%s in a queuing policy has no effect, want it in one of type network-qos", b.Text(0))
	case b.Is("bandwidth", "remaining"), b.Is("bandwidth", "percent"), b.Is("priority", "level"):
		r.Unknown(b)
	default:
		r.Tell(b, knownOfClass)
	}
}

// detect reads random-detect minimum-threshold N kbytes maximum-threshold N kbytes drop-probability N weight N [ecn].
func (r *reader) detect(p *port, b *line, c *netconf.Class) {
	e := netconf.ECN{Drops: true}
	for i := 1; i < len(b.Words); i++ {
		switch b.Word(i) {
		case "minimum-threshold", "maximum-threshold":
			v, ok := r.amount(b, i+1)
			if !ok {
				return
			}
			if b.Word(i) == "minimum-threshold" {
				e.Min = v
			} else {
				e.Max = v
			}
			i += 2
		case "drop-probability":
			v, ok := r.whole(b, i+1, 0, 100)
			if !ok {
				return
			}
			e.Probability = v
			i++
		case "weight":
			if _, ok := r.whole(b, i+1, 0, 15); !ok {
				return
			}
			i++
		case "ecn":
			e.Drops = false
		default:
			r.Wrong(b, i, "%s is not understood here", b.Word(i))
			return
		}
	}
	if e.Min > 0 && e.Max == 0 {
		r.Slip("Q14", b, "random-detect has no maximum-threshold: thresholds belong on one line")
		return
	}
	c.ECN = &e
	r.At(b, "interface %s tc %d ecn", p.name, c.TC)
}

// scales are units of thresholds.
var scales = map[string]unit.Bytes{"bytes": unit.Byte, "kbytes": unit.Kilobyte, "mbytes": unit.Megabyte}

// amount reads a threshold and its unit.
func (r *reader) amount(b *line, word int) (unit.Bytes, bool) {
	scale, known := scales[b.Word(word+1)]
	if !known {
		r.Wrong(b, min(word+1, len(b.Words)-1), "%q: want bytes, kbytes or mbytes", b.Word(word+1))
		return 0, false
	}
	v, ok := r.whole(b, word, 0, 1_000_000_000)
	return unit.Bytes(v) * scale, ok
}

// ingressLine reads [pause] buffer-size N pause-threshold N resume-threshold N, in bytes.
func (r *reader) ingressLine(b *line, c *netconf.Class) {
	at := 0
	if b.Is("pause") {
		at = 1
	}
	if b.Word(at) != "buffer-size" || b.Word(at+2) != "pause-threshold" || b.Word(at+4) != "resume-threshold" ||
		len(b.Words) != at+6 {
		r.Unknown(b)
		return
	}
	size, ok1 := r.whole(b, at+1, 0, 1_000_000_000)
	pause, ok2 := r.whole(b, at+3, 1, 1_000_000_000)
	resume, ok3 := r.whole(b, at+5, 0, 1_000_000_000)
	switch {
	case !ok1 || !ok2 || !ok3:
	case pause > size || resume > pause:
		r.Wrong(b, at+3, "pause-threshold %d: want at least resume-threshold, %d, and at most buffer-size, %d", pause,
			resume, size)
	default:
		c.Pause = &netconf.Pause{Buffer: &netconf.Buffer{XOFF: unit.Bytes(pause), Resume: unit.Bytes(pause - resume),
			Headroom: unit.Bytes(size - pause)}}
	}
}
