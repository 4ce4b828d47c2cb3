package foresight

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/reuse"
	"railyard/internal/job/workload"
	"railyard/internal/plan/images"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Reuse is how little of a run is simulated if each of its steps does what the one before did, and so do layers and
// micro-batches or buckets that are alike, and parts of the network that look alike: see packages reuse and images.
type Reuse struct {
	Steps      int64   `json:"steps"`  // of which something is simulated at least
	Unlike     float64 `json:"unlike"` // of a step that is told in parts: the share that no part before it is like; 1: none is told so
	Images     int     `json:"images"` // parts of the network that look as another one
	Imaged     float64 `json:"imaged"` // their share of the packet-hops
	PacketHops int64   `json:"packet_hops"`
	Seconds    float64 `json:"wall_seconds"` // that these take, as Estimate.Seconds
}

// LeastSteps is how many steps a job takes at least of which some may be told again whole.
const LeastSteps = 4

// NeverReused says why nothing of a run is ever reused, "" where it may be. What is told of each packet or each
// instant is for the run to say.
func NeverReused(p *plan.Plan) string {
	sc := p.Scenario
	switch {
	case len(p.Jobs) != 1:
		return "several jobs share the network"
	case p.Jobs[0].Spec.Train != nil:
		return reuse.Real
	case p.Jobs[0].Work == nil:
		return reuse.Flows
	case slices.ContainsFunc(p.Pairs, func(q plan.Pair) bool { return q.Sends() }):
		return "background flows share the network"
	case p.ByFormula():
		return "no packets are simulated"
	case sc.Fabric.AsScheduled():
		return reuse.InOrder
	case p.Jobs[0].Spec.Collective.Admission.Slots.Set:
		return reuse.Slots
	case slices.ContainsFunc(sc.Faults, func(f scenario.Fault) bool { return f.Random() && !f.For.Set }):
		return reuse.Chance
	case p.Jobs[0].Spec.Survival.Saves() || p.Jobs[0].Spec.Survival.Restart.Set:
		return "the job lives through aborts"
	case sc.Transport.Setup:
		return "connections are made (transport.setup)"
	case sc.Congestion.Algorithm == scenario.ByHPCC:
		return reuse.Telemetry
	case sc.Congestion.CNPInterval > reuse.LongAgo:
		return fmt.Sprintf("congestion.cnp_interval is over %v", reuse.LongAgo)
	}
	return ""
}

// Periods says of a job that may be reused that its periods are so many steps, or a multiple, and how many steps before the last
// one know that it comes.
func Periods(j *plan.Job) (every, spare int64) {
	every = max(1, PathsEvery(j))
	for i := range j.Work.Programs {
		if slices.ContainsFunc(j.Work.Programs[i].Ops, func(op workload.Op) bool { return op.Kind == workload.Copy }) {
			spare = 1
		}
	}
	return every, spare
}

// FromOneStep reports whether all steps of a job may be told from its first, the last too: critical paths are found of all of them or
// of the first alone, and none knows that the last one comes.
func FromOneStep(j *plan.Job, steps int64) bool {
	every, spare := Periods(j)
	return (every == 1 || every >= steps) && spare == 0
}

// mayBeReused reports whether anything of a run may be.
func mayBeReused(p *plan.Plan) bool {
	out := &p.Scenario.Output
	return p.Scenario.Run.Reuse == scenario.ReuseAuto && NeverReused(p) == "" && !out.Events && !out.Series && !out.Telemetry.Set &&
		!p.Scenario.Capture.On()
}

// What is recorded of periods that may be told again.
const (
	mostRecorded   = 640 * unit.Megabyte // a step of Llama 3 8B on 64 GPUs takes 475 MB
	oftenSimulated = 3                   // so many times the least is simulated of parts of steps, as measured: each step begins anew
	recordedFlow   = 700                 // bytes of a message over the network,
	recordedHop    = 2                   // of a packet-hop,
	recordedOp     = 250                 // and of an operation of a rank
)

// MostRecorded is how much what is recorded of a run takes at most, where so much memory is forecast: as much again, or more.
func MostRecorded(memory unit.Bytes) unit.Bytes { return max(mostRecorded, memory) }

