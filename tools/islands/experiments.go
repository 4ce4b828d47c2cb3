package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/validate"
)

// experimentSeeds is how often each random experiment is run in each way.
const experimentSeeds = 10

// experiments runs what validate runs in every way. It compares run directories and rows, and
// returns how many of them differ from those of the first way.
func experiments(events bool) (bad int) {
	work, err := os.MkdirTemp(".", "experiments")
	exitOn(err)
	defer os.RemoveAll(work)
	var rows []byte
	first, ways := filepath.Join(work, "first"), 0
	for _, i := range islands {
		for _, w := range workers {
			way := first
			if ways > 0 {
				way = filepath.Join(work, "way")
			}
			got, err := validate.Run(context.Background(), validate.Options{Seeds: experimentSeeds, Run: cut(way, i, w, events)})
			exitOn(err)
			text, err := json.Marshal(got)
			exitOn(err)
			if ways == 0 {
				rows = text
			}
			if !bytes.Equal(rows, text) {
				fmt.Printf("validate: rows differ with %d islands on %d workers\n", i, w)
				bad++
			}
			bad += differing(first, way, i, w)
			if way != first {
				exitOn(os.RemoveAll(way))
			}
			ways++
		}
	}
	runs, err := os.ReadDir(first)
	exitOn(err)
	fmt.Printf("validate, %s: %d experiments, %d ways, %d differ\n", heard(events), len(runs), ways, bad)
	return bad
}

// cut runs each experiment in so many islands on so many workers, into a folder of its own that its
// scenario names. Events of an instant go in phases: as scheduled they would be one island's.
func cut(into string, islands, workers int, events bool) validate.Runner {
	return func(ctx context.Context, sc *scenario.Scenario, opt run.Options) (*result.Summary, error) {
		sc.Fabric.Order = "phases"
		opt.Islands, opt.Workers = islands, workers
		dir := filepath.Join(into, fmt.Sprintf("%x", sha256.Sum256(sc.YAML())))
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) { // two rows are of one scenario
			return run.Run(ctx, sc, opt)
		}
		sc.Output.Queues, sc.Output.Flows = true, true
		listens(sc, events)
		return leave(ctx, sc, dir, opt)
	}
}

// differing counts the experiments of a way that left something else than in the first.
func differing(first, way string, islands, workers int) (bad int) {
	runs, err := os.ReadDir(first)
	exitOn(err)
	for _, r := range runs {
		if name := differs(filepath.Join(first, r.Name()), filepath.Join(way, r.Name())); name != "" {
			fmt.Printf("validate: %s of %s differs with %d islands on %d workers\n", name, r.Name(), islands, workers)
			bad++
		}
	}
	return bad
}
