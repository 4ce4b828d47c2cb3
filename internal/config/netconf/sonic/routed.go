package sonic

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/frr"
	"railyard/internal/config/netconf/lines"
)

// bgpFile is FRR's own file on SONiC, which counts where DEVICE_METADATA says that its configuration is
// kept there.
const (
	bgpFile = "frr/frr.conf"
	keptBy  = "split-unified"
)

// The tables of addresses: a key for each interface, and one for each of its addresses.
const (
	loopbacks = "LOOPBACK_INTERFACE"
	svis      = "VLAN_INTERFACE"
	addressed = "INTERFACE"
	vlans     = "VLAN"
	members   = "VLAN_MEMBER"
	// Read alone:
	channels   = "PORTCHANNEL_MEMBER"
	channelled = "PORTCHANNEL_INTERFACE"
	speakers   = "BGP_NEIGHBOR"
)

func (w *writer) metadata() {
	values := fields{"hostname", w.d.Name}
	if w.d.BGP != nil {
		values = append(values, "docker_routing_config_mode", keptBy)
	}
	w.set("DEVICE_METADATA", "localhost", values...)
}

// routed writes VLANs and addresses.
func (w *writer) routed() {
	var ids []int
	for i := range w.d.Interfaces {
		if id := w.d.Interfaces[i].VLAN; id > 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		w.set(vlans, vlanName(id), "vlanid", strconv.Itoa(id))
	}
	for i := range w.d.Interfaces {
		here := &w.d.Interfaces[i]
		switch {
		case here.Kind == netconf.Loopback:
			w.addresses(loopbacks, here.Name, here.Addresses)
		case here.Kind == netconf.SVI:
			w.addresses(svis, here.Name, here.Addresses)
		case here.VLAN > 0:
			w.set(members, vlanName(here.VLAN)+"|"+portName(here), "tagging_mode", "untagged")
		case len(here.Addresses) > 0:
			w.addresses(addressed, portName(here), here.Addresses)
		}
	}
}

func vlanName(id int) string { return "Vlan" + strconv.Itoa(id) }

func (w *writer) addresses(table, name string, all []netip.Prefix) {
	w.set(table, name)
	for _, a := range all {
		w.set(table, name+"|"+a.String())
	}
}

// speak is the BGP of a device in FRR's words. They name no port.
func speak(d *netconf.Device) (netconf.File, error) {
	files, err := frr.Dialect{}.Render(&netconf.Device{Name: d.Name, BGP: d.BGP})
	if err != nil {
		return netconf.File{}, err
	}
	return netconf.File{Name: bgpFile, Text: files[0].Text}, nil
}

// bgp reads what FRR's file says.
func (r *reader) bgp(f netconf.File) {
	p := frr.Dialect{}.Parse([]netconf.File{{Name: f.Name, Text: f.Text}})
	r.Device.BGP = p.Device.BGP
	r.Problems = append(r.Problems, p.Problems...)
	for _, u := range p.Unread {
		r.NotUnderstood(u)
	}
	r.Lines.Understood, r.Lines.Known = r.Lines.Understood+p.Lines.Understood, r.Lines.Known+p.Lines.Known
	r.Lines.Unread += p.Lines.Unread - len(p.Unread)
	for what, at := range p.Places {
		r.Places[what] = at
	}
}

// isBGP reports whether a file is FRR's rather than a database.
func isBGP(f netconf.File) bool { return strings.HasSuffix(f.Name, ".conf") }

// routed reads VLANs and addresses.
func (r *reader) routed() {
	known := map[int]bool{}
	r.objects(vlans, func(o *node) {
		if id, ok := r.vlan(o, o.key); ok {
			known[id] = true
			if text := o.field("vlanid"); text != "" && text != strconv.Itoa(id) {
				r.wrong(o, "%s: vlanid %s, want %d", o.key, located.Shown(text), id)
			}
		}
	})
	r.objects(members, func(o *node) {
		name, port, _ := strings.Cut(o.key, "|")
		id, ok := r.vlan(o, name)
		if strings.HasPrefix(port, "PortChannel") {
			return // of its ports nothing else is said
		}
		here := r.port(o, port, "")
		switch tag := o.field("tagging_mode"); {
		case !ok || here == nil:
		case !known[id]:
			r.missing(o, "%s: no %s %s", o.key, vlans, name)
		case tag == "tagged":
			here.Trunk = true
		case tag == "":
			r.missing(o, "%s: no tagging_mode: want untagged or tagged", o.key)
		case tag != "untagged":
			r.wrong(o, "%s: tagging_mode %s: want untagged or tagged", o.key, located.Shown(tag))
		case here.VLAN != 0 && here.VLAN != id:
			r.wrong(o, "%s: a second VLAN beside %d", o.key, here.VLAN)
		default:
			here.VLAN = id
			r.say(o, "interface %s vlan", here.Name)
		}
	})
	r.table(loopbacks, func(o *node, name string) *netconf.Interface {
		if !strings.HasPrefix(name, "Loopback") {
			r.wrong(o, "%s: want a loopback, such as Loopback0", located.Shown(name))
			return nil
		}
		return r.virtual(o, netconf.Interface{Name: name, Kind: netconf.Loopback})
	})
	r.table(svis, func(o *node, name string) *netconf.Interface {
		id, ok := r.vlan(o, name)
		if ok && !known[id] {
			r.missing(o, "%s: no %s %s", o.key, vlans, name)
		}
		if !ok {
			return nil
		}
		return r.virtual(o, netconf.Interface{Name: name, Kind: netconf.SVI, VLAN: id})
	})
	r.table(addressed, func(o *node, name string) *netconf.Interface {
		if strings.Contains(name, ".") { // a part of a port for a VLAN
			return nil
		}
		here := r.port(o, name, "")
		if here != nil && here.VLAN != 0 {
			r.wrong(o, "%s: routed, and a member of VLAN %d", o.key, here.VLAN)
			return nil
		}
		return here
	})
}

