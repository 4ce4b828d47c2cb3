package checkpoint

import "fmt"

// Layout is over how many ranks of which kind a training goes: what of it says how many replicas share a step.
type Layout struct {
	Replicas int  `json:"replicas"`
	Parts    int  `json:"parts"`  // of each layer
	Stages   int  `json:"stages"` // of layers
	Hosts    int  `json:"hosts"`
	Stated   bool `json:"-"` // the number of replicas, by the scenario; else it follows from the others
}

const mostRanks = 1 << 24

// check reports a layout that no training of a global batch can have.
func (l *Layout) check(globalBatch int) error {
	for _, n := range []int{l.Replicas, l.Parts, l.Stages, l.Hosts} {
		if n < 1 || n > mostRanks {
			return fmt.Errorf("%d", n)
		}
	}
	if globalBatch%l.Replicas != 0 {
		return fmt.Errorf("%d replicas for a global batch of %d", l.Replicas, globalBatch)
	}
	return nil
}

// otherSteps is why a training cannot go on within an epoch whose steps take other examples than its own: the one choice
// that differs, where the file knows how its steps came about.
func (c *Checkpoint) otherSteps(to *Training, where string) []Mismatch {
	const want = "want the same, or weights from the end of an epoch"
	own, was := to.Layout, c.Layout
	switch known := own.Replicas > 0 && was.Replicas > 0; {
	case c.GlobalBatch == to.GlobalBatch && c.EpochSteps == to.EpochSteps:
		return nil
	case c.GlobalBatch == to.GlobalBatch:
		return []Mismatch{{"Examples", fmt.Sprintf("%d steps per epoch of %d images each: %sthere were %d: %s", to.EpochSteps,
			to.GlobalBatch, where, c.EpochSteps, want)}}
	case known && own.Replicas != was.Replicas:
		all := []Mismatch{{own.differs(&was), fmt.Sprintf("%s, %d images per step: %seach step took %d, of %s: %s", own.words(),
			to.GlobalBatch, where, c.GlobalBatch, was.words(), want)}}
		if a, b := to.GlobalBatch/own.Replicas, c.GlobalBatch/was.Replicas; a != b {
			all = append(all, Mismatch{"GlobalBatch", fmt.Sprintf("%d images of a replica and step: %seach took %d: %s", a,
				where, b, want)})
		}
		return all
	}
	return []Mismatch{{"GlobalBatch", fmt.Sprintf("%d images per step and %d steps per epoch: %seach step took %d: %s",
		to.GlobalBatch, to.EpochSteps, where, c.GlobalBatch, want)}}
}

// differs names what makes another number of replicas where nobody has said one: GPUs that are divided by more parts or
// stages, or more of them.
func (l *Layout) differs(was *Layout) string {
	switch {
	case l.Stated:
		return "Replicas"
	case l.Parts != was.Parts:
		return "Parts"
	case l.Stages != was.Stages:
		return "Stages"
	case l.Hosts != was.Hosts:
		return "Hosts"
	}
	return "GPUs"
}

func (l *Layout) words() string {
	if l.Replicas == 1 {
		return "1 replica"
	}
	return fmt.Sprintf("%d replicas", l.Replicas)
}
