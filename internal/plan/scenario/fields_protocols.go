package scenario

import (
	"slices"

	"railyard/internal/base/unit"
)

// onlyProtocols says that a field belongs to scenarios in which a collective has one of NCCL's
// protocols.
var onlyProtocols = where(func(s *Scenario) string {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if (j.Train != nil || j.Model != nil || j.Replay != nil) && j.Collective.Protocol != ProtocolNone ||
			slices.ContainsFunc(j.Collectives, func(c CollectiveRow) bool { return c.Protocol != ProtocolNone }) {
			return ""
		}
	}
	return "no collective has a protocol"
})

// onlyMessages says that a field belongs to scenarios in which messages go by one of NCCL's protocols, none of which do where
// closed forms stand for all.
var onlyMessages = where(func(s *Scenario) string {
	if s.ByFormula() {
		return "run.network is formula: there are no messages"
	}
	return onlyProtocols(s)
})

// autoProtocol is the word of fields that may be as NCCL, or who made them, would have it.
const autoProtocol = string(ProtocolAuto)

// onlySliced says that a field belongs to scenarios in which schedules are cut as the buffers of a protocol are: those of
// protocols that the scenario names, and rows'.
var onlySliced = where(func(s *Scenario) string {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		named := j.Collective.Protocol.Named()
		if named && (j.Train != nil || j.Model != nil || j.Replay != nil) ||
			slices.ContainsFunc(j.Collectives, func(c CollectiveRow) bool { return c.Protocol != ProtocolNone }) {
			return ""
		}
	}
	return "no collective's schedule is cut as a protocol's buffer is"
})

// onlyNCCL says that a field belongs to scenarios in which NCCL's model has a say: by a protocol, or where a closed form stands
// for what ranks send.
var onlyNCCL = where(func(s *Scenario) string {
	why := onlyProtocols(s)
	formula := func(j Job) bool { return s.InsideByFormula(&j) }
	if why != "" && (slices.ContainsFunc(s.Jobs, formula) || s.ByFormula()) {
		return ""
	}
	return why
})

const (
	ncclTuning = "NCCL, src/graph/tuning.cc"
	ncclDevice = "NCCL, src/include/device.h"
)

// protocolDefaults are a protocol's constants as NCCL has them; package plan's tests hold them
// against package nccl.
type protocolDefaults struct {
	name, meaning                                                    string
	data, line, buffer, slice                                        string
	launchRing, launchTree, nvlinkRing, nvlinkTree, netRing, netTree string
}

var protocolFields = slices.Concat(
	[]*Field{
		{Path: "cluster.protocols", Meaning: "constants of NCCL's protocols"},
		{
			Path: "cluster.protocols.speed", Default: "1", Min: "1/100", Max: "100", applies: onlyNCCL,
			value: in(ratio, func(s *Scenario) *unit.Ratio { return &s.Cluster.Protocols.Speed }),
			Meaning: "how many times as fast as those of NCCL's table GPUs and hosts are: it divides each of the table's latencies, " +
				"those of the keys here among them, and multiplies its limits of rates and the speeds that its search tries",
			Source: "NCCL, src/graph/tuning.cc: limits on Blackwell are twice those on Hopper",
		},
	},
	ofProtocol(protocolDefaults{"ll", "LL: 4 B of data and 4 B of flag", "8B", "16B", "512KiB", "1",
		"6.6us", "6.8us", "600ns", "600ns", "2.7us", "5us"},
		func(p *ProtocolConstants) *Protocol { return &p.LL }),
	ofProtocol(protocolDefaults{"ll128", "LL128: 120 B of data and 8 B of flag", "120B", "128B", "4915200B", "1",
		"14us", "14us", "1.9us", "1.25us", "4us", "8.5us"},
		func(p *ProtocolConstants) *Protocol { return &p.LL128 }),
	ofProtocol(protocolDefaults{"simple", "Simple: slices of data, then a flag", "1B", "1B", "4MiB", "2",
		"8.4us", "8.4us", "3.4us", "4us", "14us", "14us"},
		func(p *ProtocolConstants) *Protocol { return &p.Simple }),
	[]*Field{
		{Path: "cluster.protocols.nvls", Meaning: "a switch in the host that adds and copies"},
		{
			Path: "cluster.protocols.nvls.efficiency", Default: "auto", Word: "auto", Min: "1/1000", Max: "1",
			applies: onlyNCCL,
			value: in(opt(ratio), func(s *Scenario) *Opt[unit.Ratio] {
				return &s.Cluster.Protocols.NVLSEfficiency
			}),
			Meaning: "part of what NVLink moves that it moves through such a switch; auto: 85% of Hopper's, 74% of " +
				"Blackwell's",
			Source: ncclTuning,
		},
		{
			Path: "cluster.protocols.nvls.launch", Default: "25us", Min: "0ns", Max: "10ms", applies: onlyNCCL,
			value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Cluster.Protocols.NVLSLaunch }),
			Meaning: "latency of the whole collective, two ways over NVLink among it",
			Source:  ncclTuning,
		},
		{
			Path: "cluster.protocols.nvls.chunk", Default: "128KiB", Min: "1KiB", Max: "1GiB", applies: onlyNCCL,
			value: in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Cluster.Protocols.NVLSChunk }),
			Meaning: "data of a rank's share on a channel that are added at a time; small sizes take 64, 32 or 16 KiB, " +
				"as in NCCL",
			Source: "NCCL, src/transport/nvls.cc, src/enqueue.cc",
		},
	},
)

