package host

import (
	"railyard/internal/base/cause"
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
)

// A way between two ranks may have several queue pairs, its lanes, as a connection of NCCL has
// (NCCL_IB_QPS_PER_CONNECTION). Its messages are dealt to them in turn; or each is cut, and every
// lane carries a part (NCCL_IB_SPLIT_DATA_ON_QPS). Queue pairs keep the order of their own messages
// only, so both ends of a way put it right: the k-th message is known by the lane whose turn it was.
//
// What waits for a message that was posted before it, on another lane, waits for what that one waits
// for: it has that one's causes.

// lane is a queue pair of a way.
type lane struct{ way, lane int32 }

// lanes is what has come by the lanes of one end of a way and has not had its turn.
type lanes struct {
	waiting []lists.Queue[landed] // by lane
	turn    int                   // the lane of the next message; of a message in parts all are
	free    [][]exec.Segment
	header  verbs.Header
	whole   exec.Trace // of the message whose turn it is: see next
}

// landed is a message, or a part of one, that was placed or acknowledged.
type landed struct {
	from, until unit.Time
	segments    []exec.Segment
	header      verbs.Header
}

// push takes what has come by a lane of n.
func (l *lanes) push(n int, lane int32, from, until unit.Time, s []exec.Segment, h verbs.Header) {
	if l.waiting == nil {
		l.waiting = make([]lists.Queue[landed], n)
	}
	x := landed{from: from, until: until, header: h}
	if k := len(l.free); k > 0 {
		x.segments, l.free = l.free[k-1], l.free[:k-1]
	}
	x.segments = append(x.segments[:0], s...)
	l.waiting[lane].Push(x)
}

// next sets whole to the message whose turn it is, and reports false if it is not all here. A message
// in parts is as late as its last part, and for its reasons.
func (l *lanes) next(n int, split bool) bool {
	if !split {
		if l.waiting[l.turn].Len() == 0 {
			return false
		}
		l.take(l.turn)
		l.turn = (l.turn + 1) % n
		return true
	}
	last := 0
	for i := range l.waiting {
		if l.waiting[i].Len() == 0 {
			return false
		}
		if l.waiting[i].At(0).until > l.waiting[last].At(0).until {
			last = i
		}
	}
	for i := range l.waiting {
		if i != last {
			l.free = append(l.free, l.waiting[i].Pop().segments)
		}
	}
	l.take(last)
	return true
}

func (l *lanes) take(i int) {
	x := l.waiting[i].Pop()
	l.whole.Posted, l.whole.Placed, l.whole.Lane, l.header = x.from, x.until, int32(i), x.header
	l.whole.Segments = append(l.whole.Segments[:0], x.segments...)
	l.free = append(l.free, x.segments)
}

// until is the end of what segments explain of a time that begins at from.
func until(s []exec.Segment, from unit.Time) unit.Time {
	if len(s) == 0 {
		return from
	}
	return s[len(s)-1].Until
}

// behind appends to the segments of a message, which end at end, what held it up until then behind
// the one before it, which was pushed last: that one's segments. What lies before these, when that
// one was still on its way, is why.
func (t *traces) behind(s []exec.Segment, end, then unit.Time, why cause.Cause) []exec.Segment {
	if end >= then {
		return s
	}
	before := &t.buf[(t.head+t.n-1)&(len(t.buf)-1)]
	if before.Posted > end {
		end = min(before.Posted, then)
		s = append(s, exec.Segment{Until: end, Cause: why, At: -1})
	}
	for _, g := range before.Segments {
		if g.Until > end {
			end = min(g.Until, then)
			s = append(s, exec.Segment{Until: end, Cause: g.Cause, At: g.At})
		}
	}
	return s
}
