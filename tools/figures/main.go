// Command figures takes the table "Figures" of docs/performance.md: each case of `railyard bench` so many times, by
// turns, so that what else the machine does meets all alike. Nothing else should run.
//
//	go run ./tools/figures                      three rounds of the whole set; ten minutes
//	go run ./tools/figures -rounds 5 -cases perm8192-400g,perm8192-400g-1us
//	go run ./tools/figures -old /tmp/railyard   two versions by turns, and the quotient of their rates
//
// A figure is the least of the rounds, with the median in brackets; a quotient is of one round, and the median
// of those with the least and the most.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/study/bench"
	"railyard/tools/built"
)

func main() {
	rounds := flag.Int("rounds", 3, "how often each case runs")
	names := flag.String("cases", "", "cases, with commas between (default: the set)")
	old := flag.String("old", "", "another railyard, to compare with")
	workers := flag.Int("workers", 1, "cores for the event loop")
	flag.Parse()
	var patterns []string
	if *names != "" {
		patterns = strings.Split(*names, ",")
	}
	cases, err := bench.Match(patterns)
	exitOn(err)
	if flag.NArg() > 0 || *rounds < 1 {
		exitOn(fmt.Errorf("want at least one round, and flags alone: see -h"))
	}
	work, program, err := built.Program()
	exitOn(err)
	defer os.RemoveAll(work)
	rows, before := make([][]bench.Row, len(cases)), make([][]bench.Row, len(cases))
	for range *rounds {
		for i := range cases {
			rows[i] = append(rows[i], measure(program, cases[i].Name, *workers))
			if *old != "" {
				before[i] = append(before[i], measure(*old, cases[i].Name, *workers))
			}
		}
	}
	table(rows, before)
}

// measure runs one case in a process of its own.
func measure(program, name string, workers int) bench.Row {
	cmd := exec.Command(program, "bench", "--json", "--case", name, fmt.Sprintf("--workers=%d", workers))
	out, err := cmd.Output()
	var rows []bench.Row
	if err == nil {
		err = json.Unmarshal(out, &rows)
	}
	if err == nil && len(rows) != 1 {
		err = fmt.Errorf("%d rows, want one", len(rows))
	}
	if err != nil {
		err = fmt.Errorf("%s: %s: %w", program, name, err)
	}
	exitOn(err)
	return rows[0]
}

// table prints the table, and beside it what the other version gave.
func table(rows, before [][]bench.Row) {
	fmt.Println("| case | packet-hops | events | CPU s | Mhops/s | memory | of the other's Mhops/s |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|")
	for i, of := range rows {
		cpu, peak := make([]float64, len(of)), make([]float64, len(of))
		quotients := make([]float64, 0, len(of))
		for k := range of {
			cpu[k], peak[k] = of[k].CPU, float64(of[k].Peak)/float64(unit.Megabyte)
			if before[i] != nil {
				quotients = append(quotients, of[k].Rate/before[i][k].Rate)
			}
		}
		least, middle, _ := spread(cpu)
		memory, _, _ := spread(peak)
		hops := float64(of[0].PacketHops) / 1e6
		fmt.Printf("| %s | %s | %s | %.2f (%.2f) | %.2f (%.2f) | %.0f MB |", of[0].Case, unit.Count(of[0].PacketHops),
			unit.Count(of[0].Events), least, middle, hops/least, hops/middle, memory)
		if len(quotients) > 0 {
			least, middle, most := spread(quotients)
			fmt.Printf(" %.2f (%.2f to %.2f)", middle, least, most)
		}
		fmt.Println(" |")
	}
}

// spread returns the least, the median and the most.
func spread(all []float64) (least, middle, most float64) {
	all = slices.Sorted(slices.Values(all))
	return all[0], all[len(all)/2], all[len(all)-1]
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}
