package topo_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

func must(t testing.TB, d topo.Design) *topo.Graph {
	t.Helper()
	g, err := d.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func endpoint(t testing.TB, g *topo.Graph, name string) topo.NICID {
	t.Helper()
	_, _, nic, err := g.Names().Endpoint(name)
	if err != nil {
		t.Fatal(err)
	}
	return nic
}

// Book, chapter 10: three hosts with two GPUs and two NIC ports each; the GPU-0s on
// rail A, the GPU-1s on rail B. The same rail is one switch away, the other rail is
// rail, spine, rail.
func TestBookChapter10SameRailOneSwitchOtherRailThree(t *testing.T) {
	c := topo.Cable{Rate: 200 * unit.GigabitPerSec, Length: 10 * unit.Metre}
	g := must(t, topo.RailOptimized{Hosts: 3, GPUs: 2, NICs: 2, Spines: 2, HostLink: c, SpineLink: c})
	r := topo.NewRoutes(g)
	for from := range g.NICs {
		for to := range g.NICs {
			if from == to {
				continue
			}
			path, err := r.Path(topo.NICID(from), topo.NICID(to), nil)
			if err != nil {
				t.Fatal(err)
			}
			switches := 1
			if g.NICs[from].Rail != g.NICs[to].Rail {
				switches = 3
			}
			if len(path) != switches+1 {
				t.Errorf("%s to %s: %s, want %d switches", g.NICName(topo.NICID(from)), g.NICName(topo.NICID(to)),
					portNames(g, path), switches)
			}
		}
	}
	if got := portNames(g, r.NextHops(g.Edge(0), endpoint(t, g, "host3/gpu1"))); got != "rail1/spine1 rail1/spine2" {
		t.Errorf("rail 1 to rail 2 goes by %s", got)
	}
}

// Book, chapter 13: a pod of 64 GPUs with 4 rail switches carries 3.2 Tb/s down and
// 3.2 Tb/s up at each.
func TestBookChapter13PodIsNonBlocking(t *testing.T) {
	g := must(t, topo.RailOptimized{Hosts: 16, GPUs: 4, NICs: 4, Spines: 4,
		HostLink:  topo.Cable{Rate: 200 * unit.GigabitPerSec, Length: 10 * unit.Metre},
		SpineLink: topo.Cable{Rate: 800 * unit.GigabitPerSec, Length: 10 * unit.Metre}})
	tiers := g.Tiers()
	want := []topo.TierCapacity{
		{Tier: 1, Switches: 4, Down: 4 * 3200 * unit.GigabitPerSec, Up: 4 * 3200 * unit.GigabitPerSec},
		{Tier: 2, Switches: 4, Down: 4 * 3200 * unit.GigabitPerSec},
	}
	if d := cmp.Diff(want, tiers); d != "" {
		t.Error(d)
	}
	if over, ok := tiers[0].Oversubscription(); !ok || over != (unit.Ratio{Num: 1, Den: 1}) {
		t.Errorf("oversubscription %v, want 1", over)
	}
	if _, ok := tiers[1].Oversubscription(); ok {
		t.Error("the top tier has an oversubscription")
	}
}

// 8 hosts send 100 Gb/s each; the leaves' uplinks carry 3 x 50 = 150 Gb/s each way per leaf.
func TestBisectionIsLimitedByTheNarrowestCut(t *testing.T) {
	p := topo.LeafSpine{Hosts: 8, GPUs: 1, NICs: 1, Leaves: 2, Spines: 3,
		HostLink:  topo.Cable{Rate: 100 * unit.GigabitPerSec, Length: unit.Metre},
		SpineLink: topo.Cable{Rate: 50 * unit.GigabitPerSec, Length: unit.Metre}}
	for spines, want := range map[int]unit.Bitrate{0: 0, 1: 50, 3: 150, 8: 400, 20: 400} {
		p.Spines = spines
		if got := must(t, p).Bisection(); got != want*unit.GigabitPerSec {
			t.Errorf("%d spines: bisection %v, want %v Gb/s", spines, got, int64(want))
		}
	}
}

func TestLeafSpinePutsHostsUnderLeavesInOrder(t *testing.T) {
	c := topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}
	g := must(t,
		topo.LeafSpine{Hosts: 16, GPUs: 1, NICs: 1, Leaves: 4, Spines: 4, HostLink: c, SpineLink: c})
	r := topo.NewRoutes(g)
	for i, h := range g.Hosts {
		if leaf := g.Nodes[g.Edge(h.NICs[0])].Name; leaf != "leaf"+string(rune('1'+i/4)) {
			t.Errorf("%s is on %s", h.Name, leaf)
		}
	}
	path, err := r.Path(endpoint(t, g, "host1/gpu0"), endpoint(t, g, "host16/gpu0"),
		func(topo.NodeID, int) int { return 2 })
	if err != nil {
		t.Fatal(err)
	}
	if got := portNames(g, path); got != "host1/leaf1 leaf1/spine3 spine3/leaf4 leaf4/host16" {
		t.Error(got)
	}
	for _, p := range path {
		if g.Ports[p].Delay != unit.Microsecond {
			t.Errorf("%s: delay %v, want the one given", g.Ports[p].Name, g.Ports[p].Delay)
		}
	}
}

