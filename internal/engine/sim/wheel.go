package sim

import (
	"math/bits"
	"slices"

	"railyard/internal/base/unit"
)

// event is one pending event of a heap.
type event struct {
	at  unit.Time
	tie uint32 // of a heap alone: the number of its push
	key Key
}

// An event that comes soon is a word, so that one comparison orders two of them. Its time counts from a base that
// moves along:
//
//	 63                       32 31                 0
//	+---------------------------+--------------------+
//	|  time since the base, ps  |  key               |
//	+---------------------------+--------------------+
const (
	wordKey = 32
	never   = ^uint64(0)             // behind every event
	longest = unit.Duration(1) << 31 // of windows, and of what lies in cur: times of words are good for twice that
)

// word returns an event as a word; its time may be given modulo 1<<32 ps.
func word(since unit.Time, key Key) uint64 { return uint64(since)<<wordKey | uint64(key) }

// node is an event in a slot's list: a word without a base, of which nothing is lost where the slot is known.
type node struct {
	word uint64
	next int32
}

// wheel is a timing wheel of 1<<logSlots slots of 1<<shift ps each, with a heap for events beyond
// its horizon.
//
//	    cur (sorted, being drained): events of slot s and some before it
//	     |
//	slot s   s+1   s+2  ...  s+mask      | far: heap
//	[ list ][    ][ list ]  ...  [ list ] |
//
// Invariant: every event in a slot list lies in (slot, slot+mask], every far event beyond slot+mask
// when it was pushed.
type wheel struct {
	cur    []uint64 // events of the current slot and some before it, sorted; those before pos are done
	pos    int
	first  uint64    // no event comes before it
	ends   uint64    // nor one that is not in cur before this
	base   unit.Time // of words in cur, first and ends
	floats bool      // base moves as slots are taken out, and not as windows begin
	slot   int64     // absolute number of the last slot in cur
	shift  uint
	mask   int64
	n      int // events in slot lists
	head   []int32
	words  []uint64 // bit per slot: list not empty
	pool   []node
	free   int32
	far    []event // binary heap
}

func newWheel(shift, logSlots uint) *wheel {
	w := &wheel{shift: shift, mask: 1<<logSlots - 1, head: make([]int32, 1<<logSlots),
		words: make([]uint64, 1<<logSlots/64), free: -1}
	for i := range w.head {
		w.head[i] = -1
	}
	return w
}

// rebase makes the times of words count from t, before which there is no event.
func (w *wheel) rebase(t unit.Time) {
	less := word(t-w.base, 0)
	w.base = t
	for i := w.pos; i < len(w.cur); i++ {
		w.cur[i] -= less
	}
	w.first, w.ends = 0, 0
}

// at returns the time of a word.
func (w *wheel) at(v uint64) unit.Time { return w.base + unit.Time(v>>wordKey) }

// bound returns a word that no event from t on comes before.
func (w *wheel) bound(t unit.Time) uint64 {
	if t-w.base >= 1<<wordKey {
		return never
	}
	return word(t-w.base, 0)
}

func (w *wheel) push(at unit.Time, key Key) {
	s := int64(at) >> (w.shift & 63)
	switch d := s - w.slot; {
	case d <= 0:
		w.insert(word(at-w.base, key))
	case d > w.mask:
		w.first = min(w.first, w.bound(at))
		w.far = append(w.far, event{at: at, key: key})
		up(w.far, byKey)
	default:
		w.list(s, at, key)
	}
}

// insert puts an event into the slot being drained.
func (w *wheel) insert(v uint64) {
	c := append(w.cur, v)
	i := len(c) - 1
	for ; i > w.pos && v < c[i-1]; i-- {
		c[i] = c[i-1]
	}
	c[i] = v
	w.cur = c
	w.first = min(w.first, v)
}

// list puts an event into a slot that lies ahead, within the horizon.
func (w *wheel) list(s int64, at unit.Time, key Key) {
	w.first = min(w.first, word(at-w.base, 0))
	x := w.free
	if x < 0 {
		x = w.grow()
	}
	nd := &w.pool[x]
	w.free = nd.next
	i := s & w.mask
	head := &w.head[i]
	nd.word, nd.next = word(at, key), *head
	*head = x
	w.words[i>>6] |= 1 << (i & 63)
	w.n++
}

// grow makes one more node, the first that is free.
func (w *wheel) grow() int32 {
	w.pool = append(w.pool, node{next: -1})
	w.free = int32(len(w.pool) - 1)
	return w.free
}

