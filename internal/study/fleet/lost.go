package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// A run that fails is seen: it has a row, or the process of its own ended. A worker that vanishes is a guess: its job may have ended it,
// or it was lost with whatever it had. Where workers are lost all the time, some job is always the one with which the most were: of
// 10,000 jobs with an even chance each time, two lose a dozen. So lost workers are held against what else happened since the first of
// them. Twelve say that it is the job where others fare better. They say nothing where more than a quarter of all that workers began was
// lost at first, too, which is when one innocent job of 10,000 loses twelve in a row more often than once in 1,000 sweeps (0.25^12 *
// 10^4 = 0.6 / 1,000). Of others only the first lost worker counts, so that a few jobs which do end workers cannot stand up for each other.

// mostTries is after how many lost workers a job is one that may end them; mostLost, after how many it is dead where such jobs run in
// a process of their own and others fare better; mostEver, after how many it is dead however others fare.
var mostTries, mostLost, mostEver = 3, 12, 100

// Others fare no better where a worker was lost with so many of them, and with more than one in so many of those that were ended. Where
// that are few since the first loss, as at the end of a sweep, all of the sweep is looked at.
const (
	fewOthers = 4
	oneIn     = 4
)

// tally is what has become of all jobs so far.
type tally struct {
	Ended int64 `json:"ended"` // messages that were answered
	Lost  int64 `json:"lost"`  // jobs with which a worker was lost, each once
}

// losses is what is known of workers that were lost with a job.
type losses struct {
	Lost    int   `json:"lost"`              // workers that began it, and neither ended it nor handed it back
	Suspect bool  `json:"suspect,omitempty"` // too many: those that only seem to be lost are waited for
	Since   tally `json:"since"`             // when the first was lost, that one included
}

// most is how many lost workers make the job dead, of so many where others fare better.
func (l *losses) most(usual int, now tally) int {
	lost, ended := now.Lost-l.Since.Lost, now.Ended-l.Since.Ended
	if lost+ended < fewOthers*oneIn {
		lost, ended = now.Lost-1, now.Ended
	}
	if lost >= fewOthers && lost*oneIn > ended {
		return max(usual, mostEver)
	}
	return usual
}

// begin is what is known when a worker is about to begin the job: it is counted until it hands the job back. Where too many were lost
// it does not begin: errSuspect, and the next time dead.
func (l losses) begin(usual int, now tally) (next losses, dead bool, err error) {
	if l.Lost == 1 {
		l.Since = tally{now.Ended, now.Lost + 1}
	}
	switch {
	case l.Lost < l.most(usual, now):
		l.Lost++
		l.Suspect = false
	case l.Suspect:
		dead = true
	default:
		l.Suspect, err = true, errSuspect
	}
	return l, dead, err
}

// handedBack is what is known when one of the workers handed the job back.
func (l losses) handedBack() losses {
	l.Lost, l.Suspect = max(0, l.Lost-1), false
	return l
}

// lost changes what is known of the workers that were lost with a job. Of the first one nothing is written, since nearly every job has
// one alone: where nothing stands, it is one. What the server delivered and no worker took is not counted.
func (q *queue) lost(ctx context.Context, key string, change func(losses) losses) error {
	return q.change(ctx, lostPrefix+key, func(old []byte) ([]byte, error) {
		l := losses{Lost: 1}
		if old != nil && json.Unmarshal(old, &l) != nil {
			l = losses{} // what somebody else put there is none
		}
		return json.Marshal(change(l))
	})
}

// tally is how things stand.
func (q *queue) tally(ctx context.Context) (t tally, err error) {
	s, err := q.js.Stream(ctx, jobsStream+q.id)
	if err != nil {
		return t, err
	}
	state := s.CachedInfo().State
	t.Ended = int64(state.LastSeq) - int64(state.Msgs)
	entry, err := q.rows.Get(ctx, lostTally)
	if err == nil {
		t.Lost = number(entry.Value())
	} else if errors.Is(err, jetstream.ErrKeyNotFound) {
		err = nil
	}
	return t, err
}

// countLost counts a job with which a worker was lost.
func (q *queue) countLost(ctx context.Context) error {
	return q.change(ctx, lostTally, func(old []byte) ([]byte, error) {
		return strconv.AppendInt(nil, number(old)+1, 10), nil
	})
}

// number is a count that the queue keeps: what somebody else put there is none.
func number(text []byte) int64 {
	n, _ := strconv.ParseInt(string(text), 10, 64)
	return n
}

// change changes what stands at a key, whoever else does. nil: nothing stands there.
func (q *queue) change(ctx context.Context, key string, to func(old []byte) ([]byte, error)) error {
	for {
		entry, err := q.rows.Get(ctx, key)
		var old []byte
		if err == nil {
			old = entry.Value()
		} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
			return err
		}
		text, err := to(old)
		switch {
		case err != nil:
			return err
		case entry == nil:
			_, err = q.rows.Create(ctx, key, text)
		case !bytes.Equal(old, text):
			_, err = q.rows.Update(ctx, key, text, entry.Revision())
		}
		if !errors.Is(err, jetstream.ErrKeyExists) && !errors.Is(err, jetstream.ErrKeyRevisionMismatch) { // another was quicker
			return err
		}
	}
}
