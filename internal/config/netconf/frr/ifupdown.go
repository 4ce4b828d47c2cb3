package frr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// A bridge is the one that knows VLANs.
type bridge struct {
	line  *lines.Line // nil: there is none
	aware bool
	ports []string
	vids  []string
}

// The blocks of the file of ifupdown2.
var (
	ifupdown = &block{Known: []string{"source", "source-directory", "allow-hotplug", "allow-auto", "auto",
		"iface NAME inet dhcp", "iface NAME inet6",
		"iface mgmt", "mapping", "template", "iface eth0"}, Rules: []rule{
		{Pattern: "auto NAME"},
		{Pattern: "iface lo inet loopback", Enter: inIface, Do: func(r *reader, l *lines.Line) error {
			r.at, r.end = r.port("lo",
				l), nil
			return nil
		}},
		{Pattern: "iface bridge", Enter: inBridge, Do: func(r *reader, l *lines.Line) error {
			r.bridge.line = l
			r.say(l, "bridge")
			return nil
		}},
		{Pattern: "iface NAME", Enter: inIface, Do: func(r *reader, l *lines.Line) error {
			if r.startEnd(l) {
				return nil
			}
			if r.at = r.port(l.Args[0], l); r.at == nil {
				r.at = &netconf.Interface{}
				return errf("%s: not the name of an interface", located.Shown(l.Args[0]))
			}
			return nil
		}},
		{Pattern: "iface NAME inet static", Enter: inIface, Do: func(r *reader, l *lines.Line) error {
			r.end = nil
			if r.at = r.port(l.Args[0], l); r.at == nil {
				r.at = &netconf.Interface{}
				return errf("%s: not the name of an interface", located.Shown(l.Args[0]))
			}
			return nil
		}},
	}}
	inBridge = &block{Known: []string{"bridge-pvid", "bridge-stp", "bridge-mcsnoop", "bridge-ageing",
		"bridge-mcquerier", "hwaddress", "mtu",
		"bridge-vlan-protocol", "bridge-waitport", "bridge-fd"}, Rules: []rule{
		{Pattern: "bridge-vlan-aware yes", Do: func(r *reader,
			_ *lines.Line) error {
			r.bridge.aware = true
			return nil
		}},
		{Pattern: "bridge-ports NAMES...", Do: func(r *reader, l *lines.Line) error {
			r.bridge.ports = append(r.bridge.ports, strings.Fields(l.Args[0])...)
			return nil
		}},
		{Pattern: "bridge-vids IDS...", Do: func(r *reader, l *lines.Line) error {
			for _, id := range strings.Fields(l.Args[0]) {
				if _, err := lines.Whole(id, 1, 4094); err != nil {
					return err
				}
				r.bridge.vids = append(r.bridge.vids, id)
			}
			return nil
		}},
	}}
	inIface = &block{OfPort: true, Known: []string{"alias", "link-autoneg", "link-fec", "link-duplex", "bond-",
		"mstpctl-", "up", "down", "pre-up", "post-up",
		"address-virtual", "gateway", "vrf", "clag-id", "clagd-", "ip-forward", "ip6-forward", "bridge-pvid",
		"bridge-vids", "es-sys-mac", "bridge-allow-untagged",
		"bond-slaves", "bond-mode", "bond-lacp-rate", "bond-miimon", "mstpctl-bpduguard",
		"mstpctl-portadminedge", "mstpctl-portbpdufilter", "clagd-peer-ip",
		"clagd-backup-ip", "clagd-sys-mac", "clagd-priority", "clagd-args", "bond-lacp-bypass-allow",
		"dns-nameserver", "vlan-protocol", "ipv6-addrgen",
		"bridge-learning", "bridge-arp-nd-suppress", "vxlan-", "netmask", "link-down", "bond-xmit-hash-policy"},
		Rules: append([]rule{
			{Pattern: "mtu BYTES", Do: func(r *reader, l *lines.Line) error {
				n, err := lines.Whole(l.Args[0], 46, 65535)
				if r.end != nil {
					r.end.mtu = unit.Bytes(n) + 18
				}
				r.at.MTU = unit.Bytes(n) + 18
				return err
			}},
			{Pattern: "link-speed MEGABITS", Do: func(r *reader, l *lines.Line) error {
				n, err := lines.Whole(l.Args[0], 1, 10_000_000)
				r.at.Speed = unit.Bitrate(n) * unit.MegabitPerSec
				return err
			}},
			{Pattern: "bridge-access ID", Do: func(r *reader, l *lines.Line) error {
				n, err := lines.Whole(l.Args[0], 1, 4094)
				if r.end != nil {
					r.end.vlan = int(n)
					return err
				}
				if r.at.Kind != netconf.Physical {
					return errf("bridge-access on %s, want a port", r.at.Name)
				}
				r.at.VLAN = int(n)
				return err
			}},
			{Pattern: "vlan-id ID", Do: func(r *reader, l *lines.Line) error {
				if r.at.Kind != netconf.SVI || l.Args[0] != strconv.Itoa(r.at.VLAN) {
					return errf("vlan-id %s on %s, want it on an SVI of that number", located.Shown(l.Args[0]), r.at.Name)
				}
				return nil
			}},
			{Pattern: "vlan-raw-device NAME"},
			{Pattern: "address PREFIX", Do: func(r *reader, l *lines.Line) error {
				return r.addressed(l,
					strings.Contains(l.Args[0], ":"))
			}},
			{Pattern: "hwaddress MAC", Do: func(r *reader, l *lines.Line) error {
				if r.at.Kind != netconf.SVI || !isMAC.MatchString(strings.ToLower(l.Args[0])) {
					return errf("hwaddress %s on %s, want six pairs of hexadecimal digits with colons, on an SVI",
						located.Shown(l.Args[0]), r.at.Name)
				}
				r.at.MAC = strings.ToLower(l.Args[0])
				return nil
			}},
			{Pattern: "arp-accept on"},
		}, onEnd...)}
)

