package run

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"railyard/internal/base/unit"
)

// layout is a large model in parts, with what it sends by the closed forms of docs/models.md.
type layout struct {
	blocks, hidden, ffn, heads, vocabulary, sequence int
	tp, pp, virtual, dp, micro, rows                 int // rows: sequences of a micro-batch
	zero                                             int
	parts                                            bool // sequence: true
	recompute                                        string
}

func (l *layout) scenario(network string) string {
	hosts := max(1, l.tp*l.pp*l.dp/8)
	parallel := fmt.Sprintf("tp: %d, pp: %d, dp: %d, micro_batches: %d, zero: %d", l.tp, l.pp, l.dp, l.micro, l.zero)
	if l.parts {
		parallel += ", sequence: true"
	}
	if l.virtual > 1 {
		parallel += fmt.Sprintf(", schedule: interleaved, virtual_stages: %d", l.virtual)
	}
	return fmt.Sprintf(`
cluster: {hosts: %d, host: {gpus: %d, preset: hgx-h100}}
fabric: {design: single-switch}
%sjob:
  model: {layers: %d, hidden: %d, ffn: %d, heads: %d, vocabulary: %d, sequence: %d, batch: %d, recompute: %s}
  parallel: {%s}
`, hosts, min(8, l.tp*l.pp*l.dp), network, l.blocks, l.hidden, l.ffn, l.heads, l.vocabulary, l.sequence, l.dp*l.micro*l.rows, l.recompute,
		parallel)
}

// sends is the bytes of a step by kind of group, all ranks together: weights and values have 2 bytes, gradients that are added 4.
func (l *layout) sends() map[string]unit.Bytes {
	const value, weight, gradient = 2, 2, 4
	k, h, n := l.blocks, l.hidden, l.tp
	vectors := value * l.rows * l.sequence * h // of a micro-batch
	sums := 4*k + 2
	if l.recompute == "full" {
		sums += 2 * k // the forward's, once more
	}
	out := map[string]int{}
	if n > 1 {
		out["tensor"] = l.dp * l.micro * (sums*2*(n-1)*vectors + (n-1)*n*12*l.rows*l.sequence)
		if l.parts {
			times := 1 // norms' gradients, before replicas sum them
			if l.zero >= 2 {
				times = l.micro
			}
			out["tensor"] += times * l.dp * 2 * (n - 1) * value * (2*k + 1) * h
		}
	}
	if stages := l.pp * l.virtual; l.pp > 1 {
		out["pipeline"] = l.dp * l.micro * 2 * (stages - 1) * vectors
		if !l.parts {
			out["pipeline"] *= n
		}
	}
	// Matrices are cut over parts, norms are on all of them.
	params := k*(4*h*h+3*h*l.ffn) + 2*l.vocabulary*h + n*(2*k+1)*h
	switch d := l.dp - 1; {
	case d == 0:
	case l.zero == 0:
		out["data"] = 2 * d * params * gradient
	case l.zero == 1:
		out["data"], out["ZeRO"] = d*params*gradient, d*params*weight
	case l.zero == 2:
		out["data"], out["ZeRO"] = l.micro*d*params*gradient, d*params*weight
	default:
		out["data"], out["ZeRO"] = l.micro*d*params*gradient, 2*l.micro*d*params*weight
	}
	bytes := map[string]unit.Bytes{}
	for kind, b := range out {
		bytes[kind] = unit.Bytes(b)
	}
	return bytes
}

// draw draws a layout; ZeRO from 2 on has no stages.
func draw(r *rand.Rand) layout {
	pick := func(from ...int) int { return from[r.IntN(len(from))] }
	l := layout{blocks: pick(4, 8), hidden: pick(256, 512), heads: 8, vocabulary: pick(2048, 4096), sequence: pick(128, 256),
		tp: pick(1, 2, 4, 8), pp: pick(1, 2, 4), virtual: 1, dp: pick(1, 2, 4), micro: pick(1, 2, 4), rows: pick(1, 2),
		zero:      pick(0, 1, 2, 3),
		recompute: []string{"none", "selective", "full"}[r.IntN(3)]}
	l.ffn = 3 * l.hidden
	l.parts = l.tp > 1 && r.IntN(2) == 0
	if l.pp > 1 {
		l.zero = min(l.zero, 1)
		if l.blocks == 8 && r.IntN(2) == 0 {
			l.virtual, l.micro = 2, l.pp*pick(1, 2)
		}
	}
	for l.tp*l.pp*l.dp > 8 && l.tp*l.pp*l.dp%8 != 0 {
		l.dp *= 2
	}
	if l.dp == 1 {
		l.zero = 0
	}
	return l
}

// What ranks send equals the closed forms to the byte, in drawn layouts; by packets as by formula.
func TestLargeModelBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 1))
	seen := map[string]int{}
	for i := range 60 {
		l := draw(r)
		networks := []string{"run: {network: formula}\n"}
		if i%10 == 0 && l.tp*l.pp*l.dp <= 16 {
			networks = append(networks, "")
		}
		for _, network := range networks {
			s := run(t, l.scenario(network), Options{})
			want := l.sends()
			for _, c := range s.Efficiency.Communication {
				if c.Bytes != want[c.Kind] {
					t.Errorf("%+v, %q: %s sends %d, want %d", l, network, c.Kind, c.Bytes, want[c.Kind])
				}
				delete(want, c.Kind)
				seen[c.Kind]++
			}
			if len(want) > 0 {
				t.Errorf("%+v, %q: nothing is said of %v", l, network, want)
			}
		}
	}
	for _, kind := range []string{"data", "tensor", "pipeline", "ZeRO"} {
		if seen[kind] < 10 {
			t.Errorf("%s was seen %d times", kind, seen[kind])
		}
	}
}
