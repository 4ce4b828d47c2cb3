package planted

import (
	"flag"
	"testing"

	"railyard/internal/out/noun"
	"railyard/internal/out/result"
)

// healthy is how many healthy runs are drawn; by hand, 200.
var healthy = flag.Int("healthy", 12, "healthy runs that are drawn")

// TestHealthyRunsHaveNoFault: where nothing is wrong no fault is found, and nothing that traffic does to traffic comes first.
func TestHealthyRunsHaveNoFault(t *testing.T) {
	t.Chdir(t.TempDir())
	for n := range uint64(*healthy) {
		seed := *from + n
		text := Healthy(seed)
		s := play(t, "healthy", text)
		if s.State != result.Complete || s.Diagnosis == nil {
			t.Fatalf("seed %d: %s\n%s", seed, s.State, text)
		}
		for i := range s.Diagnosis.Findings {
			f := &s.Diagnosis.Findings[i]
			if c := f.Noun.Class(); c == noun.Fault && f.Share > 0.001 || c == noun.Contention && i == 0 {
				t.Errorf("seed %d: finding %d is %s at %s: %.1f %%\n%s\n"+
					"%s", seed, i, f.Noun, f.Place.Name, 100*f.Share, nouns(s.Diagnosis), text)
			}
		}
	}
}
