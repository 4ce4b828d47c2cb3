package design

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/catalogue"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// A Layout is an option down to the last cable.
type Layout struct {
	Option   *Option
	Racks    []*Rack
	Cables   []Cable
	Findings located.Problems

	r        *scenario.Requirement
	machines map[string]*Device
	bill     bill
}

// A Cable is a link with its ends.
type Cable struct {
	Net    string
	Label  string
	From   End
	To     End
	Rate   unit.Bitrate
	Length unit.Length
	Medium *catalogue.Medium // nil: nothing reaches so far

	Between bool // of a dragonfly: joins two groups
}

// An End is where a cable is plugged in.
type End struct {
	Device *Device
	Port   string
}

// A drawn network is a graph with the device of each node: nil for places that nobody has taken.
type drawn struct {
	net     *Net
	graph   *topo.Graph
	ports   []inventory.PortName
	devices []*Device // by node
}

// Lay lays out an option that closes.
func Lay(r *scenario.Requirement, o *Option) (*Layout, error) {
	l := &Layout{Option: o, r: r, machines: map[string]*Device{}}
	var hosts, others []*Device
	for i := range r.Hosts() {
		d := &Device{Name: "host" + strconv.Itoa(i+1), Height: int(r.Host.Height), anchor: -1}
		hosts = append(hosts, d)
	}
	var all []*drawn
	for _, n := range o.Nets {
		w, err := l.draw(n, hosts, &others)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name, err)
		}
		all = append(all, w)
	}
	l.place(hosts, others)
	l.heightsLeft(others)
	for _, w := range all {
		l.cable(w)
	}
	l.equip(all)
	l.lint()
	return l, nil
}

// draw builds a network's graph, and its devices that are not there yet.
func (l *Layout) draw(n *Net, hosts []*Device, others *[]*Device) (*drawn, error) {
	g, err := n.graph(l.r.Host.GPUs)
	if err != nil {
		return nil, err
	}
	w := &drawn{net: n, graph: g, devices: make([]*Device, len(g.Nodes))}
	machines := l.machinesOf(n, hosts, others)
	for i, h := range g.Hosts {
		if i < len(machines) {
			w.devices[h.Node] = machines[i]
		}
	}
	w.ports, err = inventory.Ports(g, func(id topo.NodeID) inventory.Panel {
		m := n.model(l.r, g.Nodes[id].Kind)
		return inventory.Panel{Ports: m.Ports + m.Uplinks, Breakout: max(m.Breakout, 1), Rate: m.Rate, Uplinks: m.Uplinks}
	})
	if err != nil {
		return nil, err
	}
	for i := range g.Nodes {
		if node := &g.Nodes[i]; node.Kind != topo.HostKind {
			w.devices[i] = l.newSwitch(n, g, node)
			*others = append(*others, w.devices[i])
		}
	}
	return w, nil
}

// newSwitch makes the device of a switch. It is near the first host that it has a cable to.
func (l *Layout) newSwitch(n *Net, g *topo.Graph, node *topo.Node) *Device {
	m := n.model(l.r, node.Kind)
	d := &Device{Net: n.Name, Name: node.Name, Model: m.Name, anchor: -1}
	if n.Name != Backend {
		d.Name = n.Name + "-" + strings.Replace(node.Name, "rail", "leaf", 1)
	}
	d.setHeight(m.Height)
	for _, p := range node.Ports {
		if nic := g.Ports[p].NIC; nic >= 0 {
			if h := int(g.NICs[nic].Host); h < n.hosts && (d.anchor < 0 || h < d.anchor) {
				d.anchor = h
			}
		}
	}
	return d
}

// machinesOf lists what a network joins: hosts, nodes and, of management, the switches of the others.
func (l *Layout) machinesOf(n *Net, hosts []*Device, others *[]*Device) []*Device {
	all := append([]*Device(nil), hosts...)
	nodes := func(name string, count int) {
		for i := range count {
			d := l.machines[name+"-node"+strconv.Itoa(i+1)]
			if d == nil {
				d = &Device{Name: name + "-node" + strconv.Itoa(i+1), anchor: -1}
				d.setHeight(0)
				l.machines[d.Name] = d
				*others = append(*others, d)
			}
			all = append(all, d)
		}
	}
	switch n.Name {
	case Frontend:
		nodes(Frontend, l.r.Frontend.Nodes)
	case Storage:
		nodes(Storage, l.r.Storage.Nodes)
	case Management:
		nodes(Frontend, l.r.Frontend.Nodes)
		nodes(Storage, l.r.Storage.Nodes)
		nodes(Management, l.r.Management.Nodes)
		for _, d := range *others {
			if d.Net != "" {
				all = append(all, d)
			}
		}
	}
	return all
}

// end is where a port of a drawn network is.
func (w *drawn) end(p topo.PortID) End {
	d, name := w.devices[w.graph.Ports[p].Node], w.ports[p]
	if d.Net == w.net.Name {
		return End{d, name.String()}
	}
	switch {
	case w.net.Name == Backend:
		return End{d, name.String()}
	case w.net.Name != Management:
		return End{d, w.net.Name + strconv.Itoa(int(name.NIC))}
	case d.Net != "":
		return End{d, "eth" + strconv.Itoa(int(name.NIC))}
	}
	return End{d, "bmc" + strconv.Itoa(int(name.NIC))}
}

// cable lays the cables of a network whose ends both are there.
func (l *Layout) cable(w *drawn) {
	first := len(l.Cables)
	var links []topo.LinkID
	for i := range w.graph.Links {
		from, to := topo.PortID(2*i), topo.PortID(2*i+1)
		if w.devices[w.graph.Links[i].A] == nil || w.devices[w.graph.Links[i].B] == nil {
			continue
		}
		c := Cable{Net: w.net.Name, From: w.end(from), To: w.end(to), Rate: w.graph.Links[i].Rate}
		a, b := &w.graph.Nodes[w.graph.Links[i].A], &w.graph.Nodes[w.graph.Links[i].B]
		c.Between = a.Kind == topo.Leaf && b.Kind == topo.Leaf && a.Place.Pod != b.Place.Pod
		c.Length = l.way(c.From.Device, c.To.Device)
		c.Label = fmt.Sprintf("%s-%c%05d", l.r.Name, strings.ToUpper(w.net.Name)[0], len(l.Cables)-first+1)
		l.Cables = append(l.Cables, c)
		links = append(links, topo.LinkID(i))
	}
	l.choose(w, l.Cables[first:], links)
}

// wrong adds a finding about a key.
func (l *Layout) wrong(path, message, hint string) {
	l.Findings = append(l.Findings, l.r.Located(path, message, hint, false))
}

// unusual adds a warning.
func (l *Layout) unusual(path, message, hint string) {
	l.Findings = append(l.Findings, l.r.Located(path, message, hint, true))
}

// heightsLeft says for which models room was left only.
func (l *Layout) heightsLeft(others []*Device) {
	seen := map[string]bool{}
	for _, d := range others {
		what, path := d.Model, d.Net+".leaf"
		if what == "" {
			path, _, _ = strings.Cut(d.Name, "-")
			what, path = path+" nodes", path+".nodes"
		}
		if d.Left && !seen[what] {
			seen[what] = true
			l.unusual(path, fmt.Sprintf("%s: height unknown, %dU are left for each", what, unknownHeight), "")
		}
	}
}
