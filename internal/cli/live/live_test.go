package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// The program of these tests is the test itself: a scenario is "NAME MEMORY WHAT", with what its run does.
func TestMain(m *testing.M) {
	if os.Args[0] != "railyard" {
		os.Exit(m.Run())
	}
	b, err := os.ReadFile(scenarioFile)
	if err != nil {
		fmt.Fprintln(os.Stderr, "railyard:", err)
		os.Exit(2)
	}
	var name, what string
	var memory int64
	if _, err := fmt.Sscan(string(b), &name, &memory, &what); err != nil {
		fmt.Println(`{"errors":1,"findings":[{"message":"no scenario"}]}`)
		os.Exit(1)
	}
	switch os.Args[1] {
	case "check":
		fmt.Printf(`{"name":%q,"errors":0,"findings":[],"estimate":{"memory_bytes":%d}}`, name, memory)
	case "run":
		os.Exit(fakeRun(os.Args[slices.Index(os.Args, "--out")+1], name, what))
	}
}

func fakeRun(path, name, what string) int {
	told := make(chan os.Signal, 8)
	signal.Notify(told, os.Interrupt)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if what == "refuse" {
		fmt.Fprintln(os.Stderr, "railyard: it cannot run")
		return 1
	}
	d, err := result.Create(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "railyard:", err)
		return 1
	}
	s := &result.Summary{Name: name}
	if err := d.Begin(s); err != nil {
		return 1
	}
	if what == "fill" {
		if err := os.WriteFile(filepath.Join(path, "much"), make([]byte, 1<<20), 0o600); err != nil {
			return 1
		}
	}
	if what == "crash" {
		fmt.Println("no JSON\n" + strings.Repeat("x", longestLine+1))
		return 3
	}
	if what == "talk" {
		go func() {
			for {
				fmt.Println(`{"phase":"flows","done":2,"total":2}`)
				time.Sleep(10 * time.Millisecond)
			}
		}()
	}
	fmt.Println(`{"phase":"flows","done":1,"total":2}`)
	s.State = result.Complete
	if what != "quick" {
		ended := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			close(ended)
		}()
		select {
		case <-told:
		case <-ended:
		}
		if what == "deaf" {
			select {}
		}
		s.State = result.Interrupted
	}
	if d.Finish(s) != nil {
		return 1
	}
	return 0
}

// runner is one whose files lie below folders of the test: what was posted, and runs. At its end nothing posted is left.
func runner(t *testing.T, b Bounds) (r *Runner, root string) {
	t.Helper()
	posted := t.TempDir()
	t.Setenv("TMPDIR", posted)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	usual := Bounds{Body: 1000, Runs: 1000, Disk: unit.Gigabyte, CPU: 1e6, Memory: 100, AtOnce: 2}
	for _, x := range []struct{ to, from *int }{{&b.Runs, &usual.Runs}, {&b.AtOnce, &usual.AtOnce}} {
		if *x.to == 0 {
			*x.to = *x.from
		}
	}
	for _, x := range []struct{ to, from *unit.Bytes }{{&b.Disk, &usual.Disk}, {&b.Memory, &usual.Memory}} {
		if *x.to == 0 {
			*x.to = *x.from
		}
	}
	if b.CPU == 0 {
		b.CPU = usual.CPU
	}
	root = filepath.Join(t.TempDir(), "runs")
	r = New(Options{Root: root, Program: program, Bounds: b})
	t.Cleanup(func() {
		r.Close()
		if left, _ := os.ReadDir(posted); len(left) > 0 {
			t.Errorf("%v is left of what was posted", left)
		}
	})
	return r, root
}

// start posts a scenario that is taken.
func start(t *testing.T, r *Runner, scenario string) *View {
	t.Helper()
	v, c, err := r.Start(t.Context(), Post{Scenario: scenario})
	if err != nil || v == nil {
		t.Fatalf("%s: %v, %+v", scenario, err, c)
	}
	return v
}