// finishBridge checks that the bridge has the ports and VLANs that interfaces say they are in.
func (r *reader) finishBridge() {
	var ports, vids []string
	for _, name := range r.order {
		i := r.interfaces[name]
		if i.VLAN == 0 {
			continue
		}
		vids = append(vids, strconv.Itoa(i.VLAN))
		if i.Kind == netconf.Physical {
			ports = append(ports, name)
			if len(i.Addresses) > 0 {
				r.late("interface "+i.Name, fmt.Sprintf("an address on a port of VLAN %d", i.VLAN))
			}
		}
	}
	for _, e := range r.ends {
		ports = append(ports, tunnelName(e.number))
	}
	switch {
	case r.bridge.line == nil && len(ports)+len(vids) == 0:
		return
	case r.bridge.line == nil && !r.linux: // the file of bridges is not here
		return
	case r.bridge.line == nil:
		r.missing("interface "+r.firstIn(0), "no bridge for its VLAN")
		return
	case !r.bridge.aware:
		r.missing("bridge", "not aware of VLANs, want bridge-vlan-aware yes")
	}
	r.same("port", r.bridge.ports, ports)
	r.same("VLAN", r.bridge.vids, vids)
}

// firstIn names the first interface that is in a VLAN, 0: in any; "": there is none.
func (r *reader) firstIn(vlan int) string {
	for _, name := range r.order {
		if i := r.interfaces[name]; i.VLAN != 0 && (vlan == 0 || i.VLAN == vlan) {
			return i.Name
		}
	}
	return ""
}

// same reports what only one of the bridge and the interfaces has.
func (r *reader) same(what string, of, want []string) {
	slices.Sort(of)
	slices.Sort(want)
	of, want = slices.Compact(of), slices.Compact(want)
	for _, name := range of {
		if !slices.Contains(want, name) {
			r.missing("bridge", fmt.Sprintf("%s %s, which no interface has", what, located.Shown(name)))
		}
	}
	for _, name := range want {
		if !slices.Contains(of, name) {
			r.missing("bridge", fmt.Sprintf("no %s %s, which an interface has", what, name))
		}
	}
}
