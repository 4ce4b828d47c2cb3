package fabric

import (
	"sync"
	"sync/atomic"
)

// traceTable holds the traces of frames under way in chunks that never move. A slot belongs to the
// island that has the frame; a free one lies in a list of the island where its frame ended.
type traceTable struct {
	chunks atomic.Pointer[[]*[traceChunk]Trace]
	lock   sync.Mutex // for what follows, and to add chunks
	spare  [][]int32  // free slots that islands had too many of, traceChunk each
}

// freeTraces is an island's free slots.
type freeTraces []int32

const traceChunk = 64

// at returns the trace in a slot.
func (t *traceTable) at(slot int32) *Trace {
	return &(*t.chunks.Load())[slot/traceChunk][slot%traceChunk]
}

// get takes a free slot.
func (t *traceTable) get(free *freeTraces) int32 {
	if len(*free) == 0 {
		t.fill(free)
	}
	last := len(*free) - 1
	slot := (*free)[last]
	*free = (*free)[:last]
	return slot
}

// put frees a slot.
func (t *traceTable) put(free *freeTraces, slot int32) {
	*free = append(*free, slot)
	if len(*free) < 4*traceChunk {
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	keep := len(*free) - traceChunk
	t.spare = append(t.spare, append([]int32(nil), (*free)[keep:]...))
	*free = (*free)[:keep]
}

// fill gets free slots: what other islands had too many of, or new ones.
func (t *traceTable) fill(free *freeTraces) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if n := len(t.spare); n > 0 {
		*free = append(*free, t.spare[n-1]...)
		t.spare = t.spare[:n-1]
		return
	}
	var chunks []*[traceChunk]Trace
	if old := t.chunks.Load(); old != nil {
		chunks = *old
	}
	first := int32(len(chunks) * traceChunk)
	chunks = append(chunks[:len(chunks):len(chunks)], new([traceChunk]Trace))
	t.chunks.Store(&chunks)
	for i := range int32(traceChunk) {
		*free = append(*free, first+traceChunk-1-i)
	}
}
