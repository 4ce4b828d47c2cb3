package tune

import (
	"slices"

	"railyard/internal/base/unit"
)

// Figures is what a point came to: means over patterns and seeds, but for Drops.
type Figures struct {
	Times  []unit.Duration // by pattern, mean over seeds: how long it took
	Delay  unit.Duration   // of the longest queue: for 99 % of the time it was no longer
	Paused unit.Duration   // how long ports were paused, sum over ports
	Pauses int64           // pause frames, sum over all runs
	Drops  int64           // sum over all runs
	Failed int64           // runs that did not come to their end
	Wrong  string          // the first run that dropped or failed, in words
	Noise  Noise           // by how much the means may be off
}

// Noise is by how much means over seeds may be off: the range over seeds through their number, which is about the
// standard error of the mean of two to ten (Dixon and Massey, Introduction to Statistical Analysis: the range of a
// sample). Of one seed nothing is known: 0.
type Noise struct {
	Speed         float64 // part of a throughput
	Delay, Paused unit.Duration
}

// A Trial is a point and what it came to.
type Trial struct {
	Point   Point
	Steps   Steps // from the formula's
	Own     bool  // the scenario's own thresholds, whatever they are
	Formula bool
	Figures Figures
}

// Usable reports whether nothing was dropped, and all came to its end.
func (t *Trial) Usable() bool { return t.Figures.Drops == 0 && t.Figures.Failed == 0 }

// Search hands out points around a formula: a compass search on factors of two. From the best point so
// far it goes one step along each knob, both ways, and on from the best of all; it ends when no step leads on,
// or after as many points as it may have.
type Search struct {
	Trials  []Trial
	formula Point
	most    int
	prefer  Prefer
	seen    []Point
}

// NewSearch begins a search of at most so many points, the scenario's own and the formula included.
func NewSearch(formula Point, most int, prefer Prefer) *Search {
	return &Search{formula: formula, most: most, prefer: prefer}
}

// Next returns the points that are to be measured now, none when the search is over. The first are the
// scenario's own and the formula's. Each is answered by Took, in order.
func (s *Search) Next() []Trial {
	if len(s.Trials) == 0 {
		s.seen = []Point{s.formula}
		return []Trial{{Own: true}, {Point: s.formula, Formula: true}}[:min(max(s.most, 1), 2)]
	}
	var next []Trial
	for _, t := range s.around(s.center()) {
		if len(s.Trials)+len(next) >= s.most {
			break
		}
		s.seen = append(s.seen, t.Point)
		next = append(next, t)
	}
	return next
}

// Took takes what a point came to.
func (s *Search) Took(t Trial) { s.Trials = append(s.Trials, t) }

// center is where the best point lies that the search has found, that of the formula where none is usable. Where the
// scenario's own thresholds are best, which lie nowhere, it is the point that comes nearest to them.
func (s *Search) center() Steps {
	v := Judge(s.Trials, s.prefer)
	best := v.Chosen
	if best >= 0 && s.Trials[best].Own {
		best = v.nearest(s.Trials)
	}
	if best < 0 {
		return Steps{}
	}
	return s.Trials[best].Steps
}

// around lists the points one step away that were not handed out yet.
func (s *Search) around(center Steps) (all []Trial) {
	known := slices.Clone(s.seen)
	for knob := range center {
		for _, step := range []int{-1, 1} {
			t := Trial{Steps: center}
			t.Steps[knob] += step
			var ok bool
			if !s.formula.has(knob) {
				continue
			}
			if t.Point, ok = s.formula.at(t.Steps); ok && !slices.Contains(known, t.Point) {
				known, all = append(known, t.Point), append(all, t)
			}
		}
	}
	return all
}
