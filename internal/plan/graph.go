package plan

import (
	"railyard/internal/scenario"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// designs make the parameters of a design from a scenario, by the names of scenario.Designs.
var designs = map[string]func(*scenario.Scenario) topo.Design{
	"single-switch":  singleSwitch,
	"rail-optimized": railOptimized,
	"leaf-spine":     leafSpine,
}

// graph builds the cluster's hosts and the fabric between them.
func (p *Plan) graph() (*topo.Graph, error) {
	if design := designs[p.Scenario.Fabric.Design]; design != nil {
		return design(p.Scenario).Graph()
	}
	return p.customGraph()
}

func singleSwitch(sc *scenario.Scenario) topo.Design {
	return topo.SingleSwitch{
		Hosts:    sc.Cluster.Hosts,
		GPUs:     sc.Cluster.Host.GPUs,
		NICs:     sc.NICsPerHost(),
		HostLink: hostLink(sc),
	}
}

func railOptimized(sc *scenario.Scenario) topo.Design {
	d := topo.RailOptimized{
		Hosts:    sc.Cluster.Hosts,
		GPUs:     sc.Cluster.Host.GPUs,
		NICs:     sc.NICsPerHost(),
		HostLink: hostLink(sc),
		Spines:   sc.Fabric.Spines,
	}
	if d.Spines > 0 {
		d.Parallel, d.SpineLink = sc.Fabric.Links.Parallel, spineLink(sc)
	}
	return d
}

func leafSpine(sc *scenario.Scenario) topo.Design {
	d := topo.LeafSpine{
		Hosts:    sc.Cluster.Hosts,
		GPUs:     sc.Cluster.Host.GPUs,
		NICs:     sc.NICsPerHost(),
		HostLink: hostLink(sc),
		Leaves:   sc.Fabric.Leaves,
		Spines:   sc.Fabric.Spines,
	}
	if d.Spines > 0 {
		d.Parallel, d.SpineLink = sc.Fabric.Links.Parallel, spineLink(sc)
	}
	return d
}

func hostLink(sc *scenario.Scenario) topo.Cable {
	return cable(sc, sc.Fabric.Links.Host, sc.Fabric.Links.Length)
}

func spineLink(sc *scenario.Scenario) topo.Cable {
	return cable(sc, sc.Fabric.Links.Spine, sc.Fabric.Links.SpineLength)
}

// cable is one of a length or, where the scenario has one delay for all, of that.
func cable(sc *scenario.Scenario, rate unit.Bitrate, length unit.Length) topo.Cable {
	return topo.Cable{Rate: rate, Length: length, Delay: sc.Fabric.Links.Delay.Or(0)}
}
