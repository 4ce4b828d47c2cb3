package fabric

import (
	"math"
	"math/bits"

	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/qos"
)

// mark is a queue's WRED profile in integers: above low, a frame is marked if
// random32 * span < (q - low) * slope.
type mark struct {
	low, high int64
	slope     uint64 // probability x 2^32
	dequeue   bool
	on        bool
}

// unmarked is the profile of a queue that marks nothing.
var unmarked = mark{low: math.MaxInt64}

func newMark(m qos.Marking) mark {
	hi, lo := bits.Mul64(uint64(m.Probability.Num), 1<<32)
	slope, _ := bits.Div64(hi, lo, uint64(m.Probability.Den))
	return mark{low: int64(m.Min), high: int64(m.Max), slope: slope, dequeue: m.AtDequeue, on: true}
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

// marking is what a queue has of marks. How much waits is said by who asks.
type marking struct {
	mark  mark
	rng   sim.Stream
	level uint8 // for who watches: above how many of the profile's two thresholds the queue is
}

// hits decides whether a frame is marked that finds so many bytes in the queue as it comes or, with leaves, that
// leaves so many behind.
func (m *marking) hits(bytes int64, leaves bool) bool {
	return m.mark.dequeue == leaves && m.mark.hit(bytes, m.rng.Uint32)
}

// set gives the queue another profile.
func (m *marking) set(to mark) {
	if m.mark != to {
		m.mark, m.level = to, 0 // who watches is told anew
	}
}

// crossing is a threshold of marking that a queue has come over or below.
type crossing struct {
	kind      EventKind
	threshold unit.Bytes
}

// crossings are the thresholds that a queue of so many bytes has crossed since it was last asked, in order.
func (m *marking) crossings(bytes int64) (all []crossing) {
	if !m.mark.on {
		return nil
	}
	to := func(level uint8, kind EventKind, threshold int64) {
		m.level = level
		all = append(all, crossing{kind, unit.Bytes(threshold)})
	}
	if m.level == 0 && bytes > m.mark.low {
		to(1, EventOverMin, m.mark.low)
	}
	if m.level == 1 && bytes > m.mark.high {
		to(2, EventOverMax, m.mark.high)
	}
	if m.level == 2 && bytes <= m.mark.high {
		to(1, EventUnderMax, m.mark.high)
	}
	if m.level == 1 && bytes <= m.mark.low {
		to(0, EventUnderMin, m.mark.low)
	}
	return all
}

// mark marks a frame, if it can be marked.
func (p *Packet) mark() (marked bool) {
	if p.tos&ecnMask == 0 {
		return false
	}
	p.tos |= ecnMarked
	return true
}
