package perfcmd_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// A file of measured values is read and refused before anything is simulated.
func TestMeasuredValuesAreReadFirst(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	pod := write("pod.yaml", "name: pod\ncluster: {hosts: 4}\njob: {collectives: [{op: all-reduce, bytes: 1MB}]}\n")
	for _, c := range []struct {
		file, want string
		code       int
	}{
		{filepath.Join(folder, "none.txt"), "cannot read", 2},
		{write("key.txt", "step.spred 1%\nstep.spread 1%\n"),
			"key.txt:1:1: step.spred: no check has this key, want one such as step.spread", 1},
		{write("empty.txt", "# nothing yet\n"), "empty.txt:1:1: no value, want one such as links.host-leaf.400Gb/s", 1},
		{write("unit.txt", "load.marks 5ms\nall-reduce.8B.time 5\n"), "unit.txt:2:20: 5: no unit", 1},
	} {
		a, _ := perfApp(func(context.Context, *scenario.Scenario, call.RunOptions) (*result.Summary, error) {
			t.Errorf("%s: something is simulated", c.file)
			return &result.Summary{}, nil
		})
		errs := &bytes.Buffer{}
		a.Stderr = errs
		code := a.execute([]string{"commission", pod, "-q", "--measured", c.file})
		if said := errs.String(); code != c.code || !strings.Contains(said, c.want) {
			t.Errorf("exit code %d: %s\nwant %d: %s", code, said, c.code, c.want)
		}
	}
}
