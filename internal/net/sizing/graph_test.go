package sizing

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/net/survey"
	"railyard/internal/net/topo"
)

// TestCountsAreThoseOfTheGraph: what is counted here is what package topo builds, and reach and losses
// are what package survey finds by walking that network.
func TestCountsAreThoseOfTheGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNeed(t)
		w, err := Size(n)
		if err != nil {
			t.Skip(err)
		}
		g, err := w.Build(w.Rails, Lengths{Host: unit.Metre, Spine: unit.Metre, Super: unit.Metre}).Graph()
		if err != nil {
			t.Fatalf("%+v: %v", w, err)
		}
		s := survey.Of(g, topo.NewRoutes(g), nil)
		compareTiers(t, w, s)
		comparePairs(t, w, s)
		compareLeaf(t, w, s)
	})
}

func compareTiers(t *rapid.T, w *Network, s *survey.Survey) {
	tiers := w.Tiers()
	if len(tiers) != len(s.Ports) {
		t.Fatalf("%+v: %d tiers, graph %+v", w, len(tiers), s.Ports)
	}
	for i, tier := range tiers {
		u := s.Ports[i]
		if u.Switches != tier.Switches || u.Least != tier.Down+tier.Up || u.Most != u.Least {
			t.Errorf("%+v: %+v, graph %+v", w, tier, u)
		}
		if tier.Used > tier.There {
			t.Errorf("%+v: %d ports of %d", w, tier.Used, tier.There)
		}
	}
	links := []int{w.HostLinks() / w.Hosts * w.Room(), w.LeafLinks(), w.SuperLinks()}
	if w.Design == "dragonfly" {
		links = []int{links[0], links[1] + links[2]} // the survey's tiers are those of switches
	}
	for i, c := range s.Cuts {
		if c.Links != links[i] {
			t.Errorf("%+v: cables %v, graph %+v", w, links, s.Cuts)
		}
	}
}

func comparePairs(t *rapid.T, w *Network, s *survey.Survey) {
	reach := w.Reach()
	var pairs []Reach // the survey tells those apart that have another number of equal paths, as in a dragonfly
	for _, p := range s.Pairs {
		if n := len(pairs); n > 0 && pairs[n-1].Switches == p.Switches {
			pairs[n-1].Pairs += p.Count
			continue
		}
		pairs = append(pairs, Reach{p.Switches, p.Count})
	}
	if !slices.Equal(reach, pairs) {
		t.Errorf("%+v: reach %v, graph %+v", w, reach, s.Pairs)
	}
}

// compareLeaf compares the loss of a leaf where it cuts off fewer than half of the NICs: only then the
// survey counts those on it.
func compareLeaf(t *rapid.T, w *Network, s *survey.Survey) {
	if w.PodSpines == 0 || w.Segments == 1 && w.Planes == 1 || w.Bond > 1 { // a bonded NIC has another leaf
		return
	}
	leaf := w.Losses()[1]
	for _, p := range s.Points {
		if p.What == "leaf" && p.NICs == w.Segment*w.perHost() && (p.GPUs != leaf.GPUs || p.Hosts != leaf.Hosts) {
			t.Errorf("%+v: %+v, graph %+v", w, leaf, p)
		}
	}
}

// drawNeed draws a need of at most a few dozen hosts.
func drawNeed(t *rapid.T) Need {
	sw := func(name string) Switch {
		return Switch{Model: name, Ports: rapid.IntRange(4, 24).Draw(t, name+" ports"), Rate: 800 * unit.GigabitPerSec,
			Breakout: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, name+" breakout")}
	}
	ports := rapid.IntRange(1, 2).Draw(t, "ports")
	rate := rapid.SampledFrom([]unit.Bitrate{200, 400, 800})
	return Need{
		Bond: rapid.IntRange(1, ports).Draw(t, "bond"), LeastSpines: rapid.IntRange(0, 2).Draw(t, "least"),
		Design: rapid.SampledFrom(Designs).Draw(t, "design"), Hosts: rapid.IntRange(1, 40).Draw(t, "hosts"),
		Rails: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "rails"), Ports: ports,
		RailsPerLeaf: rapid.SampledFrom([]int{1, 2}).Draw(t, "rails per leaf"),
		Planes:       rapid.IntRange(1, ports).Draw(t, "planes"), Segment: rapid.IntRange(0, 4).Draw(t, "segment"),
		HostRate:         rate.Draw(t, "rate") * unit.GigabitPerSec,
		SpineRate:        rate.Draw(t, "up") * unit.GigabitPerSec,
		SuperRate:        rate.Draw(t, "over") * unit.GigabitPerSec,
		Oversubscription: unit.Ratio{Num: int64(rapid.IntRange(1, 4).Draw(t, "oversubscription")), Den: 1},
		LostSpines:       rapid.IntRange(0, 1).Draw(t, "lost"),
		Leaf:             sw("leaf"), Spine: sw("spine"), Super: sw("super"),
	}
}

// TestEveryNeedEnds: a network that cannot be is refused after few tries.
func TestEveryNeedEnds(t *testing.T) {
	sw := Switch{Model: "a", Ports: 8, Rate: 400 * unit.GigabitPerSec}
	for _, hosts := range []int{most, most - 1, 99_991} {
		_, err := Size(Need{Design: "rail-optimized", Hosts: hosts, Rails: 8, HostRate: 400 * unit.GigabitPerSec,
			Leaf: sw, Spine: sw,
			Super: sw})
		if err == nil {
			t.Errorf("%d hosts on switches of 8 ports: want a refusal", hosts)
		}
	}
}

// TestFatTrees: switches of k ports make a fat tree of k^3/4 hosts from 5k^2/4 switches in three tiers, and of
// k^2/2 hosts from 3k/2 switches in two (Al-Fares, Loukissas and Vahdat, SIGCOMM 2008, section 2.2); one host
// more has no port.
func TestFatTrees(t *testing.T) {
	for k := 4; k <= 32; k += 4 {
		sw := Switch{Model: "k", Ports: k, Rate: unit.GigabitPerSec}
		need := Need{Design: "leaf-spine", Rails: 1, HostRate: unit.GigabitPerSec, Leaf: sw, Spine: sw}
		for _, c := range []struct {
			super           Switch
			hosts, switches int
		}{{Switch{}, k * k / 2, 3 * k / 2}, {sw, k * k * k / 4, 5 * k * k / 4}} {
			need.Super, need.Hosts = c.super, c.hosts
			w, err := Size(need)
			if err != nil || w.Switches() != c.switches {
				t.Errorf("%d ports, %d hosts: %v, %+v, want %d switches", k, c.hosts, err, w, c.switches)
			}
			need.Hosts++
			if w, err := Size(need); err == nil {
				t.Errorf("%d ports, %d hosts: %+v, want a refusal", k, need.Hosts, w)
			}
		}
	}
}
