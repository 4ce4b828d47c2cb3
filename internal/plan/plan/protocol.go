package plan

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/nccl"
	"railyard/internal/job/workload"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/transport"
)

// generations are those of the GPUs that host presets name.
var generations = map[string]nccl.Generation{"hgx-a100": nccl.Ampere, "hgx-h100": nccl.Hopper,
	"hgx-h200": nccl.Hopper, "hgx-b200": nccl.Blackwell}

// NCCLHost is what NCCL finds inside a host where cluster.host.graph says what is there; zero: nothing that holds NICs up.
type NCCLHost struct {
	PCIe unit.Bitrate // what links leave each NIC while all of them move data
	// Peers is what GPUs that no NVLink joins send to the next of a ring while all of them do; 0: NVLink joins all.
	Peers unit.Bitrate
	AMD   bool // the processors are AMD's
}

// NCCLHost is that of the hosts.
func (p *Plan) NCCLHost() NCCLHost { return p.ncclHost }

// NCCLGroup is the ranks of a job as NCCL's model sees them: as many on each host.
func NCCLGroup(sc *scenario.Scenario, j *scenario.Job, in NCCLHost) nccl.Group {
	return groupOf(sc, placement(sc, j), in)
}

func groupOf(sc *scenario.Scenario, at coll.Placement, in NCCLHost) nccl.Group {
	c := &sc.Cluster
	g := nccl.Group{Ranks: len(at.Ranks), Nodes: HostsOf(at), Generation: generations[c.Host.Preset],
		Intra: nccl.NVLink, IntraRate: c.Host.NVLink, NVSwitch: true, NICs: sc.NICsPerHost(), NICRate: c.NIC.Rate(),
		PCIe: in.PCIe, AMD: in.AMD}
	if c.Host.Preset == "cpu" {
		g.Intra, g.NVSwitch = nccl.PCI, false
	}
	if in.Peers > 0 {
		g.Intra, g.NVSwitch, g.IntraRate = nccl.PCI, false, in.Peers
	}
	g.Ranks += (g.Nodes - g.Ranks%g.Nodes) % g.Nodes
	return g
}

// HostsOf is how many hosts have ranks.
func HostsOf(at coll.Placement) int {
	seen := map[int32]bool{}
	for _, r := range at.Ranks {
		seen[r.Host] = true
	}
	return len(seen)
}

// NCCLParams is the constants of NCCL's model, those of cluster.protocols as the scenario has them.
func NCCLParams(sc *scenario.Scenario) nccl.Params {
	p, keys := nccl.Default(), &sc.Cluster.Protocols
	p.NVLinkEfficiency = sc.Cluster.Host.NVLinkEfficiency
	if keys.LL.Line == 0 { // NCCL has no say in the scenario
		return p
	}
	for proto, k := range map[nccl.Protocol]*scenario.Protocol{nccl.LL: &keys.LL, nccl.LL128: &keys.LL128,
		nccl.Simple: &keys.Simple} {
		pp := &p.Protocols[proto]
		pp.Data, pp.Line, pp.Cap = k.Data, k.Line, k.Rate.Or(0)
		if k.Buffer > 0 { // else no schedule is cut by it
			pp.Buffer = k.Buffer
		}
		if k.Slice > 0 && k.Slice != pp.SliceSteps {
			pp.SliceSteps, pp.ChunkSteps = k.Slice, max(k.Slice, pp.ChunkSteps)
		}
		p.Base[nccl.Ring][proto], p.Base[nccl.Tree][proto] = k.LaunchRing, k.LaunchTree
		p.Hop[nccl.NVLink][nccl.Ring][proto], p.Hop[nccl.NVLink][nccl.Tree][proto] = k.NVLinkRing, k.NVLinkTree
		p.Hop[nccl.Net][nccl.Ring][proto], p.Hop[nccl.Net][nccl.Tree][proto] = k.NetRing, k.NetTree
		p.Base[nccl.Direct][proto] = k.LaunchRing
		p.Hop[nccl.NVLink][nccl.Direct][proto], p.Hop[nccl.Net][nccl.Direct][proto] = k.NVLinkRing, k.NetRing
	}
	if e := keys.NVLSEfficiency; e.Set {
		for g := range p.NVLSEfficiency {
			p.NVLSEfficiency[g] = e.Value
		}
	}
	p.Hop[nccl.NVLink][nccl.NVLS][nccl.Simple], p.NVLSChunk = keys.NVLSLaunch, keys.NVLSChunk
	p.Hop[nccl.NVLink][nccl.NVLSTree][nccl.Simple] = keys.NVLSLaunch
	return p.Faster(keys.Speed)
}

