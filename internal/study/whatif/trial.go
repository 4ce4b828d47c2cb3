package whatif

import (
	"bytes"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/sweep"
)

// times is how many times the packet-hops of the run as it is and of what takes one thing away are spent, those among them.
const times = 3

// From the fewSeeds-th more on, seeds leave kept times the packet-hops of the run as it is, for what confirms reasons.
const (
	fewSeeds = 3
	kept     = 4
)

// A trial is a change with the runs that tell what it saves.
type trial struct {
	Cut
	plays   []int // of asking.played: with the change, then with other seeds
	refused error // the scenario cannot be changed so
	untried bool  // there were no packet-hops left for it
}

// A play is one run.
type play struct {
	trial    int // of asking.trials; -1: the run as it is
	seed     uint64
	scenario *scenario.Scenario
	sum      *result.Summary // nil: not done
	refused  error
}

// try lists the runs of changes. Of those that are tried by themselves one that changes nothing, or the same as another, is left
// out.
func (a *asking) try(all []Cut) error {
	a.played = []play{{trial: -1, seed: a.base.Seed, scenario: a.base}}
	a.asItIs = []int{0}
	if a.drawn = a.base.DrawsLosses(); a.drawn {
		for _, s := range otherSeeds(a.base.Seed, a.mostSeeds()-1) {
			if other, err := a.base.With(seedChange(s)); err == nil {
				a.asItIs = append(a.asItIs, len(a.played))
				a.played = append(a.played, play{trial: -1, seed: s, scenario: other})
			}
		}
	}
	seen := [][]byte{a.base.YAML()}
	for _, c := range all {
		c.Changes = inOrder(c.Changes)
		changed, err := a.base.With(c.Changes...)
		if err != nil && c.Kind == Set {
			return err
		}
		if err == nil {
			text := changed.YAML()
			if c.Kind == Tried && slices.ContainsFunc(seen, func(b []byte) bool { return bytes.Equal(b, text) }) {
				continue
			}
			seen = append(seen, text)
		}
		a.trials = append(a.trials, trial{Cut: c, refused: err})
		if t := &a.trials[len(a.trials)-1]; err == nil {
			a.add(t, len(a.trials)-1, changed)
		}
	}
	return nil
}

// add lists the runs of a trial.
func (a *asking) add(t *trial, number int, changed *scenario.Scenario) {
	next := func(sc *scenario.Scenario) {
		t.plays = append(t.plays, len(a.played))
		a.played = append(a.played, play{trial: number, seed: sc.Seed, scenario: sc})
	}
	next(changed)
	if !t.Chance && !a.drawn {
		return
	}
	but := a.base.Seed
	for _, s := range otherSeeds(but, seeds) {
		if s == changed.Seed || len(t.plays) == a.mostSeeds() {
			continue
		}
		if other, err := changed.With(seedChange(s)); err == nil {
			next(other)
		}
	}
}

// mostSeeds is how many seeds a trial is run with on which chance decides.
func (a *asking) mostSeeds() int {
	if a.drawn && !a.opt.Full {
		return fewSeeds
	}
	return seeds
}

// variants are the runs for a sweep.
func (a *asking) variants() (all []sweep.Variant) {
	for i := range a.played {
		p := &a.played[i]
		v := sweep.Variant{Scenario: p.scenario}
		if p.trial >= 0 {
			v.Set = labels(&a.trials[p.trial].Cut)
		}
		all = append(all, v)
	}
	return all
}

// choose takes the run as it is and what takes one thing away; then, while they fit into three times their packet-hops, the
// cures for what was found, with other seeds where chance decides; then the other cures. Where losses are drawn, chance decides
// on all of them: each gets as many seeds as the others, beyond that measure.
func (a *asking) choose(hops []int64) []bool {
	chosen := make([]bool, len(hops))
	spent := int64(0)
	take := func(i int, limit int64) bool {
		switch {
		case hops[i] < 0: // refused: it costs nothing, and its row says why
			return true
		case spent+hops[i] > limit && !a.opt.Full:
			return false
		}
		spent += hops[i]
		chosen[i] = true
		return true
	}
	take(0, 1<<62)
	for k := range a.trials {
		if t := &a.trials[k]; t.Kind != Tried && len(t.plays) > 0 {
			take(t.plays[0], 1<<62)
		}
	}
	limit := times * spent
	if a.drawn {
		a.chooseDrawn(take, limit)
		a.hops, a.left = max(0, hops[0]), limit-spent
		return chosen
	}
	for _, order := range a.byFindings() {
		for _, k := range order {
			t := &a.trials[k]
			t.untried = len(t.plays) > 0 && !take(t.plays[0], limit)
		}
		for _, k := range order {
			t := &a.trials[k]
			for n := 1; n < len(t.plays) && !t.untried; n++ {
				most := limit
				if n >= fewSeeds {
					most -= kept * hops[0]
				}
				if !take(t.plays[n], most) {
					break
				}
			}
		}
	}
	a.hops, a.left = max(0, hops[0]), limit-spent
	return chosen
}

