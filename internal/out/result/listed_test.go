package result

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
)

// drawnFlows are flows of two jobs and the background, of which some had not begun and some were never done.
func drawnFlows(rng *rand.Rand, n int) (all []FlowFigures) {
	for i := range n {
		f := FlowFigures{Name: fmt.Sprint("flow", i), Kind: KindJob, Posted: rng.Int64N(4)}
		f.Job = []string{"a", "b", ""}[rng.IntN(3)]
		if f.Job == "" {
			f.Kind = KindBackground
		}
		if f.Done = rng.Int64N(f.Posted + 1); f.Done > 0 {
			f.FCT = new(unit.Duration(1 + rng.Int64N(1e9)))
		}
		all = append(all, f)
	}
	return all
}

// sums is what a reader makes of the flows of a summary, for all and for each job.
func sums(s *Summary) (text []string, means []float64) {
	for _, of := range []*Summary{s, s.OfJob(0), s.OfJob(1)} {
		for _, kind := range []string{KindJob, KindBackground} {
			posted, done, mean, slowest := of.FlowsOf(kind)
			text = append(text, fmt.Sprint(kind, of.AllFlows(), posted, done, slowest))
			means = append(means, mean)
		}
	}
	return text, means
}

// However many flows run.json lists, a reader finds the same figures, and the same flows as the slowest.
func TestFlowsThatAreNotListed(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 47))
		s := &Summary{Jobs: []JobFigures{{Job: "a"}, {Job: "b"}}, Flows: drawnFlows(rng, 1+rng.IntN(60))}
		kept := s.listed(rng.IntN(60))
		again := kept.listed(rng.IntN(20)) // of one that was read
		want, means := sums(s)
		for _, got := range []*Summary{kept, again} {
			text, found := sums(got)
			if len(got.Flows) < len(s.Flows) && len(got.LeftOut.Flows) == 0 || !slices.Equal(text, want) {
				t.Fatalf("seed %d: %d of %d flows: %v, want %v", seed, len(got.Flows), len(s.Flows), text, want)
			}
			for i := range means {
				if d := means[i] - found[i]; d < -2 || d > 2 { // what is left out is rounded to the picosecond, twice
					t.Errorf("seed %d: mean %v, want %v", seed, found[i], means[i])
				}
			}
			for i, one := range got.EachJob(1 + rng.IntN(3)) {
				if !reflect.DeepEqual(one, got.OfJob(i)) {
					t.Errorf("seed %d: job %d is %+v, want %+v", seed, i, one, got.OfJob(i))
				}
			}
			n := len(got.Flows)
			slowest := SlowestFlows(s.Flows, max(n-1, 0))
			for i, f := range SlowestFlows(got.Flows, max(n-1, 0)) {
				if f.Name != slowest[i].Name {
					t.Errorf("seed %d: the slowest %d is %s, want %s", seed, i, f.Name, slowest[i].Name)
				}
			}
			if !slices.IsSortedFunc(got.Flows, func(a, b FlowFigures) int {
				return strings.Compare(fmt.Sprintf("%9s", a.Name), fmt.Sprintf("%9s", b.Name))
			}) {
				t.Errorf("seed %d: not in the order of the scenario", seed)
			}
		}
	}
}

// run.json is as long as its reader takes, however many flows, queues and ports there are and however long their names.
func TestListsAreBounded(t *testing.T) {
	s := &Summary{State: Complete, Pausing: make([]PauseFigures, mostListed+7), Queues: make([]QueueFigures, mostListed+5),
		Watchdog: make([]WatchdogFigures, mostListed+3), Flows: drawnFlows(rand.New(rand.NewPCG(1, 1)), mostListed+1)}
	s.Queues[0].Port = "deepest"
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err == nil {
		err = d.Finish(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Flows) != mostListed+1 || s.LeftOut != nil {
		t.Error("the caller's summary was cut")
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := r.Summary
	if got.LeftOut == nil || got.LeftOut.Pausing != 7 || got.LeftOut.Queues != 5 || got.LeftOut.Watchdog != 3 ||
		got.AllFlows() != mostListed+1 || len(got.Flows) != mostListed || got.Queues[0].Port != "deepest" {
		t.Errorf("%d flows, left out %+v", len(got.Flows), got.LeftOut)
	}
	for i := range s.Flows[:100] {
		s.Flows[i].Name += strings.Repeat("x", 1000)
	}
	s.Flows = s.Flows[:100]
	b, err := marshalWithin(s, 100, 50_000)
	var short Summary
	if err == nil {
		err = json.Unmarshal(b, &short)
	}
	if err != nil || len(b) > 50_000 || short.AllFlows() != 100 || len(short.Flows) != 25 {
		t.Errorf("%d bytes, %d of %d flows, %v", len(b), len(short.Flows), short.AllFlows(), err)
	}
}
