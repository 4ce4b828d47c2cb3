//go:build unix

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"railyard": func() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) },
		"railyard-fake": func() {
			a := newApp(os.Stdout, os.Stderr, call.Engine{Run: fakeRun, Draw: fakeDigits})
			os.Exit(a.execute(os.Args[1:]))
		},
	})
}

func TestScripts(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		// Under nohup: what is caught here, commands begin with as usual; what is ignored they
		// would ignore too.
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGHUP)
		t.Cleanup(func() { signal.Stop(c) }) // the scripts run in parallel, after this function
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: os.Getenv("RAILYARD_UPDATE") != "", Setup: woven,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "narrow": narrow, "waitfor": waitfor,
			"same": same, "damage": damage, "killed": killed, "hold": hold,
		},
	})
}

// woven passes on which mistake of tools/mutate is to be made: scripts begin with an environment of their own.
func woven(env *testscript.Env) error {
	for _, name := range []string{"RAILYARD_MUTANT", "RAILYARD_REACHED"} {
		if v, set := os.LookupEnv(name); set {
			env.Setenv(name, v)
		}
	}
	return nil
}

// same FILE FILE KEY...: both JSON objects have the keys, with the same values.
func same(ts *testscript.TestScript, _ bool, args []string) {
	var objects [2]map[string]json.RawMessage
	for i := range objects {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[i])), &objects[i]))
	}
	for _, key := range args[2:] {
		if a, b := string(objects[0][key]), string(objects[1][key]); a == "" || a != b {
			ts.Fatalf("%s: %q and %q", key, a, b)
		}
	}
}

// damage FILE: flips a bit in the middle of it.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	b, err := os.ReadFile(path)
	ts.Check(err)
	b[len(b)/2] ^= 1
	ts.Check(os.WriteFile(path, b, 0o666))
}

// killed DIR: leaves a run directory as a run does that is killed when its last step has ended, and with it the last
// checkpoint is there.
func killed(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	text := ts.ReadFile(filepath.Join(dir, "run.json"))
	ended := `"state": "complete"`
	if strings.Count(text, ended) != 1 {
		ts.Fatalf("%s: is of no run that came to its end", dir)
	}
	text = strings.Replace(text, ended, `"state": "running"`, 1)
	ts.Check(os.WriteFile(filepath.Join(dir, "run.json"), []byte(text), 0o666))
	ts.Check(os.Remove(filepath.Join(dir, "weights.safetensors")))
}

// hold DIR: another process writes into the folder until the script ends.
func hold(ts *testscript.TestScript, _ bool, args []string) {
	folder, _, err := output.Hold(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Defer(func() { folder.Close() })
}

// exits N command args...: the command ends with exit code N.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var e *exec.ExitError
	if errors.As(err, &e) {
		got = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// waitfor PATTERN: some file has such a name. A script that never makes one ends with the test's
// own time limit.
func waitfor(ts *testscript.TestScript, _ bool, args []string) {
	for {
		if found, err := filepath.Glob(ts.MkAbs(args[0])); err != nil || len(found) > 0 {
			ts.Check(err)
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// fakeRun is a small engine: it writes one flow, and does what the scenario's name says.
func fakeRun(ctx context.Context, sc *scenario.Scenario, opt call.RunOptions) (*result.Summary, error) {
	if sc.Name == "refused" {
		return nil, errors.New("9 GB of memory estimated, want at most 8 GB: --force runs it all the same")
	}
	s := &result.Summary{Name: sc.Name, Seed: sc.Seed}
	if err := opt.Dir.Begin(s); err != nil {
		return nil, err
	}
	opt.Dir.Flows().Add(result.FlowRow{Name: "a"})
	interrupt := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) }
	switch sc.Name {
	case "interrupt":
		interrupt()
		<-ctx.Done()
		return s, nil
	case "hangup": // the terminal goes away
		_ = syscall.Kill(os.Getpid(), syscall.SIGHUP)
		if !signal.Ignored(syscall.SIGHUP) {
			<-ctx.Done()
		}
		return s, nil
	case "stubborn": // does not look at the context
		interrupt()
		<-ctx.Done()
		interrupt()
		select {}
	case "failing":
		return s, errors.New("queue pair 3 used up its retries")
	case "slow":
		opt.Progress(result.Progress{Phase: "training", Done: 1, Total: 2, Loss: 0.5, HasLoss: true})
		time.Sleep(call.PlainFirst + 3*call.RedrawEvery)
	}
	return s, nil
}

// fakeDigits is interrupted before it is done.
func fakeDigits(ctx context.Context, _ string, o scenario.Drawn, progress func(done, total int64)) (bool, error) {
	progress(1, int64(o.Train+o.Test))
	_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
	<-ctx.Done()
	return true, ctx.Err()
}

func TestDidYouMean(t *testing.T) {
	for word, want := range map[string]string{
		"rnu": "run", "ran": "run", "versoin": "version", "ver": "version", "dta": "data", "x": "",
		"frobnicate": "", "": "",
	} {
		got := call.DidYouMean(word, []string{"run", "data", "version"}, "see elsewhere")
		if want == "" && got != "; see elsewhere" || want != "" && got != "; did you mean "+want+"?" {
			t.Errorf("%q: %s, want %q", word, got, want)
		}
	}
	if n := scenario.Edits("kitten", "sitting"); n != 3 {
		t.Errorf("kitten to sitting: %d edits, want 3", n)
	}
	if !strings.Contains(call.KernelNames(), "portable") {
		t.Error("the portable kernel is not listed")
	}
}
