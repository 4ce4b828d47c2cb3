package topocmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/net/hash"
	"railyard/internal/plan/scenario"
)

var (
	hashFunctions = scenario.HashFunctions
	hashFields    = scenario.HashFields
)

// checkFlowFlags refuses what no switch could do.
func checkFlowFlags(f *hashFlags) error {
	if f.Links < 1 || f.Links > 1024 {
		return call.Misuse("hash: --links %d: want 1 to 1024, how many equal links the flows are spread over", f.Links)
	}
	for _, c := range []struct {
		name, value string
		known       []string
	}{{"function", f.Function, call.ChoiceNames(hashFunctions)}, {"fields", f.Fields, call.ChoiceNames(hashFields)}} {
		if !slices.Contains(c.known, c.value) {
			return call.Misuse("hash: --%s %q: want one of %s", c.name, c.value, call.List(c.known))
		}
	}
	return nil
}

func (c *hashCall) hashFlows(file string) error {
	if err := checkFlowFlags(&c.f); err != nil {
		return err
	}
	src, err := c.ReadFile(context.Background(), file)
	if err != nil {
		return call.Misuse("cannot read flows %s: %w", file, err)
	}
	flows, err := hash.ReadFlows(file, src)
	var problems located.Problems
	if errors.As(err, &problems) {
		problems.Render(c.Stderr, src)
		return fmt.Errorf("%s: %s", file, unit.CountOf(int64(len(problems)), "problem"))
	}
	d := view.HashedFlows(flows, c.f.Hashing, c.f.seeds)
	if c.f.json {
		return c.PrintJSON(d)
	}
	s := c.NewSheet()
	view.HashedFlowsText(s, file, d)
	return s.Flush(c.Stdout)
}
