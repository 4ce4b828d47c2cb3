package train

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/exec"
	"railyard/internal/job/exec/exectest"
	"railyard/internal/job/workload"
)

// With one micro-batch the weights are those of data parallelism to the last bit, whatever is held in
// shards, and with several while gradients are not. Those of shards of gradients and of parameters are
// the same. Layers may be in stages and in parts.
func TestShardsChangeNoBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLayout(t).anyPrecision(t)
		l.DP, l.Update, l.Stash = rapid.IntRange(2, 3).Draw(t, "replicas"), workload.UpdateEnd, false
		if l.TP = rapid.SampledFrom([]int{1, 2}).Draw(t, "tp"); l.TP > 1 {
			l.PP, l.sizes = min(l.PP, 2), shared
		}
		l.TPStyle = rapid.SampledFrom([]workload.TensorStyle{workload.Megatron, workload.BookStyle}).Draw(t, "style")
		var all [][]float32
		for l.Zero = range workload.ZeroParameters + 1 {
			j := train(t, l.config(t), anyNet(t), nil)
			for d := range l.DP {
				w := j.Gathered(d)
				if i := slices.IndexFunc(w, func(w float32) bool { return math.IsNaN(float64(w)) }); i >= 0 {
					t.Fatalf("zero %d, replica %d: weight %d is made of memory that nobody has written", l.Zero, d, i)
				}
				if d > 0 && !equal(w, all[l.Zero]) {
					t.Fatalf("zero %d: replica %d differs from the first", l.Zero, d)
				}
				if d == 0 {
					all = append(all, w)
				}
			}
		}
		if !equal(all[0], all[1]) || !equal(all[2], all[3]) || l.MicroBatches == 1 && !equal(all[0], all[2]) {
			t.Fatalf("zero 1 is 0: %v, 3 is 2: %v, 2 is 0: %v", equal(all[0], all[1]), equal(all[2], all[3]),
				equal(all[0], all[2]))
		}
	})
}

// payload is what the replicas send each other in a step: bytes summed over the ranks.
func payload(t *testing.T, l layout) (sum int64, cfg Config) {
	l.steps = 1
	cfg = l.config(t)
	train(t, cfg, exectest.Net{Posted: func(_ unit.Time, m exec.Message) {
		if cfg.Work.Groups[m.Group].Kind == workload.GroupKindData {
			sum += int64(m.Bytes)
		}
	}}, nil)
	return sum, cfg
}

// Rajbhandari et al., "ZeRO", SC 2020, section 7: per rank and of the parameters' bytes, with n
// replicas, a step sends 2(n-1)/n like data parallelism, and with shards of parameters 3(n-1)/n. With m
// micro-batches gradients in shards are summed m times, and parameters in shards gathered 2m times. Each has the
// bytes of its format.
func TestBytesOnTheWire(t *testing.T) {
	for _, micro := range []int{1, 2, 4} {
		m := int64(micro)
		for zero, times := range map[workload.Zero]struct{ gradients, parameters int64 }{workload.ZeroNone: {2, 0},
			workload.ZeroOptimiser: {1, 1}, workload.ZeroGradients: {m, 1}, workload.ZeroParameters: {m, 2 * m}} {
			for _, n := range []int64{2, 3, 4} {
				for _, bucket := range []unit.Bytes{0, 900, workload.BucketPerLayer} {
					for p, size := range map[workload.Precision]struct{ gradients, parameters int64 }{{}: {4, 4},
						{Wire: workload.BFloat16}: {2, 4}, {Weights: workload.BFloat16}: {4, 2},
						{Wire: workload.BFloat16, Weights: workload.BFloat16, Activations: workload.BFloat16}: {2, 2}} {
						l := layout{Layout: workload.Layout{DP: int(n), Zero: zero, MicroBatches: micro}, batch: 4, bucket: bucket,
							precision: p}
						got, cfg := payload(t, l)
						params := int64(cfg.Model.Params())
						if want := (times.gradients*size.gradients + times.parameters*size.parameters) * (n - 1) * params; got != want {
							t.Errorf("zero %d, %d replicas, %d micro-batches, buckets of %v, %+v: all ranks send %d bytes, want %d",
								zero, n, m, bucket, p, got, want)
						}
					}
				}
			}
		}
	}
}

