package run

import (
	"crypto/sha256"
	"math"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/reuse"
	"railyard/internal/job/exec"
	"railyard/internal/run/record"
)

const anotherState = " had another state"

// sighting is a state at rest. Where in their programs ranks are is no part of a digest.
type sighting struct {
	step   int64 // in which ranks were, as it is told
	state  reuse.Digest
	places []*exec.Place // by rank
	past   []past        // likewise; nil: nobody has looked

	together bool // all ranks were in one step
	left     bool // which had nothing left but computing
	unsent   bool // in which nothing had been sent, after one that is recorded
}

// past is what a rank has done of the step that it is in, and what of that is late: see exec.Rank.
type past struct {
	all, late [sha256.Size]byte
	since     unit.Duration // how long ago late begins; -1: nothing is
}

// differs says in what two sightings differ, "" if they are of one state, with ranks at the same places of their programs.
func (s *sighting) differs(o *sighting) string {
	if part := s.state.Differ(&o.state); part != "" {
		return part + anotherState
	}
	if !s.samePlace(o) {
		return "ranks were elsewhere in the step"
	}
	if s.past == nil || o.past == nil || len(s.otherwise(o)) > 0 {
		return "the step had begun in another way"
	}
	return ""
}

func (s *sighting) samePlace(o *sighting) bool {
	for id := range s.places {
		if !s.places[id].Same(o.places[id]) {
			return false
		}
	}
	return true
}

// otherwise returns the ranks whose steps had begun in another way, of two sightings whose pasts were looked at.
func (s *sighting) otherwise(o *sighting) (all []int32) {
	for id := range s.past {
		if s.past[id].all != o.past[id].all {
			all = append(all, int32(id))
		}
	}
	return all
}

// alike returns since when what ranks have done is the same in another sighting, at an instant of that, by rank.
func (s *sighting) alike(o *sighting, at unit.Time) []unit.Time {
	all := make([]unit.Time, len(s.past))
	for id := range all {
		switch a, b := &s.past[id], &o.past[id]; {
		case a.all == b.all:
			all[id] = math.MinInt64
		case a.late == b.late && a.since == b.since && a.since >= 0:
			all[id] = at.Add(-a.since)
		default:
			all[id] = at.Add(1)
		}
	}
	return all
}

// mark is an instant at rest from which on what is told is recorded.
type mark struct {
	sighting
	at     unit.Time // as it is told
	fab    *fabric.Mark
	net    *nic.Mark
	record *record.Mark
}

// sighting is a state as it is now.
func (x *repetition) sighting(now unit.Time, step int64, d *reuse.Digest) sighting {
	s := sighting{step: step, state: *d}
	for _, rank := range x.job.ranks {
		s.places = append(s.places, rank.Place(now))
	}
	return s
}

// past looks at what ranks have done of their steps.
func (x *repetition) past(now unit.Time) []past {
	h, all := sha256.New(), make([]past, len(x.job.ranks))
	for id, rank := range x.job.ranks {
		h.Reset()
		rank.Past(now, x.every == 1, h)
		h.Sum(all[id].all[:0])
		h.Reset()
		all[id].since = exec.Late(rank, now, x.every == 1, h)
		h.Sum(all[id].late[:0])
	}
	return all
}

// from is a mark from now on.
func (x *repetition) from(now unit.Time, s sighting) mark {
	return mark{s, x.run.told(now), x.run.fab.Mark(now), x.run.net.Mark(), x.run.record.Mark()}
}
