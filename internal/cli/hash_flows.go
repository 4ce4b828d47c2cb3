package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/hash"
	"railyard/internal/located"
	"railyard/internal/scenario"
	"railyard/internal/unit"
	"railyard/internal/view"
)

var (
	hashFunctions = scenario.HashFunctions
	hashFields    = scenario.HashFields
)

func choiceNames(all []scenario.Choice) (names []string) {
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

func list(names []string) string { return strings.Join(names, ", ") }

// checkFlowFlags refuses what no switch could do.
func checkFlowFlags(f *hashFlags) error {
	if f.Links < 1 || f.Links > 1024 {
		return misuse("hash: --links %d: want 1 to 1024, how many equal links the flows are spread over", f.Links)
	}
	for _, c := range []struct {
		name, value string
		known       []string
	}{{"function", f.Function, choiceNames(hashFunctions)}, {"fields", f.Fields, choiceNames(hashFields)}} {
		if !slices.Contains(c.known, c.value) {
			return misuse("hash: --%s %q: want one of %s", c.name, c.value, list(c.known))
		}
	}
	return nil
}

func (a *app) hashFlows(file string, f *hashFlags) error {
	if err := checkFlowFlags(f); err != nil {
		return err
	}
	src, err := a.readFile(context.Background(), file)
	if err != nil {
		return misuse("cannot read flows %s: %w", file, err)
	}
	flows, err := hash.ReadFlows(file, src)
	var problems located.Problems
	if errors.As(err, &problems) {
		problems.Render(a.stderr, src)
		return fmt.Errorf("%s: %s", file, unit.CountOf(int64(len(problems)), "problem"))
	}
	d := view.HashedFlows(flows, f.Hashing, f.seeds)
	if f.json {
		return a.printJSON(d)
	}
	s := a.newSheet()
	view.HashedFlowsText(s, file, d)
	return s.Flush(a.stdout)
}
