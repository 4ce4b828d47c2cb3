package hostinfo

import (
	"net/netip"
	"slices"
	"strings"

	"railyard/internal/base/lazy"
	"railyard/internal/config/lldp"
)

// linkHead begins an interface of ip: 2: eth0@if5: <BROADCAST,UP> mtu 9000 qdisc mq state UP ...
var linkHead = lazy.Regexp(`^[0-9]{1,8}: ([^ :@]{1,64})(?:@[^ :]{1,64})?: <([A-Z0-9_,-]*)> mtu ([0-9]{1,6})\b`)

// ofLink are first words of what is below an interface.
var ofLink = map[string]bool{"inet": true, "inet6": true, "valid_lft": true, "altname": true}

// ipAddr reads ip addr and ip link.
func (r *reader) ipAddr(lines []line) {
	var n *Netdev
	brief := slices.ContainsFunc(r.args, func(a string) bool { return strings.HasPrefix(a, "-br") })
	for _, l := range lines {
		at := r.at(l)
		if brief {
			r.count(r.briefLink(l), l)
			continue
		}
		if l.text[0] >= '0' && l.text[0] <= '9' { // what is below may have lost its blanks
			m := linkHead().FindStringSubmatch(l.text)
			if n = nil; m == nil || !word(m[1]) {
				r.unread(l)
				continue
			}
			n = r.h.netdevAt(m[1], at)
			if mtu, ok := number(m[3], 10, 0, 1<<16); ok {
				say(&n.MTU, mtu, at)
			}
			flags := "," + m[2] + ","
			say(&n.Up, strings.Contains(flags, ",UP,") && strings.Contains(flags, ",LOWER_UP,"), at)
			if master := field(strings.Fields(l.text), "master"); master != "" {
				say(&n.Master, master, at)
			}
			r.took()
			continue
		}
		words := strings.Fields(l.text)
		if blank := l.text[0] == ' ' || l.text[0] == '\t'; !blank && !ofLink[words[0]] && !strings.HasPrefix(words[0], "link/") {
			n = nil
		}
		switch {
		case n == nil:
			r.unread(l)
		case words[0] == "inet" || words[0] == "inet6":
			var p netip.Prefix
			var err error
			if len(words) > 1 {
				text := words[1]
				if !strings.Contains(text, "/") { // of a tunnel: ADDRESS peer ADDRESS/BITS
					text += map[string]string{"inet": "/32", "inet6": "/128"}[words[0]]
				}
				p, err = netip.ParsePrefix(text)
			}
			if ok := len(words) > 1 && err == nil; ok && len(n.Addresses) < 256 {
				n.Addresses = append(n.Addresses, Said[netip.Prefix]{p, at})
				r.took()
			} else {
				r.count(ok, l)
			}
		case strings.HasPrefix(words[0], "link/"):
			if len(words) > 1 && words[0] == "link/ether" {
				say(&n.MAC, words[1], at)
			}
			r.count(len(words) > 1 || words[0] == "link/none", l)
		default:
			r.other()
		}
	}
}

// operStates are those of RFC 2863 as ip prints them.
var operStates = []string{"UP", "DOWN", "UNKNOWN", "DORMANT", "LOWERLAYERDOWN", "NOTPRESENT", "TESTING"}

// briefLink reads a line of ip -br: NAME STATE and addresses, or of links MAC and flags.
func (r *reader) briefLink(l line) bool {
	words := strings.Fields(l.text)
	name, _, _ := strings.Cut(words[0], "@")
	if len(words) < 2 || !word(name) || !slices.Contains(operStates, words[1]) {
		return false
	}
	var all []netip.Prefix
	mac := ""
	for k, w := range words[2:] {
		p, err := netip.ParsePrefix(w)
		switch {
		case err == nil:
			all = append(all, p)
		case k == 0 && strings.Count(w, ":") >= 5:
			mac = w
		case mac == "" || !strings.HasPrefix(w, "<"):
			return false
		}
	}
	at := r.at(l)
	n := r.h.netdevAt(name, at)
	if words[1] == "UP" || words[1] == "DOWN" {
		say(&n.Up, words[1] == "UP", at)
	}
	if mac != "" {
		say(&n.MAC, mac, at)
	}
	for _, p := range all {
		if len(n.Addresses) < 256 {
			n.Addresses = append(n.Addresses, Said[netip.Prefix]{p, at})
		}
	}
	return true
}

// routeTypes are words before a destination (ip-route(8)).
var routeTypes = map[string]bool{"unicast": true, "local": true, "broadcast": true, "multicast": true, "anycast": true,
	"unreachable": true, "blackhole": true, "prohibit": true, "throw": true, "nat": true}

// prefixOf reads a destination: default, all, 10.0.0.0/24, 10.0.0.1. A default without a family is IPv4's.
func prefixOf(text string, six bool) (netip.Prefix, bool) {
	switch text {
	case "default":
		if six {
			return netip.PrefixFrom(netip.IPv6Unspecified(), 0), true
		}
		return netip.PrefixFrom(netip.IPv4Unspecified(), 0), true
	}
	if !strings.Contains(text, "/") {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return netip.Prefix{}, false
		}
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	p, err := netip.ParsePrefix(text)
	return p, err == nil
}

