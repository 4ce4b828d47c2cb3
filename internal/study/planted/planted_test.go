package planted

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// play runs a scenario and returns its summary. It may end with an abort.
func play(t *testing.T, name, text string) *result.Summary {
	t.Helper()
	sc, err := scenario.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := run.Run(t.Context(), sc, run.Options{Workers: 0})
	if err != nil && (s == nil || len(s.Aborts) == 0) {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// TestPlanted: the first blame is the planted one, and its time is what its removal saves.
func TestPlanted(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 40 {
		t.Errorf("%d cases, want at least 40", len(cases))
	}
	t.Chdir(t.TempDir())
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			with, without := play(t, c.Name, c.With), play(t, c.Name+" without", c.Without)
			d, sound := with.Diagnosis, without.Diagnosis
			if strings.HasPrefix(c.Name, "job-") { // of the whole job
				if d, sound = with.Lifetime, lifetime(without); with.State == result.Failed {
					sound = &diagnose.Diagnosis{} // all of it was for nothing
				}
			}
			if d == nil || sound == nil {
				t.Fatal("no diagnosis")
			}
			main := d.Main()
			named := strings.HasPrefix(c.Name, "fault-") || strings.HasPrefix(c.Name, "job-abort")
			if named && !slices.Equal(main.Faults, []string{"faults[0]"}) {
				t.Errorf("the first blame names the faults %q, want faults[0]", main.Faults)
			}
			if !slices.ContainsFunc(c.Wants, func(w Want) bool { return w.is(main) }) {
				t.Errorf("want %+v, got\n%s", c.Wants, text(d))
			}
			if f := d.Findings[0]; f.Noun != c.Noun {
				t.Errorf("the first finding is %s at %s, want %s", f.Noun, f.Place.Name, c.Noun)
			}
			if f := d.Findings[0]; c.By != "" && f.By != c.By {
				t.Errorf("the first finding is by %q, want %q", f.By, c.By)
			}
			if len(sound.Findings) > 0 && c.NotAdditive == "" && c.Noun.Class() != noun.Share && sound.Findings[0].Noun == c.Noun {
				t.Errorf("without what is planted there is %s, too", c.Noun)
			}
			attributed := d.Attributed(main)
			saved := d.Whole - sound.Whole
			agree := attributed*10 >= saved*9 && attributed*10 <= saved*11
			if agree != (c.NotAdditive == "") {
				t.Errorf("attributed %v, saved %v of %v, additive %q\n%s", attributed.Human(), saved.Human(),
					d.Whole.Human(), c.NotAdditive, text(d))
			}
		})
	}
}

// rounds is how many cases are drawn of each family, from a seed on; by hand, more, and others. family is the one that is drawn, if
// not all are.
var (
	rounds = flag.Int("rounds", 1, "cases that are drawn of each family")
	from   = flag.Uint64("from", 1, "seed of the first of them")
	family = flag.String("family", "", "the one family that is drawn")
	stride = flag.Int("stride", 3, "one in so many families is drawn; by hand 1")
)

