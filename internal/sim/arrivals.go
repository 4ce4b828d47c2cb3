package sim

import (
	"math/bits"
	"slices"

	"railyard/internal/unit"
)

// Most events of a window are known as it begins: what arrives from other islands has left them a lookahead
// before. They are sorted once for all, and need no place on the wheel:
//
//	due    a1 a2 a3 ...            sorted as the window begins
//	wheel     w1       w2 ...      what the island schedules for itself meanwhile
//	       a1 a2 w1 a3 w2 ...      order of handling: by time and key

// Arrivals is what islands have caused in each other without scheduling it: each island has a number of
// sources of events. Who causes one tells the island with Expect or Wake.
type Arrivals interface {
	// Before adds the events of an island's sources before end, as far as they have not been handled, and returns
	// when the first of the others comes, or unit.Never. It is called by the island's worker as a window
	// begins; those that the window does not come to after all are asked for again.
	Before(isl *Island, end unit.Time, due *Due) (later unit.Time)
	// Key is that of a source's events: the larger, the larger the number of the source.
	Key(isl *Island, source uint32) Key
	// Arrive handles the next event of a source.
	Arrive(isl *Island, now unit.Time, source uint32)
}

// Expect says that something will happen in the island, at t, which Arrivals knows of.
func (isl *Island) Expect(t unit.Time) { isl.next = min(isl.next, t) }

// SetArrivals sets who knows what islands cause in each other. An engine with one island does not ask.
func (e *Engine) SetArrivals(a Arrivals) { e.arrivals = a }

// Due is a worker's list of what arrives in a window of the island that it is handling. An event is a number,
// by which it is sorted:
//
//	 63                         24 23              0
//	+-----------------------------+-----------------+
//	|  time since from            |     source      |
//	+-----------------------------+-----------------+
type Due struct {
	from   unit.Time
	list   []uint64
	spare  []uint64
	counts [mostSpans]uint32 // of events in each span of time
	shift  uint              // from an event to its span
}

const (
	sourceBits = 24
	mostSpans  = 1 << 12
	longest    = unit.Duration(1) << (64 - sourceBits - 1) // of windows: more than half a second
	lastDue    = ^uint64(0)                                // behind every event
)

// Add adds an event.
func (d *Due) Add(at unit.Time, source uint32) {
	v := uint64(at-d.from)<<sourceBits | uint64(source)
	d.list = append(d.list, v)
	d.counts[v>>(d.shift&63)&(mostSpans-1)]++
}

// read lists in order what arrives in an island before the end of its window, and lastDue. There is nothing
// before later beside that and what is on the wheel.
func (d *Due) read(isl *Island, a Arrivals) (later unit.Time) {
	d.list, later = d.list[:0], unit.Never
	if a != nil && isl.next < isl.limit {
		d.from = isl.next
		span := uint64(isl.limit-d.from)<<sourceBits - 1
		size := min(bits.Len32(isl.arrived)+1, 12) // in a window like the one before: one or two in each span
		d.shift = uint(max(0, bits.Len64(span)-size))
		clear(d.counts[:1<<size])
		later = a.Before(isl, isl.limit, d)
		isl.arrived = uint32(len(d.list))
		d.sort(1 << size)
	}
	d.list = append(d.list, lastDue)
	return later
}

// sort deals the events to spans of time, in their order, and sorts each. Events that are added in order of
// their sources are in order then, at instants that many share.
func (d *Due) sort(spans int) {
	sum := uint32(0)
	for i, n := range d.counts[:spans] {
		d.counts[i] = sum
		sum += n
	}
	out := slices.Grow(d.spare[:0], len(d.list)+1)[:len(d.list)]
	for _, v := range d.list {
		k := &d.counts[v>>(d.shift&63)&(mostSpans-1)]
		out[*k] = v
		*k++
	}
	moves := 0
	for i := 1; i < len(out); i++ {
		v, k := out[i], i
		for ; k > 0 && v < out[k-1]; k-- {
			out[k] = out[k-1]
		}
		out[k] = v
		if moves += i - k; moves > manyMoves*len(out) {
			slices.Sort(out)
			break
		}
	}
	d.list, d.spare = out, d.list
}

// manyMoves for each event are no way to sort.
const manyMoves = 8
