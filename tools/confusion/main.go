// Command confusion plants faults in simulated fabrics, has `judge` name them from telemetry alone, and prints how often it
// is right: 20 kinds of fault, so many places and strengths of each, so many seeds, on four fabrics of 32 to 256 GPUs, and
// runs in which nothing is wrong.
//
//	go run ./tools/confusion -out table.jsonl                     all: 10 draws, 5 seeds
//	go run ./tools/confusion -out table.jsonl -draws 2 -seeds 1   a sample
//
// Each case is a line of the file. Cases that have their line are not run again, so it goes on where it was stopped.
// A fault that changes the time of the run by less than 1 % may be called healthy.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"railyard/internal/base/unit"
	"railyard/internal/config/dump"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/judge"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// verdict is a line of the file.
type verdict struct {
	Key     string            `json:"key"`
	Kind    string            `json:"kind"`
	Want    []judge.Mechanism `json:"want"`
	Places  []string          `json:"places,omitempty"`
	Got     []judge.Mechanism `json:"got"`
	At      []string          `json:"at"`
	Slower  float64           `json:"slower"` // than the fabric in order
	Right   bool              `json:"right"`
	InThree bool              `json:"in_three"`
	Placed  bool              `json:"placed"`
	Small   bool              `json:"small"` // less than 1 % slower, and called healthy
	CPU     float64           `json:"cpu_s"` // that it took

	Altered map[string]*verdict `json:"altered,omitempty"` // what was said of the same telemetry, altered
}

func main() {
	out := flag.String("out", "confusion.jsonl", "file of verdicts, which is gone on with")
	draws := flag.Int("draws", 10, "places and strengths of each kind")
	seeds := flag.Int("seeds", 5, "seeds of each")
	only := flag.String("kind", "", "this kind alone; with -families, these families alone, with commas between")
	on := flag.String("fabric", "", "this fabric alone")
	from := flag.Int("from", 0, "the first draw")
	show := flag.Bool("show", false, "print the scenario of each wrong answer")
	keep := flag.String("keep", "", "folder that keeps what runs showed, and has it again")
	without := flag.String("without", "", "counters that nobody reads, by their columns, with commas between; collectives, log: those rows")
	alter := flag.Bool("alter", false,
		"judge what each second draw of the first seed shows again, altered and without each kind of counter")
	seed := flag.Uint64("families", 0, "a seed: hold judge to explain on a case of each family of planted causes, in place of all that")
	alone := flag.Uint64("accused", 0, "a seed: draw runs in which nothing is wrong, and print what is named in them, in place of all that")
	flag.Parse()
	if *alone > 0 {
		fmt.Printf("Of %d runs in which nothing is wrong, %d were accused.\n", mostHealthy, accused(*alone))
		return
	}
	if *seed > 0 {
		families(*seed, *only)
		return
	}
	b := bench{healthy: map[string]*seen{}, show: *show, keep: *keep, without: strings.Split(*without, ",")}
	done, err := read(*out)
	exitOn(err)
	file, err := os.OpenFile(*out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	exitOn(err)
	defer file.Close()
	cases := func(try func(k kind, f *fabric, n int, seed uint64)) {
		for n := *from; n < *from+*draws; n++ { // if it is stopped, each fabric and kind has had as many
			for seed := 1; seed <= *seeds; seed++ {
				for i := range fabrics {
					if (n+seed)%len(fabrics) == i { // 50 of 10 draws and 5 seeds
						try(kind{name: "healthy"}, &fabrics[i], n, uint64(seed))
					}
					for _, k := range kinds {
						try(k, &fabrics[i], n, uint64(seed))
					}
				}
			}
		}
	}
	asked := 0
	cases(func(k kind, f *fabric, n int, seed uint64) {
		if *only != "" && k.name != *only || *on != "" && f.name != *on {
			return
		}
		asked++
		if has(done, fmt.Sprintf("%s|%s|%d|%d", k.name, f.name, n, seed)) {
			return
		}
		before := cpu()
		b.alter = *alter && seed == 1 && n%2 == 0
		v, err := b.try(k, f, n, seed)
		exitOn(err)
		v.CPU = cpu() - before
		line, err := json.Marshal(v)
		exitOn(err)
		_, err = file.Write(append(line, '\n'))
		exitOn(err)
		done = append(done, v)
	})
	fmt.Printf("%d of %d cases\n\n", len(done), asked)
	table(done)
	alteredTable(done)
}

// has reports whether a case has its line.
func has(done []verdict, key string) bool {
	return slices.ContainsFunc(done, func(v verdict) bool { return v.Key == key })
}

func read(name string) (all []verdict, err error) {
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var v verdict
		if json.Unmarshal(lines.Bytes(), &v) == nil { // the last one may have been cut off
			all = append(all, v)
		}
	}
	return all, lines.Err()
}

