package nccl

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Candidate is an algorithm with a protocol, and what NCCL's table says of it.
type Candidate struct {
	Algorithm Algorithm
	Protocol  Protocol
	Not       string // why it cannot be; then the rest is 0
	Latency   unit.Duration
	Bandwidth unit.Bitrate // bytes of the whole buffer of a rank over time
	Time      unit.Duration
}

// Choice is what NCCL takes for so many bytes.
type Choice struct {
	Collective coll.Collective
	Bytes      unit.Bytes
	Candidate
	Channels   int
	Candidates []Candidate // all of them, in the order of NCCL's table
}

// Only narrows a choice as NCCL_ALGO and NCCL_PROTO do; empty lists allow all.
type Only struct {
	Algorithms []Algorithm
	Protocols  []Protocol
}

func (o Only) not(a Algorithm, proto Protocol) string {
	if len(o.Algorithms) > 0 && !slices.Contains(o.Algorithms, a) {
		return notAllowed
	}
	if len(o.Protocols) > 0 && !slices.Contains(o.Protocols, proto) {
		return protoAllowed
	}
	return ""
}

// Choose returns what NCCL takes for a collective of bytes, counted as nccl-tests does: the whole
// buffer of one rank. It fails if the group cannot be, or if what only allows cannot do it.
func (p Params) Choose(c coll.Collective, bytes unit.Bytes, g Group, only Only) (Choice, error) {
	if err := p.check(c, bytes, g); err != nil {
		return Choice{}, err
	}
	choice := Choice{Collective: c, Bytes: bytes, Candidate: Candidate{Algorithm: algorithms}}
	for a := range algorithms {
		for proto := range protocols {
			k := Candidate{Algorithm: a, Protocol: proto, Not: p.not(c, a, proto, g, only)}
			if k.Not == "" {
				p.believe(&k, c, bytes, g)
			}
			choice.Candidates = append(choice.Candidates, k)
			if k.Not == "" && (choice.Algorithm == algorithms || k.Time < choice.Time) {
				choice.Candidate = k
			}
		}
	}
	switch {
	case choice.Algorithm == algorithms:
		return Choice{}, fmt.Errorf("%v over %d ranks: no algorithm and protocol of those allowed can do it: %s",
			c, g.Ranks, reasons(choice.Candidates))
	case choice.Algorithm == Direct && len(only.Protocols) == 0 && g.Ranks > 1:
		choice.Candidate = p.directChoice(choice, g)
	}
	choice.Channels = p.channelsFor(choice, g)
	return choice, nil
}

// believe fills in what NCCL's table says of a candidate; of sends it says nothing.
func (p Params) believe(k *Candidate, c coll.Collective, bytes unit.Bytes, g Group) {
	switch k.Latency = p.latency(c, k.Algorithm, k.Protocol, g, bytes); {
	case g.Ranks == 1:
		k.Bandwidth = MaxRate
		return
	case k.Algorithm == Direct:
		k.Bandwidth = p.direct(c, k.Protocol, g)
	default:
		k.Bandwidth = p.corrected(p.bandwidth(c, k.Algorithm, k.Protocol, g, p.Graph(g, k.Algorithm)),
			c, k.Algorithm, k.Protocol, g, bytes)
	}
	k.Time = k.Latency + k.Bandwidth.TransmitTime(bytes)
}

func (p Params) check(c coll.Collective, bytes unit.Bytes, g Group) error {
	if err := g.Validate(); err != nil {
		return err
	}
	if bytes < 0 || bytes > MaxBytes {
		return fmt.Errorf("%v of %v, want 0 B to %v", c, bytes, MaxBytes)
	}
	if c >= coll.Barrier {
		return fmt.Errorf("%v: NCCL has none", c)
	}
	return nil
}

func reasons(ks []Candidate) string {
	var list []string
	for _, k := range ks {
		if k.Not != notAllowed && k.Not != protoAllowed {
			list = append(list, fmt.Sprintf("%v with %v: %s", k.Algorithm, k.Protocol, k.Not))
		}
	}
	return strings.Join(list, "; ")
}

