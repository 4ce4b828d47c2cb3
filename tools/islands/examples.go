package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// leaveFolder goes to a folder of its own, with the files that examples name: images are drawn there.
func leaveFolder() (work string) {
	work, err := os.MkdirTemp("", "islands")
	exitOn(err)
	exitOn(os.CopyFS(filepath.Join(work, "examples"), os.DirFS("examples")))
	exitOn(os.Chdir(work))
	return work
}

// shorter makes an example take a second or so.
var shorter = []struct {
	long  *regexp.Regexp
	short string
}{
	{regexp.MustCompile(`train: 60000, test: 10000`), "train: 3000, test: 500"},
	{regexp.MustCompile(`(?m)^( *)epochs: 3$`), "${1}epochs: 1"},
	{regexp.MustCompile(`bytes: ([0-9]+)MB`), "bytes: ${1}00kB"},
	{regexp.MustCompile(`count: 1000`), "count: 20"},
}

// listens makes a run tell of its events, or not: frames of which nobody wants to hear may go by other code.
func listens(sc *scenario.Scenario, events bool) {
	sc.Output.Events, sc.Output.EventsKept, sc.Output.Series = events, 100, events
}

// example runs an example in every way and returns how many leave something else than the first.
func example(file string, text []byte, events bool) (bad int) {
	for _, s := range shorter {
		text = s.long.ReplaceAll(text, []byte(s.short))
	}
	sc, err := scenario.Parse(file, text)
	exitOn(err)
	listens(sc, events)
	work, err := os.MkdirTemp(".", "ways")
	exitOn(err)
	defer os.RemoveAll(work)
	shared, ways := &run.Sources{}, 0
	for _, i := range islands {
		for _, w := range workers {
			dir := filepath.Join(work, fmt.Sprint(ways))
			_, err := leave(context.Background(), sc, dir, run.Options{Force: true, Islands: i, Workers: w, Sources: shared})
			exitOn(err)
			if name := differs(filepath.Join(work, "0"), dir); name != "" {
				fmt.Printf("%s: %s differs with %d islands on %d workers\n", file, name, i, w)
				bad++
			}
			ways++
		}
	}
	fmt.Printf("%s, %s: %d ways, %d differ\n", file, heard(events), ways, bad)
	return bad
}

func heard(events bool) string {
	if events {
		return "with events"
	}
	return "without events"
}

// leave runs a scenario into a directory. A run that fails is no error: it fails alike in every way.
func leave(ctx context.Context, sc *scenario.Scenario, path string, opt run.Options) (*result.Summary, error) {
	dir, err := result.Create(path)
	if err != nil {
		return nil, err
	}
	opt.Dir = dir
	sum, err := run.Run(ctx, sc, opt)
	if sum == nil {
		return nil, err
	}
	return sum, dir.Finish(sum)
}

// differs returns the first file of two run directories that is not the same in both, "" if all are.
func differs(a, b string) string {
	for _, d := range [][2]string{{a, b}, {b, a}} {
		files, err := os.ReadDir(d[0])
		exitOn(err)
		for _, f := range files {
			if f.IsDir() {
				continue
			}
			x, err := os.ReadFile(filepath.Join(d[0], f.Name()))
			exitOn(err)
			if y, err := os.ReadFile(filepath.Join(d[1], f.Name())); err != nil || !bytes.Equal(x, y) {
				return f.Name()
			}
		}
	}
	return ""
}
