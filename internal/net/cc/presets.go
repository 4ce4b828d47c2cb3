package cc

import "railyard/internal/base/unit"

// Algorithms are the congestion controls a scenario can name, one line each.
var Algorithms = map[string]string{
	"dcqcn":  "DCQCN: rate cut by CNPs, recovery by timer and byte counter (SIGCOMM 2015)",
	"hpcc":   "HPCC: window from in-band telemetry of every hop (SIGCOMM 2019)",
	"timely": "TIMELY: rate from the gradient of the round-trip time (SIGCOMM 2015)",
	"dctcp":  "DCTCP: window cut by the part of marked bytes (SIGCOMM 2010, RFC 8257)",
	"swift":  "Swift: window against a target delay (SIGCOMM 2020)",
	"none":   "none: line rate always; with PFC, the pause-only network",
}

// Defaults are the default parameters of each algorithm; the fields say where
// each value comes from.
var Defaults = map[string]Params{
	"dcqcn": tuned,
	"hpcc": HPCC{
		Eta: unit.Ratio{Num: 95, Den: 100}, MaxStage: 5, AI: 80 * unit.Byte,
		MinRate: 100 * unit.MegabitPerSec, TxUnit: 1, QueueUnit: 1,
	},
	"timely": TIMELY{
		Alpha: unit.Ratio{Num: 7, Den: 8}, Beta: unit.Ratio{Num: 4, Den: 5}, MaxDecrease: one,
		Low: 50 * unit.Microsecond, High: 500 * unit.Microsecond, MinRTT: 20 * unit.Microsecond,
		AI: 10 * unit.MegabitPerSec, PortRate: 10 * unit.GigabitPerSec, HAIAfter: 5,
		Segment: 16 * unit.Kilobyte, MinRate: 10 * unit.MegabitPerSec,
	},
	"dctcp": DCTCP{G: unit.Ratio{Num: 1, Den: 16}, MSS: 4096},
	"swift": Swift{
		Queueing: 10 * unit.Microsecond, AI: one, Beta: unit.Ratio{Num: 4, Den: 5},
		MaxDecrease: unit.Ratio{Num: 1, Den: 2},
		MTU:         4096, MinWindow: unit.Ratio{Num: 1, Den: 1000},
		FlowScaleMin: unit.Ratio{Num: 1, Den: 10}, FlowScaleMax: unit.Ratio{Num: 100, Den: 1},
	},
	"none": None{},
}

var one, none = unit.Ratio{Num: 1, Den: 1}, unit.Ratio{Num: 0, Den: 1}

// A Preset is a published parameter set of DCQCN.
type Preset struct {
	DCQCN DCQCN
	// Marking is the RED curve of the same source, at ports of MarkingRate.
	Marking     RED
	MarkingRate unit.Bitrate
	// Source says where the values come from; Assumed which of them have no public
	// source.
	Source, Assumed string
}

// Presets are the parameter sets of DCQCN, by name.
var Presets = map[string]Preset{
	"barre": {
		DCQCN:       barre,
		Marking:     hpccMarking,
		MarkingRate: 100 * unit.GigabitPerSec,
		Source: "connectx-default with what Barre (USENIX ATC 2025, table 2) sets otherwise on NICs of 400 Gb/s: " +
			"min_time_between_cnps 0 to 2 us, rpg_min_dec_fac 80 to 98, rate_reduce_monitor_period 1 to 4 us, " +
			"rpg_time_reset 20 to 100 us; AI as in SIGCOMM 2015, 40 Mb/s at 40 Gb/s, and scaled with the port",
		Assumed: "which values of these ranges, HAI of ten times AI, no byte counter and the minimum rate: tuned, so that " +
			"incasts of 2 to 16 at 25 to 400 Gb/s fill their port; and what connectx-default assumes",
	},
	"default": {
		DCQCN:       tuned,
		Marking:     hpccMarking,
		MarkingRate: 100 * unit.GigabitPerSec,
		Source: "as connectx-default, but for what NVIDIA leaves to be set (DCQCN CC parameters): rate_to_set_on_first_cnp, up to " +
			"85 % of the port; rpg_time_reset as Barre (USENIX ATC 2025, table 2) has it in production, 20 to 100 us; " +
			"steps and floor scale with the port, as in SIGCOMM 2015",
		Assumed: "tuned, so that incasts of 2 to 16 at 25 to 400 Gb/s use nine tenths of their port and neither drop nor pause more: " +
			"60 % on the first CNP, g 43/1024, 24 us without a byte counter, three fast recoveries, AI 0.2 and HAI 2 % of the " +
			"port, the floor 1 %; and what connectx-default assumes",
	},
	"dcqcn-sigcomm15": {
		DCQCN:       sigcomm15,
		Marking:     RED{Min: 5 * unit.Kilobyte, Max: 200 * unit.Kilobyte, P: unit.Ratio{Num: 1, Den: 100}},
		MarkingRate: 40 * unit.GigabitPerSec,
		Source:      "Zhu et al., SIGCOMM 2015, sections 3.1 and 5.2; HAI from the authors' simulator",
		Assumed:     "the minimum rate; AI and HAI scale with the port rate",
	},
	"hpcc-ns3": {
		DCQCN:       hpccNS3(unit.Microsecond, 4*unit.Microsecond, 300*unit.Microsecond),
		Marking:     hpccMarking,
		MarkingRate: 100 * unit.GigabitPerSec,
		Source:      "HPCC ns-3 model (alibaba-edu/High-Precision-Congestion-Control), run.py --cc dcqcn --bw 100",
		Assumed:     "AI, HAI and the minimum rate are absolute: set them for other port rates",
	},
	"hpcc-ns3-paper": {
		DCQCN:       hpccNS3(50*unit.Microsecond, 50*unit.Microsecond, 55*unit.Microsecond),
		Marking:     hpccMarking,
		MarkingRate: 100 * unit.GigabitPerSec,
		Source:      "HPCC ns-3 model, run.py --cc dcqcn_paper --bw 100",
		Assumed:     "AI, HAI and the minimum rate are absolute: set them for other port rates",
	},
	"connectx-default": {
		DCQCN:       connectX,
		Marking:     hpccMarking,
		MarkingRate: 100 * unit.GigabitPerSec,
		Source: "NVIDIA, DCQCN CC Parameters (ConnectX-4 and later): dce_tcp_g 1019/1024, dce_tcp_rtt 1 us, " +
			"initial_alpha 1023/1024, " +
			"rate_reduce_monitor_period 4 us, rate_to_set_on_first_cnp 0, rpg_min_rate 1 Mb/s; mlxconfig of a ConnectX-5 " +
			"(xdp-newbies list, 2020-06-20): rpg_min_dec_fac 50, rpg_time_reset 300 us, rpg_byte_reset 32767, " +
			"rpg_threshold 1, rpg_ai_rate 5 Mb/s, rpg_hai_rate 50 Mb/s; Barre (USENIX ATC 2025, table 2): " +
			"min_time_between_cnps 4 us (2 on that ConnectX-5)",
		Assumed: "the order of steps is the HPCC ns-3 model's; rpg_byte_reset is taken as units of 64 B; the marking curve; " +
			"firmware may differ",
	},
}

