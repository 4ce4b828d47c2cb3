package commission

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/perf"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/transport"
)

// A Figure is a size of the collectives, as it is expected.
type Figure struct {
	Row    perf.Row
	Time   unit.Duration
	Bus    unit.Bitrate // as nccl-tests counts
	Source Source
	Closed unit.Duration // by the closed form, beside packets; 0: not known
}

// Known is what was simulated, or read from a run, for the checks.
type Known struct {
	Load    *Loaded  // nil: nothing can be loaded
	Figures []Figure // by size
	// Steps of a run; Median 0: none.
	Median, P99 unit.Duration
}

// Loaded is what an incast did to an idle network.
type Loaded struct {
	Senders              int
	Took                 unit.Duration
	Marks, Pauses, Drops int64
}

// Shares of what is expected that are accepted.
const (
	leastWrite    = 350.0 / 392 // of the ceiling of ib_write_bw
	mostSlower    = 1.15        // of nccl-tests' times
	mostSpread    = 50_000      // parts per million of the median step
	stormOfPauses = 10_000      // frames a second
)

// Checks lists what to measure on a network, in order.
func Checks(p *plan.Plan, in *inventory.Inventory, k Known) []Check {
	l := &list{p: p, in: in}
	l.ports()
	l.links()
	l.sessions()
	l.idle()
	l.load(k.Load)
	l.write()
	l.collectives(k.Figures)
	l.steps(k)
	return l.all
}

type list struct {
	p   *plan.Plan
	in  *inventory.Inventory
	all []Check
}

// exactly adds a check of which only the expected value is accepted.
func (l *list) exactly(stage Stage, key, what string, v Value, from Source, layer string) {
	c := Check{Key: key, Stage: stage, What: what, Expect: v, Source: from, Layer: layer}
	if v.Kind != End {
		c.Low, c.High = &v.N, &v.N
	}
	l.all = append(l.all, c)
}

// links counts cables by their tier and rate.
func (l *list) links() {
	g := l.in.Graph
	type class struct {
		low, high topo.Kind
		rate      unit.Bitrate
	}
	var classes []class
	count := map[class]int64{}
	for i := range g.Links {
		link := &g.Links[i]
		a, b := g.Nodes[link.A].Kind, g.Nodes[link.B].Kind
		c := class{min(a, b), max(a, b), link.Rate}
		if count[c]++; count[c] == 1 {
			classes = append(classes, c)
		}
	}
	for _, c := range classes {
		name, rate := fmt.Sprintf("%v-%v", c.low, c.high), Value{Kind: Rate, N: int64(c.rate)}.String()
		l.exactly(Links, "links."+name+"."+rate, fmt.Sprintf("%s links up at %s", name, rate), Value{Kind: Count, N: count[c]},
			FromInventory, cables)
	}
	l.exactly(Links, "links.errors", "links with CRC or FEC errors after correction, or flaps", Value{Kind: Count, N: 0},
		FromRule, cables)
}

// sessions counts BGP's, and the equal next hops of each role.
func (l *list) sessions() {
	if l.in.Options.Routing.Protocol == inventory.None {
		return
	}
	ends, overlay := int64(0), int64(0)
	for i := range l.in.Devices {
		if l.in.Devices[i].AS != 0 {
			ends += int64(len(l.in.Trunks(topo.NodeID(i))))
			if l.in.Devices[i].Pair != nil {
				ends++
			}
			overlay += int64(len(l.in.Neighbours(topo.NodeID(i))))
		}
	}
	if ends == 0 {
		return
	}
	if l.in.Options.IPv6 {
		ends *= 2
	}
	l.portSessions()
	l.exactly(Sessions, "bgp.sessions", "ends of sessions that are up, over all switches", Value{Kind: Count, N: ends},
		FromInventory, underlay)
	l.all[len(l.all)-1].Note = without(configs.NotConfigured(l.p))
	for kind := topo.Leaf; kind <= topo.SuperSpine; kind++ {
		l.nextHops(kind)
	}
	if l.in.Overlay() {
		l.overlay(overlay)
	}
}

