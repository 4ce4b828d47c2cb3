package qos

import (
	"railyard/internal/base/unit"
)

// delays are the worst-case interface and response delays of a port speed in bit times, as vendors
// tabulate them for the headroom formula of IEEE 802.1Qbb. 0: no row for that speed; see Delays.
var delays = []struct {
	rate                unit.Bitrate
	interfaces, respond int64
}{
	{10 * unit.GigabitPerSec, 8_192, 30_720},
	{25 * unit.GigabitPerSec, 6_144, 40_960},
	{40 * unit.GigabitPerSec, 24_576, 60_416},
	{100 * unit.GigabitPerSec, 122_880, 201_728},
	{400 * unit.GigabitPerSec, 0, 463_360},
}

// Delays returns the interface and response delay of a port in bit times. assumed says that the
// tables have no row for this speed, and that the next lower one was scaled with the rate (the same
// time in seconds).
func Delays(r unit.Bitrate) (interfaces, respond int64, assumed bool) {
	pick := func(of func(int) int64) (int64, bool) {
		best := -1
		for i := range delays {
			if of(i) != 0 && (best < 0 || delays[i].rate <= r) {
				best = i
			}
		}
		if delays[best].rate == r {
			return of(best), false
		}
		return unit.Ratio{Num: int64(r), Den: int64(delays[best].rate)}.Of(of(best)), true
	}
	i, a := pick(func(k int) int64 { return delays[k].interfaces })
	x, b := pick(func(k int) int64 { return delays[k].respond })
	return i, x, a || b
}

// Response is how long after a pause frame's arrival its receiver stops.
type Response struct {
	Tabulated bool          // by the table of the port's speed
	After     unit.Duration // else this
}

// At returns the response time of a port of rate r.
func (w Response) At(r unit.Bitrate) unit.Duration {
	if !w.Tabulated {
		return w.After
	}
	_, respond, _ := Delays(r)
	return r.TransmitTime(unit.Bytes(respond / 8))
}

// Headroom is a rule for what a port keeps for what arrives after xOFF. The zero value keeps
// nothing.
type Headroom struct {
	rule     headroomRule
	bytes    unit.Bytes
	delays   int
	pipeline unit.Duration
}

type headroomRule uint8

const (
	noHeadroom headroomRule = iota
	fixedHeadroom
	delaysHeadroom
	formulaHeadroom
)

// FixedHeadroom keeps so much on every port.
func FixedHeadroom(b unit.Bytes) Headroom { return Headroom{rule: fixedHeadroom, bytes: b} }

// DelaysHeadroom keeps n times what a link carries in its one-way delay (the HPCC authors'
// simulator: 3).
func DelaysHeadroom(n int) Headroom { return Headroom{rule: delaysHeadroom, delays: n} }

// FormulaHeadroom keeps, by IEEE 802.1Q-2018 annex N: 2 cable delays + 2 maximum frames (one
// leaving here, one at the peer) + the pause frame + interface and response delay of the table.
// pipeline is the delay of the receiving switch before it can decide, which the interface delay
// stands for: the longer of the two counts.
func FormulaHeadroom(frame unit.Bytes, pipeline unit.Duration) Headroom {
	return Headroom{rule: formulaHeadroom, bytes: frame, pipeline: pipeline}
}

// None reports whether nothing is kept, not even for the frame that crosses xOFF.
func (h Headroom) None() bool { return h.rule == noHeadroom }

// Assumed reports whether the headroom of a port of rate r rests on the table of another speed.
func (h Headroom) Assumed(r unit.Bitrate) bool {
	_, _, assumed := Delays(r)
	return h.rule == formulaHeadroom && assumed
}

// At returns the headroom of a link: what arrives after a port asked for a pause comes at the rate of the other end.
func (h Headroom) At(l Link) unit.Bytes {
	switch h.rule {
	case fixedHeadroom:
		return h.bytes
	case delaysHeadroom:
		return unit.Bytes(h.delays) * l.arriving().BytesIn(l.Delay)
	case formulaHeadroom:
		interfaces, _, _ := Delays(l.Rate)
		_, respond, _ := Delays(l.arriving())
		return after(l, max(interfaces, bitsIn(l.Rate, h.pipeline))+pauseBits, respond, h.bytes)
	}
	return 0
}

// pauseBits is a PFC frame with preamble and gap, in bit times.
const pauseBits = 672

func bitsIn(r unit.Bitrate, d unit.Duration) int64 { return 8 * int64(r.BytesIn(d)+1) }

// after returns what arrives over a link in two cable delays, the time of a frame that leaves here before the pause frame and
// of one that leaves the other end before it stops, and some bit times more: of this end and of the other.
func after(l Link, here, there int64, frame unit.Bytes) unit.Bytes {
	rate := l.arriving()
	here += 8 * int64(frame)
	if rate != l.Rate { // bits that arrive meanwhile, rounded up
		here = unit.Ratio{Num: int64(rate), Den: int64(l.Rate)}.Of(here) + 1
	}
	bits := here + there + 8*int64(frame)
	// Bit times of the cable, rounded up.
	perSecond := unit.Ratio{Num: int64(rate), Den: int64(unit.Second)}
	bits += 2 * perSecond.Of(int64(l.Delay)+int64(unit.Second)/int64(rate))
	return unit.Bytes((bits + 7) / 8)
}

// needed returns the most that can arrive over a link and has no room but headroom, with the delays
// that are configured.
func (p *Policy) needed(l Link) unit.Bytes {
	here := bitsIn(l.Rate, p.Pipeline) + 8*int64(p.Pause)
	need := after(l, here, bitsIn(l.arriving(), p.PFC.Response.At(l.arriving())), p.Frame)
	if p.Buffer.CrossingInHeadroom {
		need += p.Frame
	}
	return need
}

// StaticBound returns the largest fixed xOFF with which a switch never runs out of its shared
// buffer: shared / (ports x classes). SIGCOMM'15 (DCQCN), section 4, "Correct threshold for PFC".
func StaticBound(shared unit.Bytes, ports, classes int) unit.Bytes {
	return shared / unit.Bytes(ports*classes)
}

// MarkingBound returns the ECN threshold below which marking comes before PFC, whatever the
// traffic, with a dynamic xOFF of alpha x free shared buffer: the worst case is that the queues of
// all ports and classes are at the threshold and those of one class were filled through a single
// ingress port, so alpha (shared - classes ports t) > ports t. SIGCOMM'15, section 4, "Correct
// threshold for ECN", whose beta is 8 alpha.
func MarkingBound(shared unit.Bytes, ports, classes int, alpha unit.Ratio) unit.Bytes {
	part := unit.Ratio{Num: alpha.Num, Den: int64(ports) * (alpha.Den + alpha.Num*int64(classes))}
	return unit.Bytes(part.Of(int64(shared)))
}

// FixedMarkingBound is MarkingBound for a fixed xOFF: ports t < xOFF.
func FixedMarkingBound(xoff unit.Bytes, ports int) unit.Bytes { return xoff / unit.Bytes(ports) }
