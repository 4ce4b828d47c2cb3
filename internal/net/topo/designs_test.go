package topo_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

var cable = topo.Cable{Rate: 100 * unit.GigabitPerSec, Length: 20 * unit.Metre}

// Of each design a few networks, by its name and what is special about them.
var networks = map[topo.DesignName]map[string]topo.Design{
	"single-switch": {
		"VLANs": topo.SingleSwitch{Hosts: 3, GPUs: 8, NICs: 8, HostLink: cable, Isolated: true},
		"plain": topo.SingleSwitch{Hosts: 4, GPUs: 2, NICs: 2, HostLink: cable},
	},
	"rail-optimized": {
		"plain": topo.RailOptimized{Hosts: 4, GPUs: 2, NICs: 2, HostLink: cable, Spines: 2, SpineLink: cable},
		"segments": topo.RailOptimized{Hosts: 6, GPUs: 4, NICs: 4, HostLink: cable, Segment: 2, Spines: 3, Parallel: 2,
			SpineLink: cable},
		"two rails per leaf": topo.RailOptimized{Hosts: 4, GPUs: 4, NICs: 4, HostLink: cable, Segment: 2, RailsPerLeaf: 2,
			Spines: 2, SpineLink: cable},
		"book's segment": topo.RailOptimized{Hosts: 4, GPUs: 8, NICs: 16, HostLink: cable, Ports: 2, RailsPerLeaf: 8,
			Spines: 2, SpineLink: cable},
		"dual homed": topo.RailOptimized{Hosts: 4, GPUs: 2, NICs: 2, Bond: 2, HostLink: cable, Segment: 2, Spines: 2,
			SpineLink: cable},
		"planes": topo.RailOptimized{Hosts: 4, GPUs: 2, NICs: 4, HostLink: cable, Ports: 2, Segment: 2, Spines: 2,
			SpineLink: cable, Upper: topo.Upper{Planes: 2}},
		"pods": topo.RailOptimized{Hosts: 8, GPUs: 2, NICs: 2, HostLink: cable, Segment: 2, Spines: 2, SpineLink: cable,
			Upper: topo.Upper{Pods: 2, SuperSpines: 4, SuperLink: cable}},
		"groups": topo.RailOptimized{Hosts: 8, GPUs: 2, NICs: 2, HostLink: cable, Segment: 2, Spines: 4, SpineLink: cable,
			Upper: topo.Upper{Pods: 2, SuperSpines: 4, SuperGroups: 2, SuperParallel: 2, SuperLink: cable}},
	},
	"dragonfly": {
		"largest": topo.Dragonfly{Hosts: 20, GPUs: 1, NICs: 1, HostLink: cable, Groups: 5, Routers: 2, Global: 2,
			LocalLink: cable, GlobalLink: cable},
		"parallel": topo.Dragonfly{Hosts: 12, GPUs: 2, NICs: 2, HostLink: cable, Groups: 3, Routers: 4, Global: 1,
			LocalLink: cable, GlobalLink: cable},
		"one group": topo.Dragonfly{Hosts: 4, GPUs: 1, NICs: 1, HostLink: cable, Groups: 1, Routers: 4, LocalLink: cable},
	},
	"dual-rail": {
		"two ports":  topo.DualRail{Hosts: 3, GPUs: 4, NICs: 4, Bond: 2, Switches: 2, HostLink: cable, Peer: 2, PeerLink: cable},
		"four ports": topo.DualRail{Hosts: 2, GPUs: 2, NICs: 1, Bond: 4, Switches: 4, HostLink: cable},
		"no bond":    topo.DualRail{Hosts: 2, GPUs: 2, NICs: 4, Switches: 2, HostLink: cable, Peer: 1, PeerLink: cable},
	},
	"direct": {
		"pairs": topo.Direct{Hosts: 4, GPUs: 2, NICs: 2, HostLink: cable},
	},
	"leaf-spine": {
		"plain": topo.LeafSpine{Hosts: 6, GPUs: 1, NICs: 1, HostLink: cable, Leaves: 3, Spines: 2, SpineLink: cable},
		"any to any": topo.LeafSpine{Hosts: 4, GPUs: 4, NICs: 4, HostLink: cable, Leaves: 2, Spines: 4,
			SpineLink: cable},
		"partial": topo.LeafSpine{Hosts: 6, GPUs: 1, NICs: 1, HostLink: cable, Leaves: 6, Spines: 6, SpineLink: cable,
			Upper: topo.Upper{SpinesPerLeaf: 4}},
		"dual homed": topo.LeafSpine{Hosts: 4, GPUs: 2, NICs: 2, Bond: 2, HostLink: cable, Leaves: 4, Spines: 2,
			SpineLink: cable},
		"plane a port": topo.LeafSpine{Hosts: 4, GPUs: 2, NICs: 2, Bond: 2, HostLink: cable, Leaves: 4, Spines: 2,
			SpineLink: cable, Upper: topo.Upper{Planes: 2}},
		"dual plane": topo.LeafSpine{Hosts: 4, GPUs: 2, NICs: 4, HostLink: cable, Ports: 2, Leaves: 4, Spines: 2,
			SpineLink: cable, Upper: topo.Upper{Planes: 2}},
		"pods and planes": topo.LeafSpine{Hosts: 8, GPUs: 1, NICs: 2, HostLink: cable, Ports: 2, Leaves: 8, Spines: 2,
			SpineLink: cable, Upper: topo.Upper{Planes: 2, Pods: 2, SuperSpines: 2, SuperLink: cable}},
	},
}

