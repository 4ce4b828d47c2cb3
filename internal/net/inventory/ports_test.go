package inventory_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/net/inventory"
	"railyard/internal/net/inventory/inventorytest"
	"railyard/internal/net/topo"
)

// one gives all switches the same panel.
func one(p inventory.Panel) func(topo.NodeID) inventory.Panel {
	return func(topo.NodeID) inventory.Panel { return p }
}

func mustGraph(t interface{ Fatal(...any) }, d topo.Design) *topo.Graph {
	g, err := d.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// rails lists the ports of each rail on a switch, and its uplinks.
func rails(g *topo.Graph, names []inventory.PortName, name string) (rail []string, up string) {
	rail = make([]string, g.Rails())
	for _, n := range g.Nodes {
		for _, p := range n.Ports {
			number := strings.TrimPrefix(names[p].String(), "Ethernet1/")
			switch nic := g.Ports[p].NIC; {
			case n.Name != name:
			case nic < 0:
				up += number + " "
			default:
				rail[g.NICs[nic].Rail] += number + " "
			}
		}
	}
	return rail, up
}

// Book chapter 13: a segment's leaf with 32 host ports. Eight rails have ports 4r-3 to 4r, two
// 16r-15 to 16r, one has 1 to 32.
func TestPortsOfRailsOnASwitch(t *testing.T) {
	for _, c := range []struct{ rails, each int }{{8, 4}, {2, 16}, {1, 32}} {
		g := mustGraph(t, topo.RailOptimized{Hosts: 32 / c.rails, GPUs: c.rails, NICs: c.rails, RailsPerLeaf: c.rails,
			Spines: 4, HostLink: inventorytest.Host200, SpineLink: inventorytest.Trunk400})
		names, err := inventory.Ports(g, one(inventory.Panel{}))
		if err != nil {
			t.Fatal(err)
		}
		leaf := g.Nodes[g.Edge(0)].Name
		got, up := rails(g, names, leaf)
		for r := range got {
			want := ""
			for port := c.each*r + 1; port <= c.each*(r+1); port++ {
				want += fmt.Sprint(port, " ")
			}
			if got[r] != want {
				t.Errorf("%d rails, rail %d: ports %s, want %s", c.rails, r+1, got[r], want)
			}
		}
		if up != "33 34 35 36 " {
			t.Errorf("%d rails: uplinks %s", c.rails, up)
		}
	}
}

// Book chapter 13, figure 13-4: ports 1 to 8 are host 1, 9 to 16 host 2, 17 to 24 host 3, and port k of each group is
// rail k.
func TestPortsByHost(t *testing.T) {
	g := mustGraph(t, topo.SingleSwitch{Hosts: 3, GPUs: 8, NICs: 8, HostLink: inventorytest.Host200})
	names, err := inventory.Ports(g, one(inventory.Panel{ByHost: true}))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := rails(g, names, g.Nodes[g.Edge(0)].Name)
	for r := range got {
		if want := fmt.Sprint(r+1, " ", r+9, " ", r+17, " "); got[r] != want {
			t.Errorf("rail %d: ports %s, want %s", r+1, got[r], want)
		}
	}
}

// Book chapter 13: eight rails on a switch of 48 ports in columns of three, uplinks in the bottom
// row.
func TestPortsOfTheBooksSwitch(t *testing.T) {
	g := mustGraph(t, topo.RailOptimized{Hosts: 4, GPUs: 8, NICs: 8, RailsPerLeaf: 8, Spines: 4, Parallel: 4,
		HostLink: inventorytest.Host200, SpineLink: inventorytest.Trunk400})
	names, err := inventory.Ports(g, one(inventory.Panel{Ports: 48, Rows: 3}))
	if err != nil {
		t.Fatal(err)
	}
	got, up := rails(g, names, "leaf1")
	want := []string{"1 4 7 10 ", "13 16 19 22 ", "25 28 31 34 ", "37 40 43 46 ",
		"2 5 8 11 ", "14 17 20 23 ", "26 29 32 35 ", "38 41 44 47 "}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("rails %q, want %q", got, want)
	}
	if up != "3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 " {
		t.Errorf("uplinks %s", up)
	}
}