// overlay counts the sessions of EVPN, and the ends of tunnels that each switch with NICs hears of.
func (l *list) overlay(sessions int64) {
	l.exactly(Sessions, "evpn.sessions", "ends of sessions of EVPN that are up, over all switches",
		Value{Kind: Count, N: sessions}, FromInventory, above)
	counts := map[int64]bool{}
	var names []string
	var others []int64
	for i := range l.in.Devices {
		if d := &l.in.Devices[i]; len(d.Rails) > 0 {
			n := int64(len(l.in.Ends(topo.NodeID(i))))
			names, others, counts[n] = append(names, d.Name), append(others, n), true
		}
	}
	if len(counts) == 1 {
		names = []string{topo.Leaf.String()}
	}
	for i, name := range names {
		l.exactly(Sessions, "evpn."+name+".ends", "other ends of tunnels for each VNI of "+name,
			Value{Kind: Count, N: others[i]}, FromInventory, above)
	}
}

// without says what is not among the checks.
func without(what []string) string {
	if len(what) == 0 {
		return ""
	}
	return "nothing is expected here of " + strings.Join(what, "; of ")
}

// nextHops is how many equal next hops switches of a role have to rails elsewhere: one check if all
// have as many, else one for each.
func (l *list) nextHops(kind topo.Kind) {
	widest := func(n topo.NodeID) (most int64) {
		for _, g := range l.in.Groups(l.p.Routes, n) {
			most = max(most, int64(len(g.Ports)))
		}
		return most
	}
	var names []string
	var hops []int64
	same := true
	for i := range l.in.Graph.Nodes {
		n := &l.in.Graph.Nodes[i]
		if n.Kind != kind || l.in.Devices[i].AS == 0 {
			continue
		}
		names, hops = append(names, n.Name), append(hops, widest(topo.NodeID(i)))
		same = same && hops[len(hops)-1] == hops[0]
	}
	if same && len(hops) > 0 {
		names, hops = []string{kind.String()}, hops[:1]
	}
	for i, name := range names {
		if hops[i] == 0 { // there is nowhere else
			continue
		}
		l.exactly(Sessions, "bgp."+name+".next-hops", "equal next hops of "+name+", to the rails it has most to",
			Value{Kind: Count, N: hops[i]}, FromInventory, underlay)
	}
}

func (l *list) idle() {
	for _, what := range []string{"pauses", "marks", "drops"} {
		l.exactly(Idle, "idle."+what, what+" in a minute without traffic", Value{Kind: Count, N: 0}, FromRule,
			lossless)
	}
}

// load is what an incast does. How often is for the simulation to say: what counts is that marks come, storms and drops do not.
func (l *list) load(k *Loaded) {
	if k == nil {
		return
	}
	note := fmt.Sprintf("%d hosts write to the first NIC of one, %v", k.Senders, k.Took.Human())
	one, storm := int64(1), int64(stormOfPauses)
	if k.Marks > 0 {
		l.all = append(l.all, Check{Key: "load.marks", Stage: Load, What: "packets marked in an incast",
			Expect: Value{Kind: Count, N: k.Marks}, Low: &one, Source: FromPackets, Layer: lossless, Note: note})
	} else {
		note += "; it marks nothing: its senders slow down before, or switches do not mark"
	}
	perSecond := int64(float64(k.Pauses) / max(k.Took.Seconds(), 1e-9))
	most := max(storm, perSecond)
	l.all = append(l.all, Check{Key: "load.pauses", Stage: Load, What: "pause frames a second in it",
		Expect: Value{Kind: Count, N: perSecond}, High: &most, Source: FromPackets, Layer: lossless, Note: note})
	drops := k.Drops
	l.all = append(l.all, Check{Key: "load.drops", Stage: Load, What: "drops in it",
		Expect: Value{Kind: Count, N: k.Drops}, High: &drops, Source: FromPackets, Layer: lossless, Note: note})
}

