package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/input"
	"railyard/internal/located"
	"railyard/internal/nn"
	"railyard/internal/result"
)

// A continuation is what is printed of a prompt.
type continuation struct {
	Prompt  string   `json:"prompt"`
	Unknown []string `json:"unknown"` // its pieces that the vocabulary does not have, each once
	Text    string   `json:"text"`    // what follows it
	Tokens  []int32  `json:"tokens"`  // of the text

	whole string // prompt and text
}

// continuations is what `railyard predict --json` prints of text.
type continuations struct {
	Weights     string         `json:"weights"` // the file
	Step        int64          `json:"step"`    // after which they are
	Temperature float64        `json:"temperature"`
	Top         int            `json:"top_k"`
	Seed        uint64         `json:"seed"`
	Texts       []continuation `json:"texts"`
}

func (a *predictCall) continueTexts(ctx context.Context, w network, prompts []string) error {
	all := continuations{Weights: w.file, Step: w.Step, Temperature: a.f.Temperature, Top: a.f.Top, Seed: a.f.Seed}
	for _, p := range prompts {
		c, err := w.continueText(ctx, p, &a.f)
		if err != nil {
			return err
		}
		if len(c.Unknown) > 0 {
			fmt.Fprintf(a.stderr, "prompt %s: not in the vocabulary of %d tokens, and read as unknown: %s\n", located.Shown(p),
				w.Text.Size(), quoted(c.Unknown))
		}
		all.Texts = append(all.Texts, c)
	}
	var err error
	if a.f.asJSON {
		err = result.EncodeJSON(a.stdout, all)
	} else {
		for i := 0; i < len(all.Texts) && err == nil; i++ {
			_, err = fmt.Fprintln(a.stdout, strings.TrimRight(all.Texts[i].whole, "\n"))
		}
	}
	if err != nil {
		return fmt.Errorf("cannot print the text: %w", input.Cause(err))
	}
	return nil
}

// continueText draws what follows a prompt.
func (w *network) continueText(ctx context.Context, prompt string, f *predictFlags) (c continuation, err error) {
	v := w.Text
	pieces := slices.Collect(v.Pieces(prompt))
	first, size := int32(nn.Unknown+1), int32(v.Size()) // of tokens that may be drawn
	switch {
	case len(pieces) == 0:
		return c, misuse("prompt %q: has no token, want at least one", prompt)
	case size <= first:
		return c, misuse("weights %s: the vocabulary has no tokens but padding and unknown: nothing can be drawn", w.file)
	}
	c = continuation{Prompt: prompt, Unknown: []string{}}
	for _, p := range pieces {
		if v.Token(p) == nn.Unknown && !slices.Contains(c.Unknown, p) {
			c.Unknown = append(c.Unknown, p)
		}
	}
	writer, from := w.model.NewWriter(w.Params, f.Sampling, w.kernel), len(pieces)
	var seen []int32
	for range f.tokens {
		if ctx.Err() != nil {
			return c, &exitError{exitInterrupted, errors.New("interrupted")}
		}
		seen = seen[:0]
		for _, p := range v.Recent(pieces, w.model.Inputs(), w.Sentences) {
			seen = append(seen, v.Token(p))
		}
		next, err := writer.Next(seen, first, size)
		if err != nil {
			return c, fmt.Errorf("prompt %s: %w", located.Shown(prompt), err)
		}
		pieces, c.Tokens = append(pieces, v.Piece(next)), append(c.Tokens, next)
	}
	c.Text, c.whole = v.Join(pieces[from:]), v.Join(pieces)
	return c, nil
}

// quoted lists the first few of some pieces.
func quoted(pieces []string) string {
	const most = 8
	var shown []string
	for _, p := range pieces[:min(len(pieces), most)] {
		shown = append(shown, located.Shown(p))
	}
	if len(pieces) > most {
		shown = append(shown, fmt.Sprintf("and %d more", len(pieces)-most))
	}
	return strings.Join(shown, ", ")
}
