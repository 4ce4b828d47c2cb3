package tune

import (
	"fmt"
	"strings"

	"railyard/internal/unit"
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

// slowest is by how much of the highest throughput what is chosen may be slower.
const slowest = 0.01

// Judge compares trials by three figures: throughput, queueing delay, time that ports were paused. One
// dominates another if it is no worse in any and better in one. A trial that is not usable is out of it.
//
// Chosen is, of those on the frontier within 1 % of the highest throughput, the one for which delay and pauses
// are least in sum, each as a part of what it is with the first usable trial: the scenario's own thresholds.
func Judge(trials []Trial) Verdict {
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
	v.choose(trials)
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

// better reports whether trial a dominates trial b.
func better(trials []Trial, of []Standing, a, b int) bool {
	x, y := &trials[a].Figures, &trials[b].Figures
	if of[a].Speed < of[b].Speed || x.Delay > y.Delay || x.Paused > y.Paused {
		return false
	}
	return of[a].Speed > of[b].Speed || x.Delay < y.Delay || x.Paused < y.Paused
}

// choose takes the trial of a verdict.
func (v *Verdict) choose(trials []Trial) {
	fastest, against := 0.0, -1
	for i := range v.Of {
		fastest = max(fastest, v.Of[i].Speed)
		if against < 0 && trials[i].Usable() {
			against = i
		}
	}
	least := 0.0
	for i := range trials {
		if !v.Of[i].Frontier || v.Of[i].Speed < fastest-slowest {
			continue
		}
		f, g := &trials[i].Figures, &trials[against].Figures
		sum := part(f.Delay, g.Delay) + part(f.Paused, g.Paused)
		if v.Chosen < 0 || sum < least || sum == least && v.Of[i].Speed > v.Of[v.Chosen].Speed {
			v.Chosen, least = i, sum
		}
	}
}

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
