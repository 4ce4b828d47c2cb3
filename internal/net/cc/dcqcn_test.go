package cc

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
)

const (
	us   = unit.Microsecond
	gbps = unit.GigabitPerSec
	mbps = unit.MegabitPerSec
)

func at(d unit.Duration) unit.Time { return unit.Time(d) }

// one returns the controller of a single queue pair.
func single(p Params, line unit.Bitrate, baseRTT unit.Duration) Controller {
	s := NewSet(p, 1)
	s.Init(0, line, baseRTT)
	return s.At(0)
}

func state(c Controller, now unit.Time) State { return c.(Inspector).State(now) }

// drawDCQCN draws parameters of either version, with timers that often coincide.
func drawDCQCN(t *rapid.T) DCQCN {
	timer := func(name string) unit.Duration {
		return unit.Duration(rapid.SampledFrom([]int64{1, 2, 4, 5, 20, 50, 55, 300}).Draw(t, name)) * us
	}
	p := DCQCN{
		G: unit.Ratio{Num: 1, Den: rapid.SampledFrom([]int64{1, 2, 16, 256, 1024}).Draw(t, "g")}, InitialAlpha: one,
		AlphaTimer: timer("alpha"), FirstCNPRate: one, ClampTarget: rapid.Bool().Draw(t, "clamp"),
		IncreaseTimer: timer("increase"), FastRecovery: rapid.Int32Range(0, 6).Draw(t, "F"),
		AI:      unit.Bitrate(rapid.Int64Range(0, 5e9).Draw(t, "AI")),
		HAI:     unit.Bitrate(rapid.Int64Range(0, 2e10).Draw(t, "HAI")),
		MinRate: unit.Bitrate(rapid.Int64Range(1, 1e9).Draw(t, "min")),
	}
	if rapid.Bool().Draw(t, "bytes") {
		p.ByteCounter = unit.Bytes(rapid.Int64Range(1000, 1e6).Draw(t, "B"))
	}
	if rapid.Bool().Draw(t, "timers only") {
		p.DecreaseInterval, p.DecreaseOffset = timer("decrease"), unit.Nanosecond
	} else {
		p.ClampTarget = true
	}
	return p
}

// A step of a random history: some time passes, then something happens.
type step struct {
	wait unit.Duration
	what int // 0 look, 1 CNP, 2 sent
}

// drawSteps draws long histories: waits that hit ticks exactly, land 1 ns beside
// them, are any time, or let everything recover. (rapid's integers lean to the
// small end, so the scale of each wait is drawn apart from it.)
func drawSteps(t *rapid.T) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		n := rapid.Int64Range(0, 1<<20).Draw(t, "n")
		wait := unit.Duration(0)
		switch rapid.IntRange(0, 7).Draw(t, "scale") {
		case 0, 1, 2:
			wait = unit.Duration(n%12) * us
		case 3:
			wait = unit.Duration(n%320) * us
		case 4:
			wait = unit.Duration(n%60)*us + unit.Nanosecond
		case 5:
			wait = unit.Duration(n)
		case 6:
			wait = unit.Duration(n) * 2000 // up to 2 ms
		case 7:
			wait = unit.Duration(n%2) * 5 * unit.Millisecond
		}
		return step{wait, rapid.IntRange(0, 2).Draw(t, "what")}
	}), 40, 120).Draw(t, "steps")
}

// The lazy state machine is the event-driven one.
func TestLazyTimersAreTheEventDrivenOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawDCQCN(t)
		lazy, naive := single(p, 100*gbps, 0), newEventDriven(p, 100*gbps)
		now := unit.Time(0)
		for i, s := range drawSteps(t) {
			switch now = now.Add(s.wait); s.what {
			case 0:
				naive.runUntil(now)
			case 1:
				lazy.OnCNP(now, 0)
				naive.onCNP(now)
			case 2:
				lazy.OnSent(now, 4096)
				naive.onSent(now, 4096)
			}
			got := state(lazy, now)
			alpha := naive.alpha
			if alpha < negligible {
				alpha = 0
			}
			if want := (State{Rate: naive.rate, Target: naive.target, Alpha: alpha}); got != want {
				t.Fatalf("step %d at %v: %+v, event-driven %+v", i, now, got, want)
			}
		}
	})
}

