package plan_test

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
)

// A port that is configured for shorter frames than are sent drops them: a setting of the engine, beside what faults do. What else
// is configured is no fault. The plan's scenario is the one that configurations leave.
func TestConfigurationsOfSwitches(t *testing.T) {
	const yaml = `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: single-switch
  qos: {ecn: {min: 20kB, max: 60kB, probability: 20%}}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}
`
	drawn := plantest.Made(t, yaml, func(sc *scenario.Scenario) (*plan.Plan, error) { return plan.New(sc, plan.Files{}, nil) })
	devices, err := configs.Devices(drawn)
	if err != nil {
		t.Fatal(err)
	}
	of := dialects.All["nxos"]
	fitting, _ := of.Fit(&devices[0])
	files, err := of.Render(fitting)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, faults, was, is string
		short, settings       int
	}{
		{name: "as the scenario says"},
		{"short", "", "mtu 9216", "mtu 1500", 2, 2},
		{"short, beside a fault", "faults: [{link: host1/rail1, drop: 1%}]\n", "mtu 9216", "mtu 1500", 2, 2},
		{"marks later", "", "maximum-threshold 60 kbytes", "maximum-threshold 90 kbytes", 0, 0},
	} {
		text := string(files[0].Text)
		if c.was != "" && !strings.Contains(text, c.was) {
			t.Fatalf("%s: no %q in\n%s", c.name, c.was, text)
		}
		text = strings.ReplaceAll(text, c.was, c.is)
		if c.was == "" {
			text = string(files[0].Text)
		}
		sc := plantest.Read(t, strings.Replace(yaml, "fabric:\n", "fabric:\n  config: configs\n", 1)+c.faults)
		in := plan.Files{Config: []switches.Configuration{{Name: devices[0].Name,
			Files: []netconf.File{{Name: files[0].Name, Text: []byte(text)}}}}}
		if in.Bytes() != unit.Bytes(len(text)) {
			t.Errorf("%s: files of %v", c.name, in.Bytes())
		}
		p, err := plan.New(sc, in, nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if p.Scenario != p.Switches.Scenario() {
			t.Errorf("%s: the plan has another scenario than its switches", c.name)
		}
		f := p.FabricConfig().Faults
		if n := len(p.Switches.Short()); n != c.short {
			t.Errorf("%s: %d ports are short, want %d", c.name, n, c.short)
		}
		if c.settings == 0 {
			if f != nil {
				t.Errorf("%s: faults %+v", c.name, f)
			}
			continue
		}
		if f == nil || len(f.Settings) != c.settings || (f.Of != nil) != (c.faults != "") {
			t.Errorf("%s: faults %+v", c.name, f)
		}
	}
}
