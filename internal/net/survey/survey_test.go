package survey

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

var cable = topo.Cable{Rate: 100 * unit.GigabitPerSec, Length: 20 * unit.Metre}

func graph(t testing.TB, d topo.Design) *topo.Graph {
	t.Helper()
	g, err := d.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// drawn is any multigraph of switches and hosts, in one part or several.
func drawn(t *rapid.T) *topo.Graph {
	b := topo.NewBuilder()
	sw := make([]topo.NodeID, rapid.IntRange(1, 7).Draw(t, "switches"))
	for i := range sw {
		sw[i] = b.AddSwitch(fmt.Sprint("s", i), topo.Kind(rapid.IntRange(1, 3).Draw(t, "kind")))
	}
	some := rapid.SampledFrom(sw)
	for i := range rapid.IntRange(1, 6).Draw(t, "hosts") {
		h := b.AddHost(fmt.Sprint("host", i+1), rapid.IntRange(0, 3).Draw(t, "GPUs"))
		for range rapid.IntRange(1, 3).Draw(t, "NICs") {
			b.Connect(h, some.Draw(t, "edge"), cable)
		}
	}
	for range rapid.IntRange(0, 10).Draw(t, "links") {
		if x, y := some.Draw(t, "x"), some.Draw(t, "y"); x != y {
			c := cable
			c.Cost = rapid.IntRange(1, 3).Draw(t, "cost")
			b.Connect(x, y, c)
		}
	}
	for range rapid.SampledFrom([]int{0, 0, 2, 5}).Draw(t, "ports") {
		if n := topo.NICID(rapid.IntRange(0, int(b.LastNIC())).Draw(t, "NIC")); b.PortsOf(n) < topo.MaxPorts {
			b.Bond(n, some.Draw(t, "edge"), cable)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// What a failure cuts off is what is not in the largest part that it leaves of the part it is in.
func TestPointsAreThoseOfTakingEachAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t)
		c := newCutter(g)
		for i, n := range g.Nodes {
			if n.Kind != topo.HostKind {
				if got, want := len(c.without(topo.NodeID(i))), taken(g, topo.NodeID(i), -1); !slices.Contains(want, got) {
					t.Fatalf("without %s %d NICs are cut off, want one of %d", n.Name, got, want)
				}
			}
		}
		for i := range g.Links {
			if got, want := len(c.withoutLink(topo.LinkID(i))), taken(g, -1, topo.LinkID(i)); !slices.Contains(want, got) {
				t.Fatalf("without link %s %d NICs are cut off, want one of %d", g.Ports[2*i].Name, got, want)
			}
		}
	})
}

// taken lists how many NICs may be cut off without a switch or a link, by labels that spread; several where parts
// are as large. A NIC is if no port of its is left that it had in the part.
func taken(g *topo.Graph, sw topo.NodeID, link topo.LinkID) (counts []int) {
	parts := func(sw topo.NodeID, link topo.LinkID) map[topo.PortID]int {
		label := make([]int, len(g.Nodes))
		for i := range label {
			label[i] = i
		}
		for range g.Nodes {
			for i, l := range g.Links {
				if g.Ports[2*i].NIC < 0 && topo.LinkID(i) != link && l.A != sw && l.B != sw {
					label[l.A] = min(label[l.A], label[l.B])
					label[l.B] = label[l.A]
				}
			}
		}
		of := map[topo.PortID]int{}
		for _, n := range g.NICs {
			for _, p := range n.Ports {
				if of[p] = label[g.Ports[p].To]; g.Ports[p].To == sw || g.Ports[p].Link == link {
					of[p] = -1
				}
			}
		}
		return of
	}
	before, after := parts(-1, -1), parts(sw, link)
	without := func(part, kept int) (lost int) {
		for _, n := range g.NICs {
			there, left := false, false
			for _, p := range n.Ports {
				there = there || before[p] == part
				left = left || before[p] == part && after[p] == kept
			}
			if there && !left {
				lost++
			}
		}
		return lost
	}
	counts = []int{0}
	for part := range g.Nodes {
		sizes, most := map[int]int{}, 0
		for p, of := range before {
			if of == part && after[p] >= 0 {
				sizes[after[p]]++
				most = max(most, sizes[after[p]])
			}
		}
		var more []int
		for kept := range g.Nodes {
			if sizes[kept] == most {
				for _, c := range counts {
					more = append(more, c+without(part, kept))
				}
			}
		}
		counts = more
		slices.Sort(counts)
		counts = slices.Compact(counts)
	}
	return counts
}

