package fabric

import "math/bits"

// traces is the traces that an island has made room for, in chunks that never move, and slots that
// are free. A slot is a number of the island and one within its chunks. It goes with its frame: to
// write to a trace, or to free its slot, is for the island that has the frame.
//
//	 31              shift            0
//	+-------------------+--------------+
//	| place in chunks   |    island    |
//	+-------------------+--------------+
//
// Chunk k has room for traceChunk << k, so that there are few, and what one island writes here no
// other reads: a chunk is made before a frame with a slot in it can cross.
type traces struct {
	chunks [20][]Trace
	used   int // places made
	free   []int32
	taken  int // in this window
	most   int // taken in a window so far
}

const traceChunk = 16

// place is where a number lies within the chunks.
func place(n int32) (chunk int, at int32) {
	chunk = bits.Len32(uint32(n/traceChunk+1)) - 1
	return chunk, n - traceChunk*(1<<chunk-1)
}

// traceAt returns the trace in a slot.
func (ls *links) traceAt(slot int32) *Trace {
	chunk, at := place(slot >> ls.islandBits)
	return &ls.states[slot&(1<<ls.islandBits-1)].traces.chunks[chunk][at]
}

// traceSlot takes a free slot.
func (ls *links) traceSlot(island int32) int32 {
	t := &ls.states[island].traces
	if len(t.free) == 0 {
		chunk, _ := place(int32(t.used))
		size := traceChunk << chunk
		t.chunks[chunk] = make([]Trace, size)
		for i := range size {
			t.free = append(t.free, int32(t.used+size-1-i)<<ls.islandBits|island)
		}
		t.used += size
	}
	t.taken++
	last := len(t.free) - 1
	slot := t.free[last]
	t.free = t.free[:last]
	return slot
}

// traceOf returns a frame's trace, nil if it has none.
func (ls *links) traceOf(p *Packet) *Trace {
	if p.attach == 0 || p.counts() {
		return nil
	}
	return ls.traceAt(p.attach - 1)
}
