package train

import (
	"railyard/internal/exec"
	"railyard/internal/workload"
)

// Started says that a rank has ended its start phase: what served that alone is let go of.
func (j *Job) Started(id int32) {
	for c := range j.cfg.Work.Collectives {
		if j.cfg.Work.Collectives[c].Once {
			j.ranks[id].areas[exec.Staging(j.cfg.Work, int32(c), 0)-int32(len(j.cfg.Work.Buffers))] = area{}
			j.staging.letGo(pageElems(j.staging.sizes[c]))
		}
	}
}

// awaits makes parameters NaN that the rank is to get from another before its first step: one that
// does not come makes all that is computed from it NaN.
func (r *rank) awaits(ranges []workload.Range) {
	for _, x := range ranges {
		fill(r.on(x))
	}
}