// ipRoute reads ip route, of one table or of all.
func (r *reader) ipRoute(lines []line) {
	six, ofTable := false, "main"
	for k, a := range r.args {
		six = six || a == "-6"
		if a == "table" && k+1 < len(r.args) && r.args[k+1] != "all" {
			ofTable = r.args[k+1]
		}
	}
	var last *Route
	for _, l := range lines {
		words := strings.Fields(l.text)
		if words[0] == "nexthop" { // another way to the same
			dev := field(words, "dev")
			if last == nil || dev == "" {
				r.unread(l)
				continue
			}
			more := *last
			more.Dev, more.At = dev, r.at(l)
			r.h.addRoute(more)
			r.took()
			continue
		}
		last = nil
		if l.text[0] == ' ' || l.text[0] == '\t' {
			r.other()
			continue
		}
		kind := ""
		if routeTypes[words[0]] && len(words) > 1 {
			kind, words = words[0], words[1:]
		}
		to, ok := prefixOf(words[0], six || strings.Contains(l.text, "via fe80:") || strings.Contains(l.text, " pref medium"))
		if !ok {
			r.unread(l)
			continue
		}
		route := Route{To: to, Table: ofTable, Dev: field(words, "dev"), At: r.at(l)}
		if t := field(words, "table"); t != "" {
			route.Table = t
		}
		if via := field(words, "via"); via != "" {
			if via == "inet6" || via == "inet" {
				via = field(words, via)
			}
			a, err := netip.ParseAddr(via)
			if err != nil {
				r.unread(l)
				continue
			}
			route.Via = a
		}
		r.took()
		last = &route
		if (kind == "" || kind == "unicast") && route.Dev != "" {
			r.h.addRoute(route)
		}
	}
}

func (h *Host) addRoute(x Route) {
	if len(h.Routes) < mostRoutes {
		h.Routes = append(h.Routes, x)
	}
}

// ruleForm is a rule of ip: 100: from 10.0.0.1 lookup 101
var ruleForm = lazy.Regexp(`^([0-9]{1,10}):\s+(?:not )?from (\S+) (.*)$`)

// ipRule reads ip rule.
func (r *reader) ipRule(lines []line) {
	for _, l := range lines {
		m := ruleForm().FindStringSubmatch(strings.TrimSpace(l.text))
		if m == nil {
			r.unread(l)
			continue
		}
		words := strings.Fields(m[3])
		x := Rule{Table: field(words, "lookup"), At: r.at(l)}
		for _, key := range []string{"oif", "iif"} {
			if dev := field(words, key); dev != "" {
				x.Dev = dev
			}
		}
		ok := true
		if m[2] != "all" {
			x.From, ok = prefixOf(m[2], false)
		}
		if ok && x.Table != "" && len(r.h.Rules) < mostRoutes {
			r.h.Rules = append(r.h.Rules, x)
		}
		r.count(ok, l)
	}
}

// ipNeigh reads ip neigh: that it is a table is all that is asked of it.
func (r *reader) ipNeigh(lines []line) {
	for _, l := range lines {
		words := strings.Fields(l.text)
		_, err := netip.ParseAddr(words[0])
		r.count(err == nil && (field(words, "dev") != "" || field(words, "lladdr") != ""), l)
	}
}

// sysctl reads names and values: net.ipv4.conf.all.rp_filter = 2
func (r *reader) sysctl(lines []line) {
	for _, l := range lines {
		key, value, ok := strings.Cut(l.text, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !ok || !word(key):
			r.unread(l)
		case strings.HasPrefix(key, "net.ipv4.conf."):
			if len(r.h.Sysctl) < 10*mostThings {
				if _, known := r.h.Sysctl[key]; !known {
					r.h.Sysctl[key] = Said[string]{value, r.at(l)}
				}
			}
			_, fine := number(value, 10, -1<<31, 1<<31)
			r.count(fine, l)
		default:
			r.other()
		}
	}
}

// lldp reads what the host hears.
func (r *reader) lldp(lines []line) {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	all, err := lldp.Parse(b.String())
	if err != nil {
		if len(lines) > 0 && !onlyRules(lines) {
			r.unread(lines[0])
			r.h.Lines.Known += len(lines) - 1
		}
		return
	}
	for _, d := range all {
		r.h.Heard = append(r.h.Heard, d.Neighbours...)
	}
	r.h.HeardAt = r.at(lines[0])
	r.h.Lines.Understood += len(lines)
}

// onlyRules reports whether lldpctl has printed its heading and nobody.
func onlyRules(lines []line) bool {
	for _, l := range lines {
		if t := strings.Trim(l.text, "- "); t != "" && t != "LLDP neighbors:" {
			return false
		}
	}
	return true
}

// bonding reads /proc/net/bonding/NAME.
func (r *reader) bonding(lines []line) {
	n := (*Netdev)(nil)
	if k := strings.LastIndexByte(r.dev, '/'); k >= 0 && word(r.dev[k+1:]) {
		n = r.h.netdevAt(r.dev[k+1:], r.at(lines0(lines)))
	}
	for _, l := range lines {
		key, value, ok := strings.Cut(strings.TrimSpace(l.text), ": ")
		switch {
		case ok && key == "Bonding Mode":
			if n != nil {
				say(&n.Bond, value, r.at(l))
			}
			r.took()
		case ok && key == "Slave Interface" && word(value):
			slave := r.h.netdevAt(value, r.at(l))
			if n != nil {
				say(&slave.Master, n.Name, r.at(l))
			}
			r.took()
		default:
			r.other()
		}
	}
}

// lines0 is the first of some lines.
func lines0(lines []line) line {
	if len(lines) == 0 {
		return line{n: 1}
	}
	return lines[0]
}
