package train

import (
	"math"

	"railyard/internal/job/workload"
)

// Drifts reports whether the job updates parameters within a step, which one rank does not.
func (j *Job) Drifts() bool { return j.work.Layout.Update == workload.UpdateEach }

// Drift returns how far the weights of a job that has ended all its steps are from those that one
// rank has then: |w - w1| / |w1|, Euclidean norms over all weights w of the job and w1 of one rank,
// which takes the same global batches from the same beginning (OneRank). So it computes the training
// once more, on one core. goOn is asked before each step, with how many are done. Not ok: it said no, or
// weights are no numbers.
func (j *Job) Drift(goOn func(done int64) bool) (drift float64, ok bool) {
	one := oneRank(&j.cfg, &j.plan, goOn)
	if one == nil {
		return 0, false
	}
	var apart, norm float64
	for i, w := range j.Gathered(0) {
		w1 := float64(one.Weights[0][i])
		apart += (float64(w) - w1) * (float64(w) - w1)
		norm += w1 * w1
	}
	drift = math.Sqrt(apart / norm)
	return drift, !math.IsNaN(drift) && !math.IsInf(drift, 0)
}