// A CNP in the same instant as a tick: whichever was scheduled first goes first, the arrival its
// lead before, the tick a period before.
func TestCNPsAndTicksOfAnInstantGoAsScheduled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawDCQCN(t)
		lead := rapid.SampledFrom([]unit.Duration{us, us + 4*unit.Nanosecond, 4 * us, 5 * us, 55 * us, 60 * us}).Draw(t,
			"lead")
		lazy, naive := single(p, 100*gbps, 0), newEventDriven(p, 100*gbps)
		now := unit.Time(0).Add(lead)
		for i, s := range drawSteps(t) {
			now = now.Add(s.wait)
			naive.runUntil(now.Add(-lead))
			naive.after(now.Add(-lead), lead, func(now unit.Time, _ int) { naive.cnp(now) })
			if p.IncreaseTimer >= lead && p.DecreaseInterval >= lead {
				lazy.Rate(now) // a packet leaves before: it does not decide about alpha
			}
			lazy.OnCNP(now, lead)
			if i%8 > 0 {
				continue
			}
			// What comes after: both, with nothing left at this instant.
			now = now.Add(lead)
			naive.runUntil(now)
			alpha := naive.alpha
			if alpha < negligible {
				alpha = 0
			}
			if got, want := state(lazy, now), (State{Rate: naive.rate, Target: naive.target, Alpha: alpha}); got != want {
				t.Fatalf("step %d at %v: %+v, event-driven %+v", i, now, got, want)
			}
			now = now.Add(lead) // the next is scheduled no earlier than this
		}
	})
}

// With links of 1 us, the acknowledgement that carries the mark left 1,004 ns ago: before the tick
// of 1 us was set, after that of 50 us was.
func TestLinkOfAMicrosecond(t *testing.T) {
	for _, c := range []struct {
		preset string
		period unit.Duration
		want   float64
	}{{"hpcc-ns3", us, 1}, {"hpcc-ns3-paper", 50 * us, 1 - 1.0/256}} {
		p := Presets[c.preset].DCQCN
		f := single(p, 100*gbps, 0)
		f.OnAck(&Ack{Now: 0, Marked: true})
		f.OnAck(&Ack{Now: at(c.period), Marked: true, Lead: 1004 * unit.Nanosecond})
		if got := state(f, at(c.period)).Alpha; got != c.want {
			t.Errorf("%s: alpha %v after a CNP with the first tick, want %v", c.preset, got, c.want)
		}
	}
}

// Looking at every microsecond, and at random times, changes nothing.
func TestLookingOftenIsLookingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawDCQCN(t)
		once, often := single(p, 100*gbps, 0).(*dcqcnFlow), single(p, 100*gbps, 0).(*dcqcnFlow)
		now := unit.Time(0)
		for _, s := range drawSteps(t) {
			end := now.Add(min(s.wait, 3*unit.Millisecond))
			for ; now < end; now = min(end,
				now.Add(unit.Duration(rapid.Int64Range(1, int64(200*us)).Draw(t, "look")))) {
				often.Rate(now)
			}
			for _, c := range []Controller{once, often} {
				switch s.what {
				case 1:
					c.OnCNP(now, 0)
				case 2:
					c.OnSent(now, 4096)
				}
			}
		}
		once.Rate(now)
		often.Rate(now)
		a, b := *once, *often
		a.c, b.c = nil, nil
		if a != b {
			t.Fatalf("once %+v\noften %+v", a, b)
		}
	})
}

