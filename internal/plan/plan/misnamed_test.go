package plan

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/scenario/scenariotest"
)

// Names of links are looked up although something else is wrong, where that cannot change which links there are.
func TestMisnamed(t *testing.T) {
	const file = `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 2QOS}
faults:
  - {link: leaf9/spine1, down: 1ms}
  - {gpu: host1/gpu7, slow: 2}
  - {switch: leaf9, leak: 1MB}
  - {port: leaf9/host1, config: {ecn: false}}
  - {host: host9, down: 1ms}
capture: {links: [nowhere/x, host1/leaf1]}
job: {flows: [{from: host2/gpu0, to: host1/gpu0, bytes: JOB}]}
`
	for _, c := range []struct {
		name, fabric, job string
		want              int // names that are found wrong; -1: nobody knows
	}{
		{"marking", ", qos: {ecn: {min: 900kB, max: 100kB}}", "1MB", 6},
		{"balance", ", balance: sprayy", "1MB", 6},
		{"a job", "", "1", 6},
		{"a key that shapes the network", ", leafs: 3", "1MB", -1},
		{"its value", ", superspines: none at all", "1MB", -1},
	} {
		src := strings.NewReplacer("QOS", c.fabric, "JOB", c.job).Replace(file)
		var refused located.Problems
		if _, err := scenario.Parse("x.yaml", []byte(src)); !errors.As(err, &refused) {
			t.Fatalf("%s: nothing is wrong", c.name)
		}
		sc := scenario.Cabled("x.yaml", []byte(src))
		if (sc == nil) != (c.want < 0) {
			t.Errorf("%s: cabled %v", c.name, sc != nil)
		}
		if sc == nil {
			continue
		}
		all := Misnamed(sc, refused)
		if len(all) != c.want {
			t.Errorf("%s: %v, want %d", c.name, all, c.want)
		}
		for _, p := range all {
			if p.Line < 5 || p.Line > 10 {
				t.Errorf("%s: %v", c.name, p)
			}
		}
	}
}

// An entry of a list that was refused is no name. Those before it are looked up.
func TestMisnamedBesideRefused(t *testing.T) {
	for _, entry := range []string{"{}", "[x]", "a: b", "null", `""`, "12", "x"} {
		src := `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 2}
capture: {links: [host1/leaf1, nowhere/x, ` + entry + `, beyond/x]}
job: {flows: [{from: host2/gpu0, to: host1/gpu0, bytes: 1}]}
`
		var refused located.Problems
		if _, err := scenario.Parse("x.yaml", []byte(src)); !errors.As(err, &refused) {
			t.Fatalf("%s: nothing is wrong", entry)
		}
		all := Misnamed(scenario.Cabled("x.yaml", []byte(src)), refused)
		if len(all) != 1 || all[0].Line != 4 || !strings.Contains(all[0].Message, "nowhere/x") {
			t.Errorf("%s: %v", entry, all)
		}
	}
}

// All steps say what is wrong, not the first alone.
func TestTogether(t *testing.T) {
	src := `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s, receive_buffer: 20kB}}
fabric: {design: leaf-spine, leaves: 2, spines: 2, switches: [{match: leaf7, buffer: 30MB}]}
faults: [{link: leaf9/spine1, down: 1ms}]
capture: {links: [nowhere/x]}
job: {flows: [{from: host2/gpu0, to: host1/gpu0, bytes: 1MB}]}
`
	sc, err := scenario.Parse("x.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(sc, Files{}, nil)
	for _, path := range []string{"cluster.nic.receive_buffer", "fabric.switches[0].match", "faults[0].link", "capture.links[0]"} {
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s is missing in: %v", path, err)
		}
	}
}

// FuzzMisnamed: whatever is wrong elsewhere, no panic, each name points into the file, and none was refused as a name.
func FuzzMisnamed(f *testing.F) {
	for _, src := range scenariotest.Cases(f, "../../..") {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		sc := scenario.Cabled("fuzz.yaml", src)
		if sc == nil || sc.Cluster.Hosts > 64 {
			return
		}
		lines := bytes.Split(src, []byte("\n"))
		var refused located.Problems
		_, err := scenario.Parse("fuzz.yaml", src)
		errors.As(err, &refused)
		for _, p := range Misnamed(sc, refused) {
			if p.Line < 1 || p.Line > len(lines) {
				t.Fatalf("%s points outside the file", p)
			}
			for _, r := range refused {
				if r.Line == p.Line && r.Column == p.Column {
					t.Fatalf("%s is looked up although it was refused: %s", p, r)
				}
			}
		}
	})
}
