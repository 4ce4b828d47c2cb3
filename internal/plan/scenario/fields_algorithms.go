package scenario

import (
	"strconv"

	"railyard/internal/base/unit"
)

const (
	hpccPaper   = "HPCC (SIGCOMM'19)"
	hpccModel   = hpccPaper + ", authors' simulator"
	timelyPaper = "TIMELY (SIGCOMM'15)"
	dctcpPaper  = "DCTCP (SIGCOMM'10)"
	swiftPaper  = "Swift (SIGCOMM'20)"
)

var (
	onlyHPCC   = onlyAlgorithm(ByHPCC)
	onlyTIMELY = onlyAlgorithm(ByTIMELY)
	onlyDCTCP  = onlyAlgorithm(ByDCTCP)
	onlySwift  = onlyAlgorithm(BySwift)
)

// onlyFlowScale says that a field belongs to Swift's flow scaling.
func onlyFlowScale(s *Scenario) string {
	if why := onlySwift(s); why != "" {
		return why
	}
	if s.Congestion.Swift.FlowScaleRange == 0 {
		return "congestion.swift.flow_scale_range is 0"
	}
	return ""
}

// onlyDCTCPRate and onlyDCTCPWindow say that a field belongs to DCTCP that controls a rate, or a
// window.
func onlyDCTCPRate(s *Scenario) string {
	if why := onlyDCTCP(s); why != "" {
		return why
	}
	if !s.Congestion.DCTCP.RateAI.Set {
		return "congestion.dctcp.rate_ai is none"
	}
	return ""
}

func onlyDCTCPWindow(s *Scenario) string {
	if why := onlyDCTCP(s); why != "" {
		return why
	}
	if s.Congestion.DCTCP.RateAI.Set {
		return "congestion.dctcp.rate_ai makes it control a rate"
	}
	return ""
}

