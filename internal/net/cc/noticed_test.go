package cc

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// DCTCP as a rate: its window shrinks with the rate.
func TestDCTCPsWindowBesideARate(t *testing.T) {
	const gbps = unit.GigabitPerSec
	p := DCTCP{G: unit.Ratio{Num: 1, Den: 2}, MSS: 1000, RateAI: gbps, MinRate: gbps,
		Window: Window{Bytes: unit.Megabyte, Scale: true}}
	set := NewSet(p, 1)
	set.Init(0, 100*gbps, 10*unit.Microsecond)
	f := set.At(0)
	f.OnAck(&Ack{Seq: 1000, NextSeq: 10_000, Marked: true})
	if f.Rate(0) != 50*gbps || f.Window(0) != unit.Megabyte/2 {
		t.Errorf("rate %v, window %v after a mark, want half of both", f.Rate(0), f.Window(0))
	}
}

// TIMELY's window shrinks with its rate.
func TestTIMELYsWindow(t *testing.T) {
	p := Defaults["timely"].(TIMELY)
	p.Window = Window{Bytes: unit.Megabyte, Scale: true}
	set := NewSet(p, 1)
	set.Init(0, 100*unit.GigabitPerSec, 10*unit.Microsecond)
	f := set.At(0)
	if got := f.Window(0); got != unit.Megabyte {
		t.Errorf("window %v at line rate, want 1 MB", got)
	}
	f.OnAck(&Ack{Bytes: 64_000, Seq: 64_000, RTT: 600 * unit.Microsecond})
	f.OnAck(&Ack{Bytes: 64_000, Seq: 128_000, RTT: 600 * unit.Microsecond})
	want := unit.Ratio{Num: int64(f.Rate(0)), Den: int64(100 * unit.GigabitPerSec)}.Of(int64(unit.Megabyte))
	if got := f.Window(0); got != unit.Bytes(want) || got == unit.Megabyte {
		t.Errorf("window %v at %v, want %v", got, f.Rate(0), unit.Bytes(want))
	}
}

// A window that scales with a rate that timers raise grows unasked; there must be one.
func TestWindowsThatGrowUnasked(t *testing.T) {
	for _, c := range []struct {
		p    Params
		want bool
	}{
		{DCQCN{Window: Window{Bytes: 1, Scale: true}}, true}, {DCQCN{Window: Window{BDP: true, Scale: true}}, true},
		{DCQCN{Window: Window{Scale: true}}, false}, {DCQCN{Window: Window{Bytes: 1}}, false},
		{DCTCP{Window: Window{Bytes: 1, Scale: true}}, false},
	} {
		if got := WindowGrowsUnasked(c.p); got != c.want {
			t.Errorf("%+v: %v", c.p, got)
		}
	}
}

// Bounds belong to what is allowed where it says so, and nowhere else.
func TestBoundsOfParameters(t *testing.T) {
	for _, name := range []string{"alpha", "beta", "max_decrease"} {
		p := Defaults["timely"].(TIMELY)
		*map[string]*unit.Ratio{"alpha": &p.Alpha, "beta": &p.Beta, "max_decrease": &p.MaxDecrease}[name] =
			unit.Ratio{Num: 0, Den: 1}
		if err := p.Validate(); err == nil || !strings.HasPrefix(err.Error(), name+": 0") {
			t.Errorf("timely %s 0: %v", name, err)
		}
	}
	for _, ai := range []unit.Ratio{{Num: 0, Den: 1}, {Num: -1, Den: -1}, {Num: 1}} {
		p := Defaults["swift"].(Swift)
		p.AI = ai
		if err := p.Validate(); err == nil || !strings.HasPrefix(err.Error(), "ai: ") {
			t.Errorf("swift ai %d/%d: %v", ai.Num, ai.Den, err)
		}
	}
	timely := Defaults["timely"].(TIMELY)
	for n, good := range map[int32]bool{0: false, 1: true, 1000: true, 1001: false} {
		timely.HAIAfter = n
		if err := timely.Validate(); (err == nil) != good {
			t.Errorf("timely hai_after %d: %v", n, err)
		}
	}
	d := Presets["dcqcn-sigcomm15"].DCQCN
	for den, good := range map[int64]bool{65536: true, 65537: false} {
		d.G = unit.Ratio{Num: 1, Den: den}
		if err := d.Validate(); (err == nil) != good {
			t.Errorf("dcqcn g 1/%d: %v", den, err)
		}
	}
}
