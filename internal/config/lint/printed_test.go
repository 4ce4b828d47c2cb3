package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
)

// What devices print is told apart, understood to the last line or of no matter, and has no error.
//
// False if a rule, or a way that commands of no matter begin, is taken out.
func TestPrinted(t *testing.T) {
	files, err := filepath.Glob("testdata/printed/*")
	if err != nil || len(files) < 7 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file := []netconf.File{netconf.NewFile(filepath.Base(path), text)}
		dialect, err := dialects.Detect(file)
		if err != nil || dialect+filepath.Ext(path) != filepath.Base(path) {
			t.Errorf("%s: %q, %v", path, dialect, err)
			continue
		}
		p := dialects.All[dialect].Parse(file)
		for _, u := range p.Unread {
			t.Errorf("%s:%d: %s: not understood", path, u.Line, u.Text)
		}
		if p.Lines.Understood < 10 {
			t.Errorf("%s: %+v", path, p.Lines)
		}
		for _, f := range lint.Check([]*lint.Device{{Parsed: p, Dialect: dialect, File: path}}, nil, lint.Hosts{}) {
			if f.Severity != lint.Warning {
				t.Errorf("%s:%d: %s %s %s", path, f.Line, f.Severity, f.Rule, f.Text)
			}
		}
	}
}
