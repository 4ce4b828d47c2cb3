package foresight

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// How many operators that a file of measurements lacks, or has for nothing, a finding lists, and a note of a run.
const (
	listedOperators = 200
	notedOperators  = 3
)

// unmeasured lists the findings about files of measured operators: what they lack, and what is of no use.
func unmeasured(p *plan.Plan) (all []scenario.Finding) {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		for _, text := range measuredSays(j, listedOperators) {
			all = append(all, scenario.Finding{Severity: scenario.Warning, Path: j.Spec.Path() + ".model.times", Message: text})
		}
	}
	return all
}

// MeasuredNotes say of a run what its file of measured operators lacks.
func MeasuredNotes(j *plan.Job) (all []string) {
	for _, text := range measuredSays(j, notedOperators) {
		all = append(all, j.Spec.Path()+".model.times: "+text)
	}
	return all
}

// measuredSays what the job's file of measured operators lacks, and has for nothing, at most so many by name.
func measuredSays(j *plan.Job, most int) (all []string) {
	if j.Measured == nil {
		return nil
	}
	missing, unused := j.Measured.Missing(), j.Measured.Unused()
	used, _ := j.Measured.Used()
	file := j.Spec.Model.Times.Value
	if n := len(missing); n > 0 {
		text := fmt.Sprintf("%s lacks %d of a step's %s, which the device model times, the longest first: ", file, n,
			unit.CountOf(int64(n+used), "operator"))
		all = append(all, text+named(missing, most, func(l *workload.Lacking) string {
			return fmt.Sprintf("%v (%s, %v each)", l.Operator, unit.CountOf(l.Kernels, "kernel"), l.Modelled.Human())
		}))
	}
	if n := len(unused); n > 0 {
		text := fmt.Sprintf("%s has times of %s that no step has: ", file, unit.CountOf(int64(n), "operator"))
		all = append(all, text+named(unused, most, func(o *workload.Operator) string { return o.String() }))
	}
	return all
}

func named[T any](all []T, most int, text func(*T) string) string {
	var words []string
	for i := range all[:min(most, len(all))] {
		words = append(words, text(&all[i]))
	}
	if more := len(all) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}
