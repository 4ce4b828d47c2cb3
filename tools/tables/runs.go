package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// An experiment is a scenario of flows, or of one collective, that is run with the seeds 1, 2, 3 and so on.
type experiment struct {
	file  string
	set   []string // keys, each as --set has them
	seeds int
	pairs int // queue pairs of a connection: each flow is as many, of a part of the bytes; 0 or 1: it is as it is
	// drawn is a key that each seed has a value of its own for; nil: none
	drawn func(seed int) string
}

// ran is what a run left.
type ran struct {
	*result.Summary
	links []result.LinkRow
}

// means returns the means over the seeds of what each run came to.
func (e experiment) means(ctx context.Context, figures func(*ran) []float64) (means []float64, err error) {
	for seed := range e.seeds {
		keys := append(slices.Clone(e.set), fmt.Sprintf("seed=%d", seed+1))
		if e.drawn != nil {
			keys = append(keys, e.drawn(seed+1))
		}
		sc, err := load(e.file, keys...)
		if err == nil && e.pairs > 1 {
			sc, err = sc.With(parts(sc.Jobs[0].Flows, e.pairs))
		}
		if err != nil {
			return nil, fmt.Errorf("%s with %s: %w", e.file, strings.Join(e.set, " "), err)
		}
		r, err := measured(ctx, sc)
		if err != nil {
			return nil, fmt.Errorf("%s with %s, seed %d: %w", e.file, strings.Join(e.set, " "), seed+1, err)
		}
		got := figures(r)
		if means == nil {
			means = make([]float64, len(got))
		}
		for i, v := range got {
			means[i] += v
		}
	}
	for i := range means {
		means[i] /= float64(e.seeds)
	}
	return means, nil
}

// load reads a scenario file and sets keys.
func load(file string, set ...string) (*scenario.Scenario, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sc, err := scenario.Parse(file, src)
	if err != nil {
		return nil, err
	}
	var changes []scenario.Change
	for _, s := range set {
		path, text, _ := strings.Cut(s, "=")
		changes = append(changes, scenario.Change{Path: path, Text: text})
	}
	return sc.With(changes...)
}

// parts has n flows of an n-th for each.
func parts(flows []scenario.Flow, n int) scenario.Change {
	var all []string
	for _, f := range flows {
		for range n {
			all = append(all, fmt.Sprintf("{from: %s, to: %s, bytes: %dB}", f.From, f.To, int(f.Bytes)/n))
		}
	}
	return scenario.Change{Path: "job", Text: "{flows: [" + strings.Join(all, ", ") + "]}"}
}

// measured runs a scenario in a directory that is gone afterwards.
func measured(ctx context.Context, sc *scenario.Scenario) (*ran, error) {
	work, err := os.MkdirTemp("", "tables")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	path := filepath.Join(work, "run")
	dir, err := result.Create(path)
	if err != nil {
		return nil, err
	}
	r := &ran{}
	if r.Summary, err = run.Run(ctx, sc, run.Options{Dir: dir}); err != nil {
		return nil, err
	}
	if err := dir.Finish(r.Summary); err != nil {
		return nil, err
	}
	opened, err := result.Open(path)
	if err != nil {
		return nil, err
	}
	for l, err := range opened.Links() {
		if err != nil {
			return nil, err
		}
		r.links = append(r.links, l)
	}
	return r, nil
}

// used counts the links from one tier to another that carried data.
func (r *ran) used(from, to string) (n float64) {
	tiers := map[string]string{}
	for _, l := range r.links {
		tiers[l.From] = l.Tier
	}
	for _, l := range r.links {
		if l.Tier == from && tiers[l.To] == to && l.DataBytes > 0 {
			n++
		}
	}
	return n
}

// last is when the last of a job's flows was done, in picoseconds.
func (r *ran) last() (took float64) {
	for i := range r.Flows {
		took = max(took, float64(r.Flows[i].Took()))
	}
	return took
}

// first is when the first of a job's flows was done, in picoseconds.
func (r *ran) first() float64 {
	took := r.last()
	for i := range r.Flows {
		took = min(took, float64(r.Flows[i].Took()))
	}
	return took
}

// deepest is the deepest queue of some ports.
func (r *ran) deepest(ports ...string) (deepest float64) {
	for _, l := range r.links {
		if slices.Contains(ports, l.Port) {
			deepest = max(deepest, float64(l.MaxQueue))
		}
	}
	return deepest
}

// over counts the ports that begin so and sent no data, and says how much more than their mean the fullest sent.
func (r *ran) over(prefix string) (idle, fullest float64) {
	n, sum, most := 0.0, 0.0, 0.0
	for _, l := range r.links {
		if !strings.HasPrefix(l.Port, prefix) {
			continue
		}
		if n++; l.DataBytes == 0 {
			idle++
		}
		sum, most = sum+float64(l.DataBytes), max(most, float64(l.DataBytes))
	}
	return idle, most * n / sum
}

// shares is what part of a link's rate the payload of a connection had until its last flow was done, a
// connection for each sender: the mean and the least.
func (r *ran) shares(rate unit.Bitrate) (mean, least float64) {
	took, bytes := map[string]unit.Duration{}, map[string]unit.Bytes{}
	for i := range r.Flows {
		f := &r.Flows[i]
		took[f.Src] = max(took[f.Src], f.Took())
		bytes[f.Src] += f.Bytes
	}
	least = 1
	for _, src := range slices.Sorted(maps.Keys(took)) {
		part := float64(rate.TransmitTime(bytes[src])) / float64(took[src])
		mean, least = mean+part/float64(len(took)), min(least, part)
	}
	return mean, least
}

func kilo(bytes float64) string { return fmt.Sprintf("%.0f kB", bytes/1000) }

func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

func micros(d float64) string { return fmt.Sprintf("%.0f us", d/float64(unit.Microsecond)) }

func one(v float64) string { return fmt.Sprintf("%.1f", v) }