// directChoice: a send takes LL up to so many bytes per peer and channel, inside a host
// (enqueue.cc).
func (p Params) directChoice(c Choice, g Group) Candidate {
	proto := Simple
	bytes := perPeer(c.Collective, c.Bytes, g)
	if g.Nodes == 1 && bytes <= unit.Bytes(p.sendChannels(bytes, g))*p.Sends.LL {
		proto = LL
	}
	i := slices.IndexFunc(c.Candidates, func(k Candidate) bool {
		return k.Algorithm == Direct && k.Protocol == proto && k.Not == ""
	})
	return c.Candidates[i]
}

// Reasons that lie in the collective or the algorithm, not in the group.
const (
	notAllowed   = "algorithm not allowed"
	protoAllowed = "protocol not allowed"
	sendsOnly    = "sends and receives only"
	noAlgorithm  = "no algorithm but sends and receives"
	otherwise    = "not of this collective"
	simpleOnly   = "Simple only"
	noLL128      = "LL and Simple only"
)

// not says why a candidate cannot be, "" if it can (tuning.cc; enqueue.cc: updateCollCostTable).
func (p Params) not(c coll.Collective, a Algorithm, proto Protocol, g Group, only Only) string {
	if why := only.not(a, proto); why != "" {
		return why
	}
	ringOnly := c == coll.BroadcastFrom || c == coll.ReduceTo
	switch tuned := ringOnly || c == coll.AllReduce || c == coll.AllGather || c == coll.ReduceScatter; {
	case tuned && a == Direct:
		return sendsOnly
	case !tuned && a != Direct:
		return noAlgorithm
	case g.Ranks == 1 && a != Direct && (a != Ring || proto != Simple):
		return "one rank"
	case ringOnly && a != Ring, a == Tree && c != coll.AllReduce, a == NVLSTree && c != coll.AllReduce,
		a == CollNetChain && c != coll.AllReduce:
		return otherwise
	case a == PAT && c == coll.AllReduce:
		return otherwise
	case proto != Simple && a != Tree && a != Ring && a != Direct:
		return simpleOnly
	case proto == LL128 && a == Direct:
		return noLL128
	case proto == LL128 && g.Intra != NVLink && g.PerNode() > 1:
		return "LL128 needs NVLink inside hosts"
	}
	return p.missing(c, a, g)
}

// missing is what an algorithm needs and the group has not.
func (p Params) missing(c coll.Collective, a Algorithm, g Group) string {
	switch a {
	case NVLS, NVLSTree:
		switch {
		case p.NVLSEfficiency[g.Generation].Num == 0 || !g.NVSwitch || g.Intra != NVLink:
			return "needs a reducing NVSwitch"
		case p.Graph(g, a).Channels < 2 || p.Graph(g, a).Intra == 0:
			return "needs two GPUs or NICs at a speed of the search's list"
		case a == NVLSTree && g.Nodes == 1:
			return "needs several nodes"
		case a == NVLS && g.Nodes > 1 && (!g.InNetwork || c != coll.AllReduce):
			return "needs one node, or switches that reduce"
		}
	case CollNetDirect, CollNetChain:
		switch {
		case !g.InNetwork || g.Nodes == 1:
			return "needs switches that reduce"
		case g.PerNode() > 8: // enqueue.cc: NCCL_MAX_DIRECT_ARITY
			return "up to 8 ranks per node"
		case a == CollNetDirect && !g.NVSwitch:
			return "needs an NVSwitch"
		}
	case PAT:
		if g.Nodes != g.Ranks {
			return "needs one rank per node"
		}
	}
	return ""
}

// steps is the steps of a ring (tuning.cc: nsteps).
func steps(c coll.Collective, n int) int {
	switch c {
	case coll.AllReduce:
		return 2 * (n - 1)
	case coll.AllGather, coll.ReduceScatter:
		return n - 1
	}
	return n
}

func log2(n int) unit.Duration { return unit.Duration(bits.Len(uint(n)) - 1) }

