package run

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/job/train"
	"railyard/internal/learn/nn"
)

// ways are how ranks share a transformer's layers.
var ways = map[string]string{"megatron": "", "sequence": ", sequence: true", "book": ", tensor: book"}

// A transformer in two parts of two stages and two replicas ends with the same weights over a clean fabric,
// a congested one and one that loses frames: those of the oracle but for last bits.
func TestTransformersInPartsInBadWeather(t *testing.T) {
	for way, key := range ways {
		job := fmt.Sprintf(`
job:
  train: {model: gpt, gpt: {size: 32, blocks: 1, heads: 2, factor: 2},
    data: {text: {window: 8, grammar: {train: 400, test: 20}}}, batch: 4, steps: 2, epochs: 9, lr: 0.2, clip: 0.5, bucket: layer}
  parallel: {dp: 2, tp: 2, pp: 2, micro_batches: 2%s}
  collective: {channels: 2}
`, key)
		cfg := referenceOfText(t, cluster8(5)+job)
		cfg.Replicas = 2
		want, err := train.Oracle(cfg)
		if err != nil {
			t.Fatal(err)
		}
		digest := ""
		for _, w := range weather {
			if w.name != "clean" && w.name != "incast" && w.name != "lossy" {
				continue
			}
			t.Run(way+" "+w.name, func(t *testing.T) {
				r, weights := gathered(t, cluster8(5)+w.fabric+w.background+job)
				if !w.happened(r.Summary) {
					t.Errorf("%d marks, %d CNPs, %d pauses, %d drops, %d retransmissions", r.ECNMarks, r.CNPs, r.Pauses,
						r.Drops, r.Retransmits)
				}
				if digest == "" {
					digest = r.WeightsSHA256
				}
				if r.WeightsSHA256 != digest {
					t.Errorf("other weights than over a clean fabric")
				}
				tensors(cfg.Model, func(name string, lo, hi int) {
					if d := distance(weights[lo:hi], want.Weights[0][lo:hi]); !(d <= 1e-5) {
						t.Errorf("the %s are %g of their norm away from the oracle's", name, d)
					}
				})
			})
		}
	}
}

// What the ranks that share a transformer's layers send in a step is what docs/parallel.md says, to the
// byte: of b samples of s positions, vectors of h elements, f hidden ones, k blocks, v tokens.
func TestBytesOfTransformersInParts(t *testing.T) {
	const n, b, s, h, f, k, v = 2, 4, 8, 16, 32, 2, 256
	for _, precision := range []string{"tf32", "bf16"} {
		a := map[string]int{"tf32": 4, "bf16": 2}[precision] // bytes of an activation
		vectors, maps := a*b*s*h, a*b*s
		reduces := func(of int) int { return 2 * (n - 1) * of }
		gathers := func(of int) int { return (n - 1) * of }
		sums := gathers(n * 3 * 4 * b * s)
		for way, want := range map[string]int{
			"megatron": reduces((4*k+2)*vectors) + sums,
			"sequence": 2*gathers((4*k+2)*vectors) + sums + reduces((2*k+1)*2*h*a),
			// Of attention queries, keys and contexts, of the other half what is hidden, of both the outputs.
			"book": k*gathers(3*vectors+vectors+f*maps+vectors) + k*reduces(3*vectors+vectors+f*maps+vectors) +
				reduces(vectors) + gathers(v*maps) + reduces(vectors),
		} {
			r := run(t, fmt.Sprintf(`
cluster: {hosts: 2, host: {gpus: 1}}
job:
  train: {model: gpt, gpt: {size: %d, blocks: %d, heads: 4, factor: %d}, bucket: layer,
    data: {text: {window: %d, grammar: {train: 400, test: 20}}}, batch: %d, steps: 2, lr: 0.1,
    precision: %s}
  parallel: {tp: %d%s}
  collective: {channels: 1}
`, h, k, f/h, s, b, precision, n, ways[way]), Options{})
			got := 0
			for _, of := range rows(t, r.Run.Flows()) {
				if !strings.HasPrefix(of.Group, "tensor-parallel") {
					t.Fatalf("%s: a flow of %s", way, of.Group)
				}
				got += int(of.Bytes)
			}
			if got /= 2; got != want {
				t.Errorf("%s, %s: %d bytes, want %d", way, precision, got, want)
			}
		}
	}
}

