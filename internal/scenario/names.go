package scenario

// Choice is a name that a scenario may use, with one line for `list` and documentation.
type Choice struct{ Name, Meaning string }

// Names that a scenario may use. The first is the default.
var (
	Designs = []Choice{
		{"rail-optimized", "one rail switch per NIC position, rail switches joined by spines"},
		{"single-switch", "every NIC on one switch"},
		{"leaf-spine", "one NIC per host, hosts spread over leaf switches in order, every leaf linked to every spine"},
		{"custom", "hosts, switches and links from the file of fabric.topology"},
	}
	Balancers = []Choice{
		{"ecmp", "equal-cost multipath: a hash of the 5-tuple picks the path of a queue pair"},
	}
	CongestionAlgorithms = []Choice{
		{"dcqcn", "DCQCN: senders slow down on congestion notification packets"},
		{"none", "senders always send at line rate"},
		{"hpcc", "HPCC: senders keep a window from in-band telemetry of every hop (SIGCOMM'19)"},
		{"timely", "TIMELY: senders follow the gradient of the round-trip time (SIGCOMM'15)"},
		{"dctcp", "DCTCP: senders cut a window by the part of marked bytes (SIGCOMM'10, RFC 8257)"},
		{"swift", "Swift: senders keep a window against a target delay (SIGCOMM'20)"},
	}
	CollectiveAlgorithms = []Choice{
		{"ring", "ring all-reduce: reduce-scatter, then all-gather"},
	}
	Models = []Choice{
		{"mlp", "multi-layer perceptron: dense layers with an activation between"},
	}
	Activations = []Choice{
		{"relu", "max(0, x)"},
		{"sigmoid", "1 / (1 + e^-x)"},
	}
	Losses = []Choice{
		{"cross-entropy", "softmax and cross entropy"},
		{"mse", "mean squared error"},
	}
	Precisions = []Choice{
		{"tf32", "matrix products run at the TF32 tensor peak"},
		{"fp32-strict", "matrix products run at the plain fp32 peak"},
	}
	Kernels = []Choice{
		{"portable", "pure Go, fixed summation order: the same bits on every machine"},
	}
	HostPresets = []Choice{
		{"hgx-h100", "HGX H100 SXM5: NVIDIA H100 data sheet"},
		{"hgx-a100", "HGX A100 SXM4 80 GB: NVIDIA A100 data sheet"},
		{"hgx-h200", "HGX H200 SXM: NVIDIA H200 data sheet"},
		{"hgx-b200", "HGX B200: NVIDIA data sheet; PCIe generation and plain fp32 peak assumed"},
	}
	Presets = []Choice{
		{"none", "Railyard's defaults"},
		{"hpcc-ns3", hpccNS3},
	}
	QoSPresets = []Choice{
		{"default", "marking thresholds scale with the port: 100 kB / 400 kB / 20 % per 25 Gb/s (HPCC, SIGCOMM'19)"},
		{"book", "marking thresholds 150 kB / 3 MB / 7 %, common in vendors' AI fabric guides"},
		{"dcqcn-sigcomm15", "marking thresholds 5 kB / 200 kB / 1 % of the DCQCN paper (SIGCOMM'15), stated for ports of 40 Gb/s, scaled with the port"},
		{"hpcc-ns3", hpccNS3},
	}
	TransportPresets = []Choice{
		{"default", "timeout exponent 8 (1.048576 ms)"},
		{"verbs", "timeout exponent 14 (67.108864 ms), usual with verbs applications"},
		{"nccl", "timeout exponent 20 (4.294967296 s), NCCL's default (NCCL_IB_TIMEOUT)"},
		{"irn", "selective repeat with a window of the bandwidth-delay product, as in IRN (SIGCOMM'18)"},
		{"hpcc-ns3", hpccNS3},
	}
	CongestionPresets = []Choice{
		{"default", "connectx-default with a minimum rate of 1 Gb/s"},
		{"dcqcn-sigcomm15", "constants of the DCQCN paper (SIGCOMM'15), increase steps scaled with the port; minimum rate assumed"},
		{"hpcc-ns3", hpccNS3 + ": timers only, marks in ACKs; increase steps and minimum rate for 100 Gb/s ports"},
		{"hpcc-ns3-paper", hpccNS3 + ", run.py --cc dcqcn_paper: timers of 50, 50 and 55 us"},
		{"connectx-default", "NVIDIA, DCQCN CC parameters (ConnectX-4 and later); order of steps, increase, byte counter and CNP interval assumed: firmware may differ"},
	}
	Notifications = []Choice{
		{"cnp", "congestion notification packets, at most one per flow and interval"},
		{"ack", "every mark is echoed in an acknowledgement; there are no CNPs"},
		{"none", "receivers say nothing of marks"},
	}
	Recoveries = []Choice{
		{"go-back-n", "everything from the first lost packet on, as RoCE NICs do"},
		{"selective-repeat", "only what is missing, as in IRN (SIGCOMM'18)"},
	}
	AckClasses = []Choice{
		{"data", "with RoCE data"},
		{"cnp", "with CNPs, before all others"},
	}
	Pacings = []Choice{
		{"each", "as soon as the rate of one of its queue pairs allows a packet"},
		{"shared", "by one timer, which does not skip queue pairs whose window is full: a packet of another may wait for the next acknowledgement, as in the HPCC authors' ns-3 model"},
	}
	Clocks = []Choice{
		{"exact", "picoseconds, rounded up"},
		{"truncate-ns", "cut to whole nanoseconds, as ns-3 models with a nanosecond clock do: links are up to 1 % (100 Gb/s) or 5 % (400 Gb/s) too fast"},
	}
	Orders = []Choice{
		{"phases", "transmissions end, frames arrive, timers expire, hosts work; ports of a phase by number"},
		{"scheduled", "as they were scheduled, as in ns-3: of two frames the one whose first bit left first. Runs on one island"},
	}
	Crossings = []Choice{
		{"shared", "to the shared part, which keeps one largest frame for each port and lossless class: headroom is left to what comes after the decision"},
		{"headroom", "to headroom, if it does not fit below the threshold"},
	}
	ClassSets = []Choice{
		{"all", "RoCE data, other traffic, CNPs"},
		{"data", "RoCE data alone: nothing is set aside for others"},
	}
	Releases = []Choice{
		{"end", "a frame's buffer is given back when its last bit has left"},
		{"dequeue", "a frame's buffer is given back when its first bit leaves"},
	}
	Markings = []Choice{
		{"enqueue", "mark by the queue length that an arriving frame finds"},
		{"dequeue", "mark by the queue length that a leaving frame leaves behind"},
	}
	BaseRTTs = []Choice{
		{"frames", "a full frame there, an acknowledgement back"},
		{"payload", "a full payload there, nothing back: no headers, no acknowledgement"},
	}
	Completions = []Choice{
		{"receiver", "a flow ends when its last byte is placed at the receiver"},
		{"sender", "a flow ends when its last byte is acknowledged at the sender"},
	}
	FlowPriorities = []Choice{
		{"data", "the RoCE data class: ECN, PFC"},
		{"other", "the class for other traffic: neither marked nor paused"},
	}
)

