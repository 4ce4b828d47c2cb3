package run

import (
	"fmt"

	"railyard/internal/cc"
	"railyard/internal/coll"
	"railyard/internal/fabric"
	"railyard/internal/nic"
	"railyard/internal/nn"
	"railyard/internal/result"
	"railyard/internal/roce"
	"railyard/internal/scenario"
	"railyard/internal/topo"
	"railyard/internal/train"
	"railyard/internal/unit"
	"railyard/internal/wire"
	"railyard/internal/workload"
)

// Traffic classes in dense order, as packets name them.
const (
	classData uint8 = iota
	classOther
	classCNP
)

// Plan is what a scenario comes to before anything runs.
type Plan struct {
	Scenario *scenario.Scenario
	Graph    *topo.Graph
	Routes   *topo.Routes
	Pairs    []Pair // queue pairs in order of number

	// Of a training job; nil else.
	Model     *nn.Model
	Placement coll.Placement
	Schedule  coll.Schedule // nil with one rank
	Step      *workload.Step
	Links     []RankLink
}

// Pair is a queue pair: a direction between two NICs.
type Pair struct {
	Name           string
	Kind           string // result.KindCollective, KindJob, KindBackground
	From, To       topo.NICID
	FromGPU, ToGPU int32
	Key            fabric.FlowKey
	Class          uint8
	Path, Back     []topo.PortID
	Flow           *scenario.Flow // explicit; nil for ranks
}

// RankLink joins two ranks on a channel.
type RankLink struct {
	Src, Dst, Channel int32
	Pair              int32 // -1: NVLink
}

