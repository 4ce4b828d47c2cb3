package foresight

import (
	"slices"
	"strings"
	"testing"

	"railyard/internal/net/topo"
	"railyard/internal/plan/clue"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
)

// Chapter 10's polarisation and its cures, by what check says. A second tier with the first's hash and
// seed leaves links idle; with another seed only if that does more than XOR; more fields do not help;
// cabling does if leaves name their spines in another order.
func TestPolarisationAndItsCures(t *testing.T) {
	const one = `job:
  flows:
    - {from: host1/nic0, to: host5/nic0, bytes: 1MB}
    - {from: host2/nic0, to: host6/nic0, bytes: 1MB}
`
	const two = one + `    - {from: host3/nic0, to: host5/nic0, bytes: 1MB}
    - {from: host4/nic0, to: host6/nic0, bytes: 1MB}
`
	for _, c := range []struct {
		hash    string
		flows   string // of one leaf, or of two
		cores   int
		rotated bool
		used    string // "": no warning
		hint    string
	}{
		{"seed: same", two, 2, false, "of 8 equal links only 4", "seed: per-switch"},
		{"seed: same, fields: 5-tuple+qp", two, 2, false, "of 8 equal links only 4", "seed: per-switch"},
		{"seed: same, function: crc32", two, 2, false, "of 8 equal links only 4", "mix or toeplitz"},
		// Each spine sends all to one core, with these seeds both to the same.
		{"seed: per-switch, function: crc32", one, 2, false, "of 4 equal links only 2", "mix or toeplitz"},
		{"seed: per-switch, function: xor", one, 2, false, "of 4 equal links only 2", "mix or toeplitz"},
		{"seed: per-switch, function: toeplitz", two, 2, false, "", ""},
		{"seed: per-switch, function: toeplitz", one, 2, false, "", ""},
		{"seed: per-switch", one, 2, false, "", ""},
		{"seed: same", two, 3, false, "", ""}, // remainders by 2 and by 3 do not depend on each other
		{"seed: same", two, 2, true, "", ""},
	} {
		sc := "name: tiers\ncluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n" +
			"fabric: {design: custom, topology: tiers.txt, hash: {" + c.hash + "}}\n" + c.flows
		p, err := plan.New(plantest.Read(t, sc), plan.Files{Topology: []byte(plantest.ThreeTiers(c.cores, c.rotated))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := polarised(p)
		if c.used == "" {
			if len(got) > 0 {
				t.Errorf("%s, %d cores, rotated %v: %v, want no warning", c.hash, c.cores, c.rotated, got)
			}
			continue
		}
		if len(got) != 1 || !strings.Contains(got[0].Message, c.used) || !strings.Contains(got[0].Hint, c.hint) {
			t.Errorf("%s, %d cores, rotated %v: %+v, want %s and the hint %s", c.hash, c.cores, c.rotated, got,
				c.used, c.hint)
		}
	}
}

// Where one switch chooses there is nothing to polarise.
func TestNoPolarisationWithOneChoice(t *testing.T) {
	for _, fabric := range []string{"{design: leaf-spine, leaves: 2, spines: 4, hash: {seed: same}}",
		"{design: leaf-spine, leaves: 2, spines: 2, links: {parallel: 2}, hash: {seed: same}}"} {
		p := planned(t, strings.Replace(eight, "{design: leaf-spine, leaves: 2, spines: 4, links: {spine: 200Gb/s}}", fabric, 1))
		if got := polarised(p); len(got) > 0 {
			t.Errorf("%s: %v", fabric, got)
		}
	}
}

// Equal to a port of a path are those of the switches as far on, of any tier; a port that is on none of the shortest ways has none.
func TestEqualPortsOfEveryTier(t *testing.T) {
	sc := "name: tiers\ncluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n" +
		"fabric: {design: custom, topology: tiers.txt}\njob: {flows: [{from: host1/nic0, to: host5/nic0, bytes: 1MB}]}\n"
	p, err := plan.New(plantest.Read(t, sc), plan.Files{Topology: []byte(plantest.ThreeTiers(2, false))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := &p.Pairs[0]
	for i, want := range []string{"", "leaf1/spine1 leaf1/spine2", "spine1/core1 spine1/core2 spine2/core1 spine2/core2",
		"core1/spine3 core1/spine4 core2/spine3 core2/spine4", "spine3/leaf3 spine4/leaf3", "leaf3/host5"} {
		var names []string
		for _, id := range clue.Equal(p, q, q.Path[i]) {
			names = append(names, p.Graph.Ports[id].Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("of %s: %s, want %s", p.Graph.Ports[q.Path[i]].Name, got, want)
		}
	}
	for id := range p.Graph.Ports {
		if p.Graph.Ports[id].Name == "leaf2/spine1" && clue.Equal(p, q, topo.PortID(id)) != nil {
			t.Error("a port of a leaf that the path does not cross is equal to others")
		}
	}
}
