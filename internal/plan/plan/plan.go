package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/job/coll"
	"railyard/internal/job/decoder"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
	"railyard/internal/net/balance"
	"railyard/internal/net/cc"
	"railyard/internal/net/hash"
	"railyard/internal/net/topo"
	"railyard/internal/plan/faults"
	"railyard/internal/plan/network"
	"railyard/internal/plan/pcie"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
	"railyard/internal/plan/transport"
)

// Plan is what a run is built from.
type Plan struct {
	Scenario *scenario.Scenario
	Files    Files // of which it was made
	Graph    *topo.Graph
	Routes   *topo.Routes
	Switches *switches.Set
	Jobs     []Job  // as the scenario lists them
	Pairs    []Pair // queue pairs in order of number: those of each job, background, then those of start phases alone
	Steady   int    // how many of Pairs are not of start phases alone
	PCIe     pcie.Hosts
	Faults   *faults.Set
	Tables   balance.Tables  // of methods and next hops, from each change of routes on
	Finder   *balance.Finder // of paths by the hash, before routes change

	progress   Progress
	names      *topo.Names
	ncclHost   NCCLHost    // of the hosts' graph
	receive    *Receive    // nil: NICs have room without end
	captured   []bool      // by port; nil: none
	controller *controller // of paths that are pinned
}

// Job is what one job of the scenario does. Its ranks are numbered from 0, whatever other jobs
// there are.
type Job struct {
	Spec *scenario.Job
	Done int64 // steps of a training that an earlier run has done; the estimate counts the others

	// Nil where the job sends flows; Model also where it replays a training or runs collectives, and Schedule
	// where it runs collectives:
	Model     *nn.Model
	Network   *nn.Spec     // of which it is
	Optimiser nn.Optimiser // of its model; the total of a schedule is that of the run
	Placement coll.Placement
	Rings     [][]int32     // rank order of each channel; nil with one rank, or where a file holds the schedule
	Schedule  coll.Schedule // of all ranks; nil with one rank, or where ranks hold parts of the model
	Work      *workload.Job // what the ranks do
	Links     []RankLink
	Rows      []Row         // of the job's collectives
	Saving    unit.Duration // of a checkpoint

	index    int32              // in Plan.Jobs
	spares   []int32            // hosts that stand by, in the order in which they take the places of others
	pairs    int32              // how many queue pairs it has
	linkOf   map[exec.Way]int32 // index in Links
	Shape    *decoder.Shape     // of a large model
	Measured *workload.Measured // operators of its model.times; nil: none
	Whole    *coll.Placement    // of all ranks, where those of Placement stand for the others; nil: they do not
}

// LinkOf returns the connection of two ranks of a group on a channel.
func (j *Job) LinkOf(group, src, dst int32, channel int) *RankLink {
	return &j.Links[j.linkOf[exec.Way{Src: src, Dst: dst, Group: group, Channel: int32(channel)}]]
}

// Ranks is how many ranks the job has, 0 where it sends flows.
func (j *Job) Ranks() int { return len(j.Placement.Ranks) }

// Replicas is how many ranks, or groups of them, hold a whole model; 0 without one.
func (j *Job) Replicas() int { return j.Spec.Parallel.DP }

// split reports whether ranks hold parts of the model.
func (j *Job) split() bool {
	return (j.Model != nil || j.Shape != nil) && (j.Spec.Parallel.Ranks() > j.Replicas() || j.Spec.Parallel.EP > 1)
}

// params is how many parameters the job's model has.
func (j *Job) params() int {
	if j.Shape != nil {
		c := j.Shape.Count()
		return int(c.Total())
	}
	return j.Model.Params()
}

// Pair is a queue pair: a direction between two NICs.
type Pair struct {
	Name           string
	Kind           string // result.KindCollective, KindJob, KindBackground
	Job            int32  // index in Plan.Jobs; -1: background
	From, To       topo.NICID
	FromGPU, ToGPU int32
	Key            hash.Flow
	Class          uint8
	Path, Back     []topo.PortID
	Flow           *scenario.Flow // explicit; nil for ranks
	Start          unit.Time      // of the flow: when its first message is posted
	Stream         uint64         // of random numbers: the same whatever else runs
	Lane, Lanes    int32          // which of its connection's queue pairs it is, and of how many: from 0, at least 1
}

// Enabled reports whether anything uses the queue pair: ranks, or a flow that is not switched off.
func (q *Pair) Enabled() bool { return q.Flow == nil || q.Flow.Enabled }

// SameRank reports whether one rank of a job sends by both queue pairs.
func (q *Pair) SameRank(o *Pair) bool {
	return q.Flow == nil && o.Flow == nil && q.Job >= 0 && q.Job == o.Job && q.From == o.From && q.FromGPU == o.FromGPU
}

