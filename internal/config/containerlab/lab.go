package containerlab

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/frr"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
)

// A File is one of the lab's, by its path below the lab's folder.
type File struct {
	Name string
	Text []byte
}

// The images, whose tags are pinned: FRR is the version whose words package frr knows.
const (
	switchImage = "frrouting/frr:v8.4.1"
	hostImage   = "alpine:3.20"
)

// TopologyFile is the name of a lab's topology file.
func TopologyFile(name string) string { return word(name) + ".clab.yml" }

// Lab is the lab of an inventory whose switches are devices, in its order. The first file is the topology.
func Lab(name string, in *inventory.Inventory, devices []netconf.Device) ([]File, error) {
	l := &lab{in: in, devices: map[string]*netconf.Device{}}
	for i := range devices {
		l.devices[devices[i].Name] = &devices[i]
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	fmt.Fprintf(&l.b, "name: %s\n\ntopology:\n  defaults: {kind: linux}\n\n  nodes:\n", word(name))
	for id := range in.Graph.Nodes {
		if err := l.node(topo.NodeID(id)); err != nil {
			return nil, err
		}
	}
	l.b.WriteString("\n  links:\n")
	for i, link := range in.Graph.Links {
		a, b := topo.PortID(2*i), topo.PortID(2*i+1)
		fmt.Fprintf(&l.b, "    - endpoints: [%q, %q] # %v\n", l.end(a), l.end(b), link.Rate)
	}
	return append([]File{{TopologyFile(name), l.b.Bytes()}}, l.files...), nil
}

// lab is a lab in the making.
type lab struct {
	in      *inventory.Inventory
	devices map[string]*netconf.Device
	b       bytes.Buffer
	files   []File
}

// check says all that a lab of bridges cannot be.
func (l *lab) check() (err error) {
	if l.in.Overlay() {
		err = errors.Join(err, errors.New("VXLAN: a lab has bridges without tunnels, want another fabric.encapsulation"))
	}
	for i := range l.in.Devices {
		if d := &l.in.Devices[i]; len(d.Peers) > 0 {
			err = errors.Join(err, fmt.Errorf("%s: its hosts are bonded to several switches, which a lab of bridges is not", d.Name))
			break
		}
	}
	return err
}

// nodeName is what a node is called in the lab and in its files.
func (l *lab) nodeName(id topo.NodeID) string { return l.in.Graph.Nodes[id].Name }

// interfaceOf is the name of a port: that of the switch's configuration, or eth1, eth2 of a host.
func (l *lab) interfaceOf(p topo.PortID) string {
	g := l.in.Graph
	n := &g.Nodes[g.Ports[p].Node]
	if n.Kind != topo.HostKind {
		return frr.PortName(l.in.Ports[p].Name.String())
	}
	for k, own := range n.Ports {
		if own == p {
			return fmt.Sprintf("eth%d", k+1)
		}
	}
	return ""
}

func (l *lab) end(p topo.PortID) string {
	return l.nodeName(l.in.Graph.Ports[p].Node) + ":" + l.interfaceOf(p)
}

// node writes a node. Each waits for those above it, so that what a host sends finds a fabric.
func (l *lab) node(id topo.NodeID) error {
	g := l.in.Graph
	n := &g.Nodes[id]
	image := hostImage
	if n.Kind != topo.HostKind {
		image = switchImage
	}
	fmt.Fprintf(&l.b, "    %q:\n      image: %s\n      group: %v\n", n.Name, image, n.Kind)
	l.waits(id)
	if n.Kind == topo.HostKind {
		l.host(id)
		return nil
	}
	return l.fabricSwitch(id)
}

func (l *lab) waits(id topo.NodeID) {
	g := l.in.Graph
	var above []string
	seen := map[topo.NodeID]bool{}
	for _, p := range g.Nodes[id].Ports {
		far := g.Ports[g.Peer(p)].Node
		if g.Nodes[far].Tier > g.Nodes[id].Tier && !seen[far] {
			seen[far] = true
			above = append(above, fmt.Sprintf("{node: %q, stage: create}", g.Nodes[far].Name))
		}
	}
	if len(above) > 0 {
		fmt.Fprintf(&l.b, "      stages: {create: {wait-for: [%s]}}\n", strings.Join(above, ", "))
	}
}

// list writes a list of texts.
func (l *lab) list(key string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(&l.b, "      %s:\n", key)
	for _, item := range items {
		fmt.Fprintf(&l.b, "        - %s\n", item)
	}
}

// fabricSwitch binds what FRR reads, and makes what it takes for granted: bridges for VLANs, ports that are up.
func (l *lab) fabricSwitch(id topo.NodeID) error {
	name := l.nodeName(id)
	d := l.devices[name]
	if d == nil {
		return fmt.Errorf("%s: no configuration", name)
	}
	fitting, _ := frr.Dialect{}.Fit(d)
	rendered, err := frr.Dialect{}.Render(fitting)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var binds []string
	var daemons []byte // none: nobody speaks BGP
	add := func(file string, text []byte) {
		l.files = append(l.files, File{path.Join(name, file), text})
		binds = append(binds, fmt.Sprintf("%s/%s:/etc/frr/%s", name, file, file))
	}
	for _, f := range rendered {
		switch base := path.Base(f.Name); base {
		case "frr.conf":
			add(base, f.Text)
		case "daemons":
			daemons = f.Text
		}
	}
	add("daemons", append(bytes.Clone(daemons), "vtysh_enable=yes\n"...))
	add("vtysh.conf", []byte("service integrated-vtysh-config\n"))
	l.list("binds", binds)
	l.b.WriteString("      sysctls:\n        net.ipv4.ip_forward: 1\n        net.ipv4.fib_multipath_hash_policy: 1\n")
	if l.in.Options.IPv6 {
		l.b.WriteString("        net.ipv6.conf.all.forwarding: 1\n        net.ipv6.conf.all.disable_ipv6: 0\n")
	}
	mtu := inventory.IPMTU(l.in.Options.MTU)
	var run []string
	for _, r := range l.in.Devices[id].Rails {
		run = append(run, fmt.Sprintf("ip link add vlan%d type bridge", r.VLAN))
	}
	for _, p := range l.in.Graph.Nodes[id].Ports {
		port := l.interfaceOf(p)
		run = append(run, fmt.Sprintf("ip link set %s mtu %d", port, mtu))
		if vlan := l.in.Ports[p].VLAN; vlan > 0 {
			run = append(run, fmt.Sprintf("ip link set %s master vlan%d", port, vlan))
		}
		run = append(run, fmt.Sprintf("ip link set %s up", port))
	}
	for _, r := range l.in.Devices[id].Rails {
		run = append(run, fmt.Sprintf("ip link set vlan%d up", r.VLAN))
	}
	l.list("exec", run)
	return nil
}

// firstTable is the routing table of a host's first NIC: each NIC answers for itself.
const firstTable = 101

// host gives each NIC its address, and a table of its own, so that what leaves from its address leaves by it.
func (l *lab) host(id topo.NodeID) {
	g := l.in.Graph
	l.b.WriteString("      sysctls: {net.ipv4.conf.all.arp_ignore: 1, net.ipv4.conf.all.arp_announce: 2, net.ipv4.conf.all.rp_filter: 2}\n")
	mtu := inventory.IPMTU(l.in.Options.MTU)
	var run []string
	for k, p := range g.Nodes[id].Ports {
		port, a := l.interfaceOf(p), l.in.Ports[p].Address.V4
		run = append(run, fmt.Sprintf("ip link set %s mtu %d", port, mtu), fmt.Sprintf("ip link set %s up", port))
		if !a.IsValid() {
			continue
		}
		run = append(run, fmt.Sprintf("ip address add %v dev %s", a, port))
		table := firstTable + k
		run = append(run, fmt.Sprintf("ip rule add from %v table %d", a.Addr(), table),
			fmt.Sprintf("ip route add %v dev %s table %d", a.Masked(), port, table))
		gateway, routed := l.gateway(p)
		if !routed {
			continue
		}
		run = append(run, fmt.Sprintf("ip route add default via %v dev %s table %d", gateway, port, table))
		if k == 0 { // containerlab's own network has the default route
			run = append(run, fmt.Sprintf("ip route add %v via %v dev %s", l.in.Options.Pools.Hosts.Masked(), gateway, port))
		}
	}
	l.list("exec", run)
}

// gateway is where a NIC sends what is not in its subnet.
func (l *lab) gateway(p topo.PortID) (string, bool) {
	nic := l.in.Graph.Ports[p].NIC
	if nic < 0 {
		return "", false
	}
	a, routed := l.in.Gateway(topo.NICID(nic))
	return a.V4.Addr().String(), routed
}

// word is a name of letters, digits and dashes.
func word(name string) string {
	text := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
	if text = strings.Trim(text, "-"); text == "" {
		return "lab"
	}
	return text
}
