package fabric

import "slices"

// Frames lie in chunks of a few, by value. A chunk belongs to whoever has it in a list; those that
// are free lie in the pool of an island, the one freed last on top, so that a frame comes to rest
// where another one has just left and the line is still in the cache.
//
//	link:   head -> [x x x . . . .]-> [. . . . . . .]-> [. . x _ _ _ _] <- tail
//	        the receiving end takes here                the sending end adds here
//
// The two ends of a link may belong to islands that run at the same time. The sending end writes
// behind all frames that the receiving end knows of, and tells it of them between windows.
const chunkFrames = 7

type chunk struct {
	frames [chunkFrames]Packet
	next   *chunk
	_      [24]byte // no frame lies in two lines
}

// pool is an island's free chunks.
type pool struct {
	free  *chunk
	n     int
	taken int // in this window
	most  int // taken in a window so far
}

const pileChunks = 16

func (p *pool) get() *chunk {
	if p.free == nil {
		p.add(newPile())
	}
	c := p.free
	p.free = c.next
	p.n--
	p.taken++
	c.next = nil
	return c
}

func (p *pool) put(c *chunk) {
	c.next = p.free
	p.free = c
	p.n++
}

func newPile() *chunk {
	pile := new([pileChunks]chunk)
	for i := range pileChunks - 1 {
		pile[i].next = &pile[i+1]
	}
	return &pile[0]
}

// depot has what islands have too many of, for those that have few: more frames go one way between
// two islands than the other, and chunks and slots go with them. It is used between windows.
type depot struct {
	piles []*chunk  // each of pileChunks
	slots [][]int32 // of traces, each of traceChunk
}

// even brings away what an island has too many of, and gets what it has few of: an island wants twice
// what it ever took in a window, and two piles. By what it took in the last window it would make new
// ones at every burst, although there are enough.
func (d *depot) even(st *state) {
	p := &st.chunks
	p.most = max(p.most, p.taken)
	want := 2*p.most + 2*pileChunks
	for p.taken = 0; p.n > want+2*pileChunks; {
		d.piles = append(d.piles, p.pile())
	}
	for p.n < want && len(d.piles) > 0 {
		p.add(d.piles[len(d.piles)-1])
		d.piles = d.piles[:len(d.piles)-1]
	}
	t := &st.traces
	t.most = max(t.most, t.taken)
	want = 2*t.most + 2*traceChunk
	for t.taken = 0; len(t.free) > want+2*traceChunk; {
		keep := len(t.free) - traceChunk
		d.slots = append(d.slots, slices.Clone(t.free[keep:]))
		t.free = t.free[:keep]
	}
	for len(t.free) < want && len(d.slots) > 0 {
		t.free = append(t.free, d.slots[len(d.slots)-1]...)
		d.slots = d.slots[:len(d.slots)-1]
	}
}

// pile takes out so many chunks.
func (p *pool) pile() *chunk {
	first := p.free
	last := first
	for range pileChunks - 1 {
		last = last.next
	}
	p.free, last.next = last.next, nil
	p.n -= pileChunks
	return first
}

// add puts a pile in.
func (p *pool) add(first *chunk) {
	last := first
	for last.next != nil {
		last = last.next
	}
	last.next, p.free = p.free, first
	p.n += pileChunks
}

// fifo is a queue of frames within an island.
type fifo struct {
	head, tail *chunk // nil: it is empty
	pos, end   uint8  // of the first frame in head, and behind the last in tail
	n          uint32
}

func (q *fifo) push(p *pool, pk *Packet) {
	switch {
	case q.n == 0:
		q.head = p.get()
		q.tail = q.head
		q.pos, q.end = 0, 0
	case q.end == chunkFrames:
		q.tail.next = p.get()
		q.tail = q.tail.next
		q.end = 0
	}
	q.tail.frames[q.end] = *pk
	q.end++
	q.n++
}

func (q *fifo) front() *Packet { return &q.head.frames[q.pos] }

func (q *fifo) drop(p *pool) {
	q.pos++
	q.n--
	if q.n > 0 && q.pos < chunkFrames {
		return
	}
	c := q.head
	q.head = c.next
	q.pos = 0
	p.put(c)
	if q.n == 0 {
		q.head, q.tail = nil, nil
	}
}

// each calls f with the frames in order, and their numbers from 0.
func (q *fifo) each(f func(i uint32, pk *Packet)) {
	c, pos := q.head, q.pos
	for i := range q.n {
		if pos == chunkFrames {
			c, pos = c.next, 0
		}
		f(i, &c.frames[pos])
		pos++
	}
}

// Release forgets the frames, also those that are on their way, and the memory in which frames lay. It is for
// when the run is over: from then on there are counters only.
func (f *Fabric) Release() {
	for i := range f.egress.queues {
		f.egress.queues[i].fifo = fifo{}
	}
	for i := range f.links.ports {
		f.links.ports[i].tail, f.links.ports[i].sent.line = nil, 0
		f.links.ingresses[i].head, f.links.ingresses[i].n = nil, 0
	}
	for i := range f.links.states {
		f.links.states[i].chunks, f.links.states[i].traces = pool{}, traces{}
	}
	f.links.depot = depot{}
}
