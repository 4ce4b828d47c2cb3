package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
)

// Files in testdata/meaning hold a scenario, a line ---- and which keys that have a meaning in some scenarios only have one
// there, and why the others have none. What this notices: a condition that asks for something else, one that is turned round, one
// that asks another job.
func TestWhereKeysHaveAMeaning(t *testing.T) { goldens(t, "testdata/meaning/*.txt", meanings) }

// goldens holds what is said of scenarios against what stands behind them in files.
func goldens(t *testing.T, pattern string, said func(*Scenario) string) {
	t.Helper()
	scripttest.Said(t, pattern, func(t *testing.T, src string) string {
		s, err := Parse("job.yaml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return said(s)
	})
}

// meanings lists conditional keys by why they have no meaning.
func meanings(s *Scenario) string {
	by := map[string][]string{}
	for _, of := range []struct {
		fields []*Field
		base   any
	}{{fields, s}, {jobFields, &s.Jobs[0]}} {
		for _, f := range of.fields {
			absent := f.value.at != nil && f.at(of.base) == nil // its group is not there, which nobody asks then
			if !f.Conditional() || absent {
				continue
			}
			why := f.Unfit(of.base)
			if why == "" {
				why = "has a meaning"
			}
			by[why] = append(by[why], f.Path)
		}
	}
	var b strings.Builder
	for _, why := range slices.Sorted(maps.Keys(by)) {
		fmt.Fprintf(&b, "%s:\n", why)
		line := " "
		for _, path := range by[why] {
			if len(line)+len(path) > 118 {
				fmt.Fprintln(&b, line)
				line = " "
			}
			line += " " + path
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}
