//go:build linux

package cli

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
)

// How often each command is killed; 1: every third command alone. By hand: 200, with
//
//	go test ./internal/cli/cli -run TestKilledCommands -kills 200 -timeout 0 -v
var kills = flag.Int("kills", 1, "how often TestKilledCommands kills each command")

// startChild starts the program in a process of its own.
func startChild(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args, cmd.Dir = append([]string{"railyard"}, args...), dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// killedBy ends a child by SIGKILL and reports whether that, and not its own end, ended it.
func killedBy(cmd *exec.Cmd) bool {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return status.Signaled()
}

// A training that is killed when its last checkpoint is there, and nothing after it, is completed by --resume, and ends
// with the weights that it would have had.
func TestKilledAfterItsLastStep(t *testing.T) {
	dir := t.TempDir()
	// The test set takes as long as the training: there is time to kill it.
	writeAll(t, filepath.Join(dir, "t.yaml"), []byte(`cluster: {hosts: 2, host: {gpus: 1}}
job:
  train:
    layers: [784, 10]
    data: {digits: {dir: d, train: 64, test: 2000, seed: 3}}
    batch: 8
    epochs: 2
    lr: 0.1
    checkpoint: {every: epoch}
`))
	if out, state, _ := inChild(dir, "run", "t.yaml", "--out", "whole", "--quiet"); !state.Success() {
		t.Fatalf("%s", out)
	}
	hit := false
	for try := 0; try < 40 && !hit; try++ {
		os.RemoveAll(filepath.Join(dir, "killed"))
		cmd := startChild(t, dir, "run", "t.yaml", "--out", "killed", "--quiet")
		last := filepath.Join(dir, "killed/checkpoints/step-8.safetensors")
		for begin := time.Now(); time.Since(begin) < time.Minute; {
			if _, err := os.Lstat(last); err == nil {
				break
			}
			time.Sleep(20 * time.Microsecond)
		}
		_, late := os.Lstat(filepath.Join(dir, "killed/weights.safetensors"))
		hit = killedBy(cmd) && late != nil
		if _, err := os.Lstat(filepath.Join(dir, "killed/weights.safetensors")); err == nil {
			hit = false // it came between the two
		}
	}
	if !hit {
		t.Fatal("never killed between the last checkpoint and the end")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "killed/run.json")); err != nil || !bytes.Contains(text,
		[]byte(`"state": "running"`)) {
		t.Fatalf("%v: %.200s", err, text)
	}
	if out, state, _ := inChild(dir, "run", "--resume", "killed", "--out", "completed", "--quiet"); !state.Success() {
		t.Fatalf("%s", out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "whole/weights.safetensors"))
	got, e := os.ReadFile(filepath.Join(dir, "completed/weights.safetensors"))
	if err := errors.Join(err, e); err != nil || !bytes.Equal(got, want) {
		t.Errorf("completed with other weights: %v", err)
	}
}

