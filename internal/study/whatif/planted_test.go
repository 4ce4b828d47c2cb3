package whatif

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/planted"
)

// rounds is how many cases are drawn of each family, from a seed on; by hand, more, and others. family is the one that is drawn, if
// not all are.
var (
	rounds = flag.Int("rounds", 1, "cases that are drawn of each family")
	from   = flag.Uint64("from", 1, "seed of the first of them")
	family = flag.String("family", "", "the one family that is drawn")
	stride = flag.Int("stride", 2, "one in so many families is drawn; by hand 1")
)

// TestWhatIsPlantedIsCured: of every second family a case is drawn; a change that whatif makes by itself, one of those that the case names,
// saves half of what the case without the fault does, or more.
func TestWhatIsPlantedIsCured(t *testing.T) {
	t.Chdir(t.TempDir())
	drawn, free := 0, 0 // cases, and those of them whose fault costs nothing
	for i, f := range planted.Families() {
		if *family != "" && f.Name != *family || *family == "" && i%*stride > 0 {
			continue
		}
		for seed := range uint64(*rounds) {
			c, err := f.Draw(seed + *from)
			if err != nil {
				t.Fatal(err)
			}
			drawn++
			t.Run(c.Name, func(t *testing.T) {
				defer func() {
					if t.Skipped() {
						free++
					}
				}()
				cured(t, &c)
			})
		}
	}
	if free*20 > drawn && free > 1 {
		t.Errorf("%d of %d that are drawn cost nothing, want a twentieth at most", free, drawn)
	}
}

func cured(t *testing.T, c *planted.Case) {
	if err := os.WriteFile(planted.TopologyFile, []byte(c.Topology), 0o666); err != nil {
		t.Fatal(err)
	}
	r := beganPlanted(t, c.With)
	found := ask(t, r, Options{})
	sc, err := scenario.Parse("without.yaml", []byte(c.Without))
	if err != nil {
		t.Fatal(err)
	}
	s, err := run.Run(t.Context(), sc, run.Options{Workers: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, c.Without)
	}
	a := &asking{run: r, steps: found.Steps, life: found.Measure == result.MeasureJob}
	time, _, why := a.measured(s, nil)
	saved := found.Time - time
	if a.life && time == 0 {
		saved = found.Time / 10
	}
	if why != "" {
		t.Fatalf("without what is planted: %s\n%s", why, c.With)
	}
	if c.Free {
		if !slices.ContainsFunc(found.Changes, func(x result.WhatIfChange) bool {
			return slices.ContainsFunc(c.Cures, func(name string) bool { return strings.HasPrefix(x.Name, name) && x.Saves != nil })
		}) {
			t.Errorf("%q was not tried\n%s", c.Cures, c.With)
		}
		return
	}
	if saved*20 < found.Time {
		t.Skipf("what is drawn costs nothing: %v with, %v without", found.Time, time)
	}
	best := unit.Duration(0)
	for i := range found.Changes {
		x := &found.Changes[i]
		worth, known := x.Worth()
		if known && slices.ContainsFunc(c.Cures, func(name string) bool { return strings.HasPrefix(x.Name, name) }) {
			best = max(best, worth)
			explained(t, c, x)
		}
	}
	repeated(t, found, r, &found.Changes[rand.New(rand.NewPCG(uint64(len(c.With)), 1)).IntN(len(found.Changes))])
	if 2*best < saved {
		var text strings.Builder
		_ = found.WriteText(&text)
		t.Errorf("%q save %v at most, %v is planted\n%s\n%s", c.Cures, best, saved, text.String(), c.With)
	}
}

// explained: what is attributed to a cure is within a tenth of what it saves, or a reason is there, with figures of both runs.
func explained(t *testing.T, c *planted.Case, x *result.WhatIfChange) {
	t.Helper()
	if x.Saves == nil || x.Attributed != nil && within(*x.Attributed, *x.Saves) {
		t.Logf("%s: what is attributed is what it saves", x.Name)
		return
	}
	t.Logf("%s: attributed %s, saves %s: %s", x.Name, optional(x.Attributed), signed(*x.Saves), reasons(x.Differs))
	between, sum := *x.Saves, unit.Duration(0)
	if x.Attributed != nil {
		between -= *x.Attributed
	} else if max(between, -between)*notable < x.Before {
		return
	}
	for i := range x.Differs {
		if sum += x.Differs[i].Gives; x.Differs[i].Reason == result.ReasonEstimate {
			between = *x.Saves // what is attributed is no cause's
		}
	}
	if between < 0 {
		between, sum = -between, -sum
	}
	if float64(sum) < enough*float64(between) && len(x.Differs) < mostReasons {
		t.Errorf("%s: attributed %v, saves %v, reasons for %v of what is between\n%+v\n%s", x.Name, x.Attributed, *x.Saves, sum,
			x.Differs, c.With)
	}
}

// beganPlanted runs a planted scenario into a directory.
func beganPlanted(t *testing.T, text string) *result.Run {
	t.Helper()
	sc, err := scenario.Parse("planted.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	dir, err := result.Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := run.Run(t.Context(), sc, run.Options{Dir: dir, Workers: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := dir.Finish(sum); err != nil {
		t.Fatal(err)
	}
	r, err := result.Open(dir.Path())
	if err != nil {
		t.Fatal(err)
	}
	return r
}
