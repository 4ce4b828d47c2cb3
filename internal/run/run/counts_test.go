package run

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/splitmix"
	"railyard/internal/plan/scenario"
)

// What a collective sends over NICs is forecast to the message, and what packet-hops two more runs of it take where
// nothing is marked or lost: whatever the algorithm that is named or that NCCL's model takes, its protocol and channels, hosts and
// GPUs. A run ends with its last collective, before the last credits and acknowledgements are there, sooner or later by a few frames.
func TestCountsOfCollectives(t *testing.T) {
	const few = 32 // packet-hops
	draw := splitmix.Stream(37)
	one := func(of ...string) string { return of[draw.Next()>>11%uint64(len(of))] }
	algorithms := map[string][]string{
		"all-reduce": {"auto", "ring", "chain", "tree", "double-tree", "halving-doubling", "hierarchical", "nvls-tree"},
		"all-gather": {"auto", "ring", "doubling", "hypercube", "direct", "pairwise"}, "reduce-scatter": {"ring", "halving", "direct"},
		"broadcast": {"auto", "tree"}, "reduce": {"chain", "tree"}, "all-to-all": {"direct", "pairwise", "rails", "two-level"},
		"gather": {"auto"}, "scatter": {"auto"}, "send-receive": {"auto"},
	}
	between := 0
	for range 48 {
		op := one("all-reduce", "all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "all-to-all", "gather", "scatter",
			"send-receive")
		yaml := fmt.Sprintf("cluster: {hosts: %s, host: {gpus: %s}}\nfabric: {design: %s, qos: {ecn: {enabled: false}}}\n"+
			"congestion: {algorithm: none}\njob: {collectives: [{op: %s, algorithm: %s, protocol: %s, bytes: %s, channels: %s, "+
			"iterations: %s, warmup: 0}]}\n", one("2", "3", "4", "6"), one("1", "2", "4"), one("rail-optimized", "single-switch"), op,
			one(algorithms[op]...), one("auto", "none", "ll", "ll128", "simple"), one("1KiB", "24KiB", "256KiB", "2MiB"),
			one("auto", "2", "4"), "1")
		sc, err := scenario.Parse("drawn.yaml", []byte(yaml))
		if err != nil {
			continue // not every algorithm has every group
		}
		in, err := Inspect(sc)
		if err != nil {
			continue
		}
		r := run(t, yaml, Options{})
		thrice := strings.Replace(yaml, "iterations: 1", "iterations: 3", 1)
		more, err := Inspect(read(t, thrice))
		if err != nil {
			t.Fatal(err)
		}
		e, messages := &in.Estimate, int64(len(rows(t, r.Run.Flows())))
		if between += int(messages); e.NICMessages != messages || e.PacketHops < r.PacketHops {
			t.Errorf("%d messages and %d packet-hops forecast, %d and %d taken:\n%s", e.NICMessages, e.PacketHops,
				messages, r.PacketHops, yaml)
		}
		said, took := more.Estimate.PacketHops-e.PacketHops, run(t, thrice, Options{}).PacketHops-r.PacketHops
		if d := said - took; d < -few || d > few {
			t.Errorf("%d packet-hops of two more forecast, %d taken:\n%s", said, took, yaml)
		}
	}
	if between < 5_000 {
		t.Errorf("%d messages over NICs in all, want many more", between)
	}
}
