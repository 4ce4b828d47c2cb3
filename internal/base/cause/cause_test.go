package cause_test

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for i, c := range cause.All() {
		if int(c) != i {
			t.Errorf("cause %d is listed at %d", c, i)
		}
		if c.String() == "" || seen[c.String()] {
			t.Errorf("cause %d has name %q: want one of its own", c, c)
		}
		seen[c.String()] = true
		if c.Meaning() == "" {
			t.Errorf("%s has no meaning", c)
		}
	}
	if len(seen) != int(cause.Count) {
		t.Errorf("%d causes listed, want %d", len(seen), cause.Count)
	}
	for c, want := range map[cause.Cause]string{cause.SwitchLatency: "switch_latency", cause.NVLink: "nvlink"} {
		if got := c.Column(); got != want {
			t.Errorf("column %s, want %s", got, want)
		}
	}
}

// TestSplitAddsUp: sums are linear, and what is added can be taken away.
func TestSplitAddsUp(t *testing.T) {
	split := rapid.Custom(func(t *rapid.T) cause.Split {
		var s cause.Split
		for i := range s {
			s[i] = unit.Duration(rapid.Int64Range(0, 1<<50).Draw(t, cause.Cause(i).String()))
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := split.Draw(t, "a"), split.Draw(t, "b")
		c := a
		c.Add(&b)
		if c.Sum() != a.Sum()+b.Sum() {
			t.Fatalf("%v + %v sums to %v", a, b, c.Sum())
		}
		c.Sub(&b)
		if c != a {
			t.Fatalf("%v + %v - the same = %v", a, b, c)
		}
	})
}
