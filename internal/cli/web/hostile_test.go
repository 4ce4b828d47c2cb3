package web

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// A table that goes away while it is read, or is another one by then, is a note: what was read before it stays, the rest of the run is
// shown, and nothing is held open.
func TestTablesThatVanishWhileTheyAreRead(t *testing.T) {
	root := t.TempDir()
	d := draw(400)
	for name, do := range map[string]func(path string) error{
		"gone":  func(path string) error { return os.Remove(filepath.Join(path, "events.parquet")) },
		"empty": func(path string) error { return os.Truncate(filepath.Join(path, "events.parquet"), 0) },
		"all":   os.RemoveAll,
	} {
		path := d.write(t, root, name, result.Complete)
		run, err := result.OpenIncomplete(path)
		if err != nil {
			t.Fatal(err)
		}
		x := &show{changed: make(chan struct{}), gone: make(chan struct{}), dir: path}
		close(x.gone)
		x.cancel = func() {}
		tables := &tables{run: run, at: map[string]int{}, lease: &lease{}}
		x.readPorts(run, tables)
		x.readSeries(t.Context(), run, tables)
		if err := do(path); err != nil {
			t.Fatal(err)
		}
		x.table(t.Context(), "events", func(p func(int, int)) (err error) {
			tables.events, err = readEvents(t.Context(), run, p)
			return err
		})
		told, _ := x.watch()
		if len(told.Notes) != 1 || !strings.Contains(told.Notes[0], "events.parquet") || tables.events != nil {
			t.Errorf("%s: notes %q, events %v", name, told.Notes, tables.events)
		}
		if tables.series == nil || tables.series.rows != int64(len(d.series)) || len(tables.ports) != len(d.links) {
			t.Errorf("%s: what was read before is not there", name)
		}
		if c, err := tables.tile(t.Context(), 0, 3); err != nil || c.Bins != tileBins {
			t.Errorf("%s: a tile of the rows: %v", name, err)
		}
		tables.close()
	}
}

// Whoever puts another run's table of the same length in the place of one that is open is found out: one that is written over is
// not shown any more, one that is only renamed stays what it was.
func TestASwappedTableOfTheSameLength(t *testing.T) {
	root := t.TempDir()
	d := draw(400)
	mine := filepath.Join(d.write(t, root, "mine", result.Complete), "series.parquet")
	want := must(os.ReadFile(mine))
	var other []byte
	for k := range 20 { // whose figures differ, with as many bytes
		changed := draw(400)
		for i := range changed.series {
			if r := &changed.series[i]; r.Kind == result.SeriesFlow {
				r.Target -= unit.Bitrate(k + 1)
			}
		}
		other = must(os.ReadFile(filepath.Join(changed.write(t, root, fmt.Sprintf("other%d", k), result.Complete), "series.parquet")))
		if len(other) == len(want) {
			break
		}
	}
	if len(other) != len(want) {
		t.Fatalf("tables have %d bytes and %d", len(other), len(want))
	}
	open := func(name string) (*tables, string) {
		path := d.write(t, root, name, result.Complete)
		run := must(result.OpenIncomplete(path))
		x := &show{changed: make(chan struct{}), gone: make(chan struct{}), dir: path, cancel: func() {}}
		close(x.gone)
		tables := &tables{run: run, at: map[string]int{}, lease: &lease{}}
		x.readPorts(run, tables)
		x.readSeries(t.Context(), run, tables)
		return tables, filepath.Join(path, "series.parquet")
	}
	tables, path := open("renamed")
	defer tables.close()
	before := must(must(tables.tile(t.Context(), 0, 0)).encode())
	if err := errors.Join(os.WriteFile(path+".new", other, 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
	if after, err := tables.tile(t.Context(), 0, 0); err != nil || !bytes.Equal(must(after.encode()), before) {
		t.Errorf("a tile of the table that was opened is another, %v", err)
	}
	if again, err := result.OpenIncomplete(filepath.Dir(path)); err != nil {
		t.Error(err)
	} else if _, err := again.SeriesGroups(); err == nil || !strings.Contains(err.Error(), "is not the one that the run wrote") {
		t.Errorf("opened anew: %v", err)
	}
	over, path := open("over")
	defer over.close()
	f := must(os.OpenFile(path, os.O_WRONLY, 0))
	_, err := f.WriteAt(other, 0)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := over.tile(t.Context(), 0, 0); err == nil || !strings.Contains(err.Error(), "has been written to since it was opened") {
		t.Errorf("a tile of a table that was written over: %v", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Rows that no run writes are refused, each with its table: times before its begin, intervals that end before they begin.
func TestRowsOutOfTime(t *testing.T) {
	root := t.TempDir()
	for name, c := range map[string]struct {
		spoil func(*drawn)
		want  string
	}{
		"series": {func(d *drawn) { d.series[40].From = -5 }, "series.parquet"},
		"events": {func(d *drawn) { d.events[3].Time = -1 }, "events.parquet"},
		"ends":   {func(d *drawn) { d.series[9].Until = d.series[9].From - 1 }, "series.parquet"},
		"ops":    {func(d *drawn) { d.ops[2].Start = -7 }, "operations.parquet"},
	} {
		d := draw(60)
		c.spoil(&d)
		d.write(t, root, name, result.Complete)
		x := serve(t, root)
		show, err := x.s.show(name)
		if err != nil {
			t.Fatal(err)
		}
		<-show.gone
		told, _ := show.watch()
		if notes := strings.Join(told.Notes, "\n"); !strings.Contains(notes, c.want) {
			t.Errorf("%s: notes %q, want one of %s", name, notes, c.want)
		}
		if code, body := x.ask("api/topology?run=" + name); code != http.StatusOK || !strings.Contains(string(body), "s1/h1") {
			t.Errorf("%s: its ports are not shown: %d %.100s", name, code, body)
		}
	}
}

// A run.json with a million of what runs have a few of is refused with the bound; the server answers others.
func TestARunOfAMillionPorts(t *testing.T) {
	root := t.TempDir()
	d := draw(20)
	d.write(t, root, "one", result.Complete)
	for name, list := range map[string]string{
		"ports": `"ports":[` + strings.Repeat(`{"port":"s1/h1"},`, 1_000_000) + `{"port":"s1/h1"}]`,
		"flows": `"flows":[` + strings.Repeat(`{"name":"f","path":"h1>s1>h2"},`, 1_000_000) + `{"name":"g"}]`,
	} {
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
		text := `{"state":"complete","format_version":3,"name":"many",` + list + `}`
		if err := os.WriteFile(filepath.Join(root, name, "run.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x := serve(t, root)
	x.settled("one")
	for _, name := range []string{"ports", "flows"} {
		code, body := x.ask("api/run?run=" + name)
		if code != http.StatusUnprocessableEntity || !strings.Contains(string(body), "holds 1000002 objects in") ||
			!strings.Contains(string(body), "want at most") {
			t.Errorf("%s: %d, %d bytes: %.200s", name, code, len(body), body)
		}
	}
	if code, _ := x.ask("api/topology?run=one"); code != http.StatusOK {
		t.Errorf("the other run: %d", code)
	}
}
