package scenario_test

import (
	"bytes"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/plan/scenario"
)

func TestRequirementDefaults(t *testing.T) {
	r, err := scenario.ParseRequirement("r.yaml", []byte("gpus: 1024\nbackend: {leaf: tomahawk4}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Hosts() != 128 || r.HostsNow() != 128 || r.Rails() != 8 || r.NIC.Speed != 400*unit.GigabitPerSec {
		t.Errorf("%d hosts, %d now, %d rails, %v", r.Hosts(), r.HostsNow(), r.Rails(), r.NIC.Speed)
	}
	if r.Backend.SuperSpine != "tomahawk4" || len(r.Designs) != len(scenario.RequiredDesigns) {
		t.Errorf("super-spines %s, designs %v", r.Backend.SuperSpine, r.Designs)
	}
	if s := r.Switch("tomahawk4"); s == nil || s.Ports != 64 || s.Power != 0 {
		t.Errorf("tomahawk4 is %+v", s)
	}
}

// TestRequirementOwnModels: an entry of the requirement stands before the catalogue's.
func TestRequirementOwnModels(t *testing.T) {
	r, err := scenario.ParseRequirement("r.yaml", []byte(`gpus: 64
backend: {leaf: tomahawk4, spine: mine}
models:
  - {name: tomahawk4, ports: 32, rate: 400Gb/s, power: 1.2kW, height: 2U}
  - {name: mine, ports: 128, rate: 400Gb/s, breakout: 2}
prices: [{item: mine, each: 1250.50EUR}, {item: tomahawk4, each: 9EUR}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Switch("tomahawk4"); s.Ports != 32 || s.Power != 1200*unit.Watt || s.Height != 2 {
		t.Errorf("tomahawk4 is %+v", s)
	}
	if a, ok := r.PriceOf("mine"); !ok || a.Hundredths != 125050 || a.String() != "1250.50EUR" {
		t.Errorf("price %v %v", a, ok)
	}
	if _, ok := r.PriceOf("other"); ok {
		t.Error("a price of something that has none")
	}
}

func TestRequirementProblems(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "r.yaml:1:1: backend.leaf: missing, want the name of a model, such as tomahawk4\n" +
			"r.yaml:1:1: gpus: missing, want a whole number such as 8"},
		{"gpus: 1020\nbackend: {leaf: tomahawk}",
			"r.yaml:1:7: gpus: 1020: want a multiple of host.gpus, 8: the nearest are 1016 and 1024\n" +
				"r.yaml:2:17: backend.leaf: tomahawk: no such model, want one of models, or of " +
				"the 45 that the catalogue has; did you mean tomahawk3?"},
		{"gpus: 8\nlater: 4\nbackend: {leaf: tomahawk4, segment: 0}",
			"r.yaml:2:8: later: 4: want a multiple of host.gpus, 8, and at least gpus, 8\n" +
				"r.yaml:3:37: backend.segment: 0: too small, want 1 to 131072, or auto"},
		{"gpus: 8\nnic: {speed: 400, shared_by: 3}\nbackend: {leaf: tomahawk4}",
			"r.yaml:2:14: nic.speed: 400: no unit, want bits (Gb/s) or bytes (GB/s)\n" +
				"r.yaml:2:30: nic.shared_by: 3: want a number that divides host.gpus, 8"},
		{"gpus: 8\nnic: {per_gpu: 2, shared_by: 2, ports: 3}\nbackend: {leaf: tomahawk4}",
			"r.yaml:2:30: nic.shared_by: has no meaning here: nic.per_gpu is more than 1: each GPU has ports of its own; " +
				"remove it\nr.yaml:2:40: nic.ports: 3: want a number that divides the ports of a host, 16"},
		{"gpus: 8\nbackend: {leaf: tomahawk4}\ndesigns: [rail-optimised, torus]",
			"r.yaml:3:11: designs: entry 1: rail-optimised: unknown, want single-switch, rail-only, rail-optimized, leaf-spine, " +
				"dragonfly or multi-plane; did you mean rail-optimized?"},
		{"gpus: 8\nbackend: {leaf: tomahawk4}\ndesigns: [leaf-spine, leaf-spine]",
			"r.yaml:3:23: designs: entry 2: leaf-spine: twice"},
		{"gpus: 8\nbackend: {leaf: tomahawk4}\noptics: {nic: twin-port-finned}",
			"r.yaml:3:15: optics.nic: twin-port-finned: a NIC's cage has its own heat sink and takes a flat top; " +
				"single-port-flat (NVIDIA, LinkX: Connectors and Cages)"},
		{"gpus: 8\nbackend: {leaf: tomahawk4}\nhost: {height: 8, power: 10}",
			"r.yaml:3:16: host.height: 8: want rack units such as 8U\n" +
				"r.yaml:3:26: host.power: 10: no unit, want a power (mW, W, kW, MW), or unknown"},
		{"gpus: 8\nbackend: {leaf: a}\nmodels: [{name: a, ports: 4, rate: 1Gb/s}, {name: a, ports: 4, rate: 1Gb/s}]",
			"r.yaml:3:51: models[1].name: a: twice"},
		{"gpus: 8\nbackend: {leaf: tomahawk4}\nprices: [{item: a, each: 4USD}, {item: b, each: 4EUR}, {item: a, each: 4.123USD}]",
			"r.yaml:3:49: prices[1].each: 4EUR: the first price is in USD, want one currency\n" +
				"r.yaml:3:72: prices[2].each: 4.123USD: want a price such as 1250.50USD"},
		{"gpus: 8\nbackend: {leaf: tomahawk4, spnes: 4}\nspeed: 400Gb/s",
			"r.yaml:2:28: backend.spnes: unknown key; did you mean spines?\nr.yaml:3:1: speed: unknown key, want name, gpus, " +
				"later, host, nic, designs, backend, frontend, storage, management, racks, optics, models, prices or simulate; " +
				"there is a key nic.speed"},
		{"gpus: 8\nbackend: &a {leaf: tomahawk4}", "r.yaml:2:10: an anchor (&): not accepted in a requirement; write the value out"},
		{"name: a\ncluster: {hosts: 2}\nfabric: {}\nspeed: 400", "r.yaml:2:1: the keys of a scenario, want those of a requirement; " +
			"railyard check and run read scenarios"},
		{"- gpus", "r.yaml: holds no key of a requirement, want name, gpus, later, host, nic, designs, backend, frontend, " +
			"storage, management, racks, optics, models, prices or simulate"},
	} {
		_, err := scenario.ParseRequirement("r.yaml", []byte(c.src))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.src, err, c.want)
		}
	}
}

func FuzzParseRequirement(f *testing.F) {
	f.Add([]byte("gpus: 1024\nbackend: {leaf: tomahawk4}\nmodels: [{name: a, ports: 4, rate: 1Gb/s}]\n"))
	f.Add([]byte("gpus: 8\nlater: same\nnic: {speed: 200Gb/s, per_gpu: 2}\nprices: [{item: a, each: 1USD}]\nracks: {power: 1kW}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		_, err := scenario.ParseRequirement("fuzz.yaml", src)
		if err == nil {
			return
		}
		lines := bytes.Split(bytes.TrimPrefix(src, located.BOM), []byte("\n"))
		for i, p := range err.(located.Problems) {
			// Of a text that is likely another file there is one problem, of the file as a whole.
			if i == 0 && p.Line == 0 && strings.HasPrefix(p.Message, "holds no key of a requirement") {
				continue
			}
			if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Width < 1 || strings.ContainsAny(p.String(), "\n\r\x1b") {
				t.Fatalf("%q", p.String())
			}
		}
	})
}