// As bf16 the gradients of replicas are half the bytes, and the weights the oracle's, which rounds as often, bit
// for bit, over a clean fabric and one that loses frames.
func TestGradientsAsBFloat16(t *testing.T) {
	bytes := map[string]int{}
	for _, wire := range []string{"fp32", "bf16"} {
		job := strings.Replace(training(t, 3, 2), "channels: 2", "channels: 2, wire: "+wire, 1)
		want, err := train.Oracle(reference(t, cluster8(5)+job))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range weather {
			if w.name != "clean" && w.name != "lossy" {
				continue
			}
			r := run(t, cluster8(5)+w.fabric+w.background+job, Options{Workers: -1})
			if r.WeightsSHA256 != train.Digest(want.Weights[0]) {
				t.Errorf("%s, %s: other weights than the oracle's", wire, w.name)
			}
			for _, f := range rows(t, r.Run.Flows()) {
				if w.name == "clean" && f.Step >= 0 {
					bytes[wire] += int(f.Bytes)
				}
			}
		}
	}
	if bytes["fp32"] != 2*bytes["bf16"] || bytes["bf16"] == 0 {
		t.Errorf("%d bytes as fp32, %d as bf16", bytes["fp32"], bytes["bf16"])
	}
}

// With precision bf16 what replicas, parts and stages send each other is half the bytes, with shards too. With whole
// layers the weights are the oracle's, bit for bit, over a clean fabric and one that loses frames.
func TestPrecisionHalvesWhatTravels(t *testing.T) {
	for _, c := range []struct {
		parallel string
		parts    bool
	}{{"{dp: 8}", false}, {"{dp: 4, pp: 2, micro_batches: 2, zero: 3}", false}, {"{dp: 2, tp: 2, pp: 2, micro_batches: 2}", true}} {
		sent := map[string]map[string]int{}
		for _, precision := range []string{"tf32", "bf16"} {
			job := strings.NewReplacer("{dp: 8}", c.parallel, "[784, 32, 10]", "[784, 32, 16, 16, 10]", "lr: 0.2",
				"lr: 0.2, precision: "+precision).Replace(training(t, 2, 2))
			for _, w := range weather {
				if w.name != "clean" && (w.name != "lossy" || c.parts || precision == "tf32") {
					continue
				}
				r := run(t, cluster8(5)+w.fabric+w.background+job, Options{Workers: -1})
				if !c.parts {
					cfg := reference(t, cluster8(5)+job)
					m, err := nn.NewMLP([]int{784, 32, 16, 16, 10}, nn.ReLU, nn.CrossEntropy)
					if err != nil {
						t.Fatal(err)
					}
					cfg.Model, cfg.Replicas = m, cfg.Work.Training.Layout.DP
					want, err := train.Oracle(cfg)
					if err != nil {
						t.Fatal(err)
					}
					if r.WeightsSHA256 != train.Digest(want.Weights[0]) {
						t.Errorf("%s, %s, %s: other weights than the oracle's", c.parallel, precision, w.name)
					}
				}
				if w.name != "clean" {
					continue
				}
				sent[precision] = map[string]int{}
				for _, f := range rows(t, r.Run.Flows()) {
					kind, _, _ := strings.Cut(strings.Fields(f.Group)[0], ".")
					sent[precision][kind] += int(f.Bytes)
				}
			}
		}
		if len(sent["tf32"]) == 0 {
			t.Fatal("nothing was sent")
		}
		for kind, n := range sent["tf32"] {
			if half := sent["bf16"][kind]; n != 2*half || n == 0 {
				t.Errorf("%s: %s sends %d bytes as float32, %d as bf16", c.parallel, kind, n, half)
			}
		}
	}
}