// each runs a test on each of the networks.
func each(t *testing.T, test func(t *testing.T, g *topo.Graph)) {
	for _, design := range slices.Sorted(maps.Keys(networks)) {
		for _, name := range slices.Sorted(maps.Keys(networks[design])) {
			t.Run(fmt.Sprintf("%s/%s", design, name), func(t *testing.T) { test(t, must(t, networks[design][name])) })
		}
	}
}

func TestEveryDesignIsGeneratedAndDescribed(t *testing.T) {
	if got, want := slices.Sorted(maps.Keys(networks)), slices.Sorted(maps.Keys(topo.Designs)); !slices.Equal(got, want) {
		t.Errorf("networks of %v, want of %v", got, want)
	}
	each(t, func(t *testing.T, g *topo.Graph) {
		if err := g.Validate(); err != nil {
			t.Error(err)
		}
	})
}

// All NICs of a plane reach each other, but those of VLANs and of other pairs.
func TestAllReachEachOtherWithinAPlane(t *testing.T) {
	each(t, func(t *testing.T, g *topo.Graph) {
		r := topo.NewRoutes(g)
		joined := func(a, b topo.NIC, x, y *topo.Node) bool {
			if x.Kind == topo.HostKind {
				return x.Name == g.Hosts[b.Host].Name && y.Name == g.Hosts[a.Host].Name && a.Index == b.Index
			}
			return x.Place.Plane == y.Place.Plane && (!g.Isolated || a.Rail == b.Rail)
		}
		for a := range g.NICs {
			for b := range g.NICs {
				_, err := r.Path(topo.NICID(a), topo.NICID(b), nil)
				want := joined(g.NICs[a], g.NICs[b], &g.Nodes[g.Edge(topo.NICID(a))], &g.Nodes[g.Edge(topo.NICID(b))])
				if a != b && want != (err == nil) {
					t.Fatalf("%s to %s: %v", g.NICName(topo.NICID(a)), g.NICName(topo.NICID(b)), err)
				}
			}
		}
	})
}