// chooseDrawn takes the cures, with all their seeds, then the other seeds of the run as it is and of what takes one thing away:
// one seed tells nothing of what is drawn.
func (a *asking) chooseDrawn(take func(i int, limit int64) bool, limit int64) {
	for _, order := range a.byFindings() {
		for _, k := range order {
			t := &a.trials[k]
			t.untried = len(t.plays) > 0 && !take(t.plays[0], limit)
		}
	}
	for i := range a.played {
		if k := a.played[i].trial; i > 0 && (k < 0 || !a.trials[k].untried && i != a.trials[k].plays[0]) {
			take(i, 1<<62)
		}
	}
}

// byFindings lists the trials of cures: those for what the run's diagnosis found, in its order, and then the others.
func (a *asking) byFindings() (order [2][]int) {
	found := a.found()
	place := func(t *trial) int {
		for i := range found {
			if slices.Contains(t.Of, found[i].Noun) {
				return i
			}
		}
		return len(found)
	}
	for k := range a.trials {
		switch t := &a.trials[k]; {
		case t.Kind != Tried:
		case t.Late || place(t) == len(found):
			order[1] = append(order[1], k)
		default:
			order[0] = append(order[0], k)
		}
	}
	for _, o := range order {
		slices.SortStableFunc(o, func(x, y int) int { return place(&a.trials[x]) - place(&a.trials[y]) })
	}
	return order
}

// ended reports whether a trial came to a result, be it that it cannot be run.
func (t *trial) ended(a *asking) bool {
	return t.refused != nil || a.played[t.plays[0]].sum != nil || a.played[t.plays[0]].refused != nil
}

// why is the reason for which a trial cannot be run, nil: it can.
func (t *trial) why(a *asking) error {
	if t.refused != nil {
		return t.refused
	}
	return a.played[t.plays[0]].refused
}

// seeded fills in what several seeds came to.
func (a *asking) seeded(t *trial, out *result.WhatIfChange, but map[string]bool) {
	var sum, sumBefore unit.Duration
	for _, k := range t.plays {
		p := &a.played[k]
		if p.sum == nil {
			continue
		}
		time, _, why := a.measured(p.sum, but)
		if why != "" {
			continue
		}
		one := result.WhatIfSeed{Seed: p.seed, Time: time}
		if a.drawn {
			before, known := a.before(p.seed, but)
			if !known {
				continue
			}
			one.Before = &before
			sumBefore += before
		}
		out.Seeds = append(out.Seeds, one)
		sum += time
	}
	if len(out.Seeds) < 2 {
		out.Seeds = nil
		return
	}
	n := unit.Duration(len(out.Seeds))
	mean, before := sum/n, out.Before
	if a.drawn {
		before = sumBefore / n
		out.MeanBefore = &before
	}
	saves := before - mean
	out.MeanTime, out.MeanSaves = &mean, &saves
}

// before is what the run as it is takes with a seed. False: it was not run, or does not end.
func (a *asking) before(seed uint64, but map[string]bool) (unit.Duration, bool) {
	for _, i := range a.asItIs {
		if p := &a.played[i]; p.seed == seed && p.sum != nil {
			time, _, why := a.measured(p.sum, but)
			return time, why == ""
		}
	}
	return 0, false
}

// values writes changes down.
func values(changes []scenario.Change) (all []result.WhatIfValue) {
	for _, x := range changes {
		all = append(all, result.WhatIfValue{Path: x.Path, Value: x.Text, Gone: x.Remove})
	}
	return all
}
