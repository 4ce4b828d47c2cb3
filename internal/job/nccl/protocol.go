package nccl

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Messages is how the messages of a collective travel with an algorithm and a protocol: what a
// packet engine, which knows links and networks, has to be told besides.
type Messages struct {
	Data, Line unit.Bytes    // Data of each Line bytes on a link are data
	OnSwitch   bool          // of messages that a switch adds up or copies alone
	Launch     unit.Duration // of the whole collective, before its first message
	NVLink     unit.Duration // from message to message inside a host, over NVLink or PCIe, the link's latency included
	Net        unit.Duration // and between hosts, the network's included
	Rate       unit.Bitrate  // most data from a rank to another on a channel; 0: no limit
	Pieces     int           // into which the algorithm cuts its data: see coll.Algorithm
	Slots      int           // pieces that a connection's buffer holds; 0: all of them
	// Hops are how many pieces long a hop of a chain or tree is, inside a host and between hosts: so
	// many more are on their way. 1 if pieces take longer.
	Hops [2]int
}

// maxPieces bounds Messages.Pieces, maxRounds those of NVLS: larger sizes have larger pieces, whose
// first and last take less than a hundredth of the time all the same.
const (
	maxPieces = 1024
	maxRounds = 256
)

// Messages returns how messages travel over so many channels. Of what is not in NCCL's table
// (Direct) the ring's constants are assumed.
//
// NCCL's base latency is the launch, and its latency of a hop is what a message takes beside its
// bytes. Its factor for rings between hosts that are past their first bytes (RingPlateau), its
// correction of trees by size and its efficiencies of LL128 and trees stay out: what they stand for
// is what a simulated network finds out.
func (p Params) Messages(c coll.Collective, a Algorithm, proto Protocol, g Group, channels int,
	bytes unit.Bytes) Messages {
	switch a {
	case NVLS:
		return p.nvlsMessages(c, g, channels, bytes)
	case NVLSTree:
		return p.nvlsTreeMessages(g, channels, bytes)
	case PAT:
		return p.patMessages(g, channels, bytes)
	}
	pp := p.Protocols[proto]
	m := Messages{Data: pp.Data, Line: pp.Line, Launch: p.Base[a][proto]}
	m.NVLink, m.Net = p.Hop[g.Intra][a][proto], p.Hop[Net][a][proto]
	if g.PerNode() == 1 { // nothing hides it, see latency
		m.Net = p.Hop[Net][Tree][proto]
	}
	if a == Ring && g.Nodes > 1 {
		m.NVLink = max(m.NVLink, p.post(proto, g))
	}
	m.Rate = p.channelRate(a, proto, g, channels)
	m.Pieces, m.Slots = p.pieces(c, a, proto, g, bytes, unit.Bytes(channels))
	m.Hops = p.hopPieces(m, g, bytes/unit.Bytes(channels*m.Pieces), channels)
	return m
}

// channelRate is the most data from rank to rank on a channel. NCCL's limits are of a channel of
// its graph; it opens more, which share what the graph's reach together. A ring sends each of its
// bus's bytes over a connection, a tree half of them up and half down.
func (p Params) channelRate(a Algorithm, proto Protocol, g Group, channels int) unit.Bitrate {
	graph := unit.Bitrate(p.Graph(g, a).Channels)
	var each unit.Bitrate
	switch {
	case p.Protocols[proto].Cap > 0:
		return p.Protocols[proto].Cap
	case proto == LL:
		each = p.LLMax[p.llRow(g)].For(g.Nodes) / graph
	case proto == LL128 && a == Tree:
		each = p.TreeLL128Max[g.Generation].For(g.Nodes)
	case proto == LL128:
		each = p.RingLL128Max[g.Generation].For(g.Nodes)
	case a == Tree:
		each = p.TreeMax[g.Generation].For(g.Nodes)
	}
	if a == Tree {
		each /= 2
	}
	return min(each, each*graph/unit.Bitrate(channels))
}

