package run

import (
	"crypto/sha256"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/engine/reuse"
	"railyard/internal/job/exec"
	"railyard/internal/run/record"
)

// sighting is a state at rest. Where in their programs ranks are is no part of a digest.
type sighting struct {
	step   int64 // in which ranks were, as it is told
	state  reuse.Digest
	places []*exec.Place // by rank
	past   past

	together bool // all ranks were in one step
	left     bool // which had nothing left but computing
}

// past is a digest of what ranks have done of the step that they are in; nil: nobody has looked.
type past *[sha256.Size]byte

// differs says in what two sightings differ, "" if they are of one state, with ranks at the same places of their programs.
func (s *sighting) differs(o *sighting) string {
	if part := s.state.Differ(&o.state); part != "" {
		return part + " had another state"
	}
	for id := range s.places {
		if !s.places[id].Same(o.places[id]) {
			return "ranks were elsewhere in the step"
		}
	}
	if s.past == nil || o.past == nil || *s.past != *o.past {
		return "the step had begun in another way"
	}
	return ""
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
func (x *repetition) past(now unit.Time) past {
	h, sum := sha256.New(), new([sha256.Size]byte)
	for _, rank := range x.job.ranks {
		rank.Past(now, x.every == 1, h)
	}
	h.Sum(sum[:0])
	return sum
}

// from is a mark from now on.
func (x *repetition) from(now unit.Time, s sighting) mark {
	return mark{s, x.run.told(now), x.run.fab.Mark(now), x.run.net.Mark(), x.run.record.Mark()}
}
