package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/dataset"
	"railyard/internal/fabric"
	"railyard/internal/qos"
	"railyard/internal/result"
	"railyard/internal/scenario"
	"railyard/internal/sim"
	"railyard/internal/topo"
	"railyard/internal/unit"
)

// Speed of a run on one core of a 2 GHz server processor, from which its wall time is estimated: packet-hops as in examples/incast.yaml,
// real arithmetic as in examples/digits-8gpu.yaml. Other machines and other scenarios differ by a factor of three either way.
const (
	HopsPerSecond = 4_000_000
	FLOPPerSecond = 9_000_000_000
)

// Inspection is what there is to know about a run before it starts.
type Inspection struct {
	Plan       *Plan
	Findings   []scenario.Finding // errors first
	Data       dataset.Size       // of a training
	Estimate   Estimate
	FLOP       int64 // of real arithmetic
	Seconds    float64
	Thresholds []qos.Row
	Mistakes   []qos.Mistake
}

// Inspect plans a run without starting it. What would keep it from starting is a finding of severity error; an error is returned
// where the scenario cannot be planned at all.
func Inspect(sc *scenario.Scenario) (*Inspection, error) {
	p, err := NewPlan(sc)
	if err != nil {
		return nil, err
	}
	in := &Inspection{Plan: p}
	in.data(sc)
	in.Estimate = p.Estimate(in.Data)
	in.FLOP = add(mul(in.Estimate.Steps, p.stepFLOP()), p.testFLOP(in.Data.Test))
	in.Seconds = float64(in.Estimate.PacketHops)/HopsPerSecond + float64(in.FLOP)/FLOPPerSecond
	if err := in.Estimate.overLimit(); err != nil {
		in.add(scenario.Error, "", err.Error())
	}
	if err := in.thresholds(); err != nil {
		in.add(scenario.Error, "fabric.switch.buffer", strings.TrimPrefix(err.Error(), "fabric: "))
	}
	in.Findings = append(in.Findings, warnings(in.Mistakes, sc.Findings())...)
	slices.SortStableFunc(in.Findings, func(a, b scenario.Finding) int { return cmp.Compare(rank(a), rank(b)) })
	return in, nil
}

func rank(f scenario.Finding) int {
	if f.Severity == scenario.Error {
		return 0
	}
	return 1
}

// Errors returns the number of findings that keep the run from starting.
func (in *Inspection) Errors() int {
	n := 0
	for _, f := range in.Findings {
		if f.Severity == scenario.Error {
			n++
		}
	}
	return n
}

func (in *Inspection) add(s scenario.Severity, path, message string) {
	in.Findings = append(in.Findings, scenario.Finding{Severity: s, Path: path, Message: message})
}

// data finds how many images there are, without drawing any.
func (in *Inspection) data(sc *scenario.Scenario) {
	t := sc.Job.Train
	if t == nil {
		return
	}
	ctx := context.Background()
	size, there, err := measureData(ctx, sc)
	if err == nil {
		in.Data = size
		err = fitsBatch(sc, size.Train)
	}
	switch d := t.Data.Digits; {
	case err == nil && there:
		_, err = loadData(ctx, sc, nil, func(result.Progress) {})
	case err == nil:
		in.add(scenario.Warning, "job.train.data.digits.dir", fmt.Sprintf("%s: not there yet, the run draws %s images first", d.Dir, unit.Count(int64(d.Train+d.Test))))
	}
	var field *FieldError
	if errors.As(err, &field) {
		in.add(scenario.Error, field.Path, field.Err.Error())
	}
}

// stepFLOP returns the floating-point operations of one step on all ranks: per layer a product forward and two backward, of which the
// first layer needs one.
func (p *Plan) stepFLOP() int64 {
	t := p.Scenario.Job.Train
	if t == nil {
		return 0
	}
	sum := int64(0)
	for l := 1; l < len(t.Layers); l++ {
		products := int64(3)
		if l == 1 {
			products = 2
		}
		sum = add(sum, mul(mul(2*products, int64(t.Layers[l-1])), int64(t.Layers[l])))
	}
	return mul(mul(sum, int64(t.Batch)), int64(len(p.Placement.Ranks)))
}

// testFLOP returns the floating-point operations of classifying so many images once, at the end.
func (p *Plan) testFLOP(images int) int64 {
	if p.Model == nil {
		return 0
	}
	return mul(2*int64(p.Model.Params()), int64(images))
}

// thresholds works them out, and whether a fabric can be built with them.
func (in *Inspection) thresholds() error {
	p := in.Plan
	_, err := fabric.New(sim.New([]int{len(p.Graph.Ports)}, 0), p.Graph, p.fabricConfig(), make([]int32, len(p.Graph.Nodes)))
	if err == nil {
		in.Thresholds, in.Mistakes, err = p.Thresholds()
	}
	return err
}

// PathText names the nodes of a path: host1>rail1>host2.
func (p *Plan) PathText(path []topo.PortID) string { return p.pathText(path) }
