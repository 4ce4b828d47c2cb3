//go:build unix

package rank

import (
	"slices"
	"unsafe"

	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
)

// A message that the rank waits for, and that one operation reads as soon as it has come, needs no slot of its own: what is
// to be copied comes to where the copy would bring it, and what is to be added is added piece by piece, while the cache has
// it. Its checksum is known only behind it: if that is wrong the job ends, and nobody reads what was made of it.

// landPiece is how much is added at once, whole elements, and its checksum gone on with, and that of what is made: little else
// has to leave the cache for it.
const landPiece = 128 << 10

// landedAt is a message that is read as it comes: where to, and, once it has come, the checksum of what is there.
type landedAt struct {
	slot exec.Ref
	at   []byte
	sum  uint32
}

// adding is a message that is added to what the rank has as it comes.
type adding struct {
	coll      int32
	dst, slot exec.Ref // where to, and where it would lie; dst has no length: nothing is being added
	piece     []byte   // that is coming; so much of it has come
	filled    int
	done      int64  // bytes that have been added
	made      uint32 // checksum of what they have become
}

// land has a message that is coming not lie in its slot, if it may, and returns the memory in which it comes: none for one
// that is added.
func (l *Loop) land(f *Frame, a *adding) (to []byte, landed bool) {
	m, ok := l.cfg.Memory.(Borrower)
	if !ok || !l.borrows {
		return nil, false
	}
	landing, ok := l.rank.Landing(l.rank.Inlet(f.Way.AtTarget()), f.arrival())
	if !ok {
		return nil, false
	}
	slot := f.to()
	if landing.Kind == coll.Copy {
		to = l.cfg.Memory.Bytes(l.cfg.Rank, landing.Dst)
		if !wholeFloats(to) || !m.Borrow(l.cfg.Rank, slot, to) {
			return nil, false
		}
	} else {
		a.grow(min(slot.Len, landPiece))
		if !m.Borrow(l.cfg.Rank, slot, a.piece) {
			return nil, false
		}
		a.coll, a.dst, a.slot, a.filled, a.done, a.made = f.Header.Coll, landing.Dst, slot, 0, 0, 0
	}
	l.landed = append(l.landed, landedAt{slot: slot, at: l.cfg.Memory.Bytes(l.cfg.Rank, landing.Dst)})
	return to, true
}

// wholeFloats reports whether memory may be looked at as float32 values: slots are made of them.
func wholeFloats(b []byte) bool {
	return (uintptr(unsafe.Pointer(unsafe.SliceData(b)))|uintptr(len(b)))%4 == 0
}

// grow has a piece of at least n bytes.
func (a *adding) grow(n int64) {
	if int64(len(a.piece)) < n {
		room := make([]float32, (n+3)/4)
		a.piece = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(room))), 4*len(room))
	}
}

// on reports whether a message is being added.
func (a *adding) on() bool { return a.dst.Len > 0 }

// room is where so many bytes of the message that have not come go, as far as there is room.
func (a *adding) room(rest int) []byte { return a.piece[a.filled:min(len(a.piece), a.filled+rest)] }

// add adds what has come of a message, after n bytes more: whole elements, until its end.
func (l *Loop) add(a *adding, n int) {
	a.filled += n
	k := int64(a.filled &^ 3)
	if rest := a.dst.Len - a.done; int64(a.filled) == rest {
		k = rest
	}
	if k > 0 {
		part, to := a.slot, exec.Ref{Buffer: a.dst.Buffer, Off: a.dst.Off + a.done, Len: k}
		part.Len = k
		l.cfg.Body.Reduce(l.cfg.Rank, a.coll, to, part)
		a.made = sumOf(a.made, l.cfg.Memory.Bytes(l.cfg.Rank, to))
		a.filled = copy(a.piece, a.piece[k:a.filled])
		a.done += k
	}
	if a.done == a.dst.Len {
		a.dst.Len = 0
	}
}

// isLanded reports whether what would lie in a slot has been read as it came.
func (l *Loop) isLanded(slot exec.Ref) bool { return l.landing(slot) >= 0 }

// landing is which of landed has read what would lie in a slot; below 0: none.
func (l *Loop) landing(slot exec.Ref) int {
	return slices.IndexFunc(l.landed, func(x landedAt) bool { return x.slot.Buffer == slot.Buffer && x.slot.Off == slot.Off })
}

// sums keeps the checksum of what a message has made where it has landed.
func (l *Loop) sums(f *Frame, sum uint32) {
	if i := l.landing(f.to()); i >= 0 {
		l.landed[i].sum = sum
	}
}

// leave ends what land began, once the operation that reads the slot has, and reports whether it had begun. What is sent next is
// mostly what that has made.
func (l *Loop) leave(slot exec.Ref) bool {
	i := l.landing(slot)
	if i < 0 {
		return false
	}
	l.known = l.landed[i]
	l.landed = slices.Delete(l.landed, i, i+1)
	l.cfg.Memory.(Borrower).Return(l.cfg.Rank, slot)
	return true
}

// Reduce implements exec.Body.
func (b *body) Reduce(rank, coll int32, dst, src exec.Ref) {
	if b.loop.isLanded(src) {
		return
	}
	b.loop.known = landedAt{}
	b.Body.Reduce(rank, coll, dst, src)
}

// Copy implements exec.Body.
func (b *body) Copy(rank, coll int32, dst, src exec.Ref) {
	if b.loop.isLanded(src) {
		return
	}
	b.loop.known = landedAt{}
	b.Body.Copy(rank, coll, dst, src)
}
