package report

import (
	"os"
	"regexp"
	"testing"

	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// Each kind of blame is said in words of its own. The kinds are those that diagnosis.go names.
func TestEachBlameHasAClause(t *testing.T) {
	src, err := os.ReadFile("../diagnose/diagnosis.go")
	if err != nil {
		t.Fatal(err)
	}
	seen, rank := map[string]string{}, int32(3)
	for _, m := range regexp.MustCompile(`(?m)^\t\w+ +Kind += "([^"]+)"`).FindAllStringSubmatch(string(src), -1) {
		d := diagnosed{Data: &Data{Summary: &result.Summary{}}}
		text := d.clause(&diagnose.Blame{Kind: diagnose.Kind(m[1]), Port: "leaf1>host1", Rank: &rank})
		if was, there := seen[text]; text == "" || there {
			t.Errorf("%s: %q, as of %q", m[1], text, was)
		}
		seen[text] = m[1]
	}
	if len(seen) < 15 {
		t.Errorf("%d kinds were found", len(seen))
	}
}
