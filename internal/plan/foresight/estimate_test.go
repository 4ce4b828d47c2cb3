package foresight

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/learn/dataset"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// What is posted and not sent, and the test set, count for memory: by themselves they are over the
// limit.
func TestMemoryCountsWhatWaitsAndIsTested(t *testing.T) {
	waiting := "cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 25Gb/s}}\n" +
		"fabric: {design: single-switch}\njob: {flows: [" +
		strings.Repeat("{from: host1/gpu0, to: host2/gpu0, bytes: 4kB, count: 1000000, every: EVERY},", 12) + "]}"
	fast := EstimateOf(planned(t, strings.ReplaceAll(waiting, "EVERY", "10ns")), make([]dataset.Size, 1))
	slow := EstimateOf(planned(t, strings.ReplaceAll(waiting, "EVERY", "100us")), make([]dataset.Size, 1))
	if fast.OverLimit(0) == nil || slow.Memory > baseMemory+59*unit.Megabyte {
		t.Errorf("12 million messages that wait: %v; as many that do not: %v", fast.Memory, slow.Memory)
	}
	p := planned(t, plantest.Training(2, ""))
	one := EstimateOf(p, []dataset.Size{{Train: 400, Test: 100, Rows: 28, Cols: 28}})
	many := EstimateOf(p, []dataset.Size{{Train: 400, Test: 1_000_100, Rows: 28, Cols: 28}})
	// With the garbage that may be as many percent of it.
	if got, want := many.Memory-one.Memory, unit.Bytes(1_000_000*785*(100+Garbage)/100); got < want-200 || got > want+200 {
		t.Errorf("a million test images count %v", got)
	}
}

// What updates within a step is compared with one rank, which is the training once more, in memory
// of its own.
func TestTheComparisonWithOneRankIsEstimated(t *testing.T) {
	of := func(update string) Estimate {
		yaml := plantest.Training(2, "") + "  parallel: {pp: 2, dp: 1, update: " + update + "}\n"
		return EstimateOf(planned(t, yaml), []dataset.Size{{Train: 400, Rows: 28, Cols: 28}})
	}
	end, each := of("end"), of("each")
	const params = 784*1024 + 1024 + 1024*10 + 10
	want := unit.Bytes(2*4*params+4*784+8*(1024+10)) * (100 + Garbage) / 100
	if got := each.Memory - end.Memory; each.FLOP != 2*end.FLOP || got < want-200 || got > want+200 ||
		each.PacketHops != end.PacketHops {
		t.Errorf("%+v with one update a step, %+v with one for each micro-batch", end, each)
	}
}

// A run that needs more than the machine has free is refused as one over the limit is.
func TestForecastAgainstTheMachine(t *testing.T) {
	e := Estimate{Memory: 2 * unit.Gigabyte, Work: Work{PacketHops: 1}}
	for free, want := range map[unit.Bytes]string{0: "", 3 * unit.Gigabyte: "",
		unit.Gigabyte: "this machine, or its control group, has 1 GB free"} {
		if err := e.OverLimit(free); want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--force")) {
			t.Errorf("%v free: %v, want %q", free, err, want)
		}
	}
}

// The limit is on packet-hops that are simulated, as few as these may be; how long they take is their share.
func TestForecastOfWhatIsToldAgain(t *testing.T) {
	e := Estimate{Steps: 100, Work: Work{PacketHops: 3 * MaxHops}}.On(1, 0)
	if err := e.OverLimit(0); err == nil ||
		!strings.Contains(err.Error(), "about 30,000,000,000 packet-hops, the limit is 10,000,000,000") {
		t.Errorf("all simulated: %v", err)
	}
	e.Reuse = &Reuse{Steps: 3, Unlike: 1, PacketHops: 9 * MaxHops / 100}
	if e = e.On(2, 0); e.OverLimit(0) != nil || math.Abs(e.Reuse.Seconds/e.Seconds-0.03) > 1e-12 || e.Seconds == 0 {
		t.Errorf("three steps of a hundred: %v, %+v of %v s", e.OverLimit(0), e.Reuse, e.Seconds)
	}
	e.Reuse.PacketHops = MaxHops + 1
	if err := e.OverLimit(0); err == nil || !strings.Contains(err.Error(), "10,000,000,001 packet-hops at least, for 3 steps of its 100") {
		t.Errorf("three steps over the limit: %v", err)
	}
	e.Reuse.Unlike = 0.5
	if err := e.OverLimit(0); err == nil ||
		!strings.Contains(err.Error(), "10,000,000,001 packet-hops even if parts of a step that are alike") {
		t.Errorf("parts of steps over the limit: %v", err)
	}
}

// Background that would outlast the job is counted only as long as the job lasts.
func TestBackgroundEndsWithTheJob(t *testing.T) {
	q := plan.Pair{Kind: "background", Flow: &scenario.Flow{Count: 100, Every: 10 * unit.Microsecond},
		Start: unit.Time(5 * unit.Microsecond)}
	for job, want := range map[unit.Duration]int64{0: 0, 5 * unit.Microsecond: 1, 14 * unit.Microsecond: 1,
		15 * unit.Microsecond: 2, unit.Second: 100} {
		if got := posted(&q, job); got != want {
			t.Errorf("a job of %v: %d messages, want %d", job, got, want)
		}
	}
}