// until waits for a job to be as it is wanted.
func until(t *testing.T, r *Runner, id string, is func(v *View) bool) *View {
	t.Helper()
	for {
		v, changed := r.Watch(id)
		switch {
		case v == nil:
			t.Fatalf("there is no job %s", id)
		case is(v):
			return v
		case v.Ended():
			t.Fatalf("ended as %+v", v)
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

func inState(s State) func(v *View) bool { return func(v *View) bool { return v.State == s } }

func said(v *View) bool { return v.Progress != nil }

// What is posted runs once, in the order in which it came, within memory and number: looked at whenever something changes.
func TestNoneLostNoneDoubled(t *testing.T) {
	draws := rand.New(rand.NewPCG(4, 4))
	for range 3 {
		r, root := runner(t, Bounds{AtOnce: 1 + draws.IntN(4), Memory: 100})
		const all = 25
		for range all {
			what := []string{"quick", "quick", "quick", "refuse", "crash"}[draws.IntN(5)]
			start(t, r, fmt.Sprintf("some %d %s", draws.IntN(101), what))
		}
		began := 0
		for left := all; left > 0; {
			r.mu.Lock()
			var used unit.Bytes
			for j := range r.active {
				used += j.need
			}
			if used != r.used || used > r.options.Bounds.Memory && len(r.active) > 1 || len(r.active) > r.options.Bounds.AtOnce {
				t.Errorf("%d go on, with %d in all: %d are known", len(r.active), used, r.used)
			}
			first := slices.IndexFunc(r.jobs, func(j *job) bool { return j.state == Waiting })
			for i, j := range r.jobs {
				if first >= 0 && i > first && j.state != Waiting {
					t.Errorf("job %s began before job %s", j.id, r.jobs[first].id)
				}
			}
			left = len(r.line) + len(r.active)
			var changed chan struct{}
			for j := range r.active {
				changed = j.changed
			}
			r.mu.Unlock()
			if changed != nil {
				<-changed
			}
		}
		dirs := map[string]bool{}
		for _, v := range r.Jobs() {
			switch v.State {
			case Refused:
				if v.Why != "it cannot run" || v.Run != "" {
					t.Errorf("%+v", v)
				}
				continue
			case Killed, State(result.Complete):
			default:
				t.Errorf("%+v", v)
			}
			if began++; dirs[v.Run] {
				t.Errorf("two are in %s", v.Run)
			}
			dirs[v.Run] = true
			if _, err := result.OpenIncomplete(filepath.Join(root, v.Run)); err != nil {
				t.Error(err)
			}
		}
		if left, err := os.ReadDir(root); err != nil || len(left) != began || began == 0 {
			t.Errorf("%d runs in the folder, %d began: %v", len(left), began, err)
		}
	}
}

// What waits is taken out of the line and leaves nothing; what runs is interrupted and leaves a whole directory; what does not
// listen is killed.
func TestCancel(t *testing.T) {
	r, root := runner(t, Bounds{AtOnce: 2})
	runs, deaf := start(t, r, "a 1 wait"), start(t, r, "b 1 deaf")
	waits, next := start(t, r, "c 1 wait"), start(t, r, "d 1 wait")
	if waits.State != Waiting || waits.Place != 1 || next.Place != 2 {
		t.Errorf("%+v %+v", waits, next)
	}
	r.Cancel(waits.ID)
	if v := until(t, r, waits.ID, inState(Cancelled)); v.Run != "" || v.Place != 0 {
		t.Errorf("%+v", v)
	}
	until(t, r, runs.ID, said)
	r.Cancel(runs.ID)
	v := until(t, r, runs.ID, inState(State(result.Interrupted)))
	if run, err := result.Open(filepath.Join(root, v.Run)); err != nil || run.Summary.State != result.Interrupted {
		t.Errorf("%+v: %v", v, err)
	}
	until(t, r, next.ID, said)
	until(t, r, deaf.ID, said)
	r.Cancel(deaf.ID)
	r.Cancel(deaf.ID)
	v = until(t, r, deaf.ID, inState(Killed))
	if run, err := result.OpenIncomplete(filepath.Join(root, v.Run)); err != nil || run.Summary.State != result.Running || run.Held() {
		t.Errorf("%+v: %v", v, err)
	}
	if r.Cancel("99") {
		t.Error("a job that there is not is cancelled")
	}
	if _, err := os.Stat(filepath.Join(root, "c-1")); err == nil {
		t.Error("what never began left a folder")
	}
}

// The end of the server ends all: what listens with a whole directory, what does not by force, and nothing is taken after it.
func TestClose(t *testing.T) {
	r, root := runner(t, Bounds{AtOnce: 3})
	waits, deaf, quick := start(t, r, "a 1 wait"), start(t, r, "b 1 deaf"), start(t, r, "c 1 quick")
	until(t, r, quick.ID, inState(State(result.Complete)))
	until(t, r, waits.ID, said)
	until(t, r, deaf.ID, said)
	start(t, r, "d 1 wait")
	line := start(t, r, "e 1 wait")
	r.Close()
	r.Close()
	for id, want := range map[string]State{waits.ID: State(result.Interrupted), deaf.ID: Killed, line.ID: Cancelled} {
		if v, _ := r.Watch(id); v.State != want {
			t.Errorf("%+v, want %s", v, want)
		}
	}
	if run, err := result.Open(filepath.Join(root, "a-1")); err != nil || run.Summary.State != result.Interrupted {
		t.Error(err)
	}
	var refusal *Refusal
	if _, _, err := r.Start(t.Context(), Post{Scenario: "f 1 quick"}); !errors.As(err, &refusal) || !refusal.Full {
		t.Errorf("after the end: %v", err)
	}
}

// Over a bound nothing is taken, and what goes on is stopped with the reason.
func TestBounds(t *testing.T) {
	refused := func(t *testing.T, r *Runner, scenario, want string) {
		t.Helper()
		if v, _, err := r.Start(t.Context(), Post{Scenario: scenario}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v, want %q", scenario, v, err, want)
		}
	}
	t.Run("runs", func(t *testing.T) {
		r, _ := runner(t, Bounds{Runs: 2})
		if v, c, err := r.Start(t.Context(), Post{Scenario: "wrong"}); v != nil || err != nil || c.Errors != 1 {
			t.Errorf("%v %+v %v", v, c, err)
		}
		start(t, r, "a 1 quick") // what is wrong does not count
		start(t, r, "a 1 quick")
		refused(t, r, "a 1 quick", "has taken 2 runs, the bound (--max-runs)")
		if _, err := r.Check(t.Context(), Post{Scenario: "a 1 quick"}); err != nil {
			t.Error(err)
		}
	})
	t.Run("memory", func(t *testing.T) {
		r, root := runner(t, Bounds{Memory: 100})
		refused(t, r, "a 101 quick", "would need about 101 B of memory, and this server has 100 B for its runs (--max-memory)")
		if _, err := os.Stat(root); err == nil {
			t.Error("something was written")
		}
	})
	t.Run("processors", func(t *testing.T) {
		r, _ := runner(t, Bounds{CPU: 500, AtOnce: 1})
		v, line := start(t, r, "a 1 talk"), start(t, r, "b 1 wait")
		r.mu.Lock()
		r.cpu = 501 // as if others had taken so much
		r.mu.Unlock()
		if v := until(t, r, v.ID, inState(State(result.Interrupted))); !strings.Contains(v.Why, "have taken 500 s of processors") {
			t.Errorf("%+v", v)
		}
		until(t, r, line.ID, func(v *View) bool { return v.State == Cancelled && strings.Contains(v.Why, "--max-cpu") })
	})
	t.Run("disk", func(t *testing.T) {
		r, _ := runner(t, Bounds{Disk: 500 * unit.Kilobyte})
		v := start(t, r, "a 1 fill")
		if v := until(t, r, v.ID, inState(State(result.Interrupted))); !strings.Contains(v.Why, "hold 500 kB on disk") {
			t.Errorf("%+v", v)
		}
		refused(t, r, "a 1 quick", "--max-disk")
	})
}

// What is posted lies in its own folder, by names that cannot leave it; nothing is written of a post with another.
func TestNamesOfFiles(t *testing.T) {
	for name, want := range map[string]string{
		"net.txt": "", "configs/leaf1/running-config": "", "ä/ö": "", "": "want a name", "../x": "leads out", "a/../../x": "leads out",
		"/etc/passwd": "leads out", "a//b": "shortest form", "./a": "shortest form", "a/": "shortest form", ".": "begins with a point",
		"..": "leads out", ".railyard-lock": "begins with a point", "a/.git/config": "begins with a point", `a\b`: "backslash",
		"C:x": "colon", "a\x00b": "control", "a\nb": "control", "\xff": "control", "scenario.yaml": "two of this name",
		"Scenario.YAML": "two of this name", strings.Repeat("a", 201): "201 bytes long", "1/2/3/4/5/6/7": "7 parts",
	} {
		p := Post{Scenario: "x", Files: []File{{Name: name}}}
		switch err := p.check(); {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"a", "b"}, ""}, {[]string{"a", "a"}, "two of this name"}, {[]string{"a", "A"}, "two of this name"},
		{[]string{"a/b", "a"}, `"a" is a file and cannot be its folder`}, {[]string{"scenario.yaml/b"}, "cannot be its folder"},
		{make([]string, mostFiles+1), "1001 files, want at most 1000"},
	} {
		p := Post{}
		for _, n := range c.names {
			p.Files = append(p.Files, File{Name: n})
		}
		if err := p.check(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.40q: %v, want %q", c.names, err, c.want)
		}
	}
	t.Setenv("TMPDIR", t.TempDir())
	p := Post{Scenario: "text", Files: []File{{"a/b.txt", []byte{0, 255}}, {"a/c", nil}}}
	dir, remove, err := p.write()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{scenarioFile: "text", "a/b.txt": "\x00\xff", "a/c": ""} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
	if n := sizeOf(dir); n != p.bytes() {
		t.Errorf("%d bytes lie there, %d were posted", n, p.bytes())
	}
	remove()
	if _, err := os.Stat(dir); err == nil {
		t.Error("it is still there")
	}
}

// A line is what its JSON says, and a loss that is not there is not 0.
func TestLines(t *testing.T) {
	loss := 0.25
	b, err := json.Marshal(Line{Phase: "training", Done: 1, Total: 2, Loss: &loss})
	if err != nil {
		t.Fatal(err)
	}
	var l Line
	if err := json.Unmarshal(b, &l); err != nil || *l.Loss != loss || l.Phase != "training" {
		t.Errorf("%s: %+v %v", b, l, err)
	}
	if b, _ := json.Marshal(Line{}); strings.Contains(string(b), "loss") {
		t.Errorf("%s", b)
	}
}

// Who gives up while a check goes on leaves nothing.
func TestGivenUp(t *testing.T) {
	r, _ := runner(t, Bounds{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v, _, err := r.Start(ctx, Post{Scenario: "a 1 quick"}); v != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%+v %v", v, err)
	}
	if _, used := r.Bounds(); used.Runs != 0 {
		t.Errorf("%+v", used)
	}
}