// A rank holds its shard of what is in shards, and no more than two whole buckets beside it; nothing
// is left in those after a step. With P parameters, n replicas, and buckets of at most B elements:
//
//	           parameters   gradients    velocity
//	none       P            P            P
//	optimiser  P            P            P/n
//	gradients  P            P/n + 2B     P/n
//	parameters P/n + 2B     P/n + 2B     P/n
func TestWhatARankHolds(t *testing.T) {
	const n = 3
	for zero := range workload.ZeroParameters + 1 {
		l := layout{Layout: workload.Layout{DP: n, Zero: zero, MicroBatches: 2}, batch: 4, with: momentum, steps: 2,
			bucket: workload.BucketPerLayer}
		cfg := l.config(t)
		j := train(t, cfg, exectest.Net{}, nil)
		st := &j.work.Stages[0]
		all, bucket := st.Params(), int64(0)
		for _, k := range st.Buckets {
			bucket = max(bucket, k.Elems)
		}
		rounding := int64(2 * len(st.Buckets)) // a chunk of each of two channels may have one element more
		for id := range cfg.Work.Of {
			held := map[string]int64{}
			for b, memory := range j.ranks[id].buffers[:len(cfg.Work.Buffers)] {
				held[cfg.Work.Buffers[b].Name] = int64(len(memory))
			}
			for name, from := range map[string]workload.Zero{"velocity": workload.ZeroOptimiser,
				"gradients": workload.ZeroGradients, "parameters": workload.ZeroParameters} {
				whole, shard, buckets := held[name], held[name+".shard"], held[name+".buckets"]
				if zero < from {
					if whole != all || shard+buckets != 0 {
						t.Errorf("zero %d: %s: %d whole, %d, %d", zero, name, whole, shard, buckets)
					}
					continue
				}
				want := int64(workload.ZeroBuckets) * bucket
				if name == "velocity" {
					want = 0
				}
				if whole != 0 || shard*n < all || shard > all/n+rounding || buckets != want {
					t.Errorf("zero %d: %s: %d whole, %d of %d in a shard, %d in buckets, want %d", zero, name, whole, shard, all,
						buckets, want)
				}
			}
			for _, name := range []string{"gradients.buckets", "parameters.buckets"} {
				b := slices.IndexFunc(cfg.Work.Buffers, func(b workload.Buffer) bool { return b.Name == name })
				if b < 0 {
					continue
				}
				if i := slices.IndexFunc(j.ranks[id].buffers[b], func(v float32) bool {
					return !math.IsNaN(float64(v))
				}); i >= 0 {
					t.Errorf("zero %d, rank %d: element %d of %s is there after the step", zero, id, i, name)
				}
			}
		}
	}
}

// Each element of a stage's vectors is in the shard of one replica.
func TestShardsTile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLayout(t)
		l.DP, l.Update, l.Stash, l.Zero = rapid.IntRange(2, 4).Draw(t, "replicas"), workload.UpdateEnd, false, 1
		work := l.config(t).Work.Training
		for s := range l.PP {
			owners := make([]int, work.Stages[s].Params())
			for d := range l.DP {
				for _, span := range work.Shards[work.Layout.Rank(workload.Coord{Data: d, Stage: s})] {
					for i := range span.Elems {
						owners[span.Offset+i]++
					}
				}
			}
			if i := slices.IndexFunc(owners, func(n int) bool { return n != 1 }); i >= 0 {
				t.Fatalf("element %d of stage %d has %d owners", i, s+1, owners[i])
			}
		}
	})
}

