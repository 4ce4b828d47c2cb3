package sim

import (
	"math/bits"
	"slices"

	"railyard/internal/base/unit"
)

// Most events of a window are known as it begins: what arrives from other islands has left them a lookahead
// before. They are sorted once for all, and need no place on the wheel:
//
//	due    a1 a2 a3 ...            sorted as the window begins
//	wheel     w1       w2 ...      what the island schedules for itself meanwhile
//	       a1 a2 w1 a3 w2 ...      order of handling: by time and key

// Arrivals is what islands have caused in each other without scheduling it. Who causes an event tells the
// island with Expect or Wake.
type Arrivals interface {
	// Before adds the events of an island before end, as far as they have not been handled, and returns when the
	// first of the others comes, or unit.Never. It is called by the island's worker as a window begins; those that
	// the window does not come to after all are asked for again.
	Before(isl *Island, end unit.Time, due *Due) (later unit.Time)
}

// Expect says that something will happen in the island, at t, which Arrivals knows of.
func (isl *Island) Expect(t unit.Time) { isl.next = min(isl.next, t) }

// SetArrivals sets who knows what islands cause in each other, events of one phase and class. An engine with one
// island does not ask.
func (e *Engine) SetArrivals(a Arrivals, p Phase, c Class) {
	e.arrivals, e.arriving = a, MakeKey(p, c, 0)
}

// Due is a worker's list of what arrives in a window of the island that it is handling, as words (see wheel) whose
// times count from the window's first event.
type Due struct {
	from   unit.Time
	list   []uint64
	spare  []uint64
	counts [mostSpans]uint32 // of events in each span of time
}

const (
	logSpans  = 12
	mostSpans = 1 << logSpans
)

// Room returns room for so many events more, each to be written with Event; Added says how many were.
func (d *Due) Room(n int) []uint64 {
	if len(d.list)+n > cap(d.list) {
		d.list = slices.Grow(d.list, n)
	}
	return d.list[len(d.list) : len(d.list)+n]
}

// From is where times of events count from.
func (d *Due) From() unit.Time { return d.from }

// DueEvent is an event so long after From.
func DueEvent(since unit.Duration, key Key) uint64 { return word(unit.Time(since), key) }

// Added adds the first n events of Room.
func (d *Due) Added(n int) { d.list = d.list[:len(d.list)+n] }

// read lists in order what arrives in an island before the end of its window, and never. There is nothing
// before later beside that and what is on the wheel.
func (d *Due) read(isl *Island, a Arrivals) (later unit.Time) {
	d.list, later = d.list[:0], unit.Never
	if a != nil && isl.next < isl.limit {
		d.from = isl.next
		later = a.Before(isl, isl.limit, d)
		d.sort(word(isl.limit-d.from, 0) - 1)
	}
	d.list = append(d.list, never)
	return later
}

// sort deals the events, none beyond most, to about as many spans of time as there are events, in their order,
// and sorts each. Events that are added in order of their owners are in order then, at instants that many share.
func (d *Due) sort(most uint64) {
	n := len(d.list)
	size := min(bits.Len(uint(n)), logSpans)
	shift := max(0, bits.Len64(most)-size) & 63
	counts := d.counts[:1<<size]
	clear(counts)
	for _, v := range d.list {
		d.counts[v>>shift&(mostSpans-1)]++
	}
	sum := uint32(0)
	for i, k := range counts {
		counts[i] = sum
		sum += k
	}
	out := slices.Grow(d.spare[:0], n+1)[:n]
	for _, v := range d.list {
		k := &d.counts[v>>shift&(mostSpans-1)]
		out[*k] = v
		*k++
	}
	d.list, d.spare = out, d.list
	sortNear(out)
}

// sortNear sorts what is nearly sorted.
func sortNear(s []uint64) {
	left := manyMoves * len(s)
	for i := 1; i < len(s); i++ {
		v := s[i]
		if v >= s[i-1] {
			continue
		}
		k := i
		for ; k > 0 && v < s[k-1]; k-- {
			s[k] = s[k-1]
		}
		s[k] = v
		if left -= i - k; left < 0 {
			slices.Sort(s)
			return
		}
	}
}

// manyMoves for each event are no way to sort.
const manyMoves = 8
