package sweep

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// sought runs a finder over a condition, and returns it with how many rounds it took.
func sought(n int, holds func(int) bool) (f *finder, rounds int) {
	f = newFinder(n)
	for {
		tries := f.next()
		if len(tries) == 0 {
			return f, rounds
		}
		rounds++
		for _, i := range tries {
			f.take(i, holds(i))
		}
	}
}

// What a sweep that was killed had begun to write is gone when it goes on, and nothing else.
func TestWhatWasBegunIsCleared(t *testing.T) {
	dir := t.TempDir()
	opened := func() {
		t.Helper()
		d, err := OpenDir(dir)
		if err == nil {
			err = d.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	opened()
	for name, stays := range map[string]bool{".railyard-X.tmp": false, "rows/.railyard-Y.tmp": false, "rows/k.json": true} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		opened()
		if _, gone := os.Stat(path); (gone == nil) != stays {
			t.Errorf("%s: %v", name, gone)
		}
	}
}

// A row's file in which a byte is another is not believed, wherever that byte is: the run is made again.
func TestRowsAreWhole(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close() //nolint:errcheck // the test is over
	row := Row{Key: "k", State: result.Complete, Drops: 3, Figures: map[string]float64{"drops": 3, "step_time": 1.5e6},
		Cost: Cost{"w", 0.25}}
	if err := d.keep(&row); err != nil {
		t.Fatal(err)
	}
	if got := (Row{Key: "k"}); !d.find(t.Context(), &got) || got.Drops != 3 || got.Digest != "" || got.Cost != row.Cost {
		t.Fatalf("not found: %+v", got)
	}
	name := filepath.Join(dir, "rows", "k.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		if text[i] == ' ' || text[i] == '\n' {
			continue // another blank says the same
		}
		other := slices.Clone(text)
		other[i] ^= 1
		if err := os.WriteFile(name, other, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := (Row{Key: "k"}); d.find(t.Context(), &got) && (got.Drops != 3 || got.Figures["step_time"] != 1.5e6 ||
			got.Cost != row.Cost) {
			t.Fatalf("byte %d: %q is believed", i, other[i])
		}
	}
	// The row of another variant, whole, under this name.
	row.Key = "other"
	if err := d.keep(&row); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "rows", "other.json"), name); err != nil {
		t.Fatal(err)
	}
	if got := (Row{Key: "k"}); d.find(t.Context(), &got) {
		t.Errorf("the row of another variant is believed: %+v", got)
	}
	// A run that failed, or left flows unfinished, is run again.
	for _, state := range []result.State{result.Failed, result.Unfinished} {
		if err := d.keep(&Row{Key: "k", State: state}); err != nil {
			t.Fatal(err)
		}
		if got := (Row{Key: "k"}); d.find(t.Context(), &got) {
			t.Errorf("it is not run again: %+v", got)
		}
	}
}

// Where the condition holds from some value on, that value is found, whatever it is, in as many rounds as bisection takes.
func TestFinderFindsEachStep(t *testing.T) {
	for n := 1; n <= 70; n++ {
		for step := 0; step <= n; step++ {
			f, rounds := sought(n, func(i int) bool { return i >= step })
			if f.high != step || len(f.against()) > 0 {
				t.Fatalf("%d values, from %d on: found %d, against it %v", n, step, f.high, f.against())
			}
			if rounds > 9 {
				t.Errorf("%d values, from %d on: %d rounds", n, step, rounds)
			}
		}
	}
}

// What is found holds, and its neighbour does not, also where the condition comes and goes; of a gap beside the answer, and
// of one that is an eighth of the rest, it is said that the condition is not monotone.
func TestFinderTellsOfGaps(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 3 + r.IntN(400)
		known := make([]bool, n)
		for i := range known {
			known[i] = r.IntN(2) == 0
		}
		f, _ := sought(n, func(i int) bool { return known[i] })
		if f.high < n && (!known[f.high] || f.high > 0 && known[f.high-1]) {
			t.Fatalf("seed %d: %d is no edge", seed, f.high)
		}
		for _, i := range f.against() {
			if known[i] != f.known[i] || known[i] == (i >= f.high) {
				t.Fatalf("seed %d: %d is not against %d", seed, i, f.high)
			}
		}
		step := r.IntN(n)
		gap := func(i int) bool { return i >= step && i != step+1 && i != step+2 }
		if f, _ = sought(n, gap); step+3 < n && f.high == step && !slices.Contains(f.against(), step+1) {
			t.Fatalf("seed %d: %d values, a gap behind %d: against it %v", seed, n, step, f.against())
		}
	}
}