// write is what one NIC of each rail writes to another: the payload's share of its link, or PCIe. Of NICs that differ it is
// the least.
func (l *list) write() {
	g := l.in.Graph
	if len(g.Hosts) < 2 {
		return
	}
	for rail := range g.Rails() {
		ceiling, note := int64(0), ""
		for i := range g.NICs {
			if n := &g.NICs[i]; int(n.Rail) == rail {
				if c, why := l.ceiling(topo.NICID(i)); ceiling == 0 || c < ceiling {
					ceiling, note = c, why
				}
			}
		}
		if ceiling == 0 {
			continue
		}
		low := int64(float64(ceiling) * leastWrite)
		l.all = append(l.all, Check{Key: fmt.Sprintf("write.rail%d", rail+1), Stage: Write,
			What:   fmt.Sprintf("RDMA write between two hosts on rail %d", rail+1),
			Expect: Value{Kind: Rate, N: ceiling}, Low: &low, Source: FromFormula, Layer: oneRail, Note: note})
	}
}

// ceiling is the most payload that a NIC writes, in bits per second, and what limits it.
func (l *list) ceiling(n topo.NICID) (most int64, why string) {
	frames, mtu := transport.Frames(l.p.Scenario), l.p.Scenario.Transport.MTU
	wire := frames.OnLink(frames.DataFrame(mtu, false, false))
	most = int64(float64(l.in.Graph.Ports[l.in.Graph.NICs[n].Port].Rate) * float64(mtu) / float64(wire))
	switch pcie, link := foresight.WriteRate(l.p, n); {
	case pcie == 0 || int64(pcie) >= most:
		return most, fmt.Sprintf("%d B of payload in %d B on the link", mtu, wire)
	case link != "":
		return int64(pcie), link + " inside the host is slower than the link"
	default:
		return int64(pcie), "PCIe is slower than the link"
	}
}

// small is the size up to which a collective is latency: of larger ones bandwidth is looked at.
const small = unit.Bytes(1 << 20)

func (l *list) collectives(figures []Figure) {
	for _, f := range figures {
		note := f.Row.How()
		if f.Closed > 0 && f.Source == FromPackets {
			note += fmt.Sprintf("; closed form %v", f.Closed.Human())
		}
		c := Check{Stage: Collectives, Source: f.Source, Note: note, Layer: library}
		size := sizeText(f.Row.Bytes)
		if f.Row.Bytes <= small {
			high := int64(float64(f.Time) * mostSlower)
			c.Key, c.What = "all-reduce."+size+".time", size+", time"
			c.Expect, c.High = Value{Kind: Time, N: int64(f.Time)}, &high
		} else {
			low := int64(float64(f.Bus) / mostSlower)
			c.Key, c.What, c.Layer = "all-reduce."+size+".busbw", size+", bus bandwidth", balanced
			c.Expect, c.Low = Value{Kind: Bandwidth, N: int64(f.Bus)}, &low
		}
		l.all = append(l.all, c)
	}
}

// sizeText prints a power of two as nccl-tests takes it: 8, 32K, 4G.
func sizeText(b unit.Bytes) string {
	names, n := []string{"B", "K", "M", "G", "T"}, 0
	for b >= 1024 && b%1024 == 0 {
		b, n = b/1024, n+1
	}
	return fmt.Sprintf("%d%s", int64(b), names[n])
}

func (l *list) steps(k Known) {
	high := int64(mostSpread)
	c := Check{Key: "step.spread", Stage: Steps, What: "how much longer the slowest of 100 steps takes than the median",
		Expect: Value{Kind: Fraction, N: 0}, High: &high, Source: FromRule, Layer: job,
		Note: "a run directory of this job gives its own"}
	if k.Median > 0 {
		c.Expect.N = max(0, int64(float64(k.P99-k.Median)/float64(k.Median)*million))
		c.Source, c.Note = FromRun, fmt.Sprintf("median %v", k.Median.Human())
		if c.Expect.N > high {
			high = c.Expect.N
			c.Note += ": more than the usual 5%"
		}
	}
	l.all = append(l.all, c)
}
