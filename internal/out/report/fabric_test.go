package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// checked passes figures on that are whole.
func checked(t *testing.T, figures []chart.Figure) []chart.Figure {
	t.Helper()
	for i := range figures {
		if err := chart.Check(&figures[i]); err != nil {
			t.Error(err)
		}
	}
	return figures
}

// graphText lists tiers, edges and ways of the fabric's figure.
func graphText(t *testing.T, d *Data) string {
	t.Helper()
	figures := checked(t, fabricChart(d))
	if len(figures) != 1 {
		t.Fatalf("%d figures, want 1", len(figures))
	}
	g := figures[0].Graph
	var b strings.Builder
	for _, tier := range g.Tiers {
		b.WriteString(tier.Name + ":")
		for _, n := range tier.Nodes {
			fmt.Fprintf(&b, " [%s]", strings.TrimSpace(n.Label+" "+n.Alert))
		}
		b.WriteString("\n")
	}
	side := func(s *chart.Side) string {
		if s.Port == "" {
			return "-"
		}
		out := fmt.Sprintf("%s %.2f", s.Port, float64(s.Value))
		if math.Abs(float64(s.Mean-s.Value)) > 1e-9 {
			out += fmt.Sprintf(" (mean %.3f)", float64(s.Mean))
		}
		if s.Ringed {
			out += " ringed"
		}
		if s.Held {
			out += " held"
		}
		return out
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "%s -- %s x%d: %s, %s\n", e.Low, e.High, e.Cables, side(&e.Up), side(&e.Down))
	}
	for _, w := range g.Ways {
		b.WriteString("way: " + strings.Join(w.Nodes, " > ") + ", " + w.Label + "\n")
	}
	return b.String() + strings.ReplaceAll(figures[0].Caption, ". ", ".\n") + "\n"
}

// slowest makes a path the one of the slowest message.
func slowest(d *Data, path string) {
	d.Flows = &FlowStats{Slowest: []result.FlowRow{{Name: "flow1", FCT: 3 * us, Path: path}}}
}

