package planted

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"railyard/internal/diagnose"
	"railyard/internal/noun"
)

// By hand: how many cases are drawn of each family, and of which.
var (
	rounds = flag.Int("rounds", 1, "cases that are drawn of each family")
	first  = flag.Uint64("first", 1, "seed of the first of them")
	only   = flag.String("family", "", "the one family that is drawn")
)

// TestDrawnNouns: of cases of all families the first finding is what was planted, where it was; without the fault the noun is not
// found. By hand with -rounds: of many cases nine of ten.
func TestDrawnNouns(t *testing.T) {
	t.Chdir(t.TempDir())
	right, all := 0, 0
	for _, f := range Families() {
		if *only != "" && f.Name != *only {
			continue
		}
		for seed := *first; seed < *first+uint64(*rounds); seed++ {
			c, err := f.Draw(seed)
			if err != nil {
				t.Fatal(err)
			}
			if why := named(t, &c); why != "" {
				t.Logf("%s: %s", c.Name, why)
			} else {
				right++
			}
			all++
		}
	}
	t.Logf("%d of %d are named", right, all)
	if right*10 < all*9 {
		t.Errorf("%d of %d drawn cases are named, want nine of ten", right, all)
	}
}

// named says why the first finding of a case is not what was planted; "": it is.
func named(t *testing.T, c *Case) string {
	if err := os.WriteFile(TopologyFile, []byte(c.Topology), 0o666); err != nil {
		t.Fatal(err)
	}
	with, without := play(t, c.Name, c.With), play(t, c.Name, c.Without)
	d, sound := with.First().Diagnosis, without.First().Diagnosis
	if slices.Contains(c.Nouns, noun.Checkpoint) {
		d, sound = with.Lifetime, lifetime(without)
	}
	if d == nil || len(d.Findings) == 0 {
		return "nothing is found"
	}
	f := &d.Findings[0]
	at := slices.Concat([]string{f.Place.Name}, f.Place.Ports)
	switch {
	case !slices.Contains(c.Nouns, f.Noun):
		return fmt.Sprintf("%s, want one of %q\n%s", listed(d), c.Nouns, text(d))
	case len(c.Places) > 0 && !slices.ContainsFunc(c.Places, func(p string) bool { return slices.Contains(at, p) }):
		return fmt.Sprintf("%s at %q, want one of %q\n%s", f.Noun, at, c.Places, text(d))
	}
	saved := d.Whole - sound.Whole
	for i := range sound.Findings {
		if s := &sound.Findings[i]; s.Noun == f.Noun && !f.Noun.Healthy() && s.Share > 0.1 {
			return fmt.Sprintf("without what is planted there is %s too, of %.0f %%", s.Noun, 100*s.Share)
		}
	}
	if 10*f.Time < 9*saved || 10*f.Time > 11*saved {
		t.Logf("%s: attributed %v, saved %v of %v", c.Name, f.Time.Human(), saved.Human(), d.Whole.Human())
	}
	return ""
}

func listed(d *diagnose.Diagnosis) (t string) {
	for i := range d.Findings[:min(4, len(d.Findings))] {
		f := &d.Findings[i]
		t += fmt.Sprintf("%s at %s%v %.1f %%; ", f.Noun, f.Place.Name, f.Place.Ports, 100*f.Share)
	}
	return t
}
