package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// 1 kB that is posted while 100 MB are on their way from the same GPU to the same NIC does not
// wait for them: it takes its share of PCIe, and of the wire.
func TestAShortMessageBesideALongOne(t *testing.T) {
	const rate = 400 * unit.GigabitPerSec
	r := defaults(oneSwitch(t, 3, rate), rate)
	r.build(t)
	long := r.gpuFlow(t, topo.NICID(0), topo.NICID(1), 100*unit.Megabyte, 0)
	short := r.gpuFlow(t, topo.NICID(0), topo.NICID(2), 1000, unit.Time(10*unit.Microsecond))
	r.run(t)
	for _, f := range r.flows {
		took := f.Placed.Sub(f.Posted)
		switch {
		case f.QP == short && (took < 2*unit.Microsecond || took > 6*unit.Microsecond):
			t.Errorf("1 kB took %v, want a few microseconds", took)
		case f.QP == long && took > 2050*unit.Microsecond:
			t.Errorf("100 MB took %v, want 2.04 ms with headers at 400 Gb/s", took)
		}
	}
}
