package train

import (
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
)

// runningOf are the running statistics in the vectors of a rank's stage.
func (j *Job) runningOf(st *workload.Stage, at workload.Coord) (all []nn.Mean) {
	for _, h := range st.Layers {
		_, pieces := j.part(&h, place(h.Way, &j.work.Layout, at))
		for _, t := range j.layers[h.Layer].Tensors() {
			if t.Role != nn.Running {
				continue
			}
			for _, p := range pieces {
				lo, hi := max(t.Offset, p.Whole), min(t.Offset+t.Elems(), p.Whole+p.Elems)
				if lo < hi {
					span := nn.Span{At: int(h.Offset) + lo - p.Whole + p.Part, Elems: hi - lo}
					all = append(all, nn.Mean{Span: span, Momentum: t.Momentum})
				}
			}
		}
	}
	return all
}
