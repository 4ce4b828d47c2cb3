package network

import (
	"errors"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// designs make the parameters of a design from a scenario, by the names of scenario.Designs.
var designs = map[topo.DesignName]func(*scenario.Scenario) topo.Design{
	topo.DesignSingleSwitch:  singleSwitch,
	topo.DesignDualRail:      dualRail,
	topo.DesignRailOptimized: railOptimized,
	topo.DesignRailOnly:      railOptimized, // its scenario has no spines
	topo.DesignLeafSpine:     leafSpine,
	topo.DesignDragonfly:     dragonfly,
	topo.DesignDirect:        direct,
}

// keys are where a scenario says a parameter of a design, by the parameter's name.
var keys = map[string]string{
	"Hosts":         "cluster.hosts",
	"GPUs":          "cluster.host.gpus",
	"NICs":          "cluster.nic.per_gpu",
	"Bond":          "cluster.nic.ports",
	"Switches":      "cluster.nic.ports",
	"Peer":          "fabric.links.peer",
	"PeerLink":      "fabric.links.length",
	"HostLink":      "fabric.links.length",
	"Segment":       "fabric.segment",
	"Ports":         "cluster.nic.per_gpu",
	"RailsPerLeaf":  "fabric.rails_per_leaf",
	"Leaves":        "fabric.leaves",
	"Spines":        "fabric.spines",
	"Parallel":      "fabric.links.parallel",
	"SpineLink":     "fabric.links.spine_length",
	"Pods":          "fabric.pods",
	"Planes":        "fabric.planes",
	"SpinesPerLeaf": "fabric.spines_per_leaf",
	"SuperSpines":   "fabric.superspines",
	"SuperGroups":   "fabric.superspine_groups",
	"SuperParallel": "fabric.links.superspine_parallel",
	"SuperLink":     "fabric.links.superspine_length",
	"Groups":        "fabric.dragonfly.groups",
	"Routers":       "fabric.dragonfly.routers",
	"Global":        "fabric.dragonfly.global",
	"LocalLink":     "fabric.dragonfly.local_length",
	"GlobalLink":    "fabric.dragonfly.global_length",
}

// Graph builds a scenario's hosts and the fabric between them, with the cables that it names; topology is the text of the file
// of a custom design.
func Graph(sc *scenario.Scenario, topology []byte) (*topo.Graph, error) {
	g, err := designed(sc, topology)
	if err != nil {
		return nil, err
	}
	if n := &sc.Cluster.NIC; n.Devices() > 1 {
		g = g.Carded(n.Devices())
	}
	return recabled(sc, g)
}

// designed builds them with each NIC on a card of its own.
func designed(sc *scenario.Scenario, topology []byte) (*topo.Graph, error) {
	design := designs[sc.Fabric.Design]
	if design == nil {
		return custom(sc, topology)
	}
	g, err := design(sc).Graph()
	var misfits *topo.Misfits
	if !errors.As(err, &misfits) {
		return g, err
	}
	var all located.Problems
	for _, m := range misfits.All {
		all = append(all, sc.Located(scenario.Finding{
			Severity: scenario.Error,
			Path:     keys[m.Param],
			Message:  m.Text,
		}))
	}
	return nil, all
}

func singleSwitch(sc *scenario.Scenario) topo.Design {
	return topo.SingleSwitch{
		Hosts:    sc.Cluster.Hosts,
		GPUs:     sc.Cluster.Host.GPUs,
		NICs:     sc.NICsPerHost(),
		Bond:     sc.Cluster.NIC.Links(),
		HostLink: hostLink(sc),
		Isolated: sc.Fabric.VLANs == "isolated",
	}
}

func dualRail(sc *scenario.Scenario) topo.Design {
	return topo.DualRail{
		Hosts:    sc.Cluster.Hosts,
		GPUs:     sc.Cluster.Host.GPUs,
		NICs:     sc.NICsPerHost(),
		Bond:     sc.Cluster.NIC.Links(),
		Switches: sc.Cluster.NIC.Ports,
		HostLink: hostLink(sc),
		Peer:     sc.Fabric.Links.Peer,
		PeerLink: hostLink(sc),
		Isolated: sc.Fabric.VLANs == "isolated",
	}
}

func railOptimized(sc *scenario.Scenario) topo.Design {
	f := &sc.Fabric
	return topo.RailOptimized{
		Hosts:        sc.Cluster.Hosts,
		GPUs:         sc.Cluster.Host.GPUs,
		NICs:         sc.NICsPerHost(),
		Bond:         sc.Cluster.NIC.Links(),
		HostLink:     hostLink(sc),
		Segment:      f.Rails.Segment.Or(0),
		Ports:        sc.Cluster.NIC.PerRail(),
		RailsPerLeaf: f.Rails.PerLeaf,
		Spines:       f.Spines,
		Parallel:     f.Links.Parallel,
		SpineLink:    cable(sc, f.Links.Spine, f.Links.SpineLength),
		Peer:         f.Links.Peer,
		PeerLink:     hostLink(sc),
		Upper:        upper(sc),
	}
}

func leafSpine(sc *scenario.Scenario) topo.Design {
	f := &sc.Fabric
	return topo.LeafSpine{
		Hosts:     sc.Cluster.Hosts,
		GPUs:      sc.Cluster.Host.GPUs,
		NICs:      sc.NICsPerHost(),
		Bond:      sc.Cluster.NIC.Links(),
		HostLink:  hostLink(sc),
		Ports:     sc.Cluster.NIC.PerRail(),
		Leaves:    f.Leaves,
		Spines:    f.Spines,
		Parallel:  f.Links.Parallel,
		SpineLink: cable(sc, f.Links.Spine, f.Links.SpineLength),
		Peer:      f.Links.Peer,
		PeerLink:  hostLink(sc),
		Upper:     upper(sc),
	}
}

func upper(sc *scenario.Scenario) topo.Upper {
	u, l := &sc.Fabric.Upper, &sc.Fabric.Links
	return topo.Upper{
		Pods:          u.Pods,
		Planes:        u.Planes,
		SpinesPerLeaf: u.SpinesPerLeaf.Or(0),
		Rotated:       u.Rotated,
		SuperSpines:   u.SuperSpines,
		SuperGroups:   u.SuperGroups,
		SuperParallel: l.SuperParallel,
		SuperLink:     cable(sc, l.SuperSpine, l.SuperSpineLength),
	}
}

func dragonfly(sc *scenario.Scenario) topo.Design {
	d := &sc.Fabric.Dragonfly
	return topo.Dragonfly{
		Hosts:      sc.Cluster.Hosts,
		GPUs:       sc.Cluster.Host.GPUs,
		NICs:       sc.NICsPerHost(),
		Bond:       sc.Cluster.NIC.Links(),
		HostLink:   hostLink(sc),
		Groups:     d.Groups,
		Routers:    d.Routers,
		Global:     d.Global,
		LocalLink:  cable(sc, d.LocalRate, d.LocalLength),
		GlobalLink: cable(sc, d.GlobalRate, d.GlobalLength),
	}
}

func direct(sc *scenario.Scenario) topo.Design {
	return topo.Direct{
		Hosts:    sc.Cluster.Hosts,
		GPUs:     sc.Cluster.Host.GPUs,
		NICs:     sc.NICsPerHost(),
		HostLink: hostLink(sc),
	}
}

func hostLink(sc *scenario.Scenario) topo.Cable {
	return cable(sc, sc.Fabric.Links.Host, sc.Fabric.Links.Length)
}

// cable is one of a length or, where the scenario has one delay for all, of that.
func cable(sc *scenario.Scenario, rate unit.Bitrate, length unit.Length) topo.Cable {
	return topo.Cable{Rate: rate, Length: length, Delay: sc.Fabric.Links.Delay.Or(0)}
}
