package fabric

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// port is the sending end of a link: an egress of a node. The first line of 64 bytes is what every
// frame touches.
type port struct {
	busyUntil unit.Time
	delay     unit.Duration // from the last bit out until the far end acts: propagation and, at a switch, its pipeline
	tail      *chunk        // newest frames on the link
	txBytes   int64         // with dataBytes and frames: without PFC frames, which is what INT reports
	dataBytes int64
	psPerByte uint32 // if exact, else 0
	backlog   uint8  // classes with frames waiting
	paused    uint8  // classes held by PFC
	flags     uint8
	used      uint8 // frames in tail; without one, as many as fit
	sent      sent  // in transmission, or last
	frames    uint32

	wraps   uint32        // of frames
	turn    uint8         // class the round robin is at
	box     int32         // mailbox to the island of the far end, if flagFar
	posted  int32         // where the box has an entry for this link, if it has one
	busy    unit.Duration // transmitting, if psPerByte is 0
	rate    unit.Bitrate
	cable   unit.Duration
	respond unit.Duration // from a pause frame's arrival until this port stops
	ctl     []pauseFrame  // PFC frames waiting to leave by this port

	pfcFrames                  int64 // sent, those that restart a class too
	pausesSent, pausesReceived int64
	pausedTotal                unit.Duration
	pausedSince                unit.Time
	drops                      int64
	marks                      int64

	watched                       bool  // a classWatch event is pending
	relieved                      uint8 // classes whose frames the watchdog drops
	detected, restored, discarded int64 // of the watchdog
}

// txFrames is how many frames it has sent, without PFC frames.
func (p *port) txFrames() int64 { return int64(p.wraps)<<32 + int64(p.frames) }

const (
	flagBusy   = 1 << iota // a classTxEnd event is pending: the port is looked at when the transmission ends
	flagHolds              // the frame in transmission still occupies buffer
	flagHost               // the port belongs to a NIC
	flagCtl                // PFC frames wait
	flagFar                // the far end of the link is in another island
	flagRare               // Quirks.AsScheduled, or Config.OnSent hears what it sends
	flagMarks              // a queue of the port may mark a frame that finds it empty
	flagTunnel             // of a switch, where frames between switches have more headers
)

// sent is what the sending end of a link keeps of the frame that it sent last: once on the link it
// is the far end's.
type sent struct {
	account int32 // at a switch: that it is charged to
	flow    int32
	op      Opcode // 0: a PFC frame
	line    uint8  // of the port, not of the frame: see line.go
	bytes   uint16
}

// ingress is the receiving end of a link. Like what is on the link it belongs to the node that the
// link leads to. It is a line of 64 bytes.
type ingress struct {
	head    *chunk // oldest frames on the link; the one before pos may still be read
	n       int32  // frames on the link that this end knows of
	far     int32  // switch index, -1: host
	first   int32  // of its accounts: that of class 0
	pos     uint8  // of the first frame in head
	refresh bool   // a classRefresh event is pending
	state   *state // of the far end's island
	isl     *sim.Island
	xoff    *threshold // ports at one rate of switches that are alike share it
	faulted int64
	// classes under PFC: those of the switch, unless a fault takes them from this port
	lossless uint8
	within   bool  // both ends are in one island, which plans one arrival at a time
	index    int32 // else: among the links that lead to the island
}

// take removes the first frame. It is valid until the next call.
func (in *ingress) take(p *pool) *Packet {
	pos := in.pos
	if pos >= chunkFrames {
		c := in.head
		in.head, pos = c.next, 0
		p.put(c)
	}
	in.pos = pos + 1
	in.n--
	return &in.head.frames[pos]
}

// front returns the first frame, of at least one.
func (in *ingress) front() *Packet {
	if pos := in.pos; pos < chunkFrames {
		return &in.head.frames[pos]
	}
	return &in.head.next.frames[0]
}

// pauseFrame is a PFC frame: class is stopped or, with quanta 0, restarted.
type pauseFrame struct {
	at     unit.Time
	class  uint8
	on     bool
	quanta uint16
	root   PortID
}

// queue is the egress queue of a class at a port: what every frame touches. Where its frames stand in line on the
// link, fifo is that end of those on the link.
type queue struct {
	fifo
	bytes   int64
	deficit int64
	low     int64     // it marks above this; the largest number if it never does
	high    int64     // most bytes ever waiting
	sampled unit.Time // until then the last sample is good
}

// slow is what few frames touch of a queue.
type slow struct {
	quantum int64
	marking

	hold hold

	lastSample int64 // index of the last sampling instant that has been accounted for
	lastValue  int64 // value reported last

	longest int64 // drop threshold; 0: none

	looks  uint32 // at a part of the queue, since it was short
	chosen bool   // it was looked at so, ever
}

// state is what the islands do not share of the fabric.
type state struct {
	chunks pool
	hops   int64
	traces traces
	dirty  []int32 // boxes with mail from here
	inbox  []int32 // boxes with mail for here
	// links that lead here from other islands, and which of them have frames on them, a bit each: see arrivals.go
	links  []PortID
	coming []uint64
	from   []int32
	// ports with a line, and some that have none any more; switches, and how many of them have no lines: see line.go
	lined   []PortID
	nodes   []int32
	without int
	kept    kept // of a period that is recorded, see repeat.go
	due     due  // where buffers are free as a frame's last bit leaves
	// links that its nodes send to, and that lead to them
	outward, inward []PortID
	_               [64]byte
}
