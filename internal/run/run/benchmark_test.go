package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// benchmark is rows of collectives on hosts of 4 GPUs, with NICs of a rate.
func benchmark(hosts int, nic string, entries ...string) string {
	return fmt.Sprintf(`
cluster: {hosts: %d, host: {gpus: 4}, nic: {speed: %s}}
fabric: {spines: 1}
job:
  collectives:
    - {%s}
`, hosts, nic, strings.Join(entries, "}\n    - {"))
}

// every is a row for each collective with each of its algorithms that so many hosts can run and, in
// turn, a protocol.
func every(hosts int, bytes string) (entries []string) {
	for _, op := range scenario.CollectiveOps {
		for _, a := range scenario.RowAlgorithms {
			_, ok := coll.Algorithms[a.Name+"-"+op.Name]
			protocol := scenario.Protocols[len(entries)%len(scenario.Protocols)].Name
			switch {
			case !ok || a.Name == "nvls" && hosts > 1:
				continue
			case strings.HasPrefix(a.Name, "nvls"):
				protocol = "simple"
			}
			entries = append(entries, fmt.Sprintf("op: %s, bytes: %s, algorithm: %s, protocol: %s, iterations: 2", op.Name,
				bytes, a.Name, protocol))
		}
	}
	return entries
}

// crosses is the part of a buffer that must come into a place that is one of n alike, or leave it.
// What all end with depends on all: of each element of an all-reduce something enters each place,
// of a broadcast and a reduce enters or leaves each that is not the root's; of a gather and a
// scatter the others' parts that of the root. Of an all-to-all each of the ranks there has parts
// for others; in a ring one rank there sends all it has to another place.
func crosses(op string, n, ranks int64) unit.Ratio {
	switch op {
	case "all-gather", "reduce-scatter", "gather", "scatter":
		return unit.Ratio{Num: n - 1, Den: n}
	case "all-to-all":
		return unit.Ratio{Num: ranks * (n - 1), Den: n}
	}
	return unit.Ratio{Num: 1, Den: 1}
}

// Whatever the collective, the algorithm and the size: no link sends above its rate, and no time is
// below that of the cut around a host or around a GPU at the full rate of its links. Time is that
// from the first rank's start to the last rank's end; the mean over ranks, which rows have, may be
// less where only some ranks send over the cut.
func TestCollectivesKeepTheCutBound(t *testing.T) {
	for _, bytes := range []string{"8B", "64kB", "4MB"} {
		for _, hosts := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s on %d", bytes, hosts), func(t *testing.T) {
				entries := every(hosts, bytes)
				r := run(t, benchmark(hosts, "100Gb/s", entries...), Options{})
				if len(r.Collectives) != len(entries) {
					t.Fatalf("%d figures of %d rows", len(r.Collectives), len(entries))
				}
				host := read(t, benchmark(hosts, "100Gb/s", entries...)).Cluster.Host
				spans := timedSpans(t, r)
				for i, c := range r.Collectives {
					op, _, _ := strings.Cut(strings.TrimPrefix(entries[i], "op: "), ",")
					bound, some := bound(op, c.Bytes, hosts, host), op == "gather" || op == "scatter" || op == "send-receive"
					if span := spans[fmt.Sprintf("%s%d", op, i+1)]; span < bound*unit.Duration(c.Count) {
						t.Errorf("%s: %d runs in %v, below %d times the bound %v", entries[i], c.Count, span, c.Count, bound)
					}
					if c.Time < bound && !some || c.Time < host.Launch {
						t.Errorf("%s: %v, below the bound %v", entries[i], c.Time, bound)
					}
				}
				for _, l := range rows(t, r.Links()) {
					if sent := l.Rate.TransmitTime(l.TxBytes); sent > unit.Duration(r.VirtualTime) || l.Utilisation > 1 {
						t.Errorf("%s: %v of bytes in %v, utilisation %v", l.Port, sent, r.VirtualTime, l.Utilisation)
					}
				}
			})
		}
	}
}

// timedSpans is how long the timed runs of each row took, by what their operations are named for,
// from the first start on any rank to the last end.
func timedSpans(t *testing.T, r ran) map[string]unit.Duration {
	t.Helper()
	spans, began := map[string]unit.Duration{}, map[string]unit.Time{}
	for _, op := range rows(t, r.Operations()) {
		row, run, _ := strings.Cut(op.Name, ".")
		if run == "" || run[0] < '0' || run[0] > '9' { // a warm-up or a barrier
			continue
		}
		if at, seen := began[row]; !seen || op.Start < at {
			began[row] = op.Start
		}
	}
	for _, op := range rows(t, r.Operations()) {
		row, run, _ := strings.Cut(op.Name, ".")
		if at, timed := began[row]; timed && run[0] >= '0' && run[0] <= '9' {
			spans[row] = max(spans[row], op.End.Sub(at))
		}
	}
	return spans
}

// bound is the least time that links allow: around a host its NICs, around a GPU its NVLink and,
// where there are other hosts, the host's NICs.
func bound(op string, bytes unit.Bytes, hosts int, host scenario.Host) unit.Duration {
	nics, gpu := 4*100*unit.GigabitPerSec, host.NVLink
	cross := func(n, ranks int64, rate unit.Bitrate) unit.Duration {
		return rate.TransmitTime(unit.Bytes(crosses(op, n, ranks).Of(int64(bytes))))
	}
	if hosts == 1 {
		return cross(4, 1, gpu)
	}
	return max(cross(4*int64(hosts), 1, gpu+nics), cross(int64(hosts), 4, nics))
}

