package faultsearch

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/sim"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

// Case is one random network with its traffic and its faults.
type Case struct {
	Number uint64
	Graph  *topo.Graph
	Fabric fabric.Config
	NIC    nic.Config
	Host   host.Config
	Flows  []Flow
	Job    *Job   // beside the flows; nil: none
	Method string // by which switches choose next hops; "": frames keep to paths
	Lossy  bool   // frames may be lost: by faults, or because there is no PFC
	Large  bool   // messages and buffers are large
	Mixed  bool   // switches do not mean the same by classes and priorities: PFC may stop the wrong frames
}

// Flow is one message between two NICs.
type Flow struct {
	From, To topo.NICID
	Bytes    unit.Bytes
	Start    unit.Time
	Count    int64
	Class    uint8
}

// dice draws a case.
type dice struct{ s sim.Stream }

func (d *dice) below(n int) int        { return int(d.s.Below(uint64(n))) }
func (d *dice) between(lo, hi int) int { return lo + d.below(hi-lo+1) }
func (d *dice) one(in int) bool        { return d.below(in) == 0 }
func pick[T any](d *dice, from ...T) T { return from[d.below(len(from))] }
func ratio(num, den int64) unit.Ratio  { return unit.Ratio{Num: num, Den: den} }
func (d *dice) time(most unit.Duration) unit.Duration {
	// Each magnitude is as likely as any other.
	for most > unit.Nanosecond && d.one(3) {
		most /= 10
	}
	return unit.Duration(d.s.Below(uint64(most)))
}

// largeIn is how many cases have one among them that is large: such a case costs as much as ten of the others.
const largeIn = 32

// size is how many bytes, or elements, a case has where a large one has so many.
func (c *Case) size(n int) int {
	if c.Large {
		return n
	}
	return n / 8
}

// New draws case n.
func New(n uint64) (*Case, error) {
	d := &dice{sim.NewStream(n, "fault search", 0)}
	c := &Case{Number: n, Large: n%largeIn == 0}
	if err := c.drawGraph(d); err != nil {
		return nil, err
	}
	c.drawFabric(d)
	c.drawNIC(d)
	c.drawSwitches(&dice{sim.NewStream(n, "fault search, switches", 0)})
	c.drawClasses(&dice{sim.NewStream(n, "fault search, classes", 0)})
	c.drawPorts(&dice{sim.NewStream(n, "fault search, ports", 0)})
	c.drawFaults(d)
	c.drawChances(&dice{sim.NewStream(n, "fault search, chances", 0)})
	c.drawReceiveBuffer(&dice{sim.NewStream(n, "fault search, receive buffer", 0)})
	c.drawHostGraph(&dice{sim.NewStream(n, "fault search, host graph", 0)})
	c.drawTrust(&dice{sim.NewStream(n, "fault search, trust", 0)})
	c.drawDropThreshold(&dice{sim.NewStream(n, "fault search, drop threshold", 0)})
	c.drawWatchdog(&dice{sim.NewStream(n, "fault search, watchdog", 0)})
	c.drawMishaps(&dice{sim.NewStream(n, "fault search, mishaps", 0)})
	c.drawRouting(routing(n))
	c.drawFlows(d)
	if err := c.drawJob(d); err != nil {
		return nil, err
	}
	c.drawSetup(&dice{sim.NewStream(n, "fault search, setup", 0)})
	c.drawReceiver(&dice{sim.NewStream(n, "receiver", 0)})
	if t := (&dice{sim.NewStream(n, "fault search, timer", 0)}); t.one(4) {
		c.NIC.Transport.Adaptive = t.time(200 * unit.Microsecond)
	}
	return c, nil
}

// drawSetup has the queue pairs of every fifth case connected before they send, and closed at the end.
func (c *Case) drawSetup(d *dice) {
	if c.NIC.Setup.On = d.one(5); c.NIC.Setup.On {
		c.NIC.Setup.Time = d.time(20 * unit.Microsecond)
	}
}

