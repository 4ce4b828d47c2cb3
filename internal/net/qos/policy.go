package qos

import (
	"railyard/internal/base/unit"
)

// Policy is how the switches of a fabric are configured.
type Policy struct {
	Classes  []Class
	PFC      PFC
	Buffer   Buffer
	MTU      unit.Bytes    // largest frame that a port takes
	Frame    unit.Bytes    // largest frame that anybody sends
	Pause    unit.Bytes    // a PFC frame on the link, with preamble and gap
	Pipeline unit.Duration // from a frame's last bit in until a switch decides on it
	Ports    []PortPolicy  // where single ports differ, by link; nil: none does
}

// PortPolicy is where a port is configured otherwise than its switch. What is nil is as the switch has it.
type PortPolicy struct {
	Classes  []Class     // as many as the switch has
	XOFF     *XOFF       // of what comes in by the port
	Headroom *unit.Bytes // of each class under PFC
}

// port is where port i differs.
func (p *Policy) port(i int) PortPolicy {
	if p.Ports == nil {
		return PortPolicy{}
	}
	return p.Ports[i]
}

// classes are the classes at port i.
func (p *Policy) classes(i int) []Class {
	if own := p.port(i).Classes; own != nil {
		return own
	}
	return p.Classes
}

// xoff is the threshold of port i, whose link is l.
func (p *Policy) xoff(i int, l Link) XOFF {
	if own := p.port(i).XOFF; own != nil {
		return *own
	}
	return p.PFC.XOFF(l.Rate)
}

// headroom is what port i keeps for a class under PFC.
func (p *Policy) headroom(i int, l Link) unit.Bytes {
	if own := p.port(i).Headroom; own != nil {
		return *own
	}
	return p.PFC.Headroom.At(l)
}

// Class is what thresholds need to know of a traffic class.
type Class struct {
	Lossless bool // protected by PFC
	ECN      *ECN // nil: never marked
	// Drop is the drop threshold: what would make an egress queue longer is dropped, under PFC too. 0
	// bytes: none, a queue ends with the buffer.
	Drop Length
}

// ECN is a WRED profile that marks instead of dropping: the marking probability rises linearly from
// 0 at Min to Probability at Max, in bytes waiting in the egress queue, and is 1 above Max.
type ECN struct {
	Min, Max    Length
	Probability unit.Ratio
	// decide when the frame leaves, on the queue behind it; else when it arrives, on the queue
	// before it
	AtDequeue bool
}

// Length is a queue length for ports of rate Per, in proportion for others; Per 0: for all ports
// the same.
type Length struct {
	Bytes unit.Bytes
	Per   unit.Bitrate
}

// At returns the length for a port of rate r.
func (l Length) At(r unit.Bitrate) unit.Bytes {
	if l.Per == 0 {
		return l.Bytes
	}
	return unit.Bytes(unit.Ratio{Num: int64(l.Bytes), Den: int64(l.Per)}.Of(int64(r)))
}

// DefaultECN is the curve of the HPCC authors' production network: 100 kB, 400 kB, 20 % per 25
// Gb/s.
var DefaultECN = ECN{
	Min:         Length{100 * unit.Kilobyte, 25 * unit.GigabitPerSec},
	Max:         Length{400 * unit.Kilobyte, 25 * unit.GigabitPerSec},
	Probability: unit.Ratio{Num: 20, Den: 100},
}

// Curve is a profile that is the same for ports of every rate.
func Curve(low, high unit.Bytes, p unit.Ratio, atDequeue bool) *ECN {
	return &ECN{Min: Length{Bytes: low}, Max: Length{Bytes: high}, Probability: p, AtDequeue: atDequeue}
}

// At returns the profile of a port of rate r.
func (e ECN) At(r unit.Bitrate) Marking {
	return Marking{Min: e.Min.At(r), Max: e.Max.At(r), Probability: e.Probability, AtDequeue: e.AtDequeue}
}

// PFC is priority flow control, IEEE 802.1Qbb.
type PFC struct {
	Alpha        unit.Ratio   // xOFF = alpha x free shared buffer
	AlphaRate    unit.Bitrate // if set, alpha doubles with the port's rate above this: see Doublings
	Threshold    unit.Bytes   // fixed xOFF in place of alpha, if positive
	ResumeOffset unit.Bytes   // xON = xOFF - this
	Quanta       uint16       // pause time in a frame, in units of 512 bit times; 0 means: until resumed
	Refresh      unit.Ratio   // a pause that still holds is sent again after this part of its time
	Response     Response     // how long after a pause frame has arrived over a link its sender stops
	Headroom     Headroom     // what the receiver of a link keeps for what arrives after xOFF, per lossless class
}

// Buffer is a switch's shared packet buffer.
type Buffer struct {
	Size        unit.Bytes // whole buffer: reserves + headrooms + shared part
	Reserve     unit.Bytes // guaranteed to each port and class
	LossyAlpha  unit.Ratio // a queue of a class without PFC may hold alpha x free shared buffer
	FreeAtTxEnd bool       // a frame's bytes are free when its last bit has left; else when its first bit leaves
	// CrossingInHeadroom charges the frame whose arrival makes a port send xOFF to headroom if it
	// does not fit below the threshold (hpcc-ns3), though the headroom formula counts only what
	// comes after the decision. Else the shared part keeps one largest frame for each port and
	// lossless class for it.
	CrossingInHeadroom bool
}

// XOFF is how much of the shared part an ingress port may hold of a class before its peer is
// paused.
type XOFF struct {
	Fixed int64      // if positive
	Alpha unit.Ratio // else this times what is free
}

// At returns the threshold while so much of the shared part is free.
func (x *XOFF) At(free int64) int64 {
	if x.Fixed > 0 {
		return x.Fixed
	}
	return x.Alpha.Num * max(0, free) / x.Alpha.Den
}

// XOFF returns the threshold of a port of rate r.
func (c *PFC) XOFF(r unit.Bitrate) XOFF {
	alpha := Bounded(c.Alpha)
	alpha.Num <<= c.Doublings(r)
	return XOFF{Fixed: int64(c.Threshold), Alpha: alpha}
}

// Doublings returns how often alpha doubles for a port of rate r: until the rate, halved as often,
// is not above AlphaRate, or alpha is 1.
func (c *PFC) Doublings(r unit.Bitrate) (n int) {
	if c.AlphaRate == 0 {
		return 0
	}
	for alpha := Bounded(c.Alpha); r > c.AlphaRate && alpha.Num<<n < alpha.Den; r /= 2 {
		n++
	}
	return n
}

// Bounded returns a ratio whose product with a buffer's bytes fits 64 bits: exact, unless it was
// written with more than six digits or so.
func Bounded(r unit.Ratio) unit.Ratio {
	for r.Num > 1<<20 || r.Den > 1<<20 {
		r.Num, r.Den = r.Num/2, r.Den/2
	}
	r.Den = max(r.Den, 1)
	return r
}