// Twice the rate of the NICs halves the time of what is large, and of what is small does not.
func TestTwiceTheRateHalvesTheTime(t *testing.T) {
	took := func(rate, bytes string) float64 {
		yaml := strings.Replace(benchmark(4, rate, "op: all-reduce, bytes: "+bytes), "gpus: 4", "gpus: 1", 1)
		return float64(run(t, yaml, Options{}).Collectives[0].Time)
	}
	if r := took("100Gb/s", "16MB") / took("200Gb/s", "16MB"); r < 1.93 || r > 2 {
		t.Errorf("16 MB: %.3f times as long at half the rate, want 2", r)
	}
	if r := took("100Gb/s", "8B") / took("200Gb/s", "8B"); r > 1.1 {
		t.Errorf("8 B: %.3f times as long at half the rate, want nearly 1", r)
	}
}

// A row counts as nccl-tests does: bytes over the mean time of its runs, times the factor of its
// collective; its time is that of the timed runs in the table of operations.
func TestFiguresOfRows(t *testing.T) {
	r := run(t, benchmark(2, "100Gb/s", "op: all-reduce, bytes: 1MB, iterations: 3, warmup: 2",
		"op: all-gather, bytes: 1MB, iterations: 2", "op: broadcast, bytes: 1MB, warmup: 0",
		"op: all-reduce, bytes: 0B", "op: all-to-all, bytes: 1MB", "op: gather, bytes: 1MB", "op: scatter, bytes: 1MB",
		"op: send-receive, bytes: 1MB"), Options{})
	factors := []unit.Ratio{{Num: 14, Den: 8}, {Num: 7, Den: 8}, {Num: 1, Den: 1}, {Num: 14, Den: 8},
		{Num: 7, Den: 8}, {Num: 7, Den: 8}, {Num: 7, Den: 8}, {Num: 1, Den: 1}}
	for i, c := range r.Collectives {
		if want := float64(c.Bytes) / c.Time.Seconds(); c.AlgBW != want || c.BusBW != want*factors[i].Float() {
			t.Errorf("%s: algbw %v, busbw %v, want %v and %v times it", c.Name, c.AlgBW, c.BusBW, want, factors[i])
		}
	}
	type rank struct{ began, ended unit.Time }
	timed := map[int32]rank{}
	for _, op := range rows(t, r.Operations()) {
		at := timed[op.Rank]
		switch op.Name {
		case "all-reduce1.1":
			at.began = op.Start
		case "all-reduce1.3":
			at.ended = op.End
		}
		timed[op.Rank] = at
	}
	sum := unit.Duration(0)
	for _, at := range timed {
		sum += at.ended.Sub(at.began)
	}
	if c := r.Collectives[0]; c.Count != 3 || c.Time != sum/8/3 || len(timed) != 8 {
		t.Errorf("%s: %d runs of %v, want 3 of %v", c.Name, c.Count, c.Time, sum/8/3)
	}
	if c := r.Collectives[3]; c.Bytes != 0 || c.Time == 0 {
		t.Errorf("nothing takes %v, want its launch", c.Time)
	}
	if r.Summary.Steps != 1 || r.StepsPlanned != 1 || r.SampleRate != 0 || r.FinalLoss != nil || r.WeightsSHA256 != "" {
		t.Errorf("%d of %d steps, %v samples/s, loss %v, weights %q: want one step and no training", r.Summary.Steps,
			r.StepsPlanned,
			r.SampleRate, r.FinalLoss, r.WeightsSHA256)
	}
}

// Partition and cores change nothing.
func TestBenchmarksAreDeterministic(t *testing.T) {
	yaml := benchmark(2, "100Gb/s", every(2, "100kB")...)
	one := run(t, yaml, Options{Islands: 1})
	for _, islands := range []int{1, 3} {
		if other := run(t, yaml, Options{Islands: islands}); digestOf(t, other.path) != digestOf(t, one.path) {
			t.Errorf("%d islands: another directory", islands)
		}
	}
}

// An interrupted benchmark keeps the rows that all ranks have ended.
func TestAnInterruptedBenchmark(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	yaml := benchmark(2, "100Gb/s", "op: all-reduce, bytes: 100kB", "op: all-reduce, bytes: 64MB, iterations: 100")
	r, err := tryRun(t, ctx, yaml, Options{often: true, Progress: func(p result.Progress) {
		if p.Phase == "collectives" && p.Done > 8 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r.State != result.Interrupted || len(r.Collectives) != 1 {
		t.Errorf("state %s, %d rows, %v: want an interrupted run with the first row", r.State, len(r.Collectives), err)
	}
}

// What an algorithm wants of the cluster is said at the row's key.
func TestRowsThatDoNotFit(t *testing.T) {
	_, err := NewPlan(read(t, benchmark(2, "100Gb/s", "op: all-reduce, bytes: 1MB",
		"op: all-reduce, bytes: 1MB, algorithm: double-tree, channels: 3")))
	if want := "job.collectives[1].algorithm: double-tree-all-reduce: 3 channels, want an even number"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
