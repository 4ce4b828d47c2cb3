package nic_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/net/topo"
)

// copyEnds keeps what a rank did, and lets the run end only after it.
type copyEnds struct {
	records
	rig *rig
}

func (c *copyEnds) Step(s exec.StepRecord, waits []exec.Wait) {
	c.records.Step(s, waits)
	c.rig.latest = max(c.rig.latest, s.End)
	if s.Step == workload.StartStep {
		if c.rig.left--; c.rig.left == 0 {
			c.rig.eng.StopAt(c.rig.latest)
		}
	}
}

// copying gives host 1's GPU a rank that copies so many bytes from host memory, at time 0, once.
func copying(t *testing.T, r *rig, b unit.Bytes) *copyEnds {
	t.Helper()
	job := &workload.Job{Of: []int32{0},
		Training: &workload.Training{Layout: workload.Layout{PP: 1}},
		Programs: []workload.Program{{Streams: []workload.Stream{{Name: "compute", Group: workload.ComputeGroup}}}}}
	if err := job.Prefetch(b, 0); err != nil {
		t.Fatal(err)
	}
	rec := &copyEnds{rig: r}
	r.left++
	driver := r.hosts.AddJob()
	driver.AddRank(0, 0)
	driver.SetRank(0, exec.NewRank(exec.Config{Job: job, Steps: 1, Transport: driver, Clock: driver, Observer: rec}), 0)
	return rec
}

// A copy takes its bytes on PCIe and a crossing. Beside as many bytes that NICs bring to the same
// GPU both take twice as long, and what is brought to another GPU does not matter.
func TestACopySharesPCIe(t *testing.T) {
	const rate, pcie, size = 400 * unit.GigabitPerSec, 100 * unit.GigabitPerSec, 10 * unit.Megabyte
	for _, c := range []struct {
		name       string
		from, to   topo.NICID
		copy, flow bool
		want       [2]unit.Duration // of the copy, of the flow
	}{
		{"copy alone", 0, 0, true, false, [2]unit.Duration{800 * unit.Microsecond, 0}},
		{"arrivals alone", 1, 0, false, true, [2]unit.Duration{0, 800 * unit.Microsecond}},
		{"both", 1, 0, true, true, [2]unit.Duration{1600 * unit.Microsecond, 1600 * unit.Microsecond}},
		{"to another", 1, 2, true, true, [2]unit.Duration{800 * unit.Microsecond, 800 * unit.Microsecond}},
		{"away from it", 0, 2, true, true, [2]unit.Duration{800 * unit.Microsecond, 800 * unit.Microsecond}},
	} {
		r := defaults(oneSwitch(t, 3, rate), rate)
		r.host.PCIe.Rate = pcie
		r.build(t)
		var rec *copyEnds
		if c.copy {
			rec = copying(t, r, size)
		}
		if c.flow {
			r.gpuFlow(t, c.from, c.to, size, 0)
		}
		r.run(t)
		near := func(what string, got, want unit.Duration) {
			if got < want-10*unit.Microsecond || got > want+10*unit.Microsecond {
				t.Errorf("%s: the %s took %v, want %v within 10 us", c.name, what, got, want)
			}
		}
		if c.copy {
			got := rec.steps[0].End.Sub(rec.steps[0].Start)
			near("copy", got, c.want[0])
			if want := c.want[0] + r.host.PCIe.Latency; !c.flow && got != want {
				t.Errorf("%s: %v, want %v", c.name, got, want)
			}
		}
		if c.flow {
			near("flow", r.flows[0].Placed.Sub(r.flows[0].Posted), c.want[1])
		}
	}
}
