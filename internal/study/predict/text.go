package predict

import (
	"context"
	"fmt"
	"slices"

	"railyard/internal/base/located"
	"railyard/internal/learn/nn"
)

// A Continuation is what is printed of a prompt.
type Continuation struct {
	Prompt  string   `json:"prompt"`
	Unknown []string `json:"unknown"` // its pieces that the vocabulary does not have, each once
	Text    string   `json:"text"`    // what follows it
	Tokens  []int32  `json:"tokens"`  // of the text

	Whole string `json:"-"` // prompt and text
}

// Continuations are what is printed of prompts.
type Continuations struct {
	Weights     string         `json:"weights"` // the file
	Step        int64          `json:"step"`    // after which they are
	Temperature float64        `json:"temperature"`
	Top         int            `json:"top_k"`
	Seed        uint64         `json:"seed"`
	Texts       []Continuation `json:"texts"`
}

// A Refusal is why nothing can be drawn.
type Refusal struct{ error }

func refused(format string, args ...any) error { return Refusal{fmt.Errorf(format, args...)} }

// Continuations are those of the network, drawn in a way, of no prompt yet.
func (n *Network) Continuations(how nn.Sampling) *Continuations {
	return &Continuations{Weights: n.file, Step: n.Step, Temperature: how.Temperature, Top: how.Top, Seed: how.Seed}
}

// Continue draws so many tokens that follow a prompt. A prompt or a network of which nothing can be drawn is a Refusal; an
// ended context is its error.
func (n *Network) Continue(ctx context.Context, prompt string, how nn.Sampling, tokens int) (c Continuation, err error) {
	v := n.Text
	pieces := slices.Collect(v.Pieces(prompt))
	first, size := int32(nn.Unknown+1), int32(v.Size()) // of tokens that may be drawn
	switch {
	case len(pieces) == 0:
		return c, refused("prompt %q: has no token, want at least one", prompt)
	case size <= first:
		return c, refused("weights %s: the vocabulary has no tokens but padding and unknown: nothing can be drawn", n.file)
	}
	c = Continuation{Prompt: prompt, Unknown: []string{}}
	for _, p := range pieces {
		if v.Token(p) == nn.Unknown && !slices.Contains(c.Unknown, p) {
			c.Unknown = append(c.Unknown, p)
		}
	}
	writer, from := n.model.NewWriter(n.Params, how, n.kernel), len(pieces)
	var seen []int32
	for range tokens {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		seen = seen[:0]
		for _, p := range v.Recent(pieces, n.model.Inputs(), n.Sentences) {
			seen = append(seen, v.Token(p))
		}
		next, err := writer.Next(seen, first, size)
		if err != nil {
			return c, fmt.Errorf("prompt %s: %w", located.Shown(prompt), err)
		}
		pieces, c.Tokens = append(pieces, v.Piece(next)), append(c.Tokens, next)
	}
	c.Text, c.Whole = v.Join(pieces[from:]), v.Join(pieces)
	return c, nil
}