// Pairs are counted by the switches that NICs are on; here each pair's ways are walked.
func TestPairsAreThoseOfWalkingEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t)
		r := topo.NewRoutes(g)
		want := map[[2]int64]int64{}
		for a := range topo.NICID(len(g.NICs)) {
			for b := range topo.NICID(len(g.NICs)) {
				if g.NICs[a].Host == g.NICs[b].Host {
					continue
				}
				var ways, most int64 = 0, -1
				var walk func(at topo.NodeID, n int64)
				walk = func(at topo.NodeID, n int64) {
					for _, p := range r.NextHops(at, b) {
						if g.Ports[p].NIC >= 0 {
							ways, most = ways+1, max(most, n)
						} else {
							walk(g.Ports[p].To, n+1)
						}
					}
				}
				for _, p := range g.NICs[a].Ports {
					walk(g.Ports[p].To, 1)
				}
				want[[2]int64{most, ways}]++
			}
		}
		got := map[[2]int64]int64{}
		for _, p := range walk(g, r, everyone(g)).pairs() {
			got[[2]int64{int64(p.Switches), p.Ways}] = p.Count
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

// A cycle is one of routes: from each of its ports some packet goes on by the next. Where the kinds of
// nodes rule one out there is none.
func TestACycleIsOneOfRoutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t)
		r := topo.NewRoutes(g)
		w := walk(g, r, everyone(g))
		cycle := w.cycle()
		if len(cycle) > 0 && !w.mayWait() {
			t.Fatalf("a cycle of kinds that have none: %v", cycle)
		}
		for i, p := range cycle {
			if q := cycle[(i+1)%len(cycle)]; !goesOn(g, r, p, q) {
				t.Fatalf("nothing goes on from %s by %s", g.Ports[p].Name, g.Ports[q].Name)
			}
		}
	})
}

// goesOn reports whether a packet from some NIC to another leaves by p and then by q.
func goesOn(g *topo.Graph, r *topo.Routes, p, q topo.PortID) bool {
	for to := range topo.NICID(len(g.NICs)) {
		var on func(at topo.NodeID, last topo.PortID) bool
		on = func(at topo.NodeID, last topo.PortID) bool {
			for _, n := range r.NextHops(at, to) {
				if last == p && n == q || g.Ports[n].NIC < 0 && on(g.Ports[n].To, n) {
					return true
				}
			}
			return false
		}
		for from := range topo.NICID(len(g.NICs)) {
			for _, own := range g.NICs[from].Ports {
				if on(g.Ports[own].To, -1) {
					return true
				}
			}
		}
	}
	return false
}

