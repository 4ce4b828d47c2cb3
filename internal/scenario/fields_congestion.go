package scenario

import "railyard/internal/unit"

// onlyAlgorithm says that a field belongs to one algorithm.
func onlyAlgorithm(name string) func(*Scenario) string {
	return func(s *Scenario) string {
		if s.Congestion.Algorithm != name {
			return "congestion.algorithm is " + s.Congestion.Algorithm
		}
		return ""
	}
}

var onlyDCQCN = onlyAlgorithm("dcqcn")

// onlyDecreaseTimer says that a field belongs to the DCQCN whose decrease has a timer.
func onlyDecreaseTimer(s *Scenario) string {
	if why := onlyDCQCN(s); why != "" {
		return why
	}
	if !s.Congestion.DecreaseInterval.Set {
		return "congestion.decrease_interval is none"
	}
	return ""
}

// congestionFields: the notification point, and DCQCN's reaction point.
var congestionFields = []*Field{
	{Path: "congestion", Meaning: "how senders react to marks"},
	{Path: "congestion.algorithm", at: in(func(s *Scenario) *string { return &s.Congestion.Algorithm }), Default: "dcqcn", Choices: CongestionAlgorithms,
		Meaning: "the congestion control of every queue pair"},
	{Path: "congestion.preset", at: in(func(s *Scenario) *string { return &s.Congestion.Preset }), Default: "dcqcn-sigcomm15", Choices: CongestionPresets,
		Meaning: "where the constants of DCQCN come from"},
	{Path: "congestion.notify", at: in(func(s *Scenario) *string { return &s.Congestion.Notify }), Choices: Notifications, Rule: "what congestion.algorithm looks at: cnp for dcqcn, ack for dctcp, none for the others",
		derive: func(_ *decoder, b any, _ string) string {
			switch b.(*Scenario).Congestion.Algorithm {
			case "dcqcn":
				return "cnp"
			case "dctcp":
				return "ack"
			}
			return "none"
		},
		Meaning: "how a receiver tells a sender of marked packets"},
	{Path: "congestion.cnp_interval", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.CNPInterval }), Default: "50us", Min: "0ns", Max: "1s",
		Meaning: "a receiver sends at most one CNP per flow in this time", Source: dcqcn},
	{Path: "congestion.g", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.G }), Default: "1/256", Min: "1/65536", Max: "1", applies: onlyDCQCN,
		Meaning: "gain of the moving average alpha", Source: dcqcn},
	{Path: "congestion.initial_alpha", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.InitialAlpha }), Default: "1", Min: "0", Max: "1", applies: onlyDCQCN,
		Meaning: "alpha at the first CNP", Source: dcqcn},
	{Path: "congestion.alpha_timer", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.AlphaTimer }), Default: "55us", Min: "100ns", Max: "1s", applies: onlyDCQCN,
		Meaning: "alpha decays once in this time without a CNP", Source: dcqcn},
	{Path: "congestion.decrease_interval", at: in(func(s *Scenario) *Opt[unit.Duration] { return &s.Congestion.DecreaseInterval }), Default: "none", Word: "none", Min: "1ns", Max: "1s", applies: onlyDCQCN,
		Meaning: "the rate falls at most once in this time; none: on each CNP", Source: dcqcn},
	{Path: "congestion.decrease_offset", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.DecreaseOffset }), Default: "0ns", Min: "0ns", Max: "1ms", applies: onlyDecreaseTimer,
		Meaning: "the first tick of the decrease timer is so much later, so that alpha is updated first", Source: "HPCC (SIGCOMM'19), authors' simulator: 1 ns"},
	{Path: "congestion.first_cnp_rate", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.FirstCNPRate }), Default: "1", Min: "1/1000", Max: "1", applies: onlyDecreaseTimer,
		Meaning: "the first CNP sets the rate to this part of itself", Source: "HPCC (SIGCOMM'19), authors' simulator: RateOnFirstCNP"},
	{Path: "congestion.clamp_target", at: in(func(s *Scenario) *bool { return &s.Congestion.ClampTarget }), Default: "true", applies: onlyDCQCN,
		Meaning: "each cut sets the target to the rate; false: only a cut after an increase does", Source: dcqcn},
	{Path: "congestion.cut_on_loss", at: in(func(s *Scenario) *bool { return &s.Congestion.CutOnLoss }), Default: "false", applies: onlyDCQCN,
		Meaning: "a NAK or a timeout counts as a CNP", Source: dcqcn},
	{Path: "congestion.increase_timer", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.IncreaseTimer }), Default: "55us", Min: "100ns", Max: "1s", applies: onlyDCQCN,
		Meaning: "the rate rises once in this time", Source: dcqcn},
	{Path: "congestion.byte_counter", at: in(func(s *Scenario) *Opt[unit.Bytes] { return &s.Congestion.ByteCounter }), Default: "10MB", Word: "none", Min: "1kB", Max: "1TB", applies: onlyDCQCN,
		Meaning: "the rate also rises once per so many bytes sent; none: only with time", Source: dcqcn},
	{Path: "congestion.fast_recovery", at: in(func(s *Scenario) *int { return &s.Congestion.FastRecovery }), Default: "5", Min: "1", Max: "1000", applies: onlyDCQCN,
		Meaning: "rises that halve the way back before the rate grows further", Source: dcqcn},
	{Path: "congestion.rate_ai", at: in(func(s *Scenario) *unit.Bitrate { return &s.Congestion.RateAI }), Min: "1b/s", Max: "10Tb/s", Rule: "40Mb/s per 40 Gb/s of cluster.nic.speed", applies: onlyDCQCN,
		derive:  func(d *decoder, b any, _ string) string { return (b.(*Scenario).Cluster.NIC.Speed / 1000).String() },
		Meaning: "step of additive increase", Source: dcqcn},
	{Path: "congestion.rate_hai", at: in(func(s *Scenario) *unit.Bitrate { return &s.Congestion.RateHAI }), Min: "1b/s", Max: "10Tb/s", Rule: "200Mb/s per 40 Gb/s of cluster.nic.speed", applies: onlyDCQCN,
		derive:  func(d *decoder, b any, _ string) string { return (b.(*Scenario).Cluster.NIC.Speed / 200).String() },
		Meaning: "step of hyper increase", Source: "the DCQCN authors' simulator"},
	{Path: "congestion.min_rate", at: in(func(s *Scenario) *unit.Bitrate { return &s.Congestion.MinRate }), Min: "1kb/s", Max: "10Tb/s", Rule: "40Mb/s, or cluster.nic.speed where that is less", applies: onlyDCQCN,
		derive: func(d *decoder, b any, _ string) string {
			return min(40*unit.MegabitPerSec, b.(*Scenario).Cluster.NIC.Speed).String()
		},
		Meaning: "a sender never goes below", Source: assumed},
}