// recordedMemory is how much it takes, beside so much memory. Where nothing comes again recording soon ends.
func (e *Estimate) recordedMemory(p *plan.Plan, memory unit.Bytes) unit.Bytes {
	if !mayBeReused(p) {
		return 0
	}
	j, ops := &p.Jobs[0], int64(0)
	for _, program := range j.Work.Of {
		ops = add(ops, mul(e.Steps, int64(len(j.Work.Programs[program].Ops))))
	}
	of := e.likely()
	sum := of * float64(add(mul(e.NICMessages, recordedFlow), mul(e.PacketHops, recordedHop)))
	if e.Reuse != nil { // ranks of images run all the same
		of = min(1, of/(1-e.Reuse.Imaged))
	}
	return min(unit.Bytes(sum+of*float64(mul(ops, recordedOp))), MostRecorded(memory))
}

// likely is the part of a run that is simulated if its periods come again.
func (e *Estimate) likely() float64 {
	if e.Reuse == nil || e.PacketHops == 0 {
		return 1
	}
	of := float64(e.Reuse.PacketHops) / float64(e.PacketHops)
	if e.Reuse.Unlike < 1 {
		of *= oftenSimulated
	}
	return min(1, of)
}

// simulated is the part of which messages are surely simulated. Queue pairs that wait for each other and are controlled may not have
// recovered when they would have to be as before; but what looks like another part of the network does so all the time.
func (e *Estimate) simulated(p *plan.Plan) float64 {
	switch {
	case e.Reuse == nil:
		return 1
	case p.Scenario.Congestion.Algorithm != scenario.Uncontrolled && e.QueuedPackets > 0:
		return 1 - e.Reuse.Imaged
	}
	return e.likely()
}

// Images returns the parts of a network of which nothing is simulated, none of them of those that are unlike.
func Images(p *plan.Plan, fc *fabric.Config, unlike []images.Unlike) []images.Image {
	if !mayBeReused(p) {
		return nil
	}
	return images.Find(p, fc, unlike)
}

// looks are the images in a network, by queue pair, with the packet-hops that they stand for.
type looks struct {
	n    int
	of   []bool
	hops int64
}

// add adds the packet-hops of a connection, by the first of its queue pairs: all are in one part of the network.
func (x *looks) add(pair int32, hops int64) {
	if x.of[pair] {
		x.hops = add(x.hops, hops)
	}
}

// newLooks finds the images of a run.
func newLooks(p *plan.Plan) (x looks) {
	x.of = make([]bool, len(p.Pairs))
	fc := p.FabricConfig()
	for _, image := range Images(p, &fc, nil) {
		x.n++
		for _, pair := range image.Pairs {
			x.of[pair] = true
		}
	}
	return x
}

// reused is what is simulated at least of a run of so many steps and packet-hops, nil where nothing can be reused: the first step, if
// all others may be told from it; else two periods, of which the second is recorded, what is left behind the last one that is told,
// and the last step. Of parts that are alike two are, of images nothing.
func reused(p *plan.Plan, steps, hops int64, x *looks) *Reuse {
	if !mayBeReused(p) {
		return nil
	}
	j := &p.Jobs[0]
	u := Reuse{Steps: steps, Unlike: 1, Images: x.n}
	if x.n > 0 && hops > 0 {
		u.Imaged = float64(x.hops) / float64(hops)
	}
	if j.Spec.Parallel.PP <= 1 { // of stages some network is seldom at rest
		u.Unlike = j.Work.Unlike()
	}
	every, spare := Periods(j)
	of := float64(steps) * u.Unlike // steps
	if FromOneStep(j, steps) {
		u.Steps, of = 1, u.Unlike
	} else if told := (steps - 1 - spare - 2*every) / every * every; steps >= LeastSteps && told > 0 {
		whole := float64(every) // the second period
		if least := whole + (float64(steps-told)-whole)*u.Unlike; least <= of {
			u.Steps, of = steps-told, least
		}
	}
	if of == float64(steps) && x.n == 0 {
		return nil
	}
	u.PacketHops = int64(float64(hops-x.hops) / float64(steps) * of)
	return &u // Estimate.On adds how long that takes
}