// ofProtocol is the fields of a protocol.
func ofProtocol(d protocolDefaults, of func(*ProtocolConstants) *Protocol) []*Field {
	at := "cluster.protocols." + d.name
	p := func(s *Scenario) *Protocol { return of(&s.Cluster.Protocols) }
	bytes := func(key, value, least, meaning, source string, applies func(any) string, f func(*Protocol) *unit.Bytes) *Field {
		return &Field{
			Path: at + "." + key, Default: value, Min: least, Max: "1GiB", applies: applies,
			value:   in(byteCount, func(s *Scenario) *unit.Bytes { return f(p(s)) }),
			Meaning: meaning, Source: source,
		}
	}
	time := func(key, value, meaning string, f func(*Protocol) *unit.Duration) *Field {
		return &Field{
			Path: at + "." + key, Default: value, Min: "0ns", Max: "10ms", applies: onlyNCCL,
			value:   in(duration, func(s *Scenario) *unit.Duration { return f(p(s)) }),
			Meaning: meaning, Source: ncclTuning,
		}
	}
	return []*Field{
		{Path: at, Meaning: d.meaning},
		bytes("data", d.data, "1B", "data in each line", ncclDevice, onlyNCCL, func(p *Protocol) *unit.Bytes { return &p.Data }),
		bytes("line", d.line, "1B", "what a line takes on the wire", ncclDevice, onlyNCCL,
			func(p *Protocol) *unit.Bytes { return &p.Line }),
		bytes("buffer", d.buffer, "1KiB", "lines that the receiver holds per channel and connection, in 8 steps",
			"NCCL, src/init.cc", onlySliced, func(p *Protocol) *unit.Bytes { return &p.Buffer }),
		{
			Path: at + ".slice", Default: d.slice, Min: "1", Max: "8", applies: onlySliced,
			value:   in(whole, func(s *Scenario) *int { return &p(s).Slice }),
			Meaning: "steps of the buffer that a ring sends as one",
			Source:  "NCCL, src/include/collectives.h",
		},
		time("launch_ring", d.launchRing, "base latency of a ring, the kernel's launch included; the longer of it and "+
			"cluster.host.launch counts", func(p *Protocol) *unit.Duration { return &p.LaunchRing }),
		time("launch_tree", d.launchTree, "base latency of a tree", func(p *Protocol) *unit.Duration {
			return &p.LaunchTree
		}),
		time("nvlink_ring", d.nvlinkRing, "latency of a hop of a ring over NVLink, instead of "+
			"cluster.host.nvlink_latency", func(p *Protocol) *unit.Duration { return &p.NVLinkRing }),
		time("nvlink_tree", d.nvlinkTree, "latency of a hop of a tree over NVLink", func(p *Protocol) *unit.Duration {
			return &p.NVLinkTree
		}),
		time("net_ring", d.netRing, "latency of a hop of a ring between hosts; what the shortest path of the idle network "+
			"takes of it is not added to what the network takes", func(p *Protocol) *unit.Duration { return &p.NetRing }),
		time("net_tree", d.netTree, "latency of a hop of a tree between hosts", func(p *Protocol) *unit.Duration {
			return &p.NetTree
		}),
		{
			Path: at + ".rate", Default: "auto", Word: "auto", Min: "1MB/s", Max: "100TB/s", applies: onlyMessages,
			value: in(opt(byteRate), func(s *Scenario) *Opt[unit.Bitrate] { return &p(s).Rate }),
			Meaning: "most data from a rank to another over NVLink on a channel; auto: NCCL's limits by algorithm, " +
				"generation and number of hosts",
			Source: ncclTuning,
		},
	}
}

// ByFormula reports whether the network is not run: nothing is sent, and collectives take what a formula says.
func (s *Scenario) ByFormula() bool { return s.Run.Network == "formula" }
