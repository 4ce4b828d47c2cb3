package trial

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/study/sweep"
	"railyard/internal/study/tune"
)

// small is five hosts on one switch with little buffer.
const small = `
name: small
cluster: {hosts: 5, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: single-switch
  switch: {buffer: 2MB}
job:
  flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 10kB}]
`

func parse(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse("small.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func options(patterns ...string) Options {
	return Options{Prefer: tune.PreferAll, Patterns: patterns,
		Seeds: []uint64{1, 2}, Verify: []uint64{7}, Points: 4, Bytes: 200 * unit.Kilobyte,
		Limits: sweep.Limits{Workers: 2}}
}

func tuned(t *testing.T, sc *scenario.Scenario, opt Options) *Found {
	t.Helper()
	f, err := Run(context.Background(), sc, opt)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func asJSON(t *testing.T, f *Found) string {
	t.Helper()
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What is found does not depend on the cores, and an earlier tuning's rows are taken as they are.
func TestTheSameWhateverTheCores(t *testing.T) {
	sc, opt := parse(t, small), options("incast")
	first := tuned(t, sc, opt)
	opt.Workers = 1
	if got, want := asJSON(t, tuned(t, sc, opt)), asJSON(t, first); got != want {
		t.Errorf("one core: %s\ntwo: %s", got, want)
	}
	if len(first.Points) != 4 || first.Points[0].Kind != "own" || first.Points[1].Kind != "formula" || first.Chosen == 0 {
		t.Fatalf("%+v", first.Points)
	}
	if first.Network.Senders != 4 || first.Slice.Ranks != 5 {
		t.Errorf("%+v %+v, want 4 senders of 5 ranks", first.Network, first.Slice)
	}
	folder, err := output.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	dir, err := sweep.OpenRows(folder, "runs")
	if err != nil {
		t.Fatal(err)
	}
	opt.Dir = dir
	tuned(t, sc, opt)
	rows, err := filepath.Glob(filepath.Join(dir.Path(), "rows", "*.json"))
	if err != nil || len(rows) == 0 {
		t.Fatal("no rows", err)
	}
	for _, name := range rows { // a row that is whole is believed
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var row sweep.Row
		if err := json.Unmarshal(b, &row); err != nil {
			t.Fatal(err)
		}
		row.QueueDelay = 123 * unit.Microsecond
		if b, err = json.Marshal(row.Sealed()); err == nil {
			err = os.WriteFile(name, b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range tuned(t, sc, opt).Points {
		if p.Delay != 123*unit.Microsecond {
			t.Errorf("point %d was played again: delay %v", p.Number, p.Delay)
		}
	}
}

// The scenario of the choice is one that gives these thresholds, headroom by formula included.
func TestScenarioOfTheChoice(t *testing.T) {
	f := tuned(t, parse(t, strings.Replace(small, "switch: {buffer: 2MB}",
		"switch: {buffer: 600kB}\n  qos: {pfc: {headroom: 5kB, alpha: 8}}", 1)), options("incast"))
	if f.Points[0].Drops == 0 || f.Points[0].Frontier || !strings.Contains(f.Points[0].Why, "in incast with seed 1") {
		t.Errorf("without headroom: %+v, want drops that put it out", f.Points[0])
	}
	if f.Chosen < 2 || f.Points[f.Chosen-1].Drops > 0 || f.Verified.Figures[1].Drops > 0 {
		t.Fatalf("chosen %d of %+v", f.Chosen, f.Points)
	}
	sc, err := scenario.Parse("tuned.yaml", f.Scenario())
	if err != nil {
		t.Fatal(err)
	}
	q, c := sc.Fabric.QoS, f.Points[f.Chosen-1]
	if q.ECN.Min.Value != c.Min || q.ECN.Max.Value != c.Max || q.PFC.Alpha != *c.Alpha || q.PFC.Headroom.Set {
		t.Errorf("%+v, want point %+v", q, c)
	}
	if len(sc.Jobs[0].Flows) != 1 {
		t.Error("the scenario lost its own job")
	}
	for i := range f.Thresholds {
		if r := &f.Thresholds[i]; r.PFC.Headroom < r.PFC.HeadroomNeeded {
			t.Errorf("headroom %v, and %v can arrive", r.PFC.Headroom, r.PFC.HeadroomNeeded)
		}
	}
}

// The page has a plot of the frontier that any drawing can show, and a row for each point.
func TestPage(t *testing.T) {
	f := tuned(t, parse(t, small), options("incast", Own))
	p := f.Page()
	for i := range p.Figures {
		if err := chart.Check(&p.Figures[i]); err != nil {
			t.Error(err)
		}
	}
	if len(p.Tables) != 1 || len(p.Tables[0].Rows) != len(f.Points) {
		t.Errorf("%d rows of %d points", len(p.Tables[0].Rows), len(f.Points))
	}
	for _, row := range p.Tables[0].Rows {
		if len(row) != len(p.Tables[0].Columns) {
			t.Fatalf("%d cells, %d columns", len(row), len(p.Tables[0].Columns))
		}
	}
	if !slices.ContainsFunc(f.Patterns, func(p Pattern) bool { return p.Name == Own }) {
		t.Errorf("%+v, want the scenario's own jobs too", f.Patterns)
	}
}

// A cluster that is too large sends from hosts that lie evenly apart.
func TestSlice(t *testing.T) {
	s := Slice{Hosts: 4, Of: 10}
	if got := s.hosts(); got != ", hosts: [host1, host3, host6, host8]" {
		t.Error(got)
	}
	opt := options("incast")
	opt.Hosts = 3
	if f := tuned(t, parse(t, small), opt); f.Network.Senders != 2 || f.Slice.Ranks != 3 {
		t.Errorf("%+v %+v, want 2 senders of 3", f.Network, f.Slice)
	}
}

// What was played before an interruption is kept and judged.
func TestInterrupted(t *testing.T) {
	for _, verify := range [][]uint64{{7}, nil} {
		opt := options("incast")
		opt.Points, opt.Verify = 20, verify
		ctx, cancel := context.WithCancel(context.Background())
		opt.Progress = func(p sweep.Progress) {
			if p.Done >= 4 { // two points of two seeds
				cancel()
			}
		}
		f, err := Run(ctx, parse(t, small), opt)
		if !errors.Is(err, context.Canceled) || f == nil || f.State != result.Interrupted || len(f.Points) < 2 ||
			len(f.Points) > 10 {
			t.Fatalf("%+v, %v", f, err)
		}
		if f.Chosen == 0 || f.Verified != nil {
			t.Errorf("chosen %d, %+v", f.Chosen, f.Verified)
		}
	}
}

// What has nothing to tune, or no room, is refused.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"switch: {buffer: 2MB}", "qos: {pfc: {enabled: false}}\ncongestion: {algorithm: hpcc}", "nothing to tune"},
		{"2MB", "200kB", "is smaller than its ports' reserves and headrooms"},
	} {
		sc, err := scenario.Parse("small.yaml", []byte(strings.Replace(small, c.old, c.new, 1)))
		if err == nil {
			_, err = Run(context.Background(), sc, options("incast"))
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
}

// Without --patterns the scenario's own traffic is among what is played: some steps of a training, no faults, and not at
// all where it would take too long, which is said.
func TestOwnTrafficByDefault(t *testing.T) {
	training := strings.Replace(small, "flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 10kB}]",
		"replay: {steps: 500, forward: 10us, buckets: [{compute: 10us, bytes: 100kB}], update: 1us}", 1)
	for _, c := range []struct{ name, text, what, leftOut string }{
		{"flows", small, "the scenario's own jobs", ""},
		{"training", training, "the scenario's own jobs, 10 steps of a training", ""},
		{"faults", small + "faults: [{link: host2/rail1, down: 1us}]\n", "the scenario's own jobs, without its faults", ""},
		{"long", strings.Replace(small, "10kB", "1TB", 1), "", "own traffic is left out: 8 runs of some "},
	} {
		opt := options()
		opt.Verify, opt.Hosts = nil, 2
		f := tuned(t, parse(t, c.text), opt)
		names := Default
		if c.leftOut != "" {
			names = Default[1:]
		}
		var played []string
		for _, p := range f.Patterns {
			played = append(played, p.Name)
		}
		if !slices.Equal(played, names) || !strings.HasPrefix(f.LeftOut, c.leftOut) || (f.LeftOut != "") != (c.leftOut != "") {
			t.Errorf("%s: played %q, left out %q", c.name, played, f.LeftOut)
		}
		if c.what != "" && f.Patterns[0].What != c.what {
			t.Errorf("%s: %q, want %q", c.name, f.Patterns[0].What, c.what)
		}
		if c.name == "flows" && f.Points[0].Times[0] <= 0 {
			t.Errorf("times %v, want those of the scenario's own traffic first", f.Points[0].Times)
		}
	}
}
