package export

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// late is a second flow, that begins when the first has ended.
const late = "    - {name: late, from: host2/gpu0, to: host1/gpu0, bytes: 100kB, start: 50us}\n"

// ran is a run of a flow between two hosts, and of more.
func ran(t *testing.T, more string) *result.Run {
	t.Helper()
	sc, err := scenario.Parse("two.yaml", []byte(`name: two
cluster: {hosts: 2, host: {gpus: 1}}
job:
  flows:
    - {name: early, from: host1/gpu0, to: host2/gpu0, bytes: 100kB}
`+more))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := result.Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := run.Run(t.Context(), sc, run.Options{Dir: dir, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Finish(sum); err != nil {
		t.Fatal(err)
	}
	r, err := result.Open(dir.Path())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// kinds are the files that were written: kind and name, and what was said of them, below dir.
func kinds(t *testing.T, r *result.Run, o Options, dir string) (files, lines []string) {
	t.Helper()
	o.Say = func(line string) {
		lines = append(lines, strings.ReplaceAll(filepath.ToSlash(line), filepath.ToSlash(dir)+"/", ""))
	}
	all, err := Write(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		name, err := filepath.Rel(dir, f.File)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(f.File); err != nil {
			t.Errorf("%s is said to be written: %v", name, err)
		}
		files = append(files, f.Kind+" "+filepath.ToSlash(name))
	}
	return files, lines
}

// text is a file as it was before it was compressed.
func text(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// Without a file it is a trace and the tables, in the run directory; with one it is that one alone.
func TestWhatIsWritten(t *testing.T) {
	r, dir := ran(t, late), t.TempDir()
	files, lines := kinds(t, r, Options{}, r.Path)
	same(t, "files", files, []string{"trace trace.json.gz", "csv csv/flows.csv", "csv csv/links.csv", "csv csv/queues.csv",
		"csv csv/hops.csv", "csv csv/losses.csv", "csv csv/shares.csv"})
	same(t, "said", lines[:2], []string{"trace.json.gz: open it at https://ui.perfetto.dev", "csv/flows.csv: 2 rows"})
	packed := text(t, filepath.Join(r.Path, "trace.json.gz"))
	files, _ = kinds(t, r, Options{Trace: filepath.Join(dir, "t.json")}, dir)
	same(t, "a trace", files, []string{"trace t.json"})
	if plain := text(t, filepath.Join(dir, "t.json")); plain != packed || !strings.Contains(plain, `"late"`) {
		t.Errorf("the trace that is not compressed differs:\n%s", plain)
	}
	window := result.TraceWindow{To: unit.Time(40 * unit.Microsecond)}
	kinds(t, r, Options{Trace: filepath.Join(dir, "cut.json"), Window: window}, dir)
	if cut := text(t, filepath.Join(dir, "cut.json")); strings.Contains(cut, `"late"`) || !strings.Contains(cut, `"early"`) {
		t.Errorf("up to 40 us the trace is\n%s", cut)
	}
	files, _ = kinds(t, r, Options{CSV: filepath.Join(dir, "new")}, dir)
	same(t, "tables", files, []string{"csv new/flows.csv", "csv new/links.csv", "csv new/queues.csv", "csv new/hops.csv",
		"csv new/losses.csv", "csv new/shares.csv"})
	again, table := text(t, filepath.Join(dir, "new", "flows.csv")), text(t, filepath.Join(r.Path, "csv", "flows.csv"))
	if again != table || strings.Count(table, "\n") != 3 {
		t.Errorf("the table of flows is\n%s, and in its own folder\n%s", again, table)
	}
}

// Each table has as many rows as are said, and one row is no rows.
func TestRowsAreCounted(t *testing.T) {
	r := ran(t, "")
	var said []string
	all, err := Write(t.Context(), r, Options{CSV: t.TempDir(), Say: func(line string) { said = append(said, line) }})
	if err != nil {
		t.Fatal(err)
	}
	nouns := map[bool]int{}
	for i, f := range all {
		noun := "rows"
		if f.Rows == 1 {
			noun = "row"
		}
		nouns[f.Rows == 1]++
		lines := strings.Count(text(t, f.File), "\n") - 1
		if int64(lines) != f.Rows || filepath.Base(f.File) != f.Table+".csv" || said[i] != fmt.Sprintf("%s: %d %s", f.File, lines, noun) {
			t.Errorf("%+v has %d lines, and of it is said %s", f, lines, said[i])
		}
	}
	if len(nouns) != 2 {
		t.Errorf("tables of one row and of others: %v, want both", nouns)
	}
}

// Metrics and texts begin when the run is said to; a second of metrics is as long as is asked for. Each form has a folder, and
// what no command prints is said.
func TestMetricsAndTexts(t *testing.T) {
	r, dir := ran(t, late+"output: {series: true, telemetry: 20us}\n"), t.TempDir()
	files, lines := kinds(t, r, Options{Metrics: filepath.Join(dir, "m.om"), Telemetry: filepath.Join(dir, "texts"),
		Start: 1000, Stretch: 1_000_000}, dir)
	same(t, "first files", files[:6], []string{"openmetrics m.om", "telemetry texts/prometheus/messages.log",
		"telemetry texts/prometheus/neighbours.txt", "telemetry texts/prometheus/metrics.om", "telemetry texts/commands/messages.log",
		"telemetry texts/commands/neighbours.txt"})
	same(t, "first lines", lines[:5], []string{"m.om: promtool tsdb create-blocks-from openmetrics m.om DIR",
		"texts/prometheus: railyard diagnose texts/prometheus", "texts/commands: railyard diagnose texts/commands",
		"texts/commands: no command prints rx_bytes of a switch's port",
		"texts/commands: no command prints oversize of a switch's port"})
	for _, want := range []string{`{port="host1/rail1"} 1 1002.000000`, `{port="host2/rail1"} 1 1052.000000`} {
		if om := text(t, filepath.Join(dir, "m.om")); !strings.Contains(om, "railyard_port_sending"+want+"\n") {
			t.Errorf("%s is missing in\n%.2000s", want, om)
		}
	}
	files, _ = kinds(t, r, Options{Metrics: filepath.Join(dir, "alone.om"), Start: 1000, Stretch: 1}, dir)
	same(t, "metrics alone", files, []string{"openmetrics alone.om"})
	if log := text(t, filepath.Join(dir, "texts", "nxos", "neighbours.txt")); !strings.Contains(log, "host1") {
		t.Errorf("neighbours of a run whose scenario is there:\n%s", log)
	}
	// without its scenario the run has no neighbours to tell of, and the rest is as before
	bare, dir := ran(t, late+"output: {telemetry: 20us}\n"), t.TempDir()
	if err := os.Remove(bare.InputPath(result.ScenarioInput)); err != nil {
		t.Fatal(err)
	}
	files, _ = kinds(t, bare, Options{Telemetry: dir}, dir)
	if slices.Contains(files, "telemetry nxos/neighbours.txt") || !slices.Contains(files, "telemetry nxos/host1.txt") {
		t.Errorf("without a scenario it writes %s", files)
	}
}

// What a run has not is refused with what would make it, after what came before it was written whole.
func TestWhatARunHasNot(t *testing.T) {
	r, dir := ran(t, late), t.TempDir()
	for _, c := range []struct {
		o    Options
		want string
		left string
	}{
		{Options{Trace: filepath.Join(dir, "a.json"), Metrics: filepath.Join(dir, "m.om")},
			"has no series.parquet: run the scenario with output: {series: true}", "a.json"},
		{Options{Telemetry: filepath.Join(dir, "texts"), CSV: filepath.Join(dir, "csv")},
			"has no telemetry: run the scenario with --set output.telemetry=20us", "a.json"},
		{Options{Trace: filepath.Join(dir, "none", "a.json")}, "cannot write it: no such file or directory", "a.json"},
		{Options{CSV: filepath.Join(dir, "a.json")}, "cannot write there: not a directory", "a.json"},
	} {
		c.o.Say = func(string) {}
		files, err := Write(t.Context(), r, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || files != nil {
			t.Errorf("%+v: %v, %v, want %q", c.o, files, err, c.want)
		}
		entries, _ := os.ReadDir(dir)
		var left []string
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if got := strings.Join(left, " "); got != c.left {
			t.Errorf("%s: it leaves %s, want %s", c.want, got, c.left)
		}
	}
}

// Nobody writes into a folder that somebody else writes into, nor through a link in a run directory.
func TestFoldersOfOthers(t *testing.T) {
	r, dir := ran(t, late), t.TempDir()
	other, err := output.Make(filepath.Join(dir, "csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Hold(); err != nil {
		t.Fatal(err)
	}
	quiet := func(string) {}
	_, err = Write(t.Context(), r, Options{CSV: other.Path(), Say: quiet})
	if err == nil || !strings.Contains(err.Error(), "folder "+other.Path()+": cannot write there: ") {
		t.Errorf("into a folder that is held: %v", err)
	}
	if err := os.Symlink(dir, filepath.Join(r.Path, "csv")); err != nil {
		t.Fatal(err)
	}
	if _, err = Write(t.Context(), r, Options{Say: quiet}); err == nil || !strings.Contains(err.Error(), "csv: cannot write there") {
		t.Errorf("through a link: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "flows.csv")); err == nil {
		t.Error("a table lies where the link leads")
	}
}

// When the context ends, the table that was begun is left out, and those before it stay.
func TestAnInterruptedFolderKeepsWhatIsWhole(t *testing.T) {
	r, dir := ran(t, late), t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	n := 0
	_, err := Write(ctx, r, Options{CSV: dir, Say: func(string) {
		if n++; n == 2 {
			stop()
		}
	}})
	entries, _ := filepath.Glob(filepath.Join(dir, "*.csv"))
	if !errors.Is(err, context.Canceled) || len(entries) != 2 || n != 2 {
		t.Errorf("%v after %d tables, which leaves %v", err, n, entries)
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if strings.Contains(e.Name(), "queues") {
			t.Errorf("a part is left: %s", e.Name())
		}
	}
}
