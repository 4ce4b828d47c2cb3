package reference

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"railyard/internal/plan/scenario"
)

var update = flag.Bool("update", false, "rewrite docs/scenario.md, docs/requirement.md and docs/sweep-file.md")

// docs/scenario.md, docs/requirement.md and docs/sweep-file.md are what their tables say: run with -update after a change.
func TestMarkdown(t *testing.T) {
	isWritten(t, "../../../../docs/scenario.md", Markdown(), scenario.Table())
	isWritten(t, "../../../../docs/requirement.md", Requirement(), scenario.RequirementTable())
	isWritten(t, "../../../../docs/sweep-file.md", Sweep(), scenario.SweepTable())
}

// isWritten compares a file with what it should hold: each field of a table.
func isWritten(t *testing.T, file string, want []byte, table []scenario.Field) {
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: go test ./internal/plan/scenario/reference -update", file)
	}
	for _, f := range table {
		if !strings.Contains(string(want), "`"+f.Path+"`") && f.Path != "background" &&
			strings.Contains(f.Path, ".") {
			t.Errorf("%s is not in %s", f.Path, file)
		}
	}
}

// The scenario that the reference begins with is one.
func TestExample(t *testing.T) {
	_, rest, _ := strings.Cut(string(Markdown()), "```yaml\n")
	src, _, _ := strings.Cut(rest, "```")
	if _, err := scenario.Parse("x.yaml", []byte(src)); err != nil {
		t.Error(err)
	}
}
