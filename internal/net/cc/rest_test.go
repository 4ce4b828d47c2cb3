package cc

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"railyard/internal/base/unit"
)

// A controller that comes to rest wherever nothing is on its way answers as one that never does; and one that has not heard of
// what came again while it rested, and whose clock is behind by as much, answers as one that has.
func TestRestChangesNoAnswer(t *testing.T) {
	all := map[string]Params{
		"timely": Defaults["timely"], "swift": Defaults["swift"], "dctcp": Defaults["dctcp"],
		"timely by round trips": func() TIMELY { p := Defaults["timely"].(TIMELY); p.Segment = 0; return p }(),
		"dctcp as a rate":       DCTCP{G: unit.Ratio{Num: 1, Den: 16}, MSS: 4096, RateAI: gbps, MinRate: gbps},
		"swift, small":          func() Swift { p := Defaults["swift"].(Swift); p.MaxWindow, p.Queueing = 20_000, 2*us; return p }(),
	}
	for name, p := range Presets {
		all[name] = p.DCQCN
		if p := p.DCQCN; p.ByteCounter == 0 {
			p.ByteCounter = 300 * unit.Kilobyte
			all[name+" with bytes"] = p
		}
	}
	for name, p := range all {
		slept, rested := 0, 0
		for seed := range uint64(60) {
			d := driven{t: t, name: fmt.Sprintf("%s, seed %d", name, seed), r: rand.New(rand.NewPCG(seed, 46)),
				a: single(p, 100*gbps, 10*us), b: single(p, 100*gbps, 10*us)}
			for range 30 {
				d.stretch()
				d.rest()
			}
			slept, rested = slept+d.slept, rested+30
		}
		if _, is := p.(DCQCN); is && 5*slept < rested {
			t.Errorf("%s: of %d rests %d were at line rate after a CNP, want a fifth", name, rested, slept)
		}
	}
}

// driven is two controllers that hear the same, of which the second rests.
type driven struct {
	t           *testing.T
	name        string
	r           *rand.Rand
	a, b        Controller
	now         unit.Time
	behind      unit.Duration // b's clock
	sent, ahead int64         // ahead: b's offsets
	slept       int
	out         []sentAt
}

type sentAt struct {
	at    unit.Time
	upTo  int64
	bytes unit.Bytes
}

// both calls both.
func (d *driven) both(call func(c Controller, now unit.Time, ahead int64)) {
	d.t.Helper()
	call(d.a, d.now, 0)
	call(d.b, d.now.Add(-d.behind), d.ahead)
	a, b := d.a.(Inspector).State(d.now), d.b.(Inspector).State(d.now.Add(-d.behind))
	if a != b || d.a.Rate(d.now) != d.b.Rate(d.now.Add(-d.behind)) || d.a.Window(d.now) != d.b.Window(d.now.Add(-d.behind)) {
		d.t.Fatalf("%s, at %v: %+v, one that rests %+v", d.name, d.now, a, b)
	}
}

// stretch sends for a while, hears of it, and ends when all is acknowledged.
func (d *driven) stretch() {
	marked, lost := d.r.IntN(3) == 0, d.r.IntN(12) == 0
	for n := d.r.IntN(60); n > 0 || len(d.out) > 0; n-- {
		d.now = d.now.Add(unit.Duration(d.r.IntN(4_000_000)))
		switch k := d.r.IntN(10); {
		case k < 5 && n > 0:
			bytes := unit.Bytes(1 + d.r.IntN(4096))
			d.sent += int64(bytes)
			d.out = append(d.out, sentAt{d.now, d.sent, bytes})
			d.both(func(c Controller, now unit.Time, _ int64) { c.OnSent(now, bytes) })
		case k == 8 && marked:
			d.both(func(c Controller, now unit.Time, _ int64) { c.OnCNP(now, 0) })
		case k == 9 && lost:
			d.both(func(c Controller, now unit.Time, _ int64) { c.OnLoss(now) })
		case len(d.out) > 0:
			x, mark := d.out[0], marked && d.r.IntN(2) == 0
			d.out = d.out[1:]
			d.both(func(c Controller, now unit.Time, ahead int64) {
				c.OnAck(&Ack{Now: now, Bytes: x.bytes, RTT: d.now.Sub(x.at), Seq: x.upTo + ahead, NextSeq: d.sent + ahead, Marked: mark})
			})
		}
	}
}

// rest has the second one rest. Of what came again meanwhile neither hears, but the first one's time goes on.
func (d *driven) rest() {
	d.now = d.now.Add([]unit.Duration{0, us, 100 * us, unit.Millisecond, 50 * unit.Millisecond, 900 * unit.Millisecond}[d.r.IntN(6)])
	r, is := d.b.(Rester)
	if !is {
		d.t.Fatalf("%s does not rest", d.name)
	}
	r.Rest(d.now.Add(-d.behind), d.sent+d.ahead)
	var took unit.Duration
	f, controlled := d.b.(*dcqcnFlow)
	if controlled && f.kept.is {
		d.slept++
	}
	if controlled && !f.limited {
		took = unit.Duration(d.r.IntN(300)) * 777 * us
	}
	if again, is := d.b.(Repeater); is {
		bytes := int64(d.r.IntN(3)) * 12_345
		again.Repeat(bytes, took)
		d.ahead, d.behind, d.now = d.ahead+bytes, d.behind+took, d.now.Add(took)
	}
	d.both(func(Controller, unit.Time, int64) {})
	if d.r.IntN(4) == 0 { // a NAK for the first packet of what follows acknowledges nothing
		d.both(func(c Controller, now unit.Time, ahead int64) {
			c.OnAck(&Ack{Now: now, RTT: 11 * us, Seq: d.sent + ahead, NextSeq: d.sent + ahead})
		})
	}
}
