//go:build unix

package rank

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// ring is bytes from one rank to another in memory that both see: one writes, one reads.
//
//	+--------------------+--------------------+--------------------------------+
//	| read   (64 bytes)  | written (64 bytes) | bytes, a power of two of them  |
//	+--------------------+--------------------+--------------------------------+
//
// The counters only grow. Neither end believes what the other says beyond its own bounds: a counter that cannot be ends
// the link.
type ring struct {
	head *ringEnd // how much has been read
	tail *ringEnd // how much has been written
	data []byte
	mine uint64 // this end's counter: it is not read back from memory that the other end could write
}

type ringEnd struct {
	n    atomic.Uint64
	full atomic.Uint32 // of the tail: the writer waits for room
	back atomic.Uint32 // of the head: messages that were lent and given back, modulo 2^32
	_    [48]byte
}

const ringHead = 128

// ringAt returns the ring in memory of ringHead bytes and a power of two beside.
func ringAt(b []byte) ring {
	size := len(b) - ringHead
	if size <= 0 || bits.OnesCount(uint(size)) != 1 {
		panic(fmt.Sprintf("rank: a ring of %d bytes", size))
	}
	return ring{head: (*ringEnd)(unsafe.Pointer(&b[0])), tail: (*ringEnd)(unsafe.Pointer(&b[64])), data: b[ringHead:]}
}

// room returns a contiguous piece to write into, nil: there is none.
func (r *ring) room() ([]byte, error) {
	used := r.mine - r.head.n.Load()
	if used > uint64(len(r.data)) {
		return nil, fmt.Errorf("%d bytes lie in a ring of %d", used, len(r.data))
	}
	at := r.mine & uint64(len(r.data)-1)
	return r.data[at:min(at+uint64(len(r.data))-used, uint64(len(r.data)))], nil
}

func (r *ring) wrote(n int) {
	r.mine += uint64(n)
	r.tail.n.Store(r.mine)
}

// there returns a contiguous piece to read, nil: nothing has come.
func (r *ring) there() ([]byte, error) {
	n := r.tail.n.Load() - r.mine
	if n > uint64(len(r.data)) {
		return nil, fmt.Errorf("%d bytes lie in a ring of %d", n, len(r.data))
	}
	at := r.mine & uint64(len(r.data)-1)
	return r.data[at:min(at+n, uint64(len(r.data)))], nil
}

func (r *ring) read(n int) {
	r.mine += uint64(n)
	r.head.n.Store(r.mine)
}

// Shared is a link through memory that two ranks of a host share: a ring each way.
type Shared struct {
	loop    *Loop
	peer    int32
	out, in ring
	bell    *Bell  // of the peer
	board   *Board // of the peer
	sending queue
	receive receive
	lent    lending
	broken  bool
}

// NewShared returns a link of a loop to a peer. Each ring is RingBytes long; board and bell are the peer's.
func NewShared(l *Loop, peer int32, out, in []byte, board *Board, bell *Bell) *Shared {
	s := &Shared{loop: l, peer: peer, out: ringAt(out), in: ringAt(in), bell: bell, board: board,
		receive: receive{loop: l, peer: peer}}
	s.out.mine, s.in.mine = s.out.tail.n.Load(), s.in.head.n.Load()
	s.receive.lends = s
	return s
}

// RingBytes is the length of a ring that holds size bytes, a power of two.
func RingBytes(size int) int { return ringHead + size }

// Send implements Link.
func (s *Shared) Send(f *Frame, b []byte, outlet int32) {
	if f.Kind != FrameMessage || !s.lend(f, b, outlet) {
		s.sending.add(f, b, outlet)
		s.sending.knows(&s.loop.known)
	}
}

// Push implements Link.
func (s *Shared) Push() (did bool) {
	for !s.broken && !s.sending.empty() {
		x := s.sending.next()
		to, err := s.out.room()
		if err != nil {
			s.fail(err)
			return did
		}
		if len(to) == 0 {
			s.out.tail.full.Store(1)
			if to, err = s.out.room(); err != nil || len(to) == 0 { // it may have read since
				s.board.wake(s.bell) // what fills the ring may be credits that did not
				break
			}
			s.out.tail.full.Store(0)
		}
		s.out.wrote(x.copyTo(to[:min(len(to), piece)])) // so that the peer can begin
		if x.credit {
			s.board.wakeForCredit(s.bell)
		} else {
			s.board.wake(s.bell)
		}
		did = true
		s.sending.moved(s.loop)
	}
	return did
}

// Poll implements Link.
func (s *Shared) Poll() (did, more bool) {
	if !s.broken && s.returns() {
		did = true
		s.takeBack()
	}
	for !s.broken {
		b, err := s.in.there()
		if err != nil {
			s.fail(err)
			return did, false
		}
		if len(b) == 0 {
			return did, false
		}
		n, err := s.receive.take(b)
		s.in.read(n)
		did = true
		if err != nil {
			s.fail(err)
			return did, false
		}
		if s.in.tail.full.Load() == 1 && s.in.tail.full.CompareAndSwap(1, 0) {
			s.board.wake(s.bell)
		}
	}
	return did, false
}

// Ready implements Link.
func (s *Shared) Ready() bool {
	if s.broken {
		return false
	}
	if b, err := s.in.there(); err != nil || len(b) > 0 || s.returns() {
		return true
	}
	if s.sending.empty() {
		return false
	}
	b, err := s.out.room()
	return err != nil || len(b) > 0
}

// Pending implements Link.
func (s *Shared) Pending() bool { return !s.sending.empty() }

// Descriptor implements Link: the peer rings.
func (s *Shared) Descriptor() (fd int, write bool) { return -1, false }

// Close implements Link.
func (s *Shared) Close() {}

func (s *Shared) fail(err error) {
	s.broken = true
	s.loop.Broken(s.peer, err)
}
