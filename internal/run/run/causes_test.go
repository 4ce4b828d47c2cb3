package run

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/out/result"
)

// The explanation adds up: of every message, and of every step of every rank.
func TestCausesSum(t *testing.T) {
	for _, w := range weather {
		t.Run(w.name, func(t *testing.T) {
			r := run(t, cluster8(5)+w.fabric+w.background+training(t, 8, 2), Options{})
			done := 0
			for _, f := range rows(t, r.Run.Flows()) {
				split := f.Causes.Split()
				if f.Status == result.StatusUnfinished {
					continue
				}
				done++
				if split.Sum() != f.FCT || f.FCT != f.Placed.Sub(f.Posted) {
					t.Fatalf("flow %d %s: causes sum to %v, it took %v, placed after %v", f.ID, f.Name, split.Sum(),
						f.FCT, f.Placed.Sub(f.Posted))
				}
				for c, d := range split {
					if d < 0 {
						t.Fatalf("flow %d %s: %v of %v", f.ID, f.Name, d, cause.Cause(c))
					}
				}
			}
			steps := rows(t, r.Run.Steps())
			if done < 8*2*4*7 || len(steps) != 8+8*8 {
				t.Fatalf("%d messages and %d steps", done, len(steps))
			}
			mean := cause.Split{}
			for _, s := range steps {
				split := s.Causes.Split()
				if split.Sum() != s.End.Sub(s.Start) {
					t.Fatalf("step %d of rank %d: causes sum to %v, it took %v", s.Step, s.Rank, split.Sum(),
						s.End.Sub(s.Start))
				}
				if s.Overlap > s.Comm || s.Comm > s.End.Sub(s.Start) || (s.Loss == nil) != (s.Step < 0) {
					t.Fatalf("step %d of rank %d: %+v", s.Step, s.Rank, s)
				}
				if s.Step >= 0 {
					mean.Add(&split)
				}
			}
			for c, d := range r.StepSplit.Mean.Split() {
				if d != mean[c]/64 {
					t.Errorf("mean %v in the summary is %v, in the table %v", cause.Cause(c), d, mean[c]/64)
				}
			}
		})
	}
}

// Ranks follow one another without a gap, and the flows of the table are those of the schedule: two
// buckets, 2 (n-1) messages per channel over each of the links that leave a host; in the start phase
// two chains, which rank 0 begins in the middle of a host in one of them: 3 edges between hosts.
func TestTablesAreWhole(t *testing.T) {
	const steps, channels, buckets, perStep, edges = 3, 2, 2, 14, 3
	r := run(t, cluster8(2)+training(t, steps, channels), Options{})
	end := map[int32]result.StepRow{}
	for _, s := range rows(t, r.Run.Steps()) {
		if last, ok := end[s.Rank]; ok && (s.Start != last.End || s.Step != last.Step+1) {
			t.Errorf("rank %d: step %d starts at %v, step %d ended at %v", s.Rank, s.Step, s.Start, last.Step, last.End)
		}
		end[s.Rank] = s
	}
	inSteps, inStart := 0, 0
	for _, f := range rows(t, r.Run.Flows()) {
		if f.Step < 0 {
			inStart++
		} else {
			inSteps++
		}
	}
	if inSteps != steps*channels*buckets*2*perStep || inStart != edges {
		t.Errorf("%d messages between hosts in steps, %d before, want %d and %d", inSteps, inStart,
			steps*channels*buckets*2*perStep, edges)
	}
	sent := int64(0)
	for _, l := range rows(t, r.Run.Links()) {
		sent += l.TxPackets
	}
	if sent != r.PacketHops {
		t.Errorf("links carried %d packets, the run counts %d packet-hops", sent, r.PacketHops)
	}
	operations := map[string]int{}
	for _, o := range rows(t, r.Run.Operations()) {
		operations[o.Name]++
	}
	for name, n := range operations {
		want := steps * 8
		if name == "broadcast" {
			want = 8
		}
		if n != want {
			t.Errorf("operation %s: %d times, want %d", name, n, want)
		}
	}
	if k := keys(t, r.path); k["scenario"] == nil || k["weights_sha256"] == "" || k["kernel"] != "portable" {
		t.Errorf("run.json has no scenario, weights or kernel")
	}
}
