package prove

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"railyard/internal/config/lint"
)

// Each rule of lint has a proof or the reason why no run shows it, not both, and a row in docs/config.md; where the rules are said
// to be Q01 to the last, that is the last.
func TestEachRuleIsShownAndTold(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", path))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	doc := read("docs/config.md")
	for _, r := range lint.Rules {
		_, shown := recipes[r.ID]
		if _, told := reasons[r.ID]; shown == told {
			t.Errorf("%s: a proof: %v, a reason why there is none: %v; want one of them", r.ID, shown, told)
		}
		if !regexp.MustCompile(`(?m)^\| (Q\d\d, )*` + r.ID + `(, Q\d\d)* \| \S`).MatchString(doc) {
			t.Errorf("docs/config.md has no row of %s", r.ID)
		}
	}
	want := "Q01 to " + lint.Rules[len(lint.Rules)-1].ID
	for _, path := range []string{"ARCHITECTURE.md", "internal/config/lint/doc.go", "internal/cli/cli/devicecmd/lint.go"} {
		if !strings.Contains(read(path), want) {
			t.Errorf("%s does not say %s", path, want)
		}
	}
}
