package network

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// custom parses the topology of a custom design and checks that its hosts are those of the
// scenario.
func custom(sc *scenario.Scenario, text []byte) (*topo.Graph, error) {
	name := sc.Fabric.Topology.Value
	g, err := topo.ParseText(name, text, sc.Cluster.Host.GPUs)
	if err != nil {
		return nil, err
	}
	if len(g.Hosts) != sc.Cluster.Hosts {
		return nil, sc.Refused("cluster.hosts", "%d: %s has %d, want that many", sc.Cluster.Hosts, name, len(g.Hosts))
	}
	slowest := unit.Bitrate(0)
	for _, h := range g.Hosts {
		if got, want := len(h.NICs), sc.NICsPerHost(); got != want {
			return nil, sc.Refused("fabric.topology", "%s: %s has %d links, and the scenario %d NICs per host, "+
				"want as many (cluster.nic.per_gpu, cluster.nic.shared, cluster.host.gpus)", name, h.Name, got, want)
		}
		for _, n := range h.NICs {
			if got, want := len(g.NICs[n].Ports), sc.Cluster.NIC.Links(); got != want {
				return nil, sc.Refused("fabric.topology", "%s: %s has %s, and the scenario bonds %d of a NIC, want as many "+
					"(nic= in the file, cluster.nic.ports, cluster.nic.bond.mode)", name, g.NICName(n),
					unit.CountOf(int64(got), "port"), want)
			}
		}
		for _, port := range g.Nodes[h.Node].Ports {
			if r := g.Ports[port].Rate; slowest == 0 || r < slowest {
				slowest = r
			}
		}
	}
	if slowest != sc.Cluster.NIC.Speed {
		return nil, sc.Refused("cluster.nic.speed", "%s: the slowest link of a host in %s is %s, want that",
			sc.Cluster.NIC.Speed, name, slowest)
	}
	return g, nil
}

// recabled sets the rates and delays of the links in fabric.links.named.
func recabled(sc *scenario.Scenario, g *topo.Graph) (*topo.Graph, error) {
	named := sc.Fabric.Links.Named
	if len(named) == 0 {
		return g, nil
	}
	names, of := g.Names(), map[topo.LinkID]int{}
	var changes []topo.Recabling
	for i, l := range named {
		at := fmt.Sprintf("fabric.links.named[%d].link", i)
		links, err := names.Links(l.Link)
		if err != nil {
			return nil, sc.Refused(at, "%v", err)
		}
		if !topo.IsPattern(l.Link) && !l.Sender.Set {
			if first, twice := of[links[0]]; twice {
				return nil, sc.Refused(at, "%s: the link of fabric.links.named[%d] too, "+
					"want one entry for both directions", l.Link, first)
			}
			of[links[0]] = i
		}
		cable := topo.Cable{Rate: l.Rate.Or(0), Length: l.Length.Or(0), Delay: l.Delay.Or(0)}
		for _, link := range links {
			change := topo.Recabling{Link: link, Cable: cable}
			if l.Sender.Set {
				if change.Only, err = sendingEnd(g, link, l.Sender.Value); err != nil {
					return nil, sc.Refused(fmt.Sprintf("fabric.links.named[%d].sender", i), "%v", err)
				}
			}
			changes = append(changes, change)
		}
	}
	return g.Recabled(changes)
}

// sendingEnd is the end of a link that a node sends by, counted from 1.
func sendingEnd(g *topo.Graph, link topo.LinkID, name string) (int, error) {
	a, b := &g.Nodes[g.Links[link].A], &g.Nodes[g.Links[link].B]
	switch name {
	case a.Name:
		return 1, nil
	case b.Name:
		return 2, nil
	}
	return 0, fmt.Errorf("%s: no end of the link, want %s or %s", name, a.Name, b.Name)
}
