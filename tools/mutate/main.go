// Command mutate plants mistakes in the code, one at a time, and says which the tests notice.
//
//	go run ./tools/mutate [-v] [NAME...]      default: every mutant of tools/mutate/mutants.txt
//	go run ./tools/mutate -package PACKAGE[,PACKAGE...] [-n N] [-seed N] [-verdicts FILE] [-quick] [-again] [-by PACKAGE,...]
//
// A mutant of the list is a change of a few words in one file. With -package mutants are drawn from
// the source of a package: the same for the same seed and source, spread evenly over its functions.
// The tests run against a changed copy (go test -overlay), so the working tree stays as it is. Exit
// code 1 if a mutant survives, or if the text that it changes is not in its file exactly once.
//
// Drawn mutants are planted all at once: each changed function holds its mutants beside its own
// body, and a variable of the environment says which one runs. So a test package is built once, and
// a mutant costs no more than the tests that it takes to notice it. See docs/testing.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	verbose := flag.Bool("v", false, "print what the tests say")
	packages := flag.String("package", "", "draw mutants from these `packages`, by their names without a floor, with commas between")
	var d drawing
	flag.IntVar(&d.n, "n", 60, "how many mutants to draw from a package, at most")
	flag.Uint64Var(&d.seed, "seed", 1, "which ones")
	flag.StringVar(&d.verdicts, "verdicts", "", "keep verdicts in this `file`, and go on from what it holds")
	flag.BoolVar(&d.again, "again", false, "try those again that survived")
	flag.BoolVar(&d.quick, "quick", false, "leave out tests that take over a second; then try those again that survived")
	flag.BoolVar(&d.list, "list", false, "print the mutants, run no test")
	by := flag.String("by", "", "try the survivors of all packages again, planted together, by the tests of these `packages`")
	flag.Parse()
	if *packages == "" {
		if !runList(flag.Args(), *verbose) {
			os.Exit(1)
		}
		return
	}
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "mutate: %q: names are for the list, -package draws mutants\n", flag.Args())
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *by != "" {
		good, err := d.runWith(ctx, strings.Split(*packages, ","), strings.Split(*by, ","))
		exitOn(err)
		if !good {
			os.Exit(1)
		}
		return
	}
	good := true
	for p := range strings.SplitSeq(*packages, ",") {
		clean, err := d.run(ctx, p)
		if ctx.Err() != nil {
			fmt.Fprintln(os.Stderr, "mutate: interrupted; the same command goes on from the file of verdicts")
			os.Exit(1)
		}
		exitOn(err)
		good = good && clean
	}
	if !good {
		os.Exit(1)
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}
