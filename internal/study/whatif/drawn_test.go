package whatif

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// draws is how many scenarios are drawn; by hand, more.
var draws = flag.Int("draws", 10, "scenarios that are drawn")

// drawn is a scenario of a network, what goes on in it and what is wrong with it, all drawn; dir takes its files.
func drawn(t *testing.T, seed uint64, dir string) string {
	r := rand.New(rand.NewPCG(seed, 30))
	of := func(all ...string) string { return all[r.IntN(len(all))] }
	hosts := 4 + 2*r.IntN(3)
	rate := of("100Gb/s", "200Gb/s", "400Gb/s")
	fabric := of("design: single-switch", "design: leaf-spine, leaves: 2, spines: 2",
		"design: leaf-spine, leaves: 2, spines: 4, links: {spine: 50Gb/s}", "design: rail-optimized, spines: 2",
		"design: custom, topology: "+fmt.Sprintf("%q", barbell(t, dir, hosts, rate)))
	qos := of("", "", ", qos: {pfc: {watchdog: {detect: 100us, restore: 100us}}}", ", qos: {pfc: {enabled: false}}",
		", switch: {buffer: 2MB}", ", switch: {latency: 2us}", ", hash: {function: xor}", ", balance: spray", ", balance: flowlet")
	text := fmt.Sprintf("seed: %d\ncluster: {hosts: %d, host: {gpus: 1%s}, nic: {speed: %s}}\nfabric: {%s%s}\n", 1+r.IntN(5), hosts,
		of("", "", ", graph: preset"), rate, fabric, qos)
	text += of("", "congestion: {algorithm: none}\n", "congestion: {algorithm: hpcc}\n", "congestion: {algorithm: swift}\n",
		"transport: {window: 64kB}\n", "transport: {receiver: direct}\n", "transport: {timeout: 200us}\n",
		"congestion: {algorithm: none}\ntransport: {window: 64kB}\n")
	text += of("", "", "faults: [{link: HOST, drop: 0.002}]\n", "faults: [{link: HOST, storm: 100us, at: 10us}]\n",
		"faults: [{host: host1, pcie: 30Gb/s}]\n", "faults: [{link: HOST, speed: 20Gb/s}]\n")
	edge := "host1/rail1"
	if strings.Contains(qos, "pfc: {enabled: false}") {
		text = strings.Replace(text, "storm: 100us, at: 10us", "drop: 0.001", 1)
	}
	switch {
	case strings.Contains(fabric, "leaf-spine"):
		edge = "host1/leaf1"
	case strings.Contains(fabric, "custom"):
		edge = "host1/left"
	}
	text = strings.Replace(text, "HOST", edge, 1)
	text += of("job: {collectives: [{op: all-reduce, bytes: 400kB, iterations: 2}]}\n",
		"job: {collectives: [{op: all-to-all, bytes: 400kB, protocol: auto, skew: 3, iterations: 1}]}\n",
		"job: {replay: {buckets: [{bytes: 200kB, compute: 5us}, {bytes: 400kB, compute: 20us}], forward: 10us, steps: 3}}\n",
		flows(r, "job", hosts, 2+r.IntN(4)), flows(r, "job", hosts, 2+r.IntN(4)))
	if r.IntN(2) == 0 {
		text += flows(r, "background", hosts, 1+r.IntN(3))
	}
	return text
}

func flows(r *rand.Rand, of string, hosts, n int) string {
	text := of + ":\n  flows:\n"
	for range n {
		from := r.IntN(hosts)
		to := (from + 1 + r.IntN(hosts-1)) % hosts
		text += fmt.Sprintf("    - {from: host%d/nic0, to: host%d/nic0, bytes: %dkB}\n", from+1, to+1, 50+r.IntN(600))
	}
	return text
}

