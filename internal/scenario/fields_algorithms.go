package scenario

import (
	"strconv"

	"railyard/internal/unit"
)

const (
	hpccPaper   = "HPCC (SIGCOMM'19)"
	hpccModel   = hpccPaper + ", authors' simulator"
	timelyPaper = "TIMELY (SIGCOMM'15)"
	dctcpPaper  = "DCTCP (SIGCOMM'10)"
	swiftPaper  = "Swift (SIGCOMM'20)"
)

var (
	onlyHPCC   = onlyAlgorithm("hpcc")
	onlyTIMELY = onlyAlgorithm("timely")
	onlyDCTCP  = onlyAlgorithm("dctcp")
	onlySwift  = onlyAlgorithm("swift")
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

// onlyDCTCPRate and onlyDCTCPWindow say that a field belongs to DCTCP that controls a rate, or a window.
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
	{Path: "congestion.hpcc.eta", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.HPCC.Eta }), Default: "95%", Min: "1/100", Max: "1", applies: onlyHPCC,
		Meaning: "utilisation aimed at", Source: hpccPaper},
	{Path: "congestion.hpcc.max_stage", at: in(func(s *Scenario) *int { return &s.Congestion.HPCC.MaxStage }), Default: "5", Min: "0", Max: "1000", applies: onlyHPCC,
		Meaning: "additive steps before a multiplicative one", Source: hpccPaper},
	{Path: "congestion.hpcc.ai", at: in(func(s *Scenario) *unit.Bytes { return &s.Congestion.HPCC.AI }), Default: "80B", Min: "0B", Max: "1GB", applies: onlyHPCC,
		Meaning: "additive step of the window, W_AI", Source: hpccPaper + ", for 100 Gb/s ports"},
	{Path: "congestion.hpcc.rate_ai", at: in(func(s *Scenario) *Opt[unit.Bitrate] { return &s.Congestion.HPCC.RateAI }), Default: "none", Word: "none", Min: "1b/s", Max: "10Tb/s", applies: onlyHPCC,
		Meaning: "the additive step as a rate, over base_rtt; none: ai", Source: hpccPaper},
	{Path: "congestion.hpcc.base_rtt", at: in(func(s *Scenario) *Opt[unit.Duration] { return &s.Congestion.HPCC.BaseRTT }), Default: "auto", Word: "auto", Min: "1ns", Max: "1s", applies: onlyHPCC,
		Meaning: "T, the round trip of the idle network; auto: each queue pair's own", Source: hpccPaper},
	{Path: "congestion.hpcc.min_rate", at: in(func(s *Scenario) *unit.Bitrate { return &s.Congestion.HPCC.MinRate }), Default: "100Mb/s", Min: "1kb/s", Max: "10Tb/s", applies: onlyHPCC,
		Meaning: "a sender never goes below", Source: "HPCC (SIGCOMM'19), authors' simulator"},
	{Path: "congestion.hpcc.tx_unit", at: in(func(s *Scenario) *unit.Bytes { return &s.Congestion.HPCC.TxUnit }), Default: "1B", Min: "1B", Max: "64kB", applies: onlyHPCC,
		Meaning: "the telemetry header counts bytes sent in this, rounded down", Source: hpccModel + ": 512 B for 100 Gb/s ports"},
	{Path: "congestion.hpcc.queue_unit", at: in(func(s *Scenario) *unit.Bytes { return &s.Congestion.HPCC.QueueUnit }), Default: "1B", Min: "1B", Max: "64kB", applies: onlyHPCC,
		Meaning: "the telemetry header counts queued bytes in this, rounded down", Source: hpccModel + ": 320 B for 100 Gb/s ports"},
	{Path: "congestion.hpcc.fast_react", at: in(func(s *Scenario) *bool { return &s.Congestion.HPCC.FastReact }), Default: "true", applies: onlyHPCC,
		Meaning: "every acknowledgement sets the window; false: only the one that ends a round trip", Source: hpccPaper},
	{Path: "congestion.hpcc.repace", at: in(func(s *Scenario) *bool { return &s.Congestion.HPCC.Repace }), Default: "false", applies: onlyHPCC,
		Meaning: "a change of rate moves the start of the next packet; false: it counts from the packet after that", Source: assumed},

	{Path: "congestion.timely", Meaning: "TIMELY: a rate from the gradient of the round-trip time"},
	{Path: "congestion.timely.alpha", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.TIMELY.Alpha }), Default: "7/8", Min: "1/65536", Max: "1", applies: onlyTIMELY,
		Meaning: "weight of the newest difference of round-trip times", Source: "HPCC (SIGCOMM'19), authors' simulator; the paper gives no figure"},
	{Path: "congestion.timely.beta", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.TIMELY.Beta }), Default: "80%", Min: "1/65536", Max: "1", applies: onlyTIMELY,
		Meaning: "factor of the multiplicative decrease", Source: timelyPaper},
	{Path: "congestion.timely.max_decrease", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.TIMELY.MaxDecrease }), Default: "1", Min: "1/65536", Max: "1", applies: onlyTIMELY,
		Meaning: "most that one decrease takes away", Source: timelyPaper},
	{Path: "congestion.timely.low", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.TIMELY.Low }), Default: "50us", Min: "1ns", Max: "1s", applies: onlyTIMELY,
		Meaning: "below this round-trip time the rate rises", Source: timelyPaper},
	{Path: "congestion.timely.high", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.TIMELY.High }), Default: "500us", Min: "1ns", Max: "1s", applies: onlyTIMELY,
		Meaning: "above this round-trip time the rate falls", Source: timelyPaper},
	{Path: "congestion.timely.min_rtt", at: in(func(s *Scenario) *Opt[unit.Duration] { return &s.Congestion.TIMELY.MinRTT }), Default: "20us", Word: "auto", Min: "1ns", Max: "1s", applies: onlyTIMELY,
		Meaning: "divides the gradient; auto: the round trip of the idle network", Source: "HPCC (SIGCOMM'19), authors' simulator"},
	{Path: "congestion.timely.ai", at: in(func(s *Scenario) *unit.Bitrate { return &s.Congestion.TIMELY.AI }), Min: "0b/s", Max: "10Tb/s", Rule: "10Mb/s per 10 Gb/s of cluster.nic.speed", applies: onlyTIMELY,
		derive:  func(d *decoder, b any, _ string) string { return (b.(*Scenario).Cluster.NIC.Speed / 1000).String() },
		Meaning: "step of additive increase", Source: timelyPaper},
	{Path: "congestion.timely.hai_after", at: in(func(s *Scenario) *int { return &s.Congestion.TIMELY.HAIAfter }), Default: "5", Min: "1", Max: "1000", applies: onlyTIMELY,
		Meaning: "completions without a rising round trip before the steps are so many times as large", Source: timelyPaper},
	{Path: "congestion.timely.hai", at: in(func(s *Scenario) *Opt[unit.Bitrate] { return &s.Congestion.TIMELY.HAI }), Default: "auto", Word: "auto", Min: "1b/s", Max: "10Tb/s", applies: onlyTIMELY,
		Meaning: "the larger step; auto: hai_after x ai", Source: timelyPaper},
	{Path: "congestion.timely.hai_below_low", at: in(func(s *Scenario) *bool { return &s.Congestion.TIMELY.HAIBelowLow }), Default: "false", applies: onlyTIMELY,
		Meaning: "round trips below low count towards hai_after, and take the larger step too", Source: timelyPaper},
	{Path: "congestion.timely.segment", at: in(func(s *Scenario) *Opt[unit.Bytes] { return &s.Congestion.TIMELY.Segment }), Default: "16kB", Word: "round-trip", Min: "1B", Max: "1GB", applies: onlyTIMELY,
		Meaning: "bytes acknowledged per decision; round-trip: a decision in each", Source: timelyPaper},
	{Path: "congestion.timely.min_rate", at: in(func(s *Scenario) *unit.Bitrate { return &s.Congestion.TIMELY.MinRate }), Default: "10Mb/s", Min: "1kb/s", Max: "10Tb/s", applies: onlyTIMELY,
		Meaning: "a sender never goes below", Source: assumed},

	{Path: "congestion.dctcp", Meaning: "DCTCP: a window cut by the part of marked bytes"},
	{Path: "congestion.dctcp.g", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.DCTCP.G }), Default: "1/16", Min: "1/65536", Max: "1", applies: onlyDCTCP,
		Meaning: "gain of the estimate of the marked part", Source: dctcpPaper},
	{Path: "congestion.dctcp.mss", at: in(func(s *Scenario) *unit.Bytes { return &s.Congestion.DCTCP.MSS }), Min: "1B", Max: "1MB", Rule: "transport.mtu", applies: onlyDCTCP,
		derive: func(d *decoder, b any, _ string) string {
			return strconv.FormatInt(int64(b.(*Scenario).Transport.MTU), 10) + "B"
		},
		Meaning: "step of the window in a round trip without marks: one packet", Source: dctcpPaper},
	{Path: "congestion.dctcp.rate_ai", at: in(func(s *Scenario) *Opt[unit.Bitrate] { return &s.Congestion.DCTCP.RateAI }), Default: "none", Word: "none", Min: "1b/s", Max: "10Tb/s", applies: onlyDCTCP,
		Meaning: "makes a rate of what is controlled, which grows by this in a round trip without marks; none: a window", Source: dctcpPaper},
	{Path: "congestion.dctcp.min_rate", at: in(func(s *Scenario) *unit.Bitrate { return &s.Congestion.DCTCP.MinRate }), Default: "100Mb/s", Min: "1kb/s", Max: "10Tb/s", applies: onlyDCTCPRate,
		Meaning: "the rate never goes below", Source: hpccModel},
	{Path: "congestion.dctcp.initial_window", at: in(func(s *Scenario) *Opt[unit.Bytes] { return &s.Congestion.DCTCP.InitialWindow }), Default: "auto", Word: "auto", Min: "1B", Max: "8GB", applies: onlyDCTCPWindow,
		Meaning: "slow start begins here; auto: line rate x round trip of the idle network, without slow start", Source: assumed},
	{Path: "congestion.dctcp.max_window", at: in(func(s *Scenario) *Opt[unit.Bytes] { return &s.Congestion.DCTCP.MaxWindow }), Default: "auto", Word: "auto", Min: "1B", Max: "8GB", applies: onlyDCTCPWindow,
		Meaning: "bound of the window; auto: 4 x line rate x round trip of the idle network", Source: assumed},

	{Path: "congestion.swift", Meaning: "Swift: a window against a target delay"},
	{Path: "congestion.swift.queueing", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.Swift.Queueing }), Default: "10us", Min: "1ns", Max: "1s", applies: onlySwift,
		Meaning: "delay allowed above the round trip of the idle network", Source: assumed},
	{Path: "congestion.swift.ai", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.AI }), Default: "1", Min: "1/1000", Max: "1000", applies: onlySwift,
		Meaning: "additive step per round trip, in packets", Source: swiftPaper + "; value assumed"},
	{Path: "congestion.swift.beta", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.Beta }), Default: "80%", Min: "1/65536", Max: "1", applies: onlySwift,
		Meaning: "factor of the multiplicative decrease", Source: swiftPaper + "; value assumed"},
	{Path: "congestion.swift.max_decrease", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.MaxDecrease }), Default: "50%", Min: "1/65536", Max: "1", applies: onlySwift,
		Meaning: "most that one decrease takes away", Source: swiftPaper + "; value assumed"},
	{Path: "congestion.swift.min_window", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.MinWindow }), Default: "1/1000", Min: "1/1000000", Max: "1", applies: onlySwift,
		Meaning: "least window in packets; below 1 the sender waits between packets", Source: swiftPaper + "; value assumed"},
	{Path: "congestion.swift.max_window", at: in(func(s *Scenario) *Opt[unit.Bytes] { return &s.Congestion.Swift.MaxWindow }), Default: "auto", Word: "auto", Min: "1B", Max: "8GB", applies: onlySwift,
		Meaning: "bound of the window; auto: 4 x line rate x round trip of the idle network", Source: assumed},
	{Path: "congestion.swift.flow_scale_range", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.Swift.FlowScaleRange }), Default: "0s", Min: "0s", Max: "1s", applies: onlySwift,
		Meaning: "most that flow scaling adds to the target delay; 0: no flow scaling", Source: swiftPaper},
	{Path: "congestion.swift.flow_scale_min", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.FlowScaleMin }), Default: "10%", Min: "1/1000", Max: "1000", applies: onlyFlowScale,
		Meaning: "window in packets at which flow scaling adds most", Source: assumed},
	{Path: "congestion.swift.flow_scale_max", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.Swift.FlowScaleMax }), Default: "100", Min: "1/1000", Max: "10000", applies: onlyFlowScale,
		Meaning: "window in packets from which flow scaling adds nothing", Source: assumed},
}
