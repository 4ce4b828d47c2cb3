package run

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/config/netconf/dialects"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/scenario/scenariotest"
	"railyard/internal/study/planted"
)

var rerunAll = flag.Bool("rerun-all", false, "rerun every example, lab and planted case, whatever it takes")

// mostRerun is how many packet-hops a scenario takes at most that is run twice without -rerun-all.
const mostRerun = 3_000

// The scenario in run.json is a file that passes check, and its run leaves the same bytes. Longer ones are planned
// only: what they resolve to is the same, and passes.
func TestTheScenarioOfARunRunsAgain(t *testing.T) {
	ran, texts := 0, whatRuns(t)
	t.Chdir(t.TempDir()) // where images that are drawn go
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if runsAgain(t, name, texts[name], *rerunAll) {
			ran++
		}
	}
	t.Logf("%d of %d scenarios were run twice", ran, len(texts))
	if ran < 100 {
		t.Errorf("%d of %d scenarios were run twice, want 100 at least", ran, len(texts))
	}
}

var rerunDrawn = flag.Uint64("rerun-drawn", 80, "how many drawn scenarios are rerun")

// The same of drawn scenarios: one in a few fields has any value that it accepts, and then one is changed as --set does.
func TestTheScenarioOfADrawnRunRunsAgain(t *testing.T) {
	ran, planned := uint64(0), uint64(0)
	drawn := rapid.Custom(fewFlows)
	for i := range *rerunDrawn {
		text := drawn.Example(int(i))
		in, err := passes(text)
		if err != nil { // values that suit no network of this size
			continue
		}
		planned++
		changed, err := in.Plan.Scenario.Set("output.sample", fmt.Sprintf("%dus", 2+i))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if runsAgain(t, fmt.Sprintf("drawn %d", i), string(changed.Source()), *rerunAll) {
			ran++
		}
	}
	t.Logf("of %d drawn scenarios %d were planned and %d run twice", *rerunDrawn, planned, ran)
	if 6*ran < *rerunDrawn {
		t.Errorf("of %d drawn scenarios %d were planned and %d run twice, want a sixth", *rerunDrawn, planned, ran)
	}
}

// fewFlows draws a scenario of four hosts and three small messages.
func fewFlows(t *rapid.T) string {
	values := scenariotest.Values(t, func(f *scenario.Field) bool {
		return !strings.HasPrefix(f.Path, "job.") && f.Word != "none" && rapid.IntRange(0, 9).Draw(t, "give "+f.Path) == 0
	})
	maps.Copy(values, map[string]string{
		"cluster.hosts": "4", "cluster.host.gpus": "1",
		"job.flows": "[{from: host1/gpu0, to: host4/gpu0, bytes: 40kB}, {from: host2/gpu0, to: host4/gpu0, bytes: 9kB}, " +
			"{from: host3/gpu0, to: host1/gpu0, bytes: 20kB, start: 1us}]",
	})
	lists := map[string][]string{
		"faults": {"[{link: rail1/host1, at: 1us, down: 3us}]",
			"[{link: rail1/host2, drop: 0.05, pfc: true}, {host: host3, at: 2us, pcie: 9Gb/s, for: 5us}]",
			"[{switch: rail1, at: 4us, for: 2us}]", "[{link: rail1/host4, storm: 20us, at: 1us, sender: host4}]"},
		"fabric.switches":    {"[{match: \"*\", buffer: 9MB, pfc: {alpha: 1/4}}]", "[{match: rail1, ecn: {enabled: false}, dscp: 20}]"},
		"fabric.links.named": {"[{link: rail1/host2, rate: 40Gb/s, length: 3m}]"},
		"background.flows":   {"[{from: host2/gpu0, to: host1/gpu0, bytes: 10kB, count: 3, every: 2us}]"},
		"cluster.slow":       {"[{rank: 1, factor: 1.5}]"},
		"capture.links":      {"[rail1/host1]"},
	}
	for _, path := range slices.Sorted(maps.Keys(lists)) {
		some := lists[path]
		if rapid.Bool().Draw(t, "give "+path) {
			values[path] = rapid.SampledFrom(some).Draw(t, path)
		}
	}
	return scenariotest.Accepted(values)
}