// algorithmFields: the other congestion controls, each with its paper's parameters.
var algorithmFields = []*Field{
	{Path: "congestion.hpcc", Meaning: "HPCC: a window from in-band telemetry of every hop"},
	{
		Path: "congestion.hpcc.eta", Default: "95%", Min: "1/100", Max: "1", applies: where(onlyHPCC),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.HPCC.Eta }),
		Meaning: "utilisation aimed at",
		Source:  hpccPaper,
	},
	{
		Path: "congestion.hpcc.max_stage", Default: "5", Min: "0", Max: "1000", applies: where(onlyHPCC),
		value:   in(whole, func(s *Scenario) *int { return &s.Congestion.HPCC.MaxStage }),
		Meaning: "additive steps before a multiplicative one",
		Source:  hpccPaper,
	},
	{
		Path: "congestion.hpcc.ai", Default: "80B", Min: "0B", Max: "1GB", applies: where(onlyHPCC),
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Congestion.HPCC.AI }),
		Meaning: "additive step of the window, W_AI",
		Source:  hpccPaper + ", for 100 Gb/s ports",
	},
	{
		Path: "congestion.hpcc.rate_ai", Default: "none", Word: "none", Min: "1b/s", Max: "10Tb/s",
		applies: where(onlyHPCC),
		value:   in(opt(rate), func(s *Scenario) *Opt[unit.Bitrate] { return &s.Congestion.HPCC.RateAI }),
		Meaning: "the additive step as a rate, over base_rtt; none: ai",
		Source:  hpccPaper,
	},
	{
		Path: "congestion.hpcc.base_rtt", Default: "auto", Word: "auto", Min: "1ns", Max: "1s", applies: where(onlyHPCC),
		value:   in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Congestion.HPCC.BaseRTT }),
		Meaning: "T, the round trip of the idle network; auto: each queue pair's own",
		Source:  hpccPaper,
	},
	{
		Path: "congestion.hpcc.min_rate", Default: "100Mb/s", Min: "1kb/s", Max: "10Tb/s", applies: where(onlyHPCC),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Congestion.HPCC.MinRate }),
		Meaning: "a sender never goes below",
		Source:  "HPCC (SIGCOMM'19), authors' simulator",
	},
	{
		Path: "congestion.hpcc.tx_unit", Default: "1B", Min: "1B", Max: "64kB", applies: where(onlyHPCC),
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Congestion.HPCC.TxUnit }),
		Meaning: "the telemetry header counts bytes sent in this, rounded down",
		Source:  hpccModel + ": 512 B for 100 Gb/s ports",
	},
	{
		Path: "congestion.hpcc.queue_unit", Default: "1B", Min: "1B", Max: "64kB", applies: where(onlyHPCC),
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Congestion.HPCC.QueueUnit }),
		Meaning: "the telemetry header counts queued bytes in this, rounded down",
		Source:  hpccModel + ": 320 B for 100 Gb/s ports",
	},
	{
		Path: "congestion.hpcc.fast_react", Default: "true", applies: where(onlyHPCC),
		value:   in(boolean, func(s *Scenario) *bool { return &s.Congestion.HPCC.FastReact }),
		Meaning: "every acknowledgement sets the window; false: only the one that ends a round trip",
		Source:  hpccPaper,
	},
	{
		Path: "congestion.hpcc.repace", Default: "false", applies: where(onlyHPCC),
		value: in(boolean, func(s *Scenario) *bool { return &s.Congestion.HPCC.Repace }),
		Meaning: "a change of rate moves the start of the next packet; false: it counts from the packet after " +
			"that",
		Source: assumed,
	},

	{Path: "congestion.timely", Meaning: "TIMELY: a rate from the gradient of the round-trip time"},
	{
		Path: "congestion.timely.alpha", Default: "7/8", Min: "1/65536", Max: "1", applies: where(onlyTIMELY),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.TIMELY.Alpha }),
		Meaning: "weight of the newest difference of round-trip times",
		Source:  "HPCC (SIGCOMM'19), authors' simulator; the paper gives no figure",
	},
	{
		Path: "congestion.timely.beta", Default: "80%", Min: "1/65536", Max: "1", applies: where(onlyTIMELY),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.TIMELY.Beta }),
		Meaning: "factor of the multiplicative decrease",
		Source:  timelyPaper,
	},
	{
		Path: "congestion.timely.max_decrease", Default: "1", Min: "1/65536", Max: "1", applies: where(onlyTIMELY),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.TIMELY.MaxDecrease }),
		Meaning: "most that one decrease takes away",
		Source:  timelyPaper,
	},
	{
		Path: "congestion.timely.low", Default: "50us", Min: "1ns", Max: "1s", applies: where(onlyTIMELY),
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Congestion.TIMELY.Low }),
		Meaning: "below this round-trip time the rate rises",
		Source:  timelyPaper,
	},
	{
		Path: "congestion.timely.high", Default: "500us", Min: "1ns", Max: "1s", applies: where(onlyTIMELY),
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Congestion.TIMELY.High }),
		Meaning: "above this round-trip time the rate falls",
		Source:  timelyPaper,
	},
	{
		Path: "congestion.timely.min_rtt", Default: "20us", Word: "auto", Min: "1ns", Max: "1s",
		applies: where(onlyTIMELY),
		value:   in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Congestion.TIMELY.MinRTT }),
		Meaning: "divides the gradient; auto: the round trip of the idle network",
		Source:  "HPCC (SIGCOMM'19), authors' simulator",
	},
	{
		Path: "congestion.timely.ai", Min: "0b/s", Max: "10Tb/s", Rule: "10Mb/s per 10 Gb/s of cluster.nic.speed",
		applies: where(onlyTIMELY),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Congestion.TIMELY.AI }),
		derive: func(d *decoder, b any, _ string) string {
			return (b.(*Scenario).Cluster.NIC.Speed / 1000).String()
		},
		Meaning: "step of additive increase",
		Source:  timelyPaper,
	},
	{
		Path: "congestion.timely.hai_after", Default: "5", Min: "1", Max: "1000", applies: where(onlyTIMELY),
		value:   in(whole, func(s *Scenario) *int { return &s.Congestion.TIMELY.HAIAfter }),
		Meaning: "completions without a rising round trip before the steps are so many times as large",
		Source:  timelyPaper,
	},
	{
		Path: "congestion.timely.hai", Default: "auto", Word: "auto", Min: "1b/s", Max: "10Tb/s",
		applies: where(onlyTIMELY),
		value:   in(opt(rate), func(s *Scenario) *Opt[unit.Bitrate] { return &s.Congestion.TIMELY.HAI }),
		Meaning: "the larger step; auto: hai_after x ai",
		Source:  timelyPaper,
	},
	{
		Path: "congestion.timely.hai_below_low", Default: "false", applies: where(onlyTIMELY),
		value:   in(boolean, func(s *Scenario) *bool { return &s.Congestion.TIMELY.HAIBelowLow }),
		Meaning: "round trips below low count towards hai_after, and take the larger step too",
		Source:  timelyPaper,
	},
	{
		Path: "congestion.timely.segment", Default: "16kB", Word: "round-trip", Min: "1B", Max: "1GB",
		applies: where(onlyTIMELY),
		value:   in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] { return &s.Congestion.TIMELY.Segment }),
		Meaning: "bytes acknowledged per decision; round-trip: a decision in each",
		Source:  timelyPaper,
	},
	{
		Path: "congestion.timely.min_rate", Default: "10Mb/s", Min: "1kb/s", Max: "10Tb/s", applies: where(onlyTIMELY),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Congestion.TIMELY.MinRate }),
		Meaning: "a sender never goes below",
		Source:  assumed,
	},

	{Path: "congestion.dctcp", Meaning: "DCTCP: a window cut by the part of marked bytes"},
	{
		Path: "congestion.dctcp.g", Default: "1/16", Min: "1/65536", Max: "1", applies: where(onlyDCTCP),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.DCTCP.G }),
		Meaning: "gain of the estimate of the marked part",
		Source:  dctcpPaper,
	},
	{
		Path: "congestion.dctcp.mss", Min: "1B", Max: "1MB", Rule: "transport.mtu", applies: where(onlyDCTCP),
		value: in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Congestion.DCTCP.MSS }),
		derive: func(d *decoder, b any, _ string) string {
			return strconv.FormatInt(int64(b.(*Scenario).Transport.MTU), 10) + "B"
		},
		Meaning: "step of the window in a round trip without marks: one packet",
		Source:  dctcpPaper,
	},
	{
		Path: "congestion.dctcp.rate_ai", Default: "none", Word: "none", Min: "1b/s", Max: "10Tb/s",
		applies: where(onlyDCTCP),
		value:   in(opt(rate), func(s *Scenario) *Opt[unit.Bitrate] { return &s.Congestion.DCTCP.RateAI }),
		Meaning: "makes a rate of what is controlled, which grows by this in a round trip without marks; " +
			"none: a window",
		Source: dctcpPaper,
	},
	{
		Path: "congestion.dctcp.min_rate", Default: "100Mb/s", Min: "1kb/s", Max: "10Tb/s",
		applies: where(onlyDCTCPRate),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Congestion.DCTCP.MinRate }),
		Meaning: "the rate never goes below",
		Source:  hpccModel,
	},
	{
		Path: "congestion.dctcp.initial_window", Default: "auto", Word: "auto", Min: "1B", Max: "8GB",
		applies: where(onlyDCTCPWindow),
		value: in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] {
			return &s.Congestion.DCTCP.InitialWindow
		}),
		Meaning: "slow start begins here; auto: line rate x round trip of the idle network, without slow start",
		Source:  assumed,
	},
	{
		Path: "congestion.dctcp.max_window", Default: "auto", Word: "auto", Min: "1B", Max: "8GB",
		applies: where(onlyDCTCPWindow),
		value:   in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] { return &s.Congestion.DCTCP.MaxWindow }),
		Meaning: "bound of the window; auto: 4 x line rate x round trip of the idle network",
		Source:  assumed,
	},

	{Path: "congestion.swift", Meaning: "Swift: a window against a target delay"},
	{
		Path: "congestion.swift.queueing", Default: "10us", Min: "1ns", Max: "1s", applies: where(onlySwift),
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Congestion.Swift.Queueing }),
		Meaning: "delay allowed above the round trip of the idle network",
		Source:  assumed,
	},
	{
		Path: "congestion.swift.ai", Default: "1", Min: "1/1000", Max: "1000", applies: where(onlySwift),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.AI }),
		Meaning: "additive step per round trip, in packets",
		Source:  swiftPaper + "; value assumed",
	},
	{
		Path: "congestion.swift.beta", Default: "80%", Min: "1/65536", Max: "1", applies: where(onlySwift),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.Beta }),
		Meaning: "factor of the multiplicative decrease",
		Source:  swiftPaper + "; value assumed",
	},
	{
		Path: "congestion.swift.max_decrease", Default: "50%", Min: "1/65536", Max: "1", applies: where(onlySwift),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.MaxDecrease }),
		Meaning: "most that one decrease takes away",
		Source:  swiftPaper + "; value assumed",
	},
	{
		Path: "congestion.swift.min_window", Default: "1/1000", Min: "1/1000000", Max: "1", applies: where(onlySwift),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.MinWindow }),
		Meaning: "least window in packets; below 1 the sender waits between packets",
		Source:  swiftPaper + "; value assumed",
	},
	{
		Path: "congestion.swift.max_window", Default: "auto", Word: "auto", Min: "1B", Max: "8GB",
		applies: where(onlySwift),
		value:   in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] { return &s.Congestion.Swift.MaxWindow }),
		Meaning: "bound of the window; auto: 4 x line rate x round trip of the idle network",
		Source:  assumed,
	},
	{
		Path: "congestion.swift.flow_scale_range", Default: "0s", Min: "0s", Max: "1s", applies: where(onlySwift),
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Congestion.Swift.FlowScaleRange }),
		Meaning: "most that flow scaling adds to the target delay; 0: no flow scaling",
		Source:  swiftPaper,
	},
	{
		Path: "congestion.swift.flow_scale_min", Default: "10%", Min: "1/1000", Max: "1000",
		applies: where(onlyFlowScale),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.FlowScaleMin }),
		Meaning: "window in packets at which flow scaling adds most",
		Source:  assumed,
	},
	{
		Path: "congestion.swift.flow_scale_max", Default: "100", Min: "1/1000", Max: "10000",
		applies: where(onlyFlowScale),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.FlowScaleMax }),
		Meaning: "window in packets from which flow scaling adds nothing",
		Source:  assumed,
	},
}
