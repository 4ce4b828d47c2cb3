package scenario

import (
	"maps"
	"slices"

	"railyard/internal/net/catalogue"
	"railyard/internal/net/topo"
)

// Choice is a name that a scenario may use, with one line for `list` and documentation.
type Choice struct{ Name, Meaning string }

// BF16 is a precision of trainings, and a wire of gradients.
const BF16 = "bf16"

// HashFieldsQP are the fields of a hash with the destination queue pair.
const HashFieldsQP = "5-tuple+qp"

// Names that a scenario may use. The first is the default.
var (
	Designs = []Choice{
		{string(topo.DesignRailOptimized), "one rail switch per NIC position, rail switches joined by spines"},
		{string(topo.DesignSingleSwitch), "every NIC on one switch"},
		{string(topo.DesignDualRail), "a switch for each port of a NIC, and every NIC on all of them (cluster.nic.ports)"},
		{string(topo.DesignLeafSpine), "hosts spread over leaf switches in order, all NICs of a host on one, every leaf linked to " +
			"every spine: any-to-any, rail-unified"},
		{string(topo.DesignRailOnly), "rail switches and no spines: what crosses rails is relayed over NVLink inside a host"},
		{string(topo.DesignDragonfly), "groups of routers, all linked in a group, and every two groups; minimal routes"},
		{string(topo.DesignDirect), "hosts in pairs, NIC to NIC, without a switch"},
		{string(topo.DesignCustom), "hosts, switches and links from the file of fabric.topology"},
	}
	// Encapsulations are what frames are in between leaves.
	Encapsulations = []Choice{
		{"ethernet", "as hosts send them"},
		{"vxlan", "VXLAN from leaf to leaf: 50 bytes more; DSCP and ECN are copied both ways, spines hash the outer headers"},
	}
	// BondModes are what the ports of a NIC may be to each other.
	BondModes = []Choice{
		{"hash", "bonded: a hash of its headers says by which port a queue pair goes; from one that is down it moves"},
		{"none", "each port is a NIC to the host, and a queue pair ends with its port"},
	}
	Balancers = []Choice{
		{string(BalanceECMP), "equal-cost multipath: a hash of the headers picks the path of a queue pair"},
		{string(BalanceWCMP), "the same, in proportion to what the paths carry (WCMP, EuroSys'14)"},
		{string(BalanceResilient), "a hash picks a bucket; if a link is gone, only its buckets move"},
		{string(BalancePinned), "a controller that knows the job gives each queue pair a path, so that the fullest link has the fewest"},
		{string(BalanceFlowlet), "a queue pair that was quiet takes a link drawn anew (LetFlow, NSDI'17)"},
		{string(BalanceDLB), "dynamic load balancing: the link of the best quality, by its load and queue"},
		{string(BalanceGLB), "global load balancing: dlb, and next hops tell of the quality of their links"},
		{string(BalanceConWeave), "a queue pair leaves a path whose answer is late; the last switch restores the order (SIGCOMM'23)"},
		{string(BalanceSpray), "each packet by itself"},
	}
	// BalancerTiers are names that vendors' tiers of load balancing have.
	BalancerTiers = map[string]string{"SLB": string(BalanceECMP), "slb": string(BalanceECMP), "DLB": string(BalanceDLB),
		"GLB": string(BalanceGLB), "TELB": string(BalancePinned), "telb": string(BalancePinned)}
	DLBModes = []Choice{
		{"flowlet", "a queue pair that was quiet for gap may take another link"},
		{"packet", "each packet may"},
		{"flow", "a queue pair keeps the link that its first packet took"},
	}
	SprayPicks = []Choice{
		{"least-queue", "a link whose queue is of the lowest grade; of several alike one is drawn"},
		{"random", "a link that is drawn"},
		{"round-robin", "the links in turn"},
		{"drill", "the least loaded of a few that are drawn and the best of the last time (DRILL, SIGCOMM'17)"},
	}
	SwitchModels = switchModels()
	PortOrders   = []Choice{
		{"by-rail", "the ports of a rail follow each other: of 4 hosts rail 1 has ports 1 to 4"},
		{"by-host", "those of a host do: with 8 rails port 1 of each group of 8 is rail 1, so 1, 9, 17 (figure 13-4)"},
	}
	VLANs = []Choice{
		{"routed", "the switch routes between them"},
		{"isolated", "nothing crosses from rail to rail but over NVLink inside a host"},
	}
	HashFunctions = []Choice{
		{"mix", "a 64-bit mixing function, SplitMix64's: a hash without structure"},
		{"crc16", "the CRC with polynomial 0x1021"},
		{"crc32", "Ethernet's CRC"},
		{"toeplitz", "receive-side scaling's, with Microsoft's key changed by the seed"},
		{"xor", "the fields folded to 16 bits"},
	}
	HashFields = []Choice{
		{"5-tuple", "addresses, protocol and ports"},
		{HashFieldsQP, "and the destination queue pair of the transport header"},
	}
	HashSeeds = []Choice{
		{"same", "one for all switches, drawn from the run's seed"},
		{"per-switch", "each switch has its own, drawn from the run's seed and its number"},
	}
	// SwitchHashSeeds are those that a switch of fabric.switches may have.
	SwitchHashSeeds = append(slices.Clone(HashSeeds),
		Choice{"role", "one for the switches of this entry"})
	// SwitchBalancers are the methods that a switch may have by itself, without its neighbours.
	SwitchBalancers = slices.DeleteFunc(slices.Clone(Balancers), func(c Choice) bool { return Balancer(c.Name).WholeWay() })
	switchTiers     = without(BalancerTiers, Balancer.WholeWay)

	// Entropies are those of the packets of a queue pair.
	Entropies = []Choice{
		{"flow", "that of the queue pair"},
		{"random", "each packet has one that is drawn: oblivious spraying by the sender"},
		{"recycled", "each packet has that of an unmarked one which was answered (REPS)"},
	}
	CongestionAlgorithms = []Choice{
		{string(ByDCQCN), "DCQCN: senders slow down on congestion notification packets"},
		{string(Uncontrolled), "senders always send at line rate"},
		{string(ByHPCC), "HPCC: senders keep a window from in-band telemetry of every hop (SIGCOMM'19)"},
		{string(ByTIMELY), "TIMELY: senders follow the gradient of the round-trip time (SIGCOMM'15)"},
		{string(ByDCTCP), "DCTCP: senders cut a window by the part of marked bytes (SIGCOMM'10, RFC 8257)"},
		{string(BySwift), "Swift: senders keep a window against a target delay (SIGCOMM'20)"},
	}
	Placements = []Choice{
		{"packed", "ranks fill the GPUs of host1, then those of host2, and so on"},
		{"rail-aligned", "rank after rank on the next host: neighbours are on one rail"},
		{"scattered", "at random, by the seed: as a scheduler leaves a busy cluster"},
	}
	CollectiveAlgorithms = []Choice{
		{string(AlgorithmRing), "ring all-reduce: reduce-scatter, then all-gather"},
		{string(AlgorithmChain), "sums along a chain of ranks, then back along it, in 8 chunks"},
		{string(AlgorithmTree), "up and down a binary tree of hosts, with a chain of ranks in each, in 8 chunks"},
		{string(AlgorithmDoubleTree), "NCCL's double binary tree: as tree, half of the channels over each; needs an even number " +
			"of them"},
		{string(AlgorithmHalvingDoubling), "recursive halving, then recursive doubling"},
		{string(AlgorithmHierarchical), "rings: reduce-scatter in each host, all-reduce between hosts, all-gather in each host"},
		{string(AlgorithmNVLS), "in one host, by a switch that adds and copies: NVLink SHARP"},
		{string(AlgorithmNVLSTree), "as nvls in each host, each rank's share over NCCL's double binary tree of hosts"},
	}
	PipelineSchedules = []Choice{
		{"1f1b", "as many forwards ahead as there are stages behind, then one forward and one backward in turn"},
		{"gpipe", "all forwards, then all backwards"},
		{"interleaved", "1f1b over several virtual stages of each stage: parallel.virtual_stages"},
		{"book", "forward and backward of a slot on one stage: the last stage starts back in the slot of its forward"},
	}
	RankOrders = []Choice{
		{"tp-dp-pp", "the parts of a layer are neighbours, then replicas, then stages"},
		{"tp-pp-dp", "parts, then stages, then replicas"},
		{"dp-tp-pp", "replicas, then parts, then stages"},
		{"dp-pp-tp", "replicas, then stages, then parts"},
		{"pp-tp-dp", "stages, then parts, then replicas"},
		{"pp-dp-tp", "stages, then replicas, then parts"},
	}
	TensorStyles = []Choice{
		{"megatron", "a pair of layers by columns, then by rows, half a block by heads or hidden elements: one all-reduce " +
			"forward, one back"},
		{"book", "every product by columns: an all-gather of what it makes forward, of attention of queries, keys and " +
			"contexts, an all-reduce of its input gradients back"},
	}
	UpdateTimes = []Choice{
		{"end", "once a step, after its last backward: as one rank does"},
		{"each", "after each micro-batch: a backward may meet newer weights than its forward did"},
	}
	Optimisers = []Choice{
		{"sgd", "stochastic gradient descent, with momentum if that is above 0: torch.optim.SGD"},
		{"adam", "Adam: torch.optim.Adam; weight_decay is added to the gradient"},
		{"adamw", "AdamW: torch.optim.AdamW; weight_decay is taken from the weights"},
		{"rmsprop", "RMSprop: torch.optim.RMSprop, not centred, with momentum if that is above 0"},
	}
	Schedules = []Choice{
		{"constant", "the rate stays as it is"},
		{"step", "times schedule.factor after each schedule.every steps"},
		{"cosine", "half a cosine, down to schedule.end of the rate at the last step"},
		{"linear", "a straight line, down to schedule.end of the rate at the last step"},
		{"inverse-sqrt", "times the root of schedule.warmup over the step (Vaswani et al., NIPS 2017)"},
	}
	Inits = []Choice{
		{"layer", "as each kind of layer does in PyTorch: dense ones uniform in +-1/sqrt(inputs)"},
		{"xavier-uniform", "uniform in +-sqrt(6/(inputs + outputs)), biases 0"},
		{"xavier-normal", "normal, deviation sqrt(2/(inputs + outputs)), biases 0"},
		{"he-uniform", "uniform in +-sqrt(6/inputs), biases 0"},
		{"he-normal", "normal, deviation sqrt(2/inputs), biases 0"},
		{"normal", "normal, with the deviation of init_deviation, biases 0"},
	}
	Exits = []Choice{
		{"channel", "by the NIC of the channel's rail at both ends, over NVLink where that is another GPU's"},
		{"own", "by the sender's own NIC to the receiver's own: over spines where their rails differ"},
		{"peer", "by the NIC on the receiver's rail, over NVLink to it: NCCL's PXN"},
	}
	AllToAlls = []Choice{
		{string(AlgorithmDirect), "every rank starts all its sends at once, by the NICs that exit says"},
		{string(AlgorithmPairwise), "in step s to the rank s on, from the rank s back, by those NICs"},
		{string(AlgorithmRails), "all at once, over NVLink to the GPU on the receiver's rail and by its NIC, whatever exit says: " +
			"NCCL's PXN"},
		{string(AlgorithmTwoLevel), "what is for another host to the GPU of the receiver's place in this host first, which " +
			"sends it on by its own NIC; ranks learn all counts first"},
	}
	CollectiveOps = []Choice{
		{"all-reduce", "every rank ends with the sum of all"},
		{"all-gather", "every rank ends with every rank's part"},
		{"reduce-scatter", "every rank ends with its part of the sum of all"},
		{"broadcast", "every rank ends with rank 0's data"},
		{"reduce", "rank 0 ends with the sum of all"},
		{"all-to-all", "every rank ends with the part that each rank has for it"},
		{"gather", "rank 0 ends with every rank's part"},
		{"scatter", "every rank ends with its part of rank 0's data"},
		{"send-receive", "every rank ends with the data of the one before it in the ring"},
	}
	RowAlgorithms = []Choice{
		{string(AlgorithmAuto), "chain for broadcast and reduce, direct for all-to-all, gather and scatter, else ring; with " +
			"protocol: auto what NCCL's published model takes"},
		{string(AlgorithmRing), "all-reduce, all-gather, reduce-scatter: 1/n of the data per step round a ring; send-receive: one " +
			"step of all the data"},
		{string(AlgorithmChain), "all-reduce, broadcast, reduce: along a chain of ranks, in 8 chunks"},
		{string(AlgorithmTree), "all-reduce, broadcast, reduce: along a binary tree, in 8 chunks"},
		{string(AlgorithmDoubleTree), "all-reduce: NCCL's double binary tree; needs an even number of channels"},
		{string(AlgorithmHalvingDoubling), "all-reduce: recursive halving, then recursive doubling"},
		{string(AlgorithmHierarchical), "all-reduce: rings in each host and between hosts"},
		{string(AlgorithmNVLS), "all-reduce, all-gather, reduce-scatter: in one host, by a switch that adds and copies"},
		{string(AlgorithmNVLSTree), "all-reduce: nvls in each host, each rank's share over NCCL's double binary tree of hosts"},
		{string(AlgorithmPAT), "all-gather, reduce-scatter: NCCL's for hosts of one GPU, a binomial tree for each rank's part"},
		{string(AlgorithmHalving), "reduce-scatter: recursive halving"},
		{string(AlgorithmDoubling), "all-gather: recursive doubling"},
		{string(AlgorithmHypercube), "all-gather: recursive doubling by rank numbers, as nccl-tests' hypercube; the farthest " +
			"exchange most"},
		{string(AlgorithmDirect), "all-gather, reduce-scatter, all-to-all, gather, scatter: straight to every rank, all at once"},
		{string(AlgorithmPairwise), "all-gather, reduce-scatter, all-to-all: straight to every rank, one after the other"},
		{string(AlgorithmRails), "all-to-all: as direct, over NVLink to the GPU on the receiver's rail and by its NIC, whatever " +
			"collective.exit says: NCCL's PXN"},
		{string(AlgorithmTwoLevel), "all-to-all: what is for another host to the GPU of the receiver's place in this host first, which " +
			"sends it on by its own NIC; needs as many ranks on each host"},
	}
	Wires = []Choice{
		{"fp32", "4 bytes of each"},
		{BF16, "2 bytes: rounded to nearest even before they are sent, and each sum again"},
	}
	Protocols = []Choice{
		{string(ProtocolNone), "messages alone: no latency of a library, all of a link carries data"},
		{string(ProtocolLL), "NCCL's LL: a flag with each 4 bytes; short latency, half the rate"},
		{string(ProtocolLL128), "NCCL's LL128: a flag with each 120 bytes, over NVLink"},
		{string(ProtocolSimple), "NCCL's Simple: slices, each with a flag behind it; long latency, full rate"},
	}
	RowProtocols = append([]Choice{{string(ProtocolAuto), "what NCCL's published model takes for that size"}}, Protocols...)
	Models       = []Choice{
		{"mlp", "multi-layer perceptron: dense layers with an activation between"},
		{"cnn", "convolutional network: convolutions with pooling, then dense layers; sizes in cnn"},
		{"rnn", "vanilla recurrent network that reads text; sizes in rnn"},
		{"lstm", "recurrent network of LSTM cells that reads text; sizes in rnn"},
		{"gru", "recurrent network of gated recurrent units that reads text; sizes in rnn"},
		{"gpt", "transformer that reads text; sizes in gpt"},
		{"file", "layer by layer, as the file in network says"},
	}
	Activations = []Choice{
		{"relu", "max(0, x)"},
		{"sigmoid", "1 / (1 + e^-x)"},
		{"tanh", "hyperbolic tangent"},
		{"gelu", "x times the normal distribution's share below x"},
		{"gelu-tanh", "the same, nearly, by a hyperbolic tangent, as GPT-2 has it"},
		{"silu", "x / (1 + e^-x)"},
	}
	CellActivations = []Choice{
		{"tanh", "hyperbolic tangent"},
		{"relu", "max(0, x): the book's cell"},
	}
	Poolings = []Choice{
		{"max", "the largest element"},
		{"average", "the mean"},
	}
	ForcedExperts = []Choice{
		{"none", "the router chooses"},
		{"even", "each expert in turn"},
		{"one", "the first experts take all"},
	}
	FixedKernels = []Choice{
		{"none", "all convolutions are trained"},
		{"prewitt", "Prewitt's two kernels for edges"},
		{"kirsch", "Kirsch's eight kernels for edges"},
	}
	StepSums = []Choice{
		{"sum", "their sum"},
		{"mean", "their mean"},
	}
	Norms = []Choice{
		{"layer-norm", "less the mean, over the standard deviation, times a gain, plus a bias"},
		{"rms-norm", "over the root of the mean square, times a gain"},
	}
	NormPlaces = []Choice{
		{"before", "before each half, inside the residual; one more before the head"},
		{"after", "after each residual sum, as in the first transformer"},
	}
	PositionKinds = []Choice{
		{"learned", "a vector for each position, which is trained"},
		{"sinusoidal", "sines and cosines, which are not"},
	}
	Losses = []Choice{
		{"cross-entropy", "softmax and cross entropy"},
		{"mse", "mean squared error"},
	}
	Starts = []Choice{
		{"broadcast", "along NCCL's rings, which are chains from the first rank of each data-parallel group on"},
		{"tree", "the same along a binary tree, which NCCL has not"},
		{"equal", "all have them; nothing is sent"},
	}
	Precisions = []Choice{
		{"tf32", "all is float32; matrix products run at the TF32 tensor peak"},
		{"fp32-strict", "all is float32; matrix products run at the plain fp32 peak"},
		{BF16, "weights, what is between layers, and messages are bf16; updates move float32 masters; matrix " +
			"products run at the BF16 tensor peak"},
	}
	Kernels = []Choice{
		{"portable", "each product rounded, then added, in a fixed order: the same bits on every machine"},
		{"fma", "fused multiply-adds in the same order: the same bits on every machine, others than portable's"},
	}
	HostPresets = []Choice{
		{"hgx-h100", "HGX H100 SXM5: NVIDIA H100 data sheet"},
		{"hgx-a100", "HGX A100 SXM4 80 GB: NVIDIA A100 data sheet"},
		{"hgx-h200", "HGX H200 SXM: NVIDIA H200 data sheet"},
		{"hgx-b200", "HGX B200: NVIDIA data sheet; PCIe generation and plain fp32 peak assumed"},
		{"cpu", "two Intel Xeon Platinum 8480+, each in place of a GPU: 56 cores at 2 GHz with AMX and AVX-512, 8 channels " +
			"DDR5-4800; between them 40 GB/s, as NCCL takes it; memory assumed; cluster.nic.shared where they share a NIC"},
	}
	Presets = []Choice{
		{"none", "Railyard's defaults"},
		{"hpcc-ns3", hpccNS3},
		{"book-segment", "Deep Learning for Network Engineers, chapter 13: 4 hosts x 8 GPUs, 2 x 200 Gb/s bonded each, on " +
			"2 rail switches of all rails, a pair with MLAG"},
		{"book-pod", "the same: 2 segments, 64 GPUs, and 4 spines of 800 Gb/s links; the switches have twice as much down as up"},
		{"book-multi-pod", "the same: 2 pods, 128 GPUs, and 4 super-spines: 3 tiers"},
	}
	QoSPresets = []Choice{
		{"default", "marking thresholds scale with the port: 100 kB / 400 kB / 20 % per 25 Gb/s (HPCC, SIGCOMM'19)"},
		{"book", "marking thresholds 150 kB / 3 MB / 7 %, common in vendors' AI fabric guides"},
		{"dcqcn-sigcomm15", "marking thresholds 5 kB / 200 kB / 1 % of the DCQCN paper (SIGCOMM'15), stated for " +
			"ports of 40 Gb/s, scaled with the port"},
		{"hpcc-ns3", hpccNS3},
	}
	TransportPresets = []Choice{
		{"default", "frames of RoCEv2, a timeout exponent of 14 or more"},
		{"verbs", "timeout exponent 14 (67.108864 ms), usual with verbs applications"},
		{"nccl", "timeout exponent 20 (4.294967296 s), NCCL's default (NCCL_IB_TIMEOUT)"},
		{"irn", "selective repeat with a window of the bandwidth-delay product, as in IRN (SIGCOMM'18)"},
		{"hpcc-ns3", hpccNS3},
	}
	CongestionPresets = []Choice{
		{"default", "connectx-default with a first cut to 60 %, a faster recovery, and steps and floor that scale with the " +
			"port: fills the port of an incast without more drops and pauses; tuned"},
		{"dcqcn-sigcomm15", "constants of the DCQCN paper (SIGCOMM'15), increase steps scaled with the port; " +
			"minimum rate assumed"},
		{"hpcc-ns3", hpccNS3 + ": timers only, marks in ACKs; increase steps and minimum rate for 100 Gb/s ports"},
		{"hpcc-ns3-paper", hpccNS3 + ", run.py --cc dcqcn_paper: timers of 50, 50 and 55 us"},
		{barrePreset, "connectx-default with smaller steps more often: within the ranges that Barre (USENIX ATC'25, table 2) gives for " +
			"NICs of 400 Gb/s, tuned to fill a port; increase steps scaled with the port"},
		{"connectx-default", "NVIDIA, DCQCN CC parameters (ConnectX-4 and later), and mlxconfig of a ConnectX-5; order of " +
			"steps and unit of the byte counter assumed: firmware may differ"},
	}
	Notifications = []Choice{
		{"cnp", "congestion notification packets, at most one per flow and interval"},
		{"ack", "every mark is echoed in an acknowledgement; there are no CNPs"},
		{"none", "receivers say nothing of marks"},
	}
	Recoveries = []Choice{
		{"go-back-n", "everything from the first lost packet on, as RoCE NICs do"},
		{"selective-repeat", "only what is missing, as in IRN (SIGCOMM'18): each packet has RETH, 16 B more"},
	}
	Receivers = []Choice{
		{"in-order", "dropped, and the gap answered with a NAK, as RoCE NICs do: reordering costs what a loss costs"},
		{"buffered", "kept in the NIC until those before it have come, as far as there is room"},
		{"direct", "placed in memory at once: each packet is a WRITE ONLY with its own RETH, 16 B more"},
	}
	AckClasses = []Choice{
		{"data", "with RoCE data"},
		{"cnp", "with CNPs, before all others"},
	}
	Pacings = []Choice{
		{"each", "as soon as the rate of one of its queue pairs allows a packet"},
		{"shared", "by one timer, which does not skip queue pairs whose window is full: a packet of another may " +
			"wait for the next acknowledgement, as in the HPCC authors' ns-3 model"},
	}
	Clocks = []Choice{
		{"exact", "picoseconds, rounded up"},
		{"truncate-ns", "cut to whole nanoseconds, as ns-3 models with a nanosecond clock do: links are up to 1 % " +
			"(100 Gb/s) or 5 % (400 Gb/s) too fast"},
	}
	Orders = []Choice{
		{"phases", "transmissions end, frames arrive, timers expire, hosts work; ports of a phase by number"},
		{"scheduled", "as they were scheduled, as in ns-3: of two frames the one whose first bit left first. Runs " +
			"on one island"},
	}
	WatchdogActions = []Choice{
		{"drop", "those that wait and those that come are dropped"},
		{"forward", "they are sent in spite of the pause"},
	}
	Crossings = []Choice{
		{"shared", "to the shared part, which keeps one largest frame for each port and lossless class: headroom " +
			"is left to what comes after the decision"},
		{"headroom", "to headroom, if it does not fit below the threshold"},
	}
	Trusts = []Choice{
		{"dscp", "the DSCP of the IP header, which a frame keeps all the way"},
		{"pcp", "the priority code point of a VLAN tag: frames have one, of 4 bytes, on links of hosts; links between switches " +
			"are routed and have none, and behind them a frame is other traffic"},
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

// without returns names for all but some.
func without(names map[string]string, some func(Balancer) bool) map[string]string {
	left := maps.Clone(names)
	maps.DeleteFunc(left, func(_, v string) bool { return some(Balancer(v)) })
	return left
}

// switchModels are the models of the catalogue whose buffer is known: a run has one.
func switchModels() []Choice {
	all := []Choice{{"any", "Railyard's buffer, and as many ports as the design needs"}}
	for _, m := range catalogue.Switches {
		if m.Buffer > 0 {
			all = append(all, Choice{m.Name, m.Meaning()})
		}
	}
	return all
}

// KnowsModel reports whether fabric.switch.model may name a switch, with the same figures.
func KnowsModel(s *catalogue.Switch) bool {
	m := catalogue.FindSwitch(s.Name)
	return m != nil && *m == *s && m.Buffer > 0
}
