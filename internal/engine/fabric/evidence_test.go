package fabric_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/topo"
)

// tree is two leaves under a spine: hosts 1 and 2 on leaf1, 3 and 4 on leaf2.
func tree(t *testing.T) *topo.Graph {
	t.Helper()
	g, err := topo.LeafSpine{Hosts: 4, GPUs: 1, NICs: 1, Leaves: 2, Spines: 1, Parallel: 1,
		HostLink: topo.Cable{Rate: fast, Delay: cable}, SpineLink: topo.Cable{Rate: 4 * fast, Delay: cable}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (n *net) portNamed(t *testing.T, name string) topo.PortID {
	t.Helper()
	id, err := n.graph.Names().Port(name)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// rootsOf lists for how long a port was paused, by the name of the port that it came from.
func (n *net) rootsOf(t *testing.T, port string) map[string]unit.Duration {
	t.Helper()
	out := map[string]unit.Duration{}
	for _, r := range n.fab.PausedFor(n.eng.Now(), n.portNamed(t, port)) {
		out[n.graph.Ports[r.Root].Name] = r.Time
	}
	return out
}

// Hosts 1 and 4 fill the port to host 3. The pause spreads over the spine to host 1, whose frames
// to host 4 do not cross that port: every pause on the way names it as its root, and whose bytes
// wait there is known.
func TestPausesNameTheirRoot(t *testing.T) {
	n := newNet(t, tree(t), lossless())
	a := n.send(t, 0, 0, 2, 0, 400, frame)
	b := n.send(t, 0, 3, 2, 0, 400, frame)
	n.send(t, 0, 1, 3, 0, 400, frame)
	n.run(t)
	for _, port := range []string{"spine1/leaf2", "leaf1/spine1", "host1/leaf1", "host4/leaf2"} {
		roots := n.rootsOf(t, port)
		whole := unit.Duration(0)
		for _, d := range roots {
			whole += d
		}
		if roots["leaf2/host3"] == 0 || roots["leaf2/host3"]*10 < whole*9 {
			t.Errorf("%s was paused because of %v, want leaf2/host3", port, roots)
		}
		if st := n.stats(n.portNamed(t, port)); st.Paused != whole {
			t.Errorf("%s was paused for %v, by roots for %v", port, st.Paused, whole)
		}
	}
	fill := n.fab.Fill(n.portNamed(t, "leaf2/host3"))
	if len(fill) != 2 || fill[0].Flow == fill[1].Flow || int(fill[0].Flow) != a && int(fill[0].Flow) != b {
		t.Fatalf("at leaf2/host3 waited %v, want flows %d and %d", fill, a, b)
	}
	if n.fab.Fill(n.portNamed(t, "leaf2/host4")) != nil {
		t.Errorf("at leaf2/host4 waited %v", n.fab.Fill(n.portNamed(t, "leaf2/host4")))
	}
}

// A pause that a host's own NIC sends has no root behind it: the port that it stops.
func TestAStormIsItsOwnRoot(t *testing.T) {
	cfg := lossless()
	g := star(t, fast, fast)
	n := newNet(t, g, cfg)
	cfg.Faults = &fabric.Faults{Storms: []fabric.Storm{{Port: n.hosts[1].port, Class: 0, From: 0,
		Until: unit.Time(10 * unit.Microsecond)}}}
	cfg.PFC.Quanta = 100
	n = newNet(t, g, cfg)
	n.send(t, 0, 0, 1, 0, 50, frame)
	n.run(t)
	if roots := n.rootsOf(t, "rail1/host2"); len(roots) != 1 || roots["rail1/host2"] == 0 {
		t.Errorf("rail1/host2 was paused because of %v", roots)
	}
}

// A traced frame's wait is divided exactly between its own flow's frames and those of others.
func TestOwnFramesAhead(t *testing.T) {
	cfg := lossy()
	n := newNet(t, star(t, fast, fast, slow), cfg)
	to := n.graph.NICs[2].Port ^ 1
	path := func(from topo.NICID) []topo.PortID { return []topo.PortID{n.hosts[from].port, to} }
	n.sendBy(0, 1, path(1), 0, 3, frame)
	n.sendBy(0, 0, path(0), 0, 6, frame)
	own := unit.Duration(-1)
	var parts []fabric.Part
	n.trace(1, 5, func(tr *fabric.Trace) {
		own = tr.Hop(1).Own
		parts = n.fab.Parts(nil, tr)
	})
	n.run(t)
	// Frame 5 of the flow comes to a queue of its own five and three others, of which some have
	// left.
	if own <= 0 || own%out != 0 && own > 5*out {
		t.Errorf("own frames for %v, one takes %v", own, out)
	}
	var waited, mine unit.Duration
	at := parts[0].Until
	for _, p := range parts[1:] {
		if p.Port == to && p.Cause.String() == "own queueing" {
			mine = p.Until.Sub(at)
		}
		if p.Port == to && (p.Cause.String() == "own queueing" || p.Cause.String() == "queueing") {
			waited += p.Until.Sub(at)
		}
		at = p.Until
	}
	if mine != own || waited <= own {
		t.Errorf("waited %v, of it %v for own frames: %v", waited, mine, own)
	}
}

// A deeper queue of the switch that holds nothing from an ingress is not why that ingress pauses
// its peer.
func TestADeeperQueueElsewhereIsNoRoot(t *testing.T) {
	n := newNet(t, star(t, fast, slow, slow, fast, fast, fast, fast, fast, fast, fast, fast), lossless())
	for from := topo.NICID(3); from < 11; from++ { // four frames each: below xOFF, but 32 in all
		n.send(t, 0, from, 2, 0, 4, frame)
	}
	n.send(t, 0, 0, 1, 0, 12, frame)
	n.run(t)
	deep, own := n.stats(n.portNamed(t, "rail1/host3")).MaxQueue, n.stats(n.portNamed(t, "rail1/host2")).MaxQueue
	if deep < 2*own {
		t.Fatalf("%v waited at rail1/host3, %v at rail1/host2: want more", deep, own)
	}
	if roots := n.rootsOf(t, "host1/rail1"); roots["rail1/host2"] == 0 || len(roots) != 1 {
		t.Errorf("host1 was paused because of %v, want rail1/host2", roots)
	}
}