// Where a NIC is cabled follows from pod, plane and rail alone.
func TestNodesKnowTheirPlace(t *testing.T) {
	each(t, func(t *testing.T, g *topo.Graph) {
		for id, nic := range g.NICs {
			host, leaf := g.Nodes[g.Hosts[nic.Host].Node].Place, g.Nodes[g.Edge(topo.NICID(id))].Place
			if g.Nodes[g.Edge(topo.NICID(id))].Kind == topo.HostKind {
				continue
			}
			if host.Pod != leaf.Pod || leaf.Rail >= 0 && leaf.Rail != int(nic.Rail) {
				t.Errorf("%s of rail %d: host %+v, leaf %+v", g.NICName(topo.NICID(id)), nic.Rail, host, leaf)
			}
		}
		for _, l := range g.Links {
			a, b := g.Nodes[l.A], g.Nodes[l.B]
			if a.Tier > 0 && l.Cost == 1 && (a.Place.Plane != b.Place.Plane || b.Place.Pod >= 0 && a.Place.Pod != b.Place.Pod) {
				t.Errorf("%s %+v is linked to %s %+v", a.Name, a.Place, b.Name, b.Place)
			}
		}
	})
}

// Minimal routes of a dragonfly have at most one link between groups, and at most one inside before and
// after it. Every two groups have as many links.
func TestDragonflyRoutesAreMinimal(t *testing.T) {
	for _, d := range networks["dragonfly"] {
		g, p := must(t, d), d.(topo.Dragonfly)
		links := map[[2]int]int{}
		for _, l := range g.Links {
			a, b := g.Nodes[l.A].Place.Pod, g.Nodes[l.B].Place.Pod
			if a != b {
				links[[2]int{min(a, b), max(a, b)}]++
			}
		}
		want := 0
		if p.Groups > 1 {
			want = p.Routers * p.Global / (p.Groups - 1)
		}
		for pair, n := range links {
			if n != want {
				t.Errorf("groups %v have %d links, want %d", pair, n, want)
			}
		}
		if len(links) != p.Groups*(p.Groups-1)/2 {
			t.Errorf("%d pairs of groups have links", len(links))
		}
		r := topo.NewRoutes(g)
		for a := range g.NICs {
			for b := range g.NICs {
				if a == b {
					continue
				}
				path, err := r.Path(topo.NICID(a), topo.NICID(b), func(_ topo.NodeID, n int) int { return n - 1 })
				if err != nil {
					t.Fatal(err)
				}
				kinds := ""
				for _, port := range path[1 : len(path)-1] {
					x, y := g.Nodes[g.Ports[port].Node].Place, g.Nodes[g.Ports[port].To].Place
					if x.Pod == y.Pod {
						kinds += "l"
					} else {
						kinds += "g"
					}
				}
				if !slices.Contains([]string{"", "l", "g", "lg", "gl", "lgl"}, kinds) {
					t.Errorf("%s: %s", portNames(g, path), kinds)
				}
			}
		}
	}
}

// With rotated lists equal hashes name as many spines as there are, each ceil(leaves / spines) times.
func TestRotatedListsSpreadAnEqualHash(t *testing.T) {
	for _, c := range []struct{ leaves, spines, perLeaf int }{{6, 6, 6}, {6, 6, 4}, {8, 3, 3}, {8, 3, 2},
		{5, 4, 3}, {3, 8, 8}} {
		g := must(t, topo.LeafSpine{Hosts: c.leaves, GPUs: 1, NICs: 1, HostLink: cable, Leaves: c.leaves, Spines: c.spines,
			SpineLink: cable, Upper: topo.Upper{Rotated: true, SpinesPerLeaf: c.perLeaf}})
		for k := range c.perLeaf {
			meet, most := map[topo.NodeID]int{}, 0
			for i := range g.NICs {
				var up []topo.PortID // the list of the leaf
				for _, p := range g.Nodes[g.Edge(topo.NICID(i))].Ports {
					if g.Ports[p].NIC < 0 {
						up = append(up, p)
					}
				}
				spine := g.Ports[up[k]].To
				meet[spine]++
				most = max(most, meet[spine])
			}
			if want := (c.leaves + c.spines - 1) / c.spines; most != want {
				t.Errorf("%+v: hash %d names one spine on %d leaves, want %d", c, k, most, want)
			}
		}
	}
}

