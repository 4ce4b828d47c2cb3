package tune

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// Verdict says which of some trials to take, and why the others not.
type Verdict struct {
	Chosen int // -1: none is usable
	Of     []Standing
}

// Standing is where a trial stands.
type Standing struct {
	Frontier bool
	By       int     // a trial that dominates it; -1: none
	Speed    float64 // 1: the fastest in every pattern; 0: not usable
	Why      string
}

// near is how much worse than the best, or than what there is, counts as being as good.
const near = 0.01

// Judge compares trials by three figures: throughput, queueing delay, time that ports were paused. One
// dominates another if it is no worse in any and better in one. A trial that is not usable is out of it. What differs less
// than the seeds do counts as the same: of two that do in all figures the one with the greater sum of them is merged into
// the other.
//
// Chosen is a point on the frontier. With PreferAll it is one that is no worse than the scenario's own thresholds
// by more than 1 % in any figure, with another preference one that is within 1 % of the best in that figure. Of
// several it is the one with the least sum of time, delay and paused time, each as a part of what it is with the
// scenario's own thresholds. Where these are not usable the first that is usable takes their place, and PreferAll is
// PreferThroughput: there is nothing that may not get worse. With weights it is the point on the frontier whose sum of
// these parts, each times its weight, is least: a price may be paid.
func Judge(trials []Trial, prefer Prefer) Verdict {
	v := Verdict{Chosen: -1, Of: make([]Standing, len(trials))}
	speeds(trials, v.Of)
	for i := range trials {
		v.Of[i].By = -1
		if !trials[i].Usable() {
			v.Of[i].Why = trials[i].Figures.Wrong
			continue
		}
		for k := range trials {
			if v.Of[i].By < 0 && trials[k].Usable() && better(trials, v.Of, k, i) {
				v.Of[i].By = k
			}
		}
		v.Of[i].Frontier = v.Of[i].By < 0
	}
	for i := range v.Of { // who dominates it may be dominated, and then so is it by the same
		for k := v.Of[i].By; k >= 0; k = v.Of[k].By {
			v.Of[i].By = k
		}
	}
	v.choose(trials, prefer)
	for i := range trials {
		if trials[i].Usable() {
			v.Of[i].Why = v.why(trials, i)
		}
	}
	return v
}

// speeds sets throughputs: the least time of any trial in a pattern over that of the trial, mean over patterns.
func speeds(trials []Trial, of []Standing) {
	var least []unit.Duration
	for i := range trials {
		if !trials[i].Usable() {
			continue
		}
		for p, t := range trials[i].Figures.Times {
			if p == len(least) {
				least = append(least, t)
			}
			least[p] = min(least[p], t)
		}
	}
	for i := range trials {
		if !trials[i].Usable() {
			continue
		}
		sum := 0.0
		for p, t := range trials[i].Figures.Times {
			sum += float64(least[p]) / float64(max(t, 1))
		}
		of[i].Speed = sum / float64(max(len(least), 1))
	}
}

// better reports whether trial a dominates trial b, or b is merged into it.
func better(trials []Trial, of []Standing, a, b int) bool {
	x, y := &trials[a].Figures, &trials[b].Figures
	if n := noise(trials, a, b); n != (Noise{}) {
		worse := of[a].Speed < of[b].Speed*(1-n.Speed) || x.Delay > y.Delay+n.Delay || x.Paused > y.Paused+n.Paused
		// The sum goes down from one that is dominated to what dominates it, so that none does so in a circle.
		s, t := total(trials, of, a), total(trials, of, b)
		return !worse && (s < t || s == t && a < b)
	}
	if of[a].Speed < of[b].Speed || x.Delay > y.Delay || x.Paused > y.Paused {
		return false
	}
	return of[a].Speed > of[b].Speed || x.Delay < y.Delay || x.Paused < y.Paused || a < b // of equals the first
}

// noise is by how much two trials may differ and be the same: the larger of both.
func noise(trials []Trial, a, b int) Noise {
	m, n := trials[a].Figures.Noise, trials[b].Figures.Noise
	return Noise{max(m.Speed, n.Speed), max(m.Delay, n.Delay), max(m.Paused, n.Paused)}
}

// total is the sum of a trial's figures, each as a part of what it is with the first that is usable.
func total(trials []Trial, of []Standing, i int) float64 {
	first := slices.IndexFunc(trials, func(t Trial) bool { return t.Usable() })
	v := Verdict{Of: of}
	time, delay, paused := v.parts(trials, i, first)
	return time + delay + paused
}

// choose takes the trial of a verdict.
func (v *Verdict) choose(trials []Trial, prefer Prefer) {
	own := slices.IndexFunc(trials, func(t Trial) bool { return t.Usable() })
	if prefer == PreferAll && own >= 0 && !trials[own].Own {
		prefer = PreferThroughput
	}
	least := 0.0
	for i := range trials {
		if !v.Of[i].Frontier || !v.good(trials, i, own, prefer) {
			continue
		}
		time, delay, paused := v.parts(trials, i, own)
		sum := time + delay + paused
		if w, weighs := prefer.weights(); weighs {
			sum = w[0]*time + w[1]*delay + w[2]*paused
		}
		if v.Chosen < 0 || sum < least {
			v.Chosen, least = i, sum
		}
	}
}

