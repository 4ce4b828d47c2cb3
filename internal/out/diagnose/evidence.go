package diagnose

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// Evidence is what a run knows. Ports, queue pairs and ranks are numbered; -1 is none.
type Evidence struct {
	Subject string // whose time it is
	Count   int64  // of what Spans sum over: steps, messages
	Spans   []Span
	Pairs   map[int32]*Pair // those that Spans name
	Ports   []Port
	Circle  []int32 // ports that waited for each other, each for the next
	// Name returns the name of a queue pair of Pairs or of a port's Fill.
	Name func(pair int32) string
	// Choice returns the ports that were equal to a port for what waited there, nil where there was no other. It may
	// be nil.
	Choice func(port int32) *Choice
	// Crossing returns whose bytes crossed a port, where nothing else says it. It may be nil.
	Crossing func(port int32) []Share
	// Delivered returns how many bytes of a queue pair arrived. It may be nil.
	Delivered func(pair int32) int64
	// Job returns the name of a queue pair's job that is not the one that is judged, "" of its own and of background.
	// It may be nil.
	Job func(pair int32) string
	// Foreign reports whether a queue pair is not the job's that is judged. It may be nil: those are that Pairs has not.
	Foreign func(pair int32) bool
	// Detour reports whether a queue pair of ranks goes from rail to rail over spines where NVLink and the receiver's rail
	// would do. It may be nil: none does.
	Detour func(pair int32) bool
	// SameRank reports whether two queue pairs are sent by one rank of a job. It may be nil.
	SameRank func(a, b int32) bool
	Line     unit.Bitrate  // that most NICs' ports have
	Timeout  unit.Duration // after which a sender sends again what was not acknowledged
	// RankCompute is the mean time of compute in a step, by rank.
	RankCompute []unit.Duration
	// RankWork is how long a rank's compute would take were all devices alike; nil: as long on all.
	RankWork []unit.Duration
}

// Span is time that passed for one cause, summed.
type Span struct {
	Cause  cause.Cause
	Port   int32 // where it was spent; of a pause, the port from whose queue it spread; of PCIe, a link inside a host
	Pair   int32
	Rank   int32
	Launch bool // of compute: starting kernels
	Stood  bool // of compute: a launch took longer than launches do, the rank stood still
	Behind bool // it waited for an earlier message of its queue pair, which the cause held up
	Time   unit.Duration
}

// Pair is a queue pair.
type Pair struct {
	Line       unit.Bitrate  // of its NIC's port
	Path, Back []Hop         // of its packets and of their acknowledgements, the NIC's own port first
	Held       cause.Split   // of all its completed messages
	RoundTrip  unit.Duration // of a full packet in an empty network
	// how long the sender's link takes for a window; -1: congestion control sets it, 0: there is
	// none
	Window unit.Duration
	// Late is the gaps that its receiver answered with a NAK though the packet was only late. NoRoom says
	// that packets which came early were dropped there for want of room.
	Late   int64
	Gaps   int64 // all that it answered so
	NoRoom bool
	Timer  unit.Duration // its sender stood still until the retransmission timer ran out
	Slow   []int32       // Ports that stand for PCIe links at its ends which have less than those of other hosts
}

// PCIeOfHost ends the name of a port that stands for PCIe of a host: host1/PCIe.
const PCIeOfHost = "/PCIe"

// Hop is what a queue pair met at one port.
type Hop struct {
	Port               int32
	Marked             int64 // packets
	Frames             int64 // traced
	Own, Others, Pause unit.Duration
	Root               int32         // of most of Pause
	Span, Held         unit.Duration // messages under way; of that, the port was paused
	Served, Mine       unit.Bytes
	Lost               []Lost
}

// Lost is how many frames a port lost in one way.
type Lost struct {
	Kind   Kind // that such a loss is
	Frames int64
}

// Port is an egress port.
type Port struct {
	Name  string
	Rate  unit.Bitrate
	Delay unit.Duration // of its cable
	Storm bool          // its own peer pauses it without end
	// Circle is the first port of those that waited for each other in a circle, this one among them, counted from 1; 0: it
	// was in none.
	Circle int32
	// Receiver: that is a NIC which waits for its PCIe
	Receiver bool
	Fill     []Share // of a NIC's port, whose queue pairs wait in turn: what arrived of each

	Own, Last bool          // a NIC's own port; the port to a NIC
	Load      []Load        // over time
	Roots     []Root        // how long it was paused, by the port from whose queue that spread
	Paused    unit.Duration // in all
	Active    unit.Duration // from its first frame to its last
	Cut       unit.Duration // its link was down
	Degraded  bool          // it had less than the rate of its cable
	Odd       []string      // settings of which the other switches of its tier have another value

	crossed []Share // see court.fill
}

// Root is how long a port was paused because of another one's queue.
type Root struct {
	Port int32
	Time unit.Duration
}

// Pick is how a port is chosen among equal ones.
type Pick uint8

// The ways to choose.
const (
	ByHash   Pick = iota // of a flow's headers
	ByPacket             // each packet for itself
	ByBurst              // each flowlet, or what stays of a flow as others are full
	Written              // paths are written in the scenario
)

// Choice is the ports among which one was chosen, and how.
type Choice struct {
	Equal []int32 // the port among them
	By    Pick
	Via   string   // the switch that is chosen with the port, or else the port
	Among string   // all that can be chosen so: the same for choices that are made together
	Over  int      // flows by way of it
	All   int      // flows by way of all of the equal ones
	Idle  []string // those by way of which no flow went
	Of    int      // how many there are to choose
	// Alike are two tiers one behind the other that hash alike, so that the second sees what the first has sorted.
	Alike [2]string
	Cut   []int32 // of Equal: their links were down
	// Ratio is how much more bandwidth a switch has to its hosts than by its equal ports, 0: it is not known.
	Ratio float64
	Usual bool   // no port between such nodes has more than this one
	Tier  string // which switch has that ratio
	Hash  string // the function by which it is chosen: mix, xor
}

// Share is whose bytes waited at a port.
type Share struct {
	Pair  int32
	Bytes int64
}
