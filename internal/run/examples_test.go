package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// example reads a file of examples; a training is cut to few steps on few images.
func example(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "examples", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const set = "digits: {dir: data/digits, train: 60000, test: 10000, seed: 1}"
	text := strings.Replace(string(b), "data:\n      "+set, "data: "+digits(t), 1)
	if strings.Contains(text, "data/digits") {
		t.Fatalf("%s: no data as expected:\n%s", name, text)
	}
	return strings.Replace(text, "epochs: 3", "epochs: 9\n    steps: 50", 1)
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
			return r.ECNMarks+r.CNPs+r.Pauses+r.Drops+r.Retransmits == 0 && r.Overlap != nil && *r.Overlap > 0 && 2*r.StepSplit.Mean.Dependency > r.StepTime
		}},
		{"digits-incast", func(r ran) bool {
			return r.ECNMarks > 0 && r.CNPs > 0 && r.Pauses > 0 && r.Drops == 0 && r.Pausing[0].Port == "host1/rail1" &&
				r.BusiestLinks[0].Port == "rail1/host2" && r.StepSplit.Mean.Pause > 0 && r.VirtualTime > clean+clean/4
		}},
		{"lossy", func(r ran) bool {
			return r.Drops > 0 && r.Retransmits > r.Drops && r.ECNMarks+r.Pauses == 0 && r.StepSplit.Mean.Retransmission > 0 && r.VirtualTime > clean+clean/4
		}},
		{"incast", func(r ran) bool { return r.ECNMarks > 0 && r.CNPs > 0 && r.Pauses > 0 && r.Drops == 0 }},
		{"ecn-only", func(r ran) bool { return r.ECNMarks > 0 && r.CNPs > 0 && r.Pauses == 0 && r.Drops > 0 }},
		{"pfc-only", func(r ran) bool {
			return r.ECNMarks+r.CNPs == 0 && r.Pauses > 1000 && r.Drops == 0 && r.BusiestLinks[0].Utilisation > 0.99
		}},
	} {
		r := run(t, example(t, e.name), Options{Workers: -1})
		if !e.shows(r) {
			t.Errorf("%s: %d marks, %d CNPs, %d pauses, %d drops, %d retransmissions, %v; longest held %v, busiest %v, split %+v", e.name, r.ECNMarks, r.CNPs, r.Pauses,
				r.Drops, r.Retransmits, r.VirtualTime, first(r.Pausing), first(r.BusiestLinks), r.StepSplit)
		}
		if e.name == "digits-8gpu" {
			weights, clean = r.WeightsSHA256, r.VirtualTime
		}
		if r.Kernel != "" && r.WeightsSHA256 != weights {
			t.Errorf("%s: other weights than digits-8gpu", e.name)
		}
		for _, f := range r.Summary.Flows {
			if f.Kind == result.KindJob && f.Status != result.StatusDone {
				t.Errorf("%s: flow %s is %s", e.name, f.Name, f.Status)
			}
		}
	}
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
	if most := 3*r.PacketHops + 50*8*200; r.Events > most {
		t.Errorf("%d events for %d packet-hops and 50 steps of 8 ranks, want at most %d", r.Events, r.PacketHops, most)
	}
}
