package scenario

import "railyard/internal/base/unit"

const (
	dcqcn  = "DCQCN (SIGCOMM'15)"
	frames = "wire format (IEEE 802.3, RFC 791, IBTA 1)"
)

// onlySelective says that a field belongs to selective repeat.
func onlySelective(s *Scenario) string {
	if s.Transport.Recovery != "selective-repeat" {
		return "transport.recovery is " + s.Transport.Recovery
	}
	return ""
}

// anyOrder says that a field belongs to receivers that take packets in any order.
func anyOrder(s *Scenario) string {
	if s.Transport.Receiver == "in-order" {
		return "transport.receiver is in-order"
	}
	return ""
}

// onlyRecycled says that a field belongs to recycled entropies.
func onlyRecycled(s *Scenario) string {
	if s.Transport.Entropy != "recycled" {
		return "transport.entropy is " + s.Transport.Entropy
	}
	return ""
}

// onlyBuffered says that a field belongs to receivers with a buffer.
func onlyBuffered(s *Scenario) string {
	if s.Transport.Receiver != "buffered" {
		return "transport.receiver is " + s.Transport.Receiver
	}
	return ""
}

// onlySetUp says that a field belongs to connections that are set up.
func onlySetUp(s *Scenario) string {
	if !s.Transport.Setup {
		return "transport.setup is false"
	}
	return ""
}

// patient is a retransmission timeout that does not run out while a packet waits in full queues: 14 in the units of
// verbs, or more where switches are slow and their buffers large.
func patient(s *Scenario) unit.Duration {
	const unitOfVerbs, most = 4096 * unit.Nanosecond, 5 * unit.Minute
	t := unitOfVerbs << 14
	if s.Cluster.NIC.Speed <= 0 { // what is wrong with it is said elsewhere
		return t
	}
	full := 4 * 8 * float64(s.Fabric.Switch.Buffer) / float64(s.Cluster.NIC.Speed) // seconds
	for t < most && t.Seconds() < full {
		t *= 2
	}
	return t
}

