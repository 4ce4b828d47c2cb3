package whatif

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/learn/dataset"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
)

// began runs a scenario into a directory and opens it.
func began(t *testing.T, src string) *result.Run {
	t.Helper()
	return beganAndEnded(t, src, result.Complete)
}

// beganAndEnded does so with a run that ends in a state.
func beganAndEnded(t *testing.T, src string, state result.State) *result.Run {
	t.Helper()
	sc, err := scenario.Parse("job.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := result.Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := run.Run(context.Background(), sc, run.Options{Dir: dir})
	if sum == nil || sum.State != state {
		t.Fatal(err)
	}
	if err := dir.Finish(sum); err != nil {
		t.Fatal(err)
	}
	r, err := result.Open(dir.Path())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ask(t *testing.T, r *result.Run, opt Options) *Result {
	t.Helper()
	found, err := Run(context.Background(), r, opt)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// change finds a change by its words.
func (r *Result) change(name string) *result.WhatIfChange {
	for i := range r.Changes {
		if r.Changes[i].Name == name {
			return &r.Changes[i]
		}
	}
	return &result.WhatIfChange{Name: "no change " + name}
}

func (r *Result) names() (all []string) {
	for _, c := range r.Changes {
		all = append(all, c.Name)
	}
	return all
}

const neighbours = `
cluster: {hosts: 5, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
congestion: {algorithm: none}
job: {flows: [{name: mine, from: host1/nic0, to: host4/nic0, bytes: 2MB}]}
background:
  flows:
    - {name: burst-1, from: host2/nic0, to: host4/nic0, bytes: 1MB}
    - {name: burst-2, from: host3/nic0, to: host4/nic0, bytes: 1MB}
    - {name: elsewhere, from: host2/nic0, to: host5/nic0, bytes: 1kB}
`

// What each change saves is the difference to a run of that scenario; blame is not additive.
func TestSavingsAreDifferencesOfRuns(t *testing.T) {
	r := began(t, neighbours)
	found := ask(t, r, Options{})
	sc, err := Scenario(r)
	if err != nil {
		t.Fatal(err)
	}
	if found.Measure != result.MeasureFCT || found.Time != r.Summary.Flows[0].Took() || len(found.Changes) < 5 {
		t.Fatalf("%s %v, %q", found.Measure, found.Time, found.names())
	}
	for _, c := range found.Changes {
		var changes []scenario.Change
		for _, v := range c.Set {
			changes = append(changes, scenario.Change{Path: v.Path, Text: v.Value, Remove: v.Gone})
		}
		other, err := sc.With(changes...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := run.Run(context.Background(), other, run.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := found.Time - s.Flows[0].Took(); c.Saves == nil || *c.Saves != got {
			t.Errorf("%s saves %v, a run says %v", c.Name, c.Saves, got)
		}
	}
	one, two, all := found.change("without burst-1"), found.change("without burst-2"),
		found.change("without the 2 background flows on the job's ports")
	if one.Saves == nil || two.Saves == nil || all.Saves == nil || *one.Saves <= 0 || *all.Saves <= *one.Saves ||
		*all.Saves <= *two.Saves {
		t.Errorf("%+v\n%+v\n%+v", one, two, all)
	}
	if *found.Whole < *all.Saves || found.Parts < *one.Saves+*two.Saves || found.Best().Kind == Ideal {
		t.Errorf("whole %v, parts %v, best %+v", *found.Whole, found.Parts, found.Best())
	}
	if !slices.IsSortedFunc(found.Changes, func(a, b result.WhatIfChange) int { return int(*b.Saves - *a.Saves) }) {
		t.Errorf("not by saving: %q", found.names())
	}
}

// Only what applies is run: no flow that shares no port, no PFC without pauses, no window, no fault, no congestion control. These
// messages are so small that switches and NICs take a tenth each; cables do not.
func TestOnlyChangesThatApply(t *testing.T) {
	quiet := strings.Replace(neighbours, "bytes: 2MB", "bytes: 20kB", 1)
	quiet = strings.ReplaceAll(quiet, "bytes: 1MB", "bytes: 10kB")
	got := ask(t, began(t, quiet), Options{}).names()
	slices.Sort(got)
	want := []string{"with HPCC", "with NICs without latency", "with host1/rail1 at 1Tb/s", "with infinitely fast links",
		"with rail1/host4 at 1Tb/s", "with switches without latency", "without burst-1", "without burst-2",
		"without the 2 background flows on the job's ports"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// The kinds of planted cause: taking it away saves what the same scenario without it shows, to the
// picosecond.
func TestPlanted(t *testing.T) {
	const job = `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch%s}
%s
job: {flows: [{from: host1/nic0, to: host4/nic0, bytes: 2MB}, {from: host2/nic0, to: host4/nic0, bytes: 2MB},
  {from: host3/nic0, to: host4/nic0, bytes: 2MB}]}
`
	clean := func(fabric, rest string) string { return fmt.Sprintf(job, fabric, rest) }
	const none = "congestion: {algorithm: none}"
	for _, c := range []struct {
		name, fabric, rest string // with the cause
		fabric0, rest0     string // without
	}{
		{"with host4/rail1 as the other links, both directions", ", links: {named: [{link: host4/rail1, rate: 10Gb/s}]}", none, "",
			none},
		{"without PFC", ", switch: {buffer: 2MB}", none, ", switch: {buffer: 2MB}, qos: {pfc: {enabled: false}}",
			none},
		{"without PFC", ", switch: {buffer: 2MB}, qos: {pfc: {enabled: false}}, switches: [{match: rail1, pfc: {enabled: true}}]",
			none, ", switch: {buffer: 2MB}, qos: {pfc: {enabled: false}}", none},
		{"with buffers that are never full", ", qos: {pfc: {enabled: false}}, switches: [{match: rail1, buffer: 200kB}]", none,
			", switch: {buffer: 1TB}, qos: {pfc: {enabled: false}}", none},
		{"without congestion control", "", "", "", "congestion: {algorithm: none, notify: none}"},
		{"with an infinite window", "", none + "\ntransport: {window: 8kB}", "",
			none + "\ntransport: {window: none}"},
		{"without faults[0], of host1/rail1", "", none + "\nfaults: [{link: host1/rail1, at: 10us, down: 20us}]", "",
			none},
		{"with buffers that are never full", ", switch: {buffer: 200kB}, qos: {pfc: {enabled: false}}", none,
			", switch: {buffer: 1TB}, qos: {pfc: {enabled: false}}", none},
	} {
		with, without := began(t, clean(c.fabric, c.rest)), began(t, clean(c.fabric0, c.rest0))
		before, _, _ := sweep.FlowTimes(with.Summary, nil)
		after, _, _ := sweep.FlowTimes(without.Summary, nil)
		found := ask(t, with, Options{})
		got := found.change(c.name)
		if got.Saves == nil || *got.Saves != before-after || *got.Time != after || before == after {
			t.Errorf("%s: %v saved, want %v - %v\n%q", c.name, got.Saves, before, after, found.names())
			continue
		}
		if got.Attributed == nil {
			t.Errorf("%s: nothing is said of what was attributed", c.name)
		}
	}
}

// The port that is ten times as fast is the busiest on the job's way: what it sends alone, in an entry that comes on top of the
// scenario's for its link.
func TestFasterPort(t *testing.T) {
	const slow = `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch, links: {named: [{link: rail1/host2, rate: 10Gb/s}]}}
congestion: {algorithm: none}
job: {flows: [{from: host1/nic0, to: host2/nic0, bytes: 2MB}]}
`
	got := ask(t, began(t, slow), Options{}).change("with rail1/host2 at 100Gb/s")
	if len(got.Set) != 1 || got.Set[0] != (result.WhatIfValue{Path: "fabric.links.named[1]",
		Value: `{link: "rail1/host2", rate: 100Gb/s, sender: rail1}`}) || *got.Part < 0.8 {
		t.Errorf("%+v", got)
	}
}

// What check knows against a mistake in the thresholds is run as it says.
func TestCures(t *testing.T) {
	const early = `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch, switch: {buffer: 4MB}, qos: {pfc: {threshold: 50kB, resume_offset: 3kB}}}
job: {flows: [{from: host1/nic0, to: host4/nic0, bytes: 2MB}, {from: host2/nic0, to: host4/nic0, bytes: 2MB}]}
`
	r := began(t, early)
	if len(r.Summary.Mistakes) == 0 || len(r.Summary.Mistakes[0].Cures) == 0 {
		t.Fatalf("%+v", r.Summary.Mistakes)
	}
	m := r.Summary.Mistakes[0]
	found := ask(t, r, Options{})
	i := slices.IndexFunc(found.Changes, func(c result.WhatIfChange) bool {
		return c.Kind == Cure && c.Subject[0] == m.Path
	})
	if i < 0 {
		t.Fatalf("%q", found.names())
	}
	c := found.Changes[i]
	if c.Reason != m.Reason || c.Saves == nil || len(c.Set) != len(m.Cures) || c.Set[0].Path != m.Cures[0].Path ||
		c.Set[0].Value != m.Cures[0].Value {
		t.Errorf("%+v\nis not %+v", c, m)
	}
}

// A training: steps are compared, and what was not trained for long enough says over how many.
func TestTraining(t *testing.T) {
	data := filepath.Join(t.TempDir(), "digits")
	if err := (dataset.Drawn{Dir: data, Train: 400, Test: 100, Seed: 1}).Ensure(context.Background(),
		nil); err != nil {
		t.Fatal(err)
	}
	src := fmt.Sprintf(`
cluster: {hosts: 3, host: {gpus: 2}, slow: [{rank: 1, factor: 3}]}
job: {train: {layers: [784, 16, 10], data: %q, batch: 2, epochs: 6, steps: 290, lr: 0.1}, parallel: {dp: 4}}
background: {flows: [{from: host3/gpu0, to: host2/gpu0, bytes: 100kB, every: 100us, count: 1000}]}
output: {operations: false, queues: false}
`, data)
	r := began(t, src)
	found := ask(t, r, Options{})
	if found.Measure != result.MeasureStep || found.Steps != enoughSteps || found.StepsOfRun != 290 {
		t.Errorf("%d of %d steps, %s", found.Steps, found.StepsOfRun, found.Measure)
	}
	for _, name := range []string{"with rank 1 as the other ranks", "with launches that take no time",
		"without background1", "with infinitely fast links"} {
		if c := found.change(name); c.Saves == nil || *c.Saves <= 0 || c.Median == 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	full := ask(t, r, Options{Full: true})
	if want := (unit.Duration(r.Summary.VirtualTime) - r.Summary.Start.Time) / 290; full.Steps != 290 || full.Time != want {
		t.Errorf("all %d steps: %v, want %v", full.Steps, full.Time, want)
	}
	if err := os.Rename(data, data+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), r, Options{}); err == nil ||
		!strings.Contains(err.Error(), "the data of the run are not there") {
		t.Errorf("without images: %v", err)
	}
	if err := (dataset.Drawn{Dir: data, Train: 400, Test: 100, Seed: 2}).Ensure(context.Background(),
		nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), r, Options{}); err == nil ||
		!strings.Contains(err.Error(), "job.train.data: what it names has changed since the run") {
		t.Errorf("with other images: %v", err)
	}
}

// The run's own copies are read, whatever became of the files that the scenario names; changed or
// missing copies are refused.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	topology := filepath.Join(dir, "mine.txt")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const text = "host host1\nhost host2\nswitch sw leaf\nlink host1 sw 100Gb/s 20m\nlink host2 sw 100Gb/s 20m\n"
	write(topology, text)
	r := began(t, fmt.Sprintf(`
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: custom, topology: %q}
congestion: {algorithm: none}
job: {flows: [{from: host1/nic0, to: host2/nic0, bytes: 1MB}]}
`, topology))
	if err := os.Remove(topology); err != nil {
		t.Fatal(err)
	}
	if found := ask(t, r, Options{}); found.Time != r.Summary.Flows[0].Took() {
		t.Errorf("%v, was %v", found.Time, r.Summary.Flows[0].Took())
	}
	kept, source := r.InputPath(result.TopologyInput), r.InputPath(result.ScenarioInput)
	original, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, text, want string }{
		{kept, strings.ReplaceAll(text, "20m", "30m"), "fabric.topology: what it names has changed since the run"},
		{source, strings.Replace(string(original), "1MB", "2MB", 1), "it is not the scenario of this run"},
		{source, "cluster: {", "not YAML"},
		{source, "", "has no inputs/scenario.yaml"},
		{kept, "", "a file that the run read is missing"},
	} {
		before, _ := os.ReadFile(c.path)
		if write(c.path, c.text); c.text == "" {
			os.Remove(c.path)
		}
		if _, err := Run(context.Background(), r, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
		write(c.path, string(before))
	}
}

// What was found is written and read back; another version is refused, and so is damage.
func TestWhatIfFile(t *testing.T) {
	r := began(t, neighbours)
	if w, err := r.WhatIf(); w != nil || err != nil {
		t.Errorf("before: %v, %v", w, err)
	}
	cut := func(path, value string) Cut {
		return Cut{Kind: Set, Name: "with " + value, Changes: []scenario.Change{{Path: path, Text: value}}}
	}
	found := ask(t, r, Options{Extra: []Cut{cut("fabric.switch.latency", "5us")}})
	if c := found.change("with 5us"); c.Saves == nil || *c.Saves >= 0 || single(c.Kind) {
		t.Errorf("a slower switch: %+v", c)
	}
	folder, err := output.Open(r.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := r.WriteWhatIf(folder, found.WhatIf); err != nil {
		t.Fatal(err)
	}
	back, err := r.WhatIf()
	if err != nil || len(back.Changes) != len(found.Changes) || *back.Best().Saves != *found.Best().Saves ||
		back.State != result.Complete {
		t.Fatalf("%+v, %v", back, err)
	}
	path := filepath.Join(r.Path, "whatif.json")
	b, _ := os.ReadFile(path)
	for text, want := range map[string]string{strings.Replace(string(b), `"format_version": 1`, `"format_version": 9`,
		1): "format version 9", "{": "damaged"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := r.WhatIf(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Run(context.Background(), r, Options{Extra: []Cut{cut("fabric.spins", "4")}}); err == nil ||
		!strings.Contains(err.Error(), "--set fabric.spins: unknown key") {
		t.Errorf("a key that is none: %v", err)
	}
}

// Stopped half-way, what is done is told.
func TestInterrupted(t *testing.T) {
	r := began(t, neighbours)
	ctx, cancel := context.WithCancel(context.Background())
	found, err := Run(ctx, r, Options{Limits: sweep.Limits{Workers: 1}, Progress: func(p sweep.Progress) {
		if p.Phase == "runs" && p.Done == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || found == nil || found.State != result.Interrupted ||
		len(found.Changes) < 2 || len(found.Changes) > 4 {
		t.Fatalf("%v, %+v", err, found)
	}
	cancel()
	if found, err := Run(ctx, r, Options{}); found != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("stopped at once: %v, %v", found, err)
	}
}

// The text fits 80 columns and holds every change.
func TestText(t *testing.T) {
	found := ask(t, began(t, neighbours), Options{Extra: []Cut{{Kind: Set,
		Name:    "with fabric.qos.pfc.enabled=" + strings.Repeat("very ", 12) + strings.Repeat("long", 30),
		Changes: []scenario.Change{{Path: "fabric.qos.pfc.enabled", Text: "false"}}}}})
	found.Changes = append(found.Changes, result.WhatIfChange{Name: "without all",
		Why: strings.Repeat("it did not come to its end ", 5)})
	found.Omitted = 3
	var b bytes.Buffer
	if err := found.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"without burst-1", "infinitely fast links\nwould save", "blame does not add up",
		"3 flows more", "it did not come to its end"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// What is asked about a job that is aborted for good: what brings it to its end.
func TestWhatBringsAnAbortedJobToItsEnd(t *testing.T) {
	r := beganAndEnded(t, dying, result.Failed)
	found := ask(t, r, Options{})
	if found.Measure != result.MeasureJob || !strings.HasPrefix(found.Ended, "the job is aborted at ") ||
		!strings.Contains(found.Ended, "of 20 steps: retries exceeded at host1/rail1") {
		t.Errorf("%s: %q", found.Measure, found.Ended)
	}
	for _, c := range []struct {
		name   string
		brings bool
	}{
		{"without faults[0], of host2", true},
		{"with a timeout of 80us", true},
		{"with checkpoints after each 2 steps, started again at once", true},
		{"started again at once, from the beginning", true},
		{"with a spare host, started again at once", true},
		{"with 7 retries, the most that verbs allow", true},
		{"without congestion control", false},
	} {
		x := found.change(c.name)
		if (x.Brings != "") != c.brings || (x.Time != nil) != c.brings || x.Saves != nil || (x.Why != "") == c.brings {
			t.Errorf("%s: time %v, saves %v, brings %q, why %q", x.Name, x.Time, x.Saves, x.Brings, x.Why)
		}
	}
	without := found.change("without faults[0], of host2")
	if without.Attributed == nil || *without.Attributed != found.Time {
		t.Errorf("attributed %v, want all of %v", without.Attributed, found.Time)
	}
	if b := found.change("with checkpoints after each 2 steps, started again at once"); *b.Time <= *without.Time {
		t.Errorf("with checkpoints it takes %v, without the fault %v", *b.Time, *without.Time)
	}
	var text bytes.Buffer
	if err := found.WriteText(&text); err != nil || !strings.Contains(text.String(),
		"all 20 steps, of which the run as it is ended 8") {
		t.Errorf("%v:\n%s", err, text.String())
	}
}

// What an abort cost that a job lived through is what the run without the fault saves; of what checkpoints cost likewise.
func TestWhatAnAbortCost(t *testing.T) {
	r := beganAndEnded(t, dying+"  checkpoint: {steps: 4, storage: 50GB/s}\n  restart: 100us\n", result.Complete)
	found := ask(t, r, Options{})
	if found.Measure != result.MeasureJob || found.Ended != "" || found.Time <= 0 {
		t.Fatalf("%s of %v: %q", found.Measure, found.Time, found.Ended)
	}
	c := found.change("without faults[0], of host2")
	if c.Attributed == nil || c.Saves == nil || *c.Attributed*10 < *c.Saves*9 || *c.Attributed*10 > *c.Saves*11 {
		t.Errorf("%s: attributed %v, saves %v", c.Name, c.Attributed, c.Saves)
	}
	often, seldom := found.change("with checkpoints twice as often, after each 2 steps"), found.change("without checkpoints")
	if often.Time == nil || seldom.Time == nil || *seldom.Saves >= 0 {
		t.Errorf("twice as often saves %v, none %v", often.Saves, seldom.Saves)
	}
}

// Of several jobs the one is compared that was aborted, wherever it stands in the list, or the one that is asked for.
func TestOfSeveralJobsTheAbortedOneIsCompared(t *testing.T) {
	r := beganAndEnded(t, threeJobs, result.Failed)
	found := ask(t, r, Options{})
	if found.Job != "job2" || found.Measure != result.MeasureJob ||
		!strings.Contains(found.Ended, "after 10 of 20 steps: retries exceeded") {
		t.Errorf("%s, %s: %q", found.Job, found.Measure, found.Ended)
	}
	for name, brings := range map[string]bool{
		"without faults[0], of host2":                                true,
		"started again at once, from the beginning":                  true,
		"with checkpoints after each 2 steps, started again at once": true,
		"without job job1":                                           false,
		"without job last":                                           false,
	} {
		if x := found.change(name); (x.Brings != "") != brings || (x.Why != "") == brings {
			t.Errorf("%s: brings %q, why %q", x.Name, x.Brings, x.Why)
		}
	}
	if alone := found.change("without job job1"); !strings.HasPrefix(alone.Why, "the job is aborted at ") {
		t.Errorf("without a job before it: %q", alone.Why)
	}
	var text bytes.Buffer
	if err := found.WriteText(&text); err != nil || !strings.HasPrefix(text.String(), "job, job job2: the job is aborted at ") {
		t.Errorf("%v:\n%s", err, text.String())
	}
	well := ask(t, r, Options{Job: "job1"})
	if well.Job != "job1" || well.Measure != result.MeasureStep || well.Steps != 5 || well.Time <= 0 || well.Ended != "" {
		t.Errorf("%s, %s of %d steps: %v %q", well.Job, well.Measure, well.Steps, well.Time, well.Ended)
	}
	if x := well.change("without job job2"); x.Saves == nil || *x.Saves != 0 {
		t.Errorf("without the aborted job, which shares no port: saves %v, why %q", x.Saves, x.Why)
	}
	_, err := Run(context.Background(), r, Options{Job: "job9"})
	if err == nil || err.Error() != `no job "job9", want one of: job1, job2, last` {
		t.Error(err)
	}
}

// threeJobs are jobs of which the second is aborted.
const threeJobs = `
cluster: {hosts: 6, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
transport: {timeout: 20us, retries: 2}
faults: [{host: host2, at: 400us, down: 150us}]
jobs:
  - {hosts: [host3, host4], replay: {buckets: [{bytes: 100kB, compute: 10us}], forward: 10us, steps: 5}}
  - {hosts: [host1, host2], replay: {buckets: [{bytes: 100kB, compute: 10us}], forward: 10us, steps: 20}}
  - {hosts: [host5, host6], name: last, replay: {buckets: [{bytes: 100kB, compute: 10us}], forward: 10us, steps: 5}}
`

// dying is a replay one of whose hosts is down for longer than queue pairs try.
const dying = `
cluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
transport: {timeout: 20us, retries: 2}
faults: [{host: host2, at: 400us, down: 150us}]
job:
  replay: {buckets: [{bytes: 100kB, compute: 10us}], forward: 10us, steps: 20}
`
