package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/config/netconf/dialects"
	"railyard/internal/out/result"
	"railyard/internal/plan/configs"
)

// configured is a small incast through two tiers, with queues long enough for marks and pauses, and thresholds
// that platforms have words for. %s are more keys of fabric.
const configured = `
name: configured
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 2
  switch: {buffer: 64MB, reserve: 0B}
  mtu: 9216B
  qos:
    cnp_priority: 6
    ecn: {min: 20kB, max: 60kB, probability: 20%%}
    pfc: {threshold: 80kB, watchdog: {detect: 400ms, restore: 400ms}}
%s
job:
  flows:
    - {from: host1/gpu0, to: host4/gpu0, bytes: 300kB}
    - {from: host2/gpu0, to: host4/gpu0, bytes: 300kB}
    - {from: host3/gpu0, to: host4/gpu0, bytes: 300kB}
`

// writeConfigs renders the switches of a scenario in a dialect, and returns the folder.
func writeConfigs(t *testing.T, yaml, dialect string, change func(name, text string) string) string {
	t.Helper()
	p, err := NewPlan(read(t, yaml))
	if err != nil {
		t.Fatal(err)
	}
	devices, err := configs.Devices(p)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range devices {
		of := dialects.All[dialect]
		fitting, _ := of.Fit(&devices[i])
		files, err := of.Render(fitting)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			path := filepath.Join(dir, devices[i].Name, filepath.FromSlash(f.Name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			text := string(f.Text)
			if change != nil {
				text = change(devices[i].Name, text)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// What is rendered and then taken from there is simulated to the same bytes, in every dialect; what a platform has
// no words for comes from the scenario.
func TestRenderedIsSimulated(t *testing.T) {
	for _, dialect := range dialects.Names() {
		t.Run(dialect, func(t *testing.T) {
			yaml := configured
			if dialect == "junos" { // in whole percent of the lossless part of the buffer, 63.36 MB
				yaml = strings.Replace(yaml, "min: 20kB, max: 60kB", "min: 633600B, max: 1267200B", 1)
			}
			want := run(t, fmt.Sprintf(yaml, ""), Options{})
			if want.Pauses == 0 || want.ECNMarks == 0 && dialect != "junos" {
				t.Fatalf("%d marks, %d pauses: want both, or nothing is compared", want.ECNMarks, want.Pauses)
			}
			config := writeConfigs(t, fmt.Sprintf(yaml, ""), dialect, nil)
			got := run(t, fmt.Sprintf(yaml, fmt.Sprintf("  config: %q", config)), Options{})
			sameFigures(t, got.Summary, want.Summary)
			if n := len(got.Inputs); n < 4 || !strings.HasPrefix(got.Inputs[0].Name, "config/leaf1/") {
				t.Errorf("inputs %+v, want the configurations of four switches", got.Inputs)
			}
		})
	}
}

// sameFigures compares two summaries, with the digests of tables, but for what they say of the configuration.
func sameFigures(t *testing.T, a, b *result.Summary) {
	t.Helper()
	text := func(s result.Summary) string {
		s.Scenario, s.ScenarioYAML, s.Notes, s.Inputs, s.Dir, s.WallSeconds = nil, "", nil, nil, "", 0
		out, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if x, y := text(*a), text(*b); x != y {
		t.Errorf("%s\nwant %s", x, y)
	}
}

// What the configuration says goes before what the scenario says: SONiC has words for all of it.
func TestConfigurationGoesFirst(t *testing.T) {
	said := fmt.Sprintf(configured, "")
	want := run(t, said, Options{})
	config := writeConfigs(t, said, "sonic", nil)
	bare := strings.NewReplacer("switch: {buffer: 64MB, reserve: 0B}", "switch: {buffer: 32MB}",
		"ecn: {min: 20kB, max: 60kB, probability: 20%}", "ecn: {enabled: false}",
		"pfc: {threshold: 80kB, watchdog: {detect: 400ms, restore: 400ms}}", "pfc: {enabled: false}",
		"job:", "  config: \""+config+"\"\njob:").Replace(said)
	got := run(t, bare, Options{})
	if got.VirtualTime != want.VirtualTime || got.ECNMarks != want.ECNMarks || got.Pauses != want.Pauses ||
		got.Drops != want.Drops || got.Summary.Events != want.Summary.Events {
		t.Errorf("%v, %d marks, %d pauses, %d drops, %d events; want %v, %d, %d, %d, %d", got.VirtualTime, got.ECNMarks,
			got.Pauses, got.Drops, got.Summary.Events, want.VirtualTime, want.ECNMarks, want.Pauses, want.Drops, want.Summary.Events)
	}
	if len(got.Thresholds) != 4 || got.Thresholds[0].Match != "leaf1" || got.Thresholds[0].Port != want.Thresholds[0].Port {
		t.Errorf("thresholds %+v, want those of %+v, a row for each switch", got.Thresholds, want.Thresholds)
	}
}
