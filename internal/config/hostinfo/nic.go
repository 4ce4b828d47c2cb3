package hostinfo

import (
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/lazy"
	"railyard/internal/config/netconf"
)

// pair cuts "Key:   value".
func pair(text string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(strings.TrimSpace(text), ":")
	return strings.TrimSpace(key), strings.TrimSpace(value), ok
}

// ofDev is the interface that a section of ethtool is about, by its first line ("Settings for eth0:") or its command.
func (r *reader) ofDev(lines []line, before string) (*Netdev, []line) {
	if len(lines) > 0 {
		if rest, is := strings.CutPrefix(lines[0].text, before); is && before != "" {
			if name := strings.TrimSuffix(strings.TrimSpace(rest), ":"); word(name) {
				r.took()
				return r.h.netdevAt(name, r.at(lines[0])), lines[1:]
			}
		}
	}
	if r.dev != "" {
		return r.h.netdevAt(r.dev, r.at(lines0(lines))), lines
	}
	return nil, lines
}

// settings reads ethtool DEV.
func (r *reader) settings(lines []line) {
	n, lines := r.ofDev(lines, "Settings for ")
	for _, l := range lines {
		key, value, ok := pair(l.text)
		switch {
		case !ok || n == nil:
			r.other()
		case key == "Speed":
			x, fine := number(strings.TrimSuffix(value, "Mb/s"), 10, 0, 10_000_000)
			if fine {
				say(&n.Speed, x, r.at(l))
			}
			r.count(fine || strings.HasPrefix(value, "Unknown"), l)
		case key == "Link detected":
			r.count(value == "yes" || strings.HasPrefix(value, "no"), l)
		default:
			r.other()
		}
	}
}

// driverOf reads ethtool -i.
func (r *reader) driverOf(lines []line) {
	n, lines := r.ofDev(lines, "")
	if n == nil {
		n = &Netdev{}
	}
	for _, l := range lines {
		key, value, ok := pair(l.text)
		switch {
		case !ok:
			r.unread(l)
		case key == "driver":
			say(&n.Driver, value, r.at(l))
			r.count(word(value), l)
		case key == "firmware-version":
			fw, _, _ := strings.Cut(value, " ")
			if word(fw) && fw != "N/A" {
				say(&n.Firmware, fw, r.at(l))
			}
			r.took()
		case key == "bus-info":
			if a := address(value); a != "" && n.PCI == "" {
				n.PCI = a
			}
			r.took()
		default:
			r.other()
		}
	}
}

// features reads ethtool -k: names of features are of no matter yet, its form is.
func (r *reader) features(lines []line) {
	_, lines = r.ofDev(lines, "Features for ")
	for _, l := range lines {
		_, value, ok := pair(l.text)
		r.count(ok && (strings.HasPrefix(value, "on") || strings.HasPrefix(value, "off")), l)
	}
}

// stats reads ethtool -S.
func (r *reader) stats(lines []line) {
	n, lines := r.ofDev(lines, "")
	for _, l := range lines {
		key, value, ok := pair(l.text)
		switch {
		case key == "NIC statistics" && value == "":
			r.took()
		case !ok || !word(key) || n == nil:
			r.unread(l)
		case strings.Contains(value, ": "): // of a ring: [0]: rx_ucast_packets: 12
			name, count, _ := strings.Cut(value, ": ")
			if _, fine := count64(count); fine && word(name) {
				r.other()
			} else {
				r.unread(l)
			}
		default:
			x, fine := count64(value)
			if fine && worth(key) {
				sayIn(n.Counters, key, x, r.at(l))
			}
			r.count(fine || strings.HasPrefix(value, "-") || strings.HasPrefix(value, "0x"), l)
		}
	}
}

