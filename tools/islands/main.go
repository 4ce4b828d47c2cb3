// Command islands runs the same things cut into islands in several ways, on several numbers of
// workers, and says where what they leave differs: not one byte may.
//
//	go run ./tools/islands [-cases N] [-first N] [-validate] [EXAMPLE...]
//
// Without arguments it takes all examples, 1,000 cases of the fault search and the experiments of
// `railyard validate`, with events and without; -cases 0 and -validate=false leave some out, -examples=false all examples.
//
// It runs in the folder of the repository. Examples are shortened as .ci/run does. Cases of the fault search
// are random broken networks (internal/engine/faultsearch). Where events happen in the order in which they were
// scheduled there is one island whatever is asked for; so experiments run with their events in phases.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"railyard/internal/engine/faultsearch"
)

// What is varied. With more islands than nodes some are empty.
var (
	islands = []int{1, 2, 5, 64}
	workers = []int{1, 2, 4, 8}
)

func main() {
	first := flag.Uint64("first", 1, "number of the first case of the fault search")
	cases := flag.Uint64("cases", 1000, "how many cases")
	examples := flag.Bool("examples", true, "run examples")
	known := flag.Bool("validate", true, "run the experiments of railyard validate")
	flag.Parse()
	var files []string
	if *examples {
		files = flag.Args()
		if len(files) == 0 {
			var err error
			files, err = filepath.Glob("examples/*.yaml")
			exitOn(err)
		}
	}
	texts := map[string][]byte{}
	for _, f := range files {
		var err error
		texts[f], err = os.ReadFile(f)
		exitOn(err)
	}
	work := leaveFolder()
	bad := 0
	for _, events := range []bool{false, true} {
		for _, f := range files {
			bad += example(f, texts[f], events)
		}
		if *known {
			bad += experiments(events)
		}
	}
	bad += search(*first, *cases)
	fmt.Printf("%d differ\n", bad)
	exitOn(os.RemoveAll(work))
	if bad > 0 {
		os.Exit(1)
	}
}

// search runs cases of the fault search, each in one island and in several on each number of workers.
func search(first, cases uint64) (bad int) {
	for n := first; n < first+cases; n++ {
		c, err := faultsearch.New(n)
		exitOn(err)
		if _, err := c.Run(workers...); err != nil {
			fmt.Printf("case %d: %v\n", n, err)
			bad++
		}
	}
	fmt.Printf("%d cases of the fault search: %d differ\n", cases, bad)
	return bad
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "islands:", err)
		os.Exit(1)
	}
}
