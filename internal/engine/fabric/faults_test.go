package fabric_test

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// TestLinkDownLosesWhatIsOnIt: a link that is down for less than its propagation delay loses the
// frames that were on it, and no other.
func TestLinkDownLosesWhatIsOnIt(t *testing.T) {
	const count = 100
	cfg := lossy()
	down := fabric.Down{Link: 0, From: unit.Time(5 * unit.Microsecond),
		Until: unit.Time(5*unit.Microsecond + 200*unit.Nanosecond)}
	cfg.Faults = &fabric.Faults{Downs: []fabric.Down{down}}
	n := newNet(t, star(t, fast, fast), cfg)
	n.send(t, 0, 0, 1, 0, count, frame)
	n.eng.Run()
	lost := 0
	for k := range unit.Duration(count) {
		first := unit.Time(0).Add(k * fast.TransmitTime(frame+20))
		last := first.Add(fast.TransmitTime(frame+20) + cable)
		if first < down.Until && last >= down.From {
			lost++
		}
	}
	if got := count - len(n.hosts[1].arrived); got != lost || lost < 10 {
		t.Errorf("%d frames lost, want %d", got, lost)
	}
}

// TestHairpin: a frame that goes back the way it came lets its switch send xON by the port that it
// leaves by. The port sends one thing at a time all the same.
func TestHairpin(t *testing.T) {
	b := topo.NewBuilder()
	near, far := b.AddSwitch("near", topo.Leaf), b.AddSwitch("far", topo.Leaf)
	link := topo.Cable{Rate: fast, Delay: cable}
	for i, sw := range []topo.NodeID{near, near, far} {
		b.ConnectRail(b.AddHost("host"+string(rune('1'+i)), 1), sw, link, 0)
	}
	b.Connect(near, far, link)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	port := func(from, to topo.NodeID) topo.PortID {
		for id, p := range g.Ports {
			if p.Node == from && p.To == to {
				return topo.PortID(id)
			}
		}
		panic("no such port")
	}
	cfg := lossless()
	cfg.Buffer.FreeAtTxEnd = false
	cfg.PFC.Threshold, cfg.PFC.ResumeOffset = 80*frame, 20*frame // enough to keep the port busy all the time
	n := newNet(t, g, cfg)
	back := port(far, near)
	n.sendBy(0, 0, []topo.PortID{g.NICs[0].Port, port(near, far), back, g.NICs[1].Port ^ 1}, 0, 2000, frame)
	n.send(t, 0, 2, 1, 0, 2000, frame) // fills the port by which the others come back
	n.run(t)
	s := n.stats(back)
	if s.PausesSent < 5 {
		t.Fatalf("%d pauses sent by the port: nothing is tested", s.PausesSent)
	}
	// What it sent, pause frames among it, takes no longer than the time from its first frame to
	// its last.
	all := n.hosts[1].arrived
	if from, until := all[0].at, all[len(all)-1].at; s.Busy > until.Sub(from)+fast.TransmitTime(frame+20) {
		t.Errorf("busy for %v of %v", s.Busy, until.Sub(from))
	}
}

func TestConfigRefusesWhatCannotWork(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*fabric.Config)
	}{
		{"refresh faster than its frames", "fabric.qos.pfc.quanta",
			func(c *fabric.Config) { c.PFC.Quanta, c.PFC.Refresh = 2, unit.Ratio{Num: 1, Den: 2} }},
		{"no room for a lossy frame", "class other finds no room",
			func(c *fabric.Config) { c.Buffer.LossyAlpha = unit.Ratio{Num: 1, Den: 100_000} }},
		{"no room for a lossless frame", "class data finds no room", func(c *fabric.Config) {
			c.PFC.Threshold, c.Buffer.CrossingInHeadroom = 1000, true
			c.PFC.Headroom = qos.FixedHeadroom(100)
		}},
	} {
		cfg := lossless()
		c.change(&cfg)
		g := star(t, fast, fast)
		_, err := fabric.New(newNet(t, g, lossy()).eng, g, cfg, make([]int32, len(g.Nodes)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.want)
		}
		if said := cfg.Validate(g); said == nil || said.Error() != err.Error() {
			t.Errorf("%s: Validate says %v, New %v", c.name, said, err)
		}
	}
}

// TestThresholdOfAnyRatio: a ratio with many digits does not overflow the threshold.
func TestThresholdOfAnyRatio(t *testing.T) {
	pauses := func(alpha unit.Ratio) []pause {
		cfg := lossless()
		cfg.PFC.Threshold, cfg.PFC.Alpha = 0, alpha
		cfg.Buffer.Size = 1 * unit.Megabyte
		n := newNet(t, star(t, fast, slow), cfg)
		n.send(t, 0, 0, 1, 0, 600, frame)
		n.run(t)
		return n.pauses
	}
	plain, long := pauses(unit.Ratio{Num: 1, Den: 8}),
		pauses(unit.Ratio{Num: 125_000_000_000_000_000, Den: 1_000_000_000_000_000_000})
	if len(plain) == 0 || len(plain) != len(long) || plain[0] != long[0] {
		t.Errorf("%d pauses with 1/8, %d with 0.125 in seventeen digits", len(plain), len(long))
	}
}