// hpccNS3 is the source of the preset of that name.
const hpccNS3 = "HPCC authors' ns-3 model (alibaba-edu/High-Precision-Congestion-Control)"

// A preset gives values to the fields of a group; a key in the file wins over it.
// presets: path of the preset field -> its name -> path -> value as in a file.
var presets = map[string]map[string]map[string]string{
	"cluster.host.preset": {
		"hgx-h100": gpu("450GB/s", "63GB/s", "495TFLOP/s", "67TFLOP/s", "80GB", "3350GB/s"),
		"hgx-a100": gpu("300GB/s", "31.5GB/s", "156TFLOP/s", "19.5TFLOP/s", "80GB", "2039GB/s"),
		"hgx-h200": gpu("450GB/s", "63GB/s", "495TFLOP/s", "67TFLOP/s", "141GB", "4800GB/s"),
		"hgx-b200": gpu("900GB/s", "63GB/s", "1125TFLOP/s", "75TFLOP/s", "180GB", "8000GB/s"),
	},
	"fabric.qos.preset": {
		"default":         {},
		"book":            {"fabric.qos.ecn.min": "150kB", "fabric.qos.ecn.max": "3MB", "fabric.qos.ecn.probability": "7%"},
		"dcqcn-sigcomm15": {"fabric.qos.ecn.min": "5kB", "fabric.qos.ecn.max": "200kB", "fabric.qos.ecn.port_rate": "40Gb/s", "fabric.qos.ecn.probability": "1%"},
		"hpcc-ns3": {
			"fabric.qos.ecn.min": "auto", "fabric.qos.ecn.max": "auto", "fabric.qos.ecn.probability": "auto", "fabric.qos.ecn.at": "dequeue",
			"fabric.qos.pfc.alpha": "1/8", "fabric.qos.pfc.alpha_rate": "nic", "fabric.qos.pfc.resume_offset": "3KiB",
			"fabric.qos.pfc.headroom_delays": "3", "fabric.qos.pfc.crossing": "headroom", "fabric.qos.pfc.quanta": "0", "fabric.qos.pfc.response": "0ns",
		},
	},
	"transport.preset": {
		"default": {},
		"verbs":   {"transport.timeout": "67.108864ms"},
		"nccl":    {"transport.timeout": "4.294967296s"},
		"irn": {
			"transport.recovery": "selective-repeat", "transport.timeout": "320us", "transport.timeout_low": "100us", "transport.low_packets": "3",
			"transport.window": "bdp", "transport.ack_every": "1",
		},
		"hpcc-ns3": {
			"transport.mtu": "1kB", "transport.frames.header": "48B", "transport.frames.reth": "0B", "transport.frames.immediate": "0B",
			"transport.frames.ack": "60B", "transport.frames.cnp": "0B", "transport.frames.pause": "43B", "transport.frames.overhead": "0B",
			"transport.ack_every": "1", "transport.ack_class": "data", "transport.ack_paused": "false", "transport.ack_duplicates": "false", "transport.nak_again": "500us",
			"transport.recovery": "go-back-n", "transport.timeout": "none", "transport.base_rtt": "payload", "transport.completion": "sender",
		},
	},
	"congestion.preset": {
		"default": {},
		"dcqcn-sigcomm15": {
			"congestion.cnp_interval": "50us", "congestion.g": "1/256", "congestion.initial_alpha": "1", "congestion.alpha_timer": "55us",
			"congestion.decrease_interval": "none", "congestion.decrease_offset": "0ns", "congestion.first_cnp_rate": "1", "congestion.clamp_target": "true",
			"congestion.increase_timer": "55us", "congestion.byte_counter": "10MB", "congestion.fast_recovery": "5",
		},
		"hpcc-ns3":         reactionPoint("1us", "4us", "300us"),
		"hpcc-ns3-paper":   reactionPoint("50us", "50us", "55us"),
		"connectx-default": {"congestion.min_rate": "1Mb/s"}, // the rest is Railyard's default too
	},
	"preset": {
		"none": {},
		"hpcc-ns3": {
			"cluster.host.pcie_latency": "0ns", "cluster.nic.latency": "0ns", "cluster.nic.pacing": "shared",
			"fabric.order": "scheduled", "fabric.links.delay": "1us", "fabric.switch.latency": "0ns", "fabric.switch.buffer": "32MiB", "fabric.switch.reserve": "4KiB", "fabric.switch.release": "dequeue",
			"fabric.qos.preset": "hpcc-ns3", "fabric.qos.classes": "data", "transport.preset": "hpcc-ns3", "congestion.preset": "hpcc-ns3",
		},
	},
}

