//go:build unix

package rank

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// piece is how much of a message is moved at a time: what is copied is summed while the cache has it.
const piece = 32 << 10

// sending is a frame on its way: its head, its bytes, its checksum.
type sending struct {
	head   [FrameBytes]byte
	bytes  []byte
	tail   [SumBytes]byte
	sum    uint32
	done   int   // bytes of all three that have left
	summed int   // bytes of the message that sum is of
	sums   bool  // a checksum follows the bytes
	credit bool  // it is one
	outlet int32 // that the loop is told of, when all has left; -1: none
}

func newSending(f *Frame, b []byte, outlet int32) sending {
	x := sending{bytes: b, sums: f.Kind.carries(), credit: f.Kind == FrameCredit, outlet: outlet}
	f.Append(x.head[:0])
	return x
}

// queue is frames on their way, in order.
type queue struct {
	all   []sending
	first int
}

func (q *queue) add(f *Frame, b []byte, outlet int32) {
	q.all = append(q.all, newSending(f, b, outlet))
}

// knows gives the last frame the checksum of its bytes, where it is known already.
func (q *queue) knows(what *landedAt) {
	x := &q.all[len(q.all)-1]
	if n := len(x.bytes); n == len(what.at) && unsafe.SliceData(x.bytes) == unsafe.SliceData(what.at) {
		x.sum, x.summed = what.sum, n
	}
}

func (q *queue) empty() bool { return q.first == len(q.all) }

// next is the frame of which something is still to leave.
func (q *queue) next() *sending { return &q.all[q.first] }

// moved goes on to the next frame where all of this one has left, and tells the loop so.
func (q *queue) moved(l *Loop) {
	x := q.next()
	if x.left() > 0 {
		return
	}
	if x.outlet >= 0 {
		l.Left(x.outlet)
	}
	x.bytes = nil
	if q.first++; q.empty() {
		q.all, q.first = q.all[:0], 0
	}
}

// left says that so many bytes have left.
func (q *queue) left(n int, l *Loop) {
	for n > 0 {
		x := q.next()
		k := min(n, x.left())
		x.done += k
		n -= k
		q.moved(l)
	}
}

// left is how many bytes are still to leave.
func (x *sending) left() int {
	all := FrameBytes + len(x.bytes)
	if x.sums {
		all += SumBytes
	}
	return all - x.done
}

// parts appends what is to leave next, of the message no more than room, and returns the room that is left: none where the
// message has more.
func (x *sending) parts(to [][]byte, room int) ([][]byte, int) {
	at := x.done - FrameBytes
	if at < 0 {
		to, at = append(to, x.head[x.done:]), 0
	}
	if at < len(x.bytes) {
		end := min(at+room, len(x.bytes))
		x.sumTo(end)
		to = append(to, x.bytes[at:end])
		if room -= end - at; end < len(x.bytes) {
			return to, 0
		}
		at = end
	}
	if x.sums {
		x.sumTo(len(x.bytes))
		to = append(to, x.tail[at-len(x.bytes):])
	}
	return to, room
}

// sumTo has the checksum of the first n bytes of the message.
func (x *sending) sumTo(n int) {
	if n > x.summed {
		x.sum = sumOf(x.sum, x.bytes[x.summed:n])
		x.summed = n
	}
	if x.summed == len(x.bytes) {
		binary.BigEndian.PutUint32(x.tail[:], x.sum)
	}
}

// copyTo writes as much as fits.
func (x *sending) copyTo(to []byte) (n int) {
	for len(to) > 0 && x.left() > 0 {
		k := 0
		switch at := x.done - FrameBytes; {
		case at < 0:
			k = copy(to, x.head[x.done:])
		case at < len(x.bytes):
			k = copy(to, x.bytes[at:])
			x.sumTo(at + k)
		default:
			x.sumTo(len(x.bytes))
			k = copy(to, x.tail[at-len(x.bytes):])
		}
		x.done, n, to = x.done+k, n+k, to[k:]
	}
	return n
}

// receive is the frame that is coming.
type receive struct {
	loop  *Loop
	peer  int32
	head  [FrameBytes]byte
	frame Frame  // once the head is whole
	to    []byte // where its bytes go, if they are not added
	adds  adding // if they are
	size  int    // how many they are
	tail  [SumBytes]byte
	done  int // bytes of all three that have come
	sum   uint32
	place [8]byte // of a message that is lent: where it lies
	lends *Shared // the link, where messages may be lent
}

// take takes bytes that have come, and returns how many: not always all.
func (r *receive) take(b []byte) (n int, err error) {
	if r.done < FrameBytes {
		n = copy(r.head[r.done:], b)
		if r.done += n; r.done < FrameBytes {
			return n, nil
		}
		return n, r.begin()
	}
	if to := r.room(); len(to) > 0 {
		n = copy(to, b[:min(len(b), piece)])
		r.placed(n)
		return n, nil
	}
	at := r.done - FrameBytes - r.size
	n = copy(r.tail[at:], b)
	if r.done += n; at+n < SumBytes {
		return n, nil
	}
	r.done = 0
	if want := binary.BigEndian.Uint32(r.tail[:]); want != r.sum {
		return n, wrongSum(&r.frame, r.sum, want)
	}
	if r.frame.Kind == FrameLent {
		return n, r.lends.borrow(&r.frame, binary.BigEndian.Uint64(r.place[:]))
	}
	sum := r.sum
	if r.to == nil {
		sum = r.adds.made
	}
	r.loop.sums(&r.frame, sum)
	r.loop.Placed(&r.frame)
	return n, nil
}

// room is where the bytes of the message go that have not come, or the next of them; empty: none are to come.
func (r *receive) room() []byte {
	switch rest := r.rest(); {
	case rest == 0:
		return nil
	case r.adds.on():
		return r.adds.room(rest)
	default:
		return r.to[r.size-rest:]
	}
}

// rest is how many bytes of the message have not come.
func (r *receive) rest() int {
	if r.done < FrameBytes {
		return 0
	}
	return max(r.size-(r.done-FrameBytes), 0)
}

// placed says that so many bytes have been put into room.
func (r *receive) placed(n int) {
	r.sum = sumOf(r.sum, r.room()[:n])
	r.done += n
	if n > 0 && r.adds.on() {
		r.loop.add(&r.adds, n)
	}
}

// begin reads the head.
func (r *receive) begin() (err error) {
	if r.frame, err = DecodeFrame(r.head[:]); err != nil {
		return fmt.Errorf("rank %d got from rank %d a %w", r.loop.cfg.Rank, r.peer, err)
	}
	if r.frame.Kind == FrameLent && r.lends == nil {
		return fmt.Errorf("rank %d got from rank %d a message that lies where it cannot see it", r.loop.cfg.Rank, r.peer)
	}
	r.sum, r.to = 0, nil
	if err := r.loop.Take(r.peer, &r.frame); err != nil {
		return err
	}
	switch r.frame.Kind {
	case FrameMessage:
		r.size = int(r.frame.Header.Bytes)
		landed := false
		if r.to, landed = r.loop.land(&r.frame, &r.adds); !landed {
			r.to = r.loop.cfg.Memory.Bytes(r.loop.cfg.Rank, r.frame.to())
		}
	case FrameLent:
		r.to, r.size = r.place[:], len(r.place)
	default:
		r.done = 0
	}
	return nil
}
