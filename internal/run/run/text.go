package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"railyard/internal/base/input"
	"railyard/internal/learn/corpus"
	"railyard/internal/learn/dataset"
	"railyard/internal/learn/nn"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// ReadCorpus reads the text that a training learns from, or draws it.
func ReadCorpus(ctx context.Context, t *scenario.Corpus) (*corpus.Corpus, error) {
	c := choicesOf(t)
	if g := t.Grammar; g != nil {
		read, err := readGrammar(ctx, g.File)
		if err != nil {
			return nil, err
		}
		return read.Draw(g.Seed, g.Train, g.Test, c)
	}
	texts, err := readTexts(ctx, t.Path.Value)
	if err != nil {
		return nil, err
	}
	share := 0.0
	if t.Test.Set {
		share = t.Test.Value.Float()
	}
	return corpus.Split(texts, share, c)
}

func choicesOf(t *scenario.Corpus) corpus.Choices {
	return corpus.Choices{
		Cut:        corpus.Cut{By: corpus.By(t.Tokens), Fold: t.Fold},
		Vocabulary: t.Vocabulary,
		MinCount:   t.MinCount,
		FirstUse:   t.Order == "first-use",
		Window:     t.Window,
		Stride:     t.Stride.Or(t.Window),
		Anywhere:   t.Grammar == nil && t.Start == "anywhere",
	}
}

func readGrammar(ctx context.Context, file string) (*corpus.Grammar, error) {
	if file == scenario.EnglishGrammar {
		return corpus.English(), nil
	}
	b, err := input.Read(ctx, file, corpus.MaxGrammar)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return corpus.ReadGrammar(file, b)
}

// readTexts reads a file, or the files of a folder that end in .txt, as their names sort.
func readTexts(ctx context.Context, path string) (all []corpus.Text, err error) {
	files := []string{path}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file; paths are relative to the directory in which railyard is run", path)
	case err == nil && info.IsDir():
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, input.Cause(err))
		}
		files = nil
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".txt") {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: has no file that ends in .txt, want at least one", path)
		}
	}
	left := int64(corpus.MaxText)
	for _, f := range files {
		b, err := input.Read(ctx, f, left)
		var long *input.TooLong
		switch {
		case errors.As(err, &long):
			return nil, fmt.Errorf("%s: more than %d bytes of text, want at most that in all", path, corpus.MaxText)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		left -= int64(len(b))
		t, err := corpus.Read(f, b)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func readText(ctx context.Context, t *scenario.Corpus) (*source, error) {
	k, err := ReadCorpus(ctx, t)
	if err != nil {
		return nil, err
	}
	src := &source{train: k.Train, test: k.Test, are: "windows", name: result.TextInput, digest: k.Digest(), text: k,
		size: dataset.Size{Train: k.Train.Len(), Test: k.Test.Len(), Channels: 1, Rows: 1, Cols: t.Window,
			Text: k.Bytes()}}
	if k.Grammar != nil {
		entropy, err := k.Entropy(k.Test, nn.Log)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Grammar.File, err)
		}
		src.entropy = &entropy
	}
	return src, nil
}
