package fabric

import (
	"fmt"
	"math/bits"

	"railyard/internal/topo"
	"railyard/internal/unit"
)

// PortID names an egress direction of a link, as in topo.
type PortID = topo.PortID

// Class is a traffic class: a priority of the wire with its queue on every port.
type Class struct {
	Name     string
	Priority uint8 // 802.1p priority, 0-7
	Strict   bool  // served before every class that is not strict; among strict ones the higher priority first
	Weight   int   // share of the deficit weighted round robin, if not strict
	Lossless bool  // protected by PFC
	ECN      *ECN  // nil: never marked
}

// ECN is a WRED profile that marks instead of dropping: the marking probability rises linearly from 0 at low to p at high, in bytes
// waiting in the egress queue, and is 1 above high.
type ECN struct {
	At        func(port unit.Bitrate) (low, high unit.Bytes, p unit.Ratio)
	AtDequeue bool // decide when the frame leaves, on the queue behind it; else when it arrives, on the queue before it
}

// Curve returns the same profile for ports of every rate.
func Curve(low, high unit.Bytes, p unit.Ratio) func(unit.Bitrate) (unit.Bytes, unit.Bytes, unit.Ratio) {
	return func(unit.Bitrate) (unit.Bytes, unit.Bytes, unit.Ratio) { return low, high, p }
}

// PFC is priority flow control, IEEE 802.1Qbb.
type PFC struct {
	Alpha        unit.Ratio   // xOFF = alpha x free shared buffer
	AlphaRate    unit.Bitrate // if set, alpha doubles until the ingress port's rate, halved as often, is not above this, or alpha is 1
	Threshold    unit.Bytes   // static xOFF in place of alpha, if positive
	ResumeOffset unit.Bytes   // xON = xOFF - this
	Quanta       uint16       // pause time in a frame, in units of 512 bit times; 0 means: until resumed
	Refresh      unit.Ratio   // a pause that still holds is sent again after this part of its time
	// Response is how long after a pause frame has arrived over a link its sender stops; nil: at once.
	Response func(p topo.Port) unit.Duration
	// Headroom is what the receiver of a link keeps for what arrives after xOFF, per lossless class; nil: none.
	Headroom func(p topo.Port) unit.Bytes
}

// Buffer is a switch's shared packet buffer.
type Buffer struct {
	Size        unit.Bytes // whole buffer: reserves + headrooms + shared part
	Reserve     unit.Bytes // guaranteed to each port and class
	LossyAlpha  unit.Ratio // a queue of a class without PFC may hold alpha x free shared buffer
	FreeAtTxEnd bool       // a frame's bytes are free when its last bit has left; else when its first bit leaves
	// CrossingInHeadroom charges the frame whose arrival makes a port send xOFF to headroom if it does not fit below the threshold
	// (hpcc-ns3), though the headroom formula counts only what comes after the decision. Else the shared part keeps one largest frame for
	// each port and lossless class for it.
	CrossingInHeadroom bool
}

// Config is everything a fabric needs beside its graph.
type Config struct {
	Classes       []Class // in dense order; packets name them by index
	PFC           PFC
	Buffer        Buffer
	SwitchLatency unit.Duration // from a frame's last bit in to its place in the egress queue
	HostLatency   unit.Duration // a NIC's own, from a frame's last bit in until it acts on it
	LinkOverhead  unit.Bytes    // preamble and gap: bytes on the link beyond the frame
	PauseFrame    unit.Bytes
	MTU           unit.Bytes // largest frame that a port takes: headroom and schedulers allow for it
	LargestFrame  unit.Bytes // largest frame that anybody sends; 0: MTU
	Seed          uint64
	Faults        *Faults       // nil: none
	Telemetry     bool          // every data frame collects in-band telemetry at switches (HPCC)
	SampleEvery   unit.Duration // queue sampling interval, 0: off
	OnSample      func(Sample)  // receives run-length samples
	OnLoss        func(Loss)    // receives each frame that is lost, but for PFC frames; nil: nobody
	// AsScheduled is for an engine with InOrderOfPushing (hpcc-ns3): a frame's end and its arrival are scheduled as its first bit leaves, so
	// that of two events at one instant that one goes first whose frame has left first.
	AsScheduled bool
	TruncateNS  bool // hpcc-ns3 as shipped: every transmit time is cut to whole nanoseconds
}

// Sample says that from Index*SampleEvery (plus half an interval) on, the sampled length of a queue is Bytes.
type Sample struct {
	Port  PortID
	Class uint8
	Index int64
	Bytes unit.Bytes
}

func (c *Config) validate() error {
	if len(c.Classes) == 0 || len(c.Classes) > 8 {
		return fmt.Errorf("fabric: %d traffic classes: want 1 to 8", len(c.Classes))
	}
	if c.MTU <= 0 || c.MTU > 65535 {
		return fmt.Errorf("fabric: MTU %v: want 1 B to 65,535 B", c.MTU)
	}
	if err := c.PFC.validate(c.PauseFrame + c.LinkOverhead); err != nil {
		return err
	}
	for i, cl := range c.Classes {
		if !cl.Strict && cl.Weight <= 0 {
			return fmt.Errorf("fabric: class %s: weight %d: want a positive weight", cl.Name, cl.Weight)
		}
		for _, other := range c.Classes[:i] {
			if other.Priority == cl.Priority {
				return fmt.Errorf("fabric: classes %s and %s share priority %d", other.Name, cl.Name, cl.Priority)
			}
		}
	}
	return nil
}

// validate reports a pause that would have to be repeated faster than the frames that repeat it leave.
func (c *PFC) validate(frame unit.Bytes) error {
	if c.Quanta == 0 || c.Refresh.Num == 0 {
		return nil
	}
	if every := c.Refresh.Of(512 * int64(c.Quanta)); every < 8*int64(frame) {
		return fmt.Errorf("fabric: a pause of %d quanta sent again after %v of its time is a frame each %d bit times, and one takes %d: want more fabric.qos.pfc.quanta or a larger fabric.qos.pfc.refresh",
			c.Quanta, c.Refresh, every, 8*frame)
	}
	return nil
}

// bounded returns a ratio whose product with a buffer's bytes fits 64 bits: exact, unless it was written with more than six digits or so.
func bounded(r unit.Ratio) unit.Ratio {
	for r.Num > 1<<20 || r.Den > 1<<20 {
		r.Num, r.Den = r.Num/2, r.Den/2
	}
	r.Den = max(r.Den, 1)
	return r
}

// mark holds a queue's WRED profile in integers: above low, marks when random32 * span < (q - low) * slope.
type mark struct {
	low, high int64
	slope     uint64 // probability x 2^32
	dequeue   bool
	on        bool
}

func newMark(e *ECN, r unit.Bitrate) mark {
	if e == nil {
		return mark{}
	}
	low, high, p := e.At(r)
	hi, lo := bits.Mul64(uint64(p.Num), 1<<32)
	slope, _ := bits.Div64(hi, lo, uint64(p.Den))
	return mark{low: int64(low), high: int64(high), slope: slope, dequeue: e.AtDequeue, on: true}
}

// hit decides whether a frame that sees q waiting bytes is marked.
func (m *mark) hit(q int64, draw func() uint32) bool {
	if q <= m.low {
		return false
	}
	if q > m.high {
		return true
	}
	lhi, llo := bits.Mul64(uint64(draw()), uint64(m.high-m.low))
	rhi, rlo := bits.Mul64(uint64(q-m.low), m.slope)
	return lhi < rhi || lhi == rhi && llo < rlo
}