// whatIsWritten maps the names below a folder to what the files hold, without the time that something took, and the digest
// of a sweep's row over that. Of the table of costs it says whether it is whole. Files under names that nobody can foresee,
// and those of parts, are what a kill leaves.
func whatIsWritten(t *testing.T, dir string) map[string]string {
	t.Helper()
	took := regexp.MustCompile(`"(wall_seconds|created|pid|seconds)": ?[0-9.e+-]+`)
	digest := regexp.MustCompile(`"digest": ?"[0-9a-f]{64}"`)
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || output.Ours(e.Name()) || strings.HasSuffix(path, ".part") {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		text := string(b)
		switch {
		case filepath.Base(filepath.Dir(path)) == "rows":
			text = digest.ReplaceAllString(text, "")
		case name == "costs.parquet" && strings.HasPrefix(text, "PAR1") && strings.HasSuffix(text, "PAR1"):
			text = "whole"
		}
		all[name] = took.ReplaceAllString(text, "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// killable are commands that write into out, with what is there before each.
var killable = []struct{ command, before string }{
	{command: "export out", before: "run f.yaml --out out --quiet"},
	{command: "whatif out --quiet", before: "run f.yaml --out out --quiet"},
	{command: "report out --svg out/svg", before: "run f.yaml --out out --quiet"},
	{command: "run f.yaml --seeds 1..4 --out out --quiet"},
	{command: "tune f.yaml -o out --dialect nxos --quiet"},
	{command: "lab 1 --out out --quiet"},
	{command: "config render f.yaml -o out --dialect nxos"},
	{command: "data digits --dir out --train 200 --test 20"},
	{command: "man out", before: "man out"},
	{command: "export out", before: "run f.yaml --out out --quiet; export out"},
}

// Whenever a command is killed, each file that it leaves under its own name is whole, what was there before is still
// there, and the command goes through when it is given again, with the same files, or says that it wants a new or empty folder.
func TestKilledCommands(t *testing.T) {
	for i, k := range killable {
		if *kills == 1 && i%3 != 0 {
			continue
		}
		root := t.TempDir()
		prepare := func(name string) string {
			dir := filepath.Join(root, name)
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			writeAll(t, filepath.Join(dir, "f.yaml"), []byte("cluster: {hosts: 2, host: {gpus: 1}}\n"+
				"job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1kB}]}\n"))
			for command := range strings.SplitSeq(k.before, "; ") {
				if command == "" {
					continue
				}
				if code, out := ranIn(t, dir, strings.Fields(command)...); code != call.OK {
					t.Fatalf("%s: %s", command, out)
				}
			}
			return dir
		}
		whole := prepare("whole")
		begin := time.Now()
		if out, state, _ := inChild(whole, strings.Fields(k.command)...); !state.Success() {
			t.Fatalf("%s: %s", k.command, out)
		}
		lasts, want := time.Since(begin), whatIsWritten(t, filepath.Join(whole, "out"))
		if len(want) == 0 {
			t.Fatalf("%s: wrote nothing", k.command)
		}
		for try := range *kills {
			dir := prepare("killed")
			out := filepath.Join(dir, "out")
			before := map[string]string{}
			if k.before != "" {
				before = whatIsWritten(t, out)
			}
			cmd := startChild(t, dir, strings.Fields(k.command)...)
			rng := rand.New(rand.NewPCG(uint64(i), uint64(try)))
			time.Sleep(time.Duration(rng.Float64() * float64(lasts)))
			killed := killedBy(cmd)
			got := map[string]string{}
			if _, err := os.Lstat(out); err == nil {
				got = whatIsWritten(t, out)
			}
			for name, text := range got {
				if text != want[name] && text != before[name] && !started(name, text) {
					t.Errorf("%s, killed %v: %s is half written: %d bytes of %d: %.100q", k.command, killed,
						name, len(text),
						len(want[name]), text)
				}
			}
			for name := range before {
				if got[name] == "" && before[name] != "" {
					t.Errorf("%s, killed %v: %s was lost", k.command, killed, name)
				}
			}
			again, state, _ := inChild(dir, strings.Fields(k.command)...)
			if len(got) > 0 && bytes.Contains(again, []byte("want a new or an empty folder")) {
				os.RemoveAll(dir) // what it left has to be removed first, and that is said
				continue
			}
			if !state.Success() {
				t.Errorf("%s, after it was killed: %s", k.command, again)
			}
			got = whatIsWritten(t, out)
			for name := range want {
				if got[name] != want[name] {
					t.Errorf("%s, after it was killed: %s has %d bytes, want %d", k.command, name,
						len(got[name]), len(want[name]))
				}
			}
			os.RemoveAll(dir)
		}
	}
}

// started reports whether a file says whole that what it is of has begun and not ended.
func started(name, text string) bool {
	return filepath.Ext(name) == ".json" && strings.Contains(text,
		`"state": "running"`) && strings.HasSuffix(text, "}\n")
}
