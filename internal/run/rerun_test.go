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

	"railyard/internal/netconf/dialects"
	"railyard/internal/planted"
	"railyard/internal/result"
	"railyard/internal/scenario"
)

var rerunAll = flag.Bool("rerun-all", false, "rerun every example, lab and planted case, whatever it takes")

// mostRerun is how many packet-hops a scenario takes at most that is run twice without -rerun-all.
const mostRerun = 15_000

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
	if ran < 40 {
		t.Errorf("%d of %d scenarios were run twice, want 40 at least", ran, len(texts))
	}
}

// runsAgain holds a scenario's resolved form against it, and reports whether it was run: see
// TestTheScenarioOfARunRunsAgain.
func runsAgain(t *testing.T, name, text string, whatever bool) bool {
	t.Helper()
	p, err := NewPlan(read(t, text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	resolved := string(p.Scenario.YAML())
	again, err := scenario.Parse("again.yaml", []byte(resolved))
	if err != nil {
		t.Fatalf("%s: its resolved scenario:\n%v\n%s", name, err, resolved)
	}
	q, err := NewPlan(again)
	if err != nil {
		t.Fatalf("%s: its resolved scenario:\n%v\n%s", name, err, resolved)
	}
	if got := string(q.Scenario.YAML()); got != resolved {
		t.Fatalf("%s:\n%s\nresolves to\n%s", name, resolved, got)
	}
	f, err := NewForecast(context.Background(), again, nil, func(result.Progress) {})
	if err != nil {
		t.Fatalf("%s: its resolved scenario: %v", name, err)
	}
	if f.PacketHops > mostRerun && !whatever {
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

// whatRuns returns scenarios by name: the examples, short, those of labs, planted causes, and some that name what these
// do not.
func whatRuns(t *testing.T) map[string]string {
	all := map[string]string{}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"../../examples/*.yaml", "../../labs/*/scenario.yaml"} {
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
			all[file] = rerunnable(strings.ReplaceAll(text, ": ../../examples/", ": "+root+"/examples/"))
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