// reactionPoint is DCQCN with timers only, as in the HPCC authors' ns-3 model.
func reactionPoint(alpha, decrease, increase string) map[string]string {
	return map[string]string{
		"congestion.notify": "ack", "congestion.cnp_interval": "0ns", "congestion.g": "1/256", "congestion.initial_alpha": "1", "congestion.alpha_timer": alpha,
		"congestion.decrease_interval": decrease, "congestion.decrease_offset": "1ns", "congestion.first_cnp_rate": "1", "congestion.clamp_target": "false",
		"congestion.increase_timer": increase, "congestion.byte_counter": "none", "congestion.fast_recovery": "1",
		"congestion.rate_ai": "20Mb/s", "congestion.rate_hai": "200Mb/s", "congestion.min_rate": "1Gb/s",

		"congestion.hpcc.max_stage": "0", "congestion.hpcc.rate_ai": "40Mb/s", "congestion.hpcc.tx_unit": "512B", "congestion.hpcc.queue_unit": "320B", "congestion.hpcc.repace": "true",
		"congestion.timely.ai": "100Mb/s", "congestion.timely.hai": "500Mb/s", "congestion.timely.hai_after": "6", "congestion.timely.hai_below_low": "true",
		"congestion.timely.segment": "round-trip", "congestion.timely.min_rate": "1Gb/s",
		"congestion.dctcp.rate_ai": "615Mb/s", "congestion.dctcp.min_rate": "1Gb/s",
	}
}

// gpu is the group of figures that a host preset sets.
func gpu(nvlink, pcie, tf32, fp32, memory, bandwidth string) map[string]string {
	return map[string]string{
		"cluster.host.nvlink": nvlink, "cluster.host.pcie": pcie,
		"cluster.host.flops": tf32, "cluster.host.flops_fp32": fp32,
		"cluster.host.memory": memory, "cluster.host.memory_bandwidth": bandwidth,
	}
}