// pieces cuts a channel's share: a ring's chunk into slices, a chain's or tree's data into steps.
// With LL and LL128 each warp of a chain or tree passes on its lines as they come, so that bytes
// count once and not on each hop; so finely data are cut into at most fine pieces, more would change
// little. A ring's chunk is one slice: its hops take latency and bytes, as in NCCL's table.
func (p Params) pieces(c coll.Collective, a Algorithm, proto Protocol, g Group, bytes, channels unit.Bytes) (
	pieces, slots int) {
	const fine = 64
	if a == Direct {
		return 1, 0 // nothing is passed on
	}
	pp, share := p.Protocols[proto], (bytes+channels-1)/channels
	piece, perStep := p.Slice(c, a, proto), 1
	switch {
	case p.several(c, a, proto):
		// A chunk is cut into its slices even if it is short, but not into crumbs (prims_simple.h:
		// genericOp).
		share /= unit.Bytes(g.Ranks)
		perChunk := unit.Bytes(pp.ChunkSteps / pp.SliceSteps)
		piece = min(piece, max((share+perChunk-1)/perChunk, piece/32))
		return count(share, piece), p.Steps / pp.SliceSteps
	case a == Ring && c != coll.BroadcastFrom && c != coll.ReduceTo:
		share /= unit.Bytes(g.Ranks)
	case pp.Warp > 0:
		if a == Tree && proto == LL128 {
			piece = treeLL128Chunk(piece, g, bytes, channels)
		}
		perStep = max(1, min(count(share, pp.Warp), fine)/count(share, piece))
	}
	return min(count(share, piece)*perStep, maxPieces), p.Steps * perStep
}

// hopPieces are Messages.Hops. A GPU of a chain sends up and down at once.
func (p Params) hopPieces(m Messages, g Group, piece unit.Bytes, channels int) (hops [2]int) {
	gpu, _, _ := p.links(g)
	rate := of(ratio(int64(m.Data), int64(2*channels)*int64(m.Line)), gpu)
	if m.Rate > 0 {
		rate = min(rate, m.Rate)
	}
	takes := max(rate.TransmitTime(piece), unit.Nanosecond)
	for i, hop := range []unit.Duration{m.NVLink, m.Net} {
		hops[i] = int(min((hop+2*takes-1)/takes, maxPieces))
	}
	return hops
}

// count is how many pieces a share has, at least 1.
func count(share, piece unit.Bytes) int { return int(min(max((share+piece-1)/piece, 1), maxPieces)) }

// treeLL128Chunk is the chunk of a tree with LL128, smaller for few bytes (enqueue.cc:
// calcCollChunking, which compares in tenths: 1 + log2 of the nodes + a tenth of a node's ranks).
func treeLL128Chunk(chunk unit.Bytes, g Group, bytes, channels unit.Bytes) unit.Bytes {
	local := g.PerNode()
	tenths := 10 + 10*int(log2(g.Nodes)) + local
	for _, s := range []struct {
		times int
		least unit.Bytes
	}{{64, 128 * unit.Kibibyte}, {16, 32 * unit.Kibibyte}} {
		for int(bytes/(channels*chunk))*10*local < tenths*s.times && chunk > s.least {
			chunk /= 2
		}
	}
	return chunk
}

// nvlsMessages: the latency that NCCL's table has is that of all; two hops of it are over NVLink.
// Before a rank's part can be added it is copied to where the switch loads from, a chunk at a time,
// beside the one before it: each message is there that much later. The copy out of there is
// the time that a message of a chunk stands still until it is whole.
func (p Params) nvlsMessages(c coll.Collective, g Group, channels int, bytes unit.Bytes) Messages {
	chunk := p.nvlsChunk(bytes, channels*g.PerNode())
	share := (bytes + unit.Bytes(channels*g.PerNode()) - 1) / unit.Bytes(channels*g.PerNode())
	m := Messages{Data: unit.Bytes(p.NVLSEfficiency[g.Generation].Num), Line: unit.Bytes(p.NVLSEfficiency[g.Generation].Den),
		OnSwitch: true, Launch: p.Hop[NVLink][NVLS][Simple]}
	m.Pieces = min(count(share, chunk), maxRounds)
	gpu, host, _ := p.links(g)
	m.Hops = [2]int{1, 1}
	loop := min(bytes, chunk*unit.Bytes(channels*g.PerNode()))
	m.NVLink = carried(c, NVLS, g, of(p.NVLSEfficiency[g.Generation], gpu), host).TransmitTime(loop)
	if c == coll.AllReduce {
		m.NVLink /= 2 // a part and a sum
	}
	return m
}

