//go:build unix

package rank

import (
	"encoding/binary"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"railyard/internal/job/exec"
)

// A large message between ranks of a host does not go through a ring: its sender lends it where it lies, in memory that
// the receiver sees too, and the receiver adds or copies it from there into its own buffer. Nothing else is moved.
//
//	sender                          ring                      receiver
//	buffer  ------- FrameLent: where it lies ------------------>  slot: the same memory
//	   ^                                                              | reduction, copy
//	   +------ counter of messages that were given back <------------+
//
// A receiver that has nothing to do, nor when it has let others work, takes what it has been lent into memory of its own: so
// nobody waits for one that itself waits. There is no checksum, for the bytes are nowhere between the two buffers.

// Room is memory of a rank that its peers see, for its large buffers.
type Room struct {
	file  *os.File
	size  int64
	parts []roomPart
	lent  int // the least message that is lent
}

type roomPart struct {
	at  int64 // in the file
	mem []byte
}

// roomFrom is the length from which a buffer lies in a room, lentFrom that from which a message is lent.
const (
	roomFrom = 64 << 10
	lentFrom = 16 << 10
)

// NewRoom returns a room in a file of memory that is still empty.
func NewRoom(f *os.File) *Room { return &Room{file: f, lent: lentFrom} }

// Floats returns so many elements, 0; few of them, or where there is no room, in memory that nobody else sees.
func (r *Room) Floats(elems int64) []float32 {
	if r == nil || 4*elems < roomFrom {
		return make([]float32, elems)
	}
	page := int64(os.Getpagesize())
	n := (4*elems + page - 1) / page * page
	if r.file.Truncate(r.size+n) != nil {
		return make([]float32, elems)
	}
	mem, err := unix.Mmap(int(r.file.Fd()), r.size, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return make([]float32, elems)
	}
	r.parts = append(r.parts, roomPart{r.size, mem})
	r.size += n
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(mem))), elems)
}

// find returns where bytes lie in the room; below 0: elsewhere.
func (r *Room) find(b []byte) int64 {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	for i := range r.parts {
		p := &r.parts[i]
		if off := at - uintptr(unsafe.Pointer(unsafe.SliceData(p.mem))); off < uintptr(len(p.mem)) {
			return p.at + int64(off)
		}
	}
	return -1
}

// View maps the room of a peer, to read; nil: it is empty, or it could become less.
func View(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || !sealed(f) {
		return nil, err
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("the memory of a peer, %d bytes: %w", info.Size(), err)
	}
	return b, nil
}

// Seal says that the room gets no more buffers, and that what it has stays.
func (r *Room) Seal() {
	if seal(r.file); !sealed(r.file) {
		r.parts = nil // nobody will look into it
	}
}

// A Borrower is a Memory whose staging slots may lie elsewhere for a while.
type Borrower interface {
	// Borrow has a slot in which nothing lies be b, which is read and never written, until Return. false: it cannot.
	Borrow(rank int32, slot exec.Ref, b []byte) bool
	Return(rank int32, slot exec.Ref)
}

// lending is what a link lends and has been lent.
type lending struct {
	room  *Room  // of this rank; nil: nothing is lent
	view  []byte // the room of the peer
	out   []loan // to the peer, in order
	first int
	back  uint32 // how many have come back, modulo 2^32
	in    []loan // from the peer, in order
	given int    // of in: given back
}

// loan is a message that its receiver reads where it lies.
type loan struct {
	bytes  []byte
	outlet int32    // of what this rank has lent
	slot   exec.Ref // of what it has been lent
	over   bool     // it has been read
}

// Lend has the link lend messages out of a room, and take what the peer lends out of the one that is seen in view. Either may
// be nil. Both ends say the same of the two.
func (s *Shared) Lend(room *Room, view []byte) { s.lent.room, s.lent.view = room, view }

// lend puts a message into the ring by where it lies, if it is worth it.
func (s *Shared) lend(f *Frame, b []byte, outlet int32) bool {
	r := s.lent.room
	if r == nil || len(b) < r.lent {
		return false
	}
	at := r.find(b)
	if at < 0 {
		return false
	}
	lent := *f
	lent.Kind = FrameLent
	s.sending.add(&lent, binary.BigEndian.AppendUint64(nil, uint64(at)), -1)
	s.lent.out = append(s.lent.out, loan{bytes: b, outlet: outlet})
	return true
}

// returns reports whether the peer has given back something that nobody has looked at.
func (s *Shared) returns() bool { return s.out.head.back.Load() != s.lent.back }

