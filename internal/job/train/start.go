package train

import "railyard/internal/job/workload"

// Started says that a rank has ended its start phase: what served that alone is let go of.
func (j *Job) Started(id int32) {
	if j.ranks[id].elsewhere {
		return
	}
	for c := range j.cfg.Work.Collectives {
		if j.cfg.Work.Collectives[c].Once {
			s := &j.ranks[id].staging[c]
			s.areas, s.free = [workload.MaxAreas][][]float32{}, nil
		}
	}
}

// awaits makes parameters NaN that the rank is to get from another before its first step: one that
// does not come makes all that is computed from it NaN.
func (r *rank) awaits(ranges []workload.Range) {
	for _, x := range ranges {
		r.drop(x)
	}
}