// nvlsTreeMessages: inside hosts as nvlsMessages, with the chunks of NVLSTree; between hosts NCCL's
// latency of a hop. What NCCL's table allows of bus bandwidth is a limit of each head's share.
func (p Params) nvlsTreeMessages(g Group, channels int, bytes unit.Bytes) Messages {
	heads := g.PerNode()
	lanes := channels * heads
	chunk := p.nvlsTreeChunk(g, bytes, lanes)
	share := (bytes + unit.Bytes(lanes) - 1) / unit.Bytes(lanes)
	e := p.NVLSEfficiency[g.Generation]
	m := Messages{Data: unit.Bytes(e.Num), Line: unit.Bytes(e.Den), OnSwitch: true,
		Launch: p.Hop[NVLink][NVLSTree][Simple], Net: p.Hop[Net][NVLSTree][Simple]}
	m.Pieces = min(count(share, chunk), maxRounds)
	gpu, host, nic := p.links(g)
	m.NVLink = carried(coll.AllReduce, NVLS, Group{Ranks: heads, Nodes: 1}, of(e, gpu), host).TransmitTime(
		min(bytes, chunk*unit.Bytes(lanes))) / 2 // a part and a total
	limit := p.NVLSTreeMax[g.Generation].For(g.Nodes) * unit.Bitrate(p.Graph(g, NVLSTree).Channels)
	// A rank sends another of its host its part of that one's share, and the total of its own.
	m.Rate = 2 * of(ratio(int64(g.Ranks), int64(steps(coll.AllReduce, g.Ranks))), limit) / unit.Bitrate(lanes)
	takes := max((nic / unit.Bitrate(channels)).TransmitTime(share/unit.Bytes(m.Pieces)), unit.Nanosecond)
	m.Hops = [2]int{1, int(min((m.Net+2*takes-1)/takes, maxPieces))}
	return m
}

// nvlsTreeChunk is the part of a loop of one head on one channel (enqueue.cc: calcCollChunking; nvls.cc).
func (p Params) nvlsTreeChunk(g Group, bytes unit.Bytes, lanes int) unit.Bytes {
	chunk := p.NVLSChunk
	if g.Nodes >= 4 {
		chunk = min(chunk, 64*unit.Kibibyte)
	}
	for _, s := range p.NVLSTreeChunks {
		if bytes < unit.Bytes(s.Loops*lanes)*chunk && chunk > s.Bytes {
			chunk = s.Bytes
		}
	}
	return chunk
}

// patMessages: of a hop's latency NCCL's table counts 2/7, of each rank's part a time besides (tuning.cc), which all
// pass before the end: with the launch here. Chunks are as for many bytes and smaller for few (enqueue.cc: calcCollChunking).
func (p Params) patMessages(g Group, channels int, bytes unit.Bytes) Messages {
	pp := p.Protocols[Simple]
	chunk, loops := pp.Buffer/unit.Bytes(p.Steps), unit.Bytes(32)
	for chunk*unit.Bytes(channels)*loops > bytes && chunk > 64*unit.Kibibyte {
		chunk /= 2
	}
	part := (bytes + unit.Bytes(channels*g.Ranks) - 1) / unit.Bytes(channels*g.Ranks)
	return Messages{Data: pp.Data, Line: pp.Line, Launch: p.Base[PAT][Simple] + unit.Duration(g.Ranks)*p.PATRank,
		NVLink: p.Hop[NVLink][PAT][Simple], Net: p.Hop[Net][Tree][Simple] * 2 / 7,
		Pieces: min(count(part, chunk), maxRounds), Hops: [2]int{1, 1}}
}
