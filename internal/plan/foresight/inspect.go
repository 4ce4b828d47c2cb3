package foresight

import (
	"cmp"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/learn/dataset"
	"railyard/internal/net/qos"
	"railyard/internal/net/survey"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Inspection is what there is to know about a run before it starts.
type Inspection struct {
	Plan       *plan.Plan
	Findings   []scenario.Finding // errors first
	Data       []dataset.Size     // by job, zero where it trains nothing
	Estimate   Estimate
	Thresholds []qos.Row
	Mistakes   []qos.Mistake
	Survey     *survey.Survey
}

// Inspect says what a run would cost, and what keeps it from starting: a finding of severity error.
// data is the size of each job's images and found what is to say about them; free is the memory that the
// machine has free, 0 if it does not say.
func Inspect(p *plan.Plan, data []dataset.Size, found []scenario.Finding, free unit.Bytes) *Inspection {
	in := &Inspection{Plan: p, Data: data, Findings: found, Estimate: EstimateOf(p, data), Survey: SurveyOf(p)}
	if err := in.Estimate.OverLimit(free); err != nil {
		in.addError("", err.Error())
	}
	if err := in.thresholds(); err != nil {
		in.addError("fabric.switch.buffer", strings.TrimPrefix(err.Error(), "fabric: "))
	}
	findings := slices.Concat(p.Scenario.Findings(), p.Switches.Misclassed(), untrusted(p), crossing(p), crowdedGPUs(p), unmeasured(p),
		polarised(p), idleQPs(p),
		oversubscribed(p), hasty(p), withoutGPUDirect(p), withoutNVLink(p), deadlock(p, in.Survey))
	in.Findings = append(in.Findings, warnings(in.Mistakes, findings)...)
	slices.SortStableFunc(in.Findings, func(a, b scenario.Finding) int { return cmp.Compare(rank(a), rank(b)) })
	return in
}

func rank(f scenario.Finding) int {
	if f.Severity == scenario.Error {
		return 0
	}
	return 1
}

func (in *Inspection) addError(path, message string) {
	in.Findings = append(in.Findings, scenario.Finding{Severity: scenario.Error, Path: path, Message: message})
}

// thresholds works them out, and whether a fabric can be built with them.
func (in *Inspection) thresholds() error {
	cfg := in.Plan.FabricConfig()
	err := cfg.Validate(in.Plan.Graph)
	if err == nil {
		in.Thresholds, in.Mistakes, err = Thresholds(in.Plan)
	}
	return err
}

// warnings adds the mistakes to the findings. Where a finding has the path already, it gets the
// hint.
func warnings(mistakes []qos.Mistake, findings []scenario.Finding) []scenario.Finding {
	for _, m := range mistakes {
		i := slices.IndexFunc(findings, func(f scenario.Finding) bool { return f.Path == m.Path })
		if i < 0 {
			i = len(findings)
			findings = append(findings, scenario.Finding{Severity: scenario.Warning, Path: m.Path, Message: m.Reason})
		}
		findings[i].Hint = m.Advice()
	}
	return findings
}