// A message that is not placed whole shows, but for parameters that no backward takes: those of the
// first layer, and biases.
func TestALostByteOfAShardShows(t *testing.T) {
	for _, zero := range []workload.Zero{workload.ZeroOptimiser, workload.ZeroGradients, workload.ZeroParameters} {
		cfg := layout{Layout: workload.Layout{DP: 3, Zero: zero, MicroBatches: 2}, batch: 2, steps: 2,
			sigmoid: true}.config(t)
		oracle, err := Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		taken := func(m *exec.Message) bool { // the last element
			c := &cfg.Work.Collectives[m.Coll]
			if !strings.HasPrefix(c.Name, "allgather.backward") {
				return true
			}
			l, at := 1, int((m.From.Off+m.From.Len)/4-1-c.Range.Offset)
			for _, hi := cfg.Model.LayerRange(l); hi <= at; _, hi = cfg.Model.LayerRange(l) {
				l++
			}
			weights := cfg.Model.Tensors(l)[0]
			return weights.Offset <= at && at < weights.Offset+weights.Elems()
		}
		total, shown := 1, 0
		for lost := 0; lost < total; lost++ {
			n, skip := 0, false
			var of exec.Message
			j := train(t, cfg, exectest.Net{Misplace: func(m *exec.Message) {
				if n == lost {
					of, skip = *m, !taken(m)
					m.From.Len -= 4
					m.To.Len -= 4
				}
				n++
			}}, nil)
			right := true
			for d, w := range oracle.Weights {
				right = right && equal(j.Gathered(d), w)
			}
			if total = n; right != skip {
				t.Errorf("zero %d: the weights are right: %v, without the last 4 bytes of a message of %s to rank %d", zero,
					right, cfg.Work.Collectives[of.Coll].Name, of.Dst)
			}
			if !right {
				shown++
			}
		}
		if shown < 32 {
			t.Errorf("zero %d: %d of %d messages show", zero, shown, total)
		}
	}
}

// States are kept and gone on from whatever is in shards, also by a layout that has others.
func TestStatesOfShards(t *testing.T) {
	of := func(zero workload.Zero) Config {
		return layout{Layout: workload.Layout{DP: 3, PP: 2, MicroBatches: 1, Zero: zero}, batch: 2, with: momentum,
			steps: 7}.config(t)
	}
	seed := stream{5}
	net := exectest.Net{Rate: unit.GigabitPerSec, BodyAt: exectest.AtStart,
		Latency: func(exec.Message) unit.Duration { return unit.Duration(seed.below(400)) * us }}
	whole := kept(t, of(workload.ZeroNone), net).states
	for zero := range workload.ZeroParameters + 1 {
		for i, s := range kept(t, of(zero), net).states {
			if want := whole[i]; !equal(s.Params, want.Params) || !slices.EqualFunc(s.Optimiser, want.Optimiser, equal) {
				t.Fatalf("zero %d: after step %d the state is another one", zero, i)
			}
		}
		cfg := of(zero)
		cfg.Start = &whole[3]
		rest := kept(t, cfg, net).states
		if last := len(rest) - 1; last != 2 || !equal(rest[last].Params, whole[6].Params) ||
			!slices.EqualFunc(rest[last].Optimiser, whole[6].Optimiser, equal) {
			t.Fatalf("zero %d: it goes on to another state", zero)
		}
	}
}

// Owners that differ between the two collectives would update what another rank hands out.
func TestOwnersThatDifferAreRefused(t *testing.T) {
	for want, other := range map[string]func([][]int32) (coll.Schedule, error){
		"leaves chunk 1 of channel 0 to rank 0, ring-all-gather takes it from rank 1": func(o [][]int32) (coll.Schedule, error) {
			return coll.RingAllGather([][]int32{{1, 0, 2}, o[1]})
		},
		"has 2 channels of 3 chunks of 1 slices, ring-all-gather 1 of 3 of 1": func(o [][]int32) (coll.Schedule, error) {
			return coll.RingAllGather(o[:1])
		},
		"are no reduce-scatter and all-gather": func(o [][]int32) (coll.Schedule, error) { return coll.RingAllReduce(o) },
	} {
		m := layout{batch: 1}.config(t).Model
		_, err := workload.Lower(workload.Config{Layers: Layers(m), Batch: 1,
			Layout: workload.Layout{DP: 3, Zero: workload.ZeroOptimiser},
			Schedules: func(g *workload.Group, c coll.Collective) (coll.Schedule, error) {
				if c == coll.AllGather {
					return other([][]int32{{0, 1, 2}, {2, 1, 0}})
				}
				return (&layout{}).schedules(g, c)
			}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