// A queue pair idle for an hour is brought up to date in a bounded number of steps
// (this test would not end if each tick of 1 us cost one).
func TestIdleHoursAreSkipped(t *testing.T) {
	for name, pre := range Presets {
		c := single(pre.DCQCN, 400*gbps, 10*us)
		c.OnCNP(at(us), 0)
		hour := at(0)
		for range 1000 {
			hour = hour.Add(unit.Hour)
			c.Rate(hour)
		}
		if s := state(c, hour); s != (State{Rate: 400 * gbps, Target: 400 * gbps}) {
			t.Errorf("%s: after 1000 idle hours %+v, want line rate and alpha 0", name, s)
		}
	}
}

// SIGCOMM 2015, section 3.1, equations 1 to 4: what a CNP does, then F steps of
// fast recovery, then additive increase; hyper increase needs both counters.
func TestSIGCOMM15Section3(t *testing.T) {
	p := sigcomm15
	c := single(p, 40*gbps, 0)
	expect := func(when unit.Duration, rate, target unit.Bitrate, alpha float64) {
		t.Helper()
		if got, want := state(c, at(when)), (State{Rate: rate, Target: target, Alpha: alpha}); got != want {
			t.Errorf("at %v: %+v, want %+v", when, got, want)
		}
	}
	expect(0, 40*gbps, 40*gbps, 1)
	c.OnCNP(at(100*us), 0)
	expect(100*us, 20*gbps, 40*gbps, 1) // target := rate, rate := rate/2, alpha := (1-g) + g
	expect(154*us, 20*gbps, 40*gbps, 1)
	k := 255.0 / 256
	for i, r := range []unit.Bitrate{30000, 35000, 37500, 38750, 39375} { // fast recovery, alpha fades
		expect(100*us+unit.Duration(i+1)*55*us, r*mbps, 40*gbps, pow(k, i+1))
	}
	expect(100*us+6*55*us, (39375*mbps+40*gbps)/2, 40*gbps, pow(k, 6)) // additive, capped at line rate

	c = single(p, 40*gbps, 0)
	c.OnCNP(at(0), 0)
	c.OnCNP(at(50*us), 0) // before the timer: target := 20 Gb/s, rate := 10 Gb/s
	expect(50*us, 10*gbps, 20*gbps, 1)
	expect(104*us, 10*gbps, 20*gbps, 1) // the timers were restarted
	expect(50*us+5*55*us, 19687500000, 20*gbps, pow(k, 5))
	expect(50*us+6*55*us, (19687500000+20040*mbps)/2, 20040*mbps, pow(k, 6))
	c.OnSent(at(400*us), 10*unit.Megabyte) // one byte stage: max(T,BC) >= F, min(T,BC) = 0: additive
	if s := state(c, at(400*us)); s.Target != 20080*mbps {
		t.Errorf("target after a byte counter step %v, want 20.08Gb/s", s.Target)
	}
	c.OnSent(at(401*us), 50*unit.Megabyte) // stages 1..5: additive
	if s := state(c, at(401*us)); s.Target != 20280*mbps {
		t.Errorf("target after six byte counter steps %v, want 20.28Gb/s", s.Target)
	}
	c.OnSent(at(402*us), 10*unit.Megabyte) // BC = 6 > F, T = 6 > F: hyper
	if s := state(c, at(402*us)); s.Target != 20480*mbps {
		t.Errorf("target after hyper increase %v, want 20.48Gb/s", s.Target)
	}
}

func pow(x float64, n int) float64 {
	y := 1.0
	for range n {
		y *= x
	}
	return y
}

// The paper's R_AI is stated at 40 Gb/s and scales with the port; on an equal port it is exact.
func TestStepsScaleWithThePort(t *testing.T) {
	f := single(sigcomm15, 400*gbps, 0).(*dcqcnFlow)
	if f.ai != 400*mbps || f.hai != 2*gbps {
		t.Errorf("steps at 400 Gb/s: %v, %v, want 400Mb/s and 2Gb/s", f.ai, f.hai)
	}
	if f := single(hpccNS3(us, us, us), 400*gbps, 0).(*dcqcnFlow); f.ai != 20*mbps {
		t.Errorf("absolute step %v, want 20Mb/s", f.ai)
	}
}