// A job on 32,768 GPUs is planned and refused by its estimate in a moment: a ring's messages, of
// which there are thousands of millions, are not counted one by one.
func TestAHugeJobIsRefusedByItsEstimate(t *testing.T) {
	in := inspected(t, plantest.Training(4096, ""))
	if n := len(in.Plan.Jobs[0].Placement.Ranks); n != 32_768 {
		t.Fatalf("%d ranks", n)
	}
	if plantest.Errors(in.Findings) != 1 || !strings.Contains(in.Findings[0].Message, "would need about") {
		t.Errorf("findings: %v", in.Findings)
	}
}

// The more operations a step has the fewer steps have their critical path found, and no job keeps
// more operations for it than three steps of one that is just not huge.
func TestPathsOfLargeJobs(t *testing.T) {
	for n, want := range map[int64]int64{1: 1, 1 << 20: 1, 1<<20 + 1: 10, 1 << 22: 10, 1<<22 + 1: firstPathOnly,
		3 << 22: firstPathOnly, 3<<22 + 1: 0} {
		if got := pathsEvery(n); got != want {
			t.Errorf("%d operations: every %d steps, want %d", n, got, want)
		}
		for steps := range int64(100) {
			if kept := n * pathSteps(n, steps); kept > 3<<22 || (kept > 0) != (want > 0) {
				t.Errorf("%d operations, %d steps: %d are kept", n, steps, kept)
			}
		}
	}
}

// A benchmark of 64 ranks with a path for each rail keeps its path: without one a link at half its rate is not named.
func TestABenchmarkOfRailsKeepsItsPath(t *testing.T) {
	p := planned(t, "cluster: {hosts: 8, host: {gpus: 8}, nic: {speed: 400Gb/s}}\nfabric: {design: rail-optimized, spines: 4}\njob:\n"+
		"  collectives: [{op: all-reduce, bytes: 256MB, warmup: 0, iterations: 2}]\n")
	if j := &p.Jobs[0]; PathsEvery(j) != 1 || scheduled(j) < 1<<18 {
		t.Errorf("a path every %d steps of %d operations", PathsEvery(j), scheduled(j))
	}
}

// A long benchmark keeps what its last collectives did, within the bound; one whose single collective is just not huge keeps that;
// of a huge one nothing is kept, and the estimate counts no record.
func TestALongBenchmarkKeepsItsLastCollectives(t *testing.T) {
	for _, c := range []struct {
		hosts, channels, iterations, want int
	}{{8, 16, 5, 1}, {8, 8, 2, 3}, {8, 8, 5, 2}, {16, 16, 3, 1}, {64, 16, 1, 0}} { // 3: with the barrier before the first
		p := &planned(t, fmt.Sprintf("cluster: {hosts: %d, host: {gpus: 8}}\nfabric: {design: rail-optimized}\njob:\n  collectives:\n"+
			"    - {op: all-reduce, bytes: 1GiB, algorithm: ring, channels: %d, iterations: %d, warmup: 0}\n", c.hosts, c.channels,
			c.iterations)).Jobs[0]
		all := len(p.Work.Collectives)
		each := operations(&p.Work.Collectives[all-1])
		every, from, kept := PathsEvery(p), int(PathsFrom(p)), pathOperations(p, 1)
		if all-from != c.want || (every > 0) != (c.want > 0) || kept > longOperations && c.want > 1 || kept > hugeOperations ||
			from > 0 && kept+each <= longOperations {
			t.Errorf("%+v: the last %d of %d are kept, of %d operations each, in all %d; a path every %d steps", c, all-from, all, each,
				kept, every)
		}
	}
}

// What held up a long message is kept span by span, for a critical path: 2 of each of its packets, at
// most 1024 in all. Over NVLink there are no packets.
func TestMemoryCountsSpansOfLongMessages(t *testing.T) {
	of := func(cluster, bytes string) int64 {
		p := planned(t, "cluster: {"+cluster+"}\njob: {collectives: [{op: all-reduce, bytes: "+bytes+", channels: 1, "+
			"algorithm: ring, protocol: none, warmup: 0, iterations: 1}]}")
		return pathMemory(p, &p.Jobs[0], 1, 1) - scheduled(&p.Jobs[0])*int64(traceMemory+tracedMemory)
	}
	// Two ranks send each other two messages of half the bytes, and before that one of a barrier.
	for bytes, spans := range map[string]int64{"8kB": 4 * 2, "819200B": 4 * 200, "1GB": 4 * 1024} {
		if got, want := of("hosts: 2, host: {gpus: 1}", bytes), (spans+2*2)*int64(spanMemory); got != want {
			t.Errorf("%s: %d bytes for spans, want %d", bytes, got, want)
		}
	}
	if got := of("hosts: 1, host: {gpus: 2}", "1GB"); got != 0 {
		t.Errorf("over NVLink: %d bytes for spans, want none", got)
	}
}