// NCCLChoice is what NCCL's published model takes for a collective over the ranks of a job, among
// what ranks can run. algorithm and protocol may be "auto"; channels 0: as many as NCCL's.
func NCCLChoice(sc *scenario.Scenario, j *scenario.Job, in NCCLHost, op coll.Collective, bytes unit.Bytes,
	algorithm scenario.Algorithm, protocol scenario.NCCLProtocol, channels int) (nccl.Choice, error) {
	if op == coll.AllGather && algorithm == scenario.AlgorithmHypercube { // which nccl-tests makes of sends
		op = coll.SendReceive
	}
	only := nccl.Only{Algorithms: RowAlgorithms}
	if algorithm != scenario.AlgorithmAuto {
		only.Algorithms = []nccl.Algorithm{ncclAlgorithm(op, algorithm)}
	}
	if proto, ok := NCCLProtocol(protocol); ok {
		only.Protocols = []nccl.Protocol{proto}
	} else if j.Collective.Admission.Slots.Set { // which cuts messages of data
		only.Protocols = []nccl.Protocol{nccl.Simple}
	}
	g := NCCLGroup(sc, j, in)
	g.Channels = channels
	return NCCLParams(sc).Choose(op, max(bytes, 1), g, only)
}

// latency is that of the links between the GPUs of a host.
func (in NCCLHost) latency(sc *scenario.Scenario) unit.Duration {
	if in.Peers > 0 {
		return sc.Cluster.Host.PCIeLatency
	}
	return sc.Cluster.Host.NVLinkLatency
}

// cut is how an algorithm cuts its data: into so many pieces, with so many slots (0: one for each
// message), hops as long as so many pieces.
type cut struct {
	pieces, slots int
	hops          [2]int
}

// messages says how the messages of a collective of ranks at these places travel, nil without a protocol, and how its
// algorithm cuts its data.
func (p *Plan) messages(j *Job, at coll.Placement, op coll.Collective, algorithm scenario.Algorithm,
	protocol scenario.NCCLProtocol, channels int, bytes unit.Bytes) (w *workload.Protocol, by cut) {
	a, sc := coll.Algorithms[ScheduleName(algorithm, op)], p.Scenario
	by = cut{pieces: max(a.Pipeline, 1), hops: [2]int{1, 1}}
	if proto, ok := NCCLProtocol(protocol); ok {
		g := groupOf(sc, at, p.ncclHost)
		g.Channels = channels
		like := ncclAlgorithm(op, algorithm)
		m := NCCLParams(sc).Messages(op, like, proto, g, channels, bytes)
		w = &workload.Protocol{Data: m.Data, Line: m.Line, OnSwitch: m.OnSwitch, Launch: m.Launch, Rate: m.Rate,
			Inside: m.NVLink - p.ncclHost.latency(sc), Between: m.Net}
		if like == nccl.NVLS {
			ways := unit.Duration(1)
			if op == coll.AllReduce {
				ways = 2
			}
			w.Launch, w.Inside, w.Between = max(m.Launch-ways*sc.Cluster.Host.NVLinkLatency, 0), m.NVLink, 0
		}
		if like == nccl.NVLSTree {
			w.Launch, w.Inside = max(m.Launch-2*sc.Cluster.Host.NVLinkLatency, 0), m.NVLink
		}
		if a.Pipeline > 0 {
			by = cut{m.Pieces, m.Slots, m.Hops}
		}
		if sc.Fabric.QoS.Classes == "data" || j.Spec.Collective.Admission.Slots.Set || algorithm == scenario.AlgorithmTwoLevel {
			by.slots = 0 // there is no class for credits, the transport has slots of its own, or each message has
		}
	}
	c := j.Spec.Collective
	by.pieces, by.slots = c.Slices.Or(by.pieces), c.Slots.Or(by.slots)
	for i := range by.hops { // no more pieces are on their way than there are slots for
		if by.slots > 0 {
			by.hops[i] = min(by.hops[i], by.slots)
		}
	}
	return w, by
}

