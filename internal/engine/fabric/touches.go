package fabric

import "railyard/internal/base/unit"

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
	n     int64
	step  [2]unit.Duration
	more  [2]int64 // bytes
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
	last, was := r.touch(r.n - 1)
	step, more, k := at.Sub(last), bytes-was, (r.n-1)%2
	if r.n <= 2 {
		r.step[k], r.more[k] = step, more
	} else if r.step[k] != step || r.more[k] != more {
		return false
	}
	r.n++
	return true
}

// touch returns the i-th touch.
func (r *touchRun) touch(i int64) (at unit.Time, bytes int64) {
	at = r.at.Add(unit.Duration(i/2) * (r.step[0] + r.step[1]))
	bytes = r.bytes + i/2*(r.more[0]+r.more[1])
	if i%2 == 1 {
		at, bytes = at.Add(r.step[0]), bytes+r.more[0]
	}
	return at, bytes
}

// from returns the first touch from the i-th on that is at a time or later, n if there is none.
func (r *touchRun) from(i int64, at unit.Time) int64 {
	if both := r.step[0] + r.step[1]; both > 0 && at > r.at {
		i = max(i, 2*int64(at.Sub(r.at)/both)-1)
	}
	for i < r.n {
		if t, _ := r.touch(i); t >= at {
			break
		}
		i++
	}
	return min(i, r.n)
}
