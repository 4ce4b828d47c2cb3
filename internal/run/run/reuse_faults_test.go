package run

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"railyard/internal/base/unit"

	"railyard/internal/plan/scenario"
)

// Where faults come and go early, what follows is told again once they are over, or are as they stay: of each kind, drawn, with
// reuse and without.
func TestReuseOfDrawnFaults(t *testing.T) {
	told, ran, over := map[string]int{}, map[string]int{}, 0
	n := 0
	for seed := uint64(0); n < *reuseCases; seed++ {
		yaml, kind := drawnFaults(seed)
		sc, err := scenario.Parse("drawn.yaml", []byte(yaml))
		if err == nil {
			_, err = NewPlan(sc)
		}
		if err != nil { // the fault does not suit the network
			continue
		}
		n++
		ran[kind]++
		r := reused(t, yaml, Options{Islands: 1 + n%4, Workers: 1 + n%2})
		if r.Steps > 0 {
			told[kind]++
			over++
		}
	}
	t.Logf("of %d drawn scenarios with faults %d had steps told again: %v of %v", n, over, told, ran)
	if 3*over < n {
		t.Errorf("of %d drawn scenarios with faults %d had steps told again, want a third", n, over)
	}
}

// A host that hangs asks late when messages were past its links: looking at it before it has asked changes nothing.
func TestReuseLooksWhileAHostCatchesUp(t *testing.T) {
	reused(t, `
cluster: {hosts: 3, host: {gpus: 2, pcie: 250Gb/s}, nic: {speed: 100Gb/s}}
fabric: {design: rail-optimized, switch: {buffer: 4MB}}
congestion: {algorithm: dcqcn}
transport: {timeout: 100us}
faults: [{host: host2, at: 662us, hang: 129us}]
job:
  replay: {steps: 14, forward: 36066ns, buckets: [{compute: 64248ns, bytes: 537kB}], update: 19223ns}
  collective: {algorithm: ring, channels: 2}
`)
}

// A PFC watchdog that takes queues out of PFC does so again, and each time counts.
func TestReuseWhereTheWatchdogActs(t *testing.T) {
	r := reused(t, `
cluster: {hosts: 8, host: {gpus: 2}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  switch: {buffer: 4MB}
  qos: {pfc: {threshold: 20kB, watchdog: {detect: 1us, restore: 5us, action: forward}}}
congestion: {algorithm: none}
job:
  replay: {steps: 20, forward: 200us, buckets: [{compute: 50us, bytes: 1MB}]}
  collective: {algorithm: double-tree, channels: 2}
`, Options{Islands: 3, Workers: 2})
	if r.Steps < 10 {
		t.Errorf("%+v", r)
	}
}

// Each step is told of congestion, always at the same place, and forgets it but for alpha, which grows from step to step until it is
// the same at the same place of each: no step is told from one before in which it was another.
func TestReuseWhereEachStepIsTold(t *testing.T) {
	r := reused(t, `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch, switch: {buffer: 16MB}, qos: {ecn: {min: 60kB, max: 60kB}}}
congestion: {algorithm: dcqcn, increase_timer: 20us, rate_ai: 5Gb/s, rate_hai: 20Gb/s}
job:
  replay: {steps: 60, forward: 100us, buckets: [{compute: 200us, bytes: 500kB}, {compute: 3ms, bytes: 10kB}], update: 20us}
  collective: {algorithm: tree, channels: 1}
`, Options{Islands: 2, Workers: 2})
	if why := fmt.Sprint(r.Notes); !strings.Contains(why, reminded) {
		t.Errorf("%+v", r)
	}
}

// What was before random numbers were drawn never comes again, nor what was before a window grew, so nothing is recorded where each
// bucket does either: that costs more than looking.
func TestNothingIsRecordedThatNeverComesAgain(t *testing.T) {
	var bucket []string
	for range 20 {
		bucket = append(bucket, "{compute: 1ms, bytes: 1MB}")
	}
	for control, ecn := range map[string]string{"none": "min: 20kB, max: 4MB", "swift": "enabled: false"} {
		yaml := `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch, switch: {buffer: 16MB}, qos: {ecn: {` + ecn + `}}}
congestion: {algorithm: ` + control + `}
job:
  replay: {steps: 2, forward: 1ms, buckets: [` + strings.Join(bucket, ", ") + `]}
  collective: {algorithm: tree}
`
		reused(t, yaml)
		recorded, looks := 0, int64(0)
		run(t, yaml, Options{Observe: Every(12*unit.Millisecond, 100*unit.Microsecond, func(v View) {
			recorded += v.r.reuse.held()
			looks = max(looks, v.r.reuse.inStep.looks)
		})})
		if recorded > 0 || looks < 20 {
			t.Errorf("%s: %d marks in what is recorded after %d looks", control, recorded, looks)
		}
	}
}

