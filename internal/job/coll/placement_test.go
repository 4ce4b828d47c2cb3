package coll

import (
	"fmt"
	"strings"
	"testing"
)

// cluster places ranks on hosts of gpus each, GPU g on rail g*rails/gpus.
func cluster(hosts, gpus, rails int) Placement {
	p := Placement{Rails: rails}
	for h := range hosts {
		for g := range gpus {
			p.Ranks = append(p.Ranks, Place{Host: int32(h), GPU: int32(g), Rail: int32(g * rails / gpus)})
		}
	}
	return p
}

// Two hosts of four GPUs, a NIC each: channel c enters each host at GPU c and
// leaves from the last of the following ones.
func ExampleRings() {
	for c, ring := range Rings(cluster(2, 4, 4), 5) {
		fmt.Println("channel", c, "rail", RailOf(c, 4), ring)
	}
	// Output:
	// channel 0 rail 0 [0 1 2 3 4 5 6 7]
	// channel 1 rail 1 [1 2 3 0 5 6 7 4]
	// channel 2 rail 2 [2 3 0 1 6 7 4 5]
	// channel 3 rail 3 [3 0 1 2 7 4 5 6]
	// channel 4 rail 0 [0 1 2 3 4 5 6 7]
}

// Each channel's ring enters and leaves each host once, enters on the channel's
// rail, and is a rank order that a ring accepts.
func TestRingsVisitEachHostOnce(t *testing.T) {
	for _, c := range []struct{ hosts, gpus, rails int }{{1, 4, 4}, {2, 4, 4}, {3, 8, 8},
		{4, 8, 2}, {16, 1, 1}, {5, 8, 4}} {
		p := cluster(c.hosts, c.gpus, c.rails)
		rings := Rings(p, 2*c.rails)
		if _, err := RingAllReduce(rings); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		for channel, ring := range rings {
			enters := 0
			for i, r := range ring {
				before := ring[(i+len(ring)-1)%len(ring)]
				if p.Ranks[before].Host == p.Ranks[r].Host {
					continue
				}
				enters++
				if got, want := int(p.Ranks[r].Rail), RailOf(channel, c.rails); got != want {
					t.Errorf("%+v: channel %d enters host %d on rail %d, want %d", c, channel,
						p.Ranks[r].Host, got, want)
				}
			}
			if want := c.hosts; enters != want && c.hosts > 1 {
				t.Errorf("%+v: channel %d enters hosts %d times, want %d", c, channel, enters, want)
			}
		}
	}
}

// Two GPUs behind one NIC take its channels in turn.
func TestRingsShareARail(t *testing.T) {
	rings := Rings(cluster(2, 4, 2), 4)
	for channel, want := range []int32{0, 2, 1, 3} {
		if got := rings[channel][0]; got != want {
			t.Errorf("channel %d enters at rank %d, want %d", channel, got, want)
		}
	}
}

// Ranks may be numbered across hosts; GPUs need not all be in the job.
func TestRingsOfAnyPlacement(t *testing.T) {
	p := Placement{Rails: 4, Ranks: []Place{{1, 2, 2, 0}, {0, 3, 3, 0}, {1, 0, 0, 0}, {0, 1, 1, 0}}}
	for channel, want := range []string{"[3 1 2 0]", "[3 1 0 2]", "[3 1 0 2]", "[1 3 0 2]"} {
		if got := fmt.Sprint(Rings(p, 4)[channel]); got != want {
			t.Errorf("channel %d: %s, want %s", channel, got, want)
		}
	}
}

// Where GPUs have an order of their own rings go by it, not by their numbers.
func TestRingsByOrder(t *testing.T) {
	p := Placement{Rails: 1, Ranks: []Place{{GPU: 0, Order: 2}, {GPU: 1, Order: 0}, {GPU: 2, Order: 3}, {GPU: 3, Order: 1}}}
	if got := fmt.Sprint(Rings(p, 1)[0]); got != "[1 3 0 2]" {
		t.Error(got)
	}
}

func TestBadPlacements(t *testing.T) {
	for _, c := range []struct {
		p    Placement
		want string
	}{
		{Placement{Rails: 1}, "0 ranks"},
		{Placement{Ranks: []Place{{}}}, "0 rails, want at least 1"},
		{Placement{Ranks: []Place{{0, 0, 2, 0}}, Rails: 2}, "rank 0 on rail 2, want 0 to 1"},
		{Placement{Ranks: []Place{{0, -1, 0, 0}}, Rails: 2}, "GPU -1"},
		{Placement{Ranks: []Place{{0, 1, 0, 0}, {0, 1, 1, 0}}, Rails: 2}, "ranks 0 and 1 both on host 0, GPU 1"},
	} {
		if err := c.p.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.p, err, c.want)
		}
	}
}
