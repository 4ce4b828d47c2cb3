package sim_test

import (
	"fmt"
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// hold is the classic benchmark of event queues (Jones, CACM 29(4), 1986): a constant number of
// events is pending; each schedules the next of its owner at a random distance.
type hold struct {
	e    *sim.Engine
	rng  sim.Stream
	max  uint64
	left int
}

func (h *hold) Handle(_ *sim.Island, now unit.Time, owner int32) {
	if h.left--; h.left <= 0 {
		h.e.StopAt(now)
		return
	}
	h.e.At(0, now+1+unit.Time(h.rng.Below(h.max)), sim.MakeKey(sim.Timer, 0, owner))
}

// newHold has pending owners that act every 100 ns on average, as ports that send frames do, after
// some rounds that let the wheel grow.
func newHold(pending int) *hold {
	h := &hold{rng: sim.NewStream(1, "hold", 0), max: uint64(200 * unit.Nanosecond)}
	h.e = sim.New([]int{pending}, 0)
	h.e.Register(0, h)
	for i := range pending {
		h.e.At(0, unit.Time(h.rng.Below(h.max)), sim.MakeKey(sim.Timer, 0, int32(i)))
	}
	return h
}

func BenchmarkHold(b *testing.B) {
	for _, pending := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(pending), func(b *testing.B) {
			h := newHold(pending)
			warm := 20 * pending
			h.left = warm + b.N
			h.e.OnCheck(func() bool { return h.left > b.N })
			h.e.Run()
			h.e.OnCheck(nil)
			n := h.left
			b.ReportAllocs()
			cpu := machinetest.Start(b)
			h.e.Run()
			b.ReportMetric(cpu.Report()*1e9/float64(n), "cpu-ns/event")
		})
	}
}

// TestNoAllocations: once the wheel has grown, events cost no memory.
func TestNoAllocations(t *testing.T) {
	const pending = 1_000
	h := newHold(pending)
	h.left = 1 << 30
	rounds := 0
	h.e.OnCheck(func() bool { rounds++; return rounds%4 != 0 }) // 65,536 events a run
	h.e.Run()
	before := h.e.Events()
	if n := testing.AllocsPerRun(10, func() { h.e.Run() }); n > 0 {
		t.Errorf("%v allocations in %d events", n, (h.e.Events()-before)/11)
	}
	if h.e.Events()-before < 500_000 {
		t.Errorf("only %d events ran", h.e.Events()-before)
	}
}
