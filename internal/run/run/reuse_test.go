package run

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/learn/dataset"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// counted is what a run with reuse may tell otherwise: the key, how much was simulated, how many events that took.
var counted = regexp.MustCompile(`(?s)\s*"reuse": \{.*?\},?|\s*"events": \d+,?|"sha256": "[0-9a-f]+"|reuse: auto|reuse: off|` +
	`"reuse": "(auto|off)"`)

// toldOf is everything in a run directory but that, by file.
func toldOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() || f.Name() == result.ScenarioInput {
			return err
		}
		b, err := os.ReadFile(path)
		if all[f.Name()] = string(b); f.Name() == "run.json" {
			all[f.Name()] = counted.ReplaceAllString(string(b), "")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// reused runs a scenario with reuse and without: they must tell the same, however they are computed.
func reused(t *testing.T, yaml string, options ...Options) *result.Reuse {
	t.Helper()
	off := run(t, yaml+"run: {reuse: off}\n", Options{})
	want := toldOf(t, off.path)
	if off.Reuse != nil {
		t.Errorf("off, and run.json has %+v", off.Reuse)
	}
	var first *result.Reuse
	for _, o := range append([]Options{{}}, options...) {
		on := run(t, yaml+"run: {reuse: auto}\n", o)
		got := toldOf(t, on.path)
		for name, text := range want {
			if got[name] != text {
				t.Fatalf("%d islands, %d workers: %s\n%s\n%+v", o.Islands, o.Workers, differs(name, text, got[name]), yaml, on.Reuse)
			}
		}
		if len(got) != len(want) || on.Reuse == nil || on.Reuse.Represented != off.PacketHops ||
			on.Reuse.Simulated > on.Reuse.Represented || on.Summary.Events > off.Summary.Events {
			t.Fatalf("%d files of %d, %+v; off %d packet-hops, %d events\n%s", len(got), len(want), on.Reuse, off.PacketHops,
				off.Summary.Events, yaml)
		}
		if first == nil {
			first = on.Reuse
		} else if fmt.Sprint(*first) != fmt.Sprint(*on.Reuse) {
			t.Errorf("%d islands, %d workers: %+v, else %+v", o.Islands, o.Workers, on.Reuse, first)
		}
	}
	return first
}

func differs(name, x, y string) string {
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			return fmt.Sprintf("%s differs at byte %d of %d and %d:\n%q\n%q", name, i, len(x), len(y), part([]byte(x), i),
				part([]byte(y), i))
		}
	}
	return name + " is longer"
}

// Steps that do the same are simulated once: with any partition, on one core and on two.
func TestReuseTellsTheSame(t *testing.T) {
	r := reused(t, cluster8(2)+replayed, Options{Islands: 1}, Options{Islands: 3}, Options{Islands: 2, Workers: 2})
	if r.Steps < 20 || 4*r.Simulated > r.Represented {
		t.Errorf("of 30 steps %d were told again: %+v", r.Steps, r)
	}
}

// windows are controllers that count what is acknowledged, or time it.
var windows = []string{"dctcp", "dctcp, dctcp: {rate_ai: 2Gb/s}", "dctcp, dctcp: {max_window: 60kB, g: 1/2}", "timely",
	"timely, timely: {segment: round-trip}", "swift", "swift, swift: {max_window: 60kB}"}

var reuseCases = flag.Int("reuse-cases", 24, "how many drawn replays are run with reuse and without")

