package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"io/fs"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// How many mutants of run directories are read. By hand: 20,000, with
//
//	go test ./internal/cli/cli -run TestMutantsOfRunDirectories -mutants 20000 -timeout 0 -v
var mutants = flag.Int("mutants", 40, "mutants of run directories that TestMutantsOfRunDirectories reads")

// Two small runs: a training beside background flows, and flows that meet PFC, ECN and drops.
const (
	hostileTraining = `
name: training
job: {train: {model: mlp, layers: [784, 16, 10], lr: 0.1, data: {digits: {train: 512, test: 64}}, batch: 8, epochs: 1}, parallel: {dp: 4}}
cluster: {hosts: 2, host: {gpus: 2}}
background: {flows: [{from: host2/gpu0, to: host1/gpu0, bytes: 100kB}]}
`
	hostileFlows = `
name: flows
cluster: {hosts: 4, host: {gpus: 1}}
job: {flows: [{from: host1/gpu0, to: host4/gpu0, bytes: 300kB, count: 3, every: 20us},
  {from: host2/gpu0, to: host4/gpu0, bytes: 300kB, count: 3, every: 20us},
  {from: host3/gpu0, to: host4/gpu0, bytes: 300kB}]}
`
)

// hostileRuns makes the two run directories.
func hostileRuns(t testing.TB) []string {
	t.Helper()
	return runsFrom(t, map[string]string{"flows": hostileFlows, "training": hostileTraining})
}

// runsFrom makes run directories of scenarios by name.
func runsFrom(t testing.TB, scenarios map[string]string) []string {
	t.Helper()
	root := t.TempDir()
	var dirs []string
	for name, text := range scenarios {
		file, dir := filepath.Join(root, name+".yaml"), filepath.Join(root, name)
		text = strings.Replace(text, "digits: {", "digits: {dir: "+digits(t, 512, 64, 1)+", ", 1)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, out := railyard("run", file, "-q", "--out", dir); code != call.OK {
			t.Fatalf("%s: exit code %d\n%s", name, code, out)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// railyard runs a command line and returns its exit code and all it printed.
func railyard(args ...string) (int, string) {
	var out bytes.Buffer
	a := &app{App: &call.App{Stdout: &out, Stderr: &out, Start: time.Now()}, engine: wired()}
	return a.execute(args), out.String()
}

// Whatever lies in a run directory, the commands that read one end, and print nothing that a
// terminal obeys.
func TestMutantsOfRunDirectories(t *testing.T) {
	dirs := hostileRuns(t)
	var slowest time.Duration
	refused := 0
	for i := range *mutants {
		rng := rand.New(rand.NewPCG(uint64(i), 8))
		from := dirs[rng.IntN(len(dirs))]
		dir := filepath.Join(t.TempDir(), "m")
		what := mutate(t, rng, from, dir)
		for _, args := range commandsOn(rng, dir, from) {
			begin := time.Now()
			code, out := mutantCommand(t, i, what, args)
			slowest = max(slowest, time.Since(begin))
			if code != call.OK {
				refused++
			}
			if at := strings.IndexFunc(out, obeyed); at >= 0 || !utf8.ValidString(out) {
				t.Errorf("mutant %d (%s): %v prints %q", i, what, args, out[max(at-20, 0):min(at+20, len(out))])
			}
		}
		os.RemoveAll(dir)
		if t.Failed() {
			t.FailNow()
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d mutants, %d commands refused, the slowest took %v, %d MB of heap at most", *mutants,
		refused, slowest, m.HeapSys>>20)
	if m.HeapSys > 1<<30 {
		t.Errorf("%d MB of heap, want at most 1024", m.HeapSys>>20)
	}
}

// obeyed tells whether a terminal would do something for a character but show it.
func obeyed(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e ||
		r >= 0x2066 && r <= 0x2069
}

func mutantCommand(t *testing.T, i int, what string, args []string) (code int, out string) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("mutant %d (%s): %v: %v\n%s", i, what, args, p, debug.Stack())
		}
	}()
	return railyard(args...)
}

// commandsOn is what is done with a mutant.
func commandsOn(rng *rand.Rand, dir, other string) [][]string {
	all := [][]string{{"report", dir, "--svg", filepath.Join(dir, "svg")}, {"explain", dir},
		{"explain", dir, strconv.Itoa(rng.IntN(8))},
		{"compare", dir, other}, {"compare", other, dir, "--json"}, {"export", dir}, {"show", "timeline", dir}}
	if rng.IntN(3) == 0 {
		for i := range all {
			if all[i][0] != "show" {
				all[i] = append(all[i], "--damaged")
			}
		}
	}
	return all
}

// mutate copies a run directory and changes it.
func mutate(t *testing.T, rng *rand.Rand, from, dir string) (what string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	tables, _ := fs.Glob(os.DirFS(dir), "*.parquet")
	table := strings.TrimSuffix(tables[rng.IntN(len(tables))], ".parquet")
	switch rng.IntN(8) {
	case 0: // bits of a file
		file := append(tables, "run.json")[rng.IntN(len(tables)+1)]
		flipBits(t, rng, filepath.Join(dir, file))
		return "bits of " + file
	case 1, 2: // bits, and a checksum that says that all is well
		flipBits(t, rng, filepath.Join(dir, table+".parquet"))
		resum(t, dir, table)
		return "summed bits of " + table
	case 3, 4:
		mutateJSON(t, rng, filepath.Join(dir, "run.json"))
		return "figures of run.json"
	}
	mutateTable(t, rng, dir, table)
	resum(t, dir, table)
	return "rows of " + table
}

func flipBits(t *testing.T, rng *rand.Rand, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(b))
		if rng.IntN(2) == 0 { // where the footer is
			at = len(b) - 1 - rng.IntN(min(len(b), 600))
		}
		b[at] ^= 1 << rng.IntN(8)
	}
	if rng.IntN(10) == 0 {
		b = b[:rng.IntN(len(b))]
	}
	writeAll(t, path, b)
}

