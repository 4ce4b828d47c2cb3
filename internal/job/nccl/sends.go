package nccl

import (
	"math/bits"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// SendParams are the constants of sends and receives.
type SendParams struct {
	LL    unit.Bytes       // the most bytes per peer and channel that a send takes LL for
	Chunk [hops]unit.Bytes // over NVLink, PCI and between hosts
	// A peer behind NICs has a channel for Channel units of their rate, which NCCL counts in whole ones; a channel takes Batch
	// sends at once.
	Unit           unit.Bitrate
	Channel, Batch int
	NVLink         [generations]unit.Bitrate // of one link, raw, per direction
}

// sends are those published: enqueue.cc: P2P_LL_THRESHOLD; init.cc: P2P_..._CHUNKSIZE; paths.cc: P2P_PER_CHANNEL_NET_BW;
// device.h: NCCL_MAX_DEV_WORK_P2P_PER_BATCH.
func sends() SendParams {
	return SendParams{
		LL:    16 * unit.Kibibyte,
		Chunk: [hops]unit.Bytes{512 * unit.Kibibyte, 128 * unit.Kibibyte, 128 * unit.Kibibyte},
		Unit:  gBs, Channel: 14, Batch: 8,
		NVLink: [generations]unit.Bitrate{25 * gBs, 25 * gBs, 25 * gBs, 50 * gBs},
	}
}

// perPeer is what a rank sends each peer of a collective that is sends and receives, of bytes counted as Choose counts them.
func perPeer(c coll.Collective, bytes unit.Bytes, g Group) unit.Bytes {
	if c == coll.SendReceive {
		return bytes
	}
	peers := unit.Bytes(max(1, g.Ranks))
	return (bytes + peers - 1) / peers
}

// sendChunk is how many bytes of a send go together over a group's links (init.cc: computeBuffSizes).
func (p Params) sendChunk(g Group) unit.Bytes {
	hop := g.Intra
	if g.Nodes > 1 {
		hop = Net
	}
	return min(p.Sends.Chunk[hop], p.Step(Simple))
}

// peerChannels is how many channels NCCL connects to each peer, of how many for sends in all, both powers of two: over
// NVLink two per link, over PCI two, over NICs one for so many bytes per second (SendParams). Over several hosts fewer, so that
// all peers' sends have room on the channels at once (paths.cc: ncclTopoGetNchannels, ncclTopoComputeP2pChannels; NCCL 2.30).
func (p Params) peerChannels(g Group) (each, all int) {
	all = pow2Up(p.channels(g))
	each = p.MaxChannels
	if g.PerNode() > 1 {
		each = 2
		if g.Intra == NVLink {
			each *= max(1, int(g.IntraRate/p.Sends.NVLink[g.Generation]))
		}
	}
	if g.Nodes == 1 {
		return min(pow2Up(each), all), all
	}
	nics := max(1, g.NICs/g.PerNode())
	units := int(unit.Bitrate(nics) * g.NICRate / p.Sends.Unit)
	each = pow2Up(min(each, max(nics, (units+p.Sends.Channel-1)/p.Sends.Channel)))
	for each > 1 && each*((g.Ranks+p.Sends.Batch-1)/p.Sends.Batch) > all {
		each /= 2
	}
	return each, all
}

// sendChannels is over how many channels NCCL spreads a send of bytes to one peer: few where many peers share the channels,
// and more again as long as a part is large (enqueue.cc: scheduleP2pTasksToPlan, addP2pToPlan).
func (p Params) sendChannels(bytes unit.Bytes, g Group) int {
	each, all := p.peerChannels(g)
	n, chunk := each, p.sendChunk(g)
	for n > 1 && n*g.Ranks > all {
		n /= 2
	}
	least, most := chunk/8, chunk*32
	if g.Nodes > 1 {
		least, most = chunk/2, chunk
	}
	n = max(1, int(min(unit.Bytes(n), (bytes+least-1)/least)))
	for 2*n <= each && (bytes+unit.Bytes(n)-1)/unit.Bytes(n) > most {
		n *= 2
	}
	return n
}

// pow2Up is the least power of two that is at least n, of n from 1 on.
func pow2Up(n int) int { return 1 << bits.Len(uint(n-1)) }
