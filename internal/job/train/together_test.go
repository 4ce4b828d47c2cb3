package train

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// A training with batch norms that goes on from any step ends as one that never stopped, running statistics among the rest.
func TestBatchNormsGoOn(t *testing.T) {
	for _, zero := range []workload.Zero{workload.ZeroNone, workload.ZeroParameters} {
		cfg := ofNetwork(t, "resnet", layout{Layout: workload.Layout{DP: 2, PP: 2, MicroBatches: 2, Zero: zero}, batch: 4, steps: 4,
			with: momentum})
		whole := kept(t, cfg, exectest.Net{})
		last := whole.states[3]
		for at := 1; at < 4; at++ {
			cfg.Start = &whole.states[at-1]
			rest := kept(t, cfg, exectest.Net{})
			got := rest.states[len(rest.states)-1]
			if got.Step != last.Step || !equal(got.Params, last.Params) || !slices.EqualFunc(got.Optimiser, last.Optimiser, equal) {
				t.Errorf("zero %d: from step %d other weights or statistics than without a stop", zero, at)
			}
		}
		for _, r := range cfg.Model.Running() {
			if equal(last.Params[r.At:r.At+r.Elems], whole.states[2].Params[r.At:r.At+r.Elems]) {
				t.Errorf("zero %d: statistics at %d did not move", zero, r.At)
			}
		}
	}
}

// Each batch norm has, for each micro-batch, one sum forward and one back, of 2 numbers a channel, forward of their count too;
// they have a group, in which each rank is once. Without replicas there is none.
func TestSumsOfBatchNorms(t *testing.T) {
	for micro := 1; micro <= 2; micro++ {
		l := workload.Layout{DP: 3, PP: 2, MicroBatches: micro}
		cfg := ofNetwork(t, "resnet", layout{Layout: l, batch: 2 * micro, steps: 1})
		var got []string
		posted := map[string]int{}
		for _, c := range cfg.Work.Collectives {
			if g := cfg.Work.Groups[c.Group]; g.Kind == workload.GroupKindStatistics {
				got = append(got, fmt.Sprintf("%s %d", strings.SplitN(c.Name, ".stage", 2)[0], c.Range.Elems))
				if cfg.Work.Buffers[c.Range.Buffer].Format != workload.Float32 || g.Size() != 3 {
					t.Errorf("%s is of %+v, over %d ranks", c.Name, cfg.Work.Buffers[c.Range.Buffer], g.Size())
				}
			}
		}
		want := []string{"moments.2 9", "sums.2 8", "moments.3 9", "moments-2.3 13", "moments-3.3 13", "sums.3 12", "sums-2.3 8",
			"sums-3.3 12", "moments.4 13", "sums.4 12"}
		var all []string
		for m := range micro {
			for _, w := range want {
				name, elems, _ := strings.Cut(w, " ")
				if micro > 1 {
					name += fmt.Sprintf(".m%d", m+1)
				}
				all = append(all, "allreduce."+name+" "+elems)
			}
		}
		slices.Sort(got)
		slices.Sort(all)
		if !slices.Equal(got, all) {
			t.Errorf("%d micro-batches: sums %v, want %v", micro, got, all)
		}
		j, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		d := exectest.New(exectest.Net{Rate: unit.GigabitPerSec, Posted: func(_ unit.Time, m exec.Message) {
			posted[cfg.Work.Groups[cfg.Work.Collectives[m.Coll].Group].Kind]++
		}}, j)
		for r := range cfg.Work.Ranks() {
			d.Add(exec.Config{Rank: int32(r), Job: cfg.Work, Steps: 1, Body: j})
		}
		if _, err := d.Run(); err != nil || posted[workload.GroupKindStatistics] == 0 {
			t.Errorf("%v, messages %v", err, posted)
		}
	}
	alone := ofNetwork(t, "resnet", layout{Layout: workload.Layout{PP: 2, MicroBatches: 2}, batch: 4, steps: 1})
	if slices.ContainsFunc(alone.Work.Groups, func(g workload.Group) bool { return g.Kind == workload.GroupKindStatistics }) {
		t.Error("one replica sums statistics with itself")
	}
}

// A micro-batch with one value in a channel has no variance: it is refused by the key; one of two rows on two replicas is not.
func TestOneRowHasNoVariance(t *testing.T) {
	of := networks["batch norm"].of
	m, err := of.Model()
	if err != nil {
		t.Fatal(err)
	}
	lower := func(batch int, l workload.Layout) error {
		w := layout{Layout: l}
		_, err := workload.Lower(workload.Config{Layers: Layers(m), Batch: batch, Layout: l, Schedules: w.schedules, Device: device})
		return err
	}
	for _, l := range []workload.Layout{{MicroBatches: 4}, {TP: 2, MicroBatches: 4}} {
		if err := lower(4, l); err == nil || !strings.Contains(err.Error(), "takes the variance of a micro-batch, which has one value") {
			t.Errorf("%+v: %v", l, err)
		}
	}
	for _, l := range []workload.Layout{{DP: 2, MicroBatches: 4}, {MicroBatches: 2}} {
		if err := lower(4, l); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// Every operation of a layer that sums in its middle is known as part of a pass.
func TestPassesOfBatchNorms(t *testing.T) {
	cfg := ofNetwork(t, "resnet", layout{Layout: workload.Layout{DP: 2, PP: 2, MicroBatches: 2}, batch: 4, steps: 1})
	several := 0
	for i := range cfg.Work.Programs {
		for _, op := range cfg.Work.Programs[i].Ops {
			if op.Body < 0 {
				continue
			}
			w := cfg.Work.Bodies[op.Body]
			if w.Work != workload.Forward && w.Work != workload.Backward {
				continue
			}
			if w.Phase > 0 {
				several++
			}
			pass, layer, ok := workload.PassOf(op.Name)
			if !ok || layer != w.Layer || pass != (workload.Pass{Backward: w.Work == workload.Backward, Micro: w.Micro}) {
				t.Errorf("%s: %+v of layer %d, %v; want micro-batch %d of layer %d", op.Name, pass, layer, ok, w.Micro, w.Layer)
			}
		}
	}
	if several == 0 {
		t.Error("no layer has more than one phase")
	}
	for _, name := range []string{"forward-0x1.2", "forward-.2", "forward--2.2", "update-2.1", "loss-2"} {
		if _, _, ok := workload.PassOf(name); ok {
			t.Errorf("%s is part of a pass", name)
		}
	}
}