// latency is what a collective takes without its bytes (tuning.cc: ncclTopoTuneModel; the plateau:
// ncclTopoGetAlgoTime).
func (p Params) latency(c coll.Collective, a Algorithm, proto Protocol, g Group, bytes unit.Bytes) unit.Duration {
	n, nodes, local := g.Ranks, g.Nodes, unit.Duration(g.PerNode()-1)
	if n == 1 {
		return 0
	}
	base, intra, inter := p.Base[a][proto], p.Hop[g.Intra][a][proto], p.Hop[Net][a][proto]
	if g.PerNode() == 1 { // nothing hides it
		inter = p.Hop[Net][Tree][proto]
	}
	logNodes := log2(nodes)
	switch a {
	case Ring:
		return p.plateau(base+p.ringLatency(c, proto, g, intra, inter), proto, c, g, bytes)
	case Tree:
		return base + 2*(local*intra+logNodes*inter)
	case CollNetDirect:
		return base + 2*(min(1, local)*intra+local*p.Arity) + inter
	case CollNetChain:
		return base + 2*local*intra + inter
	case NVLS:
		if nodes > 1 {
			return intra + inter
		}
		return intra
	case NVLSTree:
		return base + intra + 2*logNodes*inter
	case PAT:
		return base + logNodes*(inter*2/7) + unit.Duration(n)*p.PATRank
	}
	// Direct, assumed: sends leave one after the other and wait for nothing but the last.
	if nodes > 1 {
		return base + max(intra, p.Hop[Net][a][proto])
	}
	return base + intra
}

// post is what a host takes at the least from step to step of a ring between hosts.
func (p Params) post(proto Protocol, g Group) unit.Duration {
	post := p.NetOverhead
	if g.AMD {
		post = p.NetOverheadAMD
	}
	if proto == Simple {
		post *= 3
	}
	return post
}

func (p Params) ringLatency(c coll.Collective, proto Protocol, g Group, intra, inter unit.Duration) unit.Duration {
	if c == coll.BroadcastFrom || c == coll.ReduceTo {
		// The same channels on all nodes: only one hop is not hidden. Else each, as long as a
		// tree's.
		if g.Nodes == 1 {
			return intra
		}
		hop := p.Hop[Net][Ring][proto]
		if proto == Simple {
			hop = p.Hop[Net][Tree][proto]
		}
		return unit.Duration(steps(c, g.Ranks)) * hop
	}
	between := 0
	if g.Nodes > 1 {
		intra, between = max(intra, p.post(proto, g)), steps(c, g.Nodes)
	}
	return unit.Duration(steps(c, g.Ranks)-between)*intra + unit.Duration(between)*inter
}

func (p Params) plateau(lat unit.Duration, proto Protocol, c coll.Collective, g Group, bytes unit.Bytes) unit.Duration {
	if proto != Simple || g.Nodes == 1 || c != coll.AllReduce ||
		bytes/unit.Bytes(p.channels(g)*g.Ranks) < 64 {
		return lat
	}
	if g.Generation == Volta {
		return unit.Duration(p.RingPlateauVolta.Of(int64(lat)))
	}
	return unit.Duration(p.RingPlateau.Of(int64(lat)))
}

func of(r unit.Ratio, b unit.Bitrate) unit.Bitrate { return unit.Bitrate(r.Of(int64(b))) }

// bandwidth is what an algorithm reaches over a graph, as bytes of the whole buffer over time
// (tuning.cc: ncclTopoTuneModel).
func (p Params) bandwidth(c coll.Collective, a Algorithm, proto Protocol, g Group, gr Graph) unit.Bitrate {
	n, speed := g.Ranks, gr.Intra
	if g.Nodes > 2 && a != CollNetDirect && a != CollNetChain {
		speed = gr.Inter
	}
	if a == NVLS || a == NVLSTree {
		speed = p.nvlsSpeed(c, a, g, gr)
	}
	bus := p.busBandwidth(c, a, proto, g, gr, speed)
	switch {
	case a == Ring || (a == NVLS || a == NVLSTree) && c == coll.AllReduce:
		return of(ratio(int64(n), int64(steps(c, n))), bus)
	case c == coll.AllReduce:
		return bus / 2
	}
	return bus
}

// nvlsSpeed is the bus bandwidth of a channel: an all-reduce sends and receives at once.
func (p Params) nvlsSpeed(c coll.Collective, a Algorithm, g Group, gr Graph) unit.Bitrate {
	n := int64(gr.Channels)
	intra := of(ratio(n-1, n), of(p.NVLSEfficiency[g.Generation], gr.Intra))
	if c == coll.AllReduce {
		intra *= 2
	} else {
		intra = of(ratio(int64(g.PerNode()-1), int64(g.PerNode())), intra)
	}
	if a == NVLS {
		return min(intra, gr.Inter)
	}
	inter := gr.Inter
	if g.Nodes == 2 {
		inter *= 2
	}
	return min(intra, inter, p.NVLSTreeMax[g.Generation].For(g.Nodes))
}