// The timers-only reaction point: first CNP does not cut, target kept while no
// increase came between cuts, one fast recovery, one additive, then hyper increase.
func TestTimersOnlyStages(t *testing.T) {
	p := Presets["hpcc-ns3"].DCQCN
	c := single(p, 100*gbps, 0)
	mark := func(when unit.Duration) { c.OnAck(&Ack{Now: at(when), Marked: true}) }
	rate := func(when unit.Duration, rate, target unit.Bitrate) {
		t.Helper()
		if s := state(c, at(when)); s.Rate != rate || s.Target != target {
			t.Errorf("at %v: rate %v target %v, want %v and %v", when, s.Rate, s.Target, rate, target)
		}
	}
	mark(0)
	rate(4*us, 100*gbps, 100*gbps) // 1 ns before the first decrease tick
	if s := state(c, at(4*us)); s.Alpha != pow(255.0/256, 4) {
		t.Errorf("alpha after four ticks %v", s.Alpha)
	}
	r1 := unit.Bitrate(100e9 * (1 - pow(255.0/256, 4)/2))
	rate(4*us+unit.Nanosecond, r1, 100*gbps)
	mark(5 * us)
	r2 := unit.Bitrate(float64(r1) * (1 - state(c, at(8*us)).Alpha/2))
	rate(8*us+unit.Nanosecond, r2, 100*gbps) // no increase since the last cut: target stays
	up := 8*us + unit.Nanosecond + 300*us
	rate(up-1, r2, 100*gbps)
	r3 := (r2 + 100*gbps + 1) / 2
	rate(up, r3, 100*gbps)
	mark(up + us)
	s := state(c, at(up+4*us))
	if s.Target != r3 || s.Rate >= r3 {
		t.Errorf("cut after an increase: %+v, want target %v", s, r3)
	}
	cut := up + 4*us
	low := s.Rate
	for i, step := range []unit.Bitrate{0, 20 * mbps, 200 * mbps, 200 * mbps} {
		s.Target += step
		low = (low + s.Target + 1) / 2
		rate(cut+unit.Duration(i+1)*300*us, low, s.Target)
	}
}

// Rate, target and alpha of one sender as the HPCC ns-3 model printed them (2:1
// incast, dcqcn_paper timers). The first mark's time is free within a sample; the
// marks stand for the queue: marked while above 400 kB.
func TestTimersOnlyAgainstReferenceSeries(t *testing.T) {
	c := single(Presets["hpcc-ns3-paper"].DCQCN, 100*gbps, 0)
	marks := func(from, to unit.Duration) {
		for now := from; now <= to; now += us {
			c.OnAck(&Ack{Now: at(now), Marked: true})
		}
	}
	rows := []struct {
		ns                  int64
		rate, target, alpha float64 // Gb/s
	}{
		{85500, 100, 100, 1}, {90500, 50, 100, 1}, {135500, 50, 100, 1}, {140500, 25, 100, 1}, {190500, 12.5, 100, 1},
		{240500, 6.25, 100, 1}, {285500, 6.25, 100, 1}, {290500, 6.25, 100, 0.996094}, {295500, 53.125, 100, 0.996094},
		{340500, 53.125, 100, 0.992203}, {360500, 76.5625, 100, 0.992203}, {400500, 76.5625, 100, 0.988327},
		{420500, 88.2812, 100, 0.988327}, {440500, 44.6539, 88.2812, 0.988373}, {500500, 22.5855, 88.2812, 0.988418},
		{560500, 11.4230, 88.2812, 0.988463}, {600500, 49.8521, 88.2812, 0.984602},
		{660500, 69.0767, 88.3013, 0.980756},
		{720500, 78.7890, 88.5012, 0.976925}, {760500, 83.7451, 88.7013, 0.973109},
	}
	// Marked at 39..229, 425..535 us: the queue is above its threshold in between.
	for _, r := range rows {
		switch r.ns {
		case 85500:
			marks(39*us, 85*us)
		case 90500:
			marks(86*us, 90*us)
		case 135500:
			marks(91*us, 135*us)
		case 140500:
			marks(136*us, 140*us)
		case 190500:
			marks(141*us, 190*us)
		case 240500:
			marks(191*us, 229*us)
		case 440500:
			marks(425*us, 440*us)
		case 500500:
			marks(441*us, 500*us)
		case 560500:
			marks(501*us, 535*us)
		}
		s := state(c, unit.Time(r.ns*1000))
		near := func(got, want, tol float64) bool { return got-want < tol && want-got < tol }
		if !near(float64(s.Rate)/1e9, r.rate, 1e-4) || !near(float64(s.Target)/1e9, r.target, 1e-4) ||
			!near(s.Alpha, r.alpha, 1e-6) {
			t.Errorf("at %d ns: %.4f %.4f %.6f, reference %.4f %.4f %.6f", r.ns,
				float64(s.Rate)/1e9, float64(s.Target)/1e9, s.Alpha, r.rate, r.target, r.alpha)
		}
	}
}