// A small network is drawn node by node: both directions of a cable, the busiest of
// parallel ones, the busiest port, what dropped and what was held.
func TestFabricOfFew(t *testing.T) {
	d := &Data{Summary: &result.Summary{}}
	d.Links = append(d.Links, duplex("host1", result.TierHost, "leaf1", result.TierLeaf, 0.25, 0.5)...)
	d.Links = append(d.Links, duplex("host2", result.TierHost, "leaf1", result.TierLeaf, 0, 0.9)...)
	d.Links = append(d.Links, duplex("host2", result.TierHost, "leaf1", result.TierLeaf, 0.1, 0.3)...)
	d.Links[0].Paused, d.Links[1].Drops = 3*us, 7
	slowest(d, "host1>leaf1>host2")
	if got, want := graphText(t, d), `host: [host1] [host2]
leaf: [leaf1 dropped 7 packets]
host1 -- leaf1 x1: host1/leaf1 0.25 held, leaf1/host1 0.50
host2 -- leaf1 x2: host2/leaf1 0.10 (mean 0.050), leaf1/host2 0.90 (mean 0.600) ringed
way: host1 > leaf1 > host2, flow1, 3 us
The half of a line at a node is that node's port: its colour says in how much of the run it sent.
Ringed: leaf1/host2, 90.0 %.
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// 64 hosts on 8 rails: hosts are one node but for the ends of the busiest port, those of
// the slowest message's path, and those far busier than most.
func TestFabricOfRails(t *testing.T) {
	d := &Data{Summary: &result.Summary{}}
	for h := 1; h <= 64; h++ {
		for r := 1; r <= 2; r++ {
			up, down := 0.01, 0.02
			switch {
			case h == 1 && r == 1:
				down = 0.4
			case h == 5 && r == 1:
				up = 0.2
			case h == 40 && r == 2:
				down = 0.05
			}
			host, rail := fmt.Sprintf("host%d", h), fmt.Sprintf("rail%d", r)
			d.Links = append(d.Links, duplex(host, result.TierHost, rail, result.TierLeaf, up, down)...)
		}
	}
	slowest(d, "host64>rail1>host1")
	if got, want := graphText(t, d), `host: [host1] [host5] [host64] [61 more hosts]
rail: [rail1] [rail2]
host1 -- rail1 x1: host1/rail1 0.01, rail1/host1 0.40 ringed
host1 -- rail2 x1: host1/rail2 0.01, rail2/host1 0.02
host2 and 60 more -- rail1 x61: host2/rail1 0.01, rail1/host2 0.02
host2 and 60 more -- rail2 x61: host2/rail2 0.01, rail2/host40 0.05 (mean 0.020)
host5 -- rail1 x1: host5/rail1 0.20, rail1/host5 0.02
host5 -- rail2 x1: host5/rail2 0.01, rail2/host5 0.02
host64 -- rail1 x1: host64/rail1 0.01, rail1/host64 0.02
host64 -- rail2 x1: host64/rail2 0.01, rail2/host64 0.02
way: host64 > rail1 > host1, flow1, 3 us
The half of a line at a node is that node's port: its colour says in how much of the run it sent.
Where a line stands for many cables it shows the busiest of them.
Ringed: rail1/host1, 40.0 %.
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// leaves is a network of leaves with eight hosts each under spines, all equally busy.
func leaves(n, spines int) *Data {
	d := &Data{Summary: &result.Summary{}}
	for l := 1; l <= n; l++ {
		leaf := fmt.Sprintf("leaf%d", l)
		for h := range 8 {
			host := fmt.Sprintf("host%d", (l-1)*8+h+1)
			d.Links = append(d.Links, duplex(host, result.TierHost, leaf, result.TierLeaf, 0.5, 0.5)...)
		}
		for s := 1; s <= spines; s++ {
			d.Links = append(d.Links,
				duplex(leaf, result.TierLeaf, fmt.Sprintf("spine%d", s), result.TierSpine, 0.5, 0.5)...)
		}
	}
	return d
}

// Hosts are grouped by leaf as long as leaves are few; of many leaves and spines each
// tier is one group.
func TestFabricOfLeaves(t *testing.T) {
	got := strings.Split(graphText(t, leaves(12, 4)), "\n")
	want := []string{"host: [host1] [host2 to host8] [host9 to host16]", "leaf: [leaf1] [leaf2]"}
	if !strings.HasPrefix(got[0], want[0]) || !strings.HasSuffix(got[0], "[host89 to host96]") {
		t.Errorf("96 hosts: %s, want %s and so on", got[0], want[0])
	}
	if !strings.HasPrefix(got[1], want[1]) {
		t.Errorf("12 leaves: %s, want %s and so on", got[1], want[1])
	}
	got = strings.Split(graphText(t, leaves(64, 32)), "\n")
	want = []string{
		"host: [host1] [host2 to host8] [host9 to host512]",
		"leaf: [leaf1] [leaf2 to leaf64]",
		"spine: [spine1 to spine32]",
		"host1 -- leaf1 x1: host1/leaf1 0.50 ringed, leaf1/host1 0.50",
		"host2 and 6 more -- leaf1 x7: host2/leaf1 0.50, leaf1/host2 0.50",
	}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("64 leaves, line %d: %s, want %s", i, got[i], w)
		}
	}
	if said := got[len(got)-2]; !strings.HasPrefix(said, "Ringed: host1/leaf1, 50.0 %; 5,119 more ports are as busy.") {
		t.Errorf("caption: %s", said)
	}
}

// Groups lie below what they have cables to, those of the leaves that stand alone too.
func TestFabricGathers(t *testing.T) {
	d := leaves(32, 4)
	slowest(d, "host50>leaf7>spine3>leaf20>host155")
	d.Links[0].Utilisation = 0.6
	got := strings.Split(graphText(t, d), "\n")
	want := "host: [host1] [host2 to host8] [host50] [7 more hosts] [host155] [7 more hosts] [232 more hosts]"
	if got[0] != want || got[1] != "leaf: [leaf1] [leaf7] [leaf20] [29 more leaves]" {
		t.Errorf("%s; %s; want %s", got[0], got[1], want)
	}
}

// Hosts with two leaves each, in 66 pairs: more groups than can be drawn are one.
func TestFabricOfPairs(t *testing.T) {
	d, h := &Data{Summary: &result.Summary{}}, 0
	for a := range 12 {
		for b := range a {
			for range 2 {
				h++
				for _, leaf := range []int{a, b} {
					d.Links = append(d.Links, duplex(fmt.Sprintf("host%d", h), result.TierHost,
						fmt.Sprintf("leaf%d", leaf+1), result.TierLeaf, 0.5, 0.5)...)
				}
			}
		}
	}
	if got := strings.Split(graphText(t, d), "\n")[0]; got != "host: [host1] [host2 to host132]" {
		t.Error(got)
	}
}

