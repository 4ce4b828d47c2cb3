package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"railyard/internal/dataset"
	"railyard/internal/fabric"
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
	Images     int                // of the training set
	tests      int                // of the test set
	Estimate   Estimate
	FLOP       int64 // of real arithmetic
	Seconds    float64
	Thresholds []Threshold
}

// Threshold is when the ports of one kind and speed act on RoCE data.
type Threshold struct {
	Kind            topo.Kind
	Rate            unit.Bitrate
	Ports           int // on all switches
	Marks           bool
	ECNMin, ECNMax  unit.Bytes
	Probability     unit.Ratio
	Lossless        bool       // the figures below hold
	Shared          unit.Bytes // part of one switch's buffer
	XOff, XOn       unit.Bytes // of an ingress port, while the buffer is empty
	Headroom        unit.Bytes // of the port
	HeadroomAssumed bool       // no table has this speed: scaled from a slower one
	FirstPause      unit.Bytes // what one sender alone has in the switch when it is paused
	SafeMark        unit.Bytes // with marking from below this, ECN comes before PFC whatever the traffic: fabric.MarkingBound
	SafeStatic      unit.Bytes // the largest fixed xOFF with which the shared part cannot run out: fabric.StaticBound
	Order           Order
	cable           unit.Duration
}

// Order says whether a port marks before its senders are paused, if one sender alone fills it. More senders are paused later.
type Order string

// The orders.
const (
	MarksFirst  Order = "ECN"        // marking has reached its maximum before the first pause
	MarksBegin  Order = "ECN begins" // marking has begun, but not reached its maximum
	PausesFirst Order = "PFC"        // paused before anything is marked
	MarksOnly   Order = "ECN only"   // no PFC
	PausesOnly  Order = "PFC only"   // no ECN, or an algorithm that does not look at it
	Neither     Order = "neither"    // nor PFC
)

