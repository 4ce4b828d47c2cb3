// Command islands runs the same things cut into islands in several ways, on several numbers of
// workers, and says where what they leave differs: not one byte may.
//
//	go run ./tools/islands [-cases N] [-first N] [EXAMPLE...]      default: all examples, 1,000 cases
//
// It runs in the folder of the repository. Examples are shortened as .ci/run does. After them come cases of
// the fault search: random broken networks (internal/faultsearch). Where events happen in the order in
// which they were scheduled there is one island whatever is asked for.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"railyard/internal/faultsearch"
	"railyard/internal/result"
	"railyard/internal/run"
	"railyard/internal/scenario"
)

// What is varied. With more islands than nodes some are empty.
var (
	islands = []int{1, 2, 5, 64}
	workers = []int{1, 2, 4, 8}
)

func main() {
	first := flag.Uint64("first", 1, "number of the first case of the fault search")
	cases := flag.Uint64("cases", 1000, "how many cases")
	flag.Parse()
	files := flag.Args()
	if len(files) == 0 {
		var err error
		files, err = filepath.Glob("examples/*.yaml")
		exitOn(err)
	}
	texts := map[string][]byte{}
	for _, f := range files {
		var err error
		texts[f], err = os.ReadFile(f)
		exitOn(err)
	}
	work := leaveFolder()
	bad := 0
	for _, f := range files {
		bad += example(f, texts[f])
	}
	for n := *first; n < *first+*cases; n++ {
		c, err := faultsearch.New(n)
		exitOn(err)
		if _, err := c.Run(workers...); err != nil {
			fmt.Printf("case %d: %v\n", n, err)
			bad++
		}
	}
	fmt.Printf("%d examples, %d cases, %d differ\n", len(files), *cases, bad)
	exitOn(os.RemoveAll(work))
	if bad > 0 {
		os.Exit(1)
	}
}

// leaveFolder goes to a folder of its own, with the files that examples name: images are drawn there.
func leaveFolder() (work string) {
	work, err := os.MkdirTemp("", "islands")
	exitOn(err)
	exitOn(os.Mkdir(filepath.Join(work, "examples"), 0o777))
	for _, glob := range []string{"examples/*.csv", "examples/*.txt"} {
		files, err := filepath.Glob(glob)
		exitOn(err)
		for _, f := range files {
			b, err := os.ReadFile(f)
			exitOn(err)
			exitOn(os.WriteFile(filepath.Join(work, f), b, 0o666))
		}
	}
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

// example runs an example in every way and returns how many leave something else than the first.
func example(file string, text []byte) (bad int) {
	for _, s := range shorter {
		text = s.long.ReplaceAll(text, []byte(s.short))
	}
	sc, err := scenario.Parse(file, text)
	exitOn(err)
	sc.Output.Events, sc.Output.EventsKept, sc.Output.Series = true, 100, true
	work, err := os.MkdirTemp(".", "ways")
	exitOn(err)
	defer os.RemoveAll(work)
	shared, ways := &run.Sources{}, 0
	for _, i := range islands {
		for _, w := range workers {
			dir := filepath.Join(work, fmt.Sprint(ways))
			leave(sc, dir, run.Options{Force: true, Islands: i, Workers: w, Sources: shared})
			if name := differs(filepath.Join(work, "0"), dir); name != "" {
				fmt.Printf("%s: %s differs with %d islands on %d workers\n", file, name, i, w)
				bad++
			}
			ways++
		}
	}
	fmt.Printf("%s: %d ways, %d differ\n", file, ways, bad)
	return bad
}

// leave runs a scenario into a directory.
func leave(sc *scenario.Scenario, path string, opt run.Options) {
	dir, err := result.Create(path)
	exitOn(err)
	opt.Dir = dir
	sum, err := run.Run(context.Background(), sc, opt)
	if sum == nil {
		exitOn(err)
	}
	exitOn(dir.Finish(sum)) // also of a run that fails: it fails alike
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

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "islands:", err)
		os.Exit(1)
	}
}
