package fabric

import "sync"

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
}

// pool is an island's free chunks.
type pool struct {
	free  *chunk
	n     int
	depot *depot
}

// depot takes chunks from islands that have too many, and gives them to those that have none.
type depot struct {
	lock  sync.Mutex
	piles []*chunk // each of pileChunks
}

const pileChunks = 64

func (p *pool) get() *chunk {
	c := p.free
	if c == nil {
		c = p.fill()
	}
	p.free = c.next
	p.n--
	c.next = nil
	return c
}

func (p *pool) put(c *chunk) {
	c.next = p.free
	p.free = c
	p.n++
	if p.n == 4*pileChunks {
		p.unload()
	}
}

// fill gets a pile of chunks.
func (p *pool) fill() *chunk {
	p.n = pileChunks
	if c := p.depot.take(); c != nil {
		return c
	}
	pile := new([pileChunks]chunk)
	for i := range pileChunks - 1 {
		pile[i].next = &pile[i+1]
	}
	return &pile[0]
}

// unload brings a pile away.
func (p *pool) unload() {
	first := p.free
	last := first
	for range pileChunks - 1 {
		last = last.next
	}
	p.free, last.next = last.next, nil
	p.n -= pileChunks
	p.depot.give(first)
}

func (d *depot) take() *chunk {
	d.lock.Lock()
	defer d.lock.Unlock()
	if len(d.piles) == 0 {
		return nil
	}
	c := d.piles[len(d.piles)-1]
	d.piles = d.piles[:len(d.piles)-1]
	return c
}

func (d *depot) give(c *chunk) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.piles = append(d.piles, c)
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