// Inspect plans a run without starting it. What would keep it from starting is a finding of severity error; an error is returned
// where the scenario cannot be planned at all.
func Inspect(sc *scenario.Scenario) (*Inspection, error) {
	p, err := NewPlan(sc)
	if err != nil {
		return nil, err
	}
	in := &Inspection{Plan: p}
	in.data(sc)
	in.Estimate = p.Estimate(in.Images)
	in.FLOP = add(mul(in.Estimate.Steps, p.stepFLOP()), p.testFLOP(in.tests))
	in.Seconds = float64(in.Estimate.PacketHops)/HopsPerSecond + float64(in.FLOP)/FLOPPerSecond
	if err := in.Estimate.overLimit(); err != nil {
		in.add(scenario.Error, "", err.Error())
	}
	if err := in.thresholds(); err != nil {
		in.add(scenario.Error, "fabric.switch.buffer", strings.TrimPrefix(err.Error(), "fabric: "))
	}
	in.Findings = append(in.Findings, sc.Findings()...)
	in.xoffBelowMarking()
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

// data finds the number of training images, without drawing any.
func (in *Inspection) data(sc *scenario.Scenario) {
	t := sc.Job.Train
	if t == nil {
		return
	}
	if d := t.Data.Digits; d != nil {
		in.Images, in.tests = d.Train, d.Test
		done, cancel := context.WithCancel(context.Background())
		cancel() // a folder that is there is looked at; nothing is drawn
		_, err := os.Stat(d.Dir)
		if err == nil {
			g := dataset.Digits{Dir: d.Dir, Train: d.Train, Test: d.Test, Seed: d.Seed}
			err = g.Ensure(done, func(int, int) {})
		}
		switch {
		case errors.Is(err, os.ErrNotExist) || errors.Is(err, context.Canceled):
			in.add(scenario.Warning, "job.train.data.digits.dir", fmt.Sprintf("%s: not there yet, the run draws %s images first", d.Dir, result.FormatCount(int64(d.Train+d.Test))))
			return
		case err != nil:
			in.add(scenario.Error, "job.train.data.digits.dir", err.Error())
			return
		}
	}
	set, err := loadData(context.Background(), sc, func(result.Progress) {})
	if err == nil {
		in.Images, in.tests = set.Train.N, set.Test.N
		err = fitsBatch(sc, in.Images)
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

// thresholds fills one row per kind of switch, port speed and cable, in order of the first such port.
func (in *Inspection) thresholds() error {
	p := in.Plan
	cfg := p.fabricConfig()
	fab, err := fabric.New(sim.New([]int{len(p.Graph.Ports)}, 0), p.Graph, cfg, make([]int32, len(p.Graph.Nodes)))
	if err != nil {
		return err
	}
	index := 0
	for _, n := range p.Graph.Nodes {
		if n.Kind == topo.HostKind {
			continue
		}
		_, shared := fab.MaxShared(index)
		index++
		for _, id := range n.Ports {
			port := p.Graph.Ports[id]
			i := slices.IndexFunc(in.Thresholds, func(t Threshold) bool { return t.Kind == n.Kind && t.Rate == port.Rate && t.cable == port.Delay })
			if i < 0 {
				i = len(in.Thresholds)
				in.Thresholds = append(in.Thresholds, p.threshold(n.Kind, id, len(n.Ports), shared))
			}
			in.Thresholds[i].Ports++
		}
	}
	return nil
}

// xoffBelowMarking warns of PFC that pauses even a sender that is alone before marking is complete, on the port where most is
// missing: it takes the place of congestion control (DCQCN, SIGCOMM'15, section 4).
func (in *Inspection) xoffBelowMarking() {
	sc := in.Plan.Scenario
	var worst Threshold
	short := unit.Bytes(0)
	for _, t := range in.Thresholds {
		if s := t.ECNMax - t.XOff - sc.Fabric.Switch.Reserve; (t.Order == MarksBegin || t.Order == PausesFirst) && s > short {
			worst, short = t, s
		}
	}
	if short == 0 {
		return
	}
	path := "fabric.qos.pfc.alpha"
	if sc.Fabric.QoS.PFC.Threshold.Set {
		path = "fabric.qos.pfc.threshold"
	}
	in.add(scenario.Warning, path, fmt.Sprintf("xOFF is %s even when the buffer is empty, below the ECN max of %s on a %s port: PFC can act before ECN",
		worst.XOff, worst.ECNMax, worst.Rate))
}

// threshold is the row of one egress port of a switch of so many ports, and of the ingress beside it.
func (p *Plan) threshold(kind topo.Kind, id topo.PortID, ports int, shared unit.Bytes) Threshold {
	f := p.Scenario.Fabric
	q, port := f.QoS, p.Graph.Ports[id]
	t := Threshold{Kind: kind, Rate: port.Rate, cable: port.Delay, Marks: q.ECN.Enabled, Lossless: q.PFC.Enabled}
	if t.Marks {
		t.ECNMin, t.ECNMax, t.Probability = q.ECN.At(port.Rate)
	}
	algorithm := p.Scenario.Congestion.Algorithm // the others look at delay or telemetry
	reacts := t.Marks && (algorithm == "dcqcn" || algorithm == "dctcp")
	if t.Lossless {
		t.Shared = shared
		in := p.Graph.Ports[p.Graph.Peer(id)] // the egress port at the other end is what fills this ingress
		t.Headroom = p.headroom(in)
		if !q.PFC.Headroom.Set && !q.PFC.HeadroomDelays.Set {
			_, _, t.HeadroomAssumed = fabric.Delays(in.Rate)
		}
		t.XOff, t.FirstPause = q.PFC.Threshold.Value, q.PFC.Threshold.Value
		if !q.PFC.Threshold.Set {
			a := q.PFC.Alpha
			if base := p.alphaRate(); base > 0 {
				for r := 2 * base; r <= in.Rate; r *= 2 {
					a.Num *= 2
				}
			}
			t.XOff = unit.Bytes(a.Of(int64(shared)))
			// One sender: x = alpha (shared - x).
			t.FirstPause = unit.Bytes(unit.Ratio{Num: a.Num, Den: a.Num + a.Den}.Of(int64(shared)))
		}
		t.SafeMark, t.SafeStatic = fabric.MarkingBound(shared, ports, 1, q.PFC.Alpha), fabric.StaticBound(shared, ports, 1)
		t.XOn = max(0, t.XOff-q.PFC.ResumeOffset)
		t.FirstPause += f.Switch.Reserve
	}
	t.Order = t.order(reacts)
	return t
}

func (t *Threshold) order(reacts bool) Order {
	switch {
	case !t.Lossless && !reacts:
		return Neither
	case !t.Lossless:
		return MarksOnly
	case !reacts:
		return PausesOnly
	case t.FirstPause >= t.ECNMax:
		return MarksFirst
	case t.FirstPause > t.ECNMin:
		return MarksBegin
	}
	return PausesFirst
}

// PathText names the nodes of a path: host1>rail1>host2.
func (p *Plan) PathText(path []topo.PortID) string { return p.pathText(path) }