func TestGPUsAreSpreadOverNICs(t *testing.T) {
	for _, c := range []struct {
		gpus, nics int
		nicOf      []int32 // by GPU
		nearest    []int32 // by NIC
	}{
		{8, 8, []int32{0, 1, 2, 3, 4, 5, 6, 7}, []int32{0, 1, 2, 3, 4, 5, 6, 7}},
		{8, 1, []int32{0, 0, 0, 0, 0, 0, 0, 0}, []int32{0}},
		{8, 4, []int32{0, 0, 1, 1, 2, 2, 3, 3}, []int32{0, 2, 4, 6}},
		{8, 3, []int32{0, 0, 0, 1, 1, 1, 2, 2}, []int32{0, 3, 6}},
		{2, 4, []int32{0, 2}, []int32{0, 0, 1, 1}},
	} {
		g := must(t, topo.SingleSwitch{Hosts: 2, GPUs: c.gpus, NICs: c.nics, HostLink: small.HostLink})
		var nicOf, nearest []int32
		for gpu := range c.gpus {
			nicOf = append(nicOf, g.NICs[g.NICOf(1, gpu)].Index)
		}
		for _, n := range g.Hosts[1].NICs {
			nearest = append(nearest, g.NICs[n].GPU)
		}
		if !slices.Equal(nicOf, c.nicOf) || !slices.Equal(nearest, c.nearest) {
			t.Errorf("%d GPUs, %d NICs: NIC of GPU %v, nearest GPU %v; want %v, %v", c.gpus, c.nics, nicOf,
				nearest, c.nicOf, c.nearest)
		}
	}
}

func TestPathErrorsSayWhy(t *testing.T) {
	p := small
	p.Spines = 0
	g := must(t, p)
	r := topo.NewRoutes(g)
	for _, c := range []struct{ from, to, want string }{
		{"host1/nic0", "host2/nic1", "no path from host1/nic0 on rail1 to host2/nic1 on rail2: no chain of links " +
			"between switches joins rail1 and rail2 " +
			"(rail1 is linked to hosts only); add spines, or send between NICs of one rail"},
		{"host1/nic0", "host1/nic0", "no path from host1/nic0 to itself: name two different NICs"},
		{"host1/nic3", "host2/nic3", "<nil>"},
	} {
		_, err := r.Path(endpoint(t, g, c.from), endpoint(t, g, c.to), nil)
		if got := errText(err); got != c.want {
			t.Errorf("%s to %s:\n got %s\nwant %s", c.from, c.to, got, c.want)
		}
	}
	if hops := r.NextHops(g.Edge(0), endpoint(t, g, "host2/nic1")); len(hops) != 0 {
		t.Errorf("unreachable, yet next hops %s", portNames(g, hops))
	}
	if hops := r.NextHops(g.Hosts[0].Node, 1); len(hops) != 0 {
		t.Errorf("a host forwards by %s", portNames(g, hops))
	}
}

