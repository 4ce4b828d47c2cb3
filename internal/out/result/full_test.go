//go:build linux

package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inChild runs the test again in a process of its own, whose limits and rights it
// may change, and returns what that printed between the lines "<" and ">".
func inChild(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, rest, _ := strings.Cut(string(out), "<\n")
	said, _, ok := strings.Cut(rest, ">\n")
	if !ok {
		t.Fatalf("the child said %s", out)
	}
	return said
}

const childEnv = "RAILYARD_TEST_CHILD"

// overflowing writes a run until it fails and prints the error of Finish.
func overflowing(dir string) {
	d, err := Create(dir)
	if err == nil {
		d.group = 1000
		s := &Summary{Name: "x"}
		if err = d.Begin(s); err == nil {
			for i := 0; i < 1_000_000 && d.Err() == nil; i++ {
				d.Flows().Add(FlowRow{ID: int64(i), Name: fmt.Sprint("flow ", i*i), Path: fmt.Sprint(i * 7919 % 10007)})
				d.Steps().Add(StepRow{Step: int32(i)})
			}
			s.State = Complete
			err = d.Finish(s)
		}
	}
	fmt.Printf("<\n%v\n>\n", err)
}

// checkOverflowed holds that there was one clear error, and that the directory is readable and says
// it.
func checkOverflowed(t *testing.T, dir, said, reason string) {
	t.Helper()
	about, why, _ := strings.Cut(said, ": "+reason) // which table meets a full disk is chance
	about = strings.TrimPrefix(about, "run directory "+dir+": cannot write ")
	if about != "table flows" && about != "table steps" && about != "tables flows, steps" ||
		strings.Count(said, "\n") != 1 || why != "\n" {
		t.Errorf("said %q, want one line: run directory %s: cannot write table flows: %s", said, dir, reason)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.State != Failed || r.Summary.Error+"\n" != said {
		t.Errorf("%s: %s", r.Summary.State, r.Summary.Error)
	}
	n := 0
	for f, err := range r.Flows() {
		if err != nil || f.ID != int64(n) {
			t.Fatal(n, f.ID, err)
		}
		n++
	}
	steps := 0
	for s, err := range r.Steps() {
		if err != nil || s.Step != int32(steps) {
			t.Fatal(steps, s.Step, err)
		}
		steps++
	}
	if steps < n && about == "table flows" {
		t.Errorf("%d steps and %d flows can be read, want at least as many of the table that did not fail", steps, n)
	}
	if n == 0 || n%1000 != 0 {
		t.Errorf("%d flows can be read, want those of the closed parts", n)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*"+unfinished)); len(left) > 0 {
		t.Errorf("%v takes up space", left)
	}
}

// A file may not grow: closing parts works until they are joined.
func TestFileSizeLimit(t *testing.T) {
	if dir := os.Getenv(childEnv); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 100_000, Max: 100_000}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		d, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		d.group = 1000
		s := &Summary{Name: "x", State: Complete}
		for i := range 20_000 {
			d.Steps().Add(StepRow{Step: int32(i)})
			d.Flows().Add(FlowRow{ID: int64(i), Name: fmt.Sprint("flow ", i*i), Path: fmt.Sprint(i * 7919 % 10007)})
		}
		fmt.Printf("<\n%v\n>\n", d.Finish(s)) // flows.parquet would be too large, steps.parquet is not
		return
	}
	dir := filepath.Join(t.TempDir(), "run")
	checkOverflowed(t, dir, inChild(t, dir), "file too large")
}

// A full disk stops the run, and run.json can still say so: the part that was
// open makes room for it.
func TestDiskFull(t *testing.T) {
	if dir := os.Getenv(childEnv); dir != "" {
		overflowing(dir)
		return
	}
	disk := t.TempDir()
	if err := syscall.Mount("railyard", disk, "tmpfs", 0, "size=1M"); err != nil {
		t.Skipf("a small file system needs the right to mount one: %v", err)
	}
	defer func() { _ = syscall.Unmount(disk, 0) }()
	dir := filepath.Join(disk, "run")
	checkOverflowed(t, dir, inChild(t, dir), "no space left on device")
}

// Where nothing can be written there is one error, and nothing is left.
func TestUnwritable(t *testing.T) {
	if dir := os.Getenv(childEnv); dir != "" {
		if os.Getuid() == 0 { // whom no permission stops
			if err := syscall.Setuid(65534); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Create(filepath.Join(dir, "run"))
		_, empty := Create(dir)
		_, next := NextDir(dir, "x")
		fmt.Printf("<\n%v\n%v\n%v\n>\n", err, empty, next)
		return
	}
	dir := t.TempDir()
	for _, p := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(p, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(p, 0o755)
	}
	got := inChild(t, dir)
	var want strings.Builder
	for _, p := range []string{filepath.Join(dir, "run"), dir, filepath.Join(dir, "x-1")} {
		fmt.Fprintf(&want, "run directory %s: cannot write there: permission denied; choose another place with "+
			"--out DIR\n", p)
	}
	if got != want.String() {
		t.Errorf("got\n%swant\n%s", got, want.String())
	}
}

// A directory that goes away under the run is one error, too.
func TestDirectoryRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	fill(d, 10)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	err = d.Finish(&Summary{State: Complete})
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

// A pipe in a run directory is no table and no run.json: opening it would wait for a writer.
func TestPipesAreRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeRun(t, dir, 10)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Damaged = true
	for _, file := range []string{"flows.parquet", runFile} {
		path := filepath.Join(dir, file)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := firstErr(r.Flows()); err == nil || !strings.Contains(err.Error(), "is a named pipe, want a regular file") {
		t.Error(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is a named pipe, want a regular file") {
		t.Error(err)
	}
}
