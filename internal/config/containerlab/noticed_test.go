package containerlab

import (
	"strings"
	"testing"

	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
)

// A list with one item has it, and one with none is not there.
func TestListsOfALab(t *testing.T) {
	for want, items := range map[string][]string{
		"":                           nil,
		"      exec:\n        - a\n": {"a"},
		"      exec:\n        - a\n        - b\n": {"a", "b"},
	} {
		var l lab
		if l.list("exec", items); l.b.String() != want {
			t.Errorf("%q: %q, want %q", items, l.b.String(), want)
		}
	}
}

// A lab of bridges has no bonds between switches, and says which one would need them.
func TestWhatALabCannotBe(t *testing.T) {
	plain := []inventory.Device{{Name: "leaf1"}, {Name: "leaf2"}}
	if err := (&lab{in: &inventory.Inventory{Devices: plain}}).check(); err != nil {
		t.Error(err)
	}
	bonded := []inventory.Device{{Name: "leaf1"}, {Name: "leaf2", Peers: []topo.NodeID{1}}}
	err := (&lab{in: &inventory.Inventory{Devices: bonded}}).check()
	if err == nil || !strings.HasPrefix(err.Error(), "leaf2: its hosts are bonded to several switches") {
		t.Errorf("%v", err)
	}
}