// drawReceiver draws what becomes of packets that come out of order.
func (c *Case) drawReceiver(d *dice) {
	t := &c.NIC.Transport
	t.Receiver = pick(d, roce.InOrder, roce.Buffered, roce.Direct)
	if t.Selective && t.Receiver == roce.InOrder {
		t.Receiver = roce.Direct
	}
	if t.Receiver != roce.InOrder {
		t.Buffer = pick(d, 1, 4, d.between(2, 300))
		t.Tolerance = pick(d, 0, 0, int64(d.between(1, 20)), roce.AnyOrder)
	}
	if e := (&dice{sim.NewStream(c.Number, "entropy", 0)}); t.Receiver != roce.InOrder && e.one(2) {
		t.Entropy = roce.Entropy{Kind: pick(e, roce.RandomEntropy, roce.RecycledEntropy), Cache: pick(e, 1, 8, e.between(1, 100)),
			Freeze: e.time(unit.Millisecond)}
	}
}

func (c *Case) drawGraph(d *dice) (err error) {
	cable := func() topo.Cable {
		return topo.Cable{Rate: pick[unit.Bitrate](d, 10, 25, 40, 100, 200, 400, 800) * unit.GigabitPerSec,
			Delay: 1 + d.time(20*unit.Microsecond)}
	}
	link := cable()
	if d.one(2) {
		c.Graph, err = topo.SingleSwitch{Hosts: d.between(2, 6), GPUs: 1, NICs: 1, HostLink: link}.Graph()
		return err
	}
	p := topo.LeafSpine{GPUs: 1, NICs: 1, HostLink: link}
	p.Leaves, p.Spines, p.Parallel, p.SpineLink = d.between(2, 3), d.between(1, 3), d.between(1, 2), cable()
	p.Hosts = p.Leaves * d.between(1, 3)
	c.Graph, err = p.Graph()
	return err
}

func (c *Case) drawFabric(d *dice) {
	frame := unit.Bytes(pick(d, 1500, 4200, 9216))
	pfc := !d.one(3)
	var ecn *fabric.ECN
	if !d.one(3) {
		ecn = c.curve(d)
	}
	c.Fabric = fabric.Config{
		Classes: []fabric.Class{
			{Name: "data", Priority: 3, Weight: d.between(1, 99), Lossless: pfc, ECN: ecn},
			{Name: "other", Priority: 0, Weight: d.between(1, 99)},
			{Name: "cnp", Priority: 7, Strict: true},
		},
		PFC: fabric.PFC{Alpha: ratio(1, int64(pick(d, 1, 2, 8, 64))),
			ResumeOffset: unit.Bytes(d.below(20_000)),
			Quanta:       uint16(pick(d, 0, 0xffff, 0xffff, d.between(256, 65535))), Refresh: ratio(1, 2)},
		Buffer: fabric.Buffer{Reserve: unit.Bytes(pick(d, 0, 4096)), LossyAlpha: ratio(int64(pick(d, 1, 1, 2)),
			int64(pick(d, 1, 4))), FreeAtTxEnd: d.one(2), CrossingInHeadroom: d.one(4)},
		SwitchLatency: d.time(unit.Microsecond), HostLatency: d.time(unit.Microsecond), LinkOverhead: 20,
		PauseFrame: 64, MTU: frame,
		Seed: c.Number, Quirks: &fabric.Quirks{TruncateNS: d.one(8)}, SampleEvery: pick(d, 0, unit.Duration(unit.Microsecond)),
	}
	c.Fabric.OnSample = func(int32, fabric.Sample) {}
	c.Fabric.PFC.Headroom = qos.FormulaHeadroom(frame, c.Fabric.SwitchLatency)
	if d.one(2) {
		c.Fabric.PFC.Response.Tabulated = true
	}
	// The smallest buffer that holds the reserves and headrooms, and a little more or a lot.
	need := unit.Bytes(0)
	for n := range c.Graph.Nodes {
		sum := unit.Bytes(0)
		for _, l := range fabric.Links(c.Graph, topo.NodeID(n)) {
			sum += 3*c.Fabric.Buffer.Reserve + frame + c.Fabric.PFC.Headroom.At(l)
		}
		need = max(need, sum)
	}
	c.Fabric.Buffer.Size = need + unit.Bytes(c.size(d.below(pick(d, 80_000, 200_000, 5_000_000))))
	c.Lossy = !pfc
}

