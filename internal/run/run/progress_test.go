package run

import (
	"testing"

	"railyard/internal/out/result"
)

// Progress is counted as messages end, in part and in whole, of the job's own flows alone; it is told
// once in a while, not at each look at the clock.
func TestProgressIsCounted(t *testing.T) {
	yaml := cluster8(3) + `
fabric: {spines: 1}
job:
  flows:
    - {from: host1/gpu0, to: host2/gpu0, bytes: 1MB, count: 2, every: 1ms}
    - {from: host1/gpu1, to: host3/gpu2, bytes: 100kB, count: 3, every: 1us}
background:
  flows:
    - {from: host3/gpu0, to: host1/gpu0, bytes: 10kB, every: 1ms, count: 1000}
`
	const all, half = 2_300_000, 1_300_000
	told := map[int64]bool{}
	var ends result.Progress
	run(t, yaml, Options{
		Observe: Every(500_000_000, 500_000_000, func(v View) { v.r.record.Report(v.Now) }),
		Progress: func(p result.Progress) {
			if p.Phase == "flows" {
				told[p.Done], ends = true, p
				if p.Total != all {
					t.Errorf("%d of %d bytes", p.Done, p.Total)
				}
			}
		},
		ended: func(r *runner) { r.record.Report(r.eng.Now()) },
	})
	if ends.Done != all || !told[half] || len(told) > 4 {
		t.Errorf("told of %v bytes, at last %d: want %d and at last %d", told, ends.Done, half, all)
	}
}
