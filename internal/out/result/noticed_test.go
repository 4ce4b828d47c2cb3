package result

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A table whose writer was killed before its first part was closed says so, and is not taken for one that has no rows.
func TestATableThatWasNotFinished(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Begin(&Summary{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	d.Flows().Add(FlowRow{ID: 1, Name: "f"})
	unfinished := filepath.Join(dir, partName("flows", 1)+unfinished)
	if _, err := os.Stat(unfinished); err != nil {
		writeFile(t, unfinished, []byte("PAR1"))
	}
	r, err := OpenIncomplete(dir)
	if err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]string{"flows": "was not finished", "steps": "the run wrote none"} {
		rows := firstErr(r.Flows())
		if table == "steps" {
			rows = firstErr(r.Steps())
		}
		if rows == nil || !strings.Contains(rows.Error(), want) {
			t.Errorf("%s: %v, want %q", table, rows, want)
		}
	}
}

// A trace of a run whose log is damaged ends with an error.
func TestTraceOfADamagedLog(t *testing.T) {
	for _, table := range []string{"events", "series"} {
		dir := filepath.Join(t.TempDir(), "run")
		d, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		d.Events().Add(EventRow{Time: 5, Kind: EventMark, Port: "a/b", Class: 3, PSN: -1})
		d.Series().Add(SeriesRow{From: 0, Until: 5, Kind: SeriesLink, Port: "a/b", Class: -1})
		if err := d.Finish(&Summary{State: Complete, Name: "x", VirtualTime: 10}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, table+".parquet")
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, bytes.Repeat([]byte{7}, len(b)))
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.WriteTrace(io.Discard, TraceWindow{}); err == nil || !strings.Contains(err.Error(), table) {
			t.Errorf("%s: %v", table, err)
		}
	}
}
