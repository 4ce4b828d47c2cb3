package predict

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/job/checkpoint"
	"railyard/internal/job/train"
	"railyard/internal/learn/corpus"
	"railyard/internal/learn/nn"
	"railyard/internal/run/run"
)

// parrot is a network that reads three characters of a vocabulary; what follows a token depends on it alone: the scores of all
// tokens are its row.
func parrot(t *testing.T, pieces string, rows ...[]float32) *Network {
	t.Helper()
	m, err := nn.NewModel([]nn.Named{{Layer: nn.Embedding(3, len(rows), len(rows), false)}}, nn.CrossEntropy, 3)
	if err != nil {
		t.Fatal(err)
	}
	v := new(corpus.Vocabulary)
	if err := json.Unmarshal([]byte(`{"tokens":"characters","pieces":`+pieces+`}`), v); err != nil {
		t.Fatal(err)
	}
	w := &run.Resume{Checkpoint: &checkpoint.Checkpoint{Training: checkpoint.Training{Text: v},
		State: train.State{Step: 9, Params: slices.Concat(rows...)}}}
	return &Network{Resume: w, file: "w", model: m, kernel: nn.Portable}
}

// alphabet says b after a, c after b, a after c. Padding and the unknown token would be likelier than any of them; after an
// unknown one comes c.
func alphabet(t *testing.T) *Network {
	return parrot(t, `["a","b","c"]`, make([]float32, 5), []float32{9, 9, 0, 0, 5}, []float32{9, 9, 0, 5, 0},
		[]float32{9, 9, 0, 0, 5}, []float32{9, 9, 5, 0, 0})
}

// What follows is drawn from what the vocabulary has; the text is what follows, the whole begins with the prompt.
func TestContinuations(t *testing.T) {
	n := alphabet(t)
	for _, c := range []struct {
		prompt  string
		tokens  int
		text    string
		unknown string
	}{
		{"a", 5, "bcabc", ""},
		{"ab", 1, "c", ""},
		{"abcabc", 4, "abca", ""}, // longer than the network reads
		{"c", 0, "", ""},
		{"ax", 3, "cab", "x"},
		{"yxyxax", 2, "ca", "y x"},
	} {
		got, err := n.Continue(t.Context(), c.prompt, nn.Sampling{}, c.tokens)
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != c.text || got.Whole != c.prompt+c.text || got.Prompt != c.prompt || len(got.Tokens) != c.tokens {
			t.Errorf("%q and %d tokens: %+v, want %q", c.prompt, c.tokens, got, c.text)
		}
		if unknown := strings.Join(got.Unknown, " "); unknown != c.unknown || got.Unknown == nil {
			t.Errorf("%q: unknown are %#v, want %q", c.prompt, got.Unknown, c.unknown)
		}
		for i, token := range got.Tokens {
			if n.Text.Piece(token) != c.text[i:i+1] {
				t.Errorf("%q: token %d is %d, the text says %q", c.prompt, i, token, c.text[i:i+1])
			}
		}
	}
}

// A seed is a text. Another one is another, and neither has padding or an unknown token, however likely.
func TestASeedIsAText(t *testing.T) {
	even := []float32{9, 9, 0, 0, 0}
	n := parrot(t, `["a","b","c"]`, even, even, even, even, even)
	text := func(seed uint64) string {
		c, err := n.Continue(t.Context(), "a", nn.Sampling{Temperature: 1, Seed: seed}, 40)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Min(c.Tokens) <= nn.Unknown || strings.ContainsAny(c.Text, "[]") {
			t.Errorf("seed %d draws %v: %s", seed, c.Tokens, c.Text)
		}
		return c.Text
	}
	if one := text(1); one != text(1) || one == text(2) || strings.Trim(one, "abc") != "" {
		t.Errorf("seed 1 gives %s, then %s; seed 2 %s", one, text(1), text(2))
	}
	all := n.Continuations(nn.Sampling{Temperature: 0.5, Top: 2, Seed: 7})
	if all.Weights != "w" || all.Step != 9 || all.Temperature != 0.5 || all.Top != 2 || all.Seed != 7 || len(all.Texts) != 0 {
		t.Errorf("%+v", all)
	}
}

// What is drawn depends on as many of the last tokens as the network reads, and on none before them.
func TestANetworkReadsItsWindow(t *testing.T) {
	n := parrot(t, `["a","b","c"]`, make([]float32, 5), make([]float32, 5), make([]float32, 5), make([]float32, 5), make([]float32, 5))
	m, err := nn.NewRNN(nn.Recurrent{Vocabulary: 5, Context: 3, Cells: []int{4}, Activation: nn.Tanh})
	if err != nil {
		t.Fatal(err)
	}
	n.model, n.Params = m, make([]float32, m.Params())
	for i := range n.Params {
		n.Params[i] = float32(i*i%17-8) / 4
	}
	const prompt = "abcacbaabc"
	got, err := n.Continue(t.Context(), prompt, nn.Sampling{Temperature: 1, Seed: 3}, 20)
	if err != nil {
		t.Fatal(err)
	}
	tokens, writer := n.Text.Encode(prompt), m.NewWriter(n.Params, nn.Sampling{Temperature: 1, Seed: 3}, nn.Portable)
	for range 20 {
		next, err := writer.Next(tokens[len(tokens)-3:], 2, 5)
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, next)
	}
	if want := n.Text.Decode(tokens); got.Whole != want {
		t.Errorf("%s, want %s", got.Whole, want)
	}
}

// Of no prompt and of a vocabulary of nothing nothing can be drawn, which is the user's to mend: a Refusal. An infinite score
// and an ended context are none.
func TestWhatCannotBeContinued(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	huge := []float32{0, 0, float32(math.Inf(1))}
	for _, c := range []struct {
		what   string
		n      *Network
		ctx    context.Context
		prompt string
		want   string
		ours   bool // a Refusal
	}{
		{"no prompt", alphabet(t), t.Context(), "", `prompt "": has no token, want at least one`, true},
		{"no vocabulary", parrot(t, `[]`, make([]float32, 2), make([]float32, 2)), t.Context(), "a",
			"weights w: the vocabulary has no tokens but padding and unknown", true},
		{"an infinite score", parrot(t, `["a"]`, huge, huge, huge), t.Context(), "a\x1b",
			`prompt "a\x1b": the score of token 2 is +Inf`, false},
		{"an ended context", alphabet(t), stopped, "a", "context canceled", false},
	} {
		_, err := c.n.Continue(c.ctx, c.prompt, nn.Sampling{}, 3)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
		if refusal := new(Refusal); errors.As(err, refusal) != c.ours {
			t.Errorf("%s: %T", c.what, err)
		}
	}
	one := parrot(t, `["a"]`, make([]float32, 3), make([]float32, 3), make([]float32, 3))
	if c, err := one.Continue(t.Context(), "x", nn.Sampling{}, 2); err != nil || c.Text != "aa" {
		t.Errorf("of one token it draws %q, %v", c.Text, err)
	}
}