// NewPlan derives everything a run needs from a scenario.
func NewPlan(sc *scenario.Scenario) (*Plan, error) {
	p := &Plan{Scenario: sc}
	g, err := graph(sc)
	if err != nil {
		return nil, err
	}
	p.Graph, p.Routes = g, topo.NewRoutes(g)
	if sc.Job.Train != nil {
		if err := p.planTraining(); err != nil {
			return nil, err
		}
	}
	for i := range sc.Job.Flows {
		if err := p.addFlow(&sc.Job.Flows[i], result.KindJob); err != nil {
			return nil, err
		}
	}
	for i := range sc.Background.Flows {
		if err := p.addFlow(&sc.Background.Flows[i], result.KindBackground); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// graph builds the cluster's hosts and the fabric between them.
func graph(sc *scenario.Scenario) (*topo.Graph, error) {
	l := sc.Fabric.Links
	cable := func(r unit.Bitrate, length unit.Length) topo.Cable {
		return topo.Cable{Rate: r, Length: length, Delay: l.Delay.Or(0)}
	}
	p := topo.Params{Hosts: sc.Cluster.Hosts, GPUs: sc.Cluster.Host.GPUs, NICs: sc.NICsPerHost(), HostLink: cable(l.Host, l.Length)}
	if sc.Fabric.Design == "rail-optimized" && sc.Fabric.Spines > 0 {
		p.Spines, p.Parallel, p.SpineLink = sc.Fabric.Spines, l.Parallel, cable(l.Spine, l.SpineLength)
	}
	return topo.Generate(sc.Fabric.Design, p)
}

func (p *Plan) planTraining() error {
	sc, t := p.Scenario, p.Scenario.Job.Train
	m, err := model(t)
	if err != nil {
		return err
	}
	p.Model = m
	rails := sc.NICsPerHost()
	p.Placement = coll.Placement{Rails: rails}
	for r := range sc.RankCount() {
		e := sc.RankGPU(r)
		p.Placement.Ranks = append(p.Placement.Ranks, coll.Place{Host: int32(e.Host), GPU: int32(e.GPU), Rail: int32(sc.NICOf(e))})
	}
	ranks := len(p.Placement.Ranks)
	if ranks > 1 {
		if p.Schedule, err = coll.Algorithms[sc.Job.Collective.Algorithm+"-all-reduce"].New(coll.Rings(p.Placement, sc.Job.Collective.Channels), 1); err != nil {
			return err
		}
	}
	h := sc.Cluster.Host
	flops := h.FLOPS
	if t.Precision == "fp32-strict" {
		flops = h.FLOPSFP32
	}
	bucket := t.Bucket.Or(workload.BucketPerLayer)
	p.Step, err = workload.DataParallel(workload.DataParallelConfig{Layers: train.Layers(m), Batch: t.Batch, Momentum: t.Momentum != 0,
		Bucket: bucket, Ranks: ranks, Schedule: p.Schedule,
		Device: workload.Device{FLOPS: int64(flops), MemoryBandwidth: h.MemoryBandwidth, Launch: h.Launch, MatmulEff: h.MatmulEfficiency, MemoryEff: h.MemoryEfficiency}})
	if err != nil {
		return err
	}
	if p.Schedule == nil {
		return nil
	}
	return p.connectRanks()
}

// model builds the network that a scenario trains.
func model(t *scenario.Train) (*nn.Model, error) {
	act := map[string]nn.Activation{"relu": nn.ReLU, "sigmoid": nn.Sigmoid}[t.Activation]
	loss := map[string]nn.Loss{"cross-entropy": nn.CrossEntropy, "mse": nn.MSE}[t.Loss]
	return nn.NewMLP(t.Layers, act, loss)
}

// connectRanks finds every pair of ranks that the schedule joins, in order of channel, source and first use.
func (p *Plan) connectRanks() error {
	s := p.Schedule
	for c := range s.Channels() {
		for r := range s.Ranks() {
			seen := map[int32]bool{}
			for i := range s.Len(r, c) {
				if op := s.Op(r, c, i); op.Kind == coll.Send && !seen[op.Peer] {
					seen[op.Peer] = true
					if err := p.connect(int32(r), op.Peer, int32(c)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (p *Plan) connect(src, dst, channel int32) error {
	a, b := p.Placement.Ranks[src], p.Placement.Ranks[dst]
	link := RankLink{Src: src, Dst: dst, Channel: channel, Pair: -1}
	if a.Host != b.Host {
		rail := coll.RailOf(int(channel), p.Placement.Rails)
		pair := Pair{Name: fmt.Sprintf("rank%d>rank%d#%d", src, dst, channel), Kind: result.KindCollective,
			From: p.Graph.Hosts[a.Host].NICs[rail], To: p.Graph.Hosts[b.Host].NICs[rail], FromGPU: a.GPU, ToGPU: b.GPU, Class: classData}
		if err := p.addPair(pair); err != nil {
			return err
		}
		link.Pair = int32(len(p.Pairs) - 1)
	}
	p.Links = append(p.Links, link)
	return nil
}

func (p *Plan) addFlow(f *scenario.Flow, kind string) error {
	pair := Pair{Name: f.Name, Kind: kind, Class: classData, Flow: f}
	pair.From, pair.FromGPU = p.endpoint(f.From)
	pair.To, pair.ToGPU = p.endpoint(f.To)
	if f.Priority == "other" {
		pair.Class = classOther
	}
	return p.addPair(pair)
}

// endpoint returns the NIC of a flow's end, and the GPU whose memory it is, -1 for the NIC itself.
func (p *Plan) endpoint(e scenario.Endpoint) (topo.NICID, int32) {
	return p.Graph.Hosts[e.Host].NICs[p.Scenario.NICOf(e)], int32(e.GPU)
}

// addPair numbers a queue pair and finds its paths: data by the hash of its 5-tuple, acknowledgements by that of theirs.
func (p *Plan) addPair(q Pair) error {
	n := len(p.Pairs)
	if q.From == q.To {
		return fmt.Errorf("flow %s: from %s to itself: want two NICs", q.Name, p.Graph.NICName(q.From))
	}
	// The source port carries the queue pair number, as RoCEv2 NICs do for entropy: 0xC000 to 0xFFFF.
	q.Key = fabric.FlowKey{SrcIP: 0x0a000001 + uint32(q.From), DstIP: 0x0a000001 + uint32(q.To), SrcPort: 0xc000 | uint16(n&0x3fff), DstPort: wire.RoCEv2Port}
	balance := fabric.Balancers[p.Scenario.Fabric.Balance](p.Scenario.Seed)
	var err error
	if q.Path, err = p.Routes.Path(q.From, q.To, func(sw topo.NodeID, n int) int { return balance(q.Key, sw, n) }); err != nil {
		return fmt.Errorf("%s: %w", q.Name, err)
	}
	back := q.Key.Reverse()
	if q.Back, err = p.Routes.Path(q.To, q.From, func(sw topo.NodeID, n int) int { return balance(back, sw, n) }); err != nil {
		return fmt.Errorf("%s: %w", q.Name, err)
	}
	p.Pairs = append(p.Pairs, q)
	return nil
}

// pathText names the nodes of a path: host1>rail1>host2.
func (p *Plan) pathText(path []topo.PortID) string {
	t := p.Graph.Nodes[p.Graph.Ports[path[0]].Node].Name
	for _, port := range path {
		t += ">" + p.Graph.Nodes[p.Graph.Ports[port].To].Name
	}
	return t
}

// fabricConfig translates the scenario's fabric.
func (p *Plan) fabricConfig() fabric.Config {
	sc := p.Scenario
	q := sc.Fabric.QoS
	var ecn *fabric.ECN
	if q.ECN.Enabled {
		ecn = &fabric.ECN{At: q.ECN.At, AtDequeue: q.ECN.When == "dequeue"}
	}
	frame := sc.Fabric.MTU
	return fabric.Config{
		Classes: []fabric.Class{
			classData:  {Name: "data", Priority: uint8(q.DataPriority), Weight: q.DataWeight, Lossless: q.PFC.Enabled, ECN: ecn},
			classOther: {Name: "other", Priority: uint8(q.OtherPriority), Weight: q.OtherWeight},
			classCNP:   {Name: "cnp", Priority: uint8(q.CNPPriority), Strict: true},
		},
		PFC: fabric.PFC{Alpha: q.PFC.Alpha, Threshold: q.PFC.Threshold.Or(0), ResumeOffset: q.PFC.ResumeOffset, Quanta: uint16(q.PFC.Quanta), Refresh: q.PFC.Refresh,
			Response: func(port topo.Port) unit.Duration {
				if !q.PFC.Response.Set {
					return fabric.Response(port.Rate)
				}
				return q.PFC.Response.Value
			},
			Headroom: func(port topo.Port) unit.Bytes {
				if !q.PFC.Headroom.Set {
					return fabric.Headroom(port.Rate, port.Delay, frame)
				}
				return q.PFC.Headroom.Value
			}},
		Buffer:        fabric.Buffer{Size: sc.Fabric.Switch.Buffer, Reserve: sc.Fabric.Switch.Reserve, LossyAlpha: q.LossyAlpha, FreeAtTxEnd: sc.Fabric.Switch.Release == "end"},
		SwitchLatency: sc.Fabric.Switch.Latency, HostLatency: sc.Cluster.NIC.Latency, LinkOverhead: wire.RoCEv2.Overhead, PauseFrame: wire.RoCEv2.PFC,
		MTU: sc.Fabric.MTU, Seed: sc.Seed,
	}
}

// nicConfig translates the scenario's hosts and transport.
func (p *Plan) nicConfig() nic.Config {
	sc := p.Scenario
	t := sc.Transport
	return nic.Config{Frames: wire.RoCEv2,
		Transport: roce.Params{MTU: t.MTU, AckEvery: t.AckEvery, Timeout: t.Timeout, Retries: t.Retries, AckDuplicates: true},
		PCIe:      nic.Pipe{Latency: sc.Cluster.Host.PCIeLatency, Rate: sc.Cluster.Host.PCIe},
		NVLink:    nic.Pipe{Latency: sc.Cluster.Host.NVLinkLatency, Rate: sc.Cluster.Host.NVLink},
		Latency:   sc.Cluster.NIC.Latency, CNPInterval: sc.Congestion.CNPInterval, AckClass: classData, CNPClass: classCNP,
		CompleteAtSender: t.Completion == "sender", Controller: p.controller()}
}

// controller translates the scenario's congestion control.
func (p *Plan) controller() cc.Params {
	c := p.Scenario.Congestion
	window := cc.Window{Bytes: p.Scenario.Transport.Window.Or(0)}
	if c.Algorithm == "none" {
		return cc.None{Window: window}
	}
	d := cc.Presets["dcqcn-sigcomm15"].DCQCN
	d.G, d.CNPInterval, d.AlphaTimer, d.DecreaseInterval = c.G, c.CNPInterval, c.AlphaTimer, c.DecreaseInterval.Or(0)
	d.IncreaseTimer, d.ByteCounter, d.FastRecovery = c.IncreaseTimer, c.ByteCounter, int32(c.FastRecovery)
	d.AI, d.HAI, d.PortRate, d.MinRate, d.Window = c.RateAI, c.RateHAI, 0, c.MinRate, window
	return d
}

// baseRTT is the round trip of an empty network for a queue pair: a full data packet there, an acknowledgement back.
func (p *Plan) baseRTT(q *Pair) unit.Duration {
	sc := p.Scenario
	oneWay := func(path []topo.PortID, frame unit.Bytes) unit.Duration {
		d := sc.Cluster.NIC.Latency
		for i, port := range path {
			pt := p.Graph.Ports[port]
			d += pt.Delay + pt.Rate.TransmitTime(wire.RoCEv2.OnLink(frame))
			if i > 0 {
				d += sc.Fabric.Switch.Latency
			}
		}
		return d
	}
	return oneWay(q.Path, wire.RoCEv2.MaxDataFrame(sc.Transport.MTU)) + oneWay(q.Back, wire.RoCEv2.ACK)
}