// Ticks of decrease and increase at one instant: the one armed earlier goes first.
func TestDecreaseAndIncreaseAtOneInstant(t *testing.T) {
	// Increase timer 300 us = 75 decrease ticks: armed 296 us before the decrease tick.
	c := single(hpccNS3(us, 4*us, 300*us), 100*gbps, 0)
	c.OnCNP(at(0), 0)
	tick := 304*us + unit.Nanosecond
	c.OnCNP(at(tick-us), 0)
	before := state(c, at(tick-1))
	after := state(c, at(tick))
	risen := (before.Rate + before.Target + 1) / 2
	if after.Target != risen || after.Rate >= risen {
		t.Errorf("from %+v to %+v: want the increase to %v first, then a cut", before, after, risen)
	}
	// Equal timers: the decrease tick is armed first, and cancels the increase.
	c = single(hpccNS3(us, 50*us, 50*us), 100*gbps, 0)
	c.OnCNP(at(0), 0)
	tick = 100*us + unit.Nanosecond
	c.OnCNP(at(tick-us), 0)
	before = state(c, at(tick-1))
	if after := state(c, at(tick)); after.Rate >= before.Rate || after.Target != before.Target {
		t.Errorf("from %+v to %+v: want a cut only", before, after)
	}
}

func TestWindowScalesWithTheRate(t *testing.T) {
	p := Presets["hpcc-ns3"].DCQCN
	p.Window = Window{BDP: true, Scale: true}
	c := single(p, 100*gbps, 4160*unit.Nanosecond)
	if w := c.Window(0); w != 52*unit.Kilobyte {
		t.Errorf("window %v, want 52kB", w)
	}
	c.OnCNP(0, 0)
	now := at(5 * us)
	if w, want := c.Window(now), unit.Bytes(52000*int64(c.Rate(now))/int64(100*gbps)); w != want {
		t.Errorf("window %v, want %v", w, want)
	}
	if w := single(sigcomm15, 100*gbps, 0).Window(0); w != 0 {
		t.Errorf("window %v, want no limit", w)
	}
}

// By default a loss changes nothing; CutOnLoss makes it a CNP.
func TestLoss(t *testing.T) {
	p := sigcomm15
	c := single(p, 40*gbps, 0)
	if c.OnLoss(0); c.Rate(0) != 40*gbps {
		t.Error("a loss cut the rate")
	}
	p.CutOnLoss = true
	c = single(p, 40*gbps, 0)
	if c.OnLoss(0); c.Rate(0) != 20*gbps {
		t.Error("a loss did not cut the rate")
	}
}

// Alpha below the negligible bound has the effect of zero, bit for bit, at the smallest gain.
func TestNegligibleAlphaIsZero(t *testing.T) {
	tiny, rate := float64(negligible), float64(unit.Bitrate(800)*gbps)
	if rate*(1-tiny/2) != rate || (1-minGain)*tiny+minGain != minGain {
		t.Error("negligible alpha shows in rate or alpha")
	}
}