// curve draws a marking curve.
func (c *Case) curve(d *dice) *fabric.ECN {
	low := unit.Bytes(c.size(d.below(100_000)))
	return qos.Curve(low, low+unit.Bytes(c.size(d.below(200_000))), ratio(int64(d.below(101)), 100), d.one(2))
}

// drawSwitches makes some switches differ from the others, in every third case.
func (c *Case) drawSwitches(d *dice) {
	if !d.one(3) {
		return
	}
	all := &c.Fabric
	all.ProfileOf = make([]int32, len(c.Graph.Nodes))
	for id, n := range c.Graph.Nodes {
		all.ProfileOf[id] = -1
		if n.Kind == topo.HostKind || d.one(2) {
			continue
		}
		p := fabric.Profile{Classes: slices.Clone(all.Classes), PFC: all.PFC, Buffer: all.Buffer,
			SwitchLatency: d.time(2 * unit.Microsecond), MTU: all.MTU}
		p.Classes[0].Weight, p.Classes[1].Weight = d.between(1, 99), d.between(1, 99)
		if d.one(3) {
			p.Classes[0].Lossless = !p.Classes[0].Lossless
			c.Lossy = c.Lossy || !p.Classes[0].Lossless
		}
		p.Classes[0].ECN = pick(d, nil, c.curve(d))
		p.PFC.Alpha, p.PFC.ResumeOffset = ratio(1, int64(pick(d, 1, 4, 32))), unit.Bytes(d.below(20_000))
		p.PFC.Headroom = qos.FormulaHeadroom(p.MTU, p.SwitchLatency)
		// What the headrooms take that the buffer of the others has no room for.
		for _, l := range fabric.Links(c.Graph, topo.NodeID(id)) {
			p.Buffer.Size += max(0, p.PFC.Headroom.At(l)-all.PFC.Headroom.At(l))
		}
		p.Buffer.Size += unit.Bytes(d.below(pick(d, 1, 200_000)))
		all.ProfileOf[id] = int32(len(all.Profiles))
		all.Profiles = append(all.Profiles, p)
	}
}

// drawClasses makes some of the switches that differ put frames into other classes, or mean other priorities.
func (c *Case) drawClasses(d *dice) {
	all := &c.Fabric
	all.DSCP = []uint8{24, 0, 48}
	for i := range all.Profiles {
		p := &all.Profiles[i]
		if d.one(3) {
			p.ClassOf = new([64]uint8)
			for _, dscp := range all.DSCP {
				p.ClassOf[dscp] = uint8(d.below(3))
			}
			c.Mixed = true
		}
		if d.one(4) {
			p.Classes[0].Priority, p.Classes[1].Priority = pick[uint8](d, 0, 4), pick[uint8](d, 3, 5)
			c.Mixed = true
		}
	}
	c.Lossy = c.Lossy || c.Mixed
}

// drawPorts makes ports of some of the switches that differ be configured otherwise than their switch.
func (c *Case) drawPorts(d *dice) {
	all := &c.Fabric
	for id, of := range all.ProfileOf {
		if of < 0 || d.one(2) {
			continue
		}
		p := &all.Profiles[of]
		p.Ports = make([]fabric.PortProfile, len(c.Graph.Nodes[id].Ports))
		for k := range p.Ports {
			if d.one(2) {
				c.drawPort(d, p, &p.Ports[k], fabric.Links(c.Graph, topo.NodeID(id))[k])
			}
		}
	}
}

