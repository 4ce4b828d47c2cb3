package nic_test

import (
	"math"
	"testing"

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

// cnps is a network with CNP packets and PFC as Railyard has them by default, at 40 Gb/s as the
// DCQCN paper's.
func cnps(g *topo.Graph, ctl cc.DCQCN, red cc.RED) *rig {
	return &rig{graph: g,
		fabric: fabric.Config{
			Classes: []fabric.Class{
				{Name: "data", Priority: 3, Weight: 1, Lossless: true, ECN: qos.Curve(red.Min, red.Max, red.P, false)},
				{Name: "cnp", Priority: 7, Strict: true}},
			PFC: fabric.PFC{Alpha: unit.Ratio{Num: 1, Den: 8}, ResumeOffset: 3072,
				Headroom: qos.FormulaHeadroom(1500, 600*unit.Nanosecond)},
			Buffer:        fabric.Buffer{Size: 12 << 20, LossyAlpha: unit.Ratio{Num: 1, Den: 1}},
			SwitchLatency: 600 * unit.Nanosecond, LinkOverhead: 20, PauseFrame: 64, MTU: 1500, Seed: 1},
		nic: nic.Config{Frames: wire.RoCEv2, CNPClass: 1, Controller: ctl,
			Transport: roce.Params{MTU: 1000, AckEvery: 16, Timeout: 10 * unit.Millisecond,
				Retries: 7, AckDuplicates: true, CNPInterval: ctl.CNPInterval}},
		host: host.Config{NIC: 500 * unit.Nanosecond},
	}
}

// poisson feeds a port with frames whose gaps are exponential.
type poisson struct {
	fab   *fabric.Fabric
	eng   *sim.Engine
	ports []topo.PortID
	route []fabric.Route
	rng   sim.Stream
	gap   float64 // mean, ps
	next  []unit.Time
	left  int
	waits []unit.Duration
	class sim.Class
}

func (s *poisson) Handle(isl *sim.Island, now unit.Time, i int32) {
	s.next[i] = now
	s.fab.Kick(isl, now, s.ports[i])
	if s.left--; s.left > 0 {
		u := (float64(s.rng.Uint64()>>11) + 0.5) / (1 << 53)
		s.eng.At(0, now+unit.Time(-math.Log(u)*s.gap)+1, sim.MakeKey(sim.Host, s.class, i))
	}
}

func (s *poisson) Pull(isl *sim.Island, now unit.Time, port topo.PortID, _ uint8, p *fabric.Packet) bool {
	for i, id := range s.ports {
		if id == port && s.next[i] >= 0 {
			s.next[i] = -1
			p.Make(fabric.WriteMiddle, int32(i), 0, s.route[i], 0, 1048)
			s.fab.StartTrace(isl, now, port, p)
			return true
		}
	}
	return false
}

func (s *poisson) Paused(*sim.Island, unit.Time, topo.PortID, uint8, bool) {}

func (s *poisson) Deliver(isl *sim.Island, _ unit.Time, _ topo.PortID, p *fabric.Packet) {
	t := s.fab.TakeTrace(isl, p)
	s.waits = append(s.waits, t.Hop(1).Start.Sub(t.Hop(1).Ready))
}

// M/D/1 (Pollaczek and Khinchine): frames of one size that arrive at random wait rho/(2(1-rho))
// transmission times in the mean.
func TestRandomArrivalsWaitAsInMD1(t *testing.T) {
	for _, load := range []float64{0.3, 0.5, 0.7, 0.8, 0.9} {
		const sources = 20
		g, err := manyToOne(sources)
		if err != nil {
			t.Fatal(err)
		}
		eng := sim.New([]int{64}, 0)
		fab, err := fabric.New(eng, g,
			fabric.Config{Classes: []fabric.Class{{Name: "data", Weight: 1}}, MTU: 1048, PauseFrame: 64,
				Buffer: fabric.Buffer{Size: 1 << 30, LossyAlpha: unit.Ratio{Num: 1, Den: 1}}},
			make([]int32, len(g.Nodes)))
		if err != nil {
			t.Fatal(err)
		}
		s := &poisson{fab: fab, eng: eng, rng: sim.NewStream(7, "poisson", uint64(load*10)), left: 400_000,
			class: fabric.FirstFreeClass}
		eng.Register(s.class, s)
		tx := (100 * unit.GigabitPerSec).TransmitTime(1048)
		s.gap = float64(tx) / load * sources
		routes := topo.NewRoutes(g)
		for i := range sources {
			path, err := routes.Path(topo.NICID(i), sources, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.ports = append(s.ports, path[0])
			s.route = append(s.route, fab.AddRoute(path))
			s.next = append(s.next, -1)
			fab.Attach(path[0], s, s)
			eng.At(0, unit.Time(s.rng.Below(uint64(s.gap))), sim.MakeKey(sim.Host, s.class, int32(i)))
		}
		fab.Attach(g.NICs[sources].Port, s, s)
		eng.Run()
		sum := 0.0
		for _, w := range s.waits {
			sum += float64(w)
		}
		got := sum / float64(len(s.waits)) / float64(tx)
		want := load / (2 * (1 - load))
		t.Logf("load %.1f: mean wait %.3f transmission times, M/D/1 says %.3f", load, got, want)
		if math.Abs(got-want) > 0.04*want {
			t.Errorf("load %.1f: mean wait %.3f transmission times, want %.3f", load, got, want)
		}
	}
}

// whole rounds rates to bit/s.
func whole(rates []float64) []int64 {
	out := make([]int64, len(rates))
	for i, v := range rates {
		out[i] = int64(v)
	}
	return out
}

// manyToOne is a switch with hosts 0..n-1 on links of 100 Tb/s and host n on one of 100 Gb/s.
func manyToOne(n int) (*topo.Graph, error) {
	b := topo.NewBuilder()
	sw := b.AddSwitch("switch", topo.Leaf)
	for i := range n + 1 {
		rate := 100 * unit.TerabitPerSec
		if i == n {
			rate = 100 * unit.GigabitPerSec
		}
		b.Connect(b.AddHost("host"+string(rune('A'+i)), 0), sw, topo.Cable{Rate: rate, Delay: unit.Microsecond})
	}
	return b.Build()
}

// deliver runs until a time and returns what each flow delivered between from and until, from the
// payload acknowledged.
func (r *rig) deliver(t *testing.T, from, until unit.Time) []float64 { // bit/s of payload
	t.Helper()
	r.net.Build(func(int32) unit.Duration { return 6 * unit.Microsecond })
	r.eng.RunUntil(from)
	var first []int64
	for i := range r.net.QueuePairs() {
		first = append(first, r.net.Delivered(int32(i)))
	}
	r.eng.RunUntil(until)
	var rates []float64
	for i := range r.net.QueuePairs() {
		rates = append(rates, float64(r.net.Delivered(int32(i))-first[i])*8/until.Sub(from).Seconds())
	}
	return rates
}

// Parking lot: flow 0 crosses both bottlenecks, flows 1 and 2 one each; max-min fairness gives each
// half a link.
//
//	a,b -- s1 ==link 1== s2 ==link 2== s3 -- e,f      flow 0: a to e   flow 1: b to c   flow 2: d to f
//	                    c,d
//
// PFC alone divides each link among the ingress ports that want it, which here is max-min fairness.
// DCQCN gives a flow that is marked at two links less than its share; the paper's claim
// (SIGCOMM'15, section 6.2) is only that it is not starved.
func TestParkingLot(t *testing.T) {
	half := 20e9 * 1000 / 1082 // payload of 1,082 bytes on the link
	for _, c := range []struct {
		name      string
		ctl       cc.Params
		tolerance float64
	}{{"PFC only", cc.None{}, 0.01}, {"DCQCN", cc.Presets["dcqcn-sigcomm15"].DCQCN, 0.25}} {
		r := cnps(parkingLot(t), cc.Presets["dcqcn-sigcomm15"].DCQCN,
			cc.RED{Min: 5_000, Max: 200_000, P: unit.Ratio{Num: 1, Den: 100}})
		r.nic.Controller = c.ctl
		if c.name == "PFC only" {
			r.fabric.Classes[0].ECN = nil
		}
		r.build(t)
		r.flow(t, 0, 4, 1_000_000_000, 0)
		r.flow(t, 1, 2, 1_000_000_000, 0)
		r.flow(t, 3, 5, 1_000_000_000, 0)
		rates := r.deliver(t, unit.Time(30*unit.Millisecond), unit.Time(130*unit.Millisecond))
		t.Logf("%s: %.2f, %.2f, %.2f Gb/s of payload; max-min %.2f each", c.name, rates[0]/1e9,
			rates[1]/1e9, rates[2]/1e9, half/1e9)
		for i, got := range rates {
			if math.Abs(got-half) > c.tolerance*half {
				t.Errorf("%s: flow %d gets %.2f Gb/s, want %.2f within %.0f %%", c.name, i, got/1e9,
					half/1e9, 100*c.tolerance)
			}
		}
	}
}

func parkingLot(t *testing.T) *topo.Graph {
	t.Helper()
	b := topo.NewBuilder()
	s1, s2, s3 := b.AddSwitch("s1", topo.Leaf), b.AddSwitch("s2", topo.Leaf), b.AddSwitch("s3", topo.Leaf)
	link := topo.Cable{Rate: 40 * unit.GigabitPerSec, Delay: unit.Microsecond}
	for i, at := range []topo.NodeID{s1, s1, s2, s2, s3, s3} {
		b.Connect(b.AddHost(string(rune('a'+i)), 0), at, link)
	}
	b.Connect(s1, s2, link)
	b.Connect(s2, s3, link)
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// DCQCN's fixed point ("ECN or Delay", CoNEXT'16, section 3): n flows settle at capacity/n each,
// and the queue where the marking probability is that of the fluid model. Packets are not a fluid:
// CNPs come at most every 50 us and rates move in steps, so the real queue swings around a mean up
// to half above the fluid's. The sum of rates is the link's.
func TestDCQCNSettlesAtItsFixedPoint(t *testing.T) {
	p := cc.Presets["dcqcn-sigcomm15"].DCQCN
	red := cc.RED{Min: 5_000, Max: 200_000, P: unit.Ratio{Num: 10, Den: 100}} // 1 % would put 32 flows off the curve
	const capacity = 40 * unit.GigabitPerSec
	for _, n := range []int{2, 8, 32} {
		r := cnps(star(n+1, capacity), p, red)
		q := &queueSeries{port: r.graph.NICs[n].Port ^ 1}
		r.fabric.SampleEvery, r.fabric.OnSample = unit.Microsecond, q.add
		r.build(t)
		for i := range n {
			r.flow(t, topo.NICID(i), topo.NICID(n), 1_000_000_000, 0)
		}
		rates := r.deliver(t, unit.Time(100*unit.Millisecond), unit.Time(200*unit.Millisecond))
		r.fab.FlushSamples(r.eng.Now())
		mean, sum := 0.0, 0.0
		samples := q.series(200_000)[100_000:]
		for _, v := range samples {
			mean += v / float64(len(samples))
		}
		for _, v := range rates {
			sum += v
		}
		fluid := cc.FixedPoint(p, n, capacity, 1082, red)
		t.Logf("%d flows: %.2f Gb/s of payload in all, Jain index %.3f, mean queue %.0f B; fluid %v each, queue %v", n,
			sum/1e9, fairness(whole(rates)), mean, fluid.Rate, fluid.Queue)
		if full := float64(capacity) * 1000 / 1082; sum < 0.97*full {
			t.Errorf("%d flows: %.2f Gb/s in all, want the link full: %.2f", n, sum/1e9, full/1e9)
		}
		if j := fairness(whole(rates)); j < 0.99 {
			t.Errorf("%d flows: Jain index %.3f, want equal shares", n, j)
		}
		if mean < 0.9*float64(fluid.Queue) || mean > 1.5*float64(fluid.Queue) {
			t.Errorf("%d flows: mean queue %.0f B, fluid model %v", n, mean, fluid.Queue)
		}
	}
}
