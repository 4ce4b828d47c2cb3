package images

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// planned plans a scenario.
func planned(t testing.TB, yaml string) *plan.Plan {
	t.Helper()
	return plantest.Made(t, yaml, func(sc *scenario.Scenario) (*plan.Plan, error) { return plan.New(sc, plan.Files{}, nil) })
}

// found are the images in the network of a plan.
func found(p *plan.Plan, unlike ...Unlike) []Image {
	fc := p.FabricConfig()
	return Find(p, &fc, unlike)
}

// tensors is a model in eight parts on the GPUs of each of three hosts, so that each rail has rings of its own.
const tensors = "cluster: {hosts: 3, host: {preset: hgx-h100}}\njob:\n  model: {preset: llama3-8b, layers: 2, batch: 3}\n" +
	"  parallel: {tp: 8}\n"

// Each rail but the first is an image of it: port by port, switch by switch, queue pair by queue pair between the same hosts.
func TestRailsAreImages(t *testing.T) {
	p := planned(t, tensors)
	g, all := p.Graph, found(p)
	if len(all) != 7 {
		t.Fatalf("%d images, want 7", len(all))
	}
	seen := map[int32]bool{}
	for k, x := range all {
		for i, id := range x.Leads {
			a, b := &p.Pairs[id], &p.Pairs[x.Pairs[i]]
			if g.NICs[a.From].Host != g.NICs[b.From].Host || g.NICs[a.To].Host != g.NICs[b.To].Host || seen[x.Pairs[i]] {
				t.Errorf("image %d: %s is no image of %s", k, b.Name, a.Name)
			}
			seen[x.Pairs[i]] = true
			for h, port := range slices.Concat(a.Path, a.Back) {
				if x.Ports[port] != slices.Concat(b.Path, b.Back)[h] {
					t.Errorf("image %d: port %d of %s", k, h, a.Name)
				}
			}
		}
		switches, ports := 0, 0
		for node, to := range x.Nodes {
			if to != None {
				switches++
				if g.Nodes[node].Name != "rail1" || g.Nodes[to].Name != fmt.Sprint("rail", k+2) {
					t.Errorf("image %d: %s for %s", k, g.Nodes[to].Name, g.Nodes[node].Name)
				}
			}
		}
		for _, to := range x.Ports {
			if to != None {
				ports++
			}
		}
		if switches != 1 || ports != 3+len(g.Nodes[g.Ports[p.Pairs[0].Path[1]].Node].Ports) {
			t.Errorf("image %d: %d switches, %d ports", k, switches, ports)
		}
	}
}

// Names have no say, and one thing that differs anywhere in a rail makes that rail none: a cable, a rate, a profile, an order.
func TestOneDifferenceIsEnough(t *testing.T) {
	ways := []func(p *plan.Plan, fc *fabric.Config, d *rapid.T) (whose topo.PortID){
		func(p *plan.Plan, _ *fabric.Config, d *rapid.T) topo.PortID {
			port := rapid.IntRange(0, len(p.Graph.Ports)-1).Draw(d, "longer")
			p.Graph.Ports[port].Delay++
			return topo.PortID(port)
		},
		func(p *plan.Plan, _ *fabric.Config, d *rapid.T) topo.PortID {
			port := rapid.IntRange(0, len(p.Graph.Ports)-1).Draw(d, "slower")
			p.Graph.Ports[port].Rate--
			return topo.PortID(port)
		},
		func(p *plan.Plan, fc *fabric.Config, d *rapid.T) topo.PortID {
			port := rapid.SampledFrom(p.Pairs).Draw(d, "profile").Path[1]
			fc.ProfileOf = make([]int32, len(p.Graph.Nodes))
			fc.ProfileOf[p.Graph.Ports[port].Node] = 1
			return port
		},
		func(p *plan.Plan, _ *fabric.Config, d *rapid.T) topo.PortID {
			i := rapid.IntRange(0, len(p.Pairs)-1).Draw(d, "class")
			p.Pairs[i].Class++
			return p.Pairs[i].Path[1]
		},
		func(p *plan.Plan, _ *fabric.Config, d *rapid.T) topo.PortID {
			rail := rapid.SampledFrom(p.Pairs).Draw(d, "order").Path[1]
			var own []int
			for i := range p.Pairs {
				if p.Graph.Ports[p.Pairs[i].Path[1]].Node == p.Graph.Ports[rail].Node {
					own = append(own, i)
				}
			}
			p.Pairs[own[0]], p.Pairs[own[1]] = p.Pairs[own[1]], p.Pairs[own[0]]
			return rail
		},
	}
	rapid.Check(t, func(d *rapid.T) {
		p := planned(t, tensors)
		for i := range p.Graph.Nodes {
			p.Graph.Nodes[i].Name = fmt.Sprint("n", len(p.Graph.Nodes)-i)
		}
		fc := p.FabricConfig()
		port := rapid.SampledFrom(ways).Draw(d, "way")(p, &fc, d)
		node := p.Graph.Ports[port].Node
		if p.Graph.Nodes[node].Kind == topo.HostKind {
			node = p.Graph.Ports[port].To
		}
		all := Find(p, &fc, nil)
		if p.Graph.Nodes[node].Tier > 1 { // nothing goes that way
			if len(all) != 7 {
				d.Fatalf("%d images, want 7", len(all))
			}
			return
		}
		if len(all) != 6 {
			d.Fatalf("%d images, want 6", len(all))
		}
		for _, x := range all {
			if x.Nodes[node] != None || slices.Contains(x.Nodes, node) {
				d.Fatal("the rail that differs is an image, or has one")
			}
		}
	})
}

// Where parts share something inside hosts or a switch, or a run may tell them apart by itself, there are none.
func TestWhatIsNoImage(t *testing.T) {
	for name, yaml := range map[string]string{
		"a ring over all GPUs sends over the NVLink of all": "cluster: {hosts: 2, host: {preset: hgx-h100}}\n" +
			"job: {replay: {buckets: [{bytes: 1MiB}]}}\n",
		"one leaf has all rails of a host": strings.NewReplacer("hosts: 3", "hosts: 4", "batch: 3", "batch: 4").Replace(tensors) +
			"fabric: {design: leaf-spine}\n",
		"a link loses frames":                  tensors + "faults: [{link: host1/rail2, drop: 1%}]\n",
		"a host hangs":                         tensors + "faults: [{host: host1, hang: 1ms, at: 1ms}]\n",
		"switches choose next hops by a queue": tensors + "fabric: {balance: spray}\n",
		"a NIC has room for so much":           strings.Replace(tensors, "hgx-h100}", "hgx-h100}, nic: {receive_buffer: 1MB}", 1),
	} {
		sc, err := scenario.Parse("a.yaml", []byte(yaml))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p, err := plan.New(sc, plan.Files{}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if n := len(found(p)); n != 0 {
			t.Errorf("%s: %d images", name, n)
		}
	}
}

// What a run has shown to be unlike is no image of that lead, and may be of another.
func TestUnlike(t *testing.T) {
	p := planned(t, tensors)
	all := found(p)
	var none []Unlike
	for i := range all {
		none = append(none, all[i].Unlike())
	}
	if less := found(p, none[2]); len(less) != 6 || slices.ContainsFunc(less, func(x Image) bool { return x.Unlike() == none[2] }) {
		t.Errorf("%d images, want 6", len(less))
	}
	if others := found(p, none...); len(others) != 6 || others[0].Leads[0] != all[0].Pairs[0] {
		t.Errorf("%d images, want 6 of the second rail", len(others))
	}
}
