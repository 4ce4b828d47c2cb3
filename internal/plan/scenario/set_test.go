package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const settable = `cluster: {hosts: 4, host: {gpus: 2}}
# a comment
fabric:
  qos:
    ecn: {min: 100kB, max: 400kB}
job:
  flows:
    - {from: host1/gpu0, to: host2/gpu0, bytes: 1MB}
    - {name: two, from: host3/gpu0, to: host2/gpu0, bytes: 2MB}
background:
  flows: [{from: host4/gpu0, to: host2/gpu0, bytes: 3MB}]
`

// A changed scenario is the one that a file with these texts gives: presets and what is derived
// follow.
func TestSet(t *testing.T) {
	s := parse(t, settable)
	for _, c := range []struct{ path, text, old, new string }{
		// links.host and links.spine follow
		{"cluster.nic.speed", "100Gb/s", "gpus: 2}", "gpus: 2}, nic: {speed: 100Gb/s}"},
		{"preset", "hpcc-ns3", "cluster:", "preset: hpcc-ns3\ncluster:"},
		{"fabric.qos.ecn.max", "500kB", "max: 400kB", "max: 500kB"},
		{"job.flows[1].bytes", "7MB", "2MB", "7MB"},
		{"job.flows[2]", "{name: three, from: host3/gpu1, to: host1/gpu1, bytes: 1kB, path: [host3, rail2, host1]}",
			"bytes: 2MB}",
			"bytes: 2MB}\n    - {name: three, from: host3/gpu1, to: host1/gpu1, bytes: 1kB, path: [host3, rail2, " +
				"host1]}"},
		{"fabric.links.named[0].link", "rail1/spine1#1", "  qos:",
			"  links: {parallel: 2, named: [{link: rail1/spine1#1, rate: 1Gb/s}]}\n  qos:"},
		{"name", "\"007\"", "cluster:", "name: \"007\"\ncluster:"},
	} {
		changes := []Change{{Path: c.path, Text: c.text}}
		if strings.HasPrefix(c.path, "fabric.links.named") {
			changes = append(changes, Change{Path: "fabric.links.named[0].rate", Text: "1Gb/s"},
				Change{Path: "fabric.links.parallel", Text: "2"})
		}
		got, err := s.With(changes...)
		want := parse(t, strings.Replace(settable, c.old, c.new, 1))
		if err != nil || !got.Equal(want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.path, err, got.YAML(), want.YAML())
			continue
		}
		if again := parse(t, string(got.Source())); !again.Equal(want) {
			t.Errorf("%s: as text:\n%s\ngives\n%s", c.path, got.Source(), again.YAML())
		}
	}
	if !s.Equal(parse(t, settable)) || string(s.Source()) != settable {
		t.Error("the scenario that was changed is another")
	}
}

// What is removed is as if the file did not have it; a list without entries goes away.
func TestRemove(t *testing.T) {
	s := parse(t, settable)
	got, err := s.With(Change{Path: "background.flows[0]", Remove: true},
		Change{Path: "fabric.qos.ecn.max", Remove: true},
		Change{Path: "fabric.qos.ecn.min", Remove: true}, Change{Path: "job.flows[0]", Remove: true})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(settable, "min: 100kB, max: 400kB", "", 1)
	text = strings.Replace(text, "    - {from: host1/gpu0, to: host2/gpu0, bytes: 1MB}\n", "", 1)
	text, _, _ = strings.Cut(text, "background:")
	if want := parse(t, text); !got.Equal(want) {
		t.Errorf("got\n%swant\n%s", got.YAML(), want.YAML())
	}
}

// What is wrong with a change says so; what it makes wrong elsewhere is told with its place in the
// file.
func TestSetProblems(t *testing.T) {
	s := parse(t, settable)
	for _, c := range []struct {
		change Change
		want   string
	}{
		{Change{Path: "fabric.spines", Text: "4000"}, "--set fabric.spines: 4000: too large, want 0 to 1024"},
		{Change{Path: "fabric.spins", Text: "4"}, "--set fabric.spins: unknown key; did you mean spines?"},
		{Change{Path: "cluster.nic.speed", Text: "100"},
			"--set cluster.nic.speed: 100: no unit, want bits (Gb/s) or bytes (GB/s)"},
		{Change{Path: "cluster.hosts", Text: ""}, "--set cluster.hosts: no value, want a whole number such as 8"},
		{Change{Path: "cluster.hosts", Text: "3"},
			"runs/My job_2.yaml:11:18: background.flows[0].from: host4/gpu0: no such host, want host1 to host3"},
		{Change{Path: "fabric.qos.ecn.min", Text: "1MB"},
			"--set fabric.qos.ecn.min: min 1MB is above max 400kB on a 400Gb/s port"},
		{Change{Path: "job.flows[5].bytes", Text: "1MB"},
			"--set job.flows[5].bytes: no entry 5: job.flows has entries 0 to 1"},
		{Change{Path: "faults[1].drop", Text: "0.1"}, "--set faults[1].drop: no entry 1: the list is not there"},
		{Change{Path: "job.flows[x]", Text: "1"},
			"--set job.flows[x]: not the path of a key, want an entry such as job.flows[0]"},
		{Change{Path: "job..flows", Text: "1"},
			"--set job..flows: not the path of a key, want one such as fabric.spines or job.flows[0].bytes"},
		{Change{Path: "", Text: "1"}, "--set a scenario has keys, want the path of one such as fabric.spines"},
		{Change{Path: "faults", Text: "[{link"}, "--set faults: [{link: not YAML"},
		{Change{Path: "faults", Remove: true}, "--set faults: cannot be unset: the file does not have it"},
		{Change{Path: "job.flows", Text: "[{from: host1/gpu0, to: host2/gpu0, bytes: 1MB, enabled: false}]"},
			"--set job.flows: no flow is enabled, want at least one"},
	} {
		_, err := s.With(c.change)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v\nwant %s", c.change, err, c.want)
		}
	}
}

// All changes that cannot be made are named at once.
func TestEveryChangeThatCannotBeMadeIsNamed(t *testing.T) {
	_, err := parse(t, settable).With(Change{Path: "job..flows", Text: "1"}, Change{Path: "seed", Text: "2"},
		Change{Path: "faults", Remove: true}, Change{Path: "job.flows[5].bytes", Text: "1MB"})
	for _, path := range []string{"job..flows", "faults", "job.flows[5].bytes"} {
		if err == nil || !strings.Contains(err.Error(), "--set "+path+": ") {
			t.Errorf("%v\ndoes not name %s", err, path)
		}
	}
}

// Setting a key of a shipped scenario to what it has changes nothing, and neither does writing the
// tree out.
func TestSourceOfExamples(t *testing.T) {
	files, _ := filepath.Glob("../../../examples/*.yaml")
	if len(files) < 5 {
		t.Fatal("no examples")
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(file, src)
		if err != nil {
			t.Fatal(err)
		}
		seeded, err := s.Set("seed", "77")
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(file, seeded.Source())
		if err != nil {
			t.Fatalf("%s: %v\n%s", file, err, seeded.Source())
		}
		if back.Seed != 77 || !back.Equal(seeded) {
			t.Errorf("%s:\n%s", file, seeded.Source())
		}
		back.Seed = s.Seed
		if !back.Equal(s) {
			t.Errorf("%s: more than the seed has changed", file)
		}
	}
}
