package record

import (
	"testing"

	"railyard/internal/base/unit"
)

// A wait is for others until all who are needed have begun, and from then on for the collective; one for a copy, or for
// nothing, is that. What is before a start is skipped, and nothing else.
func TestWhatAWaitIsFor(t *testing.T) {
	work := training(t).plan.Jobs[0].Work
	for _, c := range []struct {
		name                                string
		coll                                int32
		begun, since                        unit.Time
		skipped, copies, imbalance, exposed unit.Duration
	}{
		{name: "a copy", coll: forCopy, begun: -1, copies: 20}, {name: "nothing", coll: forNothing, begun: -1, imbalance: 20},
		{name: "a copy after the start", coll: forCopy, begun: -1, since: 15, skipped: 5, copies: 15},
		{name: "nothing before the start", coll: forNothing, begun: -1, since: 99, skipped: 20},
		{name: "who has begun", begun: 4, exposed: 20}, {name: "who begins", begun: 17, imbalance: 7, exposed: 13},
		{name: "who begins later", begun: 44, imbalance: 20},
		{name: "the start", begun: 17, since: 12, skipped: 2, imbalance: 5, exposed: 13},
	} {
		a := newAccount(work, 8)
		a.begun[0] = c.begun
		a.wait(rankWait{c.coll, 10, 30}, c.since)
		exposed := a.exposed[a.kind[0]]
		if a.skipped != c.skipped || a.copies != c.copies || a.imbalance != c.imbalance || exposed != c.exposed || a.bubble != 0 {
			t.Errorf("%s: skipped %d, copies %d, imbalance %d, exposed %v, bubble %d", c.name, a.skipped, a.copies, a.imbalance, exposed,
				a.bubble)
		}
	}
}

// When a life ends ranks that had ended their last step before the others waited for them, in a pipeline as in a bubble; what
// the first did before all had started is in no step, and a rank without a step counts nowhere.
func TestTheEndOfALife(t *testing.T) {
	work := training(t).plan.Jobs[0].Work
	for _, staged := range []bool{false, true} {
		a := newAccount(work, 8)
		a.first[2], a.last[2], a.first[5], a.last[5] = 4, 90, 7, 100
		a.close(9, 100, staged)
		waited := map[bool]unit.Duration{staged: 10, !staged: 0}
		if a.ahead != 5+2 || a.imbalance != waited[false] || a.bubble != waited[true] || a.first[2] != -1 || a.first[5] != -1 {
			t.Errorf("staged %v: %+v", staged, a)
		}
	}
}
