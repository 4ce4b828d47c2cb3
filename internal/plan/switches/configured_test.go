package switches_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/switches"
)

// twoLeaves is a small fabric whose switches are configured.
const twoLeaves = `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 1
  switch: {reserve: 0B}
  qos: {pfc: {threshold: 100kB}, ecn: {min: 20kB, max: 60kB, probability: 20%}}
job: {flows: [{from: host1/gpu0, to: host4/gpu0, bytes: 1kB}]}
`

// rendered are the configurations of a scenario's switches, which change may alter.
func rendered(t *testing.T, yaml, dialect string, change func(name, text string) string) (all []switches.Configuration) {
	t.Helper()
	devices, err := configs.Devices(planned(t, yaml))
	if err != nil {
		t.Fatal(err)
	}
	for i := range devices {
		of := dialects.All[dialect]
		fitting, _ := of.Fit(&devices[i])
		files, err := of.Render(fitting)
		if err != nil {
			t.Fatal(err)
		}
		c := switches.Configuration{Name: devices[i].Name}
		for _, f := range files {
			text := string(f.Text)
			if change != nil {
				text = change(devices[i].Name, text)
			}
			c.Files = append(c.Files, netconf.File{Name: "configs/" + devices[i].Name + "/" + f.Name, Text: []byte(text)})
		}
		all = append(all, c)
	}
	return all
}

// configure plans a scenario with configurations.
func configure(t *testing.T, yaml string, configs []switches.Configuration) (*plan.Plan, error) {
	t.Helper()
	yaml = strings.Replace(yaml, "fabric:\n", "fabric:\n  config: configs\n", 1)
	return plan.New(plantest.Read(t, yaml), plan.Files{Config: configs}, nil)
}

// Switches whose configuration says what the scenario says have no profile of their own; one that differs has.
func TestConfigured(t *testing.T) {
	p, err := configure(t, twoLeaves, rendered(t, twoLeaves, "nxos", nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, own := p.Switches.Own(); len(p.Switches.Differing()) > 0 || len(own) > 0 {
		t.Errorf("%+v: want no switch that differs", p.Switches.Differing())
	}
	p, err = configure(t, twoLeaves, rendered(t, twoLeaves, "nxos", func(name, text string) string {
		if name == "leaf2" {
			text = strings.ReplaceAll(text, "maximum-threshold 60 kbytes", "maximum-threshold 90 kbytes")
		}
		return text
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.Switches.Differing()); got != "[{leaf2 [leaf2] [{qos.ecn.max 90kB 60kB}]}]" {
		t.Errorf("%s", got)
	}
	if len(p.Switches.Assumed()) == 0 || len(p.Switches.Exchanges()) != 2 ||
		p.Switches.Exchanges()[0].Near != "PFC 3 (own)" || p.Switches.Exchanges()[0].Far != "PFC 3 (peer)" {
		t.Errorf("assumed %+v, exchanges %+v", p.Switches.Assumed(), p.Switches.Exchanges())
	}
}

// A port may be configured otherwise than its switch.
func TestForgottenPort(t *testing.T) {
	p, err := configure(t, twoLeaves, rendered(t, twoLeaves, "nxos", func(name, text string) string {
		if name == "leaf1" { // its uplink
			before, uplink, _ := strings.Cut(text, "description to spine1 Ethernet1/1\n")
			text = before + "description to spine1 Ethernet1/1\n" + strings.Replace(uplink, "mode auto", "mode off", 1)
		}
		return text
	}))
	if err != nil {
		t.Fatal(err)
	}
	cfg := p.FabricConfig()
	rows, _, err := foresight.Thresholds(p)
	if err != nil || len(cfg.Profiles) != 1 || len(cfg.Profiles[0].Ports) != 3 {
		t.Fatalf("%v: profiles %+v", err, cfg.Profiles)
	}
	lossy := 0
	for i := range rows {
		if !rows[i].Lossless() {
			lossy += rows[i].Ports
		}
	}
	if lossy != 1 {
		t.Errorf("%d ports without PFC, want one", lossy)
	}
	if uplink := cfg.Profiles[0].Ports[2]; uplink.Deaf != 1<<switches.ClassData {
		t.Errorf("%+v: want it not to heed the spine, which pauses", uplink)
	}
}

// What a configuration says that a run cannot do is an error at its line, and so is one of no switch.
func TestConfigurationProblems(t *testing.T) {
	good := func() []switches.Configuration { return rendered(t, twoLeaves, "sonic", nil) }
	edit := func(old, with string) []switches.Configuration {
		found := false
		all := rendered(t, twoLeaves, "sonic", func(name, text string) string {
			if name == "leaf1" && strings.Contains(text, old) { // in one of its two files
				found, text = true, strings.Replace(text, old, with, 1)
			}
			return text
		})
		if !found {
			t.Fatalf("no %s in what is rendered for leaf1", old)
		}
		return all
	}
	for _, c := range []struct {
		configs []switches.Configuration
		want    string
	}{
		{good()[:2], "fabric.config: configs: no configuration of spine1, want one of each switch"},
		{append(good(), good()[0]), "configs/leaf1/config_db.json:3:1: a second configuration of leaf1"},
		{edit(`"hostname": "leaf1"`, `"hostname": "leaf9"`), "leaf9 is no switch of this network, want one of leaf1, leaf2, spine1"},
		{edit(`"26"`, `"99"`), "configs/leaf1/config_db.json:"},
		{edit(`{`, `[`), "configs/leaf1/config_db.json"},
		{append(good()[:2], switches.Configuration{Name: "x", Files: []netconf.File{{Name: "x", Text: []byte("hello\n")}}}),
			"x: no line tells which platform it is for"},
	} {
		_, err := configure(t, twoLeaves, c.configs)
		var problems located.Problems
		if !errors.As(err, &problems) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}