// runsAgain holds a scenario's resolved form against it, and reports whether it was run: see
// TestTheScenarioOfARunRunsAgain.
func runsAgain(t *testing.T, name, text string, whatever bool) bool {
	t.Helper()
	in, err := passes(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	resolved := string(in.Plan.Scenario.YAML())
	again, err := passes(resolved)
	if err != nil {
		t.Fatalf("%s: its resolved scenario:\n%v\n%s", name, err, resolved)
	}
	if got := string(again.Plan.Scenario.YAML()); got != resolved {
		t.Fatalf("%s:\n%s\nresolves to\n%s", name, resolved, got)
	}
	if again.Estimate.PacketHops > mostRerun && !whatever {
		return false
	}
	first, failed := tryRun(t, context.Background(), text, Options{})
	if first.Summary == nil {
		t.Fatalf("%s: %v", name, failed)
	}
	if first.Summary.ScenarioYAML != resolved {
		t.Errorf("%s: run.json has another scenario:\n%s\nwant\n%s", name, first.Summary.ScenarioYAML, resolved)
	}
	second, failedAgain := tryRun(t, context.Background(), resolved, Options{})
	if fmt.Sprint(failed) != fmt.Sprint(failedAgain) || digestOf(t, first.path) != digestOf(t, second.path) {
		t.Errorf("%s: the scenario of its run.json leaves other bytes: %v, then %v\n%s", name, failed, failedAgain, resolved)
	}
	return true
}

// passes is what check says of a scenario, or the first error in it.
func passes(text string) (*foresight.Inspection, error) {
	sc, err := scenario.Parse("test.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	in, err := Inspect(sc)
	if err != nil {
		return nil, err
	}
	for _, f := range in.Findings {
		if f.Severity == scenario.Error {
			return nil, fmt.Errorf("%s: %s", f.Path, f.Message)
		}
	}
	return in, nil
}

// whatRuns returns scenarios by name: the examples, short, those of labs, planted causes, and some that name what these
// do not.
func whatRuns(t *testing.T) map[string]string {
	all := map[string]string{}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"../../../examples/*.yaml", "../../../labs/*/scenario.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(b)
			if strings.Contains(file, "examples") {
				text = example(t, strings.TrimSuffix(filepath.Base(file), ".yaml"))
			}
			all[file] = rerunnable(strings.ReplaceAll(text, ": ../../../examples/", ": "+root+"/examples/"))
		}
	}
	cases, err := planted.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		all["planted "+c.Name], all["planted "+c.Name+", without"] = c.With, c.Without
	}
	maps.Copy(all, configuredEverywhere(t))
	all["a spine without links"] = "cluster: {hosts: 4, host: {gpus: 1}, nic: {shared_by: 1}}\nfabric: {spines_per_leaf: 1}\n" +
		"job: {flows: [{from: host1/gpu0, to: host4/gpu0, bytes: 4kB}]}\n"
	return all
}

// cuts make a scenario one that takes little: few images, few steps, small messages.
var cuts = []struct {
	long  *regexp.Regexp
	short string
}{
	{regexp.MustCompile(`train: \d+, test: \d+`), "train: 640, test: 100"},
	{regexp.MustCompile(`\b(steps|epochs): \d+`), "$1: 1"},
	{regexp.MustCompile(`bytes: (\d+)MB`), "bytes: ${1}kB"},
	{regexp.MustCompile(`count: 1000\b`), "count: 20"},
}

// rerunnable cuts a scenario, unless -rerun-all wants it whole.
func rerunnable(text string) string {
	if *rerunAll {
		return text
	}
	for _, c := range cuts {
		text = c.long.ReplaceAllString(text, c.short)
	}
	return text
}

// configuredEverywhere is a scenario with the configurations of its switches, in every dialect, hashing, and weighing
// links where the dialect has words for it.
func configuredEverywhere(t *testing.T) map[string]string {
	all := map[string]string{}
	for _, balance := range []string{"ecmp", "dlb"} {
		own := fmt.Sprintf(configured, "  balance: "+balance)
		own = strings.ReplaceAll(own, "300kB", "60kB")
		for _, dialect := range dialects.Names() {
			dir := writeConfigs(t, strings.ReplaceAll(own, "threshold: 80kB", "threshold: none"), dialect, nil)
			text := fmt.Sprintf(configured, "  config: "+dir)
			all["configured "+dialect+" "+balance] = strings.ReplaceAll(strings.ReplaceAll(text, "300kB", "60kB"),
				"threshold: 80kB", "threshold: none")
		}
	}
	return all
}