func writeAll(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// resum puts the checksum that a table has now into run.json.
func resum(t *testing.T, dir, table string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, table+".parquet"))
	if err != nil {
		t.Fatal(err)
	}
	changeJSON(t, filepath.Join(dir, "run.json"), func(root map[string]any) {
		for _, f := range root["tables"].([]any) {
			if f := f.(map[string]any); f["name"] == table {
				sum := sha256.Sum256(b)
				f["bytes"], f["sha256"] = len(b), hex.EncodeToString(sum[:])
			}
		}
	})
}

func changeJSON(t *testing.T, path string, change func(map[string]any)) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var root map[string]any
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	change(root)
	if b, err = json.MarshalIndent(root, "", "  "); err != nil {
		t.Fatal(err)
	}
	writeAll(t, path, b)
}

// Values that break programs.
var (
	hostileNumbers = []int64{0, 1, -1, 2, 7, 1 << 20, 1 << 30, 1 << 31, 1 << 40, 1 << 53, 1 << 58, 1 << 60,
		math.MaxInt32, math.MaxInt64, math.MinInt64}
	hostileFloats = []float64{0, 1, -1, 0.5, 1e-300, 1e300, math.NaN(), math.Inf(1), math.Inf(-1),
		math.SmallestNonzeroFloat64}
	hostileTexts = []string{"", "\x1b[31mred\x1b]0;x\x07", "a\nb", "\xff\xfe", "\u202egnp", ">", "host1",
		"rail1/host99999999999999999999", strings.Repeat("long", 2000), "%s%n",
		"<script>", "=1+1", "complete", "running", "none", "job", "collective", "1e999s", "-5us",
		"9223372036854775807ps", "7Gb/s", "1/0"}
)

func pick[T any](rng *rand.Rand, of []T) T { return of[rng.IntN(len(of))] }

// mutateJSON changes some values of a summary, wherever they lie.
func mutateJSON(t *testing.T, rng *rand.Rand, path string) {
	t.Helper()
	changeJSON(t, path, func(root map[string]any) {
		for range 1 + rng.IntN(4) {
			mutateValue(rng, root)
		}
	})
}