var sigcomm15 = DCQCN{
	G: unit.Ratio{Num: 1, Den: 256}, InitialAlpha: one, AlphaTimer: 55 * unit.Microsecond,
	CNPInterval: 50 * unit.Microsecond, FirstCNPRate: one, ClampTarget: true, MinDecFactor: none,
	IncreaseTimer: 55 * unit.Microsecond, ByteCounter: 10 * unit.Megabyte, FastRecovery: 5,
	AI: 40 * unit.MegabitPerSec, HAI: 200 * unit.MegabitPerSec, PortRate: 40 * unit.GigabitPerSec,
	MinRate: 40 * unit.MegabitPerSec,
}

var hpccMarking = RED{Min: 400 * unit.Kilobyte, Max: 1600 * unit.Kilobyte, P: unit.Ratio{Num: 1, Den: 5}}

// hpccNS3 is the timers-only reaction point: alpha, decrease and increase timers.
func hpccNS3(alpha, decrease, increase unit.Duration) DCQCN {
	return DCQCN{
		G: unit.Ratio{Num: 1, Den: 256}, InitialAlpha: one, AlphaTimer: alpha,
		AckCNP: true, DecreaseInterval: decrease, DecreaseOffset: unit.Nanosecond, FirstCNPRate: one,
		MinDecFactor: none, IncreaseTimer: increase, FastRecovery: 1,
		AI: 20 * unit.MegabitPerSec, HAI: 200 * unit.MegabitPerSec, MinRate: unit.GigabitPerSec,
	}
}

// barre is connectX with smaller steps more often, as Barre (USENIX ATC 2025, section 6.3) tunes DCQCN.
var barre = func() DCQCN {
	p := connectX
	p.MinRate = unit.GigabitPerSec // a packet at 1 Mb/s takes 33 ms
	p.CNPInterval, p.DecreaseInterval = 2*unit.Microsecond, 2*unit.Microsecond
	p.MinDecFactor = unit.Ratio{Num: 92, Den: 100}
	p.IncreaseTimer, p.ByteCounter = 28*unit.Microsecond, 0
	p.AI, p.HAI, p.PortRate = 40*unit.MegabitPerSec, 400*unit.MegabitPerSec, 40*unit.GigabitPerSec
	return p
}()

// tuned is connectX with a target that the first CNP lowers, and a recovery that scales with the port.
//
// connectX cuts at most to a half every 4 us, which holds an incast's first burst, but its target stays the line rate: the
// first step of recovery is a jump to half of the line by all senders at once, and the next comes 300 us later. So ports
// stand idle at 2:1, and with a faster timer alone the jump overflows buffers at 16:1. Here the first CNP sets rate and
// target to 60 % (60 and not less: two senders are to fill the port), alpha fades in about 24 us, so that later cuts are
// small, and hyper increase waits for three increases without a cut.
var tuned = func() DCQCN {
	p := connectX
	p.G, p.FirstCNPRate = unit.Ratio{Num: 43, Den: 1024}, unit.Ratio{Num: 60, Den: 100}
	p.IncreaseTimer, p.ByteCounter, p.FastRecovery = 24*unit.Microsecond, 0, 3
	p.AI, p.HAI, p.PortRate = 80*unit.MegabitPerSec, 800*unit.MegabitPerSec, 40*unit.GigabitPerSec
	p.MinRate = unit.GigabitPerSec // of 100; the scenario scales it
	return p
}()

var connectX = DCQCN{
	G: unit.Ratio{Num: 5, Den: 1024}, InitialAlpha: unit.Ratio{Num: 1023, Den: 1024}, AlphaTimer: unit.Microsecond,
	CNPInterval: 4 * unit.Microsecond, DecreaseInterval: 4 * unit.Microsecond,
	DecreaseOffset: unit.Nanosecond, FirstCNPRate: one, MinDecFactor: unit.Ratio{Num: 50, Den: 100},
	IncreaseTimer: 300 * unit.Microsecond, ByteCounter: 64 * 32767, FastRecovery: 1,
	AI: 5 * unit.MegabitPerSec, HAI: 50 * unit.MegabitPerSec, MinRate: unit.MegabitPerSec,
}