// A step with 1.8 million messages of hundreds of packets took 1.9 GB, with 60 million spans; the forecast has no more spans than a
// record keeps. With its layers told again it took 1.2 GB: those have no spans of their own.
func TestMemoryOfLongRingsIsBounded(t *testing.T) {
	for reuse, took := range map[string]unit.Bytes{"off": 1900 * unit.Megabyte, "auto": 1220 * unit.Megabyte} {
		p := largePlan(t, `
cluster: {hosts: 16, host: {preset: hgx-a100}, nic: {speed: 200Gb/s}}
fabric: {design: single-switch}
run: {reuse: `+reuse+`}
job:
  model: {layers: 36, hidden: 4096, ffn: 16384, heads: 32, vocabulary: 51200, sequence: 2048, gated: false, bias: true,
    norm: layer-norm, positions: learned, tied: true, dropout: true, attention: maps, batch: 512, recompute: full}
  parallel: {tp: 4, micro_batches: 1}
`)
		if got := EstimateOf(p, make([]dataset.Size, 1)).Memory; got < took || 2*got > 3*took {
			t.Errorf("reuse %s: a forecast of %v, and %v are taken", reuse, got.Human(), took.Human())
		}
	}
}

// A replay was forecast at a fifth of what it took, for nothing counted how its ranks stand in collectives and what is recorded of
// them, and others at many times of it, with what held up messages that are told again: measured with railyard run on Linux.
func TestMemoryOfReplays(t *testing.T) {
	for _, c := range []struct {
		hosts, buckets, steps int
		algorithm, bytes      string
		took                  unit.Bytes // the whole process
	}{
		{8, 20, 3, "tree", "25MiB", 207},
		{16, 50, 3, "tree", "25MiB", 285},
		{64, 50, 3, "tree", "1MiB", 586},
		{64, 50, 3, "tree", "25MiB", 1075},
		{64, 200, 3, "tree", "25MiB", 545},
		{16, 50, 3, "ring", "4MiB", 246},
		{8, 20, 3, "ring", "25MiB", 331},
		{8, 50, 3, "halving-doubling", "25MiB", 602},
	} {
		p := planned(t, fmt.Sprintf("cluster: {hosts: %d, host: {preset: hgx-h100}}\nfabric: {segment: %d, pods: %d, spines: 8, "+
			"superspines: 8, qos: {ecn: {enabled: false}, pfc: {enabled: true}}}\ncongestion: {algorithm: none}\njob:\n  replay:\n"+
			"    {steps: %d, forward: 20ms, update: 5ms, buckets: [%s]}\n  collective: {algorithm: %s}\n"+
			"output: {flows: false, queues: false}\n", c.hosts, c.hosts/8, 2+c.hosts/64*2, c.steps,
			strings.Repeat("{compute: 20ms, bytes: "+c.bytes+"},", c.buckets), c.algorithm))
		got, took := EstimateOf(p, make([]dataset.Size, 1)).Memory, c.took*unit.Megabyte
		if 3*got < 2*took || 2*got > 3*took {
			t.Errorf("%d hosts, %d x %s, %s: a forecast of %v, and %v are taken", c.hosts, c.buckets, c.bytes, c.algorithm, got.Human(),
				took.Human())
		}
	}
}

// Where packets are sprayed, a forecast spreads them too: a permutation that the links carry together takes as
// long as one message alone and causes no CNPs, although the hash that a flow's path is shown by has collisions.
func TestForecastOfSprayedFlows(t *testing.T) {
	var b strings.Builder
	b.WriteString("cluster: {hosts: 16, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n" +
		"fabric: {design: leaf-spine, leaves: 4, spines: 3, links: {spine: 134Gb/s}, BALANCE}\nTRANSPORT\njob:\n  flows:\n")
	for i := range 16 {
		fmt.Fprintf(&b, "    - {from: host%d/gpu0, to: host%d/gpu0, bytes: 5MB}\n", i+1, (i+4)%16+1)
	}
	for balance, sprayed := range map[string]bool{"balance: ecmp": false, "balance: dlb": false, "balance: spray": true,
		"balance: glb, dlb: {mode: packet}": true, `switches: [{match: "leaf*", balance: spray}]`: true,
		"balance: ecmp; transport: {entropy: recycled, receiver: direct}": true} {
		balance, transport, _ := strings.Cut(balance, "; ")
		p := planned(t, strings.NewReplacer("BALANCE", balance, "TRANSPORT", transport).Replace(b.String()))
		crowded := slices.Contains(crowded(p), true)
		alone := (100 * unit.GigabitPerSec).TransmitTime(5_100_000) + p.BaseRTT(&p.Pairs[0])
		if took := jobTime(p, make([]int64, 1)); crowded == sprayed || (took < alone+alone/20) != sprayed {
			t.Errorf("%s: ports are crowded: %v; forecast %v, a message alone %v", balance, crowded, took, alone)
		}
	}
}
