package cc

import (
	"strings"
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
)

func TestEveryAlgorithmHasDefaults(t *testing.T) {
	if len(Algorithms) != len(Defaults) {
		t.Fatalf("%d algorithms, %d defaults", len(Algorithms), len(Defaults))
	}
	for name, line := range Algorithms {
		p := Defaults[name]
		if p == nil || p.Algorithm() != name || line == "" {
			t.Errorf("%s: defaults %v", name, p)
			continue
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c := single(p, 100*gbps, 10*us)
		if r := c.Rate(0); r != 100*gbps {
			t.Errorf("%s starts at %v, want line rate", name, r)
		}
	}
	for name, p := range Presets {
		if err := p.DCQCN.Validate(); err != nil || p.Source == "" || p.Assumed == "" || p.MarkingRate == 0 {
			t.Errorf("preset %s: %v", name, err)
		}
	}
}

func TestValidateNamesTheField(t *testing.T) {
	change := func(f func(*DCQCN)) Params { p := sigcomm15; f(&p); return p }
	for _, tt := range []struct {
		p    Params
		want string
	}{
		{change(func(p *DCQCN) { p.G = unit.Ratio{} }), "g: not set: want more than 0, at most 1"},
		{change(func(p *DCQCN) { p.G = unit.Ratio{Num: 1, Den: 1 << 20} }), "g: 1/1048576: want 1/65536 to 1"},
		{change(func(p *DCQCN) { p.AlphaTimer = 0 }), "alpha_timer: 0s: want more than 0"},
		{change(func(p *DCQCN) { p.FastRecovery = -1 }), "fast_recovery: -1: want 0 to 1000"},
		{change(func(p *DCQCN) { p.FirstCNPRate = unit.Ratio{Num: 1, Den: 2} }),
			"first_cnp_rate: 1/2: want 1 unless decrease_interval is set"},
		{change(func(p *DCQCN) { p.Window.Bytes = -1 }), "window: -1B: want 0 (none) or more"},
		{TIMELY{Alpha: one, Beta: one, MaxDecrease: one, Low: us}, "high: 0s: want at least low"},
		{Swift{}, "queueing: 0s: want more than 0"},
	} {
		if err := tt.p.Validate(); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), "queueing") {
			t.Errorf("NewSet of invalid parameters: %v", r)
		}
	}()
	NewSet(Swift{}, 1)
}

// State lies in one slice; queue pairs do not touch each other.
func TestSetIsDense(t *testing.T) {
	s := NewSet(sigcomm15, 3)
	for i := range s.Len() {
		s.Init(i, unit.Bitrate(i+1)*100*gbps, 10*us)
	}
	s.At(1).OnCNP(0, 0)
	for i, want := range []unit.Bitrate{100 * gbps, 100 * gbps, 300 * gbps} {
		if r := s.At(i).Rate(0); r != want {
			t.Errorf("queue pair %d at %v, want %v", i, r, want)
		}
	}
	s.Init(1, 200*gbps, 10*us)
	if r := s.At(1).Rate(0); r != 200*gbps {
		t.Errorf("after Init: %v", r)
	}
}

func TestNoAllocations(t *testing.T) {
	for name, p := range Defaults {
		s := NewSet(p, 4)
		for i := range 4 {
			s.Init(i, 100*gbps, 10*us)
		}
		now, seq := unit.Time(0), int64(0)
		ack := &Ack{Bytes: 4096, RTT: 12 * us, Hops: make([]Hop, 5)}
		n := testing.AllocsPerRun(200, func() {
			now, seq = now.Add(us), seq+4096
			c := s.At(int(seq/4096) % 4)
			c.OnSent(now, 4096)
			ack.Now, ack.Seq, ack.NextSeq, ack.Marked = now, seq, seq+100000, seq%3 == 0
			for i := range ack.Hops {
				ack.Hops[i] = Hop{Queue: unit.Bytes(seq % 5000), TxBytes: unit.Bytes(seq), Time: now, Rate: 100 * gbps}
			}
			c.OnAck(ack)
			c.OnCNP(now, 0)
			c.OnLoss(now)
			c.Rate(now)
			c.Window(now)
		})
		if n != 0 {
			t.Errorf("%s: %v allocations per call", name, n)
		}
	}
}

func TestSqrt(t *testing.T) {
	for _, x := range []float64{0, 1, 2, 100, 0.001, 0.5, 4e9} {
		if r := sqrt(x); r*r-x > 1e-4*(1+r) || x-r*r > 1e-4*(1+r) {
			t.Errorf("sqrt(%v) = %v", x, r)
		}
	}
}

// BenchmarkRate is what the NIC asks per packet: a look, now and then a tick.
func BenchmarkRate(b *testing.B) {
	for _, name := range []string{"dcqcn-sigcomm15", "hpcc-ns3"} {
		b.Run(name, func(b *testing.B) {
			c := single(Presets[name].DCQCN, 100*gbps, 0)
			c.OnCNP(0, 0)
			now := unit.Time(0)
			b.ReportAllocs()
			cpu := machinetest.Start(b)
			defer cpu.Report()
			for b.Loop() {
				now = now.Add(83840)
				c.OnSent(now, 1048)
				c.Rate(now)
			}
		})
	}
}
