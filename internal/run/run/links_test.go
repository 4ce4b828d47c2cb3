package run

import (
	"strings"
	"testing"
)

// Each link loses as its own entry says: all, none, a half, and the bytes do not depend on the partition.
func TestChancesOfEachLink(t *testing.T) {
	yaml := strings.Replace(twoTiers, "%s\n", "", 1) + crossing + `
faults:
  - {link: "host?/leaf1", drop: 1/4}
  - {link: host1/leaf1, drop: 1/1000000}
  - {link: "leaf2/spine1", drop: 1/4}
transport: {recovery: selective-repeat, receiver: direct}
`
	r := run(t, yaml, Options{})
	lost := map[string]int{}
	for l, err := range r.Run.Losses() {
		if err != nil {
			t.Fatal(err)
		}
		if l.Port != "" { // no timeout
			lost[l.Port]++
		}
	}
	if len(lost) != 2 || lost["spine1/leaf2"] == 0 || lost["leaf2/spine1"] == 0 {
		t.Errorf("frames lost by port: %v", lost)
	}
	other := run(t, yaml, Options{Islands: 5, Workers: 3})
	if digestOf(t, other.path) != digestOf(t, r.path) {
		t.Error(firstDifference(t, other.path, r.path))
	}
}
