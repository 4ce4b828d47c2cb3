package workload

import "slices"

// mostAlike bounds how many operations a part of a program has that follows itself, in the forecast of what does.
const mostAlike = 1 << 12

// Unlike is the share of what the collectives of a step send that is not sent by parts of it which follow two or more parts
// that are like them, nor by such parts of those: what is new in a step where what is alike does the same.
//
//	a b b b b c d e d e d e f      a b b . . c d e d e . . f
//	a b b b c b b b c b b b c      a b b . c b b . c . . . .
func (j *Job) Unlike() float64 {
	all, unlike := 0.0, 0.0
	for i := range j.Programs {
		ops := j.Programs[i].Ops
		for k := range ops {
			all += j.sent(&ops[k])
		}
		unlike += j.unlike(ops, 0, len(ops), mostAlike)
	}
	if all == 0 {
		return 1
	}
	return unlike / all
}

// sent is what the messages of an operation's collective send.
func (j *Job) sent(op *Op) float64 {
	if op.Coll < 0 || j.Collectives[op.Coll].Formula {
		return 0
	}
	return float64(j.Collectives[op.Coll].Bytes())
}

// unlike is what is sent by those from lo to hi of operations that do not follow two parts like theirs, of so many operations at most.
func (j *Job) unlike(ops []Op, lo, hi, most int) (sum float64) {
	for at := lo; at < hi; {
		span, times := j.follows(ops, at, hi, most)
		if times == 1 {
			sum += j.sent(&ops[at])
		} else {
			sum += 2 * j.unlike(ops, at, at+span, span-1)
		}
		at += times * span
	}
	return sum
}

// follows returns how many operations from one on are followed by others before hi that are like them, and how often they are
// there in a row: of all spans that which takes most operations, the shortest among these. 1 and 1: none is.
func (j *Job) follows(ops []Op, at, hi, most int) (span, times int) {
	span, times = 1, 1
	for n := 1; n <= most && at+2*n <= hi; n++ {
		k := 1
		for at+(k+1)*n <= hi && j.partAgain(ops, at, at+k*n, n) {
			k++
		}
		if k > 1 && k*n > span*times {
			span, times = n, k
		}
	}
	return span, times
}

// partAgain reports whether so many operations are like others, and wait alike for each other.
func (j *Job) partAgain(ops []Op, from, to, n int) bool {
	for i := range n {
		a, b := &ops[from+i], &ops[to+i]
		if !j.Alike(a, b) {
			return false
		}
		for _, d := range a.Deps {
			if int(d) >= from && !slices.Contains(b.Deps, d+int32(to-from)) {
				return false
			}
		}
	}
	return true
}
