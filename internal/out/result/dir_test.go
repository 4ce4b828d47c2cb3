package result

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestNextDirTakesTheSmallestFreeNumber(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	for _, want := range []string{"a-1", "a-2", "b-1", "a-3"} {
		got, err := NextDir(root, want[:1])
		if err != nil || got != filepath.Join(root, want) {
			t.Errorf("%s %v, want %s", got, err, want)
		}
	}
	if err := os.Remove(filepath.Join(root, "a-2")); err != nil {
		t.Fatal(err)
	}
	if got, err := NextDir(root, "a"); err != nil || filepath.Base(got) != "a-2" {
		t.Errorf("%s %v, want the freed a-2", got, err)
	}
}

func TestCreateRefuses(t *testing.T) {
	tmp := t.TempDir()
	full := filepath.Join(tmp, "full")
	if err := os.MkdirAll(filepath.Join(full, "notes"), 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(tmp, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		full: "run directory " + full + ": holds notes already, want a new or an empty folder",
		file: "run directory " + file +
			": cannot write there: not a directory; choose another place with --out DIR",
		filepath.Join(file, "sub"): "run directory " + filepath.Join(file, "sub") +
			": cannot write there: not a directory; choose another place with --out DIR",
	} {
		if _, err := Create(path); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", path, err, want)
		}
	}
	if _, err := NextDir(file, "x"); err == nil ||
		!strings.Contains(err.Error(), "cannot write there: not a directory") {
		t.Errorf("runs is a file: %v", err)
	}
}

// Of runs that are sent to one folder at once, one gets it; the others are told whose it is.
func TestCreateHasOneWinner(t *testing.T) {
	for range 40 {
		path := filepath.Join(t.TempDir(), "run")
		type outcome struct {
			dir *Dir
			err error
		}
		all := make(chan outcome)
		for range 4 {
			go func() {
				d, err := Create(path)
				all <- outcome{d, err}
			}()
		}
		var winner *Dir
		want := fmt.Sprintf("run directory %s: is being written by another railyard", path)
		for range 4 {
			switch o := <-all; {
			case o.err == nil && winner == nil:
				winner = o.dir
			case o.err == nil:
				t.Error("two runs got the folder")
			case !strings.HasPrefix(o.err.Error(), want):
				t.Errorf("%v; want %s", o.err, want)
			}
		}
		if winner == nil {
			t.Fatal("no run got the folder")
		}
		if _, err := OpenIncomplete(path); err != nil {
			t.Error(err)
		}
		// The first goes on unharmed.
		fill(winner, 10)
		if err := winner.Finish(&Summary{State: Complete}); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(path); len(left) != 6 {
			t.Errorf("the folder holds %v, want run.json and five tables", left)
		}
	}
}

func TestCreateTakesAnEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Discard(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("discarded, but there")
	}
}

// A run that never ended is recognised, and not taken for another one's directory.
func TestUnfinishedRunIsRecognised(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Begin(&Summary{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	defer runtime.KeepAlive(d) // its lock says that the run goes on
	d.group = 100
	fill(d, 250)
	_, err = Open(dir)
	var incomplete *IncompleteError
	if !errors.As(err, &incomplete) {
		t.Fatalf("Open: %v, want an IncompleteError", err)
	}
	r, err := OpenIncomplete(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.State != Running || r.Summary.Name != "x" {
		t.Errorf("%s %s, want what Begin wrote", r.Summary.State, r.Summary.Name)
	}
	n := 0
	for f, err := range r.Flows() {
		if err != nil || f.ID != int64(n) {
			t.Error(f.ID, err)
		}
		n++
	}
	if n != 200 {
		t.Errorf("%d flows, want those of the two closed parts", n)
	}
	for _, err := range r.Steps() {
		if err == nil || !strings.Contains(err.Error(), "was not finished") {
			t.Errorf("rows of a table without a closed part: %v", err)
		}
	}
	if got := r.Tables(); len(got) != 1 || got[0] != "flows" {
		t.Errorf("tables %v, want flows alone", got)
	}
	own := fmt.Sprintf("is being written by another railyard (pid %d)", os.Getpid())
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), own) {
		t.Errorf("%v: an unfinished run's directory is taken for another run, or for anything", err)
	}
}

func TestInterruptedAndFailedRunsKeepTheirTables(t *testing.T) {
	for _, state := range []State{Interrupted, Failed} {
		dir := filepath.Join(t.TempDir(), "run")
		d, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Begin(&Summary{Name: "x"}); err != nil {
			t.Fatal(err)
		}
		fill(d, 10)
		if err := d.Fail(state, errors.New("queue pair 3 used up its retries")); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if r.Summary.State != state || r.Summary.Name != "x" || r.Summary.Error != "queue pair 3 used up its retries" {
			t.Errorf("%+v", r.Summary)
		}
		n := 0
		for _, err := range r.Flows() {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 10 {
			t.Errorf("%s: %d flows kept of 10", state, n)
		}
	}
}

// A run that is refused before it begins leaves no directory.
func TestRefusedRunLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Fail(Failed, errors.New("too large")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestTableThatCannotBeWrittenFailsTheRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "flows.0001.parquet.part"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	fill(d, 3)
	if err := d.Err(); err == nil ||
		!strings.Contains(err.Error(), "run directory "+dir+": cannot write table flows: file exists") {
		t.Errorf("Err: %v", err)
	}
	s := &Summary{State: Complete}
	if err := d.Finish(s); err == nil || s.State != Failed {
		t.Errorf("Finish: %v, state %s", err, s.State)
	}
	if r, err := Open(dir); err != nil || r.Summary.State != Failed {
		t.Errorf("%v, want a readable failed run", err)
	}
}

func TestOpenComplains(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{"", "holds no run.json, so it is no run directory"},
		{`{"state": "comp`, "run.json is damaged: unexpected end of JSON input"},
		{`{"state": "complete", "version": "9.1.0", "format_version": 99, "seed": "s"}`,
			"format version 99 of Railyard 9.1.0 is newer than this one reads (3): use that version, or run the " +
				"scenario again"},
		{`{"state": "complete", "version": "0.0.1", "format_version": 0}`,
			"format version 0 of Railyard 0.0.1 is older than this one reads (3)"},
		{`{"state": "running", "format_version": 3}`,
			`incomplete: its run was killed or is still going (state "running" in run.json)`},
	} {
		dir := t.TempDir()
		if c.json != "" {
			if err := os.WriteFile(filepath.Join(dir, runFile), []byte(c.json), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "run directory "+dir+": ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.json, err, c.want)
		}
	}
	if _, err := Open("no/such"); err == nil || err.Error() != "run directory no/such: no such file or directory" {
		t.Error(err)
	}
}

// A folder of runs is none itself, and says so by the first that is in it.
func TestAFolderOfRunsNamesOne(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []string{"so it is no run directory, or its run was killed before it began", "; one is in it: " +
		filepath.Join(dir, "a"), "; want one in it: " + filepath.Join(dir, "a") + ", or one of 1 other"} {
		if _, err := Open(dir); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d runs: %v, want %q", i, err, want)
		}
		run := filepath.Join(dir, string(rune('a'+i)))
		if err := errors.Join(os.Mkdir(run, 0o777), os.WriteFile(filepath.Join(run, "run.json"), nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}