// barbell is a topology of two switches with half of the hosts each, and two unequal links between them.
func barbell(t *testing.T, dir string, hosts int, rate string) string {
	var b strings.Builder
	for i := range hosts {
		fmt.Fprintf(&b, "host host%d\n", i+1)
	}
	b.WriteString("switch left leaf\nswitch right leaf\n")
	for i := range hosts {
		fmt.Fprintf(&b, "link host%d %s %s 20m\n", i+1, []string{"left", "right"}[2*i/hosts], rate)
	}
	b.WriteString("link left right 100Gb/s 20m\nlink left right 100Gb/s 20m\n")
	path := filepath.Join(dir, "barbell.txt")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// ofNetwork reports whether a change leaves the job, what its hosts compute and what it sends as they are: it changes the network, or
// traffic beside the job.
func ofNetwork(c *result.WhatIfChange) bool {
	return !slices.ContainsFunc(c.Set, func(v result.WhatIfValue) bool {
		return strings.HasPrefix(v.Path, "job") || v.Path == "cluster.host.launch" || strings.HasPrefix(v.Path, "cluster.slow") ||
			v.Path == "seed" || strings.HasPrefix(v.Path, "transport.qps")
	})
}

// mayStop are the reasons for which a change may have no time: it was run, or the switches have no room for its headrooms.
var mayStop = []string{"the run ends ", "do not finish", "does not finish", "want a fabric.switch.buffer"}

// TestNothingOfTheNetworkSavesMoreThanAnIdealOne: over the same messages, whatever is drawn; every change can be made; and each
// repeated by hand, by its flags, gives its figure.
func TestNothingOfTheNetworkSavesMoreThanAnIdealOne(t *testing.T) {
	t.Chdir(t.TempDir())
	for seed := range uint64(*draws) {
		text := drawn(t, seed, t.TempDir())
		r, ok := beganDrawn(t, text)
		if !ok {
			continue // what was drawn does not come to its end
		}
		found := ask(t, r, Options{})
		ideal := found.change(infinitelyFast)
		if ideal.Saves == nil {
			t.Errorf("seed %d: no ideal network: %s\n%s", seed, ideal.Why, text)
			continue
		}
		for i := range found.Changes {
			c := &found.Changes[i]
			if c.Saves != nil && c.Before == found.Time && ofNetwork(c) && *c.Time < *ideal.Time {
				t.Errorf("seed %d: %s takes %v, an ideal network %v\n%s", seed, c.Name, *c.Time, *ideal.Time, text)
			}
			if c.Why != "" && !slices.ContainsFunc(mayStop, func(why string) bool { return strings.Contains(c.Why, why) }) {
				t.Errorf("seed %d: %s: %s\n%s", seed, c.Name, c.Why, text)
			}
		}
		for i := range found.Changes {
			repeated(t, found, r, &found.Changes[i])
		}
	}
}

// repeated: a change repeated by hand, by the flags that are printed for it, gives its figure, and so does each seed of it.
func repeated(t *testing.T, found *Result, r *result.Run, c *result.WhatIfChange) {
	t.Helper()
	if got, why := byHand(t, found, r, c); c.Time != nil && (why != "" || got != *c.Time) {
		t.Errorf("%s: by hand %v %s, want %v", c.Name, got, why, *c.Time)
	}
	if printed := flags(c); printed != "" && !slices.Equal(shellWords(printed), c.Flags()) {
		t.Errorf("%s: %s is %q, want %q", c.Name, printed, shellWords(printed), c.Flags())
	}
	if n := len(c.Seeds); n > 0 {
		s := c.Seeds[n-1]
		if got, why := byHand(t, found, r, c, seedChange(s.Seed)); why != "" || got != s.Time {
			t.Errorf("%s: by hand with seed %d %v %s, want %v", c.Name, s.Seed, got, why, s.Time)
		}
	}
}

// shellWords takes words as a shell does that has single quotes alone.
func shellWords(line string) (words []string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		word, rest, _ := strings.Cut(line, " ")
		if quoted, ok := strings.CutPrefix(line, "'"); ok {
			word, rest, _ = strings.Cut(quoted, "'")
		}
		words, line = append(words, word), rest
	}
	return words
}

// beganDrawn runs a scenario that may not come to its end.
func beganDrawn(t *testing.T, text string) (*result.Run, bool) {
	t.Helper()
	sc, err := scenario.Parse("drawn.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	dir, err := result.Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := run.Run(context.Background(), sc, run.Options{Dir: dir, Workers: 1})
	if sum == nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if sum.State != result.Complete {
		return nil, false
	}
	if err := dir.Finish(sum); err != nil {
		t.Fatal(err)
	}
	r, err := result.Open(dir.Path())
	if err != nil {
		t.Fatal(err)
	}
	return r, true
}

// byHand runs a scenario with the flags of a change, as `railyard run` has them, and measures it.
func byHand(t *testing.T, found *Result, r *result.Run, c *result.WhatIfChange, more ...scenario.Change) (unit.Duration, string) {
	t.Helper()
	sc, err := Scenario(r)
	if err != nil {
		t.Fatal(err)
	}
	var changes []scenario.Change
	for _, v := range found.Base {
		changes = append(changes, set(v.Path, v.Value))
	}
	for f := c.Flags(); len(f) > 0; f = f[2:] {
		key, value, _ := strings.Cut(f[1], "=")
		changes = append(changes, scenario.Change{Path: key, Text: value, Remove: f[0] == "--unset"})
	}
	changed, err := sc.With(append(changes, more...)...)
	if err != nil {
		return 0, err.Error() // a row that cannot run says so
	}
	s, err := run.Run(context.Background(), changed, run.Options{Workers: 1})
	if s == nil {
		return 0, err.Error()
	}
	a := &asking{run: r, steps: found.Steps, life: found.Measure == result.MeasureJob}
	but := map[string]bool{}
	for _, name := range c.Subject {
		but[name] = c.Kind == OneFlow || c.Kind == Flows
	}
	time, _, why := a.measured(s, but)
	return time, why
}
