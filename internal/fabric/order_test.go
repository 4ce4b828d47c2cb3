package fabric_test

import (
	"testing"

	"railyard/internal/fabric"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// Two frames reach a switch at the same picosecond, both for host 3: host 1's, of 500 B, left its NIC 40 ns after host 2's of 1,000 B. By
// phases the lower port goes first; as scheduled, the frame that left first.
func TestOrderAtOneInstant(t *testing.T) {
	for _, c := range []struct {
		scheduled bool
		first     int // size of the frame that host 3 gets first
	}{{false, 500}, {true, 1000}} {
		cfg := fabric.Config{Classes: []fabric.Class{{Name: "data", Weight: 1, Lossless: true}}, MTU: 1500, PauseFrame: 64,
			PFC: fabric.PFC{Alpha: unit.Ratio{Num: 1, Den: 8}}, Buffer: fabric.Buffer{Size: unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}},
			AsScheduled: c.scheduled}
		n := newNet(t, star(t, fast, fast, fast), cfg)
		if c.scheduled {
			n.eng.InOrderOfPushing()
		}
		n.send(t, unit.Time(fast.TransmitTime(500)), 0, 2, 0, 1, 500)
		n.send(t, 0, 1, 2, 0, 1, 1000)
		n.run(t)
		if got := n.hosts[2].arrived[0].size; got != c.first {
			t.Errorf("as scheduled %v: the frame of %d B went first, want that of %d B", c.scheduled, got, c.first)
		}
	}
}

// A frame and a pause frame that leave in turn end and arrive once each, in this order of scheduling too.
func TestAsScheduledChangesNoTimes(t *testing.T) {
	var want []arrival
	for _, scheduled := range []bool{false, true} {
		cfg := fabric.Config{Classes: []fabric.Class{{Name: "data", Weight: 1, Lossless: true}}, MTU: 1000, PauseFrame: 64,
			PFC:    fabric.PFC{Threshold: 20_000, ResumeOffset: 3000, Headroom: func(_ topo.Port) unit.Bytes { return 60_000 }},
			Buffer: fabric.Buffer{Size: unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}}, AsScheduled: scheduled}
		n := newNet(t, star(t, fast, slow), cfg)
		if scheduled {
			n.eng.InOrderOfPushing()
		}
		n.send(t, 0, 0, 1, 0, 500, frame)
		n.run(t)
		if len(n.pauses) < 4 {
			t.Fatalf("%d pauses and resumes, want several", len(n.pauses))
		}
		if got := n.hosts[1].arrived; want == nil {
			want = got
		} else {
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("frame %d: %+v, want %+v", i, got[i], want[i])
				}
			}
		}
	}
}

// The ns-3 clock of 1 ns drops what exceeds whole nanoseconds, and of a time of whole nanoseconds one: 1,050 B at 80 Gb/s take 104, not
// 105; 1,048 B at 100 Gb/s 83 instead of 83.84.
func TestTruncatedTimes(t *testing.T) {
	for _, c := range []struct {
		rate  unit.Bitrate
		bytes unit.Bytes
		want  unit.Duration // ns
	}{{80, 1050, 104}, {100, 1048, 83}, {100, 60, 4}, {40, 60, 11}, {400, 1048, 20}, {10, 1048, 838}} {
		rate := c.rate * unit.GigabitPerSec
		n := newNet(t, star(t, rate, rate), fabric.Config{Classes: []fabric.Class{{Name: "data", Weight: 1}}, MTU: 1500,
			Buffer: fabric.Buffer{Size: unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}}, TruncateNS: true})
		if got := n.fab.TransmitTime(n.hosts[0].port, c.bytes); got != c.want*unit.Nanosecond {
			t.Errorf("%v at %v: %v, want %v", c.bytes, rate, got, c.want*unit.Nanosecond)
		}
		// Gaps likewise: 1,048 B at 8 Gb/s are 1,048 ns.
		if _, gap := n.fab.Spacing(n.hosts[0].port, 1048, 8*unit.GigabitPerSec); gap != 1047*unit.Nanosecond {
			t.Errorf("paced at 8 Gb/s: %v, want 1047 ns", gap)
		}
	}
}
