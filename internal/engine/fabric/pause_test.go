package fabric_test

import (
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
)

// lossless is a class under PFC with a fixed xOFF of 5 frames and xON of 3, and, beside it, one
// without.
func lossless() fabric.Config {
	cfg := lossy()
	cfg.Classes = []fabric.Class{{Name: "data", Priority: 3, Weight: 50, Lossless: true},
		{Name: "other", Priority: 0, Weight: 50}}
	cfg.PFC = fabric.PFC{Threshold: 5 * frame, ResumeOffset: 2 * frame, Headroom: qos.FixedHeadroom(200_000)}
	return cfg
}

// The network of these tests: host1 sends frames of 1,000 bytes at 100 Gb/s to host2 behind a link
// of 10 Gb/s.
//
//	host1 ==100G==> rail1 --10G--> host2
var (
	in       = fast.TransmitTime(frame + 20) // a frame on host1's link
	out      = slow.TransmitTime(frame + 20) // on host2's
	pfcFrame = fast.TransmitTime(64 + 20)    // a PFC frame on host1's link
	admitted = in + cable + latent           // frame 0 is in the switch, and leaves
)

// sentBy is how many frames host1 has begun to send by an instant, that instant included, if it
// begins at 0.
func sentBy(at unit.Time) unit.Duration { return at.Sub(0)/in + 1 }

// TestPauseToThePicosecond: the fifth frame takes the account to xOFF. The pause frame sets out at
// once, and host1 stops after it has arrived and been responded to. What is under way by then
// drains at 10 Gb/s; when three frames are left, xON sets out.
func TestPauseToThePicosecond(t *testing.T) {
	for _, response := range []unit.Duration{0, 2 * unit.Microsecond} {
		cfg := lossless()
		cfg.PFC.Response.After = response
		n := newNet(t, star(t, fast, slow), cfg)
		n.send(t, 0, 0, 1, 0, 200, frame)
		n.run(t)
		off := unit.Time(0).Add(admitted + 4*in + pfcFrame + cable + response)
		held := sentBy(off)
		on := unit.Time(0).Add(admitted + (held-3)*out + pfcFrame + cable + response)
		want := []pause{{off, 0, true}, {on, 0, false}}
		if len(n.pauses) < 2 || !slices.Equal(n.pauses[:2], want) {
			t.Errorf("response %v: pauses %v, want %v and more", response, n.pauses, want)
		}
		// Afterwards: the account goes from three frames to five again, and so on; each pause is
		// one frame there and one back.
		up, down := n.stats(n.hosts[0].port), n.stats(n.down(0))
		if int(up.PausesReceived)*2 != len(n.pauses) || down.PausesSent != up.PausesReceived {
			t.Errorf("response %v: %d pauses sent, %d received, %d changes", response, down.PausesSent,
				up.PausesReceived, len(n.pauses))
		}
		total := unit.Duration(0)
		for i := 0; i+1 < len(n.pauses); i += 2 {
			total += n.pauses[i+1].at.Sub(n.pauses[i].at)
		}
		if up.Paused != total {
			t.Errorf("response %v: paused for %v, want %v", response, up.Paused, total)
		}
		if n.stats(n.down(1)).Drops != 0 {
			t.Errorf("response %v: %d drops", response, n.stats(n.down(1)).Drops)
		}
	}
}

// TestPauseWaitsForOneFrame: a pause frame goes before everything but the frame that is being sent.
func TestPauseWaitsForOneFrame(t *testing.T) {
	const long = 9000
	n := newNet(t, star(t, fast, slow), lossless())
	start := unit.Time(20 * unit.Microsecond)
	n.send(t, start, 0, 1, 0, 60, frame)
	decided := start.Add(admitted + 4*in)
	// Three long frames of the other class, one after the other; the first sets out towards host1
	// 100 ns before the pause is decided. Over the slow link they come further apart than they
	// leave, so nothing waits behind the first.
	before := 100 * unit.Nanosecond
	n.send(t, decided.Add(-before-slow.TransmitTime(long+20)-cable-latent), 1, 0, 1, 3, long)
	n.run(t)
	want := pause{decided.Add(fast.TransmitTime(long+20) - before + pfcFrame + cable), 0, true}
	if len(n.pauses) == 0 || n.pauses[0] != want {
		t.Errorf("pauses %v, want %v first", n.pauses, want)
	}
}

// TestPauseRunsOut: without a refresh a pause ends after its quanta, 512 bit times of the link
// each, though the account is still above xON.
func TestPauseRunsOut(t *testing.T) {
	for _, quanta := range []uint16{1, 100, 300} {
		cfg := lossless()
		cfg.PFC.Quanta = quanta
		n := newNet(t, star(t, fast, slow), cfg)
		n.send(t, 0, 0, 1, 0, 100, frame)
		n.run(t)
		off := unit.Time(0).Add(admitted + 4*in + pfcFrame + cable)
		want := []pause{{off, 0, true}, {off.Add(unit.Duration(quanta) * fast.TransmitTime(64)), 0, false}}
		if !slices.Equal(n.pauses[:2], want) {
			t.Errorf("%d quanta: pauses %v, want %v first", quanta, n.pauses[:2], want)
		}
	}
}

