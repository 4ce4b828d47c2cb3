package scenario

// Choice is a name that a scenario may use, with one line for `list` and documentation.
type Choice struct{ Name, Meaning string }

// Names that a scenario may use. The first is the default.
var (
	Designs = []Choice{
		{"rail-optimized", "one rail switch per NIC position, rail switches joined by spines"},
		{"single-switch", "every NIC on one switch"},
	}
	Balancers = []Choice{
		{"ecmp", "equal-cost multipath: a hash of the 5-tuple picks the path of a queue pair"},
	}
	CongestionAlgorithms = []Choice{
		{"dcqcn", "DCQCN: senders slow down on congestion notification packets"},
		{"none", "senders always send at line rate"},
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
	QoSPresets = []Choice{
		{"default", "marking thresholds scale with the port: 100 kB / 400 kB / 20 % per 25 Gb/s (HPCC, SIGCOMM'19)"},
		{"book", "marking thresholds 150 kB / 3 MB / 7 %, common in vendors' AI fabric guides"},
	}
	TransportPresets = []Choice{
		{"default", "timeout exponent 8 (1.048576 ms)"},
		{"verbs", "timeout exponent 14 (67.108864 ms), usual with verbs applications"},
	}
	CongestionPresets = []Choice{
		{"dcqcn-sigcomm15", "constants of the DCQCN paper (SIGCOMM'15), increase steps scaled with the port"},
	}
	Releases = []Choice{
		{"end", "a frame's buffer is given back when its last bit has left"},
		{"dequeue", "a frame's buffer is given back when its first bit leaves"},
	}
	Markings = []Choice{
		{"enqueue", "mark by the queue length that an arriving frame finds"},
		{"dequeue", "mark by the queue length that a leaving frame leaves behind"},
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
		"default": {},
		"book":    {"fabric.qos.ecn.min": "150kB", "fabric.qos.ecn.max": "3MB", "fabric.qos.ecn.probability": "7%"},
	},
	"transport.preset": {
		"default": {},
		"verbs":   {"transport.timeout": "67.108864ms"},
	},
	"congestion.preset": {
		"dcqcn-sigcomm15": {},
	},
}

// gpu is the group of figures that a host preset sets.
func gpu(nvlink, pcie, tf32, fp32, memory, bandwidth string) map[string]string {
	return map[string]string{
		"cluster.host.nvlink": nvlink, "cluster.host.pcie": pcie,
		"cluster.host.flops": tf32, "cluster.host.flops_fp32": fp32,
		"cluster.host.memory": memory, "cluster.host.memory_bandwidth": bandwidth,
	}
}
