package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/mfu"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// example reads a file of examples; a training is cut to few steps on few images.
func example(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(b), ": examples/", ": ../../../examples/")
	const set = "digits: {dir: data/digits, train: 60000, test: 10000, seed: 1}"
	for _, indent := range []string{"      ", "        "} {
		text = strings.Replace(text, "data:\n"+indent+set, "data: "+digits(t), 1)
	}
	if strings.Contains(text, "data/digits") {
		t.Fatalf("%s: no data as expected:\n%s", name, text)
	}
	for _, indent := range []string{"    ", "      "} {
		text = strings.Replace(text, "epochs: 1\n"+indent+"steps:", "epochs: 99\n"+indent+"steps:", 1)
	}
	for _, cut := range []struct{ from, to string }{ // large models have few blocks, and few micro-batches
		{"steps: 300 ", "steps: 20 "},
		{"steps: 150 ", "steps: 3 "},
		{"preset: llama3-8b, batch: 16", "preset: llama3-8b, layers: 2, batch: 16"},
		{"preset: llama3-70b, batch: 32", "preset: llama3-70b, layers: 4, batch: 8"},
		{"micro_batches: 16, zero: 1", "micro_batches: 4, zero: 1"},
		{"vocabulary: 51200, batch: 64", "layers: 24, vocabulary: 51200, batch: 8"},
		{"micro_batches: 64,", "micro_batches: 8,"},
	} {
		text = strings.Replace(text, cut.from, cut.to, 1)
	}
	if name == "lossy" { // three bursts in so few steps would leave it to chance whether they meet one
		text = strings.ReplaceAll(text, "every: 2ms", "every: 1ms")
	}
	return strings.Replace(text, "epochs: 3", "epochs: 9\n    steps: 50", 1)
}

// spoken is a kind of communication of a run's training.
func spoken(r ran, kind string) (c mfu.Communication) {
	for _, of := range r.Summary.Efficiency.Communication {
		if of.Kind == kind {
			c = of
		}
	}
	return c
}