// TestRefreshKeepsThePause: repeated at half its time, a pause holds until xON, and every half
// another frame is sent.
func TestRefreshKeepsThePause(t *testing.T) {
	const quanta = 100
	cfg := lossless()
	cfg.PFC.Quanta, cfg.PFC.Refresh = quanta, unit.Ratio{Num: 1, Den: 2}
	n := newNet(t, star(t, fast, slow), cfg)
	decided := unit.Time(0).Add(admitted + 4*in)
	off := decided.Add(pfcFrame + cable)
	held := sentBy(off)
	n.send(t, 0, 0, 1, 0, int(held), frame)
	n.run(t)
	resumed := unit.Time(0).Add(admitted + (held-3)*out)
	want := []pause{{off, 0, true}, {resumed.Add(pfcFrame + cable), 0, false}}
	if !slices.Equal(n.pauses, want) {
		t.Errorf("pauses %v, want %v", n.pauses, want)
	}
	frames := 1 + int64(resumed.Sub(decided)/(quanta*fast.TransmitTime(64)/2))
	if got := n.stats(n.down(0)).PausesSent; got != frames || frames < 10 {
		t.Errorf("%d pause frames sent, want %d", got, frames)
	}
}

// TestPauseHoldsItsClassOnly: the other class goes on while data is paused, also at a switch's
// port.
func TestPauseHoldsItsClassOnly(t *testing.T) {
	n := newNet(t, star(t, fast, slow), lossless())
	n.send(t, 0, 0, 1, 0, 60, frame)
	at := unit.Time(10 * unit.Microsecond)
	other := n.send(t, at, 0, 1, 1, 1, frame)
	n.run(t)
	if p := n.pauses; len(p) < 2 || p[0].at > at || p[1].at < at {
		t.Fatalf("host1 is not paused at %v: %v", at, p)
	}
	// It waits at most for the frame of data that is being sent to host2.
	for _, a := range n.hosts[1].arrived {
		if a.batch == other && a.at > at.Add(in+cable+latent+2*out+cable) {
			t.Errorf("the other class arrives at %v", a.at)
		}
	}
}

// TestDynamicThreshold: xOFF is alpha times what is free of the shared buffer, beyond the account's
// reserve.
func TestDynamicThreshold(t *testing.T) {
	for _, alpha := range []unit.Ratio{{Num: 1, Den: 8}, {Num: 1, Den: 1}, {Num: 2, Den: 1}} {
		const size, reserve = 300_000, 2500
		cfg := lossless()
		cfg.PFC.Threshold, cfg.PFC.Alpha = 0, alpha
		cfg.PFC.Headroom = qos.FixedHeadroom(100_000)
		cfg.Buffer.Reserve = reserve
		// Two ports, two classes: the reserves of each, and for the one that is lossless headroom
		// and a frame that crosses xOFF.
		shared := size - 4*reserve - 2*100_000 - 2*int(cfg.MTU)
		cfg.Buffer.Size = size
		n := newNet(t, star(t, fast, slow), cfg)
		n.send(t, 0, 0, 1, 0, 150, frame)
		n.run(t)
		// Arrivals until the account, less what left, is over.
		held := 0
		for k := 1; ; k++ {
			now := admitted + unit.Duration(k-1)*in
			left := int((now - admitted) / out)
			held = (k - left) * frame
			if over := held - reserve; over > 0 && int64(over) >= alpha.Of(int64(shared-over)) {
				want := pause{unit.Time(0).Add(now + pfcFrame + cable), 0, true}
				if len(n.pauses) == 0 || n.pauses[0] != want {
					t.Errorf("alpha %v: first of %d pauses %v, want %v with %d bytes held", alpha, len(n.pauses),
						n.pauses[:min(1, len(n.pauses))], want, held)
				}
				break
			}
			if k > 150 {
				t.Fatalf("alpha %v: never over", alpha)
			}
		}
	}
}

// TestPauseFramesAreSentToo: the time in which a port was busy is what the bytes it sent take, PFC
// frames among them. The port that pauses host1 sends nothing else.
func TestPauseFramesAreSentToo(t *testing.T) {
	n := newNet(t, star(t, fast, slow), lossless())
	n.send(t, 0, 0, 1, 0, 200, frame)
	n.run(t)
	up, down := n.stats(n.hosts[0].port), n.stats(n.down(0))
	if down.PausesSent < 2 || down.DataBytes != 0 || down.Busy != unit.Duration(down.Frames)*pfcFrame ||
		down.Bytes != down.Frames*(64+20) {
		t.Errorf("%+v, want as many PFC frames as it was busy for: %v each", down, pfcFrame)
	}
	if down.Frames != 2*down.PausesSent { // each stop is followed by a restart
		t.Errorf("%d frames for %d stops, want a restart for each", down.Frames, down.PausesSent)
	}
	if up.Frames != 200 || up.Bytes != 200*(frame+20) || up.Busy != 200*in {
		t.Errorf("host1 sent %+v, want 200 frames", up)
	}
}