// worth reports whether a counter is kept: those of physical ports and priorities, of discards and errors.
func worth(name string) bool {
	for _, part := range []string{"phy", "prio", "pause", "discard", "err", "drop", "buffer", "pcs", "fec",
		"out_of", "link_down"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// rings reads ethtool -g: what stands behind the second heading is how it is.
func (r *reader) rings(lines []line) {
	n, lines := r.ofDev(lines, "Ring parameters for ")
	current := false
	for _, l := range lines {
		key, value, ok := pair(l.text)
		switch {
		case strings.HasPrefix(key, "Current hardware settings"):
			current = true
			r.took()
		case !ok:
			r.other()
		case key == "RX" && current && n != nil:
			x, fine := number(value, 10, 0, 1<<24)
			if fine {
				say(&n.RingRx, x, r.at(l))
			}
			r.count(fine || value == "n/a", l)
		default:
			r.other()
		}
	}
}

// pauses reads ethtool -a.
func (r *reader) pauses(lines []line) {
	n, lines := r.ofDev(lines, "Pause parameters for ")
	for _, l := range lines {
		key, value, ok := pair(l.text)
		switch on := value == "on"; {
		case ok && n != nil && key == "RX":
			if on || value == "off" {
				say(&n.RxPause, on, r.at(l))
			}
			r.count(on || value == "off", l)
		case ok && n != nil && key == "TX":
			if on || value == "off" {
				say(&n.TxPause, on, r.at(l))
			}
			r.count(on || value == "off", l)
		default:
			r.other()
		}
	}
}

// lengthForm is a length of a cable: 3m, 0.5m, 2km
var lengthForm = lazy.Regexp(`^([0-9]{1,5}(?:\.[0-9]{1,3})?) ?(m|km)$`)

// cables reads ethtool -m. The longest of its lengths is the cable's: modules say 0 for media that they are not.
func (r *reader) cables(lines []line) {
	n, lines := r.ofDev(lines, "")
	for _, l := range lines {
		key, value, ok := pair(l.text)
		copper := strings.Contains(key, "Copper") || strings.Contains(key, "assembly length") ||
			strings.HasPrefix(key, "Length (Passive")
		switch {
		case !ok || n == nil || !copper:
			r.other() // lengths by fibre are what a module can reach, not what is there
		default:
			m := lengthForm().FindStringSubmatch(value)
			if m != nil {
				x, _ := strconv.ParseFloat(m[1], 64)
				if m[2] == "km" {
					x *= 1000
				}
				if x > 0 {
					say(&n.Cable, int(x*10+0.5), r.at(l))
				}
			}
			r.count(m != nil, l)
		}
	}
}

// mlnxQoS reads mlnx_qos -i DEV.
func (r *reader) mlnxQoS(lines []line) {
	n, lines := r.ofDev(lines, "")
	if n == nil {
		n = &Netdev{Priority: map[int]Said[int]{}}
	}
	for _, l := range lines {
		at, t := r.at(l), strings.TrimSpace(l.text)
		switch {
		case strings.HasPrefix(t, "Priority trust state:"):
			_, value, _ := pair(t)
			if value == "dscp" || value == "pcp" {
				say(&n.Trust, value, at)
			}
			r.count(value == "dscp" || value == "pcp" || value == "none", l)
		case strings.HasPrefix(t, "prio:"):
			head, list, ok := strings.Cut(t, "dscp:")
			prio, fine := number(strings.TrimSpace(strings.TrimPrefix(head, "prio:")), 10, 0, 7)
			for _, d := range strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' }) {
				x, is := number(d, 10, 0, 63)
				if fine = fine && is; fine {
					sayIn(n.Priority, x, prio, at)
				}
			}
			r.count(ok && fine, l)
		case strings.HasPrefix(t, "enabled "):
			r.count(pfcRow(n, strings.Fields(t)[1:], at), l)
		case strings.HasPrefix(t, "DCBX mode:"):
			_, value, _ := pair(t)
			who, rest, _ := strings.Cut(strings.ToLower(value), " ")
			known := rest == "controlled" && (who == "os" || who == "firmware")
			if known {
				say(&n.DCBX, who, at)
			}
			r.count(known, l)
		case strings.HasPrefix(t, "Cable len:"):
			r.took()
		default:
			r.other()
		}
	}
}

// pfcRow reads 0 or 1 for each of eight priorities.
func pfcRow(n *Netdev, words []string, at netconf.Place) bool {
	if len(words) != 8 {
		return false
	}
	var on [8]bool
	for k, w := range words {
		x, ok := number(w, 10, 0, 1)
		if !ok {
			return false
		}
		on[k] = x == 1
	}
	say(&n.PFC, on, at)
	return true
}

// dcb reads what dcb pfc, app, apptrust, ets and buffer show (dcb(8)).
func (r *reader) dcb(lines []line) {
	n, lines := r.ofDev(lines, "")
	for _, l := range lines {
		words := strings.Fields(l.text)
		at := r.at(l)
		switch {
		case n == nil:
			r.other()
		case slices.Contains(words, "prio-pfc"): // a line of its own, or between pfc-cap and delay
			on, ok := prioPFC(words[slices.Index(words, "prio-pfc")+1:])
			if ok {
				say(&n.PFC, on, at)
			}
			r.count(ok, l)
		case words[0] == "dscp-prio":
			ok := true
			for _, w := range words[1:] {
				d, p, cut := strings.Cut(w, ":")
				dscp, is := dscpOf(d)
				prio, fine := number(p, 10, 0, 7)
				if ok = ok && cut && is && fine; ok {
					sayIn(n.Priority, dscp, prio, at)
				}
			}
			r.count(ok, l)
		case words[0] == "order": // of dcb apptrust
			if len(words) > 1 {
				say(&n.Trust, words[1], at)
			}
			r.took()
		default:
			r.other()
		}
	}
}

// prioPFC reads on or off for each of eight priorities; what follows is no more of it.
func prioPFC(words []string) (on [8]bool, ok bool) {
	seen := 0
	for k, w := range words {
		p, state, cut := strings.Cut(w, ":")
		if k >= len(on) && !cut {
			break
		}
		x, fine := number(p, 10, 0, 7)
		if !cut || !fine || seen&(1<<x) != 0 || state != "on" && state != "off" {
			return on, false
		}
		seen |= 1 << x
		on[x] = state == "on"
	}
	return on, seen == 0xff
}

// dscpOf reads a DSCP as a number or by its name (RFC 2474, 2597, 3246).
func dscpOf(text string) (int, bool) {
	if x, ok := number(text, 0, 0, 63); ok {
		return x, true
	}
	if strings.EqualFold(text, "EF") {
		return 46, true
	}
	if rest, is := strings.CutPrefix(strings.ToUpper(text), "CS"); is {
		x, ok := number(rest, 10, 0, 7)
		return 8 * x, ok
	}
	if rest, is := strings.CutPrefix(strings.ToUpper(text), "AF"); is && len(rest) == 2 {
		class, ok := number(rest[:1], 10, 1, 4)
		drop, fine := number(rest[1:], 10, 1, 3)
		return 8*class + 2*drop, ok && fine
	}
	return 0, false
}
