package foresight

import (
	"fmt"
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/workload"
)

const expertModel = `
cluster: {hosts: 1, host: {gpus: 8, preset: hgx-h100}}
job:
  model: {layers: 2, hidden: 256, ffn: 512, heads: 4, vocabulary: 1000, sequence: 128, experts: 16, top_k: 2, batch: 32, steps: 1%s}
  parallel: {ep: 8, micro_batches: 2}
`

// What ranks send of positions is what was declared, to the byte, and of even shares what a formula says: each rank's copies but
// those for its own experts, four times in a layer. What a combine carries is what its dispatch did, the other way. In each layer
// the rank to which most comes computes longest.
func TestSkewedExpertsOfALargeModel(t *testing.T) {
	const ranks, copies, micro, layers, row = 8, 2 * 128 * 2, 2, 2, 256 * 2 // 2 rows of 128 positions, 2 copies; bf16
	for _, more := range []string{"", ", skew: 3", ", skew: 1000, capacity: 1.25"} {
		p := largePlan(t, fmt.Sprintf(expertModel, more))
		w := p.Jobs[0].Work
		sum := unit.Bytes(0)
		for i := range w.Collectives {
			c := &w.Collectives[i]
			if c.Counts == nil {
				continue
			}
			for m := range ranks {
				for b := range ranks {
					n := c.Counts.Declared(0, m, b)
					if m != b {
						sum += unit.Bytes(int64(n) * c.ElemBytes)
					}
					if n < 0 || int64(n) > c.Counts.Capacity {
						t.Fatalf("%s: %d elements, want 0 to %d", more, n, c.Counts.Capacity)
					}
					if before := &w.Collectives[max(i-1, 0)]; c.Counts.Back && before.Counts.Declared(0, b, m) != n {
						t.Fatalf("%s: %d elements come back from %d to %d, %d went", more, n, m, b, before.Counts.Declared(0, b, m))
					}
				}
			}
		}
		all, _ := StepBytes(p, &p.Jobs[0])
		counts := unit.Bytes(4 * 2 * ranks * (ranks - 1) * micro * layers) // two experts' for each other rank
		if all["experts"] != sum+counts {
			t.Errorf("%s: %d bytes in a step, counted %d", more, int64(all["experts"]), int64(sum+counts))
		}
		if want := unit.Bytes(4 * layers * micro * ranks * (ranks - 1) * (copies / 8) * row); more == "" && sum != want {
			t.Errorf("%d bytes of rows, want %d", int64(sum), int64(want))
		}
		for layer := range layers {
			name := fmt.Sprintf("expert.%d.m1", 3+2*layer)
			most, longest := 0, 0
			for r := range ranks {
				if got(w, r, name) > got(w, most, name) {
					most = r
				}
				if opOf(w, r, name).Duration > opOf(w, longest, name).Duration {
					longest = r
				}
			}
			if most != longest || more == "" && most != 0 || got(w, most, name) == got(w, (most+1)%ranks, name) && more != "" {
				t.Errorf("%s: %s: rank %d gets most, rank %d computes longest", more, name, most, longest)
			}
		}
	}
}

// opOf is an operation of a rank.
func opOf(w *workload.Job, rank int, name string) *workload.Op {
	ops := w.Program(int32(rank)).Ops
	i := slices.IndexFunc(ops, func(op workload.Op) bool { return op.Name == name })
	return &ops[i]
}

// got is how many elements come to a rank's experts before an operation of theirs.
func got(w *workload.Job, rank int, name string) (sum int) {
	c := &w.Collectives[opOf(w, rank, name).Counted.Coll]
	for m := range c.Schedule.Ranks() {
		sum += c.Counts.Declared(0, m, rank)
	}
	return sum
}

// There is room for what is declared: more where one rank gets more, and never more than the capacity.
func TestRoomForExpertsIsByWhatComes(t *testing.T) {
	held := func(more string) (rows, kept int64) {
		p := largePlan(t, fmt.Sprintf(expertModel, more))
		m := p.Jobs[0].Work.Memory(0)
		for i := range p.Jobs[0].Work.Buffers {
			if b := &p.Jobs[0].Work.Buffers[i]; b.Name == "expert-inbox" {
				rows = b.Elems / 256
			}
		}
		return rows, int64(m[workload.ActivationTerm])
	}
	even, evenKept := held("")
	skewed, skewedKept := held(", skew: 5")
	capped, cappedKept := held(", skew: 5, capacity: 1.5")
	// Of 256 copies of a row 32 for each rank; 5 of 12 parts, 107; 1.5 x 16 for each of two experts, 48: of 2 rows and 8 ranks.
	if even != 2*8*32 || skewed != 2*8*107 || capped != 2*8*48 {
		t.Errorf("room for %d, %d and %d copies, want %d, %d and %d", even, skewed, capped, 2*8*32, 2*8*107, 2*8*48)
	}
	// Of each copy that comes 256 numbers and 3 x 512 between, of 2 bytes, 2 rows, 2 micro-batches in flight one after the other.
	const each = (256 + 3*512) * 2 * 2 * 8 * 2
	if skewedKept-evenKept != (107-32)*each || cappedKept-evenKept != (48-32)*each {
		t.Errorf("%d and %d bytes more than evenly, want %d and %d", skewedKept-evenKept, cappedKept-evenKept, (107-32)*each, (48-32)*each)
	}
}
