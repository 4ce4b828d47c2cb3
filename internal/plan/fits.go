package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/scenario"
	"railyard/internal/workload"
)

// crowdedGPUs lists the findings about large models that do not fit their GPUs: the largest terms, and near plans that do.
func (p *Plan) crowdedGPUs() (all []scenario.Finding) {
	room := p.Scenario.Cluster.Host.Memory
	for i := range p.Jobs {
		j := &p.Jobs[i]
		rank, m := j.fullest()
		if j.shape == nil || m.All() <= room {
			continue
		}
		text := fmt.Sprintf("rank %d would hold %s, its GPU has %s: %s", rank, m.All().Human(), room.Human(), largest(&m))
		if fit := p.fitting(i); len(fit) > 0 {
			text += "; these plans fit: " + strings.Join(fit, "; ")
		} else {
			text += "; no plan near it fits"
		}
		all = append(all, scenario.Finding{Severity: scenario.Warning, Path: j.Spec.Path() + ".model", Message: text})
	}
	return all
}

// fullest is the rank that holds most, and what it holds.
func (j *Job) fullest() (rank int, most workload.Memory) {
	if j.Work == nil || j.Work.Training == nil {
		return 0, most
	}
	for r := range j.Ranks() {
		if m := j.Work.Memory(int32(r)); m.All() > most.All() {
			rank, most = r, m
		}
	}
	return rank, most
}

// largest names the three largest terms.
func largest(m *workload.Memory) string {
	terms := []workload.Term{}
	for t := range workload.Terms {
		terms = append(terms, t)
	}
	slices.SortStableFunc(terms, func(a, b workload.Term) int { return cmp.Compare(m[b], m[a]) })
	var all []string
	for _, t := range terms[:3] {
		all = append(all, fmt.Sprintf("%v %s", t, m[t].Human()))
	}
	return strings.Join(all, ", ")
}

// mostFits is how many plans are named.
const mostFits = 3

// fitting names plans near that of a job whose ranks fit their GPUs: one or two keys differ.
func (p *Plan) fitting(job int) (fit []string) {
	j := &p.Jobs[job]
	x, m, at := &j.Spec.Parallel, j.Spec.Model, j.Spec.Path()
	change := func(key string, value any) scenario.Change {
		return scenario.Change{Path: at + "." + key, Text: fmt.Sprint(value)}
	}
	micro, full := change("parallel.micro_batches", m.Batch/x.DP), change("model.recompute", "full")
	ones := []scenario.Change{}
	add := func(useful bool, c scenario.Change) {
		if useful {
			ones = append(ones, c)
		}
	}
	add(m.Batch/x.DP > x.MicroBatches, micro)
	add(m.Recompute != "full", full)
	for zero := x.Zero + 1; zero <= 3; zero++ {
		add(x.DP > 1, change("parallel.zero", zero))
	}
	add(x.TP < p.Scenario.Cluster.Host.GPUs, change("parallel.tp", 2*x.TP))
	add(true, change("parallel.pp", 2*x.PP))
	tries := [][]scenario.Change{}
	for _, c := range ones {
		tries = append(tries, []scenario.Change{c})
	}
	for i, a := range ones {
		for _, b := range ones[:i] {
			if a.Path != b.Path {
				tries = append(tries, []scenario.Change{b, a})
			}
		}
	}
	for _, changes := range tries {
		if len(fit) < mostFits && p.fitsWith(job, changes) {
			var words []string
			for _, c := range changes {
				words = append(words, strings.TrimPrefix(c.Path, at+".")+": "+c.Text)
			}
			fit = append(fit, strings.Join(words, " with "))
		}
	}
	return fit
}

// fitsWith reports whether a job's ranks fit their GPUs with some keys changed. Nothing is sent for that.
func (p *Plan) fitsWith(job int, changes []scenario.Change) bool {
	sc, err := p.Scenario.With(append(slices.Clone(changes), scenario.Change{Path: "run.network", Text: "formula"})...)
	if err != nil {
		return false
	}
	q, err := New(sc, p.files, nil)
	if err != nil {
		return false
	}
	_, m := q.Jobs[job].fullest()
	return m.All() > 0 && m.All() <= sc.Cluster.Host.Memory
}
