package view

import (
	"context"
	"fmt"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/learn/nn"
	"railyard/internal/plan/plan"
	"railyard/internal/run/run"
)

// shownTokens is how much of the test text is shown.
const shownTokens = 60

// A corpusView is what `railyard show corpus` prints.
type corpusView struct {
	Train      corpusPart `json:"train"`
	Test       corpusPart `json:"test"`
	Vocabulary []string   `json:"vocabulary"` // by token
	Left       int        `json:"left_out"`   // different pieces that are not in it
	Digest     string     `json:"sha256"`
	Sample     string     `json:"sample"`
	Frequency  float64    `json:"frequency_loss"` // of the test windows
	Entropy    *float64   `json:"entropy"`        // of the test windows; null: the text is no grammar's
}

type corpusPart struct {
	Tokens  int `json:"tokens"`
	Unknown int `json:"unknown"`
	Windows int `json:"windows"`
}

// CorpusData is the tokens of a training's text as data.
func CorpusData(_ *plan.Plan, j *plan.Job) (any, error) { return newCorpusView(j) }

func newCorpusView(j *plan.Job) (*corpusView, error) {
	t := j.Spec.Train
	if t == nil || t.Data.Text == nil {
		return nil, fmt.Errorf("%s learns from no text: want %s.train.data.text", j.Spec.Name, j.Spec.Path())
	}
	k, err := run.ReadCorpus(context.Background(), t.Data.Text)
	if err != nil {
		return nil, err
	}
	v := &corpusView{Left: k.Left, Digest: k.Digest(), Sample: k.Shown(k.Test, shownTokens),
		Train:     corpusPart{k.Train.Tokens(), k.Train.Unknown(), k.Train.Len()},
		Test:      corpusPart{k.Test.Tokens(), k.Test.Unknown(), k.Test.Len()},
		Frequency: k.Frequencies(k.Test, nn.Log)}
	for token := range k.Vocabulary.Size() {
		v.Vocabulary = append(v.Vocabulary, k.Vocabulary.Piece(int32(token)))
	}
	if k.Grammar != nil {
		e, err := k.Entropy(k.Test, nn.Log)
		if err != nil {
			return nil, err
		}
		v.Entropy = &e
	}
	return v, nil
}

// CorpusText prints the tokens of a training's text, and how well it can be predicted.
func CorpusText(w *sheet.Sheet, _ *plan.Plan, j *plan.Job) error {
	v, err := newCorpusView(j)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		of   corpusPart
	}{{"training", v.Train}, {"test", v.Test}} {
		fmt.Fprintf(w, "%-8s  %s tokens, %s of them unknown, %s windows of %d\n", part.name, unit.Count(int64(part.of.Tokens)),
			unit.Count(int64(part.of.Unknown)), unit.Count(int64(part.of.Windows)), j.Spec.Train.Data.Text.Window)
	}
	fmt.Fprintf(w, "loss      %.4f nats a test label for who knows only how often each token comes\n", v.Frequency)
	if v.Entropy != nil {
		fmt.Fprintf(w, "entropy   %.4f nats a test label: no network does better but by luck\n", *v.Entropy)
	}
	fmt.Fprintf(w, "\n%s\n\nvocabulary of %d tokens, %d more left out\n", v.Sample, len(v.Vocabulary), v.Left)
	for token, piece := range v.Vocabulary {
		if _, err := fmt.Fprintf(w, "%6d  %q\n", token, piece); err != nil {
			return err
		}
	}
	return nil
}
