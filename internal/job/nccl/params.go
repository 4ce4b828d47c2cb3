package nccl

import (
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Units of NCCL's tables.
const (
	us  = 1_000_000     // picoseconds
	gBs = 8_000_000_000 // bits per second
)

// ProtocolParams is what a protocol is.
type ProtocolParams struct {
	Data, Line unit.Bytes // of each line on the wire so many bytes are data
	Buffer     unit.Bytes // per channel and connection
	SliceSteps int        // steps of the buffer that are sent as one, in a ring
	ChunkSteps int        // steps of a ring's chunk, in a ring
	Threads    int        // per channel, at most
	Warp       unit.Bytes // data that a chain or tree passes on as they come; 0: whole steps
	// PerThread is the least work of a thread: fewer bytes take fewer channels. Of a ring with LL
	// it is multiplied by the ranks.
	PerThread unit.Bytes
	// Cap is the most data per time from rank to rank on a channel, if not 0; else NCCL's limits.
	Cap unit.Bitrate
}

// Efficiency is the part of what a wire carries that is data.
func (p ProtocolParams) Efficiency() unit.Ratio { return ratio(int64(p.Data), int64(p.Line)) }

// ByNodes is a value for one node, two, and more.
type ByNodes [3]unit.Bitrate

// For returns the value for so many nodes.
func (b ByNodes) For(nodes int) unit.Bitrate { return b[min(nodes, len(b))-1] }

// Latencies are times by algorithm and protocol.
type Latencies [algorithms][protocols]unit.Duration

// Params are all constants of the model. Default has NCCL's.
type Params struct {
	Steps     int // slots of each buffer
	Protocols [protocols]ProtocolParams

	Base Latencies       // of a whole collective
	Hop  [hops]Latencies // of each step
	// NetOverhead is what a host takes to post a message, NetOverheadAMD if its processors are
	// AMD's.
	NetOverhead, NetOverheadAMD unit.Duration

	// LLMax is the most that a ring or tree reaches with LL, as bus bandwidth. Over nodes the row
	// of Volta holds for Intel hosts, that of Ampere for AMD hosts.
	LLMax [generations]ByNodes
	// Caps per channel.
	RingLL128Max, TreeMax, TreeLL128Max, NVLSTreeMax [generations]ByNodes

	RingLL128 unit.Ratio // of a ring's bandwidth with LL128
	Tree      unit.Ratio // of a tree's bandwidth
	TreeLL    unit.Ratio // and of that with LL
	TreeLL128 [2]unit.Ratio
	PAT       unit.Ratio
	// TreeCorrection is by size, 64 B and each power of two above.
	TreeCorrection [protocols][]unit.Ratio
	// RingPlateau multiplies the latency of a ring with Simple over nodes from 64 B per channel and
	// rank on.
	RingPlateau, RingPlateauVolta unit.Ratio
	Arity                         unit.Duration // CollNetDirect, per GPU of a host
	PATRank                       unit.Duration // PAT, per rank

	NVLSEfficiency [generations]unit.Ratio // of a reducing NVSwitch; 0: it has none
	NVLSChannels   [generations][2]int     // in one node, over nodes
	NVLSChunk      unit.Bytes              // per channel and head, at most
	// NVLSChunks are the smaller chunks of smaller sizes: below Loops whole loops a chunk has so
	// many bytes.
	NVLSChunks, NVLSTreeChunks []NVLSChunk
	// NVLSStages is what a chunk passes through in turn: copied to the switch's buffer, reduced and
	// sent to all, copied to the result.
	NVLSStages int

	// Speeds are the bandwidths per channel that the search tries, inside a node and between nodes.
	Speeds      [generations][2][]unit.Bitrate
	MaxChannels int
	// From FastChannel on a channel is two of half the speed: on generations up to Ampere, or if there are at most FewChannels
	// of them, or from FasterChannel on. A ring that reaches no more than SlowRing takes half of the threads with Simple.
	FastChannel, FasterChannel, SlowRing unit.Bitrate
	FewChannels                          int
	// NVLinkShare is what NCCL counts on of an NVLink's raw rate, PCIShare of that of a PCIe link.
	NVLinkShare [generations]unit.Ratio
	PCIShare    unit.Ratio

	Sends SendParams

	// NVLinkEfficiency is what of an NVLink's raw rate moves data: calibrated, see Calibrate.
	NVLinkEfficiency unit.Ratio
	// NetEfficiency is what of a NIC's rate moves data.
	NetEfficiency unit.Ratio
}

// NVLSChunk is a chunk size of NVLS and the sizes that it serves.
type NVLSChunk struct {
	Loops int
	Bytes unit.Bytes
}

// Default returns the constants as published.
func Default() Params {
	return Params{
		Steps: 8, // NCCL_STEPS, device.h
		Protocols: [protocols]ProtocolParams{
			// Lines of 16 B with 8 of data, 8 per thread and step (device.h:
			// NCCL_LL_LINES_PER_THREAD).
			LL: {Data: 8, Line: 16, Buffer: 8 * 512 * 8 * 16, SliceSteps: 1, ChunkSteps: 1,
				Threads: 512, Warp: 32 * 8, PerThread: 8},
			// Lines of 128 B with 120 of data (device.h: NCCL_LL128_ELEMS_PER_THREAD).
			LL128: {Data: 120, Line: 128, Buffer: 120 * 640 * 8 * 8, SliceSteps: 1, ChunkSteps: 1,
				Threads: 640, Warp: 32 * 8 * 8 * 120 / 128, PerThread: 8},
			// init.cc: DEFAULT_BUFFSIZE; collectives.h: NCCL_STEPS/4 and /2; comm.h: the
			// thresholds.
			Simple: {Data: 1, Line: 1, Buffer: 4 * unit.Mebibyte, SliceSteps: 2, ChunkSteps: 4,
				Threads: 512, PerThread: 64},
		},

		// tuning.cc: baseLatencies, hwLatencies. Direct is not in it: as a ring.
		Base: Latencies{
			Tree: {6.8 * us, 14 * us, 8.4 * us}, Ring: {6.6 * us, 14 * us, 8.4 * us},
			PAT: {8 * us, 8 * us, 8 * us}, Direct: {6.6 * us, 14 * us, 8.4 * us},
		},
		Hop: [hops]Latencies{
			NVLink: {
				Tree: {0.6 * us, 1.25 * us, 4 * us}, Ring: {0.6 * us, 1.9 * us, 3.4 * us},
				CollNetDirect: {Simple: 3.7 * us}, CollNetChain: {Simple: 2.8 * us},
				NVLS: {Simple: 25 * us}, NVLSTree: {Simple: 25 * us}, PAT: {Simple: 4 * us},
				Direct: {0.6 * us, 1.9 * us, 3.4 * us},
			},
			PCI: {
				Tree: {1 * us, 1.9 * us, 4 * us}, Ring: {1 * us, 2.5 * us, 5.7 * us},
				CollNetDirect: {Simple: 3.7 * us}, CollNetChain: {Simple: 2.8 * us}, PAT: {Simple: 4 * us},
				Direct: {1 * us, 2.5 * us, 5.7 * us},
			},
			Net: {
				Tree: {5 * us, 8.5 * us, 14 * us}, Ring: {2.7 * us, 4 * us, 14 * us},
				CollNetDirect: {Simple: 31 * us}, CollNetChain: {Simple: 30 * us},
				NVLS: {Simple: 18 * us}, NVLSTree: {Simple: 20.9 * us}, PAT: {Simple: 14 * us},
				Direct: {2.7 * us, 4 * us, 14 * us},
			},
		},
		NetOverhead: 1 * us, NetOverheadAMD: 2 * us, // tuning.cc: getNetOverhead

		// tuning.cc: llMaxBws, perChMax...Bws, nvlsEfficiency.
		LLMax: [generations]ByNodes{
			{39 * gBs, 39 * gBs, 20.4 * gBs}, {87.7 * gBs, 22.5 * gBs, 19 * gBs},
			{141 * gBs, 45 * gBs, 35 * gBs}, {282 * gBs, 90 * gBs, 70 * gBs},
		},
		RingLL128Max: [generations]ByNodes{
			{20 * gBs, 20 * gBs, 20 * gBs}, {20 * gBs, 20 * gBs, 20 * gBs},
			{36.7 * gBs, 36.7 * gBs, 36.7 * gBs}, {40 * gBs, 40 * gBs, 40 * gBs},
		},
		TreeMax: [generations]ByNodes{
			{26.5 * gBs, 18.5 * gBs, 10 * gBs}, {24 * gBs, 23.6 * gBs, 17.8 * gBs},
			{38.7 * gBs, 41.4 * gBs, 36 * gBs}, {70 * gBs, 42.8 * gBs, 24 * gBs},
		},
		TreeLL128Max: [generations]ByNodes{
			{20 * gBs, 20 * gBs, 20 * gBs}, {20 * gBs, 20 * gBs, 20 * gBs},
			{36.7 * gBs, 36.7 * gBs, 29 * gBs}, {55.6 * gBs, 31.67 * gBs, 20 * gBs},
		},
		NVLSTreeMax: [generations]ByNodes{
			{26.5 * gBs, 18.5 * gBs, 10 * gBs}, {24 * gBs, 23.6 * gBs, 17.8 * gBs},
			{0, 57.7 * gBs, 45.5 * gBs}, {0, 96 * gBs, 80 * gBs},
		},
		NVLSEfficiency: [generations]unit.Ratio{{Den: 1}, {Den: 1}, ratio(85, 100), ratio(74, 100)},

		// tuning.cc: ncclTopoTuneModel, treeCorrectionFactor, ncclTopoGetAlgoTime.
		RingLL128: ratio(92, 100), Tree: ratio(92, 100), TreeLL: ratio(10, 38),
		TreeLL128: [2]unit.Ratio{ratio(7, 9), ratio(120, 128)}, PAT: ratio(75, 100),
		TreeCorrection: [protocols][]unit.Ratio{
			tenths("10 10 10 10 9 8 7 7 7 7 6 5 4 4 5 6 7 8 9"),
			tenths("10 10 10 10 10 9 8 8 8 7 6 6 6 6 6 6 8 9 9 9 9"),
			tenths("9 9 9 9 9 9 9 8 7 6 6 5 5 5 5 6 7 8 7 7 8 9 9 9"),
		},
		RingPlateau: ratio(14, 10), RingPlateauVolta: ratio(19, 10),
		Arity: 0.4 * us, PATRank: 2.8 * us,

		// nvls.cc: NVLS_NCHANNELS..., NVLS_CHUNKSIZE; enqueue.cc: calcCollChunking; all_reduce.h:
		// scatter, reduce, gather.
		NVLSChannels: [generations][2]int{{}, {}, {16, 16}, {24, 32}},
		NVLSChunk:    128 * unit.Kibibyte,
		NVLSChunks:   []NVLSChunk{{64, 64 * unit.Kibibyte}, {8, 32 * unit.Kibibyte}, {2, 16 * unit.Kibibyte}},
		NVLSTreeChunks: []NVLSChunk{{32, 256 * unit.Kibibyte}, {16, 128 * unit.Kibibyte}, {4, 64 * unit.Kibibyte},
			{1, 32 * unit.Kibibyte}},
		NVLSStages: 3,

		// search.cc: speedArray...; topo.h: SM..._NVLINK_BW per link of 25 or 50 GB/s, PCI_BW of
		// 15.75 GB/s.
		Speeds: [generations][2][]unit.Bitrate{
			{sm70Intra, sm70Inter}, {sm70Intra, sm70Inter}, {sm90Intra, sm90Inter}, {sm100Intra, sm100Inter},
		},
		MaxChannels: 64,
		// search.cc: ncclTopoDupChannels; tuning.cc: simpleDefaultThreads.
		FastChannel: 25 * gBs, FasterChannel: 50 * gBs, FewChannels: 4, SlowRing: 12 * gBs,
		NVLinkShare: [generations]unit.Ratio{ratio(200, 250), ratio(200, 250), ratio(206, 250), ratio(401, 500)},
		PCIShare:    ratio(1200, 1575),

		Sends: sends(),

		// Measured: an all-reduce over 8 x H200 without NVLS reaches 367.61 of 450 GB/s of bus
		// bandwidth (stas00/ml-engineering, NCCL 2.27). A frame with 4096 B of data takes 4178 B on
		// Ethernet (RoCEv2).
		NVLinkEfficiency: ratio(36761, 45000),
		NetEfficiency:    ratio(4096, 4178),
	}
}

// search.cc: speeds per channel, for Volta and Ampere, Hopper, Blackwell.
var (
	sm70Intra = []unit.Bitrate{40 * gBs, 30 * gBs, 20 * gBs, 18 * gBs, 15 * gBs, 12 * gBs, 10 * gBs, 9 * gBs,
		7 * gBs, 6 * gBs, 5 * gBs, 4 * gBs, 3 * gBs}
	sm70Inter = []unit.Bitrate{48 * gBs, 30 * gBs, 28 * gBs, 24 * gBs, 20 * gBs, 18 * gBs, 15 * gBs, 12 * gBs,
		10 * gBs, 9 * gBs, 7 * gBs, 6 * gBs, 5 * gBs, 4 * gBs, 3 * gBs, 2.4 * gBs, 1.2 * gBs, 0.24 * gBs, 0.12 * gBs}
	sm90Intra = []unit.Bitrate{60 * gBs, 50 * gBs, 40 * gBs, 30 * gBs, 24 * gBs, 20 * gBs, 15 * gBs, 12 * gBs,
		11 * gBs, 6 * gBs, 3 * gBs}
	sm90Inter = []unit.Bitrate{48 * gBs, 45 * gBs, 42 * gBs, 40 * gBs, 30 * gBs, 24 * gBs, 22 * gBs, 20 * gBs,
		17.5 * gBs, 15 * gBs, 12 * gBs, 6 * gBs, 3 * gBs, 2.4 * gBs, 1.2 * gBs, 0.24 * gBs, 0.12 * gBs}
	sm100Intra = []unit.Bitrate{90 * gBs, 80 * gBs, 70 * gBs, 60 * gBs, 50 * gBs, 45 * gBs, 40 * gBs, 30 * gBs,
		24 * gBs, 20 * gBs, 19 * gBs, 18 * gBs}
	sm100Inter = []unit.Bitrate{96 * gBs, 86 * gBs, 80 * gBs, 48 * gBs, 45.1 * gBs, 42 * gBs, 40 * gBs, 30 * gBs,
		24 * gBs, 22 * gBs, 20 * gBs, 17.5 * gBs, 15 * gBs, 12 * gBs, 6 * gBs, 3 * gBs, 2.4 * gBs, 1.2 * gBs,
		0.24 * gBs, 0.12 * gBs}
)

func ratio(n, d int64) unit.Ratio { return unit.Ratio{Num: n, Den: d} }

// tenths reads a list of tenths.
func tenths(list string) []unit.Ratio {
	var rs []unit.Ratio
	n := int64(0)
	for _, c := range list + " " {
		if c == ' ' {
			rs, n = append(rs, ratio(n, 10)), 0
			continue
		}
		n = 10*n + int64(c-'0')
	}
	return rs
}

// Step is the data that one step of a buffer holds.
func (p Params) Step(proto Protocol) unit.Bytes {
	pp := p.Protocols[proto]
	return unit.Bytes(pp.Efficiency().Of(int64(pp.Buffer))) / unit.Bytes(p.Steps)
}

// Slice is how many bytes of data are sent as one, Chunk how many of a rank's data go round
// together, with this algorithm and protocol. Only rings with Simple put several steps into one
// (enqueue.cc: calcCollChunking); broadcast, reduce and sends take one (collectives.h).
func (p Params) Slice(c coll.Collective, a Algorithm, proto Protocol) unit.Bytes {
	if !p.several(c, a, proto) {
		return p.Step(proto)
	}
	return p.Step(proto) * unit.Bytes(p.Protocols[proto].SliceSteps)
}

func (p Params) several(c coll.Collective, a Algorithm, proto Protocol) bool {
	return a == Ring && proto == Simple &&
		(c == coll.AllReduce || c == coll.AllGather || c == coll.ReduceScatter)
}
