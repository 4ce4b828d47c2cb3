package foresight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// crowdedGPUs lists the findings about large models that do not fit their GPUs: the largest terms, and near plans that do.
func crowdedGPUs(p *plan.Plan) (all []scenario.Finding) {
	room := p.Scenario.Cluster.Host.Memory
	for i := range p.Jobs {
		j := &p.Jobs[i]
		rank, m := fullest(j)
		if j.Shape == nil || m.All() <= room {
			continue
		}
		text := fmt.Sprintf("rank %d would hold %s, its GPU has %s: %s", rank, m.All().Human(), room.Human(), largest(&m))
		switch fit := fitting(p, i); len(fit) {
		case 0:
			text += "; no plan near it fits"
		case 1:
			text += "; this plan near it fits: " + fit[0]
		default:
			text += "; these plans fit: " + strings.Join(fit, "; ")
		}
		all = append(all, scenario.Finding{Severity: scenario.Warning, Path: j.Spec.Path() + ".model", Message: text})
	}
	return all
}

// fullest is the rank that holds most, and what it holds.
func fullest(j *plan.Job) (rank int, most workload.Memory) {
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

// fitting names plans near that of a job whose ranks fit their GPUs: three steps away at most, none with a step that it does not need.
func fitting(p *plan.Plan, job int) (fit []string) {
	j := &p.Jobs[job]
	x, m, at := &j.Spec.Parallel, j.Spec.Model, j.Spec.Path()
	change := func(key string, value any) scenario.Change {
		return scenario.Change{Path: at + "." + key, Text: fmt.Sprint(value)}
	}
	steps := [][]scenario.Change{} // each of one key, or of two where GPUs are cut otherwise
	add := func(useful bool, changes ...scenario.Change) {
		if useful {
			steps = append(steps, changes)
		}
	}
	add(m.Batch/x.DP > x.MicroBatches, change("parallel.micro_batches", m.Batch/x.DP))
	add(m.Recompute != "full", change("model.recompute", "full"))
	for zero := x.Zero + 1; zero <= 3; zero++ {
		add(x.DP > 1, change("parallel.zero", zero))
	}
	add(x.TP < p.Scenario.Cluster.Host.GPUs, change("parallel.tp", 2*x.TP))
	add(true, change("parallel.pp", 2*x.PP))
	for stages := 2; stages <= 4 && x.DP%stages == 0; stages *= 2 {
		add(true, change("parallel.pp", stages*x.PP), change("parallel.dp", x.DP/stages))
	}
	far := 3 // steps
	if j.Ranks() > manyRanks {
		far = 2
	}
	var fits [][]int // plans that do, by their steps
	var from func(left int, taken []int)
	tried := 0
	try := func(taken []int) {
		var changes []scenario.Change
		for _, s := range taken {
			for _, c := range steps[s] {
				if slices.ContainsFunc(changes, func(d scenario.Change) bool { return c.Path == d.Path }) {
					return
				}
				changes = append(changes, c)
			}
		}
		if tried++; tried > mostTries || !fitsWith(p, job, changes) {
			return
		}
		fits = append(fits, slices.Clone(taken))
		var words []string
		for _, c := range changes {
			words = append(words, strings.TrimPrefix(c.Path, at+".")+": "+c.Text)
		}
		fit = append(fit, strings.Join(words, " with "))
	}
	from = func(left int, taken []int) {
		first := 0
		if len(taken) > 0 {
			first = taken[len(taken)-1] + 1
		}
		for s := first; s < len(steps) && len(fit) < mostFits; s++ {
			next := append(slices.Clone(taken), s)
			if left > 1 {
				from(left-1, next)
			} else if !slices.ContainsFunc(fits, func(f []int) bool { return holds(next, f) }) { // one that fits needs no more
				try(next)
			}
		}
	}
	for n := 1; n <= far && len(fit) < mostFits; n++ {
		from(n, nil)
	}
	return fit
}

// mostTries bounds how many plans are looked at.
const mostTries = 40

// manyRanks is from how many ranks on plans are looked for less far: each is planned anew.
const manyRanks = 1024

// holds reports whether all of b, ascending, are in a.
func holds(a, b []int) bool {
	for _, x := range b {
		if !slices.Contains(a, x) {
			return false
		}
	}
	return true
}

// fitsWith reports whether a job's ranks fit their GPUs with some keys changed. Nothing is sent for that.
func fitsWith(p *plan.Plan, job int, changes []scenario.Change) bool {
	sc, err := p.Scenario.With(append(slices.Clone(changes), scenario.Change{Path: "run.network", Text: "formula"})...)
	if err != nil {
		return false
	}
	q, err := p.WithJobs(sc)
	if err != nil {
		return false
	}
	_, m := fullest(&q.Jobs[job])
	return m.All() > 0 && m.All() <= sc.Cluster.Host.Memory
}
