package fabric_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
)

// Two hosts fill the link to a third: marks are counted by port and by the routes of those that were
// marked, and the buffer had something in it.
func TestFiguresOfAnIncast(t *testing.T) {
	cfg := lossless()
	cfg.Classes[0].ECN = qos.Curve(3*frame, 3*frame, unit.Ratio{Num: 1, Den: 1}, false)
	n := newNet(t, star(t, fast, fast, fast), cfg)
	for i := range topo.NICID(2) {
		n.send(t, 0, i, 2, 0, 50, frame)
	}
	n.send(t, 0, 0, 1, 1, 1, frame)
	n.run(t)
	marked := 0
	for _, a := range n.hosts[2].arrived {
		if a.marked {
			marked++
		}
	}
	if st := n.stats(n.down(2)); marked == 0 || st.Marks != int64(marked) {
		t.Errorf("%d marked frames came, %d were marked", marked, st.Marks)
	}
	// A route is numbered behind the links of those before: two each.
	first, second := n.fab.Marked(1, 1), n.fab.Marked(3, 1)
	if first == 0 || second == 0 || first+second != int64(marked) || n.fab.Marked(1, 0) != 0 {
		t.Errorf("routes count %d and %d marks, want %d in all", first, second, marked)
	}
	used, size := n.fab.MaxShared(0)
	if used <= 0 || used > size {
		t.Errorf("at most %v of %v were used", used, size)
	}
}

// What a frame, its preamble and gap take is what their bytes take at the port's rate, PFC frames
// too, be a byte a whole number of picoseconds or not.
func TestTimeOnTheWire(t *testing.T) {
	for _, rate := range []unit.Bitrate{fast, 56 * unit.GigabitPerSec} {
		n := newNet(t, star(t, rate, slow), lossless())
		if got, want := n.fab.TransmitTime(n.hosts[0].port, frame), rate.TransmitTime(frame+20); got != want {
			t.Errorf("%v: a frame takes %v, want %v", rate, got, want)
		}
		n.send(t, 0, 0, 1, 0, 200, frame)
		n.run(t)
		st := n.stats(n.down(0)) // it sends nothing but pauses
		if st.PausesSent == 0 || st.Frames < st.PausesSent {
			t.Fatalf("%v: %d pauses of %d frames", rate, st.PausesSent, st.Frames)
		}
		want := unit.Duration(st.Frames) * rate.TransmitTime(64+20)
		if off := st.Busy - want; off > 0 || off < -unit.Duration(st.Frames) {
			t.Errorf("%v: %d PFC frames kept the link busy for %v, want %v", rate, st.Frames, st.Busy, want)
		}
	}
}

// A run lingers for as long as a node takes to act on another.
func TestALinkAndASwitchLinger(t *testing.T) {
	n := newNet(t, star(t, fast, fast), lossless())
	if got := n.fab.Linger(); got < cable+latent {
		t.Errorf("it lingers for %v, less than a cable and a switch take", got)
	}
}

// At any time a port has been paused for as long as its roots paused it, pauses that last included.
func TestPausesThatLastHaveTheirRoots(t *testing.T) {
	n := newNet(t, star(t, fast, fast, slow), lossless())
	for i := range topo.NICID(2) {
		n.send(t, 0, i, 2, 0, 100, frame)
	}
	during := 0
	for now := unit.Time(0); now < unit.Time(200*unit.Microsecond); now = now.Add(unit.Microsecond) {
		n.eng.RunUntil(now)
		for id := range n.graph.Ports {
			sum := unit.Duration(0)
			for _, r := range n.fab.PausedFor(now, topo.PortID(id)) {
				sum += r.Time
			}
			if st := n.fab.Stats(now, topo.PortID(id)); st.Paused != sum {
				t.Fatalf("at %v port %d was paused for %v, by roots for %v", now, id, st.Paused, sum)
			}
			during += int(sum)
		}
	}
	if during == 0 {
		t.Error("nobody was paused")
	}
}

// What telemetry says that a port has sent is what it had sent before the frame's first bit left, with preamble and gap.
func TestTelemetryCountsWhatWasSentBefore(t *testing.T) {
	n := newNet(t, star(t, fast, fast), lossless())
	n.send(t, 0, 0, 1, 0, 3, frame)
	n.send(t, 0, 0, 1, 0, 2, frame/2)
	seen := 0
	for batch, frames := range []int{3, 2} {
		for i := range frames {
			before := unit.Bytes(i) * (frame + 20)
			if batch == 1 {
				before = 3*(frame+20) + unit.Bytes(i)*(frame/2+20)
			}
			n.trace(batch, i, func(tr *fabric.Trace) {
				seen++
				for k := range tr.N {
					if got := tr.Hop(k).TxBytes; got != before {
						t.Errorf("frame %d of batch %d, link %d: %v sent before, want %v", i, batch, k, got, before)
					}
				}
			})
		}
	}
	if n.run(t); seen != 5 {
		t.Errorf("%d frames came with their way", seen)
	}
}
