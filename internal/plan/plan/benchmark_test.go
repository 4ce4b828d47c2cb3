package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/job/coll"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// The scenario's table of collectives and algorithms is that of coll, but for a barrier and for the send
// of one rank alone.
func TestRowsHaveTheAlgorithmsOfColl(t *testing.T) {
	var want, got []string
	for name, a := range coll.Algorithms {
		if a.Collective != coll.Barrier && name != "direct-send" {
			want = append(want, name)
		}
	}
	for _, op := range scenario.CollectiveOps {
		for _, a := range scenario.RowAlgorithms {
			file := plantest.Collectives(fmt.Sprintf("op: %s, bytes: 1MB, algorithm: %s", op.Name, a.Name))
			if a.Name == "nvls" {
				file = strings.Replace(file, "hosts: 2", "hosts: 1", 1)
			}
			sc, err := scenario.Parse("a.yaml", []byte(file))
			if err != nil {
				continue
			}
			if _, err := New(sc, Files{}, nil); err != nil {
				t.Errorf("%s %s: %v", a.Name, op.Name, err)
			}
			if a.Name != "auto" && a.Name != string(scenario.AlgorithmRails) { // which is direct, by other NICs
				got = append(got, a.Name+"-"+op.Name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
