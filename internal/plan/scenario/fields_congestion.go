package scenario

import "railyard/internal/base/unit"

// onlyAlgorithm says that a field belongs to one algorithm.
func onlyAlgorithm(name Controller) func(*Scenario) string {
	return func(s *Scenario) string {
		if s.Congestion.Algorithm != name {
			return "congestion.algorithm is " + string(s.Congestion.Algorithm)
		}
		return ""
	}
}

var onlyDCQCN = onlyAlgorithm(ByDCQCN)

// barrePreset is DCQCN as it is set on NICs of 400 Gb/s in production, so that it fills a port and shares it fairly;
// which of each range is Railyard's choice.
const barrePreset = "barre"

// chosen marks what NVIDIA leaves to be set, chosen so that incasts fill their port without more drops
// and pauses than with connectx-default: docs/accuracy.md has the table.
const chosen = "tuned, see docs/accuracy.md; "

// mlxconfig is a public listing of what a ConnectX-5 has in its flash unless it is told otherwise.
const mlxconfig = "mlxconfig of a ConnectX-5, firmware 16.27 (xdp-newbies list, 2020-06-20)"

const nvidia = "NVIDIA, DCQCN CC parameters (ConnectX-4 and later)"

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
	{
		Path: "congestion.algorithm", Default: string(ByDCQCN), Choices: CongestionAlgorithms,
		value:   in(choice, func(s *Scenario) *string { return (*string)(&s.Congestion.Algorithm) }),
		Meaning: "the congestion control of every queue pair",
	},
	{
		Path: "congestion.preset", Default: "default", Choices: CongestionPresets,
		value:   in(choice, func(s *Scenario) *string { return &s.Congestion.Preset }),
		Meaning: "where the constants of DCQCN come from",
	},
	{
		Path: "congestion.notify", Choices: Notifications,
		Rule:  "what congestion.algorithm looks at: cnp for dcqcn, ack for dctcp, none for the others",
		value: in(choice, func(s *Scenario) *string { return &s.Congestion.Notify }),
		derive: func(_ *decoder, b any, _ string) string {
			switch b.(*Scenario).Congestion.Algorithm {
			case ByDCQCN:
				return "cnp"
			case ByDCTCP:
				return "ack"
			}
			return "none"
		},
		Meaning: "how a receiver tells a sender of marked packets",
	},
	{
		Path: "congestion.cnp_interval", Default: "4us", Min: "0ns", Max: "1s",
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Congestion.CNPInterval }),
		Meaning: "a receiver sends at most one CNP per flow in this time",
		Source:  "Barre (USENIX ATC'25), table 2: min_time_between_cnps 4; " + mlxconfig + ": 2",
	},
	{
		Path: "congestion.g", Default: "43/1024", Min: "1/65536", Max: "1", applies: where(onlyDCQCN),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.G }),
		Meaning: "gain of the moving average alpha",
		Source:  chosen + nvidia + ": dce_tcp_g 1019/1024, which is 5/1024",
	},
	{
		Path: "congestion.initial_alpha", Default: "1023/1024", Min: "0", Max: "1", applies: where(onlyDCQCN),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.InitialAlpha }),
		Meaning: "alpha at the first CNP",
		Source:  nvidia,
	},
	{
		Path: "congestion.alpha_timer", Default: "1us", Min: "100ns", Max: "1s", applies: where(onlyDCQCN),
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Congestion.AlphaTimer }),
		Meaning: "alpha decays once in this time without a CNP",
		Source:  nvidia + ": dce_tcp_rtt",
	},
	{
		Path: "congestion.decrease_interval", Default: "4us", Word: "none", Min: "1ns", Max: "1s",
		applies: where(onlyDCQCN),
		value:   in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Congestion.DecreaseInterval }),
		Meaning: "the rate falls at most once in this time; none: on each CNP",
		Source:  nvidia + ": rate_reduce_monitor_period",
	},
	{
		Path: "congestion.decrease_offset", Default: "1ns", Min: "0ns", Max: "1ms", applies: where(onlyDecreaseTimer),
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Congestion.DecreaseOffset }),
		Meaning: "the first tick of the decrease timer is so much later, so that alpha is updated first",
		Source:  "HPCC (SIGCOMM'19), authors' simulator: 1 ns",
	},
	{
		Path: "congestion.first_cnp_rate", Rule: "60%", Min: "1/1000", Max: "1", applies: where(onlyDecreaseTimer),
		value: in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.FirstCNPRate }),
		derive: func(_ *decoder, b any, _ string) string {
			if !b.(*Scenario).Congestion.DecreaseInterval.Set {
				return "1"
			}
			return "60%"
		},
		Meaning: "the first CNP sets the rate to this part of itself",
		Source:  chosen + nvidia + ": rate_to_set_on_first_cnp 0, no cut, to 85 % of the port",
	},
	{
		Path: "congestion.clamp_target", Default: "false", applies: where(onlyDCQCN),
		value:   in(boolean, func(s *Scenario) *bool { return &s.Congestion.ClampTarget }),
		Meaning: "each cut sets the target to the rate; false: only a cut after an increase does",
		Source:  mlxconfig + ": clamp_tgt_rate 0, clamp_tgt_rate_after_time_inc 1",
	},
	{
		Path: "congestion.min_dec_fac", Default: "50%", Min: "0", Max: "1", applies: where(onlyDCQCN),
		value:   in(ratio, func(s *Scenario) *unit.Ratio { return &s.Congestion.MinDecFactor }),
		Meaning: "part of its rate that a sender keeps at least in one cut; alpha alone takes a half at most",
		Source:  mlxconfig + ": rpg_min_dec_fac 50",
		Also:    []string{"rpg_min_dec_fac"},
	},
	{
		Path: "congestion.cut_on_loss", Default: "false", applies: where(onlyDCQCN),
		value:   in(boolean, func(s *Scenario) *bool { return &s.Congestion.CutOnLoss }),
		Meaning: "a NAK or a timeout counts as a CNP",
		Source:  dcqcn,
	},
	{
		Path: "congestion.increase_timer", Default: "24us", Min: "100ns", Max: "1s", applies: where(onlyDCQCN),
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Congestion.IncreaseTimer }),
		Meaning: "the rate rises once in this time",
		Source:  chosen + "Barre (USENIX ATC'25), table 2: rpg_time_reset 20 to 100; " + mlxconfig + ": 300",
	},
	{
		Path: "congestion.byte_counter", Default: "none", Word: "none", Min: "1kB", Max: "1TB",
		applies: where(onlyDCQCN),
		value:   in(opt(byteCount), func(s *Scenario) *Opt[unit.Bytes] { return &s.Congestion.ByteCounter }),
		Meaning: "the rate also rises once per so many bytes sent; none: only with time",
		Source:  chosen + mlxconfig + ": rpg_byte_reset 32767, 2,097,088 B if its unit is 64 B",
	},
	{
		Path: "congestion.fast_recovery", Default: "3", Min: "1", Max: "1000", applies: where(onlyDCQCN),
		value:   in(whole, func(s *Scenario) *int { return &s.Congestion.FastRecovery }),
		Meaning: "rises that halve the way back before the rate grows further",
		Source:  chosen + mlxconfig + ": rpg_threshold 1",
	},
	{
		Path: "congestion.rate_ai", Min: "1b/s", Max: "10Tb/s",
		Rule:    "0.2 % of cluster.nic.speed; with preset dcqcn-sigcomm15 or barre 0.1 %",
		applies: where(onlyDCQCN),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Congestion.RateAI }),
		derive:  perPort(500, map[string]unit.Bitrate{paperPreset: 1000, barrePreset: 1000}),
		Meaning: "step of additive increase",
		Source:  chosen + "DCQCN (SIGCOMM'15): 40 Mb/s at 40 Gb/s; " + mlxconfig + ": rpg_ai_rate 5",
	},
	{
		Path: "congestion.rate_hai", Min: "1b/s", Max: "10Tb/s",
		Rule:    "2 % of cluster.nic.speed; with preset dcqcn-sigcomm15 0.5 %, with barre 1 %",
		applies: where(onlyDCQCN),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Congestion.RateHAI }),
		derive:  perPort(50, map[string]unit.Bitrate{paperPreset: 200, barrePreset: 100}),
		Meaning: "step of hyper increase",
		Source:  chosen + mlxconfig + ": rpg_hai_rate 50",
	},
	{
		Path: "congestion.min_rate", Min: "1kb/s", Max: "10Tb/s",
		Rule: "1 % of cluster.nic.speed; with preset dcqcn-sigcomm15 40Mb/s, with barre 1Gb/s, but not above " +
			"cluster.nic.speed",
		applies: where(onlyDCQCN),
		value:   in(rate, func(s *Scenario) *unit.Bitrate { return &s.Congestion.MinRate }),
		derive: func(_ *decoder, b any, _ string) string {
			s, floor := b.(*Scenario), unit.Bitrate(0)
			switch s.Congestion.Preset {
			case paperPreset:
				floor = 40 * unit.MegabitPerSec
			case barrePreset:
				floor = unit.GigabitPerSec
			default:
				floor = max(s.Cluster.NIC.Speed/100, 1)
			}
			return min(floor, s.Cluster.NIC.Speed).String()
		},
		Meaning: "a sender never goes below",
		Source:  chosen + "NVIDIA's 1 Mb/s makes incasts slower",
	},
}

// paperPreset names the constants of the DCQCN paper, which scale with the port.
const paperPreset = "dcqcn-sigcomm15"

// perPort is a step of increase: a part of the port's rate, another one with some presets.
func perPort(part unit.Bitrate, parts map[string]unit.Bitrate) func(*decoder, any, string) string {
	return func(_ *decoder, b any, _ string) string {
		s := b.(*Scenario)
		if other := parts[s.Congestion.Preset]; other > 0 {
			return (s.Cluster.NIC.Speed / other).String()
		}
		return (s.Cluster.NIC.Speed / part).String()
	}
}
