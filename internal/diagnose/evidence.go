package diagnose

import (
	"railyard/internal/cause"
	"railyard/internal/unit"
)

// Evidence is what a run knows. Ports, queue pairs and ranks are numbered; -1 is none.
type Evidence struct {
	Subject string // whose time it is
	Count   int64  // of what Spans sum over: steps, messages
	Spans   []Span
	Pairs   map[int32]*Pair // those that Spans name
	Ports   []Port
	// Name returns the name of a queue pair of Pairs or of a port's Fill.
	Name func(pair int32) string
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
	NoRoom bool
}

// Hop is what a queue pair met at one port.
type Hop struct {
	Port               int32
	Marked             int64 // packets
	Frames             int64 // traced
	Own, Others, Pause unit.Duration
	Root               int32 // of most of Pause
	Span               unit.Duration
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
}

// Share is whose bytes waited at a port.
type Share struct {
	Pair  int32
	Bytes int64
}
