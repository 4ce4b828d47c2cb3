package record

import (
	"fmt"
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
	"railyard/internal/out/diagnose"
	"railyard/internal/plan/plan"
)

// Equal ports of switches of one tier have the ratio of what is below these to what they have together, upwards and down; ports of
// several tiers have none.
func TestRatiosOfEqualPorts(t *testing.T) {
	p := planned(t, `
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 2, links: {spine: 50Gb/s}}
job: {flows: [{from: host1/gpu0, to: host8/gpu0, bytes: 1MB}]}
`)
	c := &crossings{r: New(p, nil, 1, Hooks{})}
	g := p.Graph
	between := func(from, to string) topo.PortID {
		for id := range g.Ports {
			if g.Nodes[g.Ports[id].Node].Name == from && g.Nodes[g.Ports[id].To].Name == to {
				return topo.PortID(id)
			}
		}
		t.Fatalf("no port from %s to %s", from, to)
		return -1
	}
	up1, up2 := between("leaf1", "spine1"), between("leaf1", "spine2")
	down1, down2 := between("spine1", "leaf2"), between("spine2", "leaf2")
	host := between("leaf1", "host1")
	for _, x := range []struct {
		what  string
		equal []topo.PortID
		ratio float64
		tier  string
	}{
		{"upwards", []topo.PortID{up1, up2}, 4, "leaf1"}, {"one of them", []topo.PortID{up1}, 8, "leaf1"},
		{"down", []topo.PortID{down1, down2}, 4, "leaf2"}, {"of both leaves", []topo.PortID{up1, between("leaf2", "spine1")}, 8, "leaf1"},
		{"of several tiers", []topo.PortID{up1, host}, 0, ""}, {"both ways", []topo.PortID{up1, between("spine1", "leaf1")}, 0, ""},
	} {
		got := &diagnose.Choice{}
		if c.ratio(got, x.equal[0], x.equal); got.Ratio != x.ratio || got.Tier != x.tier || got.Usual != (x.tier != "") {
			t.Errorf("%s: %v at %q, usual: %v; want %v at %q", x.what, got.Ratio, got.Tier, got.Usual, x.ratio, x.tier)
		}
	}
	g.Ports[down1].Rate *= 2 // of another direction: it says nothing of ports that lead up
	got := &diagnose.Choice{}
	if c.ratio(got, up1, []topo.PortID{up1, up2}); !got.Usual {
		t.Error("a faster port that leads down makes one that leads up unusual")
	}
	if c.ratio(got, down2, []topo.PortID{down2}); got.Usual {
		t.Error("a port beside a faster one of its kind is usual")
	}
}

// Whose packets may take several ways though no route changes: those of a balancer that chooses by packets or bursts, and of entropies
// that change; not those of ECMP, nor where there is one way.
func TestWhosePacketsMove(t *testing.T) {
	for _, c := range []struct {
		fabric, more string
		want         bool
	}{
		{"design: leaf-spine, leaves: 2, spines: 2", "", false}, {"design: leaf-spine, leaves: 2, spines: 2, balance: spray", "", true},
		{"design: leaf-spine, leaves: 2, spines: 1, balance: spray", "", false}, {"design: single-switch", "", false},
		{"design: leaf-spine, leaves: 2, spines: 2", "transport: {entropy: random, receiver: direct}", true},
	} {
		p := planned(t, fmt.Sprintf("cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}\nfabric: {%s}\n%s\n"+
			"job: {flows: [{from: host1/gpu0, to: host4/gpu0, bytes: 1MB}]}\n", c.fabric, c.more))
		x := &crossings{r: New(p, nil, 1, Hooks{})}
		i := slices.IndexFunc(p.Pairs, func(q plan.Pair) bool { return q.Flow != nil })
		if got := x.moves(&p.Pairs[i]); got != c.want {
			t.Errorf("%s %s: %v", c.fabric, c.more, got)
		}
	}
}

// told4 is a recorder of flows over two leaves, of which each has delivered something.
func told4(t *testing.T, net, more string) (*Recorder, *told) {
	t.Helper()
	p := planned(t, "cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}\nfabric: {"+net+"}\n"+more+
		"job:\n  flows:\n    - {name: a, from: host1/gpu0, to: host3/gpu0, bytes: 1MB}\n"+
		"    - {name: b, from: host2/gpu0, to: host4/gpu0, bytes: 1MB}\n    - {name: c, from: host1/gpu0, to: host4/gpu0, bytes: 1MB}\n")
	r, n := New(p, nil, 1, Hooks{}), newTold()
	r.network, n.plan = n, p
	for id := range p.Pairs {
		n.pair(int32(id)).Delivered = int64(10 + id)
	}
	return r, n
}

