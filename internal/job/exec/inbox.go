package exec

import "railyard/internal/base/unit"

// inbox counts the messages of one connection that have been placed and
// that no Recv has taken yet, with the trace of each.
type inbox struct {
	Conn
	stream int32   // that runs the collectives of its group, -1: none does
	via    int32   // the way, as the driver numbers it, -1: it has not been asked
	traces []Trace // [head:] are waiting; the others' segments are reused
	head   int
	what   []Arrival // of those that are waiting
}

func (in *inbox) queued() int { return len(in.traces) - in.head }

// push adds a message with a copy of its trace.
func (in *inbox) push(now unit.Time, what Arrival, tr *Trace) {
	in.what = append(in.what, what)
	if in.head == len(in.traces) {
		in.traces, in.head = in.traces[:0], 0
	}
	if len(in.traces) == cap(in.traces) && in.head > 0 { // make room, keep every slice of segments
		for i := in.head; i < len(in.traces); i++ {
			in.traces[i-in.head], in.traces[i] = in.traces[i], in.traces[i-in.head]
		}
		in.traces, in.head = in.traces[:len(in.traces)-in.head], 0
	}
	if len(in.traces) < cap(in.traces) {
		in.traces = in.traces[:len(in.traces)+1]
	} else {
		in.traces = append(in.traces, Trace{})
	}
	in.traces[len(in.traces)-1].received(now, tr)
}

// front returns the trace of the oldest message.
func (in *inbox) front() *Trace { return &in.traces[in.head] }

// pop takes the oldest message.
func (in *inbox) pop() {
	in.head++
	in.what = append(in.what[:0], in.what[1:]...)
}
