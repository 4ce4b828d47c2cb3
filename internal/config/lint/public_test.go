package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/netconf/dialects"
)

// Nothing is an error of files that are right: those that package dialects has, as public configurations are.
//
// False if a rule takes what is not said for what is wrong.
func TestPublicFormsAreClean(t *testing.T) {
	for _, name := range dialects.Names() {
		all, _ := filepath.Glob(filepath.Join("..", "netconf", "dialects", "testdata", "public", name, "*"))
		if len(all) < 8 {
			t.Errorf("%s: %d files, want 8", name, len(all))
		}
		for _, path := range all {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range lint.Check([]*lint.Device{linttest.Read(name, filepath.Base(path), string(text))}, nil, lint.Hosts{}) {
				if f.Severity == lint.Error {
					t.Errorf("%s %s:%d: %s: %s", name, f.File, f.Line, f.Rule, f.Text)
				} else {
					t.Logf("%s %s:%d: %v %s: %s", name, f.File, f.Line, f.Severity, f.Rule, f.Text)
				}
			}
		}
	}
}
