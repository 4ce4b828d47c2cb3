package run

import (
	"context"
	"errors"
	"fmt"

	"railyard/internal/dataset"
	"railyard/internal/machine"
	"railyard/internal/plan"
	"railyard/internal/result"
	"railyard/internal/scenario"
	"railyard/internal/unit"
)

// Inspect plans a run without starting it. What would keep it from starting is a finding of
// severity error; an error is returned where the scenario cannot be planned at all.
func Inspect(sc *scenario.Scenario) (*plan.Inspection, error) {
	p, err := NewPlan(sc)
	if err != nil {
		return nil, err
	}
	sizes := make([]dataset.Size, len(sc.Jobs))
	var found []scenario.Finding
	for i := range sc.Jobs {
		var more []scenario.Finding
		sizes[i], more = inspectData(sc, &sc.Jobs[i])
		found = append(found, more...)
	}
	return p.Inspect(sizes, found, machine.Memory()), nil
}

// inspectData finds how many images a training has, and what is to say about them. It reads those
// that are there, and draws none.
func inspectData(sc *scenario.Scenario, j *scenario.Job) (size dataset.Size, found []scenario.Finding) {
	t, ctx := j.Train, context.Background()
	if t == nil {
		return size, nil
	}
	size, there, err := measureData(ctx, j)
	if err == nil {
		err = fitsBatch(j, size.Train)
	}
	switch d := t.Data.Digits; {
	case err == nil && there:
		_, err = loadData(ctx, j, &Images{}, func(result.Progress) {})
	case err == nil:
		images := unit.Count(int64(d.Train + d.Test))
		found = append(found, scenario.Finding{
			Severity: scenario.Warning,
			Path:     j.Path() + ".train.data.digits.dir",
			Message:  fmt.Sprintf("%s: not there yet, the run draws %s images first", d.Dir, images),
		})
	}
	var field *plan.FieldError
	if errors.As(err, &field) {
		found = append(found, scenario.Finding{Severity: scenario.Error, Path: field.Path, Message: field.Err.Error()})
	}
	return size, found
}
