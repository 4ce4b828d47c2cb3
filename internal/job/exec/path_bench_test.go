package exec_test

import (
	"fmt"
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// What the path finder costs beside the rest of exec and an ideal driver.
func BenchmarkSteps(b *testing.B) {
	s := step(5*us, 3*us, 100480, ring(8, 4, 1))
	s.Device = workload.Device{MemoryBandwidth: 1000 * gbps, MemoryEff: unit.Ratio{Num: 1, Den: 2}}
	for _, every := range []int64{0, 1, 10} {
		b.Run(fmt.Sprintf("every %d", every), func(b *testing.B) {
			b.ReportAllocs()
			d := exectest.New(exectest.Net{Latency: constant(2 * us), Rate: 100 * gbps}, nil)
			var f *exec.PathFinder
			if every > 0 {
				f = exec.NewPathFinder(8, every, func(*exec.PathRecord) {})
			}
			job := jobOf(b, 8, same(s))
			for r := range 8 {
				d.Add(exec.Config{Rank: int32(r), Job: job, Steps: int64(b.N), Paths: f})
			}
			cpu := machinetest.Start(b)
			if _, err := d.Run(); err != nil {
				b.Fatal(err)
			}
			cpu.Report()
		})
	}
}
