package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A PortName is where a cable is plugged in: the n-th port of a switch, or of a host the NIC.
type PortName struct {
	Number int   // of a switch, from 1 as on its front panel; of a host 0
	Part   int   // of a port that is split, or of a NIC with several ports: from 1; 0: there is but one
	NIC    int32 // of a host: its index there, from 0; of a switch -1
}

// String returns Ethernet1/24, Ethernet1/24/2 for a part of a port; nic0 at a host, nic0/2 for its second port.
func (p PortName) String() string {
	text := "Ethernet1/" + strconv.Itoa(p.Number)
	if p.NIC >= 0 {
		text = "nic" + strconv.Itoa(int(p.NIC))
	}
	if p.Part > 0 {
		text += "/" + strconv.Itoa(p.Part)
	}
	return text
}

// A Panel is the front of a switch.
type Panel struct {
	Ports    int          // 0: as many as needed
	Rows     int          // 0: 1. Cables fill a row before the next; in columns of 3 the first takes ports 1, 4, 7, ...
	Breakout int          // equal parts that a port may be split into; 0: 1
	Rate     unit.Bitrate // of a whole port; 0: not known, and then no port is split
	Uplinks  int          // how many of the ports, the last ones, links upwards alone take; 0: they follow the others
	ByHost   bool         // the ports to a host follow each other: with 8 rails port 1 of each group of 8 is rail 1
}

// place is the number of the n-th port that is taken, n from 0.
func (p Panel) place(n int) int {
	rows := max(p.Rows, 1)
	if rows == 1 {
		return n + 1
	}
	columns := p.Ports / rows
	return 1 + n%columns*rows + n/columns
}

// split is how many cables of a rate share a port.
func (p Panel) split(r unit.Bitrate) int {
	if p.Rate == 0 || r > p.Rate {
		return 1
	}
	return max(1, min(p.Breakout, int(p.Rate/r)))
}

// check reports a panel whose ports do not make so many rows.
func (p Panel) check() error {
	if rows := max(p.Rows, 1); rows > 1 && (p.Ports == 0 || p.Ports%rows != 0) {
		return fmt.Errorf("%d ports do not make %d rows, want a multiple of %d", p.Ports, rows, rows)
	}
	return nil
}

// Ports names both ends of every cable, by topo.PortID. On a switch the ports to hosts come first,
// by rail and then by host, so a rail has ports that follow each other, or by host (ByHost); then those to switches
// below it, to switches of its own tier, and last its uplinks, each in the order of their links.
// Cables of one rate share a port where the panel splits it. panel gives the panel of a switch. The
// error names a switch that has too few ports.
func Ports(g *topo.Graph, panel func(topo.NodeID) Panel) ([]PortName, error) {
	names := make([]PortName, len(g.Ports))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.Kind == topo.HostKind {
			for _, p := range n.Ports {
				nic := &g.NICs[g.Ports[p].NIC]
				names[p] = PortName{NIC: nic.Index}
				if len(nic.Ports) > 1 {
					names[p].Part = 1 + slices.Index(nic.Ports, p)
				}
			}
			continue
		}
		front := panel(topo.NodeID(i))
		if err := front.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name, err)
		}
		used := front.number(g, front.inOrder(g, n), func(p topo.PortID, name PortName) { names[p] = name })
		if front.Ports > 0 && used > front.Ports {
			return nil, fmt.Errorf("%s: cables for %d ports, want at most %d", n.Name, used, front.Ports)
		}
	}
	return names, nil
}

// Needs is how many ports the cables of a switch take.
func (p Panel) Needs(g *topo.Graph, n topo.NodeID) int {
	return Panel{Breakout: p.Breakout, Rate: p.Rate}.number(g, g.Nodes[n].Ports, func(topo.PortID, PortName) {})
}

// inOrder lists the ports of a switch as they are numbered.
func (p Panel) inOrder(g *topo.Graph, n *topo.Node) []topo.PortID {
	order := func(id topo.PortID) (class int, first int32) {
		port := &g.Ports[id]
		switch to := g.Nodes[port.To].Tier; {
		case port.NIC >= 0 && p.ByHost:
			return 0, int32(g.NICs[port.NIC].Host)
		case port.NIC >= 0:
			return 0, g.NICs[port.NIC].Rail
		case to < n.Tier:
			return 1, 0
		case to == n.Tier:
			return 2, 0
		}
		return 3, 0
	}
	ports := slices.Clone(n.Ports)
	slices.SortStableFunc(ports, func(a, b topo.PortID) int {
		classA, firstA := order(a)
		classB, firstB := order(b)
		return cmp.Or(cmp.Compare(classA, classB), cmp.Compare(firstA, firstB))
	})
	return ports
}

// number names ports in order, and returns how many of the panel are used.
func (p Panel) number(g *topo.Graph, ports []topo.PortID, named func(topo.PortID, PortName)) (used int) {
	type open struct{ number, parts int } // a port that is split, and how many of its parts are taken
	half := map[unit.Bitrate]open{}       // by the rate of its parts
	for _, id := range ports {
		rate := g.Ports[id].Rate
		if end := &g.Ports[id]; p.Uplinks > 0 && g.Nodes[end.To].Tier > g.Nodes[end.Node].Tier {
			used = max(used, p.Ports-p.Uplinks)
		}
		parts := p.split(rate)
		at := half[rate]
		if at.parts == 0 || at.parts == parts {
			at = open{number: p.place(used)}
			used++
		}
		at.parts++
		half[rate] = at
		name := PortName{Number: at.number, NIC: -1}
		if parts > 1 {
			name.Part = at.parts
		}
		named(id, name)
	}
	return used
}
