//go:build unix

package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts of the commands that look: expected output is in the scripts, and
// RAILYARD_UPDATE=1 rewrites it.
func TestLook(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/look",
		UpdateScripts: os.Getenv("RAILYARD_UPDATE") != "", Setup: woven,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "narrow": narrow, "json": isJSON, "replace": replace, "has": has,
		},
	})
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