// bench runs cases, and keeps the runs in order.
type bench struct {
	healthy map[string]*seen
	show    bool
	keep    string
	without []string
	alter   bool
}

// seen is what a run showed.
type seen struct {
	graph  *topo.Graph
	of     *telemetry.Telemetry
	time   unit.Time
	uneven []string // ports at which explain says that a choice among equal links cost something
}

// kept is what of it is kept.
type kept struct {
	Of     *telemetry.Telemetry
	Time   unit.Time
	Uneven []string
	First  *diagnose.Finding // of explain
}

func (b *bench) inOrder(text string) (*seen, error) {
	if b.healthy[text] == nil {
		s, err := b.play(text)
		if err != nil {
			return nil, err
		}
		b.healthy[text] = s
	}
	return b.healthy[text], nil
}

// try judges a case.
func (b *bench) try(k kind, f *fabric, n int, seed uint64) (v verdict, err error) {
	if k.name == "healthy" {
		return b.tryHealthy(f, n, seed)
	}
	c, err := b.draw(k, f, n, seed)
	if err != nil {
		return v, err
	}
	base, err := b.inOrder(c.base)
	if err != nil {
		return v, err
	}
	now := c.shown
	if now == nil {
		if now, err = b.play(c.text); err != nil {
			return v, fmt.Errorf("%s: %w\n%s", c.key, err, c.text)
		}
	}
	v = verdict{Key: c.key, Kind: k.name, Want: c.want, Places: c.places, Slower: float64(now.time)/float64(base.time) - 1}
	known := judge.Case{Now: b.less(now.of), Healthy: b.less(base.of), Graph: now.graph}
	v.hear(judge.Judge(known))
	b.again(&v, known)
	if b.show && !(v.Right || v.Small) {
		fmt.Fprintf(os.Stderr, "%s: %v at %v, %.3f\n%s\n", c.key, v.Got, v.At, v.Slower, c.text)
	}
	return v, nil
}

// less is what is seen where some counters are not read.
func (b *bench) less(of *telemetry.Telemetry) *telemetry.Telemetry { return without(of, b.without) }

// tryHealthy judges a run in order by another one, of another seed.
func (b *bench) tryHealthy(f *fabric, n int, seed uint64) (v verdict, err error) {
	k := kind{heavy: n%2 == 1}
	base, err := b.inOrder(f.base(seed, &k, "\n  balance: pinned"))
	if err != nil {
		return v, err
	}
	now, err := b.play(f.base(seed+uint64(n+1)*101, &k, "\n  balance: pinned"))
	if err != nil {
		return v, err
	}
	v = verdict{Key: fmt.Sprintf("healthy|%s|%d|%d", f.name, n, seed), Kind: "healthy", Slower: float64(now.time)/float64(base.time) - 1}
	v.hear(judge.Judge(judge.Case{Now: b.less(now.of), Healthy: b.less(base.of), Graph: now.graph}))
	b.again(&v, judge.Case{Now: b.less(now.of), Healthy: b.less(base.of), Graph: now.graph})
	for _, x := range append([]*verdict{&v}, slices.Collect(maps.Values(v.Altered))...) {
		x.Right, x.InThree, x.Small = len(x.Got) == 0, len(x.Got) == 0, false
	}
	return v, nil
}