// CrossRail reports whether a queue pair of ranks goes to another rail over more than one switch, though a GPU of the sender's host has
// a NIC at the switch of the receiver's: NVLink to that GPU, and its rail, would do (NCCL's PXN).
func (q *Pair) CrossRail(g *topo.Graph) bool {
	from, to := &g.NICs[q.From], &g.NICs[q.To]
	if q.Flow != nil || q.Job < 0 || from.Rail == to.Rail || len(q.Path) <= 2 {
		return false
	}
	return slices.ContainsFunc(g.Hosts[from.Host].NICs, func(n topo.NICID) bool {
		nic := &g.NICs[n]
		return nic.Rail == to.Rail && nic.GPU >= 0 && g.Edge(n) == g.Edge(q.To)
	})
}

// Sends reports whether an explicit flow uses the queue pair.
func (q *Pair) Sends() bool { return q.Flow != nil && q.Flow.Enabled }

// RankLink joins two ranks on a channel.
type RankLink struct {
	exec.Way
	Pair  int32 // the first of its queue pairs, which follow each other; -1: NVLink
	Lanes int32 // how many there are, 0: NVLink
}

// Pairs lists the queue pairs of a connection; none: NVLink.
func (l *RankLink) Pairs() (all []int32) {
	for k := range l.Lanes {
		all = append(all, l.Pair+k)
	}
	return all
}

// New derives everything a run needs from a scenario and the files that it names. progress may be
// nil.
func New(sc *scenario.Scenario, files Files, progress Progress) (*Plan, error) {
	if progress == nil {
		progress = func(int, int) error { return nil }
	}
	p := &Plan{Scenario: sc, Files: files, progress: progress}
	g, err := network.Graph(sc, files.Topology)
	if err != nil {
		return nil, err
	}
	if err := network.Model(sc, g); err != nil {
		return nil, err
	}
	p.Graph, p.names = g, g.Names()
	p.Routes = network.Routes(sc, g, nil)
	tunnel := func() error { return network.CheckTunnel(sc, g) }
	if err := together(tunnel, p.setSwitches, p.setPCIe, p.planReceive, p.setFaults, p.capturedPorts); err != nil {
		return nil, err
	}
	if err := p.configure(); err != nil {
		return nil, err
	}
	p.planRouting()
	background := func() error { return addListed(p, sc.Background.Flows, nil, sc.Background.FlowPath) }
	if err := together(p.planJobs, background); err != nil {
		return nil, err
	}
	p.Steady = len(p.Pairs)
	p.controller.repin()
	if err := p.planStart(); err != nil {
		return nil, err
	}
	if err := p.planCapture(); err != nil {
		return nil, err
	}
	if err := transport.Controller(p.Scenario).Validate(); err != nil {
		return nil, fmt.Errorf("congestion: %w", err)
	}
	p.progress = nil // a plan is a value
	return p, nil
}

// WithJobs returns the plan of a scenario on the network of this one: all but the jobs of both is the same, and the other's
// send no packets (run.network: formula).
func (p *Plan) WithJobs(sc *scenario.Scenario) (*Plan, error) {
	q := *p
	q.Scenario, q.Jobs, q.Pairs, q.Steady = sc, nil, nil, 0
	q.progress = func(int, int) error { return nil }
	err := q.planJobs()
	q.progress = nil
	return &q, err
}

// together takes steps none of which needs another, and returns all that they find wrong with the scenario.
func together(steps ...func() error) error {
	return gather(len(steps), func(i int) error { return steps[i]() })
}

// gather is together of n steps. More than are shown are not looked for.
func gather(n int, step func(i int) error) error {
	var all located.Problems
	for i := 0; i < n && !all.Full(); i++ {
		err := step(i)
		var more located.Problems
		var field *FieldError // with what is wrong in the file that it names
		if err != nil && (errors.As(err, &field) || !errors.As(err, &more)) {
			return err
		}
		all = append(all, more...)
	}
	return all.Err()
}

// Misnamed returns what names no link, switch, host or GPU of a scenario of which only those are known to be right
// (see scenario.Cabled). What was refused before it names nothing, and is not refused again.
func Misnamed(sc *scenario.Scenario, refused located.Problems) (all located.Problems) {
	p := &Plan{Scenario: sc}
	g, err := network.Graph(sc, nil)
	if err != nil {
		errors.As(err, &all)
		return all
	}
	p.Graph, p.names = g, g.Names()
	errors.As(together(p.faulty().CheckNames, p.capturedPorts), &all)
	return slices.DeleteFunc(all, func(name located.Problem) bool {
		return slices.ContainsFunc(refused, func(r located.Problem) bool { return r.Path == name.Path })
	})
}

// planJobs plans one job after another. None needs to know of another but that their ranks must
// not share a GPU.
func (p *Plan) planJobs() error {
	sc := p.Scenario
	p.Jobs = make([]Job, len(sc.Jobs))
	for i := range sc.Jobs {
		j := &p.Jobs[i]
		j.Spec, j.index = &sc.Jobs[i], int32(i)
		if sc.RankCount(j.Spec) > 0 {
			j.Placement = placement(sc, j.Spec)
			for r := range j.Placement.Ranks {
				at := &j.Placement.Ranks[r]
				at.Order = p.PCIe.OrderOf(at.GPU)
			}
			for _, h := range sc.Spares(j.Spec) {
				j.spares = append(j.spares, int32(h))
			}
		}
	}
	if err := p.checkGPUs(); err != nil {
		return err
	}
	return gather(len(p.Jobs), func(i int) error { return p.planJob(&p.Jobs[i]) })
}

