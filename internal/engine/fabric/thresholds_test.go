package fabric_test

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/qos"
)

// crawl is a rate at which the first frame is still being sent when the test is over: nothing
// leaves the buffer.
const crawl = unit.MegabitPerSec

// drawThresholds draws a fabric of one lossless class whose every threshold is somewhere, and the
// rate of a sender.
func drawThresholds(t *rapid.T) (cfg fabric.Config, rate unit.Bitrate) {
	rate = unit.Bitrate(rapid.IntRange(1, 800).Draw(t, "Gb/s")) * unit.GigabitPerSec
	cfg = lossy()
	low := unit.Bytes(rapid.IntRange(1, 60_000).Draw(t, "ECN min"))
	high := low + unit.Bytes(rapid.SampledFrom([]int{0, 0, 5_000, 100_000}).Draw(t, "ECN max - min"))
	per := unit.Bitrate(rapid.SampledFrom([]int{0, 1, 40}).Draw(t, "port rate")) * crawl
	ecn := qos.Curve(low, high, unit.Ratio{Num: 1, Den: 2}, false)
	ecn.Min.Per, ecn.Max.Per = per, per
	cfg.Classes = []fabric.Class{{Name: "data", Priority: 3, Weight: 50, Lossless: true, ECN: ecn}}
	cfg.PFC.Alpha.Num, cfg.PFC.Alpha.Den = rapid.Int64Range(1, 300).Draw(t, "alpha num"),
		rapid.Int64Range(1, 200).Draw(t, "alpha den")
	headroom := unit.Bytes(rapid.IntRange(10_000, 300_000).Draw(t, "headroom"))
	cfg.PFC.Headroom = qos.FixedHeadroom(headroom)
	if rapid.Bool().Draw(t, "alpha by rate") {
		cfg.PFC.AlphaRate = unit.Bitrate(rapid.IntRange(1, 400).Draw(t, "alpha rate")) * unit.GigabitPerSec
	}
	if rapid.Bool().Draw(t, "fixed") {
		cfg.PFC.Threshold = unit.Bytes(rapid.IntRange(1, 300_000).Draw(t, "xOFF"))
	}
	cfg.PFC.Response.After = unit.Duration(rapid.IntRange(0, 1000).Draw(t, "response")) * unit.Nanosecond
	cfg.Buffer.Reserve = unit.Bytes(rapid.SampledFrom([]int{0, 500, 4096, 9000}).Draw(t, "reserve"))
	cfg.Buffer.CrossingInHeadroom = rapid.Bool().Draw(t, "crossing in headroom")
	shared := unit.Bytes(rapid.IntRange(2*frame, 300_000).Draw(t, "shared"))
	cfg.Buffer.Size = 2*(headroom+cfg.Buffer.Reserve+cfg.MTU) + shared
	return cfg, rate
}

// The value is what the engine does: one sender that is alone is paused with the frame that takes
// what it has in the switch to FirstPause, not one sooner or later; every frame that sees a queue
// above ECN max is marked, and none that sees one up to ECN min.
func TestThresholdsAreTheEngines(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg, rate := drawThresholds(rt)
		g := star(t, rate, crawl)
		policy := cfg.Policy()
		sw, err := policy.Switch(fabric.Links(g, g.Edge(0)))
		if err != nil {
			rt.Fatal(err)
		}
		from, to := sw.Ports[0], sw.Ports[1] // of the sender's link, and of the other host's
		if from.Rate != rate || to.Rate != crawl {
			rt.Fatalf("ports of %v and %v", from.Rate, to.Rate)
		}
		if from.PFC.XOFF > sw.Shared {
			rt.Errorf("xOFF %v, but %v are shared", from.PFC.XOFF, sw.Shared)
		}
		paused := int64(max(1, (from.PFC.FirstPause+frame-1)/frame)) // the frame that does it
		sent := int(paused + 3)
		n := newNet(t, g, cfg)
		n.send(t, 0, 0, 1, 0, sent, frame)
		n.run(t)

		tx := rate.TransmitTime(frame + 20)
		decided := unit.Time(0).Add(unit.Duration(paused)*tx + cable + latent)
		at := decided.Add(rate.TransmitTime(64+20) + cable + from.PFC.Response)
		if len(n.pauses) == 0 || n.pauses[0].at != at {
			rt.Errorf("pauses %v, want the first at %v, with frame %d: first pause with %v, %v shared",
				n.pauses[:min(2, len(n.pauses))], at, paused, from.PFC.FirstPause, sw.Shared)
		}
		// The first frame finds the port idle; frame k after it sees k-2 waiting. What the pause
		// held comes when the first is gone.
		least, most := int64(0), int64(0)
		for k := 2; k <= sent; k++ {
			if q := unit.Bytes((k - 2) * frame); q > to.ECN.Max {
				least++
			} else if q > to.ECN.Min {
				most++
			}
		}
		if got := n.stats(n.down(1)).Marks; got < least-3 || got > least+most || to.ECN.Min == to.ECN.Max && most != 0 {
			rt.Errorf("%d marks of %d frames, want %d to %d: ECN %v to %v", got, sent, least,
				least+most, to.ECN.Min, to.ECN.Max)
		}
	})
}

// Links and Policy describe each switch of a graph as New builds it.
func TestLinksFollowThePorts(t *testing.T) {
	g := star(t, fast, slow)
	links := fabric.Links(g, g.Edge(0))
	for i, id := range g.Nodes[g.Edge(0)].Ports {
		if p := g.Ports[id]; links[i] != (qos.Link{Rate: p.Rate, Delay: p.Delay}) {
			t.Errorf("link %d: %+v, port %+v", i, links[i], p)
		}
	}
}