func TestNamesErrorsSayWhatIsAccepted(t *testing.T) {
	p := small
	p.Parallel = 2
	n := must(t, p).Names()
	check := func(name string, err error, want string) {
		t.Helper()
		if got := errText(err); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"host2/gpu3":  "<nil>",
		"host2/nic3":  "<nil>",
		"host3/gpu0":  `"host3/gpu0": no host "host3", want host1 to host2`,
		"host2/gpu4":  `"host2/gpu4": host2 has 4 GPUs, want gpu0 to gpu3`,
		"host2/nic9":  `"host2/nic9": host2 has 4 NICs, want nic0 to nic3`,
		"host2":       `"host2": want a GPU or a NIC of a host, such as host2/gpu0 or host2/nic0`,
		"host2/gpu01": `"host2/gpu01": want a GPU or a NIC of a host, such as host2/gpu0 or host2/nic0`,
		"rail1/gpu0":  `"rail1/gpu0": no host "rail1", want host1 to host2`,
	} {
		_, _, _, err := n.Endpoint(name)
		check(name, err, want)
	}
	_, err := n.Port("rail1/spine1")
	check("port", err, `"rail1/spine1" names several parallel links, want one of them, such as rail1/spine1#1`)
	_, err = n.Port("rail1/rail2")
	check("port", err, `"rail1/rail2" is not a port of this network, want node/peer such as host1/rail1`)
	_, err = n.Node("leaf1")
	check("node", err, `"leaf1" is neither a host nor a switch of this network, want a name such as host1 or spine2`)
	if id, err := n.Port("spine2/rail3#2"); err != nil || n == nil || id < 0 {
		t.Error(err)
	}
}

