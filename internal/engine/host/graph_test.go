package host

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
	"railyard/internal/net/topo"
)

// graphed is a host of two GPUs and a NIC for both, behind PCIe switches:
//
//	GPU0 -0-> switch -1-> switch -2-> NIC
//	GPU1 -3----^   memory -4--^
//
// Links 0, 2, 3 and 4 carry a byte a nanosecond; link 1, the uplink, half as much.
func graphed(t *testing.T, faults *Faults) *Hosts {
	t.Helper()
	g, err := topo.SingleSwitch{Hosts: 2, GPUs: 2, NICs: 1,
		HostLink: topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond}}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	const full = 8 * unit.GigabitPerSec
	cfg := Config{Faults: faults, Graph: &Graph{
		Rates:      []unit.Bitrate{full, full / 2, full, full, full},
		ToCard:     [][][]int32{{{0, 2, 4}}, {{6, 2, 4}}},
		FromMemory: [][]int32{{8, 3, 1}, {8, 3, 7}},
	}}
	return New(sim.New([]int{len(g.Ports)}, 0), g, cfg, make([]int32, len(g.Nodes)))
}

// fetched says when bytes from a GPU are at the NIC, and where they were last.
func fetched(f *Fetch, b unit.Bytes) (unit.Duration, Way) {
	var m Fetched
	f.Begin(0, b, &m)
	now := unit.Time(0)
	for {
		var w Way
		at := f.Here(now, &m, int64(b), &w)
		if at <= now {
			return unit.Duration(at), w
		}
		now = at
	}
}

// A message takes as long as its slowest link, which it names; beside another from the other GPU the uplink is shared,
// and with a link of its own it is not held up.
func TestFetchOverAGraph(t *testing.T) {
	const kb, us = 1000, unit.Microsecond
	h := graphed(t, nil)
	uplink := Place(h.graph, 5, 0, 2)
	alone := h.NewFetch(0, 0)
	if d, w := fetched(&alone, kb); d != 2*us || w.Slowest != cause.PCIe || w.At != uplink {
		t.Errorf("alone: %v, %+v, want 2 us of link %d", d, w, uplink)
	}
	h = graphed(t, nil)
	one, other := h.NewFetch(0, 0), h.NewFetch(0, 1)
	other.Begin(0, kb, &Fetched{})
	if d, w := fetched(&one, kb); d != 4*us || w.At != uplink {
		t.Errorf("beside another: %v, %+v, want 4 us", d, w)
	}
}

// Packets that come in share the uplink with a copy from memory, whose way it is on too: it is full duplex, so what goes
// out is not in their way.
func TestStoreOverAGraph(t *testing.T) {
	const us = unit.Time(unit.Microsecond)
	h := graphed(t, nil)
	out, s := h.NewFetch(0, 1), h.NewStore(0, 0)
	out.Begin(0, 1000, &Fetched{})
	if crossed, placed, at := s.Put(0, 1000); crossed != 2*us || placed != crossed || at != Place(h.graph, 5, 0, 3) {
		t.Errorf("alone: crossed at %v by %d", crossed, at)
	}
	h = graphed(t, nil)
	s, c := h.NewStore(0, 0), h.newCopies(&h.hosts[0], 1)
	for _, f := range c.feeds {
		f.link.add(0, f.flow, 1000)
	}
	if crossed, _, at := s.Put(0, 1000); crossed != 4*us || at != Place(h.graph, 5, 0, 3) {
		t.Errorf("beside a copy: crossed at %v by %d, want 4 us", crossed, at)
	}
	if crossed, _, _ := s.Put(us, 10); crossed < 4*us {
		t.Errorf("crossed at %v, before the packet before it", crossed)
	}
}

// A fault of one link is about that link, in both directions; one of no link about those of NICs.
func TestFaultsOfAGraph(t *testing.T) {
	const full = 8 * unit.GigabitPerSec
	for _, c := range []struct {
		fault    Slower
		out, in  unit.Duration
		from, to int32 // the links that were last
	}{
		{Slower{Rate: full / 8, Named: true, Link: 1}, 8, 8, 2, 3},
		{Slower{Rate: full / 4}, 4, 4, 4, 5},
		{Slower{Rate: full / 8, Named: true, Link: 3}, 2, 2, 2, 3},
		{Slower{Rate: full / 8, Host: 1}, 2, 2, 2, 3},
	} {
		h := graphed(t, &Faults{PCIe: []Slower{c.fault}})
		f, s := h.NewFetch(0, 0), h.NewStore(0, 0)
		d, w := fetched(&f, 1000)
		crossed, _, at := s.Put(0, 1000)
		if d != c.out*unit.Microsecond || unit.Duration(crossed) != c.in*unit.Microsecond ||
			w.At != Place(h.graph, 5, 0, c.from) || at != Place(h.graph, 5, 0, c.to) {
			t.Errorf("%+v: out %v by %d, in %v by %d", c.fault, d, w.At, unit.Duration(crossed), at)
		}
	}
}
