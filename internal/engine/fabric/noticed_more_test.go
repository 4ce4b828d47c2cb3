package fabric_test

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/sim"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// traced is net with a trace for every frame; ways holds those of the frames that arrived.
type traced struct {
	*net
	ways [][]fabric.Part
}

func (n *traced) Pull(isl *sim.Island, now unit.Time, port fabric.PortID, paused uint8, p *fabric.Packet) bool {
	if !n.net.Pull(isl, now, port, paused, p) {
		return false
	}
	n.fab.StartTrace(isl, now, port, p)
	return true
}

func (n *traced) Deliver(isl *sim.Island, now unit.Time, port fabric.PortID, p *fabric.Packet) {
	n.ways = append(n.ways, n.fab.Parts(nil, n.fab.TakeTrace(isl, p)))
	n.net.Deliver(isl, now, port, p)
}

// A frame that PFC holds at a switch waits in pause, and behind what is before it in the queue:
// while host2 sends pause frames, the first of two waits for it, and the second for it and then for
// the first.
func TestPauseAtASwitchIsPause(t *testing.T) {
	cfg := lossless()
	until := unit.Time(40 * unit.Microsecond)
	g := star(t, fast, slow)
	cfg.Faults = &fabric.Faults{Of: func(topo.Port) []fabric.Chances { return nil },
		Storms: []fabric.Storm{{Port: g.NICs[1].Port, Class: 0, From: 0, Until: until}}}
	inner := newNet(t, g, cfg)
	n := &traced{net: inner}
	for _, c := range g.NICs {
		n.fab.Attach(c.Port, n, n)
	}
	start := unit.Time(10 * unit.Microsecond)
	n.send(t, start, 0, 1, 0, 2, frame)
	n.run(t)
	waits := func(way []fabric.Part) map[cause.Cause]unit.Duration {
		at, sum := way[0].Until, map[cause.Cause]unit.Duration{} // the first part is the first link's
		for _, p := range way[1:] {
			if p.Cause == cause.Pause || p.Cause == cause.OwnQueueing || p.Cause == cause.Queueing {
				if p.Port != n.down(1) {
					t.Errorf("waits at port %d, want the one that is paused, %d", p.Port, n.down(1))
				}
				sum[p.Cause] += p.Until.Sub(at)
			}
			at = p.Until
		}
		return sum
	}
	if len(n.ways) != 2 {
		t.Fatalf("%d frames arrived, want 2", len(n.ways))
	}
	first, second := waits(n.ways[0]), waits(n.ways[1])
	// The last pause frame of the storm holds for its quanta: how long is for the tests of storms.
	if least := until.Sub(start.Add(admitted)); first[cause.Queueing]+first[cause.OwnQueueing] != 0 ||
		first[cause.Pause] < least {
		t.Errorf("the first frame waits %v, want pause alone, at least %v", first, least)
	}
	if second[cause.OwnQueueing] != out || second[cause.Queueing] != 0 || second[cause.Pause] != first[cause.Pause]-in {
		t.Errorf("the second frame waits %v, want %v in pause and %v behind the first", second,
			first[cause.Pause]-in, out)
	}
}

// Alpha doubles with the ingress port's rate in the buffer too: the first pause comes where alpha,
// doubled, is reached.
func TestDoubledAlphaIsWhatPauses(t *testing.T) {
	first := func(alpha unit.Ratio, base unit.Bitrate) pause {
		cfg := lossless()
		cfg.PFC.Threshold, cfg.PFC.Alpha, cfg.PFC.AlphaRate = 0, alpha, base
		cfg.PFC.Headroom = qos.FixedHeadroom(100_000)
		cfg.Buffer.Size = 400_000
		n := newNet(t, star(t, fast, slow), cfg)
		n.send(t, 0, 0, 1, 0, 300, frame)
		n.run(t)
		if len(n.pauses) == 0 {
			t.Fatalf("alpha %v: no pause", alpha)
		}
		return n.pauses[0]
	}
	eighth, half := unit.Ratio{Num: 1, Den: 8}, unit.Ratio{Num: 1, Den: 2}
	if doubled, plain := first(eighth, fast/4), first(half, 0); doubled != plain {
		t.Errorf("1/8 at a quarter of the port's rate pauses first at %v, want as 1/2 does: %v", doubled, plain)
	}
	if doubled, plain := first(eighth, fast/4), first(eighth, 0); doubled.at <= plain.at {
		t.Errorf("1/8, twice doubled, pauses at %v, want later than 1/8: %v", doubled.at, plain.at)
	}
}

// A queue that empties loses what it has left of its turn (Shreedhar and Varghese, SIGCOMM 1995,
// figure 2): a class that sent a small frame before does not come at once with a large one, but
// when the other has had its turn.
func TestAnEmptyQueueKeepsNoDeficit(t *testing.T) {
	const small, large = 64, 9000
	cfg := lossy()
	cfg.Classes = []fabric.Class{{Name: "a", Priority: 0, Weight: 50}, {Name: "b", Priority: 3, Weight: 50}}
	n := newNet(t, star(t, fast, fast, slow), cfg)
	n.send(t, 0, 1, 2, 1, 200, large) // class b is backlogged to the end: 7.2 us a frame
	n.send(t, unit.Time(30*unit.Microsecond), 0, 2, 0, 1, small)
	at := unit.Time(100 * unit.Microsecond)
	late := n.send(t, at, 0, 2, 0, 1, large)
	n.run(t)
	queued := at.Add(fast.TransmitTime(large+20) + cable + latent)
	before := 0 // frames of b that end between
	for _, a := range n.hosts[2].arrived {
		if a.batch == late {
			break
		}
		if a.at > queued.Add(cable) {
			before++
		}
	}
	if before != 2 {
		t.Errorf("%d frames of the other class go first, want the one that is being sent and one more", before)
	}
}
