package run

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/dataset"
	"railyard/internal/scenario"
	"railyard/internal/unit"
)

// Packet-hops are forecast within a factor of 1.3, on the examples and on other shapes: the same scenarios, but for the
// length of trainings, for which tools/forecast prints memory too.
func TestForecastOfPacketHops(t *testing.T) {
	texts := map[string]string{}
	for _, glob := range []string{"../../examples/*.yaml", "../../tools/forecast/shapes/*.yaml"} {
		files, err := filepath.Glob(glob)
		if err != nil || len(files) < 10 {
			t.Fatalf("%s: %d files, %v", glob, len(files), err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".yaml")
			if strings.Contains(glob, "examples") {
				texts[name] = example(t, name)
				continue
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = shortened(string(b))
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			text = strings.ReplaceAll(text, ": ../../examples/", ": "+root+"/examples/")
			r := run(t, text, Options{Workers: -1})
			in, err := Inspect(read(t, text)) // now that images that are drawn are there
			if err != nil {
				t.Fatal(err)
			}
			if said, took := in.Estimate.PacketHops, r.PacketHops; 10*said > 13*took || 13*said < 10*took {
				t.Errorf("%d packet-hops forecast, %d taken: a factor of %.2f", said, took, float64(said)/float64(took))
			}
		})
	}
}

// shortened is a scenario whose training takes a quarter of the steps, on few test images.
func shortened(text string) string {
	text = regexp.MustCompile(`test: \d+`).ReplaceAllString(text, "test: 600")
	return regexp.MustCompile(`steps: \d+`).ReplaceAllStringFunc(text, func(s string) string {
		n, _ := strconv.Atoi(strings.TrimPrefix(s, "steps: "))
		return "steps: " + strconv.Itoa(max(1, n/4))
	})
}

// What is posted and not sent, and the test set, count for memory: by themselves they are over the limit.
func TestMemoryCountsWhatWaitsAndIsTested(t *testing.T) {
	plan := func(text string) *Plan {
		p, err := NewPlan(read(t, text))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	waiting := "cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 25Gb/s}}\nfabric: {design: single-switch}\njob: {flows: [" +
		strings.Repeat("{from: host1/gpu0, to: host2/gpu0, bytes: 4kB, count: 1000000, every: EVERY},", 12) + "]}"
	fast, slow := plan(strings.ReplaceAll(waiting, "EVERY", "10ns")).Estimate(dataset.Size{}), plan(strings.ReplaceAll(waiting, "EVERY", "100us")).Estimate(dataset.Size{})
	if fast.over(0) == nil || slow.Memory > 100*unit.Megabyte {
		t.Errorf("12 million messages that wait: %v; as many that do not: %v", fast.Memory, slow.Memory)
	}
	p := plan(cluster8(2) + training(t, 1, 1))
	one, many := p.Estimate(dataset.Size{Train: 400, Test: 100, Rows: 28, Cols: 28}), p.Estimate(dataset.Size{Train: 400, Test: 1_000_100, Rows: 28, Cols: 28})
	if got := many.Memory - one.Memory; got != 1_000_000*785 {
		t.Errorf("a million test images count %v", got)
	}
}

// A run that needs more than the machine has free is refused as one over the limit is.
func TestForecastAgainstTheMachine(t *testing.T) {
	e := Estimate{Memory: 2 * unit.Gigabyte, PacketHops: 1}
	for free, want := range map[unit.Bytes]string{0: "", 3 * unit.Gigabyte: "", unit.Gigabyte: "this machine, or its control group, has 1 GB free"} {
		if err := e.over(free); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--force")) {
			t.Errorf("%v free: %v, want %q", free, err, want)
		}
	}
}

// Background that would outlast the job is counted only as long as the job lasts.
func TestBackgroundEndsWithTheJob(t *testing.T) {
	q := Pair{Kind: "background", Flow: &scenario.Flow{Count: 100, Every: 10 * unit.Microsecond, Start: 5 * unit.Microsecond}}
	for job, want := range map[unit.Duration]int64{0: 0, 5 * unit.Microsecond: 1, 14 * unit.Microsecond: 1, 15 * unit.Microsecond: 2, unit.Second: 100} {
		if got := q.posted(job); got != want {
			t.Errorf("a job of %v: %d messages, want %d", job, got, want)
		}
	}
}
