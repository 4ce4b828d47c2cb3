package fabric

import (
	"math"

	"railyard/internal/base/unit"
)

// touches are the instants at which a queue was looked at, and what waited in it since the touch before. Frames that follow each
// other at line rate make a queue longer and shorter by as much in turn, so touches are kept as runs.
type touches struct {
	runs []touchRun
	done bool // the last run is over: a mark came
}

// touchRun is touches with two steps of time and of bytes in turn.
//
//	at     at+step[0]     +step[1]     +step[0]
//	|----------|-------------|------------|
type touchRun struct {
	at    unit.Time
	bytes int64
	n     int32
	step  [2]int32 // ps: there are many runs, and what takes longer than 2 ms begins another
	more  [2]int32 // bytes
}

// add keeps a touch, and returns how many runs that added.
func (t *touches) add(at unit.Time, bytes int64) int64 {
	if len(t.runs) > 0 && !t.done && t.runs[len(t.runs)-1].add(at, bytes) {
		return 0
	}
	t.runs, t.done = append(t.runs, touchRun{at: at, bytes: bytes, n: 1}), false
	return 1
}

// cut ends the last run, and returns how many there are.
func (t *touches) cut() int32 {
	t.done = true
	return int32(len(t.runs))
}

// add has a touch be the next of the run, false if it is not.
func (r *touchRun) add(at unit.Time, bytes int64) bool {
	last, was := r.touch(int64(r.n) - 1)
	step, more, k := int32(at.Sub(last)), int32(bytes-was), (r.n-1)%2
	if at != last.Add(unit.Duration(step)) || bytes != was+int64(more) || r.n == math.MaxInt32 {
		return false // too far away
	}
	if r.n <= 2 {
		r.step[k], r.more[k] = step, more
	} else if r.step[k] != step || r.more[k] != more {
		return false
	}
	r.n++
	return true
}

// pair is how far two touches further are, in time and in bytes.
func (r *touchRun) pair() (unit.Duration, int64) {
	return unit.Duration(r.step[0]) + unit.Duration(r.step[1]), int64(r.more[0]) + int64(r.more[1])
}

// touch returns the i-th touch.
func (r *touchRun) touch(i int64) (at unit.Time, bytes int64) {
	both, more := r.pair()
	at, bytes = r.at.Add(unit.Duration(i/2)*both), r.bytes+i/2*more
	if i%2 == 1 {
		at, bytes = at.Add(unit.Duration(r.step[0])), bytes+int64(r.more[0])
	}
	return at, bytes
}

// from returns the first touch from the i-th on that is at a time or later, n if there is none.
func (r *touchRun) from(i int64, at unit.Time) int64 {
	if both, _ := r.pair(); both > 0 && at > r.at {
		i = max(i, 2*int64(at.Sub(r.at)/both)-1)
	}
	for i < int64(r.n) {
		if t, _ := r.touch(i); t >= at {
			break
		}
		i++
	}
	return min(i, int64(r.n))
}

// loadNotes are calls of noteLoad for a port, as runs too: of one class, which was held for one time.
type loadNotes struct {
	runs []loadRun
	done bool
}

type loadRun struct {
	touchRun // bytes sent
	held     unit.Duration
	class    uint8
}

// add keeps a note, and returns how many runs that added.
func (t *loadNotes) add(at unit.Time, sent int64, held unit.Duration, class uint8) int64 {
	if n := len(t.runs); n > 0 && !t.done {
		if r := &t.runs[n-1]; r.held == held && r.class == class && r.add(at, sent) {
			return 0
		}
	}
	t.runs, t.done = append(t.runs, loadRun{touchRun{at: at, bytes: sent, n: 1}, held, class}), false
	return 1
}

// cut ends the last run, and returns how many there are.
func (t *loadNotes) cut() int32 {
	t.done = true
	return int32(len(t.runs))
}