func (p Params) busBandwidth(c coll.Collective, a Algorithm, proto Protocol, g Group, gr Graph,
	speed unit.Bitrate) unit.Bitrate {
	channels := unit.Bitrate(gr.Channels)
	bus := speed * channels
	llMax := p.LLMax[p.llRow(g)].For(g.Nodes)
	gen, efficiency := g.Generation, p.Protocols[proto].Efficiency()
	switch {
	case a == Ring && proto == LL:
		return min(llMax, of(efficiency, bus))
	case a == Ring && proto == LL128:
		return min(of(p.RingLL128, bus), channels*p.RingLL128Max[gen].For(g.Nodes))
	case a == Tree:
		bus = min(of(p.Tree, bus), channels*p.TreeMax[gen].For(g.Nodes))
		switch proto {
		case LL:
			return min(of(p.TreeLL, bus), llMax)
		case LL128:
			return min(of(p.TreeLL128[min(g.Nodes, 2)-1], bus), channels*p.TreeLL128Max[gen].For(g.Nodes))
		}
	case a == PAT:
		return of(p.PAT, bus)
	case a == CollNetDirect:
		return p.collNetDirect(c, g, gr, bus)
	}
	return bus
}

// llRow is the row of LLMax for a group.
func (p Params) llRow(g Group) Generation {
	switch {
	case g.Nodes == 1:
		return g.Generation
	case g.AMD:
		return Ampere
	}
	return Volta
}

// collNetDirect wants a NIC per GPU: with fewer channels than GPUs it loses half of what is
// missing.
func (p Params) collNetDirect(c coll.Collective, g Group, gr Graph, bus unit.Bitrate) unit.Bitrate {
	local, channels := int64(g.PerNode()), int64(gr.Channels)
	if c != coll.AllReduce {
		return unit.Bitrate(local) * min(gr.Intra, of(ratio(9, 10), gr.Inter))
	}
	bus = of(ratio(2*channels, local+channels), bus) // factor f = local/channels, less (f-1)/2
	if g.Generation >= Hopper {
		bus = of(ratio(85, 100), bus)
	}
	return bus
}

// corrected applies NCCL's correction of trees at medium sizes (tuning.cc: treeCorrectionFactor).
func (p Params) corrected(b unit.Bitrate, c coll.Collective, a Algorithm, proto Protocol, g Group,
	bytes unit.Bytes) unit.Bitrate {
	log, sizes := bits.Len64(uint64(bytes>>6))-1, 23
	if a == NVLSTree && g.Generation >= Blackwell {
		sizes = 24
	} else if a != Tree {
		return b
	}
	if list := p.TreeCorrection[proto]; c == coll.AllReduce && log >= 0 && log < min(sizes, len(list)) {
		return of(list[log], b)
	}
	return b
}

// channelsFor is how many of its channels NCCL uses for a choice: fewer for few bytes (enqueue.cc:
// topoGetAlgoInfo). Of sends it is how many go to one peer.
func (p Params) channelsFor(c Choice, g Group) int {
	if c.Algorithm == NVLS || c.Algorithm == NVLSTree {
		n := p.NVLSChannels[g.Generation][min(g.Nodes, 2)-1]
		if g.Channels > 0 {
			n = min(n, g.Channels)
		}
		return n
	}
	if c.Algorithm == Direct {
		return p.sendChannels(perPeer(c.Collective, c.Bytes, g), g)
	}
	pp, n := p.Protocols[c.Protocol], p.channels(g)
	threads, each := pp.Threads, pp.PerThread
	if gr := p.Graph(g, Ring); c.Protocol == Simple && c.Algorithm == Ring &&
		gr.Intra*unit.Bitrate(gr.Channels) <= p.SlowRing {
		threads /= 2 // tuning.cc: simpleDefaultThreads
	}
	if c.Algorithm == Ring && c.Protocol == LL {
		each *= unit.Bytes(g.Ranks)
	}
	for n > 1 && c.Bytes < unit.Bytes(n*threads)*each {
		n--
	}
	return n
}