// next returns the time of the earliest event, or unit.Never. It does not move to that event's
// slot: events that other islands send for earlier times would then pile up in cur.
func (w *wheel) next() unit.Time {
	if w.pos < len(w.cur) {
		return w.at(w.cur[w.pos])
	}
	t := unit.Never
	if w.n > 0 {
		s := w.nextListed()
		start := unit.Time(s << (w.shift & 63))
		for x := w.head[s&w.mask]; x >= 0; x = w.pool[x].next {
			t = min(t, start+unit.Time(uint32(w.pool[x].word>>wordKey)-uint32(start)))
		}
	}
	if len(w.far) > 0 {
		t = min(t, w.far[0].at)
	}
	return t
}

// together is how many events the wheel takes out at least, if there are as many before the end of the
// window: the slots that hold them are sorted one by one, and lie in cur one after the other.
const together = 8

// advance moves to the next slots that hold events, unless the first begins at or after end.
func (w *wheel) advance(end unit.Time) bool {
	w.cur, w.pos, w.first = w.cur[:0], 0, never
	for len(w.cur) < together {
		s := w.nextSlot()
		if s < 0 {
			break
		}
		at := unit.Time(s << (w.shift & 63))
		if w.floats && len(w.cur) == 0 && at < end {
			w.base = at
		}
		if at >= end || w.floats && at.Sub(w.base) >= longest {
			w.first = w.bound(at)
			break
		}
		w.slot = s
		if len(w.far) > 0 && w.farSlot()-s <= w.mask {
			w.nearer(s)
		}
		w.drain(s & w.mask)
	}
	if len(w.cur) == 0 {
		return false
	}
	w.first, w.ends = w.cur[0], word(unit.Time((w.slot+1)<<(w.shift&63))-w.base, 0)
	return true
}

// nextSlot returns the absolute number of the next slot that an event belongs to, -1: there is none.
func (w *wheel) nextSlot() int64 {
	s := int64(-1)
	if w.n > 0 {
		s = w.nextListed()
	}
	if len(w.far) > 0 {
		if f := w.farSlot(); s < 0 || f < s {
			s = f
		}
	}
	return s
}

// step goes on behind the event at pos.
func (w *wheel) step() {
	w.first = w.ends
	if w.pos++; w.pos < len(w.cur) {
		w.first = w.cur[w.pos]
	}
}

// farSlot is the absolute number of the slot of the first far event.
func (w *wheel) farSlot() int64 { return int64(w.far[0].at) >> (w.shift & 63) }

// nearer puts far events onto the wheel that are within the horizon of slot s, which is its slot now.
// Those of s itself are drained with it.
func (w *wheel) nearer(s int64) {
	for len(w.far) > 0 && w.farSlot()-s <= w.mask {
		f := w.farSlot()
		e := w.far[0]
		w.far = removeFirst(w.far, byKey)
		w.list(f, e.at, e.key)
	}
}

// nextListed returns the absolute number of the next slot with a list.
func (w *wheel) nextListed() int64 {
	from := (w.slot + 1) & w.mask
	i := from >> 6
	m := w.words[i] >> (from & 63) << (from & 63)
	for m == 0 {
		i = (i + 1) & int64(len(w.words)-1)
		m = w.words[i]
	}
	j := i<<6 + int64(bits.TrailingZeros64(m))
	return w.slot + 1 + (j-from)&w.mask
}

// few is how many events of a slot are sorted as they come.
const few = 24

// drain takes the events out of a slot and puts them, sorted, behind those in cur.
func (w *wheel) drain(j int64) {
	x := w.head[j]
	if x < 0 {
		return
	}
	w.head[j] = -1
	w.words[j>>6] &^= 1 << (j & 63)
	cur, from, less := w.cur, len(w.cur), word(w.base, 0)
	first, last := x, x
	for x >= 0 {
		nd := &w.pool[x]
		v := nd.word - less
		last, x = x, nd.next
		cur = append(cur, v)
		i := len(cur) - 1
		if i-from < few {
			for ; i > from && v < cur[i-1]; i-- {
				cur[i] = cur[i-1]
			}
			cur[i] = v
		}
	}
	w.pool[last].next, w.free = w.free, first
	w.n -= len(cur) - from
	if len(cur)-from > few {
		slices.Sort(cur[from:])
	}
	w.cur = cur
}
