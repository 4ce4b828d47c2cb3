package exec_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// copied runs steps of 20 us of compute, for each of which bytes are copied at 100 Gb/s.
func copied(t *testing.T, bytes unit.Bytes, steps int64) (*journal, []exec.PathRecord) {
	t.Helper()
	job := &workload.Job{Of: []int32{0},
		Training: &workload.Training{Layout: workload.Layout{PP: 1}}, Programs: []workload.Program{{
			Streams: []workload.Stream{{Name: "compute", Group: workload.ComputeGroup}},
			Ops:     []workload.Op{{Name: "step", Kind: workload.Compute, Duration: 20 * us, Body: -1, Coll: -1}}}}}
	if err := job.Prefetch(bytes, 0); err != nil {
		t.Fatal(err)
	}
	var paths []exec.PathRecord
	f := exec.NewPathFinder(1, 1, func(p *exec.PathRecord) {
		q := *p
		q.Parts = append([]exec.PathPart(nil), p.Parts...)
		paths = append(paths, q)
	})
	j := &journal{}
	d := exectest.New(exectest.Net{Host: 100 * gbps}, nil)
	d.Add(exec.Config{Job: job, Steps: steps, Observer: j, Paths: f})
	if _, err := d.Run(); err != nil {
		t.Fatal(err)
	}
	return j, paths
}

// A copy that takes less than the step costs the start alone: the step ends with its compute, and
// the last step copies nothing.
func TestAShortCopyIsHidden(t *testing.T) {
	j, _ := copied(t, 125_000, 3) // 10 us
	check(t, j.rank(0), `
	-1 copy.batch         0s - 10us by -1
	0 copy.batch         10us - 20us by -1
	0 step               10us - 30us by -1
	1 copy.batch         30us - 40us by -1
	1 step               30us - 50us by -1
	2 copy.batch         50us - 50us by -1
	2 step               50us - 70us by -1
	-1 0s - 10us: PCIe 10us; comm 0s, overlap 0s
	0 10us - 30us: compute 20us; comm 0s, overlap 0s
	1 30us - 50us: compute 20us; comm 0s, overlap 0s
	2 50us - 70us: compute 20us; comm 0s, overlap 0s
	`)
}

// One that takes longer is what the step ends with: the rest of it is PCIe, in the record and in the
// path.
func TestALongCopyIsAWaitForPCIe(t *testing.T) {
	j, paths := copied(t, 375_000, 2) // 30 us
	check(t, j.rank(0), `
	-1 copy.batch         0s - 30us by -1
	0 step               30us - 50us by -1
	0 copy.batch         30us - 60us by -1
	1 copy.batch         60us - 60us by -1
	1 step               60us - 80us by -1
	-1 0s - 30us: PCIe 30us; comm 0s, overlap 0s
	0 30us - 60us: compute 20us, PCIe 10us; comm 0s, overlap 0s
	1 60us - 80us: compute 20us; comm 0s, overlap 0s
	`)
	check(t, text(paths[1]), `
	step 0 of rank 0, 30us - 60us: PCIe 30us
	30us - 60us PCIe: copy of rank 0, step 0 operation 1
	`)
}
