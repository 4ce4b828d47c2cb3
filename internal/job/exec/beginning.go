package exec

import (
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// Beginning is what a rank had added up of a step, at an instant of it.
type Beginning struct {
	at     unit.Time
	ledger ledger
}

// BeginningOf returns what the rank has added up of the step that it is in.
func BeginningOf(r *Rank, now unit.Time) Beginning {
	b := Beginning{now, r.ledger}
	b.ledger.waits = slices.Clone(b.ledger.waits)
	return b
}

// Replace has a step begin as this one did, where another did: both had come to the same place, at rest, in the same state, so that
// all else of the step is the same. It is at that place at an instant; before is what that one had added up there. It returns
// the waits of the step.
func (b *Beginning) Replace(before *Place, at unit.Time, s *StepRecord, waits []Wait) []Wait {
	own, other := &b.ledger, &before.ledger
	s.Start = at.Add(own.start.Sub(b.at))
	for c := range cause.Count {
		s.Split[c] += own.split[c] - other.split[c]
	}
	s.Comm += own.comm - other.comm
	s.Overlap += own.overlap - other.overlap
	s.Computing += own.computing - other.computing
	all := slices.Clone(own.waits)
	for i := range all {
		all[i] = all[i].later(at.Sub(b.at))
	}
	return append(all, waits[len(other.waits):]...)
}

// Underway reports whether nothing that the rank does, at rest, began with its step: see Rest.
func Underway(r *Rank) bool {
	if r.stands.busy == 0 && r.stands.idle <= r.ledger.start {
		return false
	}
	for s := range r.stands.streams {
		for _, l := range r.stands.streams[s].links {
			if l.start || l.began <= r.ledger.start {
				return false
			}
		}
	}
	return true
}

// Stands reports whether the rank is at a place of its program, in whatever step.
func Stands(r *Rank, p *Place) bool {
	for s := range r.streams {
		st := &r.streams[s]
		ended := st.next
		if st.busy {
			ended--
		}
		if st.next != p.begun[s] || ended != p.ended[s] {
			return false
		}
	}
	return true
}

// SameTotals reports whether, behind a place of the step before at which the rank is again, traces were kept as totals from where they
// will be now: as much was told of that step until there, or there is room for all of both.
func SameTotals(r *Rank, p *Place) bool {
	if r.path == nil || r.path.told == p.told {
		return true
	}
	before := r.cfg.Paths.of(r.cfg.Rank, p.step)
	return before != nil && before.told+max(0, r.path.told-p.told) <= r.path.layout.most
}

// Unsent reports whether the rank, at rest, has neither sent nor received a message in the step that it is in.
func Unsent(r *Rank) bool {
	for s, queue := range r.in.Queues {
		st := &r.streams[s]
		for at, id := range queue[:st.next] {
			if c := r.in.collOf(id); c >= 0 && !r.colls[c].Formula && (at < st.next-1 || !st.busy) {
				return false
			}
		}
	}
	return !Midway(r)
}

// Midway reports whether a collective in progress has sent or received a message: what it did until now is no part of what the
// rank has done, nor all of it part of how it stands.
func Midway(r *Rank) bool {
	for s := range r.streams {
		if c := r.running(int32(s)); c != nil && !c.Formula && c.open > 0 && !c.fresh() {
			return true
		}
	}
	return false
}