// The smallest buffer without a drop stands against a run of every buffer within 25 steps of 1 kB, with each seed: one below
// it has a drop, itself has none, and where a larger one has one again, or a smaller one none, the answer is still an edge.
// RAILYARD_FIND=all: within 50 steps, five seeds, incasts of 4 to 64 with flows of 60 kB, to 16 with 250 kB.
func TestFindStandsAgainstEachStep(t *testing.T) {
	around, seeds, most, sizes := 25, 2, 16, []string{"60kB"}
	if os.Getenv("RAILYARD_FIND") == "all" {
		around, seeds, most, sizes = 50, 5, 64, []string{"60kB", "250kB"}
	}
	for senders := 4; senders <= most; senders *= 2 {
		if most == 16 && senders == 8 {
			continue
		}
		for _, size := range sizes {
			if size == "250kB" && senders > 16 {
				continue // the answer lies beyond the values that a range may have
			}
			t.Run(fmt.Sprintf("%d senders of %s", senders, size), func(t *testing.T) { standsAgainst(t, senders, size, seeds, around) })
		}
	}
}

func standsAgainst(t *testing.T, senders int, size string, seeds, around int) {
	text := fmt.Sprintf("scenario:\n  cluster: {hosts: %d, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n"+
		"  fabric: {design: single-switch, qos: {pfc: {enabled: false}}}\n  job:\n    flows:\n", senders+1)
	for k := range senders {
		text += fmt.Sprintf("      - {from: host%d/gpu0, to: host%d/gpu0, bytes: %s}\n", k+1, senders+1, size)
	}
	text += fmt.Sprintf("seeds: 1..%d\nfind: {smallest: fabric.switch.buffer, range: 50kB..10MB step 1kB, with: drops == 0}\n", seeds)
	file, err := scenario.ParseSweep("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := FindAll(t.Context(), file, file.Scenario, [][]Value{nil}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	values, err := file.Find.Range.Values()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(values, s.Found[0].Value)
	if at < around || at+around >= len(values) {
		t.Fatalf("%+v lies at an end", s.Found[0])
	}
	var points [][]Value
	for _, v := range values[at-around : at+around+1] {
		points = append(points, []Value{{"fabric.switch.buffer", v}})
	}
	all, err := VariantsOf(file.Scenario, points, file.Seeds)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Run(t.Context(), all, Options{})
	if err != nil {
		t.Fatal(err)
	}
	drops := make([]int64, len(points)) // of all seeds
	for i := range rows {
		drops[i/seeds] += rows[i].Drops
	}
	if drops[around] != 0 || drops[around-1] == 0 {
		t.Errorf("%s is no edge: %d drops with it, %d with the next smaller", s.Found[0].Value, drops[around], drops[around-1])
	}
	others := 0
	for i, n := range drops {
		if (n == 0) == (i >= around) {
			continue
		}
		if others++; len(s.Found[0].Against) == 0 {
			t.Errorf("with %s there are %d drops, beside the answer %s, which is said to be the only edge", points[i][0].Text, n,
				s.Found[0].Value)
		}
	}
	t.Logf("%s, against it %v; of %d values beside it %d are on the wrong side", s.Found[0].Value, s.Found[0].Against, 2*around, others)
}

// The forecast of a search is what it takes at most, and at most a third more than it takes, also where the first values that are
// tried, the ends of the range, are refused.
func TestForecastOfFind(t *testing.T) {
	file, err := scenario.ParseSweep("s.yaml", []byte(`scenario:
  cluster: {hosts: 5, host: {gpus: 1}, nic: {speed: 100Gb/s}}
  fabric: {design: single-switch, qos: {pfc: {enabled: false}}}
  job: {collectives: [{op: gather, bytes: 60kB, iterations: 1, warmup: 0}]}
seeds: 1..2
find: {smallest: fabric.switch.buffer, range: 10kB..1MB step 1kB, with: drops == 0}
`))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sweep")
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var f Forecast
	s, err := FindAll(t.Context(), file, file.Scenario, [][]Value{nil}, Options{Dir: dir, Forecast: func(x Forecast) { f = x }})
	if err == nil {
		err = dir.Finish(NewTableOf("x", []Axis{s.Tried}, s.Points, file.Seeds, s.Rows))
	}
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, r := range s.Rows {
		if r.State == Refused {
			refused++
		}
	}
	if n := len(s.Rows); refused == 0 || refused == n || f.Runs < n || f.Runs > n*4/3 {
		t.Errorf("%d runs were forecast; %d variants, of which %d were refused", f.Runs, n, refused)
	}
	if took := onDisk(t, path); f.Disk < took*9/10 || f.Disk > took*4/3 {
		t.Errorf("forecast %v, took %v", f.Disk, took)
	}
}
