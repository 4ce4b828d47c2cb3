package scenario_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/plan/scenario"
)

func TestSweepFile(t *testing.T) {
	s, err := scenario.ParseSweep("buffers.yaml", []byte(`base: incast.yaml
seeds: 1..3, 9
axes:
  - {key: fabric.spines, range: 2..16 log 4}
  - {key: fabric.balance, values: [ecmp, dlb]}
  - {key: fabric.dlb.mode, values: [flowlet, per-packet], when: fabric.balance = dlb or glb}
  - {key: job.train.layers, values: [[784, 10], [784, 32, 10]]}
where: ["fabric.spines*2 <= 16", fabric.spines > 1]
find: {smallest: fabric.switch.buffer, range: 100kB..1MB step 1kB, with: drops == 0}
`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "buffers" || s.Base.Value != "incast.yaml" || !slices.Equal(s.Seeds, []uint64{1, 2, 3, 9}) || len(s.Axes) != 4 {
		t.Errorf("%+v", s)
	}
	if got := s.Axes[0].Values; !slices.Equal(got, []string{"2", "4", "8", "16"}) {
		t.Errorf("spines %v", got)
	}
	if got := s.Axes[3].Values; !slices.Equal(got, []string{"[784, 10]", "[784, 32, 10]"}) {
		t.Errorf("layers %v", got)
	}
	if w := s.Axes[2].When.Value; w.Key != "fabric.balance" || !slices.Equal(w.Values, []string{"dlb", "glb"}) {
		t.Errorf("when %v", w)
	}
	if key, smallest := s.Find.Key(); key != "fabric.switch.buffer" || !smallest || s.Find.With.Is == nil || s.Find.Range.Step != 1000 {
		t.Errorf("find %+v", s.Find)
	}
}

func TestSweepInline(t *testing.T) {
	s, err := scenario.ParseSweep("r.yaml", []byte("seeds: 4\nscenario:\n  cluster: {hosts: 2}\n  job:\n    flows: "+
		"[{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Scenario.Cluster.Hosts != 2 || s.Base.Set {
		t.Errorf("%+v", s)
	}
	if next, err := s.Scenario.Set("cluster.hosts", "4"); err != nil || next.Cluster.Hosts != 4 {
		t.Errorf("%v", err)
	}
}

// All problems come at once, each with its place, those of a scenario within too.
func TestSweepProblems(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"seeds: 1..3", "r.yaml:1:1: base: missing, want the file of a scenario, or scenario: with its keys"},
		{"base: a.yaml", "r.yaml:1:1: axes: nothing is changed, want axes, seeds or find"},
		{"base: a.yaml\nseeds: 3..1", `r.yaml:2:8: seeds: "3..1": 1 is before 3, want 1..3`},
		{"base: a.yaml\naxes:\n  - {key: fabric.spins, values: [2]}\n  - {key: fabric.leaves}\n" +
			"find: {largest: seed, range: 1..9, with: drops = }",
			"r.yaml:3:11: axes[0].key: fabric.spins: a scenario has no such key; did you mean fabric.spines?\n" +
				"r.yaml:4:5: axes[1]: want one of values and range; values: [1MB, 2MB] or range: 1MB..4MB step 1MB\n" +
				"r.yaml:5:49: find.with: the end of the statement: want a number, a name or a bracket here"},
		{"base: a.yaml\nscenario: {cluster: {hosts: 2}}\nseeds: 1",
			"r.yaml:1:1: scenario.job: missing, want train: (a network to train), model: (a large model's shape), replay: (durations " +
				"and bytes of a training), collectives: (collectives to time) or flows: (messages to send)\n" +
				"r.yaml:1:7: base: base and scenario, want one of them"},
		{"scenario: {cluster: {hosts: two}, job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}}\nseeds: 1",
			"r.yaml:1:29: scenario.cluster.hosts: two: want a whole number such as 8"},
		{"base: a.yaml\naxes: [{key: seed, values: [1, 1]}, {key: fabric.balance, range: 1us..2us}]",
			"r.yaml:2:32: axes[0].values: entry 2: 1: twice, want each value once\n" +
				"r.yaml:2:66: axes[1].range: 1us..2us: how many values: want a number of them behind the range, or step and how far " +
				"apart they are"},
		{"base: a.yaml\nseeds: 1\nwhere: [fabric.spines, 1 < 2 <]\nsample: {points: 4}",
			"r.yaml:3:22: where[0]: the end of the statement: want < > <= >= = or != here\n" +
				"r.yaml:3:30: where[1]: <: the condition ends before this; join two with and, or\n" +
				"r.yaml:4:1: sample: there are no axes to draw points of; want axes"},
		{"base: a.yaml\naxes: [{key: fabric.dlb.mode, values: [eligible], when: fabric.balance = dlb}, " +
			"{key: fabric.balance, values: [dlb]}]",
			"r.yaml:2:57: axes[0].when: fabric.balance is an axis that comes later; put that axis before this one"},
		{"base: a.yaml\nmaximise: {largest: mfu, smallest: drops, points: 4, with: drops == }",
			"r.yaml:1:1: axes: 0 beside maximise, want 1 to 8\n" +
				"r.yaml:2:1: maximise: want one of largest and smallest; largest: tokens_per_s\n" +
				"r.yaml:2:68: maximise.with: the end of the statement: want a number, a name or a bracket here"},
		{"base: a.yaml\nseeds: 1\naxes: [{key: fabric.spines, range: 1..9}]\nsample: {points: 3}\n" +
			"find: {smallest: fabric.leaves, range: 1..9, with: drops == 0}\nmaximise: {points: 201, over: median}",
			"r.yaml:5:1: find: want no sample beside it: a value is looked for with each combination of the axes\n" +
				"r.yaml:6:1: maximise: find, too: want one of them\n" +
				"r.yaml:6:1: maximise: want no sample beside it: it chooses points itself, maximise.points of them\n" +
				"r.yaml:6:1: maximise: want one of largest and smallest; largest: tokens_per_s\n" +
				"r.yaml:6:20: maximise.points: 201: too large, want 2 to 200\n" +
				"r.yaml:6:31: maximise.over: median: unknown, want mean or worst; did you mean mean?"},
		{"cluster: {hosts: 2}\njob: {}", "r.yaml:1:1: the keys of a scenario, want those of a sweep; railyard run --set " +
			"KEY=VALUE,VALUE runs variants of a scenario"},
	} {
		_, err := scenario.ParseSweep("r.yaml", []byte(c.src))
		var ps located.Problems
		if !errors.As(err, &ps) {
			t.Errorf("%s\nno problems: %v", c.src, err)
			continue
		}
		var got []string
		for _, p := range ps {
			got = append(got, p.String())
		}
		text := strings.Join(got, "\n")
		if !strings.HasPrefix(text, c.want) {
			t.Errorf("%s\n got %s\nwant %s", c.src, text, c.want)
		}
	}
}

// A sweep that is given as a scenario is told.
func TestSweepIsNoScenario(t *testing.T) {
	_, err := scenario.Parse("r.yaml", []byte("base: a.yaml\naxes: [{key: seed, values: [1, 2]}]\nseeds: 1"))
	if err == nil || !strings.Contains(err.Error(), "railyard sweep reads sweeps") {
		t.Error(err)
	}
}

func FuzzSweep(f *testing.F) {
	f.Add([]byte("base: a.yaml\nseeds: 1..4\naxes: [{key: fabric.spines, range: 2..16 log 4, when: fabric.balance = dlb}]\n" +
		"where: [\"1 < 2\"]"))
	f.Add([]byte("scenario: {cluster: {hosts: 2}, job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}}\nsample: {points: 3}"))
	f.Add([]byte("base: b\nfind: {largest: seed, range: 1..9, with: drops == 0}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := scenario.ParseSweep("r.yaml", src)
		if (s == nil) == (err == nil) {
			t.Fatal("neither a sweep nor a problem")
		}
		var ps located.Problems
		if err != nil && (!errors.As(err, &ps) || len(ps) == 0) {
			t.Fatalf("no problems: %v", err)
		}
	})
}
