package roce

import (
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
)

// Egress is what goes first at a port by which queue pairs send: notifications of congestion with all that is as urgent
// (clear-to-sends, credits, what connection managers say), then acknowledgements, each in the order in which they came;
// then packets of queue pairs, a class after the other in turn, and in a class a queue pair after the other.
//
//	Notes -----------------+
//	Acks ----------------+ |
//	class a: Turns ----+ v v
//	class b: Turns ---->(in turn)--> port
//	   ^ Ready    ^ when its time has come
//	   +-- Wait --+
//
// F is a frame of the driver's. Queue pairs are numbered by their driver.
type Egress[F any] struct {
	Notes, Acks lists.Queue[F]
	Ready       [8]Turns // queue pairs that may send, by class

	notesHeld, acksHeld uint8 // classes of which PFC holds them back
	turn                int
	classes             []uint8    // with queue pairs
	timed               lists.Heap // queue pairs that may send later
}

// Hold says that PFC holds back notifications and acknowledgements, which are of these classes.
func (e *Egress[F]) Hold(notes, acks uint8) { e.notesHeld, e.acksHeld = 1<<notes, 1<<acks }

// AddClass says that queue pairs send in a class.
func (e *Egress[F]) AddClass(class uint8) {
	for _, cl := range e.classes {
		if cl == class {
			return
		}
	}
	e.classes = append(e.classes, class)
}

// Answer takes out the notification or acknowledgement that goes now, with these classes paused; it reports false if
// none does.
func (e *Egress[F]) Answer(paused uint8, to *F) bool {
	switch {
	case e.Notes.Len() > 0 && paused&e.notesHeld == 0:
		*to = e.Notes.Pop()
	case e.Acks.Len() > 0 && paused&e.acksHeld == 0:
		*to = e.Acks.Pop()
	default:
		return false
	}
	return true
}

// Classes returns how many classes have queue pairs.
func (e *Egress[F]) Classes() int { return len(e.classes) }

// Class returns the i-th class in the order of their turns, i < Classes.
func (e *Egress[F]) Class(i int) uint8 { return e.classes[e.place(i)] }

func (e *Egress[F]) place(i int) int {
	k := e.turn + i
	if k >= len(e.classes) {
		k -= len(e.classes)
	}
	return k
}

// Served says that the i-th class had its turn.
func (e *Egress[F]) Served(i int) {
	if e.turn = e.place(i) + 1; e.turn == len(e.classes) {
		e.turn = 0
	}
}

// timed is a queue pair that may send from a time on.
type timed struct {
	at unit.Time
	qp int32
}

// Wait says that a queue pair may send from a time on.
func (e *Egress[F]) Wait(at unit.Time, qp int32) {
	e.timed.Push(lists.Key{First: uint64(at), Second: uint64(qp)})
}

// Waiting reports whether one waits.
func (e *Egress[F]) Waiting() bool { return len(e.timed) > 0 }

// First returns the queue pair whose time comes first, the lowest number at one instant; one must wait. It may have
// changed its mind since.
func (e *Egress[F]) First() (at unit.Time, qp int32) {
	k := &e.timed[0]
	return unit.Time(k.First), int32(k.Second)
}

// Drop takes out the one that First returns.
func (e *Egress[F]) Drop() { e.timed.Pop() }
