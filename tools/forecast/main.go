// Command forecast runs scenarios and prints what `railyard check` said of each beside what the run
// took: packet-hops, messages over NICs, the most memory that the process held, and processor time, user and system. Memory and
// time are the machine's to say and differ from run to run, so this is looked at by hand; that counts are
// near is a test of internal/run/run.
//
//	go run ./tools/forecast [FILE...]                default: examples and tools/forecast/shapes
//	go run ./tools/forecast -drawn 30 -seed 7        scenarios that a seed draws, which take 0.3 to 20 s: see drawn.go
//	go run ./tools/forecast -drawn 60 -seed 1 -fit   and the costs that fit these, to be shown on another seed
//
// It runs in the folder of the repository, for examples name files relative to it, and leaves
// nothing but the images that an example draws.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"railyard/internal/base/splitmix"
	"railyard/internal/plan/foresight"
	"railyard/internal/study/bench"
	"railyard/tools/built"
)

type checked struct {
	Estimate foresight.Estimate `json:"estimate"`
}

type ran struct {
	PacketHops int64 `json:"packet_hops"`
	Tables     []struct {
		Name string `json:"name"`
		Rows int64  `json:"rows"`
	} `json:"tables"`
}

// sent is how many messages went over NICs: each has a row.
func (r *ran) sent() int64 {
	for _, t := range r.Tables {
		if t.Name == "flows" {
			return t.Rows
		}
	}
	return 0
}

var (
	drawn   = flag.Int("drawn", 0, "draw so many scenarios")
	seed    = flag.Uint64("seed", 1, "of -drawn")
	fit     = flag.Bool("fit", false, "print the costs that fit what was run")
	lines   = flag.String("lines", "", "a file that gets a line of JSON for each")
	program = flag.String("program", "", "a railyard that is there; without it one is built")
)

func main() {
	flag.Parse()
	if *program == "" {
		folder, made, err := built.Program()
		exitOn(err)
		defer os.RemoveAll(folder)
		*program = made
	}
	work, err := os.MkdirTemp("", "forecast")
	exitOn(err)
	defer os.RemoveAll(work)
	fmt.Printf("%11s %11s %5s  %9s %9s %5s  %6s %6s %5s  %7s %7s %5s  %s\n", "hops said", "taken", "", "NIC said", "taken", "",
		"MB", "taken", "", "s said", "taken", "", "scenario")
	var all []bench.Forecast
	if *drawn > 0 {
		all = measureDrawn(work)
	} else {
		all = measureFiles(work, flag.Args())
	}
	summary(all)
}

func measureFiles(work string, files []string) (all []bench.Forecast) {
	if len(files) == 0 {
		for _, glob := range []string{"examples/*.yaml", "tools/forecast/shapes/*.yaml"} {
			some, err := filepath.Glob(glob)
			exitOn(err)
			files = append(files, some...)
		}
	}
	for i, file := range files {
		m, err := measure(file, filepath.Join(work, fmt.Sprint(i)))
		if err != nil {
			fmt.Printf("%-34s %v\n", filepath.Base(file), err)
			continue
		}
		m.print(filepath.Base(file))
		all = append(all, m.forecast(file))
	}
	return all
}

// Only scenarios that take as many seconds of processor time are looked at.
const (
	leastTaken = 0.3
	mostTaken  = 20
)

// measureDrawn runs what the seed draws until enough of it takes neither too little nor too long. What is said to take very little,
// or very long, is not run.
func measureDrawn(work string) (all []bench.Forecast) {
	r := &dice{splitmix.Stream(*seed)}
	file := filepath.Join(work, "drawn.yaml")
	for i := 0; len(all) < *drawn; i++ {
		words, text := draw(r)
		exitOn(os.WriteFile(file, []byte(text), 0o666))
		var said checked
		if _, _, err := jsonOf(exec.Command(*program, "check", file, "--json"), &said); err != nil || said.Estimate.Steps == 0 &&
			said.Estimate.NICMessages == 0 || said.Estimate.Seconds < leastTaken/3 || said.Estimate.Seconds > 2*mostTaken {
			continue
		}
		m, err := measure(file, filepath.Join(work, fmt.Sprint(i)))
		if err != nil {
			fmt.Println(err, words)
			continue
		}
		if m.seconds < leastTaken || m.seconds > mostTaken {
			continue
		}
		m.print(words)
		all = append(all, m.forecast(words))
	}
	return all
}

type measured struct {
	said    foresight.Estimate
	took    ran
	peak    int64
	seconds float64
}

func measure(file, dir string) (m measured, err error) {
	var said checked
	if _, _, err := jsonOf(exec.Command(*program, "check", file, "--json"), &said); err != nil {
		return m, err
	}
	m.said = said.Estimate
	m.peak, m.seconds, err = jsonOf(exec.Command(*program, "run", file, "--json", "--quiet", "--force", "--out", dir), &m.took)
	os.RemoveAll(dir)
	return m, err
}

func (m *measured) print(name string) {
	const mega = 1e6
	quotient := func(a, b float64) float64 { return a / max(b, 1e-9) }
	h, n := m.said.PacketHops, m.said.NICMessages
	memory := float64(m.said.Memory)
	fmt.Printf("%11d %11d %5.2f  %9d %9d %5.2f  %6.0f %6.0f %5.2f  %7.2f %7.2f %5.2f  %s\n",
		h, m.took.PacketHops, quotient(float64(h), float64(m.took.PacketHops)),
		n, m.took.sent(), quotient(float64(n), float64(m.took.sent())),
		memory/mega, float64(m.peak)/mega, quotient(memory, float64(m.peak)), m.said.Seconds, m.seconds, m.said.Seconds/m.seconds, name)
}

func (m *measured) forecast(name string) bench.Forecast {
	f := bench.Forecast{Case: name, Said: m.said, Took: m.seconds}
	if *lines != "" {
		to, err := os.OpenFile(*lines, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		exitOn(err)
		exitOn(json.NewEncoder(to).Encode(struct {
			bench.Forecast
			Hops int64 `json:"taken_hops"`
			Sent int64 `json:"taken_messages"`
		}{f, m.took.PacketHops, m.took.sent()}))
		exitOn(to.Close())
	}
	return f
}

// summary says how many forecasts are near, and what costs would fit.
func summary(all []bench.Forecast) {
	if len(all) == 0 {
		return
	}
	var off []float64
	near, twice := 0, 0
	for i := range all {
		q := all[i].Quotient()
		off = append(off, q)
		if q <= 1.5 {
			near++
		}
		if q <= 2 {
			twice++
		}
	}
	slices.Sort(off)
	fmt.Printf("\nseconds of %d: %d within a factor of 1.5, %d within 2; the median %.2f, the most %.2f\n", len(all), near, twice,
		off[len(off)/2], off[len(off)-1])
	if *fit {
		best := bench.Fit(foresight.Reference, all)
		fmt.Printf("Costs that fit these:\n%s", bench.FitText(&best, all))
	}
}

// jsonOf runs a command, decodes what it prints, and returns the most memory that it held in bytes, and its processor time.
func jsonOf(cmd *exec.Cmd, into any) (peak int64, seconds float64, err error) {
	out, err := cmd.Output()
	if len(out) == 0 && err != nil {
		return 0, 0, err
	}
	p := cmd.ProcessState
	return peakOf(p), (p.UserTime() + p.SystemTime()).Seconds(), json.Unmarshal(out, into)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "forecast:", err)
		os.Exit(1)
	}
}
