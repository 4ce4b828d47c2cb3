//go:build unix

package clitest

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"railyard/internal/base/output"
)

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

// narrow FILE: no line is wider than 80 columns, none ends in blanks or holds an escape.
func narrow(ts *testscript.TestScript, _ bool, args []string) {
	for line := range strings.SplitSeq(ts.ReadFile(args[0]), "\n") {
		if utf8.RuneCountInString(line) > 80 || strings.TrimRight(line, " ") != line || strings.Contains(line, "\x1b") {
			ts.Fatalf("%q: wider than 80 columns, or blanks at its end, or an escape", line)
		}
	}
}

// json FILE: the file is one JSON value.
func isJSON(ts *testscript.TestScript, _ bool, args []string) {
	if text := ts.ReadFile(args[0]); !json.Valid([]byte(text)) {
		ts.Fatalf("not JSON:\n%s", text)
	}
}

// has FILE TEXT...: the file holds each text.
func has(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	for _, want := range args[1:] {
		if strings.Contains(text, want) == neg {
			ts.Fatalf("%s: holds %q: %v", args[0], want, neg)
		}
	}
}

// replace OLD NEW FROM TO: TO is FROM with the first OLD replaced.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s: no %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(strings.Replace(text, args[0], args[1], 1)), 0o666))
}
