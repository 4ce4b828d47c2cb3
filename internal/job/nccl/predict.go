package nccl

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Prediction is how long a collective takes by the model, by what takes it.
type Prediction struct {
	Latency   unit.Duration // launch and hops
	Fill      unit.Duration // until the pipeline is full, and empty again
	Data      unit.Duration // bytes at Bandwidth
	Bandwidth unit.Bitrate  // bytes of the whole buffer of a rank over time, once the pipeline is full
}

// Time is all of it.
func (p Prediction) Time() unit.Duration { return p.Latency + p.Fill + p.Data }

// Predict returns how long a collective takes with this algorithm and protocol: NCCL's latencies
// and limits per protocol, over links at the rate that they reach when measured (NVLinkEfficiency,
// NetEfficiency) in place of the search's rounded speeds; with the copies of NVLS before and after
// its reduction, and without NCCL's correction of trees by size.
func (p Params) Predict(c coll.Collective, bytes unit.Bytes, g Group, a Algorithm, proto Protocol) (Prediction, error) {
	if err := p.check(c, bytes, g); err != nil {
		return Prediction{}, err
	}
	if a >= algorithms || proto >= protocols {
		return Prediction{}, fmt.Errorf("%v with %v: want one of %v and of %v", a, proto, algorithmNames, protocolNames)
	}
	if why := p.not(c, a, proto, g, Only{}); why != "" {
		return Prediction{}, fmt.Errorf("%v with %v: %v: %s", a, proto, c, why)
	}
	if g.Ranks == 1 {
		return Prediction{Bandwidth: MaxRate}, nil
	}
	d := Prediction{Latency: p.latency(c, a, proto, g, bytes), Bandwidth: p.reached(c, a, proto, g)}
	d.Data = d.Bandwidth.TransmitTime(bytes)
	if a == NVLS {
		loop := p.nvlsLoop(bytes, g)
		d.Fill = unit.Duration(p.NVLSStages-1) * d.Bandwidth.TransmitTime(min(bytes, loop))
	}
	return d, nil
}

// links are the rates at which a GPU sends to the others of its host, a host to others, and a NIC.
func (p Params) links(g Group) (gpu, host, nic unit.Bitrate) {
	gpu = of(p.PCIShare, g.IntraRate)
	if g.Intra == NVLink {
		gpu = of(p.NVLinkEfficiency, g.IntraRate)
	}
	nic = of(p.NetEfficiency, g.NICRate)
	if g.PCIe > 0 {
		nic = min(nic, g.PCIe)
	}
	host = nic * unit.Bitrate(g.NICs)
	switch {
	case g.Nodes == 1:
		host, nic = gpu, gpu
	case g.PerNode() == 1:
		gpu = host
	}
	return gpu, host, nic
}

// reached is the bandwidth over links at the rate that they reach.
func (p Params) reached(c coll.Collective, a Algorithm, proto Protocol, g Group) unit.Bitrate {
	gpu, host, _ := p.links(g)
	switch a {
	case Direct:
		return p.direct(c, proto, g)
	case NVLS, NVLSTree:
		b := carried(c, a, g, of(p.NVLSEfficiency[g.Generation], gpu), host)
		if a == NVLSTree {
			limit := p.NVLSTreeMax[g.Generation].For(g.Nodes) * unit.Bitrate(p.Graph(g, a).Channels)
			b = min(b, of(ratio(int64(g.Ranks), int64(steps(c, g.Ranks))), limit))
		}
		return b
	}
	gr := p.Graph(g, a)
	n := unit.Bitrate(gr.Channels)
	gr.Intra, gr.Inter = gpu/n, host/n
	switch {
	case a == Tree && g.Nodes == 2: // each host sends everything once
		gr.Intra = min(gr.Intra, 2*gr.Inter)
	case a != CollNetDirect && a != CollNetChain:
		gr.Intra = min(gr.Intra, gr.Inter)
		gr.Inter = gr.Intra
	}
	return min(p.bandwidth(c, a, proto, g, gr), carried(c, a, g, gpu, host))
}