func mutateValue(rng *rand.Rand, v any) {
	switch x := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		if len(keys) == 0 {
			return
		}
		slices.Sort(keys)
		k := pick(rng, keys)
		if x[k] = mutated(rng, x[k]); rng.IntN(20) == 0 {
			delete(x, k)
		}
	case []any:
		if len(x) > 0 {
			i := rng.IntN(len(x))
			x[i] = mutated(rng, x[i])
		}
	}
}

func mutated(rng *rand.Rand, v any) any {
	switch v.(type) {
	case map[string]any, []any:
		if rng.IntN(10) > 0 {
			mutateValue(rng, v)
			return v
		}
	case json.Number:
		if rng.IntN(10) > 0 {
			return pick(rng, hostileNumbers)
		}
	case string:
		if rng.IntN(10) > 0 {
			return pick(rng, hostileTexts)
		}
	}
	return pick(rng, []any{nil, true, "\x1b[2J", -1, 1e300, []any{}, map[string]any{}})
}

// mutateTable changes rows of a table, and writes it as the run would have.
func mutateTable(t *testing.T, rng *rand.Rand, dir, table string) {
	t.Helper()
	r, err := result.OpenIncomplete(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, table+".parquet")
	switch table {
	case "steps":
		rewrite(t, rng, path, r.Steps())
	case "operations":
		rewrite(t, rng, path, r.Operations())
	case "flows":
		rewrite(t, rng, path, r.Flows())
	case "links":
		rewrite(t, rng, path, r.Links())
	case "queues":
		rewrite(t, rng, path, r.Queues())
	case "paths":
		rewrite(t, rng, path, r.Paths())
	case "hops":
		rewrite(t, rng, path, r.Hops())
	case "losses":
		rewrite(t, rng, path, r.Losses())
	case "shares":
		rewrite(t, rng, path, r.Shares())
	default:
		t.Fatalf("table %s: how is it changed?", table)
	}
}

func rewrite[R any](t *testing.T, rng *rand.Rand, path string, all iter.Seq2[R, error]) {
	t.Helper()
	var rows []R
	for row, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		rows = mutateRows(rng, rows)
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[R](&b, parquet.Compression(&parquet.Zstd))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	writeAll(t, path, b.Bytes())
}

func mutateRows[R any](rng *rand.Rand, rows []R) []R {
	switch rng.IntN(6) {
	case 0: // in another order
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		return rows
	case 1: // some are missing
		return rows[rng.IntN(len(rows)):]
	case 2: // one many times
		for range 1 << rng.IntN(16) {
			rows = append(rows, rows[0])
		}
		return rows
	}
	v := reflect.ValueOf(rows)
	n := 1 + rng.IntN(3)
	if rng.IntN(3) == 0 { // a column of nothing else
		n = len(rows)
	}
	fields := reflect.VisibleFields(v.Type().Elem())
	field := pick(rng, fields)
	for field.Tag.Get("parquet") == "" {
		field = pick(rng, fields)
	}
	x := rng.Uint64()
	for range n {
		if rng.IntN(2) == 0 {
			x = rng.Uint64()
		}
		set(rand.New(rand.NewPCG(x, 1)), v.Index(rng.IntN(len(rows))).FieldByIndex(field.Index))
	}
	return rows
}

func set(rng *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		p.Elem().SetFloat(pick(rng, hostileFloats))
		v.Set(p)
	case reflect.Float64:
		v.SetFloat(pick(rng, hostileFloats))
	case reflect.String:
		v.SetString(pick(rng, hostileTexts))
	case reflect.Int32:
		v.SetInt(int64(int32(pick(rng, hostileNumbers))))
	default:
		v.SetInt(pick(rng, hostileNumbers))
	}
}

// digits is a folder with drawn images; a run itself would make none in a temporary folder.
func digits(t testing.TB, train, test int, seed uint64) string {
	t.Helper()
	d := scenario.Drawn{Dir: filepath.Join(t.TempDir(), "digits"), Train: train, Test: test, Seed: seed}
	if _, err := drawImages(t.Context(), "digits", d, func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	return d.Dir
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
