package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// textTraining is a small recurrent network on sentences, over as many ranks as the layout says.
func textTraining(inside, layout string) string {
	return "cluster: {hosts: 2, host: {gpus: 1}}\njob:\n  train:\n    model: lstm\n    inside: " + inside + `
    rnn: {embedding: 4, cells: [5, 6]}
    data: {text: {window: 8, grammar: {train: 60, test: 10}}}
    batch: 4
    steps: 3
    lr: 0.1
  parallel: ` + layout + "\n"
}

// What a network looks like inside is kept where it is wanted, and is the same in every layout that
// has the same weights.
func TestInsideIsTheSameInEveryLayout(t *testing.T) {
	kept := func(layout string) string {
		r := run(t, textTraining("true", layout), Options{})
		b, err := os.ReadFile(filepath.Join(r.path, "inside.json"))
		if err != nil {
			t.Fatal(err)
		}
		in, err := r.Run.Inside("")
		if err != nil {
			t.Fatal(err)
		}
		if in.Passes[1].Step != 3 || len(in.Example.Tokens) != 8 || in.Example.Of != "test windows" || len(in.Passes[0].Words) == 0 {
			t.Errorf("%s: step %d, %d tokens of %s, %d words", layout, in.Passes[1].Step, len(in.Example.Tokens),
				in.Example.Of,
				len(in.Passes[0].Words))
		}
		return string(b)
	}
	if kept("{pp: 2, micro_batches: 2}") != kept("{pp: 2, micro_batches: 2, schedule: gpipe}") {
		t.Error("two timetables of one training leave other insides")
	}
	none := run(t, textTraining("false", "{dp: 2}"), Options{})
	if _, err := os.Stat(filepath.Join(none.path, "inside.json")); !os.IsNotExist(err) {
		t.Errorf("nobody wanted inside.json: %v", err)
	}
}

func TestInsideOfLargeNetworksIsRefused(t *testing.T) {
	text := strings.Replace(textTraining("true", "{dp: 2}"), "cells: [5, 6]", "cells: [5, 1024]", 1)
	_, err := tryRun(t, context.Background(), text, Options{})
	if err == nil || !strings.Contains(err.Error(), "parameters, want at most 4,194,304 to look inside, or false") {
		t.Errorf("%v", err)
	}
}