// again judges a case with altered telemetry.
func (b *bench) again(v *verdict, c judge.Case) {
	if !b.alter {
		return
	}
	v.Altered = map[string]*verdict{}
	try := func(name string, now judge.Case) {
		x := &verdict{Kind: v.Kind, Want: v.Want, Places: v.Places, Slower: v.Slower}
		x.hear(judge.Judge(now))
		v.Altered[name] = x
	}
	for _, a := range alterations {
		now := c
		now.Now = altered(c.Now, v.Key+a.name, a.alter)
		try(a.name, now)
	}
	for _, a := range ablations {
		now := c
		now.Now, now.Healthy = without(c.Now, a.columns), without(c.Healthy, a.columns)
		try(a.name(), now)
	}
	for _, form := range dump.Forms() {
		now := c
		now.Now, now.Healthy = named(c.Now, form), named(c.Healthy, form)
		try(inForm(form), now)
	}
}

// hear notes what was said.
func (v *verdict) hear(of judge.Verdict) {
	for i, h := range of.Hypotheses {
		name := h.Place.Name
		if (h.Place.Kind == noun.Links || h.Place.Kind == noun.Job) && len(h.Culprits) > 0 {
			name = h.Culprits[0]
		}
		v.Got, v.At = append(v.Got, h.Mechanism), append(v.At, name)
		if slices.Contains(v.Want, h.Mechanism) {
			v.InThree = true
			v.Right = v.Right || i == 0
			v.Placed = v.Placed || slices.Contains(v.Places, name)
		}
	}
	v.Small = len(of.Hypotheses) == 0 && v.Slower < 0.01
}

