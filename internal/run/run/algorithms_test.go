package run

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/train"
	"railyard/internal/plan/scenario"
)

// Whatever the algorithm of the all-reduce, in an empty network and in one that loses packets,
// every rank ends with the oracle's weights, bit for bit; and 6 ranks, no power of two, do with
// those that take any number on a host.
func TestWeightsEqualTheOraclesWithAnyAlgorithm(t *testing.T) {
	lossy := weather[len(weather)-1]
	for _, a := range scenario.CollectiveAlgorithms {
		job := strings.Replace(training(t, 6, 2), "channels: 2", "channels: 2, algorithm: "+a.Name, 1)
		ranks := map[string]string{"8 ranks": job}
		switch a.Name {
		case "nvls": // of one host: nothing is lost there
			continue
		case "ring", "chain", "halving-doubling":
			ranks["6 ranks"] = strings.Replace(job, "dp: 8", "dp: 6", 1)
		}
		for what, job := range ranks {
			want, err := train.Oracle(reference(t, cluster8(5)+job))
			if err != nil {
				t.Fatal(err)
			}
			for name, fabric := range map[string]string{"clean": "", lossy.name: lossy.fabric + lossy.background} {
				t.Run(a.Name+", "+what+", "+name, func(t *testing.T) {
					r := run(t, cluster8(5)+fabric+job, Options{Workers: -1})
					if name == lossy.name && !lossy.happened(r.Summary) {
						t.Errorf("%d drops, %d retransmissions", r.Drops, r.Retransmits)
					}
					for id, weights := range r.weights {
						if !equal(weights, want.Weights[id]) {
							t.Fatalf("rank %d differs from the oracle", id)
						}
					}
				})
			}
		}
	}
}

// Whatever the protocol, and with a switch that adds, every rank ends with the oracle's weights: LL
// sends twice the bytes and places each once.
func TestWeightsEqualTheOraclesWithAnyProtocol(t *testing.T) {
	lossy := weather[len(weather)-1]
	times := map[string]unit.Duration{}
	for _, how := range []string{"none", "ll", "ll128", "simple", "simple, algorithm: nvls", "ll, algorithm: double-tree"} {
		job := strings.Replace(training(t, 6, 2), "channels: 2", "channels: 2, protocol: "+how, 1)
		cluster, fabric := cluster8(5), lossy.fabric+lossy.background
		if strings.HasSuffix(how, "nvls") {
			cluster, fabric = "cluster: {hosts: 1, host: {gpus: 8}}\n", ""
		}
		want, err := train.Oracle(reference(t, cluster+job))
		if err != nil {
			t.Fatal(err)
		}
		for _, fabric := range []string{"", fabric} {
			r := run(t, cluster+fabric+job, Options{Workers: -1})
			for id, weights := range r.weights {
				if !equal(weights, want.Weights[id]) {
					t.Fatalf("%s: rank %d differs from the oracle", how, id)
				}
			}
			if fabric == "" {
				times[how] = r.VirtualTime.Sub(0)
			}
		}
	}
	if times["none"] >= times["ll"] || times["ll"] >= times["simple"] {
		t.Errorf("%v: want simple to take longer than ll, and that longer than none", times)
	}
}

// What an algorithm wants of the cluster is said at its key.
func TestAlgorithmsThatDoNotFit(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"channels: 1", "channels: 1, algorithm: double-tree",
			"job.collective.algorithm: double-tree-all-reduce: 1 channels, want an even number: half of them for " +
				"each tree"},
		{"dp: 8}\n  collective: {channels: 1", "dp: 6}\n  collective: {channels: 1, algorithm: hierarchical",
			"job.collective.algorithm: over hosts: 4 ranks on one host, 2 on another, want as many on each"},
		{"channels: 1", "channels: 1, algorithm: halving-doubling, slots: 2",
			"job.collective.slots: halving-doubling-all-reduce: 2 slots with credit, want a ring, chain, tree"},
		{"channels: 1", "channels: 1, algorithm: hierarchical, slices: 2",
			"job.collective.slices: hierarchical-all-reduce: pipeline of 2, want 1"},
	} {
		_, err := NewPlan(read(t, cluster8(2)+strings.Replace(training(t, 1, 1), c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}

// Slices, and slots that serve in turn, change when bytes travel and not which numbers are added: the weights of a ring
// are those without them, over NVLink and RDMA, also where frames of credits are lost.
func TestSlicesAndSlotsLeaveTheWeights(t *testing.T) {
	plain := training(t, 6, 2)
	want, err := train.Oracle(reference(t, cluster8(5)+plain))
	if err != nil {
		t.Fatal(err)
	}
	lost := "faults: [{link: all, drop: 1%}]\ntransport: {timeout: 100us, retries: 100}\n"
	for _, keys := range []string{"slices: 3", "slots: 1", "slices: 3, slots: 2", "slices: 4, slots: 4"} {
		for name, faults := range map[string]string{"clean": "", "lossy": lost} {
			t.Run(keys+", "+name, func(t *testing.T) {
				job := strings.Replace(plain, "channels: 2", "channels: 2, "+keys, 1)
				r := run(t, cluster8(5)+faults+job, Options{Workers: -1})
				if name == "lossy" && r.Drops+r.Retransmits == 0 {
					t.Error("nothing was lost")
				}
				for id, weights := range r.weights {
					if !equal(weights, want.Weights[id]) {
						t.Fatalf("rank %d differs from the oracle of the ring without them", id)
					}
				}
			})
		}
	}
}
