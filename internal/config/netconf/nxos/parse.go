package nxos

import (
	"bytes"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// A reader keeps what has been read until all of it is there: policies are named before or after
// they are used.
type reader struct {
	*source
	classMaps map[string]*classMap // by type and name
	policies  map[string]*policy   // by type and name
	system    map[string]*line     // by type of policy, with its direction
	ports     []*port
	at        map[string]int // by name: which of ports
	pause     map[uint8]*pausing
	routing   routing
}

type classMap struct {
	dscp  []int
	group int // of types queuing and network-qos
	line  *line
}

// A policy is a policy map: what it says of classes, by their names.
type policy struct {
	line    *line
	classes []*line
	used    bool
}

// A port is what an interface refers to.
type port struct {
	name            string
	line            *line
	refs            map[string]*line // by type of policy, with its direction
	pfc             netconf.PFCMode
	pfcLine, wdLine *line
	watchdog        bool
	mtu             unit.Bytes   // its own; 0: not said
	bfd             *netconf.BFD // its own; nil: the device's
}

type pausing struct {
	priority uint8
	line     *line
}

// Parse reads the files of a device as one.
func (Dialect) Parse(files []netconf.File) *netconf.Parsed {
	r := &reader{
		source:    newSource(&netconf.Parsed{}),
		classMaps: map[string]*classMap{}, policies: map[string]*policy{}, system: map[string]*line{},
		pause: map[uint8]*pausing{},
		routing: routing{features: map[string]bool{}, vlans: map[int]bool{1: true},
			templates: map[string]*session{}, sessionOf: map[netip.Addr]int{}},
		at: map[string]int{},
	}
	r.Names, r.Defaults = map[string]string{}, defaults
	for _, f := range files {
		pending := false
		text, over := lines.Bounded(f.Name, f.Text)
		r.Problems = append(r.Problems, over...)
		all := blocks(f.Name, lines.WithoutBanners(text, banner))
		for _, l := range all {
			if pending = r.dump(l, pending); !pending {
				r.top(l)
			}
		}
		r.count(all)
	}
	r.assemble()
	return r.Parsed
}

// banner finds the text of banner motd #, up to the same character.
func banner(line []byte) (from int, end string) {
	words := bytes.Fields(line)
	if len(words) < 3 || string(words[0]) != "banner" || !slices.Contains([]string{"motd", "exec"},
		string(words[1])) {
		return 0, ""
	}
	mark, size := utf8.DecodeRune(words[2])
	at := bytes.Index(line, words[1]) + len(words[1])
	return at + bytes.IndexRune(line[at:], mark) + size, string(mark)
}

// dump reads what a switch says of commands that wait for a reload, after the line of a prompt that asks for them:
// they stand on lines of their own, with rulers and a title around them. It reports whether a line is of that.
func (r *reader) dump(l *line, within bool) bool {
	text := l.Text(0)
	switch {
	case strings.HasSuffix(text, "# show system config reload-pending"):
	case !within || strings.Contains(text, "# "):
		return false
	case l.Is("hardware"):
		r.Slip("Q17", l,
			"%s has no effect until the switch is reloaded: copy running-config startup-config, then reload", text)
		return true
	case strings.Trim(text, "=-") != "" && !strings.HasSuffix(text, ":"):
		r.Unknown(l)
		return true
	}
	for _, b := range l.Below {
		r.dump(b, true)
	}
	return true
}

func (r *reader) top(l *line) {
	d := r.Device
	switch {
	case (l.Is("hostname") || l.Is("switchname")) && len(l.Words) == 2:
		d.Name = l.Word(1)
		r.At(l, "hostname")
		r.None(l)
	case l.Is("feature") && slices.Contains(features, l.Text(1)):
		r.routing.features[l.Word(1)] = true
		r.None(l)
	case (l.Is("feature") || l.Is("nv", "overlay")) && slices.Contains(otherFeatures, l.Text(1)):
		r.Known(l)
	case l.Is("vlan") && len(l.Words) == 2:
		r.vlan(l)
	case l.Is("bfd", "interval"):
		r.routing.bfd = r.watch(l)
		r.None(l)
	case l.Is("vpc", "domain") && len(l.Words) == 3:
		r.vpcDomain(l)
	case l.Is("interface") && r.channel(l):
	case l.Is("router", "bgp") && len(l.Words) == 3:
		r.bgp(l)
	case l.Is("feature", "lldp") && len(l.Words) == 2:
		d.LLDP = &netconf.LLDP{On: true, DCBX: r.dcbx()}
		r.At(l, "lldp")
		r.None(l)
	case l.Text(0) == "no lldp tlv-select dcbxp":
		if d.LLDP == nil {
			d.LLDP = &netconf.LLDP{}
		}
		d.LLDP.DCBX = netconf.DCBXOff
		r.At(l, "dcbx")
		r.None(l)
	case l.Is("class-map", "type", "control-plane"), l.Is("policy-map", "type", "control-plane"):
		r.Known(l)
	case l.Is("class-map", "type"), l.Is("class-map") && len(l.Words) < 4:
		r.classMap(l)
	case l.Is("policy-map", "type") && len(l.Words) == 4 && slices.Contains(policyTypes, l.Word(2)):
		r.policies[l.Word(2)+" "+l.Word(3)] = &policy{line: l, classes: l.Below}
	case l.Is("policy-map") && len(l.Words) == 2: // of type qos
		r.policies["qos "+l.Word(1)] = &policy{line: l, classes: l.Below}
	case l.Text(0) == "system qos":
		r.bind(l.Below, r.system, func(b *line) bool { return false })
	case l.Is("priority-flow-control"):
		r.globalPFC(l)
		r.None(l)
	case l.Is("ip", "load-sharing", "address"):
		r.sharing(l)
	case l.Text(0) == "hardware profile dlb":
		r.dlb(l)
	case l.Is("interface") && len(l.Words) > 1:
		r.interfacesOf(l)
	default:
		r.Tell(l, knownAtTop)
	}
}

var policyTypes = []string{"qos", "queuing", "network-qos"}

// dcbx is what was said of DCBX before LLDP was.
func (r *reader) dcbx() netconf.DCBX {
	if r.Device.LLDP == nil {
		return netconf.DCBXDefault
	}
	return r.Device.LLDP.DCBX
}

// classMap reads class-map type T [match-any] NAME.
func (r *reader) classMap(l *line) {
	kind, label := l.Word(2), l.Word(len(l.Words)-1)
	if !l.Is("class-map", "type") { // of type qos
		short := *l
		short.Words = append([]located.Word{l.Words[0], {Text: "type"}, {Text: "qos"}}, l.Words[1:]...)
		kind, l = "qos", &short
	}
	if !slices.Contains(policyTypes, kind) || len(l.Words) < 4 || len(l.Words) > 5 {
		r.Unknown(l)
		return
	}
	all := l.Word(3) == "match-all"
	if len(l.Words) == 5 && !all && l.Word(3) != "match-any" {
		r.Wrong(l, 3, "%s, want match-any", l.Word(3))
	}
	c := &classMap{line: l, group: -1}
	cos := false
	for _, b := range l.Below {
		switch {
		case b.Is("match", "dscp") && kind == "qos" && len(b.Words) > 2:
			c.dscp = append(c.dscp, r.numbers(b, 2, netconf.CodePoints-1)...)
		case b.Is("match", "cos") && kind == "qos":
			cos = true
		case b.Is("description"):
		case b.Is("match", "qos-group") && kind != "qos" && len(b.Words) == 3:
			if g := r.numbers(b, 2, netconf.Classes-1); len(g) == 1 {
				c.group = g[0]
			}
		default:
			r.Unknown(b)
		}
		r.None(b)
	}
	if all && cos && len(c.dscp) > 0 {
		r.Slip("Q14", l,
			"class map %s wants a packet's DSCP and its CoS: a routed packet has no CoS, so none matches, "+
				"want match-any", label)
		c.dscp = nil
	} else if cos { // which packets have a tag is in no model
		r.Tagged = true
	}
	r.classMaps[kind+" "+label] = c
}

// numbers reads 24 or 24-31,48 from the words from the n-th on.
func (r *reader) numbers(l *line, n, most int) (all []int) {
	for i := n; i < len(l.Words); i++ {
		for part := range strings.SplitSeq(l.Word(i), ",") {
			if part == "" {
				continue
			}
			low, high, ranged := strings.Cut(part, "-")
			a, ok := number1(low, most)
			b, ok2 := a, ok
			if ranged {
				b, ok2 = number1(high, most)
			}
			if !ok || !ok2 || b < a {
				r.Wrong(l, i, "%s: want a number from 0 to %d, or a range", part, most)
				return all
			}
			for v := a; v <= b; v++ {
				all = append(all, v)
			}
		}
	}
	return all
}

// code points that have names (RFC 2474, RFC 2597, RFC 3246).
var codePoints = map[string]int{
	"default": 0, "cs1": 8, "cs2": 16, "cs3": 24, "cs4": 32, "cs5": 40, "cs6": 48, "cs7": 56, "ef": 46,
	"af11": 10, "af12": 12, "af13": 14, "af21": 18, "af22": 20, "af23": 22, "af31": 26, "af32": 28, "af33": 30,
	"af41": 34, "af42": 36, "af43": 38,
}

func number1(text string, most int) (int, bool) {
	if v, named := codePoints[text]; named && most == netconf.CodePoints-1 {
		return v, true
	}
	v, err := strconv.Atoi(text)
	return v, err == nil && v >= 0 && v <= most
}

// whole reads the n-th word as a number.
func (r *reader) whole(l *line, n, least, most int) (int, bool) {
	v, err := strconv.Atoi(l.Word(n))
	if err != nil || v < least || v > most {
		r.Wrong(l, n, "%q: want a number from %d to %d", l.Word(n), least, most)
		return 0, false
	}
	return v, true
}

// bind reads the lines that attach policies, and gives others to who knows them.
func (r *reader) bind(lines []*line, refs map[string]*line, other func(*line) bool) {
	for _, b := range lines {
		switch {
		case b.Is("service-policy", "type", "network-qos") && len(b.Words) == 4:
			refs["network-qos"] = b
		case b.Is("service-policy", "type") && (len(b.Words) == 5 || len(b.Words) == 6 && b.Word(5) == "no-stats") &&
			slices.Contains(directions, b.Word(2)+" "+b.Word(3)):
			refs[b.Word(2)+" "+b.Word(3)] = b
		case b.Is("service-policy", "input") && len(b.Words) == 3: // of type qos
			refs["qos input"] = b
		default:
			if !other(b) {
				r.Tell(b, knownOnInterface)
				continue
			}
		}
		r.None(b)
	}
}

var directions = []string{"qos input", "queuing input", "queuing output"}

// globalPFC reads the watchdog of all ports.
func (r *reader) globalPFC(l *line) {
	if !r.watchdogLine(l, func(on bool) {
		r.qos().Watchdog.On = on
		r.At(l, "watchdog")
	}) {
		r.Tell(l, []string{"priority-flow-control watch-dog", "priority-flow-control auto-restore",
			"priority-flow-control fixed-restore",
			"priority-flow-control recover", "priority-flow-control override-interface"})
	}
}

// watchdogLine reads the forms of the watchdog; false: it is none of them.
func (r *reader) watchdogLine(l *line, set func(on bool)) bool {
	switch {
	case l.Text(0) == "priority-flow-control watch-dog", l.Is("priority-flow-control", "watch-dog", "on"):
		r.Slip("Q21", l, "watch-dog alone is no command of the platform, want watch-dog-interval on")
	case !l.Is("priority-flow-control", "watch-dog-interval") || len(l.Words) != 3:
		return false
	case l.Word(2) == "on", l.Word(2) == "off":
		set(l.Word(2) == "on")
	default:
		r.Slip("Q21", l, "watch-dog-interval takes on or off, not %s: the watchdog stays off", l.Word(2))
	}
	return true
}

func (r *reader) qos() *netconf.QoS {
	if r.Device.QoS == nil {
		r.Device.QoS = &netconf.QoS{}
	}
	return r.Device.QoS
}

// sharing reads the hash of equal-cost paths.
func (r *reader) sharing(l *line) {
	const all = "source-destination port source-destination"
	rest := l.Text(3)
	b := &netconf.Balance{Method: "ecmp"}
	if seed, ok := strings.CutPrefix(rest, all+" universal-id "); ok && len(l.Words) == 8 {
		v, err := strconv.ParseUint(seed, 10, 32)
		if err != nil {
			r.Wrong(l, 7, "%q: want a number from 1 to 4294967295", seed)
		}
		b.Seed, rest = uint32(v), all
	}
	if rest != all {
		r.Unknown(l)
		return
	}
	if r.Device.Balance == nil { // dlb goes before it
		r.Device.Balance = b
		r.At(l, "balance")
	}
	r.None(l)
}

// dlb reads the book's example 12-1.
func (r *reader) dlb(l *line) {
	b := &netconf.Balance{Method: "dlb", Unit: "flowlet"}
	r.Device.Balance = b
	r.At(l, "balance")
	for _, s := range l.Below {
		switch {
		case s.Text(0) == "dlb-interface all":
			b.Ports = nil
		case s.Is("dlb-interface") && len(s.Words) > 1:
			for p := range strings.SplitSeq(strings.ReplaceAll(s.Text(1), " ", ""), ",") {
				b.Ports = append(b.Ports, longName(p))
			}
		case s.Is("mac-address") && len(s.Words) == 2:
			b.MAC = s.Word(1)
			r.At(s, "balance mac")
		case s.Text(0) == "mode per-packet", s.Text(0) == "mode policy-driven per-packet":
			b.Unit = "packet"
		case s.Text(0) == "mode flowlet":
			b.Unit = "flowlet"
		case s.Is("flowlet-aging") && len(s.Words) == 2:
			if v, ok := r.whole(s, 1, 1, 2_000_000); ok {
				b.Gap = unit.Duration(v) * unit.Microsecond
			}
		default:
			r.Unknown(s)
		}
		r.None(s)
	}
}

// longName writes Ethernet1/1 for Eth1/1 and e1/1.
func longName(p string) string {
	i := strings.IndexAny(p, "0123456789")
	if i > 0 && strings.HasPrefix("ethernet", strings.ToLower(p[:i])) {
		return "Ethernet" + p[i:]
	}
	return p
}
