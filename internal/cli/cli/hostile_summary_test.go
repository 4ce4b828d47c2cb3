package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/headline"
	"railyard/internal/out/noun"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
)

// A training with an abort, checkpoints and a slow rank: its run.json has a lifetime, and blames with ranks.
const hostileLives = `
name: lives
cluster: {hosts: 3, host: {gpus: 2}, nic: {speed: 100Gb/s}, slow: [{rank: 1, factor: 3}]}
fabric: {design: single-switch}
transport: {timeout: 100us, retries: 2}
job:
  train: {layers: [784, 16, 10], lr: 0.1, data: {digits: {train: 512, test: 64}}, batch: 8, steps: 30}
  checkpoint: {steps: 10, storage: 1GB/s}
  restart: 2ms
  spares: 1
faults: [{host: host2, at: 1500us, down: 1h}]
`

// Each place of a run.json, and of whatif.json beside it, in turn says what it cannot: then it is refused, or all that is
// said of a run is said without a panic.
func TestEachPlaceOfRunJSONMayLie(t *testing.T) {
	for _, dir := range runsFrom(t, map[string]string{"flows": hostileFlows, "lives": hostileLives}) {
		for _, name := range []string{"run.json", "whatif.json"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			var tree any
			if err := json.Unmarshal(text, &tree); err != nil {
				t.Fatal(err)
			}
			mutants := 0
			everyPlace(tree, "", func(at string) {
				mutants++
				b, err := json.Marshal(tree)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
					t.Fatal(err)
				}
				sayAll(t, at, dir)
			})
			if mutants < 500 && name == "run.json" {
				t.Errorf("%s: %d mutants: is that all of %s?", filepath.Base(dir), mutants, name)
			}
			t.Logf("%s of %s: %d mutants", name, filepath.Base(dir), mutants)
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// lies are what is put in the place of a value. A list also has its first entry twice, and a value may be gone.
var lies = []any{nil, -1.0, 7.0, "\u2028</script>", []any{}}

// everyPlace changes each value of a tree in turn to each lie, calls f, and changes it back. Of lists the first entry is
// changed.
func everyPlace(v any, at string, f func(at string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k == "scenario" || k == "scenario_yaml" {
				continue
			}
			was := v[k]
			for i, lie := range lies {
				v[k] = lie
				f(fmt.Sprintf("%s.%s, lie %d", at, k, i))
			}
			if list, is := was.([]any); is && len(list) > 0 {
				v[k] = append(slices.Clone(list), list...)
				f(at + "." + k + " twice")
			}
			delete(v, k)
			f(at + "." + k + " gone")
			v[k] = was
			everyPlace(was, at+"."+k, f)
		}
	case []any:
		for i := range v[:min(len(v), 1)] {
			was := v[i]
			for n, lie := range lies {
				v[i] = lie
				f(fmt.Sprintf("%s[%d], lie %d", at, i, n))
			}
			v[i] = was
			everyPlace(was, fmt.Sprintf("%s[%d]", at, i), f)
		}
	}
}

// sayAll says of a run all that needs no table.
func sayAll(t *testing.T, at, dir string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: %v\n%s", at, p, debug.Stack())
		}
	}()
	run, err := result.OpenIncomplete(dir)
	if err != nil {
		return
	}
	d := report.OfSummary(run.Summary)
	d.WhatIf, _ = run.WhatIf()
	sentence, bullets := report.Answer(d)
	report.Findings(d)
	headline.Of(run.Summary)
	c := report.Compare([]*report.Data{d, d})
	for _, s := range append(bullets, sentence, c.Answer) {
		if strings.ContainsAny(s, "\u2028\x1b\x00") {
			t.Errorf("%s: %q", at, s)
		}
	}
}

