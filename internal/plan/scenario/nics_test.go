package scenario

import "testing"

// A card with ports that are not bonded is as many NICs to its host; bonded, it is one with several links.
func TestCardsAsHostsSeeThem(t *testing.T) {
	for _, c := range []struct {
		ports          int
		mode           string
		devices, links int
	}{{1, "none", 1, 1}, {2, "none", 2, 1}, {4, "none", 4, 1}, {2, "per-flow", 1, 2}, {4, "per-flow", 1, 4}} {
		n := NIC{Ports: c.ports}
		n.Bond.Mode = c.mode
		if n.Devices() != c.devices || n.Links() != c.links {
			t.Errorf("%d ports, bond %s: %d NICs of %d links, want %d of %d", c.ports, c.mode, n.Devices(), n.Links(), c.devices, c.links)
		}
	}
}
