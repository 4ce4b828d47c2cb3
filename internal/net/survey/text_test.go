package survey

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// What a survey tells people, row by row.
func TestRows(t *testing.T) {
	s := &Survey{
		Ports: []Use{{"leaf", 2, 4, 6, 0}, {"spine", 1, 4, 4, 64}},
		Cuts:  []Cut{{"leaf", "spine", 1, 100 * unit.GigabitPerSec}},
		Flows: []Flow{{span("host1", "host1"), span("host2", "host3"), 200 * unit.GigabitPerSec}},
		Pairs: []Pairs{{Count: 3, Switches: 1, Ways: 1}, {Count: 4, Switches: 3, Ways: 2}, {Count: 1},
			{Count: 2, Switches: -1}},
		Points: []Point{{"leaf", 2, "leaf1", "leaf2", 4, 4, 2}, {"spine", 1, "spine1", "spine1", 2, 0, 0},
			{"host link", 8, "a", "b", 1, 1, 0}},
		Cycle: []string{"leaf1/spine1", "spine1/leaf2", "leaf2/leaf1"},
	}
	var got []string
	for _, r := range s.Rows() {
		got = append(got, strings.Join(r, " | "))
	}
	want := []string{
		"ports of a leaf | 4 to 6 | in use, of 2 leaves",
		"ports of a spine | 4 | in use of the 64 that each of 1 spine has",
		"cut leaf to spine | 100 Gb/s | each way, over 1 link",
		"maximum flow | 200 Gb/s | from host1 into host2-host3",
		"pairs of NICs | 3 | 1 switch on the only path",
		"pairs of NICs | 4 | 3 switches on each of 2 equal paths",
		"pairs of NICs | 1 | cabled to each other",
		"pairs of NICs | 2 | no path between them",
		"failure of a leaf | 4 NICs | each of 2, leaf1-leaf2, cuts them off from most others; " +
			"4 GPUs without another of their own; 2 hosts without any",
		"failure of a spine | 2 NICs | spine1 cuts them off from most others",
		"failure of a host link | 1 NIC | each of 8, a-b, cuts them off from most others; 1 GPU without another of their own",
		"cycle of waits | 3 ports | leaf1/spine1 > spine1/leaf2 > leaf2/leaf1 > leaf1/spine1",
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("row %d: %q, want %q", i, got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
}

// Each of four NICs is cabled to one of the two on the other host, and has no way to the other one; ports of
// switches of a role are counted with the fewest and the most.
func TestPairsThatAreCabled(t *testing.T) {
	g := graph(t, topo.Direct{Hosts: 2, GPUs: 2, NICs: 2, HostLink: cable})
	if got := fmt.Sprint(Of(g, topo.NewRoutes(g), nil).Pairs); got != "[{0 1 4} {-1 0 4}]" {
		t.Errorf("%s", got)
	}
	// Each leaf begins one spine further and takes five: the first eight give each spine 5, the other four 1 to 4 more.
	uneven := graph(t, topo.LeafSpine{Hosts: 12, GPUs: 1, NICs: 1, HostLink: cable, Leaves: 12, Spines: 8, SpineLink: cable,
		Upper: topo.Upper{Rotated: true, SpinesPerLeaf: 5}})
	if got := fmt.Sprint(uses(uneven)); got != "[{leaf 12 6 6 0} {spine 8 6 9 0}]" {
		t.Errorf("%s", got)
	}
}