// transportFields: queue pairs.
var transportFields = []*Field{
	{Path: "transport", Meaning: "RoCEv2 reliable connections"},
	{
		Path: "transport.preset", Default: "default", Choices: TransportPresets,
		value:   in(choice, func(s *Scenario) *string { return &s.Transport.Preset }),
		Meaning: "where frames, acknowledgements and timeouts come from",
	},
	{
		Path: "transport.mtu", Default: "4096B", Min: "64B", Max: "9000B",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Transport.MTU }),
		Meaning: "payload of a full packet (path MTU); verbs know 256, 512, 1024, 2048 and 4096 bytes",
		Source:  "InfiniBand Architecture Specification 1, path MTU",
	},
	{Path: "transport.frames", Meaning: "bytes of each kind of frame, FCS included"},
	{
		Path: "transport.frames.header", Default: "62B", Min: "1B", Max: "1kB",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.Header }),
		Meaning: "of a data frame beside the payload: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4",
		Source:  frames,
	},
	{
		Path: "transport.frames.reth", Default: "16B", Min: "0B", Max: "1kB",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.RETH }),
		Meaning: "more on the first packet of a message: RETH",
		Source:  frames,
	},
	{
		Path: "transport.frames.immediate", Default: "4B", Min: "0B", Max: "1kB",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.Immediate }),
		Meaning: "more on the last packet of a message: immediate data",
		Source:  frames,
	},
	{
		Path: "transport.frames.ack", Default: "66B", Min: "1B", Max: "9kB",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.ACK }),
		Meaning: "an ACK or NAK",
		Source:  frames,
	},
	{
		Path: "transport.frames.cnp", Default: "78B", Min: "0B", Max: "9kB",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.CNP }),
		Meaning: "a congestion notification packet; 0B where there are none",
		Source:  frames,
	},
	{
		Path: "transport.frames.pause", Default: "64B", Min: "1B", Max: "9kB",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.Pause }),
		Meaning: "a PFC frame",
		Source:  "IEEE 802.1Qbb", Also: []string{"pfc"},
	},
	{
		Path: "transport.frames.overhead", Default: "20B", Min: "0B", Max: "1kB",
		value:   in(byteCount, func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.Overhead }),
		Meaning: "preamble and gap: on links beside each frame, not in buffers",
		Source:  "IEEE 802.3",
	},
	{
		Path: "transport.setup", Default: "false", Also: []string{"connect", "connection_setup"},
		value: in(boolean, func(s *Scenario) *bool { return &s.Transport.Setup }),
		Meaning: "queue pairs are connected before they send, when their job or flow begins: REQ, REP and RTU of connection " +
			"managers cross the network in the class of CNPs; what is posted meanwhile waits. When all jobs are over, " +
			"DREQ and DREP close them",
		Source: "InfiniBand Architecture Specification 1, section 12.9",
	},
	{
		Path: "transport.setup_time", Default: "100us", Min: "0s", Max: "1s", applies: where(onlySetUp),
		value:   in(duration, func(s *Scenario) *unit.Duration { return &s.Transport.SetupTime }),
		Meaning: "what a host takes to bring its queue pair to where it can go on: before its REP, and before its RTU",
		Source:  assumed,
	},
	{
		Path: "transport.first_qpn", Default: "0x0100", Min: "0x0002", Max: "0xffffff", applies: where(onlyCaptured),
		value: in(hexNumber, func(s *Scenario) *int { return &s.Transport.FirstQPN }),
		Meaning: "number of the first queue pair in captures, at its end that receives data; the others follow in the order of " +
			"run.json, then the ends that send. Switches that hash it count from the first",
		Source: "InfiniBand Architecture Specification 1, section 3.9.4: 0 and 1 are taken", Also: []string{"qpn", "queue_pair"},
	},
	{
		Path: "transport.first_psn", Default: "0x0000", Min: "0x0000", Max: "0xffffff", applies: where(onlyCaptured),
		value:   in(hexNumber, func(s *Scenario) *int { return &s.Transport.FirstPSN }),
		Meaning: "packet sequence number of the first packet of each queue pair, in captures and in the table of events",
		Source:  "InfiniBand Architecture Specification 1, section 9.7.1", Also: []string{"psn", "starting_psn"},
	},
	{
		Path: "transport.p_key", Default: "0xffff", Min: "0x0000", Max: "0xffff", applies: where(onlyCaptured),
		value:   in(hexNumber, func(s *Scenario) *int { return &s.Transport.PKey }),
		Meaning: "partition of the queue pairs in captures; bit 15: full member. 0xffff is the default partition",
		Source:  "InfiniBand Architecture Specification 1, section 10.9.2", Also: []string{"pkey", "partition"},
	},
	{
		Path: "transport.qps_per_connection", Default: "1", Min: "1", Max: "128",
		value: in(whole, func(s *Scenario) *int { return &s.Transport.QPs }),
		Meaning: "queue pairs between two ranks on a channel, each with its own sequence numbers, congestion control and " +
			"UDP source port, so that switches hash each alone; messages are dealt to them in turn. A flow has one",
		Source: "NCCL_IB_QPS_PER_CONNECTION, default 1", Also: []string{"qps", "queue_pairs"},
	},
	{
		Path: "transport.split_data_on_qps", Default: "false",
		value: in(boolean, func(s *Scenario) *bool { return &s.Transport.SplitData }),
		Meaning: "each message goes over all queue pairs of its connection, in equal parts of whole 128 bytes; false: over " +
			"the next in turn",
		Source: "NCCL_IB_SPLIT_DATA_ON_QPS, default 0 since NCCL 2.20",
	},
	{
		Path: "transport.ack_every", Min: "1", Max: "65536",
		Rule: "16, or 1 where every acknowledgement counts: congestion.algorithm is hpcc, timely, dctcp or " +
			"swift, transport.recovery is selective-repeat, or transport.entropy is not flow",
		value: in(whole, func(s *Scenario) *int { return &s.Transport.AckEvery }),
		derive: func(d *decoder, _ any, _ string) string {
			if Controller(d.text("congestion.algorithm")).perAck() || d.text("transport.recovery") == "selective-repeat" ||
				d.given("transport.entropy") && d.text("transport.entropy") != "flow" {
				return "1"
			}
			return "16"
		},
		Meaning: "packets per acknowledgement; the last packet of a message is always acknowledged",
		Source:  assumed,
	},
	{
		Path: "transport.ack_class", Default: "data", Choices: AckClasses,
		value:   in(choice, func(s *Scenario) *string { return &s.Transport.AckClass }),
		Meaning: "traffic class of acknowledgements in switches",
	},
	{
		Path: "transport.ack_paused", Default: "true",
		value: in(boolean, func(s *Scenario) *bool { return &s.Transport.AckPaused }),
		Meaning: "a pause of their class holds back acknowledgements and CNPs at the host that sends them; " +
			"false: they go ahead, as with ACK_HIGH_PRIO 1 in the HPCC authors' model",
		Source: "IEEE 802.1Qbb: PFC stops a priority, whatever it carries",
	},
	{
		Path: "transport.ack_duplicates", Default: "true",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Transport.AckDuplicates }),
		Meaning: "a packet that was accepted before is acknowledged again",
		Source:  "InfiniBand Architecture Specification 1, section 9.7",
	},
	{
		Path: "transport.nak_again", Default: "none", Word: "none", Min: "1ns", Max: "1s",
		value:   in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Transport.NakAgain }),
		Meaning: "a NAK for the same gap is repeated after this; none: one NAK per gap",
		Source:  "InfiniBand Architecture Specification 1, section 9.7",
	},
	{
		Path: "transport.recovery", Default: "go-back-n", Choices: Recoveries,
		value:   in(choice, func(s *Scenario) *string { return &s.Transport.Recovery }),
		Meaning: "what is sent again after a loss",
	},
	{
		Path: "transport.receiver", Choices: Receivers,
		Rule:  "in-order, or direct where transport.recovery is selective-repeat",
		value: in(choice, func(s *Scenario) *string { return &s.Transport.Receiver }),
		derive: func(_ *decoder, b any, _ string) string {
			if b.(*Scenario).Transport.Recovery == "selective-repeat" {
				return "direct"
			}
			return "in-order"
		},
		Meaning: "what becomes of a packet that another has overtaken",
		Source:  "in-order: InfiniBand Architecture Specification 1, section 9.7.5; direct: IRN (SIGCOMM'18)",
	},
	{
		Path: "transport.reorder_buffer", Default: "64", Min: "1", Max: "32767", applies: where(onlyBuffered),
		value:   in(whole, func(s *Scenario) *int { return &s.Transport.ReorderBuffer }),
		Meaning: "packets of a queue pair that its receiver keeps past a gap; what comes beyond is dropped",
		Source:  assumed,
	},
	{
		Path: "transport.reorder_window", Word: "any", Min: "0", Max: "32767", applies: where(anyOrder),
		Rule:  "any, or 0 where transport.recovery is selective-repeat",
		value: in(opt(whole), func(s *Scenario) *Opt[int] { return &s.Transport.ReorderWindow }),
		derive: func(_ *decoder, b any, _ string) string {
			if b.(*Scenario).Transport.Recovery == "selective-repeat" {
				return "0"
			}
			return "any"
		},
		Meaning: "packets past a gap that do not yet say that it is lost: it may be only late; any: however many, so " +
			"that a full buffer or the timeout says it",
		Source: "0: IRN (SIGCOMM'18), whose receivers call a gap lost at once; TCP waits for 3 (RFC 6675)",
	},
	{
		Path: "transport.entropy", Default: "flow", Choices: Entropies,
		value: in(choice, func(s *Scenario) *string { return &s.Transport.Entropy }),
		Meaning: "the UDP source port of packets, which switches hash: with several the sender sprays; an answer has the port of the " +
			"packet that it answers",
		Source: "flow: RoCEv2 NICs; recycled: REPS (arXiv 2407.21625)",
	},
	{
		Path: "transport.entropy_cache", Default: "8", Min: "1", Max: "65536", applies: where(onlyRecycled),
		value:   in(whole, func(s *Scenario) *int { return &s.Transport.EntropyCache }),
		Meaning: "source ports that a queue pair keeps, of unmarked packets that were answered",
		Source:  "REPS (arXiv 2407.21625): 8",
	},
	{
		Path: "transport.entropy_freeze", Default: "100us", Min: "0ns", Max: "10min", applies: where(onlyRecycled),
		value: in(duration, func(s *Scenario) *unit.Duration { return &s.Transport.EntropyFreeze }),
		Meaning: "how long after a timeout no port is drawn: what is cached is used again, since a path may be dead. The first answer " +
			"after that ends it",
		Source: assumed + "; a parameter of REPS (arXiv 2407.21625)",
	},
	{
		Path: "transport.timeout", Word: "none", Min: "1us", Max: "10min",
		Rule: "67.108864ms, 4.096 us x 2^14; or the next of these powers of two that outlasts four full buffers of switches at " +
			"cluster.nic.speed",
		value:  in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Transport.Timeout }),
		derive: func(_ *decoder, b any, _ string) string { return patient(b.(*Scenario)).String() },
		Meaning: "retransmission timeout: after so long without an answer all is sent again. A shorter one repairs a lost last " +
			"packet sooner, and repeats what only waits in a queue: `check` warns of it. NCCL sets 2^20 (4.3 s, preset nccl). " +
			"none: never, so that a lost last packet ends the flow's progress",
		Source: "InfiniBand Architecture Specification 1, section 9.7.6.1.3: 4.096 us x 2^n; 14 is what verbs applications " +
			"usually set",
		Also: []string{"rto", "retransmit_timeout"},
	},
	{
		Path: "transport.timeout_low", Default: "none", Word: "none", Min: "1us", Max: "10min",
		applies: where(onlySelective),
		value:   in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Transport.TimeoutLow }),
		Meaning: "timeout while few packets are outstanding",
		Source:  "IRN (SIGCOMM'18): 100 us",
	},
	{
		Path: "transport.timeout_adaptive", Default: "none", Word: "none", Min: "1us", Max: "10min",
		value: in(opt(duration), func(s *Scenario) *Opt[unit.Duration] { return &s.Transport.TimeoutAdaptive }),
		applies: where(func(s *Scenario) string {
			if !s.Transport.Timeout.Set {
				return "transport.timeout is none"
			}
			return ""
		}),
		Meaning: "the timer follows the round trips of its queue pair, mean and four deviations, from this time on and up to " +
			"transport.timeout; each timeout before that doubles it and counts as no retry. none: it does not",
		Source: "RFC 6298; NVIDIA's NICs have such a timer (RoCE adaptive retransmission), whose rule is not public",
	},
	{
		Path: "transport.low_packets", Default: "3", Min: "0", Max: "65536", applies: where(onlySelective),
		value:   in(whole, func(s *Scenario) *int { return &s.Transport.LowPackets }),
		Meaning: "how many packets are few",
		Source:  "IRN (SIGCOMM'18): N",
	},
	{
		Path: "transport.retries", Default: "7", Min: "0", Max: "1000",
		value:   in(whole, func(s *Scenario) *int { return &s.Transport.Retries }),
		Meaning: "timeouts in a row before the queue pair fails",
		Source:  "verbs: retry_cnt, at most 7",
	},
	{
		Path: "transport.window", Default: "none", Word: "none", Other: "bdp", Min: "64B", Max: "8GB",
		value:   in(either(byteCount), func(s *Scenario) *Either[unit.Bytes] { return &s.Transport.Window }),
		Meaning: "most unacknowledged bytes per queue pair; bdp: line rate x round trip of the idle network",
		Source:  assumed,
	},
	{
		Path: "transport.window_scale", Default: "false",
		value:   in(boolean, func(s *Scenario) *bool { return &s.Transport.WindowScale }),
		Meaning: "the window shrinks with the rate: window x rate / line rate",
		Source:  "HPCC (SIGCOMM'19), authors' simulator: VAR_WIN",
	},
	{
		Path: "transport.base_rtt", Default: "frames", Choices: BaseRTTs,
		value:   in(choice, func(s *Scenario) *string { return &s.Transport.BaseRTT }),
		Meaning: "what the round trip of the idle network is of, where a window or an algorithm asks for it",
		Source:  assumed,
	},
	{
		Path: "transport.completion", Default: "receiver", Choices: Completions,
		value:   in(choice, func(s *Scenario) *string { return &s.Transport.Completion }),
		Meaning: "where a flow ends",
	},
}