// drawnFaults draws a replay to which something happens early, and says what.
func drawnFaults(seed uint64) (yaml, kind string) {
	r := rand.New(rand.NewPCG(seed, 48))
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	lasts := func() string {
		return pick("", fmt.Sprintf(", for: %dus", 50+r.IntN(900)), fmt.Sprintf(", for: %dus", 50+r.IntN(900)),
			fmt.Sprintf(", for: %dus, count: 3, every: %dus", 10+r.IntN(90), 100+r.IntN(300)))
	}
	host, gpu := fmt.Sprintf("host%d", 1+r.IntN(3)), r.IntN(2)
	link := pick("host1/*", "host2/*", "*", "leaf1/spine1")
	at := fmt.Sprintf("at: %dus", r.IntN(700))
	var entries []string
	for range 1 + r.IntN(2) {
		kind = pick("hang", "host", "slow", "drop", "bit_errors", "duplicate", "reorder", "down", "routed", "storm", "speed", "config",
			"leak", "reboot", "pcie")
		entries = append(entries, "{"+map[string]string{
			"hang":       fmt.Sprintf("gpu: %s/gpu%d, %s, hang: %dus", host, gpu, at, 20+r.IntN(900)),
			"host":       fmt.Sprintf("host: %s, %s, hang: %dus", host, at, 20+r.IntN(900)),
			"slow":       fmt.Sprintf("gpu: %s/gpu%d, %s, slow: %s%s", host, gpu, at, pick("3", "0.7"), lasts()),
			"drop":       fmt.Sprintf("link: '%s', %s, drop: %s%s", link, at, pick("0.1%", "1%"), lasts()),
			"bit_errors": fmt.Sprintf("link: '%s', %s, bit_errors: 1/1000000%s", link, at, lasts()),
			"duplicate":  fmt.Sprintf("link: '%s', %s, duplicate: 1%%%s", link, at, lasts()),
			"reorder":    fmt.Sprintf("link: '%s', %s, reorder: 1%%%s", link, at, lasts()),
			"down":       fmt.Sprintf("link: '%s', %s, down: %dus", link, at, 10+r.IntN(300)),
			"routed":     fmt.Sprintf("link: 'leaf*/spine1', %s, down: %dus, convergence: %dus", at, 100+r.IntN(300), 10+r.IntN(80)),
			"storm":      fmt.Sprintf("link: '%s/rail1', %s, storm: %dus", host, at, 10+r.IntN(400)),
			"speed":      fmt.Sprintf("link: '%s', %s, speed: 40Gb/s%s", link, at, lasts()),
			"config":     fmt.Sprintf("port: '*/host*', %s, config: {%s}%s", at, pick("pfc: false", "ecn: false", "xoff: 20kB"), lasts()),
			"leak":       fmt.Sprintf("switch: '*1', %s, leak: 1MB%s", at, lasts()),
			"reboot":     fmt.Sprintf("switch: '*1', %s, down: %dus", at, 50+r.IntN(300)),
			"pcie":       fmt.Sprintf("host: %s, %s, pcie: 60Gb/s%s", host, at, lasts()),
		}[kind]+"}")
	}
	return fmt.Sprintf("seed: %d\ncluster: {hosts: 3, host: {gpus: 2, pcie: 250Gb/s}, nic: {speed: %s}}\n", seed,
		pick("100Gb/s", "200Gb/s")) +
		fmt.Sprintf("fabric: {design: %s, switch: {buffer: %s}}\n", pick("rail-optimized", "single-switch", "leaf-spine"),
			pick("16MB", "4MB")) +
		fmt.Sprintf("congestion: {algorithm: %s}\ntransport: {timeout: 100us}\n", pick("none", "dcqcn")) +
		fmt.Sprintf("faults: [%s]\n", strings.Join(entries, ", ")) +
		fmt.Sprintf("job:\n  replay: {steps: %d, forward: %dns, buckets: [{compute: %dns, bytes: %dkB}], update: %dns}\n", 12+r.IntN(20),
			20_000+r.IntN(200_000), 1000+r.IntN(90_000), 1+r.IntN(700), r.IntN(20_000)) +
		fmt.Sprintf("  collective: {algorithm: %s, channels: 2}\n", pick("ring", "tree", "double-tree")) +
		fmt.Sprintf("output: {sample: %s, flows: %v, operations: %v}\n", pick("1us", "700ns", "13us"), r.IntN(4) > 0, r.IntN(4) > 0), kind
}

// Queue pairs that have been told of congestion remember it for good: timers that began then tick on. But nothing asks for that until
// they are told again. Here a slow link marks frames early, and steps are told again once all have recovered.
func TestReuseAfterCongestion(t *testing.T) {
	yaml := `
cluster: {hosts: 3, host: {gpus: 2}, nic: {speed: 100Gb/s}}
fabric: {design: rail-optimized, switch: {buffer: 16MB}, qos: {ecn: {min: 100kB, max: 100kB}}}
congestion: {algorithm: dcqcn}
faults: [{link: 'host1/*', at: 100us, speed: 20Gb/s, for: 900us}]
job:
  replay: {steps: 40, forward: 200us, buckets: [{compute: 200us, bytes: 4MB}], update: 20us}
  collective: {algorithm: ring, channels: 2}
`
	if r := reused(t, yaml, Options{Islands: 2, Workers: 2}); r.Steps < 30 {
		t.Errorf("%+v", r)
	}
	if marks := run(t, yaml, Options{}).ECNMarks; marks < 100 {
		t.Errorf("%d frames were marked", marks)
	}
}