// direct is the bandwidth of sends without a tuned algorithm.
func (p Params) direct(c coll.Collective, proto Protocol, g Group) unit.Bitrate {
	if g.Ranks == 1 {
		return MaxRate
	}
	gpu, host, nic := p.links(g)
	return of(p.Protocols[proto].Efficiency(), carriedDirect(c, g, gpu, host, nic))
}

// Bound is the most that an algorithm can reach over the raw links of a group, as bytes of the
// whole buffer of a rank over time: what the busiest link sends and receives, at its rate.
func (p Params) Bound(c coll.Collective, a Algorithm, g Group) unit.Bitrate {
	raw := p
	raw.NVLinkEfficiency, raw.NetEfficiency, raw.PCIShare = ratio(1, 1), ratio(1, 1), ratio(1, 1)
	gpu, host, nic := raw.links(g)
	switch {
	case g.Ranks == 1:
		return MaxRate
	case a == Direct:
		return carriedDirect(c, g, gpu, host, nic)
	}
	return carried(c, a, g, gpu, host)
}

// carried is the bandwidth that links allow: of a GPU inside its host, of a host.
func carried(c coll.Collective, a Algorithm, g Group, gpu, host unit.Bitrate) unit.Bitrate {
	n, local := int64(g.Ranks), int64(g.PerNode())
	between := host // a tree of two: each sends everything once
	if g.Nodes > 2 {
		// A host is inner in one of two trees: a half goes up and to two below, the other half up
		// in its tree.
		between = host / 2
	}
	switch a {
	case Ring:
		return of(ratio(n, int64(steps(c, g.Ranks))), min(gpu, host))
	case Tree:
		if local > 2 { // inside a chain a GPU sends up and down
			gpu /= 2
		}
		if g.Nodes == 1 {
			return gpu
		}
		return min(gpu, between)
	case NVLS, NVLSTree:
		// All-reduce: the switch pulls all that a GPU has, and the GPU sends its own part's sum to
		// all. A gathered buffer comes in whole, one to be scattered goes out whole.
		if c == coll.AllReduce {
			gpu = of(ratio(local, local+1), gpu)
		}
		switch {
		case g.Nodes == 1:
			return gpu
		case a == NVLS: // the network reduces: each host sends everything once
			return min(gpu, host)
		}
		return min(gpu, between)
	}
	return min(gpu, host) // CollNet and PAT: everything leaves a host, or enters it, once
}

// carriedDirect: what is for other hosts leaves through the host's NICs, a root's and a single
// send's through one.
func carriedDirect(c coll.Collective, g Group, gpu, host, nic unit.Bitrate) unit.Bitrate {
	n, local := int64(g.Ranks), int64(g.PerNode())
	share := nic
	switch c {
	case coll.SendReceive:
		return min(gpu, nic)
	case coll.AllToAll:
		share = host / unit.Bitrate(local)
	}
	b := MaxRate
	if local > 1 {
		b = min(b, of(ratio(n, local-1), gpu))
	}
	if n > local {
		b = min(b, of(ratio(n, n-local), share))
	}
	return b
}

// nvlsLoop is how many bytes NVLS moves at a time, all channels and heads together (enqueue.cc:
// calcCollChunking; all_reduce.h: loopCount).
func (p Params) nvlsLoop(bytes unit.Bytes, g Group) unit.Bytes {
	heads := p.Graph(g, NVLS).Channels
	lanes := p.NVLSChannels[g.Generation][min(g.Nodes, 2)-1] * heads
	return unit.Bytes(lanes) * p.nvlsChunk(bytes, lanes)
}

// nvlsChunk is the part of a loop of one head on one channel.
func (p Params) nvlsChunk(bytes unit.Bytes, lanes int) unit.Bytes {
	chunk := p.NVLSChunk
	for _, s := range p.NVLSChunks {
		if bytes < unit.Bytes(s.Loops*lanes)*chunk && chunk > s.Bytes {
			chunk = s.Bytes
		}
	}
	return chunk
}