// play runs a scenario and reads what it shows, or takes what was kept of it.
func (b *bench) play(text string) (*seen, error) {
	sc, err := scenario.Parse("case", []byte(text))
	if err != nil {
		return nil, err
	}
	p, err := run.NewPlan(sc)
	if err != nil {
		return nil, err
	}
	var k kept
	file := filepath.Join(b.keep, fmt.Sprintf("%x.gob", sha256.Sum256([]byte(text))))
	if b.keep != "" {
		if f, err := os.Open(file); err == nil {
			defer f.Close()
			if err := gob.NewDecoder(bufio.NewReader(f)).Decode(&k); err == nil {
				return &seen{p.Graph, k.Of, k.Time, k.Uneven}, nil
			}
		}
	}
	if err := show(sc, &k); err != nil || b.keep == "" {
		return &seen{p.Graph, k.Of, k.Time, k.Uneven}, err
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(&k); err != nil {
		return nil, err
	}
	return &seen{p.Graph, k.Of, k.Time, k.Uneven}, os.WriteFile(file, out.Bytes(), 0o644)
}

// graphOf is the network of a scenario.
func graphOf(sc *scenario.Scenario) (*topo.Graph, error) {
	p, err := run.NewPlan(sc)
	if err != nil {
		return nil, err
	}
	return p.Graph, nil
}

// show runs a scenario: what it shows, and the time of a step, or of all.
func show(sc *scenario.Scenario, k *kept) error {
	dir, err := os.MkdirTemp("", "confusion")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d, err := result.Create(dir + "/run")
	if err != nil {
		return err
	}
	sum, failed := run.Run(context.Background(), sc, run.Options{Dir: d})
	if sum == nil {
		return failed
	}
	if err := d.Finish(sum); err != nil {
		return err
	}
	r, err := result.Open(dir + "/run")
	if err != nil {
		return err
	}
	var b telemetry.Builder
	for row, err := range r.Telemetry() {
		if err != nil {
			return err
		}
		b.Add(&row)
	}
	k.Of, k.Time, k.First = b.Telemetry(), sum.VirtualTime, firstOf(sum)
	for _, f := range sum.PerJob() {
		if f.StepTime > 0 {
			k.Time = unit.Time(f.StepTime)
		}
		if f.Diagnosis == nil {
			continue
		}
		for i := range f.Diagnosis.Blames {
			if b := &f.Diagnosis.Blames[i]; b.Kind == diagnose.UnevenChoice && 100*b.Time >= f.Diagnosis.Whole {
				k.Uneven = append(k.Uneven, b.Port)
			}
		}
	}
	return nil
}

// table prints the confusion table.
func table(all []verdict) {
	by := map[string][]verdict{}
	var names []string
	for _, v := range all {
		if by[v.Kind] == nil {
			names = append(names, v.Kind)
		}
		by[v.Kind] = append(by[v.Kind], v)
	}
	fmt.Println("| planted | runs | right | in three | place right | called healthy, under 1 % | named instead |\n" +
		"|---|---|---|---|---|---|---|")
	var sum [5]int
	for _, name := range names {
		var n [5]int
		instead := map[string]int{}
		for _, v := range by[name] {
			n[0]++
			if v.Small {
				n[4]++
				continue
			}
			n[1] += one(v.Right)
			n[2] += one(v.InThree)
			n[3] += one(v.InThree && v.Placed)
			if !v.Right {
				got := "nothing"
				if len(v.Got) > 0 {
					got = string(v.Got[0])
				}
				instead[got]++
			}
		}
		var words []string
		for w, c := range instead {
			words = append(words, fmt.Sprintf("%s %d", w, c))
		}
		slices.Sort(words)
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %s |\n", name, n[0], n[1], n[2], n[3], n[4], strings.Join(words, ", "))
		if name != "healthy" {
			for i := range sum {
				sum[i] += n[i]
			}
		}
	}
	if counted := sum[0] - sum[4]; counted > 0 {
		fmt.Printf("\nOf %d faults, %d of them under 1 %% and called healthy: %.1f %% named right first, "+
			"%.1f %% within three, place right in %.1f %% of these.\n",
			sum[0], sum[4], 100*float64(sum[1])/float64(counted), 100*float64(sum[2])/float64(counted),
			100*float64(sum[3])/float64(max(1, sum[2])))
	}
	used := 0.0
	for i := range all {
		used += all[i].CPU
	}
	fmt.Printf("%.0f CPU seconds.\n", used)
}

// alteredTable prints how far answers fall where telemetry is altered.
func alteredTable(all []verdict) {
	names := []string{"as it is"}
	for _, a := range alterations {
		names = append(names, a.name)
	}
	for _, a := range ablations {
		names = append(names, a.name())
	}
	for _, form := range dump.Forms() {
		names = append(names, inForm(form))
	}
	rows := ""
	for _, name := range names {
		var n, right, three, placed, healthy, accused int
		for i := range all {
			v := &all[i]
			if v.Altered == nil {
				continue
			}
			if name != names[0] {
				if v = v.Altered[name]; v == nil {
					continue
				}
			}
			switch {
			case v.Kind == "healthy":
				healthy++
				accused += one(!v.Right)
			case !v.Small:
				n++
				right, three, placed = right+one(v.Right), three+one(v.InThree), placed+one(v.InThree && v.Placed)
			}
		}
		if n > 0 {
			rows += fmt.Sprintf("| %s | %d | %.1f %% | %.1f %% | %.1f %% | %d of %d |\n", name, n, 100*float64(right)/float64(n),
				100*float64(three)/float64(n), 100*float64(placed)/float64(max(1, three)), accused, healthy)
		}
	}
	if rows != "" {
		fmt.Print("\n| telemetry | faults | right | in three | place right | healthy, accused |\n|---|---|---|---|---|---|\n" + rows)
	}
}

// cpu is what this process has used, in seconds.
func cpu() float64 {
	var u syscall.Rusage
	exitOn(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