// Each example shows what its comments promise.
func TestExamplesShowWhatTheySay(t *testing.T) {
	weights := ""
	var clean unit.Time
	for _, e := range []struct {
		name  string
		shows func(ran) bool
	}{
		{"digits-8gpu", func(r ran) bool {
			return r.ECNMarks+r.CNPs+r.Pauses+r.Drops+r.Retransmits == 0 && r.Overlap != nil && *r.Overlap > 0 &&
				5*r.StepSplit.Mean.Dependency > 2*r.StepMedian
		}},
		{"network", func(r ran) bool { // the loss is nearer to the entropy than that of who knows token frequencies
			return r.TestLoss != nil && *r.TestLoss < 2.5 && r.Drops+r.Pauses == 0
		}},
		{"llama", func(r ran) bool { return r.TestLoss != nil && *r.TestLoss < 2.1 && r.Drops+r.Pauses == 0 }},
		{"resnet", func(r ran) bool { // sums that wait for latency take longer than gradients, of which there are more
			sums, data := spoken(r, mfu.Statistics), spoken(r, mfu.Data)
			return sums.Exposed > 3*data.Exposed && data.Bytes > 20*sums.Bytes && sums.Between == sums.Bytes && r.Drops+r.Pauses == 0
		}},
		{"moe-16gpu", func(r ran) bool {
			x := r.Summary.Experts
			return x != nil && x.Dropped == 0 && x.Load > 1 && x.Least > 0 &&
				r.TestLoss != nil && *r.TestLoss < *r.FinalLoss && r.Drops+r.Pauses == 0
		}},
		{"digits-incast", func(r ran) bool {
			return r.ECNMarks > 0 && r.CNPs > 0 && r.Pauses > 0 && r.Drops == 0 && r.Pausing[0].Port == "host1/rail1" &&
				r.BusiestLinks[0].Port == "rail1/host2" && r.StepSplit.Mean.Pause > 0 && r.VirtualTime > clean+clean/4
		}},
		{"lossy", func(r ran) bool {
			return r.Drops > 0 && r.Retransmits > r.Drops && r.ECNMarks+r.Pauses == 0 &&
				r.CriticalPath.Retransmission > 0 && r.VirtualTime > clean+clean/4
		}},
		{"dual-homed", func(r ran) bool {
			return strings.Contains(strings.Join(r.Notes, "\n"), "NICs found 4 ports down, each 100 us after its link") &&
				r.Retransmits > 0 && r.Drops == 0
		}},
		{"pcie", func(r ran) bool {
			b := r.Diagnosis.Blames[0]
			return b.Kind == diagnose.PCIe && b.Port == "host1/CPU0/PCIe1" && slowest(r) > unit.Time(50*unit.Microsecond)
		}},
		{"two-jobs", func(r ran) bool {
			one, other := r.Summary.Jobs[0], r.Summary.Jobs[1]
			blame := one.Diagnosis.Blames[0]
			return one.StepMedian < 260*unit.Microsecond && one.StepP99 > 5*250*unit.Microsecond &&
				blame.Kind == diagnose.SharedPort && blame.Culprits[0].Name == "job shuffle" && other.Until < one.Until &&
				r.Drops+r.Pauses == 0
		}},
		{"incast", func(r ran) bool { return r.ECNMarks > 0 && r.CNPs > 0 && r.Pauses > 0 && r.Drops == 0 }},
		{"ecn-only", func(r ran) bool { return r.ECNMarks > 0 && r.CNPs > 0 && r.Pauses == 0 && r.Drops > 0 }},
		{"pfc-only", func(r ran) bool {
			return r.ECNMarks+r.CNPs == 0 && r.Pauses > 1000 && r.Drops == 0 && r.BusiestLinks[0].Utilisation > 0.99
		}},
		{"hpcc", func(r ran) bool {
			return r.CNPs+r.Pauses+r.Drops == 0 && r.Summary.Queues[0].Mean < 10*unit.Kilobyte &&
				r.Summary.Queues[0].Max < unit.Megabyte && r.BusiestLinks[0].Utilisation > 0.85 &&
				slowest(r) > unit.Time(14400*unit.Microsecond)
		}},
		{"hpcc-ns3", func(r ran) bool {
			return len(r.Summary.Flows) == 8 && r.ECNMarks > 0 && r.CNPs+r.Pauses+r.Drops == 0 &&
				slowest(r) < unit.Time(8600*unit.Microsecond)
		}},
		{"leaf-spine", func(r ran) bool {
			return within(r, "flow1", 4400*unit.Microsecond) && within(r, "flow2", 8700*unit.Microsecond) &&
				allOf(r.BusiestLinks[:8], func(l result.LinkFigures) bool { return strings.Contains(l.Port, "spine4") })
		}},
		{"faults", func(r ran) bool {
			return r.Drops == 0 && noteWith(r.Summary, "faults took on links") &&
				flow(r, "errors").Retransmits == 440 &&
				within(r, "flap", 5340*unit.Microsecond) && within(r, "clean", 4080*unit.Microsecond)
		}},
		{"polarisation", func(r ran) bool { return dataLinks(r, "superspine") == 16 }},
		{"parking-lot", func(r ran) bool {
			return within(r, "long", 8620*unit.Microsecond) && within(r, "first", 6400*unit.Microsecond) &&
				within(r, "second", 6160*unit.Microsecond)
		}},
	} {
		r := run(t, example(t, e.name), Options{Workers: -1})
		sumsToTheStep(t, r, e.name)
		if !e.shows(r) {
			t.Errorf("%s: %d marks, %d CNPs, %d pauses, %d drops, %d retransmissions, %v; longest held %v, busiest "+
				"%v, split %+v", e.name, r.ECNMarks, r.CNPs, r.Pauses,
				r.Drops, r.Retransmits, r.VirtualTime, first(r.Pausing), first(r.BusiestLinks), r.StepSplit)
		}
		if e.name == "digits-8gpu" {
			weights, clean = r.WeightsSHA256, r.VirtualTime
		}
		if r.Kernel != "" && !slices.Contains([]string{"network", "llama", "resnet", "moe-16gpu"}, e.name) && r.WeightsSHA256 != weights {
			t.Errorf("%s: other weights than digits-8gpu", e.name)
		}
		for _, f := range r.Summary.Flows {
			if f.Kind == result.KindJob && f.Status != result.StatusDone {
				t.Errorf("%s: flow %s is %s", e.name, f.Name, f.Status)
			}
		}
	}
}