// How the port of a leaf was chosen among its equals, and whose bytes crossed it: those of queue pairs whose paths are known.
func TestHowPortsAreChosen(t *testing.T) {
	const leaves = "design: leaf-spine, leaves: 2, spines: 2"
	for _, c := range []struct {
		net, more string
		by        diagnose.Pick
		known     bool // which way each goes
	}{
		{leaves, "", diagnose.ByHash, true}, {leaves + ", balance: flowlet", "", diagnose.ByBurst, false},
		{leaves + ", balance: spray", "", diagnose.ByPacket, false},
		{leaves, "transport: {entropy: random, receiver: direct}\n", diagnose.ByPacket, false},
	} {
		r, n := told4(t, c.net, c.more)
		x := (*crossings)(nil).new(r)
		if x.new(r) != x {
			t.Error("crossings are made twice")
		}
		port := r.plan.Pairs[0].Path[1]
		n.port(port).fill = []fabric.Share{{Flow: 0, Bytes: 5}}
		var ids []int32
		for _, s := range x.crossing(int32(port)) {
			if s.Bytes != int64(10+s.Pair) {
				t.Errorf("%s: %+v", c.net, s)
			}
			ids = append(ids, s.Pair)
		}
		var want []int32
		for id := range r.plan.Pairs {
			if c.known && slices.Contains(r.plan.Pairs[id].Path, port) {
				want = append(want, int32(id))
			}
		}
		if !slices.Equal(ids, want) || c.known && len(want) == 0 {
			t.Errorf("%s: %v crossed %d, want %v", c.net, ids, port, want)
		}
		got := x.choice(int32(port))
		if got == nil || got.By != c.by || len(got.Equal) != 2 || got.Of != 2 || got.Over != len(want) {
			t.Fatalf("%s %s: %+v, want %d", c.net, c.more, got, c.by)
		}
		if host := r.plan.Pairs[0].Path[0]; x.choice(int32(host)) != nil {
			t.Errorf("%s: the only port of a NIC was chosen", c.net)
		}
	}
}

// Ports that nobody waited at are those of who crossed them; of the others nothing is known, and what has delivered nothing crossed none.
func TestWhoCrossedAPort(t *testing.T) {
	r, n := told4(t, "design: leaf-spine, leaves: 2, spines: 2", "")
	x := &crossings{r: r}
	port, idle := r.plan.Pairs[1].Path[1], topo.PortID(-1)
	for id := range r.plan.Graph.Ports {
		crossed := slices.ContainsFunc(r.plan.Pairs, func(q plan.Pair) bool { return slices.Contains(q.Path, topo.PortID(id)) })
		if !crossed {
			idle = topo.PortID(id)
		}
	}
	q := x.someone(port)
	if q == nil || !slices.Contains(q.Path, port) || x.someone(idle) != nil || x.choice(int32(idle)) != nil {
		t.Errorf("%+v crossed port %d, %+v port %d", q, port, x.someone(idle), idle)
	}
	for id := range r.plan.Pairs {
		n.pair(int32(id)).Delivered = 0
	}
	if x = (&crossings{r: r}); x.someone(port) != nil || len(x.crossing(int32(port))) > 0 {
		t.Error("what has delivered nothing has crossed a port")
	}
}

// The usual rate is that in the middle of the NICs' ports, of two the faster; without ports there is none.
func TestTheUsualLine(t *testing.T) {
	for _, c := range []struct {
		rates []unit.Bitrate
		want  unit.Bitrate
	}{{nil, 0}, {[]unit.Bitrate{5}, 5}, {[]unit.Bitrate{3, 7}, 7}, {[]unit.Bitrate{9, 1, 4}, 4}, {[]unit.Bitrate{9, 1, 4, 5}, 5}} {
		g := &topo.Graph{}
		for i, rate := range c.rates {
			g.Ports = append(g.Ports, topo.Port{Rate: rate})
			g.NICs = append(g.NICs, topo.NIC{Ports: []topo.PortID{topo.PortID(i)}})
		}
		if got := (&Recorder{plan: &plan.Plan{Graph: g}}).usualLine(); got != c.want {
			t.Errorf("%v: %v, want %v", c.rates, got, c.want)
		}
	}
}
