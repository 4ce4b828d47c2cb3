//go:build unix

package rank

import (
	"sync/atomic"
	"unsafe"

	"railyard/internal/job/exec"
)

// Board is where a rank writes how it stands, for others to read at any time, even when it is gone: in memory that
// processes may share. Each field is whole by itself; together they are as of some instants close to each other.
type Board struct {
	asleep atomic.Uint32 // the loop sleeps, or is about to: asleepForAll or asleepForMore; 0: it does not
	_      uint32
	beat   atomic.Int64 // when the process lived last, in ms
	step   atomic.Int64 // that it is in, + 2; 0: it has not begun
	coll   atomic.Int64 // that it is in, + 1; 0: none
	waits  [boardWaits]atomic.Uint64
	_      [BoardBytes - 8*(4+boardWaits)]byte
}

// BoardBytes is the room of a board.
const BoardBytes = 128

const boardWaits = 8

// NewBoard returns a board in this process alone.
func NewBoard() *Board { return &Board{} }

// BoardAt returns the board at the start of memory, BoardBytes of it.
func BoardAt(b []byte) *Board {
	_ = b[BoardBytes-1]
	return (*Board)(unsafe.Pointer(unsafe.SliceData(b)))
}

// Standing is what a board says.
type Standing struct {
	Begun bool
	Step  int64 // of the job; -1: the start phase
	Coll  int32 // that it is in; -1: none
	Beat  int64 // when its process lived last, in ms
	Waits []Waiting
}

// Waiting is a rank that another waits for, in a collective.
type Waiting struct {
	Coll, Peer int32
	Need       exec.Need
}

func (b *Board) setStep(step int64) { b.step.Store(step + 2) }

// Beat says that the process lives, at a time in ms.
func (b *Board) Beat(ms int64) { b.beat.Store(ms) }

// What a loop that sleeps is woken for.
const (
	asleepForAll  = 1 + iota
	asleepForMore // than credits: no message of the rank waits for one, and what is in a ring is read some time
)

// sleep says that the loop is about to sleep; credits: it is woken for these too.
func (b *Board) sleep(credits bool) {
	if credits {
		b.asleep.Store(asleepForAll)
	} else {
		b.asleep.Store(asleepForMore)
	}
}

func (b *Board) awake() { b.asleep.Store(0) }

// wake rings the bell of a loop that sleeps.
func (b *Board) wake(bell *Bell) {
	if was := b.asleep.Load(); was != 0 && b.asleep.CompareAndSwap(was, 0) {
		bell.ring()
	}
}

// wakeForCredit rings the bell of a loop that sleeps until a credit comes.
func (b *Board) wakeForCredit(bell *Bell) {
	if b.asleep.Load() == asleepForAll && b.asleep.CompareAndSwap(asleepForAll, 0) {
		bell.ring()
	}
}

// publish writes how the rank stands, and reports whether it waits for a credit, or for a message to be given back.
func (l *Loop) publish() (credit bool) {
	b := l.board
	b.setStep(l.rank.Step())
	coll, _, ok := l.rank.Communicates()
	if !ok {
		coll = -1
	}
	b.coll.Store(int64(coll) + 1)
	n := 0
	put := func(coll, peer int32, need exec.Need) {
		credit = credit || need == exec.NeedCredit
		if n < boardWaits {
			b.waits[n].Store(uint64(need)<<56 | uint64(peer)<<32 | uint64(coll))
			n++
		}
	}
	l.rank.Awaits(put)
	for i := range l.links {
		if k := &l.links[i]; k.Pending() && ok {
			put(coll, k.peer, exec.NeedRoom)
		}
	}
	for ; n < boardWaits; n++ {
		b.waits[n].Store(0)
	}
	return credit || l.rank.Unacked()
}

// Standing reads the board.
func (b *Board) Standing() (s Standing) {
	step := b.step.Load()
	s.Begun, s.Step, s.Coll, s.Beat = step > 0, step-2, int32(b.coll.Load()-1), b.beat.Load()
	for i := range b.waits {
		if w := b.waits[i].Load(); w != 0 {
			s.Waits = append(s.Waits, Waiting{Coll: int32(uint32(w)), Peer: int32(w >> 32 & 0xff_ffff), Need: exec.Need(w >> 56)})
		}
	}
	return s
}
