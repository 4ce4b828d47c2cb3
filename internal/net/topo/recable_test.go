package topo

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// Both directions of a link change, in links and ports alike; the others and the network it was
// made from do not.
func TestRecabled(t *testing.T) {
	cable := Cable{Rate: 400 * unit.GigabitPerSec, Length: 20 * unit.Metre}
	g, err := RailOptimized{Hosts: 3, GPUs: 2, NICs: 2, HostLink: cable, Spines: 1, Parallel: 2,
		SpineLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	names := g.Names()
	link := func(name string) LinkID {
		p, err := names.Port(name)
		if err != nil {
			t.Fatal(err)
		}
		return g.Ports[p].Link
	}
	slow, long, far := link("rail2/host3"), link("rail1/spine1#2"), link("host1/rail1")
	out, err := g.Recabled([]Recabling{{slow, Cable{Rate: 100 * unit.GigabitPerSec}, 0},
		{long, Cable{Length: 100 * unit.Metre}, 0}, {far, Cable{Delay: 2 * unit.Microsecond}, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Validate(); err != nil {
		t.Error(err)
	}
	want := map[LinkID]Link{slow: {Rate: 100 * unit.GigabitPerSec, Delay: 100 * unit.Nanosecond},
		long: {Rate: cable.Rate, Delay: 500 * unit.Nanosecond},
		far:  {Rate: cable.Rate, Delay: 2 * unit.Microsecond}}
	for i := range out.Ports {
		p, w := out.Ports[i], Link{Rate: cable.Rate, Delay: 100 * unit.Nanosecond}
		if changed, ok := want[p.Link]; ok {
			w = changed
		}
		if l := out.Links[p.Link]; p.Rate != w.Rate || p.Delay != w.Delay || l.Rate != w.Rate || l.Delay != w.Delay {
			t.Errorf("%s: %v and %v, its link %v and %v, want %v and %v", p.Name, p.Rate, p.Delay, l.Rate,
				l.Delay, w.Rate, w.Delay)
		}
		if old := g.Ports[i]; old.Rate != cable.Rate || old.Delay != 100*unit.Nanosecond {
			t.Errorf("the network it was made from has %s at %v", old.Name, old.Rate)
		}
	}
	if _, err := g.Recabled([]Recabling{{slow, Cable{Rate: -1}, 0}}); err == nil ||
		!strings.Contains(err.Error(), "host3/rail2: rate") {
		t.Errorf("a negative rate: %v", err)
	}
}

// TestOneDirection: an end sends at another rate, the other end, the link and its delay stay.
func TestOneDirection(t *testing.T) {
	cable := Cable{Rate: 400 * unit.GigabitPerSec, Length: 20 * unit.Metre}
	g, err := RailOptimized{Hosts: 2, GPUs: 1, NICs: 1, HostLink: cable}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	for only := 1; only <= 2; only++ {
		out, err := g.Recabled([]Recabling{{0, Cable{Rate: unit.GigabitPerSec}, only}})
		if err != nil {
			t.Fatal(err)
		}
		if err := out.Validate(); err != nil {
			t.Error(err)
		}
		if out.Links[0] != g.Links[0] {
			t.Errorf("the link is %+v, was %+v", out.Links[0], g.Links[0])
		}
		for k := range out.Ports {
			want := g.Ports[k].Rate
			if k == only-1 {
				want = unit.GigabitPerSec
			}
			if got := out.Ports[k].Rate; got != want {
				t.Errorf("only %d: %s sends at %v, want %v", only, out.Ports[k].Name, got, want)
			}
		}
	}
}