// drawPort draws how a port is configured: its weights and marking, the classes of what comes in by it, its threshold and
// headroom, and whether it heeds pauses.
func (c *Case) drawPort(d *dice, p *fabric.Profile, own *fabric.PortProfile, link qos.Link) {
	if d.one(2) {
		own.Classes = slices.Clone(p.Classes)
		own.Classes[0].Weight, own.Classes[1].Weight = d.between(1, 99), d.between(1, 99)
		own.Classes[0].ECN = pick(d, nil, c.curve(d))
		if d.one(3) {
			own.Classes[0].Lossless = !own.Classes[0].Lossless
			c.Lossy = true
		}
	}
	if d.one(4) {
		own.ClassOf = new([64]uint8)
		for _, dscp := range c.Fabric.DSCP {
			own.ClassOf[dscp] = uint8(d.below(3))
		}
		c.Mixed, c.Lossy = true, true
	}
	switch d.below(4) {
	case 0:
		own.XOFF = &qos.XOFF{Alpha: ratio(1, int64(pick(d, 1, 4, 32)))}
	case 1: // for which there may be no room
		own.XOFF = &qos.XOFF{Fixed: int64(c.size(d.between(8, 200_000)))}
		c.Mixed, c.Lossy = true, true
	}
	if d.one(3) { // more than the formula's: less would drop
		more := p.PFC.Headroom.At(link) + unit.Bytes(d.below(20_000))
		own.Headroom = &more
		p.Buffer.Size += 3 * more
	}
	if d.one(5) {
		own.Deaf, c.Lossy, c.Mixed = uint8(1+d.below(7)), true, true
	}
}

func (c *Case) drawNIC(d *dice) {
	mtu := unit.Bytes(pick(d, 256, 1000, 1024, 1400))
	if c.Fabric.MTU > 4200-1 {
		mtu = unit.Bytes(pick(d, 256, 1024, 4096))
	}
	echo := d.one(2)
	c.Host = host.Config{PCIe: host.Pipe{Latency: d.time(unit.Microsecond),
		Rate: pick[unit.Bitrate](d, 0, 8, 63) * 8 * unit.GigabitPerSec}, NVLink: host.Pipe{Latency: unit.Microsecond},
		NIC: d.time(unit.Microsecond)}
	cnps := d.time(50 * unit.Microsecond)
	c.NIC = nic.Config{Frames: wire.RoCEv2, CNPClass: 2,
		AckClass: uint8(pick(d, 0, 0, 2)),
		Transport: roce.Params{MTU: mtu, CNPInterval: cnps, EchoMarks: echo, AckEvery: pick(d, 1, 2, 16, 1000),
			Timeout: 50*unit.Microsecond + d.time(2*unit.Millisecond), Retries: pick(d, 0, 7, 1000),
			AckDuplicates: !d.one(4), Selective: d.one(2)}}
	// In an empty buffer there is room for one frame.
	c.Fabric.LargestFrame = c.NIC.Frames.MaxDataFrame(mtu)
	share := c.Fabric.Buffer.LossyAlpha
	c.Fabric.Buffer.Size += c.Fabric.LargestFrame * unit.Bytes(share.Den+share.Num-1) / unit.Bytes(share.Num)
	if d.one(3) {
		c.NIC.Transport.TimeoutLow, c.NIC.Transport.LowPackets = 30*unit.Microsecond, 3
	}
	name := pick(d, "dcqcn", "dcqcn", "none", "hpcc", "timely", "dctcp", "swift")
	c.NIC.Controller = cc.Defaults[name]
	if name == "hpcc" {
		c.NIC.Transport.AckEvery = 1
		c.NIC.Telemetry, c.Fabric.Telemetry = true, true
	}
	if name == "none" && d.one(2) {
		c.NIC.Controller = cc.None{Window: cc.Window{Bytes: unit.Bytes(d.between(1, 100_000))}}
		c.NIC.Transport.AckEvery = 1
	}
	// A window smaller than what one acknowledgement covers would wait for the timeout at each
	// turn: legal, and slow.
	if name == "dctcp" || name == "swift" {
		c.NIC.Transport.AckEvery = 1
	}
}

