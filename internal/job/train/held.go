package train

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

// Memory returns what a rank holds, by term: tensors that it has really been given, and the staging to
// which messages have come, of which this process keeps less. What the arithmetic of this process keeps beside tensors, lists of
// pixels that are not 0, is not counted.
func (j *Job) Memory(id int32) (m workload.Memory) {
	r, work := &j.ranks[id], j.cfg.Work
	for b, held := range r.buffers {
		of := &work.Buffers[b]
		m[of.Term] += min(bytesOf(held), unit.Bytes(of.Elems*of.ElemBytes)) // memory is made in pieces of 4 bytes
	}
	for c := range r.staging {
		m[work.Groups[work.Collectives[c].Group].Staging()] += r.staging[c].bytes()
	}
	for l, slots := range r.saved {
		if len(slots) > 0 {
			m[workload.ActivationTerm] += 4 * unit.Bytes(len(slots)*j.work.Rows()*r.parts[l].Saved)
		}
	}
	m[workload.WorkspaceTerm] += bytesOf(r.batch) + unit.Bytes(int64(len(r.part))*j.work.Precision.Activations.Bytes())
	return m
}

func bytesOf(of []float32) unit.Bytes { return 4 * unit.Bytes(len(of)) }
