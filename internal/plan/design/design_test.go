package design

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/base/unit"
	"railyard/internal/net/sizing"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// TestScenariosMakeTheNetwork: the file that is written is accepted, and plans the very graph that was
// sized, cabled and billed.
func TestScenariosMakeTheNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRequirement(t)
		for _, o := range Study(r) {
			if o.Refused != "" {
				t.Skip(o.Refused)
			}
			l, err := Lay(r, o)
			if err != nil {
				t.Fatal(err)
			}
			text := Scenario(r, o, l.Lengths(), unit.Kilobyte, "all-reduce")
			sc, err := scenario.Parse("s.yaml", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			p, err := plan.New(sc, plan.Files{}, nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			w, err := o.Backend().Build(r.Host.GPUs, l.Lengths()).Graph()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := links(p.Graph), links(w); got != want {
				t.Fatalf("%s\nplanned\n%s\nsized\n%s", text, got, want)
			}
			checkLayout(t, r, l)
		}
	})
}

// links is a graph in text: its links with their rates and lengths.
func links(g *topo.Graph) string {
	var b strings.Builder
	for i, l := range g.Links {
		fmt.Fprintln(&b, g.Ports[2*i].Name, l.Rate, l.Length)
	}
	return b.String()
}

// checkLayout: devices stand in racks without overlap, no two cables are in one place, every host has its cables,
// each transceiver has its end, and all cables are bought.
func checkLayout(t *rapid.T, r *scenario.Requirement, l *Layout) {
	for _, k := range l.Racks {
		top := 0
		for _, d := range k.Devices {
			if d.Unit != top+1 {
				t.Fatalf("%s: %s stands at U%d, want U%d", k.Name(), d.Name, d.Unit, top+1)
			}
			top += d.Height
		}
		if top > int(r.Racks.Height) {
			t.Errorf("%s is %dU high", k.Name(), top)
		}
	}
	taken, fibres, ends := map[string]bool{}, 0, 0
	for _, c := range l.Cables {
		for _, e := range []End{c.From, c.To} {
			at := e.Device.Name + " " + e.Port
			if taken[at] {
				t.Errorf("%s: two cables", at)
			}
			taken[at] = true
		}
		if c.Medium == nil || c.Length > c.Medium.Reach {
			t.Errorf("%+v: no medium, or it does not reach", c)
		} else if c.Medium.Optics {
			fibres++
		}
	}
	bought := 0
	for _, i := range l.Bill() {
		parts := 1
		if _, rate, ok := strings.Cut(i.Name, " "); ok {
			fmt.Sscanf(rate, "%dx", &parts)
		}
		switch {
		case i.Kind == TransceiverItem:
			ends += parts * i.Count
		case i.Kind == CableItem && strings.HasPrefix(i.Name, "fibre"):
			bought += i.Count
		}
	}
	if bought != fibres || ends < 2*fibres {
		t.Errorf("%d fibres, %d bought; transceivers with %d ends", fibres, bought, ends)
	}
	for i := range r.Hosts() {
		bonded := l.Option.Backend().Bond
		for port := range r.Rails() * r.NIC.PerGPU {
			at := fmt.Sprintf("host%d nic%d", i+1, port/bonded)
			if bonded > 1 {
				at += fmt.Sprintf("/%d", port%bonded+1)
			}
			if !taken[at] {
				t.Errorf("%s: no cable", at)
			}
		}
	}
}

// drawRequirement draws one of at most a few hundred GPUs.
func drawRequirement(t *rapid.T) *scenario.Requirement {
	whole := func(what string, least, most int) int { return rapid.IntRange(least, most).Draw(t, what) }
	gpus := whole("hosts", 1, 8) * 4
	ports := whole("ports", 1, 2)
	model := rapid.SampledFrom([]string{"tomahawk3", "sn5600", "small", "twin"})
	src := fmt.Sprintf(`gpus: %d
later: %d
host: {gpus: 4, height: %dU}
nic: {speed: 200Gb/s, per_gpu: %d, ports: %d}
backend: {leaf: %s, spine: %s, oversubscription: %d, rails_per_leaf: %d, segment: %d, lost_spines: %d}
racks: {per_row: %d, height: %dU}
storage: {nodes: %d}
designs: [%s]
models:
- {name: small, ports: 16, rate: 400Gb/s}
- {name: twin, ports: 12, rate: 400Gb/s, breakout: 2, height: 1U, buffer: 32MB}
`, gpus, gpus+4*whole("growth", 0, 3), whole("height", 4, 9), ports, whole("of a card", 1, ports), model.Draw(t, "leaf"),
		model.Draw(t, "spine"), whole("oversubscription", 1, 3), rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "rails per leaf"),
		whole("segment", 1, 4), whole("lost", 0, 1), whole("per row", 1, 6), whole("rack", 12, 48), whole("nodes", 0, 3),
		rapid.SampledFrom(scenario.RequiredDesigns).Draw(t, "design").Name)
	r, err := scenario.ParseRequirement("r.yaml", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return r
}

// TestSlicesRunNoMoreHosts: a slice has at most the hosts asked for, and the switches, rates and ratio of its
// design.
func TestSlices(t *testing.T) {
	r, err := scenario.ParseRequirement("r.yaml", []byte("gpus: 4096\nbackend: {leaf: tomahawk4, oversubscription: 2}\n"+
		"simulate: {hosts: 8}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range Study(r) {
		if o.Refused != "" {
			continue
		}
		s, err := Slice(r, o)
		if err != nil {
			t.Fatal(err)
		}
		w, whole := s.Backend(), o.Backend()
		if w.Hosts != 8 || w.Segments < 2 || w.SpineRate != whole.SpineRate {
			t.Errorf("%s: %+v", o.Design, w)
		}
		// A dragonfly's ratio is of uniform traffic, of which some goes by three links.
		if got := sizing.Against(w.Tiers()[0].Oversubscribed()); got != "2:1" && o.Design != "dragonfly" {
			t.Errorf("%s: a slice at %s, want 2:1", o.Design, got)
		}
	}
}

// TestStandardLengths: lengths are those that cables come in.
func TestStandardLengths(t *testing.T) {
	for _, c := range [][2]unit.Length{{0, 500}, {1, 500}, {501, 1000}, {2501, 3000}, {3001, 4000}, {10_000, 10_000},
		{10_001, 15_000}, {100_001, 110_000}} {
		if got := standard(c[0] * unit.Millimetre); got != c[1]*unit.Millimetre {
			t.Errorf("%v: %v, want %v", c[0]*unit.Millimetre, got, c[1]*unit.Millimetre)
		}
	}
}

// BenchmarkDesign sizes, lays out and bills 16,384 GPUs: two designs that close.
func BenchmarkDesign(b *testing.B) {
	r, err := scenario.ParseRequirement("r.yaml", []byte("gpus: 16384\nbackend: {leaf: tomahawk4}\n"))
	if err != nil {
		b.Fatal(err)
	}
	cpu := machinetest.Start(b)
	for b.Loop() {
		for _, o := range Study(r) {
			if o.Refused == "" {
				l, err := Lay(r, o)
				if err != nil {
					b.Fatal(err)
				}
				l.Bill()
			}
		}
	}
	cpu.Report()
}

// What all of an item cost is its price as often as there are.
func TestCostOfAnItem(t *testing.T) {
	i := Item{Count: 32, Price: scenario.Amount{Hundredths: 1250, Currency: "USD"}}
	if got := i.Cost(); got != (scenario.Amount{Hundredths: 40_000, Currency: "USD"}) {
		t.Errorf("%+v", got)
	}
}
