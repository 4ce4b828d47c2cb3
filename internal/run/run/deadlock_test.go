package run

import (
	"os"
	"slices"
	"strings"
	"testing"

	"railyard/internal/learn/dataset"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/scenario"
)

// deadlocked plays examples/deadlock.yaml with keys changed.
func deadlocked(t *testing.T, changes ...scenario.Change) (*result.Summary, error) {
	t.Helper()
	src, err := os.ReadFile("../../../examples/deadlock.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sc, err := scenario.Parse("deadlock.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) > 0 {
		if sc, err = sc.With(changes...); err != nil {
			t.Fatal(err)
		}
	}
	return Run(t.Context(), sc, Options{})
}

// Two links fail (S1-L2, S2-L1), and ways that go down and up again close a circle: each of its ports waits for the
// next. With a watchdog, which drops or forwards, all messages arrive in the end. Where spines share an AS there are no
// such ways: a black hole, until the links are back. Known beforehand by the routes, and found during the run.
func TestDeadlock(t *testing.T) {
	const detect, action, as = "fabric.qos.pfc.watchdog.detect", "fabric.qos.pfc.watchdog.action", "fabric.routing.spine_as"
	none := scenario.Change{Path: detect, Text: "none"}
	for _, c := range []struct {
		what              string
		changes           []scenario.Change
		ends, stuck, dogs bool
		note              string
	}{
		{"with a watchdog that drops", nil, true, true, true, "the PFC watchdog took"},
		{"with one that forwards", []scenario.Change{{Path: action, Text: "forward"}}, true, true, true, "dropped 0 frames"},
		{"without", []scenario.Change{none}, false, true, false, "none of them moves"},
		{"where spines share an AS", []scenario.Change{none, {Path: as, Text: "shared"}}, true, false, false, "black hole"},
		{"without the second fault", []scenario.Change{none, {Path: "faults[1]", Remove: true}}, true, false, false, ""},
	} {
		s, err := deadlocked(t, c.changes...)
		if (err == nil) != c.ends {
			t.Errorf("%s: %v, ends %v", c.what, err, c.ends)
		}
		if (s.Deadlock != nil) != c.stuck || len(s.Watchdog) > 0 != c.dogs {
			t.Errorf("%s: deadlock %+v, watchdog %+v", c.what, s.Deadlock, s.Watchdog)
		}
		if s.Deadlock != nil {
			ring := slices.Clone(s.Deadlock.Ports)
			for i, port := range ring { // each leads to the switch of the next
				_, to, _ := strings.Cut(port, "/")
				if from, _, _ := strings.Cut(ring[(i+1)%len(ring)], "/"); from != to {
					t.Errorf("%s: %s is no circle", c.what, s.Deadlock.Text())
				}
			}
		}
		if c.stuck && c.ends {
			b := s.Diagnosis.Find(diagnose.Deadlock, "")
			if b == nil || !slices.Contains(s.Deadlock.Ports, b.Port) || len(b.Faults) != 2 {
				t.Errorf("%s: the diagnosis says %+v of the circle", c.what, b)
			}
		}
		if s.Diagnosis != nil && s.Diagnosis.Find(diagnose.Storm, "") != nil {
			t.Errorf("%s: the diagnosis takes it for a pause storm", c.what)
		}
		if !slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, c.note) }) {
			t.Errorf("%s: no note says %q: %q", c.what, c.note, s.Notes)
		}
	}
}

// The circle is known before the run, from the routes after the faults; one fault closes none.
func TestDeadlockIsKnownBeforehand(t *testing.T) {
	for removed, want := range map[string]bool{"": true, "faults[1]": false} {
		src, err := os.ReadFile("../../../examples/deadlock.yaml")
		if err != nil {
			t.Fatal(err)
		}
		sc, err := scenario.Parse("deadlock.yaml", src)
		if err == nil && removed != "" {
			sc, err = sc.With(scenario.Change{Path: removed, Remove: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(sc)
		if err != nil {
			t.Fatal(err)
		}
		circle := func(f scenario.Finding) bool { return strings.Contains(f.Message, "in a circle") }
		if got := slices.ContainsFunc(foresight.Inspect(p, make([]dataset.Size, 1), nil, 0).Findings, circle); got != want {
			t.Errorf("without %q: a circle %v, want %v", removed, got, want)
		}
	}
}
