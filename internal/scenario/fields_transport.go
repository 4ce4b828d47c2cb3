package scenario

import "railyard/internal/unit"

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

// perAck are the algorithms that work on every acknowledgement.
var perAck = map[string]bool{"hpcc": true, "timely": true, "dctcp": true, "swift": true}

// transportFields: queue pairs.
var transportFields = []*Field{
	{Path: "transport", Meaning: "RoCEv2 reliable connections"},
	{Path: "transport.preset", at: in(func(s *Scenario) *string { return &s.Transport.Preset }), Default: "default", Choices: TransportPresets,
		Meaning: "where frames, acknowledgements and timeouts come from"},
	{Path: "transport.mtu", at: in(func(s *Scenario) *unit.Bytes { return &s.Transport.MTU }), Default: "4096B", Min: "64B", Max: "9000B",
		Meaning: "payload of a full packet (path MTU); verbs know 256, 512, 1024, 2048 and 4096 bytes", Source: "InfiniBand Architecture Specification 1, path MTU"},
	{Path: "transport.frames", Meaning: "bytes of each kind of frame, FCS included"},
	{Path: "transport.frames.header", at: in(func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.Header }), Default: "62B", Min: "1B", Max: "1kB",
		Meaning: "of a data frame beside the payload: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4", Source: frames},
	{Path: "transport.frames.reth", at: in(func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.RETH }), Default: "16B", Min: "0B", Max: "1kB",
		Meaning: "more on the first packet of a message: RETH", Source: frames},
	{Path: "transport.frames.immediate", at: in(func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.Immediate }), Default: "4B", Min: "0B", Max: "1kB",
		Meaning: "more on the last packet of a message: immediate data", Source: frames},
	{Path: "transport.frames.ack", at: in(func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.ACK }), Default: "66B", Min: "1B", Max: "9kB",
		Meaning: "an ACK or NAK", Source: frames},
	{Path: "transport.frames.cnp", at: in(func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.CNP }), Default: "78B", Min: "0B", Max: "9kB",
		Meaning: "a congestion notification packet; 0B where there are none", Source: frames},
	{Path: "transport.frames.pause", at: in(func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.Pause }), Default: "64B", Min: "1B", Max: "9kB",
		Meaning: "a PFC frame", Source: "IEEE 802.1Qbb", Also: []string{"pfc"}},
	{Path: "transport.frames.overhead", at: in(func(s *Scenario) *unit.Bytes { return &s.Transport.Frames.Overhead }), Default: "20B", Min: "0B", Max: "1kB",
		Meaning: "preamble and gap: on links beside each frame, not in buffers", Source: "IEEE 802.3"},
	{Path: "transport.ack_every", at: in(func(s *Scenario) *int { return &s.Transport.AckEvery }), Min: "1", Max: "65536", Rule: "16, or 1 where every acknowledgement counts: congestion.algorithm is hpcc, timely, dctcp or swift, or transport.recovery is selective-repeat",
		derive: func(d *decoder, _ any, _ string) string {
			if perAck[d.text("congestion.algorithm")] || d.text("transport.recovery") == "selective-repeat" {
				return "1"
			}
			return "16"
		},
		Meaning: "packets per acknowledgement; the last packet of a message is always acknowledged", Source: assumed},
	{Path: "transport.ack_class", at: in(func(s *Scenario) *string { return &s.Transport.AckClass }), Default: "data", Choices: AckClasses,
		Meaning: "traffic class of acknowledgements in switches"},
	{Path: "transport.ack_paused", at: in(func(s *Scenario) *bool { return &s.Transport.AckPaused }), Default: "true",
		Meaning: "a pause of their class holds back acknowledgements and CNPs at the host that sends them; false: they go ahead, as with ACK_HIGH_PRIO 1 in the HPCC authors' model", Source: "IEEE 802.1Qbb: PFC stops a priority, whatever it carries"},
	{Path: "transport.ack_duplicates", at: in(func(s *Scenario) *bool { return &s.Transport.AckDuplicates }), Default: "true",
		Meaning: "a packet that was accepted before is acknowledged again", Source: "InfiniBand Architecture Specification 1, section 9.7"},
	{Path: "transport.nak_again", at: in(func(s *Scenario) *Opt[unit.Duration] { return &s.Transport.NakAgain }), Default: "none", Word: "none", Min: "1ns", Max: "1s",
		Meaning: "a NAK for the same gap is repeated after this; none: one NAK per gap", Source: "InfiniBand Architecture Specification 1, section 9.7"},
	{Path: "transport.recovery", at: in(func(s *Scenario) *string { return &s.Transport.Recovery }), Default: "go-back-n", Choices: Recoveries,
		Meaning: "what is sent again after a loss"},
	{Path: "transport.timeout", at: in(func(s *Scenario) *Opt[unit.Duration] { return &s.Transport.Timeout }), Default: "1.048576ms", Word: "none", Min: "1us", Max: "10min",
		Meaning: "retransmission timeout: 4.096 us x 2^8, so that a loss that only it finds costs a short run a millisecond; verbs applications usually set 2^14 (67 ms), NCCL 2^20 (4.3 s): presets verbs and nccl. none: never, so that a lost last packet ends the flow's progress", Source: assumed, Also: []string{"rto", "retransmit_timeout"}},
	{Path: "transport.timeout_low", at: in(func(s *Scenario) *Opt[unit.Duration] { return &s.Transport.TimeoutLow }), Default: "none", Word: "none", Min: "1us", Max: "10min", applies: onlySelective,
		Meaning: "timeout while few packets are outstanding", Source: "IRN (SIGCOMM'18): 100 us"},
	{Path: "transport.low_packets", at: in(func(s *Scenario) *int { return &s.Transport.LowPackets }), Default: "3", Min: "0", Max: "65536", applies: onlySelective,
		Meaning: "how many packets are few", Source: "IRN (SIGCOMM'18): N"},
	{Path: "transport.retries", at: in(func(s *Scenario) *int { return &s.Transport.Retries }), Default: "7", Min: "0", Max: "1000",
		Meaning: "timeouts in a row before the queue pair fails", Source: "verbs: retry_cnt, at most 7"},
	{Path: "transport.window", at: in(func(s *Scenario) *Either[unit.Bytes] { return &s.Transport.Window }), Default: "none", Word: "none", Other: "bdp", Min: "64B", Max: "8GB",
		Meaning: "most unacknowledged bytes per queue pair; bdp: line rate x round trip of the idle network", Source: assumed},
	{Path: "transport.window_scale", at: in(func(s *Scenario) *bool { return &s.Transport.WindowScale }), Default: "false",
		Meaning: "the window shrinks with the rate: window x rate / line rate", Source: "HPCC (SIGCOMM'19), authors' simulator: VAR_WIN"},
	{Path: "transport.base_rtt", at: in(func(s *Scenario) *string { return &s.Transport.BaseRTT }), Default: "frames", Choices: BaseRTTs,
		Meaning: "what the round trip of the idle network is of, where a window or an algorithm asks for it", Source: assumed},
	{Path: "transport.completion", at: in(func(s *Scenario) *string { return &s.Transport.Completion }), Default: "receiver", Choices: Completions,
		Meaning: "where a flow ends"},
}