// A diagnosis that has a blame of each kind, and findings of each noun, which say nothing else: nothing that is said of it
// leans on what a run writes beside that.
func TestBareFindings(t *testing.T) {
	dir := t.TempDir()
	bare := func(kind diagnose.Kind, n noun.Noun) {
		for _, body := range []string{
			`{"subject":"a step","whole_ps":10,"blames":[{"kind":%q,"time_ps":9}],"findings":[{"noun":%q,"blames":[0]}]}`,
			`{"whole_ps":10,"blames":[{"kind":%q,"time_ps":9}],"findings":[{"noun":%q,"blames":[1]}]}`,
			`{"blames":[],"findings":[{"noun":"%[2]s","by":"%[1]s","blames":[0]}]}`,
			`{"blames":[{"kind":%q,"rank":3,"time_ps":9}],"findings":[{"noun":%q,"time_ps":5,"share":1,"blames":[]},{"noun":%[2]q}]}`,
		} {
			text := fmt.Sprintf(body, kind, n)
			for _, key := range []string{"diagnosis", "lifetime"} {
				writeRun(t, dir, fmt.Sprintf("%q:%s", key, text))
				sayAll(t, text, dir)
			}
		}
	}
	for _, kind := range kinds {
		bare(kind, noun.LinkDown)
	}
	for _, n := range nouns {
		bare(diagnose.SharedPort, n)
	}
	for _, c := range []struct{ text, want string }{
		{`{"blames":[{"kind":"compute","time_ps":9}],"findings":[{"noun":"incast","blames":[1]}]}`,
			"diagnosis.findings[0].blames[0] is 1, want 0 to 0"},
		{`{"blames":[],"findings":[{"noun":"incast","blames":[0]}]}`,
			"diagnosis.findings[0].blames[0] is 0, and there are no blames"},
		{`{"blames":[{"kind":"slow rank","time_ps":9}]}`, `diagnosis.blames[0] is "slow rank" and has no rank`},
	} {
		writeRun(t, dir, `"diagnosis":`+c.text)
		if code, out := railyard("explain", dir); code == call.OK || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d: %s, want %q", c.text, code, out, c.want)
		}
	}
}

// writeRun writes a run.json that has a key, and nothing else.
func writeRun(t *testing.T, dir, key string) {
	t.Helper()
	whole := fmt.Sprintf(`{"state":"complete","format_version":%d,%s}`, result.FormatVersion, key)
	if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(whole), 0o666); err != nil {
		t.Fatal(err)
	}
}

var kinds = []diagnose.Kind{"", "no such kind", diagnose.SharedPort, diagnose.UnevenChoice, diagnose.SlowPort,
	diagnose.LossyLink, diagnose.FullBuffer, diagnose.DropThreshold, diagnose.Watchdog, diagnose.NoRoute,
	diagnose.Reordering, diagnose.NoRoom, diagnose.Timeouts, diagnose.Pauses, diagnose.Deadlock, diagnose.Storm,
	diagnose.Receiver, diagnose.Controller, diagnose.Window, diagnose.SlowRank, diagnose.Launch, diagnose.Compute,
	diagnose.NVLink, diagnose.PCIe, diagnose.NIC, diagnose.Dependency, diagnose.Answer, diagnose.LinkSpeed,
	diagnose.Cable, diagnose.SwitchDelay, diagnose.RetryExceeded, diagnose.JobWatchdog, diagnose.Broken,
	diagnose.Checkpoints, diagnose.Steps}

var nouns = []noun.Noun{"", "no such noun", noun.ECMPCollision, noun.Polarisation, noun.UnevenSpraying,
	noun.Incast, noun.Oversubscription, noun.SharedLink, noun.SlowLink, noun.LossyLink, noun.LinkDown,
	noun.BlackHole, noun.WrongClass, noun.WrongThreshold, noun.SmallBuffer, noun.HOLVictim, noun.PFCStorm,
	noun.PFCDeadlock, noun.PFCWatchdog, noun.SlowReceiver, noun.Timeout, noun.Reordering, noun.ControllerUnderRun,
	noun.SmallWindow, noun.PCIeShared, noun.NICShared, noun.AnotherJob, noun.Straggler, noun.Bubble,
	noun.UnevenStages, noun.UnevenRouting, noun.LaunchBound, noun.ComputeBound, noun.LinkBound, noun.LatencyBound,
	noun.NVLinkBound, noun.PCIeBound, noun.HostBound, noun.WrongAlgorithm, noun.WrongProtocol, noun.WrongOrder,
	noun.Abort, noun.Hang, noun.Checkpoint}
