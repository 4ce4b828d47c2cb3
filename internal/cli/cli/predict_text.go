package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/study/predict"
)

func (a *predictCall) continueTexts(ctx context.Context, w *predict.Network, prompts []string) error {
	all := w.Continuations(a.f.Sampling)
	for _, p := range prompts {
		c, err := w.Continue(ctx, p, a.f.Sampling, a.f.tokens)
		var refused predict.Refusal
		switch {
		case ctx.Err() != nil:
			return &call.Exit{Code: call.Interrupted, Err: errors.New("interrupted")}
		case errors.As(err, &refused):
			return call.Misuse("%w", err)
		case err != nil:
			return err
		}
		if len(c.Unknown) > 0 {
			fmt.Fprintf(a.Stderr, "prompt %s: not in the vocabulary of %d tokens, and read as unknown: %s\n",
				located.Shown(p),
				w.Text.Size(), quoted(c.Unknown))
		}
		all.Texts = append(all.Texts, c)
	}
	var err error
	if a.f.asJSON {
		err = result.EncodeJSON(a.Stdout, all)
	} else {
		for i := 0; i < len(all.Texts) && err == nil; i++ {
			_, err = fmt.Fprintln(a.Stdout, strings.TrimRight(all.Texts[i].Whole, "\n"))
		}
	}
	if err != nil {
		return fmt.Errorf("cannot print the text: %w", input.Cause(err))
	}
	return nil
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