// takeBack tells the loop of what the peer has given back.
func (s *Shared) takeBack() {
	l := &s.lent
	for n := s.out.head.back.Load(); l.back != n; l.back++ {
		if l.first == len(l.out) {
			s.fail(fmt.Errorf("rank %d: rank %d gives back a message that it was not lent", s.loop.cfg.Rank, s.peer))
			return
		}
		if x := &l.out[l.first]; x.outlet >= 0 {
			s.loop.Left(x.outlet)
		}
		l.out[l.first].bytes = nil
		if l.first++; l.first == len(l.out) {
			l.out, l.first = l.out[:0], 0
		}
	}
}

// borrow takes a message that the peer has lent.
func (s *Shared) borrow(f *Frame, at uint64) error {
	l, n := &s.lent, uint64(f.Header.Bytes)
	if at > uint64(len(l.view)) || n > uint64(len(l.view))-at {
		return fmt.Errorf("rank %d got from rank %d %d bytes of step %d that lie at %d of its memory, which has %d",
			s.loop.cfg.Rank, s.peer, n, f.Header.Step, at, len(l.view))
	}
	l.in = append(l.in, loan{bytes: l.view[at : at+n : at+n], slot: f.to()})
	x := &l.in[len(l.in)-1]
	m, ok := s.loop.cfg.Memory.(Borrower)
	if !ok || !s.loop.borrows || at%4 != 0 || !m.Borrow(s.loop.cfg.Rank, x.slot, x.bytes) {
		s.loop.own() // the slot may be one of them
		copy(s.loop.cfg.Memory.Bytes(s.loop.cfg.Rank, x.slot), x.bytes)
		x.over = true
		s.giveBack()
	} else {
		s.loop.borrowed++
	}
	s.loop.Placed(f)
	return nil
}

// giveBack tells the peer of what has been read.
func (s *Shared) giveBack() {
	l := &s.lent
	before := l.given
	for l.given < len(l.in) && l.in[l.given].over {
		l.in[l.given].bytes = nil
		l.given++
	}
	if l.given > before {
		s.in.head.back.Add(uint32(l.given - before))
		s.board.wakeForCredit(s.bell)
	}
	if l.given == len(l.in) {
		l.in, l.given = l.in[:0], 0
	}
}

// read reports whether a slot is borrowed from the peer, and gives it back.
func (s *Shared) read(slot exec.Ref) bool {
	for i := s.lent.given; i < len(s.lent.in); i++ {
		x := &s.lent.in[i]
		if !x.over && x.slot.Buffer == slot.Buffer && x.slot.Off == slot.Off {
			s.settle(x)
			s.giveBack()
			return true
		}
	}
	return false
}

func (s *Shared) settle(x *loan) {
	s.loop.cfg.Memory.(Borrower).Return(s.loop.cfg.Rank, x.slot)
	x.over = true
	s.loop.borrowed--
}

// own takes what the peer has lent into memory of the rank.
func (s *Shared) own() {
	for i := s.lent.given; i < len(s.lent.in); i++ {
		if x := &s.lent.in[i]; !x.over {
			from := x.bytes
			s.settle(x)
			copy(s.loop.cfg.Memory.Bytes(s.loop.cfg.Rank, x.slot), from)
		}
	}
	s.giveBack()
}

// own takes what peers have lent into memory of the rank: before it waits.
func (l *Loop) own() {
	for i := 0; i < len(l.links) && l.borrowed > 0; i++ {
		if s := l.shared[i]; s != nil {
			s.own()
		}
	}
}

// body is what a rank does, of whose slots some are borrowed.
type body struct {
	exec.Body
	stager exec.Stager
	loop   *Loop
}

// counting is one that decides sizes.
type counting struct {
	*body
	exec.Counter
}

// bodyOf returns what the rank of a loop does.
func bodyOf(l *Loop) exec.Body {
	stager, ok := l.cfg.Body.(exec.Stager)
	if _, borrows := l.cfg.Memory.(Borrower); !ok || !borrows {
		return l.cfg.Body
	}
	l.borrows = true
	b := &body{l.cfg.Body, stager, l}
	if c, ok := l.cfg.Body.(exec.Counter); ok {
		return counting{b, c}
	}
	return b
}

// Read implements exec.Stager.
func (b *body) Read(rank int32, slot exec.Ref) {
	if b.loop.leave(slot) {
		return
	}
	for i := 0; i < len(b.loop.links) && b.loop.borrowed > 0; i++ {
		if s := b.loop.shared[i]; s != nil && s.read(slot) {
			return
		}
	}
	b.stager.Read(rank, slot)
}
