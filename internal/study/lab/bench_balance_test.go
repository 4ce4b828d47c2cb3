package lab

import (
	"math"
	"os"
	"strings"
	"testing"

	"railyard/internal/net/hash"
)

// What a leaf's uplinks bring to a spine goes on by one link where both tiers hash alike: a fourth of
// the links, a fourth of the demand at most.
func TestPolarisedTiersCarryAFourth(t *testing.T) {
	for _, c := range cures {
		for seed := range 5 {
			c.hash.Seed = uint64(seed)
			f := c.spread(64)
			polarised := !c.hash.PerSwitch && !c.rotated
			if polarised != (f.used == tierLinks) || polarised && f.carried > 0.25+1e-9 || !polarised && f.carried < 0.4 ||
				f.slowest > f.carried {
				t.Errorf("%s, seed %d: %+v", c.name, seed, f)
			}
		}
	}
}

// Of one leaf alone a linear hash with other seeds leaves as many links idle.
func TestLinearSeedsRenameLinks(t *testing.T) {
	c := cure{hash: hash.Config{Function: "crc32", PerSwitch: true, Seed: 3}, pairs: 1}
	above := map[[2]int]bool{}
	for i := range 256 {
		f := hash.Flow{SrcIP: 1, DstIP: 2, SrcPort: 0xc000 | uint16(i*37), Protocol: hash.UDP}
		spine := c.hash.Pick(f, 0, tierLinks)
		above[[2]int{spine, c.hash.Pick(f, tierLinks+spine, tierLinks)}] = true
	}
	if len(above) != tierLinks {
		t.Errorf("%d links used of %d, want %d", len(above), tierLinks*tierLinks, tierLinks)
	}
}

func TestElephants(t *testing.T) {
	run := func(on ...float64) (*Shown, error) { return runElephants(Args{"links": 4.0, "on": on}) }
	s, err := run(2, 2, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, step := range s.Steps {
		got[step.Name] = step.Value
	}
	if got["used"] != 100 || got["slowest"] != 100 || got["idle"] != 0 || math.Abs(got["rare"]-100) > 1e-9 {
		t.Errorf("even: %v", got)
	}
	for _, c := range []struct {
		on   []float64
		want string
	}{
		{[]float64{1, 1, 1, 1, 1}, "on has 5 links, want at most links, 4"},
		{[]float64{0}, "no flows"}, {[]float64{1.5}, "whole numbers"}, {[]float64{300}, "at most 256"}, {[]float64{-1, 2}, "whole numbers"},
	} {
		if _, err := run(c.on...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.on, err, c.want)
		}
	}
}

// The table in docs/balancing.md is what the bench gives.
func TestTheDocumentedCures(t *testing.T) {
	b, err := os.ReadFile("../../../docs/balancing.md")
	if err != nil {
		t.Fatal(err)
	}
	s, err := runPolarisation(Args{"flows": 64.0, "seeds": 50.0})
	if err != nil {
		t.Fatal(err)
	}
	rest := string(b)
	for _, row := range s.Tables[0].Rows {
		want := "| " + strings.TrimSuffix(row[1], ".0") + " | " + row[2] + " % | " + row[3] + " % |"
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Errorf("%s: docs/balancing.md has no %q in its place", row[0], want)
			continue
		}
		rest = after
	}
}
