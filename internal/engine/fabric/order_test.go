package fabric_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
)

// Two frames reach a switch at the same picosecond, both for host 3: host 1's, of 500 B, left its
// NIC 40 ns after host 2's of 1,000 B. By phases the lower port goes first; as scheduled, the frame
// that left first.
func TestOrderAtOneInstant(t *testing.T) {
	for _, c := range []struct {
		scheduled bool
		first     int // size of the frame that host 3 gets first
	}{{false, 500}, {true, 1000}} {
		cfg := fabric.Config{Classes: []fabric.Class{{Name: "data", Weight: 1, Lossless: true}},
			MTU: 1500, PauseFrame: 64,
			PFC:    fabric.PFC{Alpha: unit.Ratio{Num: 1, Den: 8}},
			Buffer: fabric.Buffer{Size: unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}},
			Quirks: &fabric.Quirks{AsScheduled: c.scheduled}}
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

// A frame and a pause frame that leave in turn end and arrive once each, in this order of
// scheduling too.
func TestAsScheduledChangesNoTimes(t *testing.T) {
	var want []arrival
	for _, scheduled := range []bool{false, true} {
		cfg := fabric.Config{Classes: []fabric.Class{{Name: "data", Weight: 1, Lossless: true}},
			MTU: 1000, PauseFrame: 64,
			PFC:    fabric.PFC{Threshold: 20_000, ResumeOffset: 3000, Headroom: qos.FixedHeadroom(60_000)},
			Buffer: fabric.Buffer{Size: unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}},
			Quirks: &fabric.Quirks{AsScheduled: scheduled}}
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

// A frame's arrival is scheduled as its first bit leaves: its own time and the cable before; by
// phases there is no such order.
func TestLead(t *testing.T) {
	for scheduled, want := range map[bool]unit.Duration{false: 0, true: fast.TransmitTime(60) + cable} {
		n := newNet(t, star(t, fast, fast), fabric.Config{Classes: []fabric.Class{{Name: "data", Weight: 1}}, MTU: 1500,
			Buffer: fabric.Buffer{Size: unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}},
			Quirks: &fabric.Quirks{AsScheduled: scheduled}})
		if got := n.fab.Lead(n.hosts[0].port^1, 60); got != want {
			t.Errorf("as scheduled %v: lead %v, want %v", scheduled, got, want)
		}
	}
}

// The ns-3 clock of 1 ns drops what exceeds whole nanoseconds, and of most times of whole
// nanoseconds one: 1,050 B at 80 Gb/s take 104, not 105; 1,048 B at 100 Gb/s 83 instead of 83.84.
// Each was asked of ns-3's Seconds.
func TestTruncatedTimes(t *testing.T) {
	n := newNet(t, star(t, fast, fast), fabric.Config{Classes: []fabric.Class{{Name: "data", Weight: 1}}, MTU: 1500,
		Buffer: fabric.Buffer{Size: unit.Megabyte, LossyAlpha: unit.Ratio{Num: 1, Den: 1}},
		Quirks: &fabric.Quirks{TruncateNS: true}})
	for _, c := range []struct {
		rate  unit.Bitrate
		bytes unit.Bytes
		want  unit.Duration // ns
	}{
		{80_000, 1050, 104}, {99_000, 1048, 84}, {40_000, 60, 11}, {25_000, 1250, 399},
		{10_000, 1500, 1199}, {8_000, 1048, 1047},
		{1_000, 1056, 8447}, {110, 1100, 79_999}, {100, 1048, 83_839}, {100, 1056, 84_480},
	} {
		if _, gap := n.fab.Spacing(n.hosts[0].port, c.bytes, c.rate*unit.MegabitPerSec); gap != c.want*unit.Nanosecond {
			t.Errorf("%v at %v: %v, want %v", c.bytes, c.rate*unit.MegabitPerSec, gap, c.want*unit.Nanosecond)
		}
	}
	for bytes, want := range map[unit.Bytes]unit.Duration{1048: 83, 60: 4, 1250: 99} {
		if got := n.fab.TransmitTime(n.hosts[0].port, bytes); got != want*unit.Nanosecond {
			t.Errorf("%v at line rate: %v, want %v", bytes, got, want*unit.Nanosecond)
		}
	}
}