// TestDrawn: the first finding of a case that is drawn has its noun and place.
func TestDrawn(t *testing.T) {
	t.Chdir(t.TempDir())
	drawn, free := 0, 0
	for i, f := range Families() {
		if *family != "" && f.Name != *family || *family == "" && i%*stride > 0 {
			continue
		}
		for seed := range uint64(*rounds) {
			c, err := f.Draw(seed + *from)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(c.Name, func(t *testing.T) {
				drawn++
				defer func() { free += b2i(t.Skipped()) }()
				found(t, &c)
			})
		}
	}
	if free*20 > drawn && free > 1 {
		t.Errorf("%d of %d that are drawn cost nothing, want a twentieth at most", free, drawn)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// found reports whether the first finding is what the case says.
func found(t *testing.T, c *Case) {
	if err := os.WriteFile(TopologyFile, []byte(c.Topology), 0o666); err != nil {
		t.Fatal(err)
	}
	with, without := play(t, c.Name, c.With), play(t, c.Name+" without", c.Without)
	d, sound := with.PerJob()[0].Diagnosis, without.PerJob()[0].Diagnosis
	if c.Noun == noun.Checkpoint || c.Noun == noun.Abort || c.Noun == noun.Hang { // of the whole job
		d, sound = with.Lifetime, lifetime(without)
	}
	if d == nil || len(d.Findings) == 0 {
		t.Fatalf("no finding\n%s", c.With)
	}
	if sound != nil && (d.Whole-sound.Whole)*20 < d.Whole && c.Noun.Class() != noun.Share && !c.Free {
		t.Skipf("what is drawn costs nothing: %v with, %v without", d.Whole.Human(), sound.Whole.Human())
	}
	f := &d.Findings[0]
	at := len(c.Places) == 0 || slices.Contains(c.Places, f.Place.Name) ||
		slices.ContainsFunc(f.Place.Ports, func(p string) bool { return slices.Contains(c.Places, p) }) ||
		f.Place.Rank != nil && slices.Contains(c.Places, fmt.Sprintf("rank %d", *f.Place.Rank))
	if f.Noun != c.Noun && !slices.Contains(c.Or, f.Noun) || !at || c.By != "" && f.By != c.By {
		t.Errorf("the first finding is %s at %+v, want %s (%s) at %q\n%s\n%s", f.Noun, f.Place, c.Noun, c.By, c.Places, nouns(d), c.With)
	}
	if sound == nil {
		return
	}
	for i := range sound.Findings { // the fault taken away takes its noun away; a choice may be there in part
		g := &sound.Findings[i]
		gone := c.Noun.Class() == noun.Fault && g.Share > 0.01 || c.Noun == noun.CrossRail || c.Free
		if g.Noun == c.Noun && gone {
			t.Errorf("without what is planted %.1f %% are %s at %+v, too\n%s\n%s", 100*g.Share, c.Noun, g.Place, nouns(sound), c.Without)
		}
	}
	saved := d.Whole - sound.Whole
	if c.Free && (f.Time != 0 || 50*saved > d.Whole) {
		t.Errorf("%s costs time: attributed %v, saved %v of %v\n%s", f.Noun, f.Time.Human(), saved.Human(), d.Whole.Human(), c.With)
	}
	t.Logf("%s: attributed %v, saved %v of %v\n%s", f.Noun, f.Time.Human(), saved.Human(), d.Whole.Human(), nouns(d))
}

// nouns prints findings for a failing test.
func nouns(d *diagnose.Diagnosis) string {
	var b strings.Builder
	for i := range d.Findings[:min(len(d.Findings), 5)] {
		f := &d.Findings[i]
		fmt.Fprintf(&b, "  %5.1f %% %s %+v by %q %q\n", 100*f.Share, f.Noun, f.Place, f.By, f.Culprits)
	}
	return b.String()
}

// lifetime is where the time of a job went: all of it into its steps, where nothing else is said.
func lifetime(s *result.Summary) *diagnose.Diagnosis {
	if s.Lifetime != nil {
		return s.Lifetime
	}
	return diagnose.Lifetime(unit.Duration(s.VirtualTime), nil)
}

func (w *Want) is(b *diagnose.Blame) bool {
	if b.Kind != w.Kind || w.Port != "" && b.Port != w.Port || w.NotCrossed == b.Crossed && w.NotCrossed {
		return false
	}
	if (w.Rank >= 0) != (b.Rank != nil) || b.Rank != nil && *b.Rank != w.Rank {
		return false
	}
	for _, name := range w.Culprits {
		if !slices.ContainsFunc(b.Culprits, func(c diagnose.Culprit) bool { return c.Name == name }) {
			return false
		}
	}
	return true
}

// text prints a diagnosis for a failing test.
func text(d *diagnose.Diagnosis) string {
	var b strings.Builder
	for i := range d.Blames[:min(len(d.Blames), 5)] {
		x := &d.Blames[i]
		fmt.Fprintf(&b, "  %5.1f %% %s %s (path: %v) felt %v by %.2v\n", 100*d.Share(x), x.Kind, x.Port,
			x.Crossed, x.Felt, x.Culprits)
	}
	return b.String()
}