// A ring of five switches waits for itself; up and down does not, and a dragonfly does (Kim and others,
// ISCA 2008).
func TestWhichNetworksWaitInACircle(t *testing.T) {
	b := topo.NewBuilder()
	var ring []topo.NodeID
	for i := range 5 {
		h := b.AddHost(fmt.Sprint("host", i+1), 1)
		ring = append(ring, b.AddSwitch(fmt.Sprint("leaf", i+1), topo.Leaf))
		b.Connect(h, ring[i], cable)
	}
	for i := range ring {
		b.Connect(ring[i], ring[(i+1)%5], cable)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	got := Of(g, topo.NewRoutes(g), nil).Cycle
	if want := []string{"leaf1/leaf2", "leaf2/leaf3", "leaf3/leaf4", "leaf4/leaf5", "leaf5/leaf1"}; cmp.Diff(want, got) != "" {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range []struct {
		design topo.Design
		ports  int
	}{
		{topo.Dragonfly{Hosts: 6, GPUs: 1, NICs: 1, HostLink: cable, Groups: 3, Routers: 2, Global: 1, LocalLink: cable,
			GlobalLink: cable}, 6},
		{topo.RailOptimized{Hosts: 8, GPUs: 2, NICs: 2, HostLink: cable, Segment: 2, Spines: 4, SpineLink: cable,
			Upper: topo.Upper{Pods: 2, SuperSpines: 4, SuperLink: cable}}, 0},
		{topo.LeafSpine{Hosts: 6, GPUs: 1, NICs: 1, HostLink: cable, Leaves: 6, Spines: 6, SpineLink: cable,
			Upper: topo.Upper{SpinesPerLeaf: 4}}, 0},
		{topo.Direct{Hosts: 2, GPUs: 1, NICs: 1, HostLink: cable}, 0},
	} {
		g := graph(t, c.design)
		if got := Of(g, topo.NewRoutes(g), nil).Cycle; len(got) != c.ports {
			t.Errorf("%T: %v, want %d ports", c.design, got, c.ports)
		}
	}
}

func everyone(g *topo.Graph) (all []topo.NICID) {
	for i := range g.NICs {
		all = append(all, topo.NICID(i))
	}
	return all
}

// The book's pod (chapter 13) in numbers, with a rank on each GPU.
func ExampleOf() {
	g, err := topo.RailOptimized{Hosts: 8, GPUs: 8, NICs: 16, Ports: 2, HostLink: cable, Segment: 4, RailsPerLeaf: 8,
		Spines: 4, SpineLink: topo.Cable{Rate: 800 * unit.GigabitPerSec, Length: 20 * unit.Metre}}.Graph()
	if err != nil {
		fmt.Println(err)
		return
	}
	var ranks []topo.NICID
	for host := range g.Hosts {
		for gpu := range 8 {
			ranks = append(ranks, g.NICOf(host, gpu))
		}
	}
	for _, row := range Of(g, topo.NewRoutes(g), ranks).Rows() {
		fmt.Println(strings.TrimSpace(strings.Join(row, " | ")))
	}
	// Output:
	// ports of a leaf | 36 | in use, of 4 leaves
	// ports of a spine | 4 | in use, of 4 spines
	// cut host to leaf | 12.80 Tb/s | each way, over 128 links
	// cut leaf to spine | 12.80 Tb/s | each way, over 16 links
	// maximum flow | 6.400 Tb/s | from host1-host4 into host5-host8
	// pairs of NICs | 3,072 | 1 switch on the only path
	// pairs of NICs | 11,264 | 3 switches on each of 4 equal paths
	// pairs of ranks | 1,536 | 1 switch on the only path
	// pairs of ranks | 2,048 | 3 switches on each of 4 equal paths
	// failure of a leaf | 32 NICs | each of 4, leaf1-leaf4, cuts them off from most others
	// failure of a host link | 1 NIC | each of 128, host1/leaf1#1-host8/leaf4#8, cuts them off from most others
	// equal hashes | 4 of 4 leaves | below a spine meet there at most, at one place of their whole lists of uplinks
	// cycle of waits | none | no buffer can wait for itself
}

// With rotated lists equal hashes of leaves meet on a spine ceil(leaves / spines) times, else all of them do.
func TestWhereEqualHashesMeet(t *testing.T) {
	for _, c := range []struct {
		leaves, spines, perLeaf int
		rotated                 bool
		most, below             int
	}{{6, 6, 6, true, 1, 6}, {6, 6, 6, false, 6, 6}, {6, 6, 4, true, 1, 4}, {8, 3, 3, true, 3, 8}, {12, 8, 5, true, 2, 9}} {
		g, err := topo.LeafSpine{Hosts: c.leaves, GPUs: 1, NICs: 1, HostLink: cable, Leaves: c.leaves, Spines: c.spines,
			SpineLink: cable, Upper: topo.Upper{Rotated: c.rotated, SpinesPerLeaf: c.perLeaf}}.Graph()
		if err != nil {
			t.Fatal(err)
		}
		got := Of(g, topo.NewRoutes(g), nil).Meets
		if want := (Meet{"leaf", "spine", c.most, c.below}); len(got) != 1 || got[0] != want {
			t.Errorf("%+v: %+v, want %+v", c, got, want)
		}
	}
}

// What a failure costs depends on how hosts are homed: a leaf of all rails takes its hosts, a rail switch one
// GPU of each, and of a GPU with a NIC on each of two leaves either may go.
func TestWhatAFailureIsolates(t *testing.T) {
	for _, c := range []struct {
		name   string
		design topo.Design
		want   []Point
	}{
		{"any to any", topo.LeafSpine{Hosts: 4, GPUs: 2, NICs: 2, HostLink: cable, Leaves: 2, Spines: 2, SpineLink: cable},
			[]Point{{"leaf", 2, "leaf1", "leaf2", 4, 4, 2}, {"host link", 8, "host1/leaf1#1", "host4/leaf2#2", 1, 1, 0}}},
		{"rails", topo.RailOptimized{Hosts: 4, GPUs: 2, NICs: 2, HostLink: cable, Spines: 2, SpineLink: cable},
			[]Point{{"leaf", 2, "rail1", "rail2", 4, 4, 0}, {"host link", 8, "host1/rail1", "host4/rail2", 1, 1, 0}}},
		{"dual-homed", topo.RailOptimized{Hosts: 4, GPUs: 2, NICs: 4, HostLink: cable, Ports: 2, RailsPerLeaf: 2, Spines: 2,
			SpineLink: cable},
			[]Point{{"leaf", 2, "leaf1", "leaf2", 8, 0, 0}, {"host link", 16, "host1/leaf1#1", "host4/leaf2#2", 1, 0, 0}}},
		{"one spine", topo.LeafSpine{Hosts: 4, GPUs: 1, NICs: 1, HostLink: cable, Leaves: 2, Spines: 1, SpineLink: cable},
			[]Point{{"leaf", 2, "leaf1", "leaf2", 2, 2, 2}, {"spine", 1, "spine1", "spine1", 2, 2, 2},
				{"leaf link", 2, "leaf1/spine1", "leaf2/spine1", 2, 2, 2}, {"host link", 4, "host1/leaf1", "host4/leaf2", 1, 1, 1}}},
		{"pairs", topo.Direct{Hosts: 2, GPUs: 2, NICs: 1, HostLink: cable},
			[]Point{{"host link", 1, "host1/host2", "host1/host2", 2, 4, 2}}},
	} {
		if d := cmp.Diff(c.want, points(graph(t, c.design))); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// Each pod of two leaves has two links of 100 Gb/s to the super-spine, so it sends 200 Gb/s. Between the halves
// of the hosts go 200 from pod to pod, and 200 inside the second pod, which they cut.
func TestFlowsBetweenPods(t *testing.T) {
	g := graph(t, topo.LeafSpine{Hosts: 12, GPUs: 1, NICs: 1, HostLink: cable, Leaves: 6, Spines: 2, SpineLink: cable,
		Upper: topo.Upper{Pods: 3, SuperSpines: 1, SuperLink: cable}})
	const g100 = 100 * unit.GigabitPerSec
	want := []Flow{{"host1-host6", "host7-host12", 4 * g100}, {"pod 1", "the other pods", 2 * g100},
		{"pod 2", "the other pods", 2 * g100}, {"pod 3", "the other pods", 2 * g100}}
	if d := cmp.Diff(want, flows(g)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Cut{{"host", "leaf", 12, 12 * g100}, {"leaf", "spine", 12, 12 * g100},
		{"spine", "superspine", 6, 6 * g100}}, cuts(g)); d != "" {
		t.Error(d)
	}
}
