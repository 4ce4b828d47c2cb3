package result

import (
	"cmp"
	"math/bits"
	"slices"

	"railyard/internal/base/unit"
)

// Queue names an egress queue: a port and a class.
type Queue struct {
	Port  string
	Class int32
}

// QueueLog takes samples of egress queues, writes a row where one differs from
// the sample before, and keeps mean, 99th percentile and maximum, weighted by
// time: a sample stands until the next one of the same queue.
//
//	bytes
//	  |        ____        Sample(q, 0, 0)   no row: empty at the start
//	  |   ____|    |       Sample(q, 2, 1)   row (2, 1)
//	  |__|         |___    Sample(q, 3, 2)   row (3, 2)
//	  0  2    3    4  t    Sample(q, 4, 0)   row (4, 0)
//
// So the caller may sample each queue at each interval, or only those that
// changed. Memory: 100 bytes a queue, 16 for each bucket that it was in: some
// 40 KiB at most for one that reached 64 MB.
type QueueLog struct {
	table  *Table[QueueRow]
	queues []queueStat
}

// queueStat is one queue's last sample and what was before it.
type queueStat struct {
	name       Queue
	last       int64
	since      unit.Time // of the last sample
	max        int64
	sumHi, sum uint64  // 128 bits: bytes x picoseconds
	hist       []spent // in order of the bucket
}

// spent is how long a queue was in a bucket.
type spent struct {
	bucket int32
	time   unit.Duration
}

// Buckets are exact below 128 and split each octave above in 128.
const bucketBits = 7

// NewQueueLog starts a log of the named queues, all empty at time 0. Samples name
// a queue by its index. A nil table keeps the figures only.
func NewQueueLog(t *Table[QueueRow], queues []Queue) *QueueLog {
	l := &QueueLog{table: t, queues: make([]queueStat, len(queues))}
	for i, q := range queues {
		l.queues[i].name = q
	}
	return l
}

// Rows reports whether samples are rows of a table, in the order in which they come.
func (l *QueueLog) Rows() bool { return l.table != nil }

// Sample records that queue q holds bytes at time t, t not before q's last sample.
func (l *QueueLog) Sample(q int, t unit.Time, bytes unit.Bytes) {
	s := &l.queues[q]
	if int64(bytes) == s.last {
		return // the last sample stands
	}
	s.advance(t)
	s.last = int64(bytes)
	s.max = max(s.max, s.last)
	if l.table != nil {
		l.table.Add(QueueRow{Port: s.name.Port, Class: s.name.Class, Time: t, Bytes: bytes})
	}
}

// advance weights the last sample by the time it stood.
func (s *queueStat) advance(t unit.Time) {
	d := uint64(t - s.since)
	s.since = t
	if s.last != 0 {
		hi, lo := bits.Mul64(uint64(s.last), d)
		var carry uint64
		s.sum, carry = bits.Add64(s.sum, lo, 0)
		s.sumHi += hi + carry
	}
	b := int32(bucket(s.last))
	i, known := slices.BinarySearchFunc(s.hist, b, func(x spent, b int32) int { return cmp.Compare(x.bucket, b) })
	if !known {
		s.hist = slices.Insert(s.hist, i, spent{bucket: b})
	}
	s.hist[i].time += unit.Duration(d)
}

func bucket(v int64) int {
	octave := max(0, bits.Len64(uint64(v))-bucketBits-1)
	return octave<<bucketBits + int(v>>octave)
}

// bucketTop returns the largest value of bucket b.
func bucketTop(b int) int64 {
	if b < 2<<bucketBits {
		return int64(b)
	}
	octave := b>>bucketBits - 1
	return int64(b-octave<<bucketBits+1)<<octave - 1
}

// Figures returns the statistics of every queue that was seen non-empty, from
// time 0 to end, deepest first.
func (l *QueueLog) Figures(end unit.Time) []QueueFigures {
	var out []QueueFigures
	for i := range l.queues {
		s := l.queues[i] // a copy: the log may go on
		if s.max == 0 {
			continue
		}
		s.hist = slices.Clone(s.hist)
		s.advance(max(end, s.since))
		f := QueueFigures{Port: s.name.Port, Class: s.name.Class, Max: unit.Bytes(s.max)}
		if s.since > 0 {
			q, _ := bits.Div64(s.sumHi, s.sum, uint64(s.since))
			f.Mean = unit.Bytes(q)
		}
		f.P99 = unit.Bytes(min(s.percentile(99), s.max))
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b QueueFigures) int { return int(max(-1, min(1, b.Max-a.Max))) })
	return out
}

// percentile returns the smallest bucket's top at or below which the queue was
// for p percent of the time.
func (s *queueStat) percentile(p uint64) int64 {
	hi, lo := bits.Mul64(uint64(s.since), p)
	want, _ := bits.Div64(hi, lo, 100)
	var seen uint64
	for _, x := range s.hist {
		if seen += uint64(x.time); seen >= want {
			return bucketTop(int(x.bucket))
		}
	}
	return s.max
}
