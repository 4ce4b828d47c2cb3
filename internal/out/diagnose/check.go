package diagnose

import "fmt"

// Check says what of a diagnosis that was read from a file cannot be: a finding of blames that are not there, a rank's blame
// that names none. Who says what a diagnosis found needs no checks then.
func (d *Diagnosis) Check() error {
	for i := range d.Blames {
		if b := &d.Blames[i]; b.ofRank() && b.Rank == nil {
			return fmt.Errorf("blames[%d] is %q and has no rank, want the one that it is about", i, string(b.Kind))
		}
	}
	for i := range d.Findings {
		for k, at := range d.Findings[i].Blames {
			switch {
			case len(d.Blames) == 0:
				return fmt.Errorf("findings[%d].blames[%d] is %d, and there are no blames", i, k, at)
			case at < 0 || at >= len(d.Blames):
				return fmt.Errorf("findings[%d].blames[%d] is %d, want 0 to %d: one of the blames", i, k, at, len(d.Blames)-1)
			}
		}
	}
	return nil
}

// ofRank reports whether a blame of the kind is nothing without its rank.
func (b *Blame) ofRank() bool { return b.Kind == SlowRank || b.Kind == Broken }