// Where all leaves have all spines those lists are the groups of next hops to every leaf: what hashes alike meets as often
// there. Where leaves have a part of them a group is what both ends have, and more may meet: so many here.
func TestEqualHashesMeetOnRoutes(t *testing.T) {
	for _, c := range []struct{ leaves, spines, perLeaf, want int }{{6, 6, 6, 1}, {8, 3, 3, 3}, {6, 6, 4, 2}, {12, 8, 5, 7}} {
		g := must(t, topo.LeafSpine{Hosts: c.leaves, GPUs: 1, NICs: 1, HostLink: cable, Leaves: c.leaves, Spines: c.spines,
			SpineLink: cable, Upper: topo.Upper{Rotated: true, SpinesPerLeaf: c.perLeaf}})
		r, most := topo.NewRoutes(g), 0
		for to := range g.NICs {
			for hash := range 60 { // by up to 6 equal links
				meet := map[topo.NodeID]int{}
				for from := range g.NICs {
					if hops := r.NextHops(g.Edge(topo.NICID(from)), topo.NICID(to)); from != to {
						spine := g.Ports[hops[hash%len(hops)]].To
						meet[spine]++
						most = max(most, meet[spine])
					}
				}
			}
		}
		if most != c.want {
			t.Errorf("%+v: %d of equal hashes meet on a spine", c, most)
		}
	}
}

func ExampleUpper() {
	g, err := topo.RailOptimized{Hosts: 16, GPUs: 8, NICs: 16, Ports: 2, HostLink: cable, Segment: 4, RailsPerLeaf: 8,
		Spines: 4, SpineLink: cable, Upper: topo.Upper{Pods: 2, SuperSpines: 4, SuperLink: cable}}.Graph()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"host9", "leaf6", "spine5", "superspine1"} {
		id, _ := g.Names().Node(name)
		n := g.Nodes[id]
		fmt.Printf("%s: %v, %d ports, pod %d\n", n.Name, n.Kind, len(n.Ports), n.Place.Pod+1)
	}
	// Output:
	// host9: host, 16 ports, pod 2
	// leaf6: leaf, 36 ports, pod 2
	// spine5: spine, 8 ports, pod 2
	// superspine1: superspine, 8 ports, pod 0
}

// TestPeers: every two leaves that the ports of a NIC are on have so many links, and no others.
func TestPeers(t *testing.T) {
	cable := topo.Cable{Rate: unit.GigabitPerSec, Length: unit.Metre}
	rails := topo.RailOptimized{Hosts: 4, GPUs: 4, NICs: 4, Bond: 2, HostLink: cable, Segment: 2, RailsPerLeaf: 2, Spines: 1,
		SpineLink: cable, Peer: 3, PeerLink: cable}
	leaves := topo.LeafSpine{Hosts: 4, GPUs: 4, NICs: 4, Bond: 2, HostLink: cable, Leaves: 4, Spines: 1, SpineLink: cable, Peer: 3,
		PeerLink: cable}
	for pairs, d := range map[int]topo.Design{4: rails, 2: leaves} {
		g, err := d.Graph()
		if err != nil {
			t.Fatal(err)
		}
		links := map[[2]topo.NodeID]int{}
		for _, l := range g.Links {
			if g.Nodes[l.A].Kind == topo.Leaf && g.Nodes[l.B].Kind == topo.Leaf {
				links[[2]topo.NodeID{l.A, l.B}]++
			}
		}
		if len(links) != pairs {
			t.Errorf("%T: %v, want %d pairs", d, links, pairs)
		}
		for i := range g.NICs {
			p := g.NICs[i].Ports
			if n := links[[2]topo.NodeID{g.Ports[p[0]].To, g.Ports[p[1]].To}]; n != 3 {
				t.Errorf("%T: %d links between the switches of NIC %d, want 3", d, n, i)
			}
		}
	}
	rails.Planes = 2
	leaves.Bond, leaves.NICs = 1, 8
	for _, d := range []topo.Design{rails, leaves} {
		if _, err := d.Graph(); err == nil || !strings.Contains(err.Error(), "want 0") {
			t.Errorf("%T: %v", d, err)
		}
	}
}
