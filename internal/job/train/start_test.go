package train

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// broadcast gives a training the start phase in which the first rank of each data-parallel group
// sends its parameters to the others.
func broadcast(t interface{ Fatal(...any) }, cfg Config, chunks int) {
	err := cfg.Work.Broadcast(func(g *workload.Group, _ unit.Bytes) (coll.Schedule, error) {
		order := make([]int32, len(g.Ranks))
		for i := range order {
			order[i] = int32(i)
		}
		return coll.TreeBroadcast([][]int32{order}, chunks)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// starts lets go of what ranks need in their start phases alone.
type starts struct{ *Job }

func (s starts) Step(rec exec.StepRecord, _ []exec.Wait) {
	if rec.Step == workload.StartStep {
		s.Started(rec.Rank)
	}
}

func (starts) Operation(exec.OperationRecord) {}

// started runs a training whose ranks let go of what served their start phases.
func started(t interface{ Fatal(...any) }, cfg Config, net exectest.Net) *Job {
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	d := exectest.New(net, j)
	for r := range cfg.Work.Ranks() {
		d.Add(exec.Config{Rank: int32(r), Job: cfg.Work, Steps: j.Steps(), Body: j, Observer: starts{j}})
	}
	if _, err := d.Run(); err != nil {
		t.Fatal(err)
	}
	return j
}

// With a broadcast at the start, and batches that come while another is worked on, whatever the
// layout and the network and whenever bodies really run, weights and losses are those of ranks that
// begin equal and copy nothing.
func TestTheStartChangesNoBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLayout(t)
		if l.Schedule != workload.Interleaved && rapid.Bool().Draw(t, "tensor") {
			l.TP, l.PP, l.sizes = 2, min(l.PP, 2), shared
		}
		equalStart := train(t, l.config(t), anyNet(t), nil)
		cfg := l.config(t)
		if rapid.Bool().Draw(t, "prefetch") {
			if err := cfg.Work.Prefetch(240, 24); err != nil {
				t.Fatal(err)
			}
		}
		broadcast(t, cfg, rapid.IntRange(1, 9).Draw(t, "chunks"))
		net := anyNet(t)
		net.Host = 10 * unit.MegabitPerSec
		j := started(t, cfg, net)
		for r := range int32(cfg.Work.Ranks()) {
			if !equal(j.Weights(r), equalStart.Weights(r)) {
				t.Fatalf("rank %d has other weights than without a start", r)
			}
			for i := range cfg.Work.Collectives {
				s := &j.ranks[r].staging[i]
				if cfg.Work.Collectives[i].Once && (s.bytes() > 0 || s.free != nil) {
					t.Fatalf("rank %d keeps the staging of %s", r, cfg.Work.Collectives[i].Name)
				}
			}
		}
		for s := range j.Steps() {
			if j.Loss(s) != equalStart.Loss(s) {
				t.Fatalf("step %d: loss %v, without a start %v", s, j.Loss(s), equalStart.Loss(s))
			}
		}
	})
}

// Until the broadcast has come, all that a rank but the first of its group has is NaN; the first has
// it all. Each group has its broadcast, named as it is.
func TestParametersBeforeTheBroadcast(t *testing.T) {
	l := layout{Layout: workload.Layout{DP: 3, TP: 2, PP: 2}, batch: 2, steps: 1, sizes: shared}
	cfg := l.config(t)
	broadcast(t, cfg, 4)
	j, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for r := range cfg.Work.Ranks() {
		first := cfg.Work.Training.Layout.Coord(r).Data == 0
		for i, w := range j.Weights(int32(r)) {
			if math.IsNaN(float64(w)) == first {
				t.Fatalf("rank %d begins with %v as parameter %d", r, w, i)
			}
		}
	}
	var names []string
	for _, c := range cfg.Work.Collectives {
		if c.Once {
			names = append(names, c.Name)
		}
	}
	if want := []string{"broadcast.stage1.part1", "broadcast.stage1.part2", "broadcast.stage2.part1",
		"broadcast.stage2.part2"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// With one replica there is nothing to send.
func TestOneReplicaBroadcastsNothing(t *testing.T) {
	cfg := layout{Layout: workload.Layout{PP: 2}, batch: 2, steps: 1}.config(t)
	broadcast(t, cfg, 4)
	if cfg.Work.Starts() {
		t.Error("there is a start phase")
	}
}
