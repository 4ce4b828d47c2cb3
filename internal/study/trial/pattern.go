package trial

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// A Pattern is traffic that points are played on.
type Pattern struct {
	Name string `json:"name"`
	What string `json:"what"`

	scenario *scenario.Scenario // with the thresholds that it has
}

// Own is the pattern that is the scenario's own jobs, with its faults and its background.
const Own = "own"

// Default is the patterns that are played where none are asked for: the scenario's own traffic (see ownByDefault), and
// those that are hard for a network.
var Default = []string{Own, "incast", "ring", "all-to-all"}

// made are the patterns that take the place of the scenario's jobs. Each rank sends about the bytes that are asked
// for.
var made = []struct {
	name, op, algorithm string
	total               func(ranks int, each unit.Bytes) unit.Bytes // as nccl-tests counts it
	what                string
}{
	{"incast", "gather", "direct", func(n int, b unit.Bytes) unit.Bytes { return b * unit.Bytes(n) },
		"all ranks but one send %s each to it at once"},
	{"ring", "all-reduce", "ring", func(_ int, b unit.Bytes) unit.Bytes { return b },
		"a ring all-reduce of %s"},
	{"all-to-all", "all-to-all", "direct", func(_ int, b unit.Bytes) unit.Bytes { return b },
		"each rank sends its part of %s to each other, all at once"},
}

// Names lists the patterns that there are.
func Names() (all []string) {
	for _, m := range made {
		all = append(all, m.name)
	}
	return append(all, Own)
}

// A Slice is which part of a cluster takes part in the patterns that were made. The fabric is whole.
type Slice struct {
	Hosts int        `json:"hosts"`
	Of    int        `json:"of_hosts"`
	Ranks int        `json:"ranks"`
	Each  unit.Bytes `json:"bytes_per_rank"`
}

// Bounds of what is played unless more is asked for.
const (
	mostRanks = 256         // an all-to-all has a queue pair for every two
	mostHops  = 300_000_000 // of a whole search: a minute or two of a core

	mostOwnSeconds = 300 // of a core, by the forecast: the scenario's own traffic in a whole search
	ownSteps       = 10  // of a training that nobody asked for
)

// patterns makes the traffic that options ask for, on as many hosts as the forecast allows.
func (t *tuning) patterns(ctx context.Context) error {
	if len(t.opt.Patterns) == 0 {
		if err := t.ownByDefault(ctx); err != nil {
			return err
		}
	}
	t.found.Slice = Slice{Hosts: t.base.Cluster.Hosts, Of: t.base.Cluster.Hosts, Each: t.opt.Bytes}
	if t.opt.Hosts > 0 {
		t.found.Slice.Hosts = min(t.opt.Hosts, t.base.Cluster.Hosts)
		return t.make()
	}
	gpus := max(t.base.Cluster.Host.GPUs, 1)
	for s := &t.found.Slice; ; s.Hosts = (s.Hosts + 1) / 2 {
		if s.Hosts > 2 && s.Hosts*gpus > mostRanks {
			continue
		}
		if err := t.make(); err != nil {
			return err
		}
		hops, err := t.hops(ctx)
		if err != nil || s.Hosts <= 2 || hops <= int64(mostHops/(max(t.opt.Points, 1)*len(t.opt.Seeds))) {
			return err
		}
	}
}

// make makes the patterns on the slice.
func (t *tuning) make() error {
	s := &t.found.Slice
	s.Ranks = s.Hosts * max(t.base.Cluster.Host.GPUs, 1)
	t.found.Patterns = nil
	for _, name := range t.opt.Patterns {
		if name == Own {
			t.found.Patterns = append(t.found.Patterns, t.own)
			continue
		}
		p := Pattern{Name: name}
		for _, m := range made {
			if m.name != name {
				continue
			}
			if s.Ranks < 2 {
				return fmt.Errorf("%s needs two ranks or more, and there is one: want more hosts, or --patterns %s", name, Own)
			}
			p.What = fmt.Sprintf(m.what, s.Each.Human())
			job := fmt.Sprintf("{collectives: [{op: %s, algorithm: %s, bytes: %s, iterations: 1, warmup: 0}]%s}",
				m.op, m.algorithm, m.total(s.Ranks, s.Each/4*4), s.hosts())
			sc, err := t.base.With(append(alone(t.base), scenario.Change{Path: "job", Text: job})...)
			if err != nil {
				return err
			}
			p.scenario = sc
		}
		t.found.Patterns = append(t.found.Patterns, p)
	}
	return nil
}

// hosts is the key that names the hosts of the slice, evenly apart, with its comma; "": all.
func (s *Slice) hosts() string {
	if s.Hosts == s.Of {
		return ""
	}
	names := make([]string, s.Hosts)
	for i := range names {
		names[i] = "host" + strconv.Itoa(1+i*s.Of/s.Hosts)
	}
	return ", hosts: [" + strings.Join(names, ", ") + "]"
}

// alone takes away what a scenario has beside its network: jobs, background, faults, slow ranks. A
// pattern then has the network to itself.
func alone(sc *scenario.Scenario) (changes []scenario.Change) {
	remove := func(path string, there bool) {
		if there {
			changes = append(changes, scenario.Change{Path: path, Remove: true})
		}
	}
	if listed := sc.Jobs[0].Path() != "job"; listed {
		remove("jobs", true)
	} else {
		remove("job", true)
	}
	remove("background", len(sc.Background.Flows) > 0)
	remove("faults", len(sc.Faults) > 0)
	remove("cluster.slow", len(sc.Cluster.Slow) > 0)
	return append(changes, scenario.Change{Path: "output",
		Text: "{queues: false, flows: false, operations: false, sample: 1us}"})
}

// hops is what one run of each pattern takes that was made: hosts that sit out do not shorten the scenario's own jobs.
func (t *tuning) hops(ctx context.Context) (sum int64, err error) {
	for i := range t.found.Patterns {
		if t.found.Patterns[i].Name == Own {
			continue
		}
		f, err := run.NewForecast(ctx, t.found.Patterns[i].scenario, t.sources, func(result.Progress) {})
		if err != nil {
			return 0, err
		}
		sum += min(f.PacketHops, 1<<60)
	}
	return sum, nil
}