// Two cables of 400 Gb/s share a port of 800; a rate of its own does not join them.
func TestPortsThatAreSplit(t *testing.T) {
	g := mustGraph(t, topo.RailOptimized{Hosts: 3, GPUs: 1, NICs: 1, Spines: 1, Parallel: 2, HostLink: inventorytest.Host200,
		SpineLink: inventorytest.Trunk400})
	names, err := inventory.Ports(g, one(inventory.Panel{Ports: 3, Breakout: 2, Rate: 800 * unit.GigabitPerSec}))
	if err != nil {
		t.Fatal(err)
	}
	got, up := rails(g, names, "rail1")
	if got[0] != "1/1 1/2 2/1 " || up != "3/1 3/2 " {
		t.Errorf("%q %q", got, up)
	}
}

func TestTooFewPorts(t *testing.T) {
	g := mustGraph(t, topo.SingleSwitch{Hosts: 4, GPUs: 2, NICs: 2, HostLink: inventorytest.Host200})
	for _, c := range []struct {
		panel inventory.Panel
		want  string
	}{
		{inventory.Panel{Ports: 7}, "rail1: cables for 8 ports, want at most 7"},
		{inventory.Panel{Ports: 8, Rows: 3}, "rail1: 8 ports do not make 3 rows, want a multiple of 3"},
		{inventory.Panel{Rows: 3}, "rail1: 0 ports do not make 3 rows, want a multiple of 3"},
	} {
		if _, err := inventory.Ports(g, one(c.panel)); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.panel, err, c.want)
		}
	}
}

// Whatever the panel, no two cables of a switch are plugged into the same place.
func TestEveryCableHasAPlaceOfItsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := inventorytest.Draw(t)
		panel := inventory.Panel{Breakout: rapid.IntRange(0, 4).Draw(t, "breakout"), Rows: rapid.IntRange(0, 3).Draw(t, "rows"),
			Ports: 6 * rapid.IntRange(24, 40).Draw(t, "ports"), Rate: 800 * unit.GigabitPerSec}
		names, err := inventory.Ports(g, one(panel))
		if err != nil {
			t.Fatal(err)
		}
		taken := map[string]string{}
		for i, p := range g.Ports {
			at := g.Nodes[p.Node].Name + " " + names[i].String()
			if taken[at] != "" {
				t.Fatalf("%s: %s and %s", at, taken[at], p.Name)
			}
			taken[at] = p.Name
			if names[i].NIC < 0 && (names[i].Number < 1 || names[i].Number > panel.Ports) {
				t.Fatalf("%s of %d ports", at, panel.Ports)
			}
		}
	})
}

// A switch of 48 ports and 4 for uplinks: those are the last ones, however few hosts there are.
func TestPortsForUplinksAreTheLast(t *testing.T) {
	g := mustGraph(t, topo.RailOptimized{Hosts: 4, GPUs: 1, NICs: 1, Segment: 2, Spines: 2, HostLink: inventorytest.Host200,
		SpineLink: inventorytest.Trunk400})
	panels := func(n topo.NodeID) inventory.Panel {
		if g.Nodes[n].Kind == topo.Leaf {
			return inventory.Panel{Ports: 52, Uplinks: 4, Rate: 200 * unit.GigabitPerSec}
		}
		return inventory.Panel{}
	}
	names, err := inventory.Ports(g, panels)
	if err != nil {
		t.Fatal(err)
	}
	if host, up := rails(g, names, "leaf2"); host[0] != "1 2 " || up != "49 50 " {
		t.Errorf("hosts %s, uplinks %s, want 1 2 and 49 50", host[0], up)
	}
}
