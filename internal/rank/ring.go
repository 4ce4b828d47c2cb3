package rank

import (
	"encoding/binary"
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
	_    [52]byte
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
	bell    Bell   // of the peer
	board   *Board // of the peer
	sending []sending
	first   int // of sending
	receive receive
	broken  bool
}

// sending is a frame on its way: its head, its bytes, its checksum.
type sending struct {
	head   [FrameBytes]byte
	bytes  []byte
	tail   [SumBytes]byte
	sum    uint32
	done   int   // bytes of all three that have left
	sums   bool  // a checksum follows the bytes
	outlet int32 // that the loop is told of, when all has left; -1: none
}

// receive is the frame that is coming.
type receive struct {
	head  [FrameBytes]byte
	frame Frame  // once the head is whole
	to    []byte // where its bytes go
	tail  [SumBytes]byte
	done  int // bytes of all three that have come
	sum   uint32
}

// take takes bytes that have come, and returns how many: not always all.
func (r *receive) take(s *Shared, b []byte) (n int) {
	if r.done < FrameBytes {
		n = copy(r.head[r.done:], b)
		if r.done += n; r.done < FrameBytes {
			return n
		}
		err := r.begin(s)
		if err != nil {
			s.fail(err)
			return n
		}
		if r.frame.Kind != FrameMessage {
			r.done = 0
		}
		return n
	}
	const piece = 32 << 10
	if at := r.done - FrameBytes; at < len(r.to) {
		n = copy(r.to[at:], b[:min(len(b), piece)])
		r.sum = sumOf(r.sum, r.to[at:at+n])
		r.done += n
		return n
	}
	at := r.done - FrameBytes - len(r.to)
	n = copy(r.tail[at:], b)
	if r.done += n; at+n < SumBytes {
		return n
	}
	r.done = 0
	if want := binary.BigEndian.Uint32(r.tail[:]); want != r.sum {
		s.fail(wrongSum(&r.frame, r.sum, want))
		return n
	}
	s.loop.Placed(&r.frame)
	return n
}

// begin reads the head.
func (r *receive) begin(s *Shared) (err error) {
	if r.frame, err = DecodeFrame(r.head[:]); err != nil {
		return fmt.Errorf("rank %d got from rank %d a %w", s.loop.cfg.Rank, s.peer, err)
	}
	r.to, err = s.loop.Take(s.peer, &r.frame)
	r.sum = 0
	return err
}

// NewShared returns a link of a loop to a peer. Each ring is RingBytes long; board and bell are the peer's.
func NewShared(l *Loop, peer int32, out, in []byte, board *Board, bell Bell) *Shared {
	s := &Shared{loop: l, peer: peer, out: ringAt(out), in: ringAt(in), bell: bell, board: board}
	s.out.mine, s.in.mine = s.out.tail.n.Load(), s.in.head.n.Load()
	return s
}

// RingBytes is the length of a ring that holds size bytes, a power of two.
func RingBytes(size int) int { return ringHead + size }

// Send implements Link.
func (s *Shared) Send(f *Frame, b []byte, outlet int32) {
	s.sending = append(s.sending, sending{bytes: b, sums: f.Kind == FrameMessage, outlet: outlet})
	f.Append(s.sending[len(s.sending)-1].head[:0])
	s.push()
}

// push writes what there is room for, and reports whether it wrote anything.
func (s *Shared) push() (did bool) {
	for s.first < len(s.sending) {
		x := &s.sending[s.first]
		to, err := s.out.room()
		if err != nil {
			s.fail(err)
			return did
		}
		if len(to) == 0 {
			s.out.tail.full.Store(1)
			if to, err = s.out.room(); err != nil || len(to) == 0 { // it may have read since
				break
			}
			s.out.tail.full.Store(0)
		}
		s.out.wrote(x.copyTo(to))
		did = true
		if x.left() == 0 {
			if x.outlet >= 0 {
				s.loop.Left(x.outlet)
			}
			x.bytes = nil
			s.first++
		}
	}
	if s.first == len(s.sending) {
		s.sending, s.first = s.sending[:0], 0
	}
	if did {
		s.board.wake(s.bell)
	}
	return did
}

// left is how many bytes are still to be written.
func (x *sending) left() int {
	all := FrameBytes + len(x.bytes)
	if x.sums {
		all += SumBytes
	}
	return all - x.done
}

// copyTo writes as much as fits, of one of the three parts at a time.
func (x *sending) copyTo(to []byte) (n int) {
	const piece = 32 << 10 // what is copied is summed while the cache has it
	for len(to) > 0 && x.left() > 0 {
		k := 0
		switch at := x.done - FrameBytes; {
		case at < 0:
			k = copy(to, x.head[x.done:])
		case at < len(x.bytes):
			k = copy(to[:min(len(to), piece)], x.bytes[at:])
			if x.sum = sumOf(x.sum, to[:k]); at+k == len(x.bytes) {
				binary.BigEndian.PutUint32(x.tail[:], x.sum)
			}
		default:
			k = copy(to, x.tail[at-len(x.bytes):])
		}
		x.done, n, to = x.done+k, n+k, to[k:]
	}
	return n
}

// Poll implements Link.
func (s *Shared) Poll() (did bool) {
	if s.broken {
		return false
	}
	if s.first < len(s.sending) {
		did = s.push()
	}
	for !s.broken {
		b, err := s.in.there()
		if err != nil {
			s.fail(err)
			return did
		}
		if len(b) == 0 {
			return did
		}
		n := s.receive.take(s, b)
		s.in.read(n)
		did = true
		if s.in.tail.full.Load() == 1 && s.in.tail.full.CompareAndSwap(1, 0) {
			s.board.wake(s.bell)
		}
	}
	return did
}

// Ready implements Link.
func (s *Shared) Ready() bool {
	if s.broken {
		return false
	}
	if b, err := s.in.there(); err != nil || len(b) > 0 {
		return true
	}
	if s.first == len(s.sending) {
		return false
	}
	b, err := s.out.room()
	return err != nil || len(b) > 0
}

// Pending implements Link.
func (s *Shared) Pending() bool { return s.first < len(s.sending) }

// Close implements Link.
func (s *Shared) Close() {}

// Closed implements Link.
func (s *Shared) Closed() {}

func (s *Shared) fail(err error) {
	s.broken = true
	s.loop.Broken(s.peer, err)
}
