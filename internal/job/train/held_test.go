package train

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/job/workload"
)

// What each rank has been given when some steps are done is what the formula says, term by term.
func TestMemoryIsTheFormulas(t *testing.T) {
	seen := [workload.Terms]bool{}
	rapid.Check(t, func(t *rapid.T) {
		l := anyLayout(t).anyPrecision(t)
		if l.TP = rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "tp"); l.TP > 1 {
			l.PP, l.sizes, l.DP = min(l.PP, 2), shared, min(l.DP, 2)
		}
		if l.DP < 2 {
			l.Zero = workload.ZeroNone
		}
		l.TPStyle = rapid.SampledFrom([]workload.TensorStyle{workload.Megatron, workload.BookStyle}).Draw(t, "style")
		l.steps = 2
		cfg := l.config(t)
		j := train(t, cfg, anyNet(t), nil)
		for id := range cfg.Work.Of {
			want, got := cfg.Work.Memory(int32(id)), j.Memory(int32(id))
			for term := range workload.Terms {
				if got[term] != want[term] {
					t.Fatalf("%+v: rank %d holds %d bytes of %s, by formula %d", l, id, got[term], term, want[term])
				}
				seen[term] = seen[term] || got[term] > 0
			}
		}
	})
	for term, there := range seen {
		switch workload.Term(term) {
		case workload.ExpertTerm, workload.StagingExpert: // TestMemoryOfSpreadExpertsIsTheFormulas
		case workload.Other, workload.ReservedTerm: // of jobs that train nothing, and of models that are never allocated
			if there {
				t.Errorf("a training had %s", workload.Term(term))
			}
		default:
			if !there {
				t.Errorf("no layout had %s", workload.Term(term))
			}
		}
	}
}
