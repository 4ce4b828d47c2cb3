package run

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/job/train"
	"railyard/internal/job/workload"
	"railyard/internal/plan/plan"
)

// expertLayout is a training of experts over ranks on hosts with so many GPUs.
type expertLayout struct {
	gpus, dp, ep, pp, micro, count, top, shared, every int
	capacity                                           float64
	zero                                               int
	gated                                              bool
	way, precision                                     string
	over                                               int // in weather
}

func drawExpertLayout(rng *rand.Rand) (l expertLayout) {
	l.gpus, l.ep, l.pp, l.micro = 1+rng.IntN(2), 2<<rng.IntN(2), 1+rng.IntN(2), 1+rng.IntN(2)
	if l.ep == 2 {
		l.gpus = 1 // else they are on one host, and nothing crosses the network
	}
	l.dp = l.ep * (1 + rng.IntN(2))
	l.count, l.top, l.shared, l.every = l.ep*(1+rng.IntN(2)), 1+rng.IntN(2), rng.IntN(2), 1
	if l.pp == 1 {
		l.every += rng.IntN(2)
	}
	l.capacity = []float64{0, 0, 0.75, 1.25}[rng.IntN(4)]
	l.way = []string{"direct", "pairwise", "rails", "two-level"}[rng.IntN(4)]
	l.precision = []string{"fp32", "fp32", "bf16"}[rng.IntN(3)]
	l.over = rng.IntN(len(weather))
	l.zero, l.gated = rng.IntN(2), rng.IntN(2) == 1
	if l.gated {
		l.top = min(l.count, 3)
	}
	return l
}

func (l expertLayout) yaml() string {
	w := weather[l.over]
	return fmt.Sprintf(`
cluster: {hosts: %d, host: {gpus: %d}, nic: {speed: 25Gb/s}}
%s%s
job:
  train: {model: gpt, gpt: {size: 16, blocks: 2, heads: 2, factor: 2, gated: %v,
      experts: {count: %d, top: %d, capacity: %v, shared: %d, every: %d, balance: 0.1}},
    batch: %d, epochs: 1, steps: 3, lr: 0.05, precision: %s, data: {text: {window: 8, grammar: {train: 300, test: 20}}}}
  parallel: {dp: %d, ep: %d, pp: %d, micro_batches: %d, zero: %d}
  collective: {all_to_all: %s}
output: {experts: true}
`, max(l.dp*l.pp/l.gpus, 5), l.gpus, strings.Replace(w.fabric, "fabric: {", "fabric: {design: rail-optimized, ", 1), w.background,
		l.gated, l.count, l.top, l.capacity, l.shared, l.every, 2*l.micro, l.precision, l.dp, l.ep, l.pp, l.micro, l.zero, l.way)
}

// passesOn reports whether ranks pass on what others send each other.
func (l expertLayout) passesOn() bool { return l.way == "two-level" && l.gpus > 1 && l.ep > l.gpus }

// Experts in any layout, over a network that drops, marks and pauses, end with the oracle's weights, bit for bit; and what each two
// ranks on different hosts send each other for experts in a step is what was counted, to the byte. Three layouts in the quick
// test, the last of them in two levels; RAILYARD_LAYOUTS=20 says how many.
func TestLayoutsOfExpertsOnTheNetwork(t *testing.T) {
	n, rng := 3, rand.New(rand.NewPCG(43, 20))
	if s := os.Getenv("RAILYARD_LAYOUTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		l := drawExpertLayout(rng)
		for i == n-1 && !l.passesOn() {
			l = drawExpertLayout(rng)
		}
		t.Run(fmt.Sprintf("%d: %+v", i, l), func(t *testing.T) {
			cfg := referenceOfText(t, l.yaml())
			cfg.Replicas = l.dp
			want, err := train.Oracle(cfg)
			if err != nil {
				t.Fatal(err)
			}
			r := run(t, l.yaml(), Options{Workers: 2})
			if r.WeightsSHA256 != train.Digest(want.Weights[0]) {
				t.Errorf("other weights than the oracle's")
			}
			l.compareBytes(t, r)
		})
	}
}

// sent is what a rank has sent another in a step.
type sent struct{ step, from, to int32 }

// compareBytes holds the bytes on the wire against what the router counted.
func (l expertLayout) compareBytes(t *testing.T, r ran) {
	t.Helper()
	p, err := plan.New(read(t, l.yaml()), plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	group := map[int32][]int32{} // by rank
	for _, g := range p.Jobs[0].Work.Groups {
		if g.Kind == workload.GroupKindExpert {
			for _, m := range g.Ranks {
				group[m] = g.Ranks
			}
		}
	}
	word, host := int64(4), func(rank int32) int32 { return rank / int32(l.gpus) }
	if l.precision == "bf16" {
		word = 2
	}
	leaves := func(from, to int32) int32 { // by which rank of its host
		if l.way != "two-level" {
			return from
		}
		return host(from)*int32(l.gpus) + to%int32(l.gpus)
	}
	want, got := map[sent]int64{}, map[sent]int64{}
	for _, e := range rows(t, r.Experts()) {
		members := group[e.Rank]
		to := members[int(e.Expert)*l.ep/l.count]
		if e.Expert == 0 { // the counts of each micro-batch: 4 bytes for each expert of another
			for _, m := range members {
				experts := l.count / l.ep
				if l.passesOn() { // or for all experts, since everybody has to know
					experts = l.count
				}
				if host(m) != host(e.Rank) {
					want[sent{e.Step, e.Rank, m}] += int64(l.micro) * int64(experts) * 4
				}
			}
		}
		if host(to) == host(e.Rank) {
			continue
		}
		moved := 2 * (e.Tokens - e.Dropped) * 16 * word // rows there and their gradients; and as much back
		want[sent{e.Step, leaves(e.Rank, to), to}] += moved
		want[sent{e.Step, leaves(to, e.Rank), e.Rank}] += moved
	}
	rank := func(name string) int32 {
		var h, g int32
		if _, err := fmt.Sscanf(name, "host%d/gpu%d", &h, &g); err != nil {
			t.Fatal(err)
		}
		return (h-1)*int32(l.gpus) + g
	}
	for _, f := range rows(t, r.Run.Flows()) {
		if strings.HasPrefix(f.Group, "expert-parallel") {
			got[sent{f.Step, rank(f.Src), rank(f.Dst)}] += int64(f.Bytes)
		}
	}
	if len(want) == 0 {
		t.Error("nothing was to be sent")
	}
	for k, n := range want {
		if got[k] != n {
			t.Errorf("%+v: %d bytes were sent, %d were counted", k, got[k], n)
		}
	}
	for k, n := range got {
		if want[k] == 0 {
			t.Errorf("%+v: %d bytes were sent, none were counted", k, n)
		}
	}
}
