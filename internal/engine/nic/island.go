package nic

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/sim"
	"railyard/internal/job/exec"
	"railyard/internal/net/cc"
)

// island is what the events of an island's NICs share: counters, rows that go out, and what one
// event needs while it is handled.
type island struct {
	index                    int32
	marks, cnps, retransmits int64
	moves                    int64 // of queue pairs to other ports
	heard                    int64 // CNPs and marked acknowledgements

	// Memory that no queue pair has: the next message of any finds it warm, and thousands that have one each in turn share it.
	messages store[message] // rings of one
	arrivals store[arrival] // likewise
	notes    store[note]    // likewise
	spans    store[cause.Segment]

	rows   rows
	outbox []note // for senders in other islands
	posted int    // of outbox

	in, out  roce.Packet // kept here, so that they are not allocated on the heap
	network  cc.Ack      // what congestion control is told of an acknowledgement
	parts    []fabric.Part
	hops     []cc.Hop
	segments []exec.Segment
	twinned  []exec.Segment // of a lead's, as a twin's
	mailed   []int32        // twins that have something for islands of others
	answer   *fabric.Trace  // of the acknowledgement being handled

	cards, senders, receivers []int32  // its NICs, and the halves of queue pairs at them
	_                         [64]byte // the next island's is on another cache line
}

// store keeps lists of values that nobody needs. Their memory is used again, with what lies in it.
type store[T any] [][]T

// manySpare is how many lists a store has room for at first.
const manySpare = 64

// take returns a list, nil if there is none.
func (s *store[T]) take() (list []T) {
	if k := len(*s); k > 0 {
		list, *s = (*s)[k-1], (*s)[:k-1]
	}
	return list
}

// give takes a list back.
func (s *store[T]) give(list []T) {
	if cap(list) > 0 {
		*s = append(*s, list)
	}
}

// rows keeps the flows that went to the listener until the window ends.
type rows struct {
	chunks [][]row
	n      int
}

type row struct {
	flow    Flow
	message exec.Message
	hops    []HopWait
}

const rowChunk = 16

func (r *rows) next() *row {
	if r.n == rowChunk*len(r.chunks) {
		r.chunks = append(r.chunks, make([]row, rowChunk))
	}
	r.n++
	return &r.chunks[(r.n-1)/rowChunk][(r.n-1)%rowChunk]
}

// note is what the sender's side of the simulation learns of a message's arrival, which no packet
// tells: when it was placed and why then. A note reaches the sender before the acknowledgement can:
// at the end of the window, if the two are in islands that may run at the same time.
type note struct {
	qp                        int32
	accepted, crossed, placed unit.Time // by the NIC; over PCIe; in memory
	marks                     int64
	split                     cause.Split
	inside                    Inside
	hops                      []HopWait
}

// set takes over x, in exchange for the memory of the hops.
func (t *note) set(x *note) {
	hops := t.hops[:0]
	*t = *x
	x.hops = hops
}

// tell adds the receiver's part to a flow, which has the note's hops then.
func (t *note) tell(f *Flow) {
	f.Placed, f.Marks, f.Split, f.Hops, f.Inside = t.placed, t.marks, t.split, t.hops, t.inside
}

// notes is a queue of them whose memory is used again: that of one note by any queue pair of the island.
type notes struct {
	buf     []note
	head, n int
}

func (q *notes) at(i int) *note { return &q.buf[(q.head+i)&(len(q.buf)-1)] }

func (q *notes) push(x *note, spare *store[note]) {
	if len(q.buf) == 0 {
		q.buf = spare.take()
	}
	if q.n == len(q.buf) {
		buf := make([]note, max(1, 2*len(q.buf)))
		for i := range q.n {
			buf[i] = *q.at(i)
		}
		q.buf, q.head = buf, 0
	}
	q.n++
	q.at(q.n - 1).set(x)
}

// pop returns the oldest note, valid until the next push to any queue of the island.
func (q *notes) pop(spare *store[note]) *note {
	t := q.at(0)
	q.head = (q.head + 1) & (len(q.buf) - 1)
	q.n--
	if len(q.buf) == 1 {
		spare.give(q.buf)
		q.buf = nil
	}
	return t
}

// send takes a note for a queue pair's sender.
func (n *Net) send(at *sim.Island, from, to *island, x *note) {
	if from == to || !at.Mails() {
		n.senders[x.qp].take(x)
		return
	}
	if from.posted == len(from.outbox) {
		from.outbox = append(from.outbox, note{})
	}
	from.outbox[from.posted].set(x)
	from.posted++
}

// take takes a note.
func (s *sender) take(x *note) { s.notes.push(x, &s.card.isl.notes) }

// join hands over what islands have for one another, and takes back what listeners had.
func (n *Net) join() {
	for i := range n.islands {
		isl := &n.islands[i]
		for k := range isl.outbox[:isl.posted] {
			x := &isl.outbox[k]
			n.senders[x.qp].take(x)
		}
		isl.posted, isl.rows.n = 0, 0
		n.joinTwins(isl)
	}
}