func (c *Case) drawFaults(d *dice) {
	if d.one(4) {
		return
	}
	f := &fabric.Faults{}
	some := func(most int) unit.Ratio {
		if d.one(2) {
			return unit.Ratio{Den: 1}
		}
		return ratio(int64(d.below(most)), 1000)
	}
	f.Drop, f.Duplicate, f.Reorder, f.BitErrors = some(50), some(50), some(200), unit.Ratio{Den: 1}
	if d.one(4) {
		f.BitErrors = ratio(1, int64(d.between(1_000_000, 100_000_000)))
	}
	f.PFC = d.one(4)
	for d.one(3) {
		at := unit.Time(d.time(unit.Millisecond))
		f.Downs = append(f.Downs, fabric.Down{Link: topo.LinkID(d.below(len(c.Graph.Links))), From: at,
			Until: at.Add(d.time(unit.Millisecond))})
	}
	if d.one(3) {
		at := unit.Time(d.time(unit.Millisecond))
		f.Storms = append(f.Storms, fabric.Storm{Port: c.Graph.NICs[d.below(len(c.Graph.NICs))].Port, From: at,
			Until: at.Add(d.time(unit.Millisecond))})
	}
	if f.PFC || len(f.Storms) > 0 {
		c.Fabric.PFC.Quanta = max(c.Fabric.PFC.Quanta, 1000) // a pause whose end is lost must run out
	}
	c.Lossy = c.Lossy || f.Drop.Num+f.BitErrors.Num > 0 || len(f.Downs) > 0
	c.Fabric.Faults = f
}

// drawChances gives links chances of their own, in every third case with faults.
func (c *Case) drawChances(d *dice) {
	f := c.Fabric.Faults
	if f == nil || !d.one(3) {
		return
	}
	of := make([][]fabric.Chances, len(c.Graph.Links))
	for i := range of {
		if of[i] = []fabric.Chances{f.Chances}; d.one(2) {
			of[i] = pick(d, nil, []fabric.Chances{{Drop: ratio(int64(d.below(100)), 1000), Reorder: ratio(int64(d.below(100)), 1000),
				Duplicate: f.Duplicate, BitErrors: f.BitErrors, PFC: f.PFC}})
		}
		c.Lossy = c.Lossy || len(of[i]) > 0 && of[i][0].Drop.Num > 0
	}
	f.Of = func(p topo.Port) []fabric.Chances { return of[p.Link] }
}

func (c *Case) drawFlows(d *dice) {
	n := len(c.Graph.NICs)
	for range d.between(1, 10) {
		f := Flow{From: topo.NICID(d.below(n)), To: topo.NICID(d.below(n)),
			Bytes: unit.Bytes(d.below(pick(d, 10, 5_000, c.size(200_000)))), Start: unit.Time(d.time(200 * unit.Microsecond)),
			Count: int64(d.between(1, 3)), Class: uint8(pick(d, 0, 0, 0, 1))}
		if d.one(3) {
			f.To = 0 // incast
		}
		if f.From != f.To {
			c.Flows = append(c.Flows, f)
			c.Lossy = c.Lossy || f.Class == 1
		}
	}
	// Acknowledgements in a lossy class may be dropped as well.
	c.Lossy = c.Lossy || c.NIC.AckClass != 0
}

// String describes the case in a line.
func (c *Case) String() string {
	job := "no job"
	if c.Job != nil {
		job = fmt.Sprintf("%d steps over %d queue pairs (split %v) of", c.Job.Steps, c.Job.QPs, c.Host.Split)
		for i := range c.Job.Work.Collectives {
			k := &c.Job.Work.Collectives[i]
			job += fmt.Sprintf(" %s (%d elements, %d slots)", k.Name, k.Range.Elems, k.Schedule.Slots())
		}
	}
	t := &c.NIC.Transport
	return fmt.Sprintf("case %d: %d nodes, %d flows, %s, %s, selective %v, receiver %d (%d kept, %d late), "+
		"entropy %+v, PFC %v, %s, faults %+v",
		c.Number, len(c.Graph.Nodes), len(c.Flows), job, c.NIC.Controller.Algorithm(), t.Selective, t.Receiver, t.Buffer,
		t.Tolerance, t.Entropy, c.Fabric.Classes[0].Lossless, c.routed(), c.Fabric.Faults)
}