// parts are the three figures of trial i, less is better, as parts of what they are with trial k.
func (v *Verdict) parts(trials []Trial, i, k int) (time, delay, paused float64) {
	f, g := &trials[i].Figures, &trials[k].Figures
	return v.Of[k].Speed / v.Of[i].Speed, part(f.Delay, g.Delay), part(f.Paused, g.Paused)
}

// nearest is the usable trial but the first that comes nearest to being as good as the first in all figures: the one
// whose worst figure is least worse; -1: there is none.
func (v *Verdict) nearest(trials []Trial) int {
	best, least := -1, 0.0
	for i := 1; i < len(trials); i++ {
		if !trials[i].Usable() {
			continue
		}
		time, delay, paused := v.parts(trials, i, 0)
		if worst := max(time, delay, paused); best < 0 || worst < least {
			best, least = i, worst
		}
	}
	return best
}

// good reports whether a trial may be chosen.
func (v *Verdict) good(trials []Trial, i, own int, prefer Prefer) bool {
	f, g := &trials[i].Figures, &trials[own].Figures
	n := noise(trials, i, own)
	if _, weighs := prefer.weights(); weighs {
		return true
	}
	if prefer == PreferAll {
		return v.Of[i].Speed >= v.Of[own].Speed*(1-max(near, n.Speed)) && nearly(f.Delay, g.Delay+n.Delay) &&
			nearly(f.Paused, g.Paused+n.Paused)
	}
	for k := range trials {
		best := &trials[k].Figures
		switch {
		case !trials[k].Usable():
		case prefer == PreferThroughput && v.Of[i].Speed < v.Of[k].Speed*(1-near),
			prefer == PreferDelay && !nearly(f.Delay, best.Delay),
			prefer == PreferPauses && !nearly(f.Paused, best.Paused):
			return false
		}
	}
	return true
}

// nearly reports whether d is at most 1 % above what it is compared with.
func nearly(d, with unit.Duration) bool { return float64(d) <= float64(with)*(1+near) }

// part is d over what it is counted against. Where that is 0 every other is far too much.
func part(d, against unit.Duration) float64 {
	switch {
	case d == 0:
		return 0
	case against == 0:
		return 1e9
	}
	return float64(d) / float64(against)
}

// why says why a usable trial is on the frontier, or is not.
func (v *Verdict) why(trials []Trial, i int) string {
	if k := v.Of[i].By; k >= 0 {
		switch n := noise(trials, k, i); {
		case v.same(trials, k, i, Noise{}):
			return fmt.Sprintf("as %d: the same in all three", k+1)
		case n != (Noise{}) && v.same(trials, k, i, n):
			return fmt.Sprintf("as %d: what they differ by is less than seeds do", k+1)
		}
		return fmt.Sprintf("dominated by %d: %s", k+1, v.against(trials, k, i))
	}
	var least []string
	first := func(what string, before func(a, b int) bool) {
		for k := range trials {
			if trials[k].Usable() && before(k, i) {
				return
			}
		}
		least = append(least, what)
	}
	first("highest throughput", func(a, b int) bool { return v.Of[a].Speed > v.Of[b].Speed })
	first("least delay", func(a, b int) bool { return trials[a].Figures.Delay < trials[b].Figures.Delay })
	first("least paused", func(a, b int) bool { return trials[a].Figures.Paused < trials[b].Figures.Paused })
	text := "on the frontier: none is as good in all three"
	if len(least) > 0 {
		text = "on the frontier: " + strings.Join(least, ", ")
	}
	if i == v.Chosen {
		text += "; chosen"
	}
	return text
}

// same reports whether two trials differ in no figure by more than they may be off.
func (v *Verdict) same(trials []Trial, k, i int, n Noise) bool {
	f, g := &trials[k].Figures, &trials[i].Figures
	apart := func(a, b, most unit.Duration) bool { return max(a, b)-min(a, b) > most }
	a, b := v.Of[k].Speed, v.Of[i].Speed
	return max(a, b)-min(a, b) <= n.Speed*max(a, b) && !apart(f.Delay, g.Delay, n.Delay) && !apart(f.Paused, g.Paused, n.Paused)
}

// against says what trial k has better than trial i.
func (v *Verdict) against(trials []Trial, k, i int) string {
	var parts []string
	if d := v.Of[k].Speed - v.Of[i].Speed; d > 0 {
		parts = append(parts, unit.Percent(d)+" more throughput")
	}
	if d := trials[i].Figures.Delay - trials[k].Figures.Delay; d > 0 {
		parts = append(parts, d.Human()+" less delay")
	}
	if d := trials[i].Figures.Paused - trials[k].Figures.Paused; d > 0 {
		parts = append(parts, d.Human()+" less paused")
	}
	return strings.Join(parts, ", ")
}
