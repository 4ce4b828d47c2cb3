package commission

import (
	"fmt"
	"strings"

	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
)

// A port is one end of a cable, as checks of it name it.
type port struct {
	id       topo.PortID
	end, far string // leaf1/Ethernet1/3, and what it is cabled to
	device   string // that it is of
}

// ports adds checks of each port alone: what it runs at, what it has lost, whom it sees, its sessions. They are for
// cables that counts do not tell apart: of a large network there are many, and none need be measured.
func (l *list) ports() {
	g := l.in.Graph
	for id := range g.Ports {
		p := l.port(topo.PortID(id))
		at := &g.Ports[id]
		cable := fmt.Sprintf("%s to %s", p.end, p.far)
		if length := g.Links[at.Link].Length; length > 0 {
			cable += ", " + length.String()
		}
		zero := Value{Kind: Count}
		for _, c := range []struct {
			what, of string
			expect   Value
			from     Source
		}{
			{"rate", "rate of ", Value{Kind: PortRate, N: int64(at.Rate)}, FromInventory},
			{"neighbour", "whom LLDP shows on ", Value{Kind: End, Text: p.far}, FromInventory},
			{"errors", "CRC or FEC errors after correction, or flaps, of ", zero, FromRule},
		} {
			l.exactly(Links, "port."+p.end+"."+c.what, c.of+cable, c.expect, c.from, cables)
			l.all[len(l.all)-1].port = p
		}
	}
}

// portSessions adds checks of the sessions over each link.
func (l *list) portSessions() {
	n := int64(1)
	if l.in.Options.IPv6 {
		n = 2
	}
	for i := range l.in.Devices {
		if l.in.Devices[i].AS == 0 {
			continue
		}
		for _, id := range l.in.Trunks(topo.NodeID(i)) {
			p := l.port(id)
			l.exactly(Sessions, "port."+p.end+".sessions", "sessions that are up over "+p.end+" to "+p.far,
				Value{Kind: Count, N: n}, FromInventory, underlay)
			l.all[len(l.all)-1].port = p
		}
	}
}

func (l *list) port(id topo.PortID) *port {
	g := l.in.Graph
	return &port{id: id, end: endOf(l.in, id), far: endOf(l.in, g.Peer(id)), device: l.in.Devices[g.Ports[id].Node].Name}
}

// endOf names an end of a cable: leaf1/Ethernet1/3, host1/nic0.
func endOf(in *inventory.Inventory, id topo.PortID) string {
	return in.Devices[in.Graph.Ports[id].Node].Name + "/" + in.Ports[id].Name.String()
}

// Fewer leaves out the checks of single ports that were not measured.
func Fewer(all []Verdict) (some []Verdict) {
	for _, v := range all {
		if v.Check.port == nil || v.State != Missing {
			some = append(some, v)
		}
	}
	return some
}

// suspect says where a port that deviates likely has it from, by what was measured of others.
func suspect(all []Verdict, v *Verdict) string {
	c := v.Check
	switch c.Expect.Kind {
	case End:
		return elsewhere(all, v)
	case PortRate:
		if v.Measured.N > 0 {
			return fmt.Sprintf("%s: it runs, at another rate than %s", cables, c.Expect)
		}
		return dark(all, c.port)
	}
	if c.Stage == Sessions {
		return underlay + " or AS numbers of this link"
	}
	return lossy(all, c.port)
}

// elsewhere is of a port that sees another neighbour: two that see each other's are swapped.
func elsewhere(all []Verdict, v *Verdict) string {
	if v.Measured.Text == nobody {
		return cables + ": nobody is seen there; or LLDP is off"
	}
	belongs := ""
	for i := range all {
		o := &all[i]
		if o.Check.Expect.Kind != End || !o.Check.accepts(*v.Measured) {
			continue
		}
		if o.State == Deviates && v.Check.accepts(*o.Measured) {
			return fmt.Sprintf("%s: swapped with %s", cables, o.Check.port.end)
		}
		if belongs == "" {
			belongs = o.Check.port.end
		}
	}
	if belongs == "" {
		return cables + ": that neighbour is not of this network"
	}
	return fmt.Sprintf("%s: that neighbour belongs to %s", cables, belongs)
}

// dark is of a port that is down: alone, or with all links that were measured of a device at one of its ends.
func dark(all []Verdict, p *port) string {
	type tally struct{ up, down map[topo.LinkID]bool }
	of := map[string]tally{}
	for i := range all {
		v := &all[i]
		if v.Check.Expect.Kind != PortRate || v.State == Missing {
			continue
		}
		for _, device := range []string{v.Check.port.device, deviceOf(v.Check.port.far)} {
			if of[device].up == nil {
				of[device] = tally{map[topo.LinkID]bool{}, map[topo.LinkID]bool{}}
			}
			if link := topo.LinkID(v.Check.port.id / 2); v.Measured.N > 0 {
				of[device].up[link] = true
			} else {
				of[device].down[link] = true
			}
		}
	}
	worst, most := "", 1
	for _, device := range []string{p.device, deviceOf(p.far)} {
		if t := of[device]; len(t.up) == 0 && len(t.down) > most {
			worst, most = device, len(t.down)
		}
	}
	switch {
	case worst != "":
		return fmt.Sprintf("%s: of %d links measured of %s none is up", power, most, worst)
	case len(of[p.device].up) > 0 && len(of[deviceOf(p.far)].up) > 0:
		return cables + ": links of both its ends are up"
	}
	return cables
}

func deviceOf(end string) string {
	device, _, _ := strings.Cut(end, "/")
	return device
}

// lossy is of a port with errors: what an end receives badly, the other sends or the cable spoils.
func lossy(all []Verdict, p *port) string {
	for i := range all {
		v := &all[i]
		if v.Check.port == nil || v.Check.port.end != p.far || v.Check.Expect.Kind != Count || v.Check.Stage != Links {
			continue
		}
		switch v.State {
		case Deviates:
			return cables + ": both ends count errors"
		case Passed:
			return fmt.Sprintf("%s: the other end counts none, so the way from %s", cables, p.far)
		}
	}
	return cables
}