// asNCCL gives the collectives of a job.model whose protocol is auto the one that NCCL takes with the algorithm of their schedule:
// its latencies and limits. What they send is cut as without a protocol.
func (p *Plan) asNCCL(j *Job, work *workload.Job) (all []*workload.Protocol, err error) {
	type kind struct {
		group     int32
		op        coll.Collective
		algorithm scenario.Algorithm
		bytes     unit.Bytes
	}
	known, params := map[kind]*workload.Protocol{}, NCCLParams(p.Scenario)
	of := make([]*workload.Protocol, len(work.Collectives))
	for i := range work.Collectives {
		c := &work.Collectives[i]
		goal, ok := coll.GoalOf(c.Schedule)
		if c.Formula || !ok {
			continue
		}
		g := &work.Groups[c.Group]
		k := kind{c.Group, goal.Collective, scenario.AlgorithmRing, c.Bytes()}
		switch {
		case k.op == coll.SendReceive:
			k.algorithm = scenario.AlgorithmDirect
		case g.Kind == workload.GroupKindData && k.op == coll.AllReduce && !j.Spec.Collective.Schedule.Set:
			k.algorithm = j.Spec.Collective.Algorithm
		}
		if known[k] == nil {
			only := nccl.Only{Algorithms: []nccl.Algorithm{ncclAlgorithm(k.op, k.algorithm)}}
			choice, err := params.Choose(k.op, max(k.bytes, 1), p.ncclGroup(j, g), only)
			if err != nil {
				return nil, j.wrong("collective.protocol", err)
			}
			known[k], _ = p.messages(j, j.PlaceOf(g), k.op, k.algorithm, ProtocolOf(choice.Protocol), c.Schedule.Channels(), k.bytes)
			all = append(all, known[k])
		}
		of[i] = known[k]
	}
	next := 0
	work.SetProtocols(func(*workload.Collective) *workload.Protocol { next++; return of[next-1] })
	return all, nil
}

// schedule makes the schedule of an algorithm. key is what of a collective an error is about.
func (p *Plan) schedule(at coll.Placement, a coll.Algorithm, channels int, by cut) (s coll.Schedule, key string,
	err error) {
	if s, err = a.Over(at, channels, by.pieces); err == nil {
		err = p.ncclHost.oneSwitch(at, s)
	}
	if err == nil {
		s, err = coll.WithLag(s, by.hops[0], by.hops[1])
	}
	if err != nil || by.slots == 0 {
		return s, "algorithm", err
	}
	s, err = coll.WithCredit(s, by.slots)
	return s, "slots", err
}

// lessNetwork takes what the idle network does of a hop out of what a protocol has for it: the
// least that a message between two ranks can take. A longer path comes on top.
func (p *Plan) lessNetwork(j *Job, protocols ...*workload.Protocol) {
	least := unit.Duration(-1)
	for i := range j.Links {
		if j.Links[i].Pair < 0 {
			continue
		}
		sc, q := p.Scenario, &p.Pairs[j.Links[i].Pair]
		d := 2*sc.Cluster.Host.PCIeLatency + sc.Cluster.NIC.Latency + p.OneWay(q.Path, transport.Frames(p.Scenario).MaxDataFrame(0))
		if least < 0 || d < least {
			least = d
		}
	}
	for _, w := range protocols {
		if w != nil {
			w.Between = max(w.Between-max(least, 0), 0)
		}
	}
}

// oneSwitch refuses a schedule whose messages a switch adds up or copies where their ends are on several hosts, or
// no NVLink joins all GPUs of one. Of schedules made here one rank's show it: those over hosts are made for the
// placement.
func (in NCCLHost) oneSwitch(at coll.Placement, s coll.Schedule) error {
	n := HostsOf(at)
	switch {
	case in.Peers > 0 && coll.SwitchAdds(s):
		return fmt.Errorf("%s: its switch adds, and no NVLink joins all GPUs of cluster.host.graph", s.Name())
	case n == 1 || !coll.SwitchAdds(s):
		return nil
	}
	ranks, channels := 1, 1
	if _, written := s.(*coll.Table); written {
		ranks, channels = s.Ranks(), s.Channels()
	}
	for r := range ranks {
		for c := range channels {
			for i := range s.Len(r, c) {
				if op := s.Op(r, c, i); op.Kind == coll.Send && op.Switch != 0 && at.Ranks[r].Host != at.Ranks[op.Peer].Host {
					return fmt.Errorf("%s: ranks on %d hosts, want all on one: its switch adds", s.Name(), n)
				}
			}
		}
	}
	return nil
}