// The same of drawn replays: on networks of many kinds, with whatever may tell steps apart.
func TestReuseOfDrawnReplays(t *testing.T) {
	told, ran, seed := 0, 0, uint64(0)
	why, with := map[string]int{}, map[string]int{}
	for i := 0; i < *reuseCases; seed++ {
		yaml := drawnReplay(seed)
		sc, err := scenario.Parse("drawn.yaml", []byte(yaml))
		if err == nil {
			_, err = NewPlan(sc)
		}
		if err != nil { // its hosts do not suit its network
			continue
		}
		i++
		ran++
		r := reused(t, yaml, Options{Islands: 1 + i%4, Workers: 1 + i%2})
		if least := leastSimulated(t, yaml); 10*r.Simulated < 9*least { // CNPs are guessed
			t.Errorf("%s\nof %d packet-hops %d were simulated, at least %d were forecast", yaml, r.Represented, r.Simulated, least)
		}
		if r.Steps > 0 {
			told++
			for _, key := range []string{"watchdog", "qps_per_connection: 2", "qps_per_connection: 3", "split_data_on_qps: true",
				"dcqcn", "dctcp", "timely", "swift"} {
				if strings.Contains(yaml, key) {
					with[key]++
				}
			}
		}
		for _, n := range r.Notes {
			if strings.Contains(n, "RDMA READ") {
				t.Errorf("%s\n%s", n, yaml)
			}
			_, n, _ = strings.Cut(n, ": ")
			why[n]++
		}
	}
	t.Logf("of %d drawn replays (%d drawn) %d had steps told again, %v; what kept others: %v", ran, seed, told, with, why)
	if 4*told < ran {
		t.Errorf("of %d drawn replays %d had steps told again, want a quarter", ran, told)
	}
}

// leastSimulated is how many packet-hops of a run are forecast to be simulated.
func leastSimulated(t *testing.T, yaml string) int64 {
	t.Helper()
	p, err := NewPlan(plantest.Read(t, yaml))
	if err != nil {
		t.Fatal(err)
	}
	e := foresight.EstimateOf(p, make([]dataset.Size, 1))
	if e.Reuse == nil {
		return e.PacketHops
	}
	return e.Reuse.PacketHops
}

// The same of large models in layouts of all kinds: sums of parts inside hosts take what a formula says; stages
// give credits, and wait for each other inside a host and between hosts.
func TestReuseOfModels(t *testing.T) {
	text := strings.Replace(smallLarge, "batch: 16}", "batch: 16, steps: 9}", 1)
	for layout, least := range map[string]int64{"tp: 8, pp: 2, micro_batches: 4, sequence: true": 6, "zero: 3": 6,
		"tp: 4, zero: 1": 6, "tp: 2, pp: 4, micro_batches: 8, schedule: gpipe": 6} {
		yaml := strings.Replace(text, "tp: 8, pp: 2, micro_batches: 4, sequence: true", layout, 1)
		r := reused(t, yaml, Options{Islands: 2, Workers: 2})
		if r.Steps < least {
			t.Errorf("%s: of 9 steps %d were told again: %+v", layout, r.Steps, r)
		}
		p, err := NewPlan(plantest.Read(t, yaml))
		if err != nil {
			t.Fatal(err)
		}
		e := foresight.EstimateOf(p, make([]dataset.Size, 1))
		f := e.Reuse
		if f == nil {
			t.Fatalf("%s: nothing is forecast", layout)
		}
		simulated := 9 - r.Steps                                    // of which the forecast is the least
		step := int64(float64(e.PacketHops)*(1-f.Imaged)) / e.Steps // without images
		if f.Steps > simulated || r.Parts == 0 && r.Simulated != step*simulated ||
			int64(f.Images) != r.Images || r.Parts > 0 && (f.PacketHops*simulated > 2*r.Simulated*f.Steps ||
			2*f.PacketHops*simulated < r.Simulated*f.Steps) {
			t.Errorf("%s: forecast %+v, and it was %+v", layout, f, r)
		}
	}
}

