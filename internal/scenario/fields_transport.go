package scenario

import "railyard/internal/unit"

// transportFields: queue pairs and congestion control.
var transportFields = []*Field{
	{Path: "transport", Meaning: "RoCEv2 reliable connections"},
	{Path: "transport.preset", at: in(func(s *Scenario) *string { return &s.Transport.Preset }), Default: "default", Choices: TransportPresets,
		Meaning: "where the timeout comes from"},
	{Path: "transport.mtu", at: in(func(s *Scenario) *unit.Bytes { return &s.Transport.MTU }), Default: "4096B", Min: "64B", Max: "9000B",
		Meaning: "payload of a full packet (path MTU); verbs know 256, 512, 1024, 2048 and 4096 bytes", Source: "InfiniBand Architecture Specification 1, path MTU"},
	{Path: "transport.ack_every", at: in(func(s *Scenario) *int { return &s.Transport.AckEvery }), Default: "16", Min: "1", Max: "65536",
		Meaning: "packets per acknowledgement; the last packet of a message is always acknowledged", Source: assumed},
	{Path: "transport.timeout", at: in(func(s *Scenario) *unit.Duration { return &s.Transport.Timeout }), Default: "1.048576ms", Min: "1us", Max: "10min",
		Meaning: "retransmission timeout: 4.096 us x 2^8", Source: assumed, Also: []string{"rto", "retransmit_timeout"}},
	{Path: "transport.retries", at: in(func(s *Scenario) *int { return &s.Transport.Retries }), Default: "7", Min: "0", Max: "1000",
		Meaning: "timeouts in a row before the queue pair fails", Source: "verbs: retry_cnt, at most 7"},
	{Path: "transport.window", at: in(func(s *Scenario) *Opt[unit.Bytes] { return &s.Transport.Window }), Default: "none", Word: "none", Min: "64B", Max: "8GB",
		Meaning: "most unacknowledged bytes per queue pair", Source: assumed},
	{Path: "transport.completion", at: in(func(s *Scenario) *string { return &s.Transport.Completion }), Default: "receiver", Choices: Completions,
		Meaning: "where a flow ends"},
	{Path: "congestion", Meaning: "how senders react to marks"},
	{Path: "congestion.algorithm", at: in(func(s *Scenario) *string { return &s.Congestion.Algorithm }), Default: "dcqcn", Choices: CongestionAlgorithms,
		Meaning: "the congestion control of every queue pair"},
	{Path: "congestion.preset", at: in(func(s *Scenario) *string { return &s.Congestion.Preset }), Default: "dcqcn-sigcomm15", Choices: CongestionPresets,
		Meaning: "where the constants come from"},
	{Path: "congestion.g", at: in(func(s *Scenario) *unit.Ratio { return &s.Congestion.G }), Default: "1/256", Min: "1/65536", Max: "1",
		Meaning: "gain of the moving average alpha", Source: dcqcn},
	{Path: "congestion.cnp_interval", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.CNPInterval }), Default: "50us", Min: "0ns", Max: "1s",
		Meaning: "a receiver sends at most one CNP per flow in this time", Source: dcqcn},
	{Path: "congestion.alpha_timer", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.AlphaTimer }), Default: "55us", Min: "100ns", Max: "1s",
		Meaning: "alpha decays once in this time without a CNP", Source: dcqcn},
	{Path: "congestion.decrease_interval", at: in(func(s *Scenario) *Opt[unit.Duration] { return &s.Congestion.DecreaseInterval }), Default: "none", Word: "none", Min: "1ns", Max: "1s",
		Meaning: "the rate falls at most once in this time; none: on each CNP", Source: dcqcn},
	{Path: "congestion.increase_timer", at: in(func(s *Scenario) *unit.Duration { return &s.Congestion.IncreaseTimer }), Default: "55us", Min: "100ns", Max: "1s",
		Meaning: "the rate rises once in this time", Source: dcqcn},
	{Path: "congestion.byte_counter", at: in(func(s *Scenario) *unit.Bytes { return &s.Congestion.ByteCounter }), Default: "10MB", Min: "1kB", Max: "1TB",
		Meaning: "the rate also rises once per so many bytes sent", Source: dcqcn},
	{Path: "congestion.fast_recovery", at: in(func(s *Scenario) *int { return &s.Congestion.FastRecovery }), Default: "5", Min: "1", Max: "1000",
		Meaning: "rises that halve the way back before the rate grows further", Source: dcqcn},
	{Path: "congestion.rate_ai", at: in(func(s *Scenario) *unit.Bitrate { return &s.Congestion.RateAI }), Min: "1b/s", Max: "10Tb/s", Rule: "40Mb/s per 40 Gb/s of cluster.nic.speed",
		derive:  func(d *decoder, b any, _ string) string { return (b.(*Scenario).Cluster.NIC.Speed / 1000).String() },
		Meaning: "step of additive increase", Source: dcqcn},
	{Path: "congestion.rate_hai", at: in(func(s *Scenario) *unit.Bitrate { return &s.Congestion.RateHAI }), Min: "1b/s", Max: "10Tb/s", Rule: "200Mb/s per 40 Gb/s of cluster.nic.speed",
		derive:  func(d *decoder, b any, _ string) string { return (b.(*Scenario).Cluster.NIC.Speed / 200).String() },
		Meaning: "step of hyper increase", Source: "the DCQCN authors' simulator"},
	{Path: "congestion.min_rate", at: in(func(s *Scenario) *unit.Bitrate { return &s.Congestion.MinRate }), Min: "1kb/s", Max: "10Tb/s", Rule: "40Mb/s, or cluster.nic.speed where that is less",
		derive: func(d *decoder, b any, _ string) string {
			return min(40*unit.MegabitPerSec, b.(*Scenario).Cluster.NIC.Speed).String()
		},
		Meaning: "a sender never goes below", Source: assumed},
}

const dcqcn = "DCQCN (SIGCOMM'15)"