// slow returns the ranks of a job whose device takes longer than the others, or less.
func (p *Plan) slow(j *Job) map[int32]unit.Ratio {
	slow := map[int32]unit.Ratio{}
	for _, s := range p.Scenario.Cluster.Slow {
		if p.Scenario.SlowJob(&s) == j.Spec {
			slow[int32(s.Rank)] = s.Factor
		}
	}
	return slow
}

// device translates the scenario's GPU, as a job uses it.
func (p *Plan) device(j *Job) workload.Device {
	h := p.Scenario.Cluster.Host
	flops, _ := p.Peak(j)
	var curve *workload.Curve
	if m := j.Spec.Model; m != nil && m.Kernels != "plain" {
		curve = curves[h.Preset]
	}
	return workload.Device{
		Curve:           curve,
		FLOPS:           flops,
		MemoryBandwidth: h.MemoryBandwidth,
		Launch:          h.Launch,
		MatmulEff:       h.MatmulEfficiency,
		MemoryEff:       h.MemoryEfficiency,
	}
}

// KernelLaunch is what a kernel of a training takes to start, and the name that the scenario has for that time, empty
// where it has none; 0 of a job that starts none.
func (p *Plan) KernelLaunch(j *Job) (unit.Duration, string) {
	if j.Spec.Train == nil {
		return 0, ""
	}
	t := p.Scenario.Cluster.Host.Launch
	return t, scenario.LaunchName(t)
}

// Peak is what a GPU computes at most in a second of matrix products, dense, and in which number format.
func (p *Plan) Peak(j *Job) (flops int64, precision string) {
	h := p.Scenario.Cluster.Host
	if t := j.Spec.Train; t != nil {
		switch t.Precision {
		case "fp32-strict":
			return int64(h.FLOPSFP32), "float32"
		case scenario.BF16:
			return int64(h.FLOPSBF16), "bf16"
		}
	}
	if m := j.Spec.Model; m != nil {
		switch m.Precision {
		case scenario.BF16:
			return int64(h.FLOPSBF16), "bf16"
		case "fp8":
			return int64(h.FLOPSFP8), "FP8"
		}
	}
	return int64(h.FLOPS), "TF32"
}

// addPair numbers a queue pair and finds its paths: data by the hash of its 5-tuple,
// acknowledgements by that of theirs. Those of a job are numbered among themselves, so that their
// paths do not depend on what else runs.
func (p *Plan) addPair(q Pair) error {
	n := len(p.Pairs)
	q.Stream = uint64(n)
	if q.Job >= 0 {
		j := &p.Jobs[q.Job]
		n = int(j.pairs)
		j.pairs++
		q.Stream = uint64(n) ^ nameLabel(j.Spec.Name) ^ nameLabel(soleJob)
	}
	if q.From == q.To {
		return fmt.Errorf("flow %s: from %s to itself: want two NICs", q.Name, p.Graph.NICName(q.From))
	}
	q.Key = Headers(q.From, q.To, n)
	var err error
	if q.Path != nil {
		return p.addRouted(q)
	}
	by := p.Hash()
	if q.Path, err = p.path(q.Job, false, by, q.Key, q.From, q.To); err != nil {
		return fmt.Errorf("%s: %w", q.Name, err)
	}
	if q.Back == nil {
		if q.Back, err = p.path(q.Job, true, by, q.Key.Reverse(), q.To, q.From); err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
	}
	return p.addRouted(q)
}

// soleJob is the name of a job that is the only one and has no other name.
const soleJob = "job"

// nameLabel keeps the random streams of jobs apart: 64-bit FNV-1a of a name.
func nameLabel(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return h
}

// addRouted adds a queue pair whose paths are known.
func (p *Plan) addRouted(q Pair) error {
	for _, path := range [][]topo.PortID{q.Path, q.Back} {
		if len(path) > fabric.MaxHops {
			return fmt.Errorf("%s: %d links on its path %s, want at most %d", q.Name, len(path), p.PathText(path),
				fabric.MaxHops)
		}
	}
	if hops := len(q.Path) - 1; transport.Telemetry(p.Scenario) && hops > cc.MaxHops {
		return fmt.Errorf("%s: %d switches on its path %s, and hpcc keeps the telemetry of at most %d", q.Name, hops,
			p.PathText(q.Path), cc.MaxHops)
	}
	p.Pairs = append(p.Pairs, q)
	return p.progress(len(p.Pairs), 0)
}

// PathText names the nodes of a path: host1>rail1>host2.
func (p *Plan) PathText(path []topo.PortID) string {
	t := p.Graph.Nodes[p.Graph.Ports[path[0]].Node].Name
	for _, port := range path {
		t += ">" + p.Graph.Nodes[p.Graph.Ports[port].To].Name
		// The first of parallel links has no number, as in a scenario's path.
		if _, k, parallel := strings.Cut(p.Graph.Ports[port].Name, "#"); parallel && k != "1" {
			t += "#" + k
		}
	}
	return t
}