// The same of drawn models whose layers are dealt to stages: of all schedules and orders of ranks, with credits that are
// answered in time, late, or not before they are given once more.
func TestReuseOfDrawnStages(t *testing.T) {
	told, ran := 0, 0
	for seed := uint64(0); ran < (*reuseCases+2)/3; seed++ {
		yaml := drawnStages(seed)
		sc, err := scenario.Parse("drawn.yaml", []byte(yaml))
		if err == nil {
			_, err = NewPlan(sc)
		}
		if err != nil { // layers do not suit stages
			continue
		}
		ran++
		r := reused(t, yaml, Options{Islands: 1 + ran%3, Workers: 1 + ran%2})
		if r.Steps > 0 {
			told++
		}
	}
	t.Logf("of %d drawn models %d had steps told again", ran, told)
	if 2*told < ran {
		t.Errorf("of %d drawn models %d had steps told again, want half", ran, told)
	}
}

// drawnStages draws a model in stages.
func drawnStages(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 47))
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	schedule, micro := pick("1f1b", "gpipe", "interleaved"), 1<<(1+r.IntN(3))
	if schedule == "interleaved" {
		schedule += ", virtual_stages: 2"
	}
	return fmt.Sprintf("seed: %d\ncluster: {hosts: 2, host: {gpus: 8, preset: hgx-h100}, nic: {speed: %s}}\n", seed,
		pick("100Gb/s", "400Gb/s")) +
		fmt.Sprintf("fabric: {design: %s, switch: {buffer: %s}}\n", pick("rail-optimized", "single-switch"), pick("64MB", "4MB")) +
		fmt.Sprintf("congestion: {algorithm: %s}\ntransport: {timeout: %s}\n", pick("none", "dcqcn"), pick("67ms", "1ms", "8us")) +
		fmt.Sprintf("job:\n  model: {layers: %d, hidden: 256, ffn: 512, heads: 8, vocabulary: 512, sequence: %d, batch: 32, steps: %d}\n",
			4<<r.IntN(2), 64<<r.IntN(3), 5+r.IntN(6)) +
		fmt.Sprintf("  parallel: {tp: %d, pp: %d, order: %s, micro_batches: %d, schedule: %s, zero: %d}\n", 1<<r.IntN(3), 2<<r.IntN(3),
			pick("tp-dp-pp", "tp-pp-dp", "pp-dp-tp", "dp-pp-tp"), micro, schedule, r.IntN(2)) +
		fmt.Sprintf("output: {sample: %s, flows: %v}\n", pick("1us", "13us"), r.IntN(2) > 0)
}

// drawnReplay draws a replay.
func drawnReplay(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 46))
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	hosts, gpus := 2+r.IntN(4), 1+r.IntN(3)
	slow, faults, background := "", "", ""
	if r.IntN(4) == 0 {
		slow = fmt.Sprintf(", slow: [{rank: %d, factor: %s}]", r.IntN(hosts*gpus), pick("1.5", "3"))
	}
	switch r.IntN(40) {
	case 0:
		faults = "faults: [{host: host1, at: 200us, hang: 300us}]\n"
	case 1:
		background = "background: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 300kB, every: 250us, count: 6}]}\n"
	case 2:
		faults = "faults: [{at: 100us, link: all, drop: 0.1%, for: 500us}]\n"
	}
	var buckets []string
	for range 1 + r.IntN(3) {
		buckets = append(buckets, fmt.Sprintf("{compute: %dns, bytes: %dkB}", 1000+r.IntN(90_000), 1+r.IntN(700)))
	}
	return fmt.Sprintf("seed: %d\ncluster: {hosts: %d, host: {gpus: %d}, nic: {speed: %s}%s}\n", seed, hosts, gpus,
		pick("100Gb/s", "200Gb/s", "400Gb/s"), slow) +
		fmt.Sprintf("fabric: {design: %s, balance: %s, switch: {buffer: %s}%s}\n", pick("rail-optimized", "single-switch", "leaf-spine"),
			pick("ecmp", "ecmp", "ecmp", "ecmp", "ecmp", "ecmp", "ecmp", "spray", "flowlet"), pick("16MB", "4MB"),
			pick("", "", fmt.Sprintf(", qos: {pfc: {watchdog: {detect: %s, restore: %s, action: %s}}}", pick("1us", "20us", "200us"),
				pick("5us", "300us"), pick("forward", "drop")))) +
		fmt.Sprintf("transport: {qps_per_connection: %s, split_data_on_qps: %v}\n", pick("1", "2", "3", "4"), r.IntN(3) == 0) +
		fmt.Sprintf("congestion: {algorithm: %s}\n", pick(pick(windows...), pick(windows...), "none", "none", "dcqcn", "dcqcn",
			"dcqcn", "hpcc")) +
		faults + background +
		fmt.Sprintf("job:\n  replay: {steps: %d, forward: %dns, buckets: [%s], update: %dns}\n", 4+r.IntN(12), 20_000+r.IntN(200_000),
			strings.Join(buckets, ", "), r.IntN(20_000)) +
		fmt.Sprintf("  collective: {algorithm: %s, channels: %d%s}\n", pick("ring", "ring", "tree", "double-tree"), 2,
			pick("", "", ", slots: 2", ", protocol: ll", ", protocol: simple, slots: 4")) +
		fmt.Sprintf("output: {sample: %s, flows: %v, operations: %v}\n", pick("1us", "700ns", "13us"), r.IntN(4) > 0, r.IntN(4) > 0)
}