// What an example says will happen when one of its lines is changed, happens.
func TestExamplesChangeAsTheySay(t *testing.T) {
	for _, c := range []struct {
		name, line, instead string
		shows               func(ran) bool
	}{
		{"ecn-only", "buffer: 16MB", "buffer: 64MB", func(r ran) bool { return r.Drops == 0 }},
		{"hpcc", "algorithm: hpcc", "algorithm: dcqcn", func(r ran) bool {
			return r.Pauses > 0 && r.CNPs > 0 && r.Summary.Queues[0].Mean > 3800*unit.Kilobyte &&
				r.Summary.Queues[0].Max > 9*unit.Megabyte && r.BusiestLinks[0].Utilisation > 0.97 &&
				slowest(r) < unit.Time(13300*unit.Microsecond)
		}},
		{"hpcc-ns3", "preset: hpcc-ns3", "preset: hpcc-ns3\ncongestion: {algorithm: none}", func(r ran) bool {
			return r.Pauses > 1900 && r.Pauses < 2100 && slowest(r) < unit.Time(6750*unit.Microsecond)
		}},
		{"leaf-spine", "name: leaf-spine", "seed: 2",
			func(r ran) bool { return slowest(r) < unit.Time(9*unit.Millisecond) }},
		{"leaf-spine", "algorithm: hpcc", "algorithm: dcqcn", func(r ran) bool {
			return within(r, "flow2", 8270*unit.Microsecond) && within(r, "flow7", 8500*unit.Microsecond)
		}},
		{"leaf-spine", "algorithm: hpcc", "algorithm: dcqcn, preset: dcqcn-sigcomm15", func(r ran) bool {
			return within(r, "flow1", 4090*unit.Microsecond) && flow(r, "flow2").Took() > 14*unit.Millisecond
		}},
		{"faults", "preset: default", "preset: irn", func(r ran) bool {
			return flow(r, "errors").Retransmits == 40 &&
				flow(r, "flap").Retransmits < 40
		}},
		{"faults", "timeout: 1.048576ms", "timeout: 200us",
			func(r ran) bool { return within(r, "flap", 4490*unit.Microsecond) }},
		{"polarisation", "seed: same", "seed: per-switch", func(r ran) bool { return dataLinks(r, "superspine") > 32 }},
		{"polarisation", "polarisation.txt", "polarisation-rotated.txt",
			func(r ran) bool { return dataLinks(r, "superspine") > 32 }},
		{"parking-lot", `host2, left, "middle#1"`, `host2, left, "middle#2"`, func(r ran) bool {
			return within(r, "first", 4080*unit.Microsecond)
		}},
	} {
		yaml := example(t, c.name)
		if strings.Count(yaml, c.line) != 1 {
			t.Fatalf("%s: want one %q in it", c.name, c.line)
		}
		if r := run(t, strings.Replace(yaml, c.line, c.instead, 1), Options{}); !c.shows(r) {
			t.Errorf("%s with %s: %d marks, %d CNPs, %d pauses, %d drops, slowest %v; %+v; queue %+v, busiest %+v",
				c.name, c.instead, r.ECNMarks, r.CNPs, r.Pauses, r.Drops,
				slowest(r), r.Summary.Flows[:3], first(r.Summary.Queues), first(r.BusiestLinks))
		}
	}
}

// flow returns the figures of a flow.
func flow(r ran, name string) result.FlowFigures {
	i := slices.IndexFunc(r.Summary.Flows, func(f result.FlowFigures) bool { return f.Name == name })
	return r.Summary.Flows[i]
}

// dataLinks counts the links to and from switches of a tier that carried data.
func dataLinks(r ran, tier string) (n int) {
	of := map[string]string{}
	for l := range r.Run.Links() {
		of[l.From] = l.Tier
	}
	for l := range r.Run.Links() {
		if (of[l.From] == tier || of[l.To] == tier) && l.DataBytes > 0 {
			n++
		}
	}
	return n
}

// within reports whether a flow took this long, to one percent.
func within(r ran, name string, d unit.Duration) bool {
	fct := flow(r, name).Took()
	return fct > d-d/100 && fct < d+d/100
}

// slowest returns when the last flow ended.
func slowest(r ran) (last unit.Time) {
	for _, f := range r.Summary.Flows {
		last = max(last, f.Start.Add(f.Took()))
	}
	return last
}

func allOf[T any](list []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(list, func(e T) bool { return !ok(e) })
}

// first returns the first of a list, or nothing.
func first[T any](list []T) any {
	if len(list) == 0 {
		return "none"
	}
	return list[0]
}

// A host that always has something planned does not handle the same event again and again.
func TestEventsDoNotMultiply(t *testing.T) {
	r := run(t, example(t, "digits-incast"), Options{})
	// A hop is two events, an operation or message of a rank a few.
	if most := 3*r.PacketHops + 50*8*200; r.Summary.Events > most {
		t.Errorf("%d events for %d packet-hops and 50 steps of 8 ranks, want at most %d", r.Summary.Events, r.PacketHops, most)
	}
}
