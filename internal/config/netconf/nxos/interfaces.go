package nxos

import (
	"slices"
	"strconv"
	"strings"

	"railyard/internal/config/netconf"
)

// interfacesOf reads an interface, or a range: Ethernet1/1-4,Ethernet1/7. Ethernet 2/24 is Ethernet2/24.
func (r *reader) interfacesOf(l *line) {
	if i, ok := virtual(l.Text(1)); ok {
		r.interfaceOf(l, i)
		return
	}
	text := strings.ToLower(strings.ReplaceAll(l.Text(1), " ", ""))
	if n, ok := strings.CutPrefix(text, "port-channel"); ok && strings.Trim(n, "0123456789") == "" && n != "" {
		r.interfaceOf(l, netconf.Interface{Name: "port-channel" + n, Kind: netconf.Bundle})
		return
	}
	if strings.HasPrefix(text, "mgmt") || strings.HasPrefix(text, "nve") || strings.HasPrefix(text, "tunnel") ||
		strings.Contains(text, ".") {
		r.Known(l)
		return
	}
	names, ok := portNames(strings.ReplaceAll(l.Text(1), " ", ""))
	switch {
	case !ok:
		r.Unknown(l)
	case names == nil:
		r.Wrong(l, 1, "%s: want ports such as Ethernet1/1-4, at most %d", l.Text(1), mostPorts)
	}
	for _, name := range names {
		r.interfaceOf(l, netconf.Interface{Name: name})
	}
}

// mostPorts bounds a range.
const mostPorts = 512

// portNames are those of a range, none if its bounds are none; false: it is no range of ports.
func portNames(text string) (names []string, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(longName(part), "-")
		at := strings.LastIndexAny(first, "t/") + 1 // behind Ethernet, or the last stroke
		low, err := strconv.Atoi(first[at:])
		if !strings.HasPrefix(first, "Ethernet") || err != nil || low < 1 {
			return nil, false
		}
		high := low
		if ranged {
			if high, err = strconv.Atoi(last[strings.LastIndexAny(last, "t/")+1:]); err != nil {
				return nil, false
			}
		}
		if high < low || high-low+len(names) >= mostPorts {
			return nil, true
		}
		for n := low; n <= high; n++ {
			names = append(names, first[:at]+strconv.Itoa(n))
		}
	}
	return names, true
}

func (r *reader) interfaceOf(l *line, i netconf.Interface) {
	p := &port{name: i.Name, line: l, refs: map[string]*line{}}
	at, known := r.at[p.name]
	if known { // said in two places: the second adds
		p = r.ports[at]
	} else {
		at = len(r.Device.Interfaces)
		r.at[p.name] = at
		r.ports, r.Device.Interfaces = append(r.ports, p), append(r.Device.Interfaces, i)
		r.At(l, "interface %s", p.name)
	}
	here := &r.Device.Interfaces[at]
	r.port = i.Name
	if strings.ContainsAny(l.Text(1), ",-") {
		r.port = ""
	}
	defer func() { r.port = "" }()
	if here.Kind != netconf.Physical && here.Kind != netconf.Bundle {
		for _, b := range l.Below {
			if !r.addressLine(p, here, b) {
				r.Tell(b, knownOnInterface)
				continue
			}
			r.None(b)
		}
		return
	}
	r.bind(l.Below, p.refs, func(b *line) bool { return r.addressLine(p, here, b) || r.portLine(p, here, b) })
}

// portLine reads a line of an interface that attaches no policy; false: it is not understood.
func (r *reader) portLine(p *port, here *netconf.Interface, b *line) bool {
	switch text := b.Text(0); {
	case text == "no lldp transmit", text == "no lldp receive":
		here.LLDP.Silent = true
		r.At(b, "interface %s lldp", p.name)
	case text == "lldp dcbx version ieee":
		here.LLDP.DCBX = netconf.DCBXIEEE
		r.At(b, "interface %s dcbx", p.name)
	case text == "lldp dcbx version cee":
		here.LLDP.DCBX = netconf.DCBXCEE
		r.At(b, "interface %s dcbx", p.name)
	case b.Is("priority-flow-control", "mode") && (len(b.Words) == 3 || len(b.Words) == 4 && b.Word(3) == "send-tlv"):
		mode := slices.Index([]string{"off", "on", "auto"}, b.Word(2))
		if mode < 0 {
			r.Wrong(b, 2, "%q: want on, off or auto", b.Word(2))
			break
		}
		p.pfc, p.pfcLine = netconf.PFCMode(mode), b
	case text == "no priority-flow-control mode on", text == "no priority-flow-control mode":
		p.pfc, p.pfcLine = netconf.PFCAuto, b
	case text == "flowcontrol receive on", text == "flowcontrol send on":
		r.Slip("Q09", b, "flowcontrol pauses the whole link: no class goes on")
	case b.Is("priority-flow-control"):
		return r.watchdogLine(b, func(on bool) { p.watchdog, p.wdLine = on, b })
	default:
		return false
	}
	return true
}