// missing is wrong for what is not there.
func (r *reader) missing(o *node, format string, args ...any) {
	r.Missing(netconf.AboutRouting, netconf.Place{File: r.file, Line: o.line}, "", format, args...)
}

// sessions reads what tables say of port channels and BGP: FRR's own file, where there is one, says it in their place.
func (r *reader) sessions() {
	r.table(channelled, func(o *node, name string) *netconf.Interface {
		return r.virtual(o, netconf.Interface{Name: name, Kind: netconf.Bundle})
	})
	r.objects(channels, func(o *node) {
		name, port, _ := strings.Cut(o.key, "|")
		n, err := strconv.Atoi(strings.TrimPrefix(name, "PortChannel"))
		if at, there := r.ports[port]; there && err == nil && n > 0 {
			r.Device.Interfaces[at].Channel = n
		}
	})
	if r.tables[speakers] == nil || r.Device.BGP != nil || r.metadataOf == nil {
		return
	}
	as, err := lines.AS(r.metadataOf.field("bgp_asn"))
	if err != nil {
		return
	}
	// As SONiC's template of FRR's file has it: docker-fpm-frr, bgpd.main.conf.j2.
	b := &netconf.BGP{AS: as, MaximumPaths: 64, Relax: true, Connected: true, Keepalive: 60 * unit.Second, Hold: 180 * unit.Second}
	r.Device.BGP = b
	r.say(r.metadataOf, "bgp")
	r.objects(speakers, func(o *node) {
		text := o.key[strings.LastIndex(o.key, "|")+1:]
		a, err := lines.Address(text)
		as, err2 := lines.AS(o.field("asn"))
		if err != nil {
			r.wrong(o, "%v", err)
			return
		}
		n := netconf.Neighbour{Address: a, AS: as, Description: o.field("name"),
			Down: o.field("admin_status") == "down"}
		if err2 != nil {
			r.missing(o, "neighbour %v: no asn", a)
		}
		n.Down = n.Down || err2 == nil && as == 0
		b.Neighbours = append(b.Neighbours, n)
		r.say(o, "neighbour %v", a)
	})
	r.objects("BGP_PEER_RANGE", func(o *node) {
		for _, f := range o.below {
			if !f.isList() {
				continue
			}
			for _, x := range f.below {
				if p, err := netip.ParsePrefix(x.text); err == nil {
					b.Listen = append(b.Listen, p.Masked())
				}
			}
		}
	})
}

// table reads a table of addresses.
func (r *reader) table(name string, interfaceOf func(o *node, name string) *netconf.Interface) {
	r.objects(name, func(o *node) {
		port, text, addressed := strings.Cut(o.key, "|")
		here := interfaceOf(o, port)
		if here == nil || !addressed {
			return
		}
		a, err := netip.ParsePrefix(text)
		if err != nil || a.Addr().Is4In6() || slices.Contains(here.Addresses, a) {
			r.wrong(o, "%s: %s: want an address with the length of its subnet, once", port, located.Shown(text))
			return
		}
		here.Addresses = append(here.Addresses, a)
		r.say(o, "interface %s address %v", here.Name, a)
	})
}

// virtual returns an SVI or a loopback, which is made at its first line.
func (r *reader) virtual(o *node, i netconf.Interface) *netconf.Interface {
	at, known := r.named[i.Name]
	if !known {
		at = len(r.Device.Interfaces)
		r.named[i.Name] = at
		r.Device.Interfaces = append(r.Device.Interfaces, i)
		r.say(o, "interface %s", i.Name)
	}
	return &r.Device.Interfaces[at]
}

// vlan reads Vlan101.
func (r *reader) vlan(o *node, name string) (int, bool) {
	id, err := strconv.Atoi(strings.TrimPrefix(name, "Vlan"))
	if err != nil || id < 1 || id > 4094 || name != vlanName(id) {
		r.wrong(o, "%s: want Vlan1 to Vlan4094", located.Shown(name))
		return 0, false
	}
	return id, true
}

// checkRouted refuses what has no place in the tables.
func (w *writer) checkRouted(i *netconf.Interface) {
	switch {
	case i.Kind == netconf.Loopback && i.Name != "Loopback0" || i.Kind == netconf.SVI && i.Name != vlanName(i.VLAN):
		w.Refuse("%s %s: want Loopback0 or VlanN", i.Kind, i.Name)
	case i.Kind != netconf.Physical && (i.MTU != 0 || i.Description != "" || i.QoS != nil):
		w.Refuse("%s: MTU, description and quality of service of an SVI or a loopback are not rendered", i.Name)
	case i.Kind == netconf.Physical && i.VLAN != 0 && len(i.Addresses) > 0:
		w.Refuse("%s: an address and VLAN %d, want one of them", i.Name, i.VLAN)
	case i.VLAN < 0 || i.VLAN > 4094:
		w.Refuse("%s: VLAN %d, want 1 to 4094", i.Name, i.VLAN)
	}
}
