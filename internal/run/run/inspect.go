package run

import (
	"context"
	"errors"
	"fmt"

	"railyard/internal/base/located"
	"railyard/internal/base/machine"
	"railyard/internal/base/unit"
	"railyard/internal/learn/corpus"
	"railyard/internal/learn/dataset"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Inspect plans a run without starting it. What would keep it from starting is a finding of
// severity error; an error is returned where the scenario cannot be planned at all.
func Inspect(sc *scenario.Scenario) (*foresight.Inspection, error) {
	p, err := NewPlan(sc)
	if err != nil {
		return nil, err
	}
	sizes := make([]dataset.Size, len(sc.Jobs))
	var found []scenario.Finding
	shared := &Sources{}
	for i := range sc.Jobs {
		var more []scenario.Finding
		if sizes[i], more, err = inspectData(&p.Jobs[i], shared); err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return foresight.Inspect(p, sizes, found, machine.Memory()), nil
}

// inspectData finds how much a training learns from, and what is to say about it. It reads what is
// there, and draws no image. An error is located in a file that the scenario names.
func inspectData(p *plan.Job, shared *Sources) (size dataset.Size, found []scenario.Finding, err error) {
	j, ctx := p.Spec, context.Background()
	if j.Train == nil {
		return size, nil, nil
	}
	size, there, err := shared.measure(ctx, j)
	if err == nil {
		err = fitsBatch(j, size.Train)
	}
	warn := func(format string, args ...any) {
		found = append(found, scenario.Finding{Severity: scenario.Warning, Path: dataKey(j), Message: fmt.Sprintf(format, args...)})
	}
	switch d, _ := j.Train.Data.Drawn(); {
	case err == nil && there:
		var src *source
		if src, err = loadData(ctx, j, p.Model, shared, func(result.Progress) {}); err == nil && src.text != nil {
			inspectText(src.text, warn)
		}
	case err == nil:
		err = fitsPixels(j, p.Model, size)
		warn("%s: not there yet, the run draws %s images first", d.Dir, unit.Count(int64(d.Train+d.Test)))
	}
	var lines located.Problems
	if errors.As(err, &lines) {
		return size, nil, lines
	}
	var field *plan.FieldError
	if errors.As(err, &field) {
		found = append(found, scenario.Finding{Severity: scenario.Error, Path: field.Path, Message: field.Err.Error()})
	}
	return size, found, nil
}

// inspectText warns of text much of which the network cannot see.
func inspectText(k *corpus.Corpus, warn func(format string, args ...any)) {
	const many = 10 // of a hundred tokens
	if unknown, all := k.Train.Unknown(), k.Train.Tokens(); unknown*100 > many*all {
		warn("%s of %s training tokens are unknown, %s different ones: want a larger vocabulary, or a smaller min_count",
			unit.Count(int64(unknown)), unit.Count(int64(all)), unit.Count(int64(k.Left)))
	}
}