// Steps that come back after some others are found too: here ranks drift around their rings, one turn in 8 steps.
func TestReuseOfStepsThatTakeTurns(t *testing.T) {
	r := reused(t, `
cluster: {hosts: 8, host: {preset: hgx-h100, gpus: 4}, nic: {speed: 200Gb/s}}
fabric: {design: rail-optimized, spines: 4, links: {spine: 400Gb/s, length: 20m}}
job:
  replay: {steps: 48, forward: 400us, buckets: [{bytes: 80kB, compute: 300us}, {bytes: 400kB, compute: 200us}]}
`, Options{Islands: 2, Workers: 2})
	if len(r.Notes) == 0 || r.Steps < 20 {
		t.Errorf("%+v", r)
	}
}

// What follows is recorded behind the first two looks, and after that only once a state has come again: here none does.
func TestRecordingStopsWhereNothingComesAgain(t *testing.T) {
	var during, after int64
	r := run(t, `
cluster: {hosts: 8, host: {preset: hgx-h100, gpus: 4}, nic: {speed: 200Gb/s}}
fabric: {design: rail-optimized, spines: 4, links: {spine: 400Gb/s, length: 20m}}
job:
  replay: {steps: 9, forward: 400us, buckets: [{bytes: 80kB, compute: 300us}, {bytes: 400kB, compute: 200us}]}
`, Options{Observe: Every(0, 20*unit.Microsecond, func(v View) {
		recorded := v.r.fab.Recorded() + v.r.record.Recorded()
		switch looked := v.r.reuse.looked; {
		case looked == 1 || looked == 2:
			during = max(during, recorded)
		case looked > 2 && !v.r.reuse.over:
			after = max(after, recorded)
		}
	})})
	if r.Reuse.Steps > 0 || during == 0 || after > 0 {
		t.Errorf("%+v; %d bytes recorded behind the first looks, %d later", r.Reuse, during, after)
	}
}

// What is recorded is bounded while it is recorded, not at the end of a period alone: then nothing is told again, and it is said why.
func TestWhatIsRecordedIsBounded(t *testing.T) {
	const most = 20_000
	largest := int64(0)
	r := run(t, cluster8(2)+replayed, Options{Observe: Every(0, 20*unit.Microsecond, func(v View) {
		v.r.reuse.most = most
		largest = max(largest, v.r.fab.Recorded()+v.r.record.Recorded())
	})})
	if r.Reuse.Steps > 0 || r.Reuse.Notes[0] != "no reuse of 1 of 1 period: a period has more to be told than is kept" {
		t.Errorf("%+v", r.Reuse)
	}
	if largest <= most {
		t.Errorf("%d bytes were recorded: too few to show anything", largest)
	}
}