func TestParameterErrorsNameThingValueAndBound(t *testing.T) {
	rails := func(f func(*topo.RailOptimized)) topo.Design { p := small; f(&p); return p }
	leaves := func(f func(*topo.LeafSpine)) topo.Design {
		p := topo.LeafSpine{Hosts: 8, GPUs: 1, NICs: 1, Leaves: 4, Spines: 4, HostLink: small.HostLink,
			SpineLink: small.SpineLink}
		f(&p)
		return p
	}
	for _, c := range []struct {
		design topo.Design
		want   string
	}{
		{topo.SingleSwitch{GPUs: 1, NICs: 1, HostLink: small.HostLink}, "design single-switch: 0 hosts, want 1 to 524288"},
		{rails(func(p *topo.RailOptimized) { p.Hosts = 0 }), "design rail-optimized: 0 hosts, want 1 to 524288\n" +
			"design rail-optimized: 0 hosts per segment, want 1 to 524288"},
		{rails(func(p *topo.RailOptimized) { p.GPUs = -1 }), "design rail-optimized: -1 GPUs per host, want 1 to 1024"},
		{rails(func(p *topo.RailOptimized) { p.HostLink.Rate = 0 }),
			"design rail-optimized: host link: rate 0b/s, want more than 0 and at most 1000Tb/s"},
		{rails(func(p *topo.RailOptimized) { p.SpineLink.Length = 0 }),
			"design rail-optimized: spine link: no length and no delay, want one of them above 0"},
		{rails(func(p *topo.RailOptimized) { p.SpineLink.Delay = -1 }),
			"design rail-optimized: spine link: delay -1ps, want 0 (from the length) to 1s"},
		{rails(func(p *topo.RailOptimized) { p.Hosts, p.NICs = 500_000, 1000 }), "design rail-optimized: 500000000 host " +
			"links and 2000 links between switches, want at most 4194304 in all"},
		{rails(func(p *topo.RailOptimized) { p.Spines = math.MaxInt }),
			"design rail-optimized: 9223372036854775807 spines, want 0 to 262144"},
		{rails(func(p *topo.RailOptimized) { p.Segment = 3 }),
			"design rail-optimized: 2 hosts do not split into segments of 3, want a multiple of that"},
		{rails(func(p *topo.RailOptimized) { p.Ports = 3 }),
			"design rail-optimized: 4 NICs do not split into rails of 3, want a multiple of that"},
		{rails(func(p *topo.RailOptimized) { p.RailsPerLeaf = 3 }),
			"design rail-optimized: 4 rails do not split into 3 a leaf, want a number that divides 4"},
		{rails(func(p *topo.RailOptimized) { p.Planes = 2 }),
			"design rail-optimized: 1 NICs of a rail for 2 planes, want a multiple of 2"},
		{rails(func(p *topo.RailOptimized) { p.Pods = 2 }),
			"design rail-optimized: 1 segments do not split over 2 pods, want a multiple of that\n" +
				"design rail-optimized: 2 pods, 2 spines and 0 super-spines: nothing joins the pods, want both above 0"},
		{rails(func(p *topo.RailOptimized) { p.Segment, p.Pods = 1, 2 }), "design rail-optimized: 2 pods, 2 spines and 0 " +
			"super-spines: nothing joins the pods, want both above 0"},
		{rails(func(p *topo.RailOptimized) { p.SuperSpines, p.SuperLink = 2, small.SpineLink }),
			"design rail-optimized: 2 super-spines for one pod, want 2 or more pods"},
		{rails(func(p *topo.RailOptimized) {
			p.Segment, p.Upper = 1, topo.Upper{Pods: 2, SuperSpines: 3, SuperGroups: 2, SuperLink: small.SpineLink}
		}), "design rail-optimized: 3 super-spines do not split into 2 groups, want a multiple of that"},
		{rails(func(p *topo.RailOptimized) {
			p.Segment, p.Upper = 1, topo.Upper{Pods: 2, SuperSpines: 3, SuperGroups: 3, SuperLink: small.SpineLink}
		}), "design rail-optimized: 2 spines of a pod do not split into 3 groups, want a multiple of that"},
		{rails(func(p *topo.RailOptimized) { p.Segment, p.Upper = 1, topo.Upper{Pods: 2, SuperSpines: 1} }),
			"design rail-optimized: super-spine link: rate 0b/s, want more than 0 and at most 1000Tb/s"},
		{leaves(func(p *topo.LeafSpine) { p.Leaves = 3 }),
			"design leaf-spine: 8 hosts do not split evenly over 3 leaves, want a multiple of 3 hosts"},
		{leaves(func(p *topo.LeafSpine) { p.Leaves, p.Planes = 3, 2 }),
			"design leaf-spine: 3 leaves do not split over 2 planes, want a multiple of that\n" +
				"design leaf-spine: 1 NICs of a rail for 2 planes, want a multiple of 2"},
		{topo.Dragonfly{Hosts: 7, GPUs: 1, NICs: 1, HostLink: small.HostLink, Groups: 3, Routers: 1, Global: 3,
			LocalLink: small.HostLink, GlobalLink: small.HostLink}, "design dragonfly: 7 hosts do not spread evenly over " +
			"3 x 1 routers, want a multiple of 3\ndesign dragonfly: 1 routers x 3 links to 2 other groups, want a multiple " +
			"of 2 above 0 in all"},
		{topo.Direct{Hosts: 3, GPUs: 1, NICs: 1, HostLink: small.HostLink},
			"design direct: 3 hosts do not make pairs, want a multiple of 2"},
		{leaves(func(p *topo.LeafSpine) { p.SpinesPerLeaf = 5 }), "design leaf-spine: 5 spines per leaf, want 0 to 4"},
		{leaves(func(p *topo.LeafSpine) { p.SpinesPerLeaf = 2 }), "design leaf-spine: 2 spines per leaf: some of 4 leaves " +
			"of a pod have no spine of 4 in common, want more"},
	} {
		_, err := c.design.Graph()
		if got := errText(err); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}

func TestBuilderReportsEveryMistakeOnce(t *testing.T) {
	c := topo.Cable{Rate: unit.GigabitPerSec, Length: unit.Metre}
	b := topo.NewBuilder()
	h1, _, s := b.AddHost("host1", 1), b.AddHost("host2", -1), b.AddSwitch("leaf1", topo.Leaf)
	b.Connect(s, s, c)
	b.Connect(h1, s, topo.Cable{Length: unit.Metre})
	b.Connect(h1, s, topo.Cable{Length: unit.Metre})
	_, err := b.Build()
	want := "host2: -1 GPUs, want 0 to 1024\n" +
		"link leaf1/leaf1: both ends are the same node\n" +
		"link host1/leaf1: rate 0b/s, want more than 0 and at most 1000Tb/s"
	if got := errText(err); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// Each edit breaks one invariant of a good graph; Validate must name it.
func TestValidateNamesWhatIsBroken(t *testing.T) {
	for want, breakIt := range map[string]func(g *topo.Graph){
		"host1 has no NIC: connect it to a switch": func(g *topo.Graph) {
			g.Hosts[0].NICs = nil
		},
		"two nodes are named rail1, want different names": func(g *topo.Graph) { g.Nodes[3].Name = "rail1" },
		"node 2 has no name":                              func(g *topo.Graph) { g.Nodes[2].Name = "" },
		`node "a/b": a name has no / and no #, which separate the parts of a port's name`: func(g *topo.Graph) {
			g.Nodes[2].Name = "a/b"
		},
		"host1: a host in tier 1, want hosts in tier 0 and switches above": func(g *topo.Graph) {
			g.Nodes[0].Tier = 1
		},
		"link host1/rail1: rate 0b/s, want more than 0": func(g *topo.Graph) {
			g.Links[0].Rate = 0
		},
		"link host1/rail1: delay 0s, want more than 0": func(g *topo.Graph) {
			g.Links[0].Delay = 0
		},
		"link 0: ends are nodes 0 and 99, want 0 to 7": func(g *topo.Graph) {
			g.Links[0].B = 99
		},
		"link host1/rail1: port 1 leads from node 2 to node 1 on link 0, want node 2 to node 0 " +
			"on link 0": func(g *topo.Graph) {
			g.Ports[1].To = 1
		},
		"link host1/rail1: port host1/rail1 has rate 0b/s and delay 100ns, its link 200Gb/s and 100ns": func(g *topo.Graph) {
			g.Ports[0].Rate = 0
		},
		"host1: lists port 2 after port 4, want ascending order": func(g *topo.Graph) {
			n := g.Nodes[0].Ports
			n[1], n[2] = n[2], n[1]
		},
		"rail1: lists port host1/rail2, which is not its own": func(g *topo.Graph) { g.Nodes[2].Ports[0] = 2 },
		"nodes list 31 ports, the network has 32": func(g *topo.Graph) {
			g.Nodes[2].Ports = g.Nodes[2].Ports[1:]
		},
		"two ports are named host1/rail1, want different names": func(g *topo.Graph) {
			g.Ports[2].Name = "host1/rail1"
		},
		"host1/nic0 is not connected: port 8 is not one of host1":      func(g *topo.Graph) { g.NICs[0].Port = 8 },
		"host1/nic0: nearest GPU 4, want -1 (none) to 3":               func(g *topo.Graph) { g.NICs[0].GPU = 4 },
		"host1/nic0: rail -1, want 0 or more":                          func(g *topo.Graph) { g.NICs[0].Rail = -1 },
		"host1/nic0: its link names NICs 1 and 0, want 0":              func(g *topo.Graph) { g.Ports[0].NIC = 1 },
		"31 ports for 16 links, want two for each":                     func(g *topo.Graph) { g.Ports = g.Ports[1:] },
		"2 host nodes for 1 hosts, want one for each and at least one": func(g *topo.Graph) { g.Hosts = g.Hosts[:1] },
		"host 1 (host2): node 0, want a host node of its own":          func(g *topo.Graph) { g.Hosts[1].Node = 0 },
		"port rail1/spine1: names NIC 0, want -1 between switches":     func(g *topo.Graph) { g.Ports[16].NIC = 0 },
		"host1: nic0 is NIC 5, which is not its own":                   func(g *topo.Graph) { g.Hosts[0].NICs[0] = 5 },
		"host2: nic3 is NIC 7, which is not its own":                   func(g *topo.Graph) { g.NICs[7] = g.NICs[3] },
		"NIC 8: host 0, index 3, where another or none is listed": func(g *topo.Graph) {
			g.NICs = append(g.NICs, g.NICs[3])
		},
	} {
		p := small
		g := must(t, p)
		breakIt(g)
		if got := errText(g.Validate()); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return "<nil>"
	}
	return err.Error()
}