// A path through a node that no link names, and a network in which nothing was sent.
func TestFabricWithout(t *testing.T) {
	d := leaves(2, 1)
	slowest(d, "host1>leaf1>nowhere")
	if said := graphText(t, d); strings.Contains(said, "way:") {
		t.Errorf("a path through an unknown node is drawn: %s", said)
	}
	for i := range d.Links {
		d.Links[i].Utilisation = 0
	}
	if got := append(fabricChart(d), utilisationChart(d)...); len(got) > 0 {
		t.Errorf("figures of an idle network: %s", got[0].Title)
	}
}

// Uplinks that ECMP fills unevenly are equal at every leaf and differ at the spines: the
// bars go by spine, and those alike share one.
func TestUtilisationBySpine(t *testing.T) {
	d := leaves(4, 4)
	for i := range d.Links {
		l := &d.Links[i]
		switch {
		case l.To == "spine4":
			l.Utilisation = 0.9
		case strings.HasPrefix(l.To, "spine"):
			l.Utilisation = 0.1
		case l.From == "spine2" && (l.To == "leaf1" || l.To == "leaf3"):
			l.Utilisation = 0.23
		case strings.HasPrefix(l.From, "spine"):
			l.Utilisation = 0.2
		case l.From == "leaf1":
			l.Utilisation = 0
		}
	}
	f := checked(t, utilisationChart(d))[0]
	got := ""
	for _, r := range f.Bars.Rows {
		got += fmt.Sprintf("%s, %s: %.3f, %s (%s)\n", r.Group, r.Label,
			float64(r.Parts[0].Value), r.Parts[0].Note, r.Note)
	}
	if want := `host to leaf, leaf1 to leaf4: 0.500, 32 ports (50.0 %)
leaf to host, leaf1 to leaf4: 0.375, 32 ports (50.0 % leaf2/host9)
leaf to spine, spine4: 0.900, 4 ports (90.0 %)
leaf to spine, spine1 to spine3: 0.100, 12 ports (10.0 %)
spine to leaf, spine2: 0.215, 4 ports (23.0 % spine2/leaf1)
spine to leaf, 3 more spines: 0.200, 12 ports (20.0 %)
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	groups, by := GroupLinks(d.Links)
	if by != "switch" || len(groups) != 16 {
		t.Errorf("%d groups by %s, want 16 by switch", len(groups), by)
	}
}

// Bars say which directions were idle, and the scale ends near the most.
func TestUtilisationIdle(t *testing.T) {
	d := leaves(2, 2)
	for i := range d.Links {
		l := &d.Links[i]
		l.Utilisation = 0.04
		if strings.HasPrefix(l.From+l.To, "leaf") && strings.Contains(l.Port, "spine") ||
			strings.HasPrefix(l.From, "spine") {
			l.Utilisation = 0
		}
	}
	f := checked(t, utilisationChart(d))[0]
	want := "Nodes that are used alike share a bar. Idle: leaf to spine, spine to leaf."
	if f.Caption != want || f.Bars.X.High != 0.05 || len(f.Keys) != 1 {
		t.Errorf("caption %q, scale to %v, %d keys, want %q, 0.05 and 1", f.Caption, f.Bars.X.High, len(f.Keys), want)
	}
}

func TestNameAll(t *testing.T) {
	for _, c := range []struct {
		nodes string
		more  bool
		want  string
	}{
		{"host7", true, "host7"},
		{"host7 host8", true, "host7 to host8"},
		{"host7 host9", true, "2 more hosts"},
		{"leaf1 leaf3 leaf4", false, "3 leaves"},
		{"a1 b2", true, "2 more nodes"},
		{"a b", false, "2 nodes"},
	} {
		if got := nameAll(strings.Fields(c.nodes), c.more); got != c.want {
			t.Errorf("%s: %q, want %q", c.nodes, got, c.want)
		}
	}
}

// Ports between nodes that are drawn as one are counted in words.
func TestFabricSaysWhatItDoesNotDraw(t *testing.T) {
	f := &fabric{links: []result.LinkRow{{Port: "leaf1/leaf2", From: "leaf1", To: "leaf2", Utilisation: 0.25}},
		tier: map[string]int{}, as: map[string]string{"leaf1": "all", "leaf2": "all"}}
	if g := f.graph(&f.links[0]); len(g.Edges) > 0 || f.inside != 1 || f.insideMost != 0.25 {
		t.Errorf("%d edges, %d ports inside, used %g at most", len(g.Edges), f.inside, f.insideMost)
	}
}
