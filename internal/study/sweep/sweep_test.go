package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// An incast whose length depends on the seed, by the marks that it draws.
const incast = `name: incast
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
job:
  flows:
    - {from: host1/gpu0, to: host4/gpu0, bytes: 500kB}
    - {from: host2/gpu0, to: host4/gpu0, bytes: 500kB}
    - {from: host3/gpu0, to: host4/gpu0, bytes: 500kB}
output: {queues: false}
`

func parse(t *testing.T, src string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse("incast.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func axes(t *testing.T, texts ...string) (all []Axis) {
	t.Helper()
	for _, text := range texts {
		a, err := ParseAxis(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// table runs a sweep and returns its table as JSON.
func table(t *testing.T, sc *scenario.Scenario, ax []Axis, seeds []uint64, opt Options) (string, *Table, error) {
	t.Helper()
	vs, err := Variants(sc, ax, seeds)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Run(context.Background(), vs, opt)
	tab := NewTable(sc.Name, ax, seeds, rows)
	b, e := json.Marshal(tab)
	if e != nil {
		t.Fatal(e)
	}
	return string(b), tab, err
}

// The same bytes however many run at once; and they are the figures of single runs, in order.
func TestSweepIsDeterministic(t *testing.T) {
	sc, ax, seeds := parse(t, incast),
		axes(t, "fabric.qos.ecn.min=20kB,auto", "congestion.algorithm=dcqcn,none"), []uint64{1, 2, 3}
	want := ""
	for _, workers := range []int{1, 2, 8} {
		got, tab, err := table(t, sc, ax, seeds, Options{Limits: Limits{Workers: workers}})
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = got
			if len(tab.Rows) != 12 || len(tab.Groups) != 4 || tab.State != result.Complete {
				t.Fatalf("%d rows, %d groups, %s", len(tab.Rows), len(tab.Groups), tab.State)
			}
			if a, b := tab.Groups[0].figure("slowest_fct"), tab.Groups[1].figure("slowest_fct"); a.Min == a.Max ||
				b.Min != b.Max {
				t.Errorf("over seeds %+v with DCQCN, %+v without: want a spread, and none", a, b)
			}
		}
		if got != want {
			t.Errorf("%d workers:\n%s\nwant\n%s", workers, got, want)
		}
	}
	for i, v := range [][2]string{{"20kB", "dcqcn"}, {"20kB", "none"}, {"auto", "dcqcn"}, {"auto", "none"}} {
		one, err := sc.With(scenario.Change{Path: "fabric.qos.ecn.min", Text: v[0]},
			scenario.Change{Path: "congestion.algorithm", Text: v[1]}, scenario.Change{Path: "seed", Text: "3"})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := Run(context.Background(), []Variant{{Scenario: one}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var tab Table
		if err := json.Unmarshal([]byte(want), &tab); err != nil {
			t.Fatal(err)
		}
		if got := tab.Rows[3*i+2]; got.SlowestFCT != rows[0].SlowestFCT || got.Key != rows[0].Key || got.Seed != 3 {
			t.Errorf("%v: row %+v, alone %+v", v, got, rows[0])
		}
	}
}

// A sweep that is stopped keeps what is done; the next one runs only the rest, and what changed,
// and says the same as one that was not stopped.
func TestSweepResumes(t *testing.T) {
	sc, seeds := parse(t, incast), []uint64{1, 2, 3, 4, 5, 6}
	vs, err := Variants(sc, nil, seeds)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := table(t, sc, nil, seeds, Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sweep")
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := 0
	rows, err := Run(ctx, vs, Options{Limits: Limits{Workers: 1}, Dir: dir, Each: func(int, *result.Summary) {
		if ran++; ran == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if tab := NewTable(sc.Name, nil, seeds, rows); tab.State != result.Interrupted ||
		len(tab.Rows) != ran || ran < 2 || ran > 3 {
		t.Fatalf("%s with %d rows, %d ran", tab.State, len(tab.Rows), ran)
	}
	// damaged
	if err := os.WriteFile(filepath.Join(path, rowFolder, rows[0].Key+".json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDir(path); !errors.As(err, new(*output.Busy)) {
		t.Errorf("a second sweep into the folder: %v, want that it is being written", err)
	}
	dir.Close()
	if dir, err = OpenDir(path); err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	var f Forecast
	var again []int
	got, _, err := table(t, sc, nil, seeds, Options{Dir: dir, Forecast: func(x Forecast) { f = x },
		Each: func(i int, _ *result.Summary) { again = append(again, i) }})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(again)
	if f.Resumed != ran-1 || f.Runs != 7-ran || len(again) != 7-ran || again[0] != 0 || slices.Contains(again, 1) {
		t.Errorf("%d ran first, then %v, forecast %+v", ran, again, f)
	}
	if got != want {
		t.Errorf("resumed\n%s\nwant\n%s", got, want)
	}
	other, err := sc.Set("fabric.switch.latency", "700ns")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := table(t, other, nil, seeds, Options{Dir: dir, Forecast: func(x Forecast) { f = x }}); err != nil ||
		f.Resumed != 0 {
		t.Errorf("another scenario: %v, %d rows taken over", err, f.Resumed)
	}
}

// What a sweep takes of the disk is near what it said before.
func TestForecastOfDisk(t *testing.T) {
	sc, ax, seeds := parse(t, incast), axes(t, "fabric.qos.ecn.min=20kB,auto", "congestion.algorithm=dcqcn,none"), make([]uint64, 10)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	path := filepath.Join(t.TempDir(), "sweep")
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var f Forecast
	_, tab, err := table(t, sc, ax, seeds, Options{Dir: dir, Forecast: func(x Forecast) { f = x }})
	if err == nil {
		err = dir.Finish(tab)
	}
	if err != nil {
		t.Fatal(err)
	}
	took := onDisk(t, path)
	if f.Disk < took*9/10 || f.Disk > took*11/10 {
		t.Errorf("forecast %v, took %v, %v", f.Disk, took, err)
	}
	if f, err = ForecastOf(t.Context(), nil, Options{}); err != nil || f.Disk != 0 {
		t.Errorf("nothing is kept, forecast %v, %v", f.Disk, err)
	}
}

// onDisk is what the files below a folder take, in blocks of 4 KiB.
func onDisk(t *testing.T, path string) (took unit.Bytes) {
	t.Helper()
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		took += (unit.Bytes(info.Size()) + 4095) / 4096 * 4096
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return took
}

// What runs at once never needs more than the memory, nor more than the workers; one that is larger
// runs alone.
func TestEachKeepsWithinLimits(t *testing.T) {
	needs := []unit.Bytes{3, 3, 3, 9, 1, 1, 1, 1, 4, 20, 5, 5, 2}
	var mu sync.Mutex
	var used, most unit.Bytes
	var active, at int
	order := []int{}
	err := Each(context.Background(), len(needs), Limits{Workers: 4, Memory: 10},
		func(i int) unit.Bytes { return needs[i] }, func(_ context.Context, i int) error {
			mu.Lock()
			used += needs[i]
			active++
			at = max(at, active)
			if active > 1 {
				most = max(most, used)
			}
			order = append(order, i)
			if needs[i] > 10 && active > 1 {
				t.Errorf("%d bytes beside %d others", needs[i], active-1)
			}
			mu.Unlock()
			for range 1000 { // let others begin
				runtime.Gosched()
			}
			mu.Lock()
			defer mu.Unlock()
			used -= needs[i]
			active--
			return nil
		})
	slices.Sort(order)
	if err != nil || most > 10 || at > 4 || len(order) != len(needs) || order[len(order)-1] != len(needs)-1 {
		t.Errorf("%v: %d bytes at once, %d runs at once, %v", err, most, at, order)
	}
}

// The first error by number is returned, and nothing more is started.
func TestEachStopsAtAnError(t *testing.T) {
	bad, started := errors.New("bad"), 0
	err := Each(context.Background(), 100, Limits{Workers: 1}, func(int) unit.Bytes { return 0 },
		func(_ context.Context, i int) error {
			if started++; i == 3 {
				return bad
			}
			return nil
		})
	if !errors.Is(err, bad) || started > 5 {
		t.Errorf("%v after %d", err, started)
	}
}

// A variant that cannot run is told before any runs.
func TestSweepRefusesFirst(t *testing.T) {
	sc := parse(t, incast)
	vs, err := Variants(sc, axes(t, "job.flows[0].path=auto,[host1, nowhere, host4]"), nil)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	_, err = Run(context.Background(), vs, Options{Each: func(int, *result.Summary) { ran++ }})
	if err == nil || ran != 0 || !strings.Contains(err.Error(), "with job.flows[0].path=[host1, nowhere, host4]: ") {
		t.Errorf("%v after %d runs", err, ran)
	}
	vs, _ = Variants(sc, nil, nil)
	_, err = Run(context.Background(), vs, Options{Limits: Limits{Memory: 1 * unit.Megabyte}})
	if err == nil || !strings.Contains(err.Error(), "this machine has 1 MB") {
		t.Errorf("in 1 MB: %v", err)
	}
}

// A key that a value of an axis leaves without a meaning is ignored in the variants that have that value, and in no
// other; one that is wrong for another reason still ends the sweep.
func TestAnAxisTakesAKeysMeaning(t *testing.T) {
	base, err := scenario.Parse("layout.yaml", []byte(`name: layout
cluster: {hosts: 2, host: {gpus: 2}}
job:
  train:
    model: gpt
    gpt: {size: 8, blocks: 2, heads: 2}
    data: {text: {window: 4, grammar: {train: 64, test: 4}}}
    batch: 4
    lr: 0.1
  parallel: {tp: 2, pp: 2, micro_batches: 2, sequence: true, schedule: gpipe}
`))
	if err != nil {
		t.Fatal(err)
	}
	axes := []Axis{{"job.parallel.tp", []string{"1", "2"}}, {"job.parallel.pp", []string{"1", "2"}}}
	variants, err := Variants(base, axes, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"job.parallel.schedule", "job.parallel.sequence"}, {"job.parallel.sequence"},
		{"job.parallel.schedule"}, nil}
	for i, v := range variants {
		if p := v.Scenario.Jobs[0].Parallel; !slices.Equal(slices.Sorted(slices.Values(v.Ignored)), want[i]) ||
			p.Sequence != (p.TP == 2) {
			t.Errorf("%s: ignored %q, sequence %v, want %q", label(v.Set), v.Ignored, p.Sequence, want[i])
		}
	}
	if notes := Ignored(variants); len(notes) != 2 || !strings.Contains(strings.Join(notes, " "), "2 of 4 runs") {
		t.Errorf("notes %q", notes)
	}
	bad := append(axes, Axis{"job.parallel.zero", []string{"7", "8"}})
	if _, err := Variants(base, bad, nil); err == nil {
		t.Error("zero 7 and 8 are no scenarios, want a problem")
	}
}

// A combination that cannot run is a row that says why, whatever stands in its way: the schema, the layout, memory. The rest
// runs, and what is read back is the same.
func TestRefusedVariantsStandInTheTable(t *testing.T) {
	base := parse(t, `cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
job:
  train:
    model: gpt
    gpt: {size: 8, blocks: 1, heads: 2}
    data: {text: {window: 4, grammar: {train: 64, test: 4}}}
    batch: 4
    steps: 1
    lr: 0.1
`)
	ax := axes(t, "job.parallel.tp=1,2,4,-1", "job.parallel.dp=1,2")
	dir, err := OpenDir(filepath.Join(t.TempDir(), "sweep"))
	if err != nil {
		t.Fatal(err)
	}
	_, tab, err := table(t, base, ax, nil, Options{Dir: dir, KeepRefused: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Finish(tab); err != nil {
		t.Fatal(err)
	}
	back, err := Read(dir.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, tab := range []*Table{tab, back} {
		var states []string
		for _, r := range tab.Rows {
			states = append(states, string(r.State))
		}
		const want = "complete complete complete complete refused refused refused refused"
		if got := strings.Join(states, " "); got != want || tab.State != result.Complete || tab.Failed() != 0 || tab.Refused() != 4 {
			t.Fatalf("%s, %s, %d failed, %d refused: want %s", got, tab.State, tab.Failed(), tab.Refused(), want)
		}
		if why := tab.Rows[4].Error; !strings.Contains(why, "tp 4 does not divide the 2 heads of layer") {
			t.Errorf("tp 4: %q", why)
		}
		if why := tab.Rows[6].Error; !strings.Contains(why, "-1") {
			t.Errorf("tp -1: %q", why)
		}
		var b strings.Builder
		if err := tab.WriteText(&b); err != nil || !strings.Contains(b.String(), "4 runs, 8 variants; 4 refused") ||
			!strings.Contains(b.String(), "job.parallel.tp=4 job.parallel.dp=1 and 1 more: job.parallel.tp: tp 4 does not") {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
	if _, _, err := table(t, base, axes(t, "job.parallel.tp=4,8"), nil, Options{KeepRefused: true}); err == nil ||
		!strings.Contains(err.Error(), "with job.parallel.tp=4") {
		t.Errorf("none can run: %v", err)
	}
}

func TestAxesAndSeeds(t *testing.T) {
	for text, want := range map[string][]string{
		"a=1":                                 {"1"},
		"a=1, 2":                              {"1", "2"},
		"l=[784,10],[784,32,10]":              {"[784,10]", "[784,32,10]"},
		`f=[{from: "a,b", to: c}],"x,y",'z,'`: {`[{from: "a,b", to: c}]`, `"x,y"`, `'z,'`},
		"a=":                                  {""},
	} {
		if a, err := ParseAxis(text); err != nil || !slices.Equal(a.Values, want) {
			t.Errorf("%s: %q, %v", text, a.Values, err)
		}
	}
	for _, text := range []string{"a", "=1", "a=1,,2", "a=1,1"} {
		if a, err := ParseAxis(text); err == nil {
			t.Errorf("%s: %+v", text, a)
		}
	}
	for text, want := range map[string][]uint64{"1..3": {1, 2, 3}, "7": {7}, "1,5..6, 9": {1, 5, 6, 9},
		"18446744073709551615": {1<<64 - 1}} {
		if got, err := scenario.ParseSeeds(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "3..1", "a", "1,1", "1..", "0..100000", "-1"} {
		if got, err := scenario.ParseSeeds(text); err == nil {
			t.Errorf("%s: %d seeds", text, len(got))
		}
	}
	sc := parse(t, incast)
	if _, err := Variants(sc, axes(t, "seed=1,2"), []uint64{1}); err == nil {
		t.Error("seeds twice")
	}
	if _, err := Variants(sc, axes(t, "name=a,b", "name=c"), nil); err == nil ||
		!strings.Contains(err.Error(), "name=a,b,c") {
		t.Errorf("a key twice: %v", err)
	}
	if _, err := Variants(sc, axes(t, "fabric.spins=2,4"), nil); err == nil ||
		!strings.Contains(err.Error(), "did you mean spines?") {
		t.Errorf("a key that is none: %v", err)
	}
}

func TestPercentile(t *testing.T) {
	x := make([]int, 100)
	for i := range x {
		x[i] = i + 1
	}
	for _, c := range []struct {
		x       []int
		p, want int
	}{{x, 5, 5}, {x, 50, 50}, {x, 95, 95}, {x, 100, 100}, {x[:1], 5, 1}, {x[:3], 50, 2}, {x[:4], 50, 2},
		{x[:10], 95, 10}, {x[:20], 95, 19}} {
		if got := Percentile(c.x, c.p); got != c.want {
			t.Errorf("%d %% of %d values: %d, want %d", c.p, len(c.x), got, c.want)
		}
	}
}

// The text fits 80 columns, and its plots show the figures.
func TestText(t *testing.T) {
	ms := func(n float64) unit.Duration { return unit.Duration(n * float64(unit.Millisecond)) }
	var rows []Row
	long := Axis{"job.flows",
		[]string{"[" + strings.Repeat("{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}, ", 5) + "]", "[]"}}
	for g, v := range long.Values {
		for s := range 3 {
			rows = append(rows, Row{Set: []Value{{long.Path, v}}, Seed: uint64(s + 1), State: result.Complete,
				MeanFCT: ms(float64(1 + g*2 + s))})
		}
	}
	rows[5].State, rows[5].Error = result.Failed, "queue pair 3 used up its retries"
	var b bytes.Buffer
	if err := NewTable("x", []Axis{long}, []uint64{1, 2, 3}, rows).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 ||
			strings.TrimRight(line, " \n") != strings.TrimRight(line, "\n") {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	for _, want := range []string{"x: 6 runs, 2 variants, 3 seeds; 1 failed\n",
		"  1     3    2 ms  1 ms  3 ms  job.flows=[{from: host1/gpu0,", "  2     2    3 ms  3 ms  4 ms  job.flows=[]\n",
		"   1 |=======================#=======================                       |\n",
		"seed 3: queue pair 3 used up its retries"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
