package scenario_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/scenario/scenariotest"
)

// updating reports whether expected outputs are to be written anew: the flag is scripttest's.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// Each file in testdata holds cases: a scenario, a line ----, what Parse says of it,
// and a line ==== before the next case. A line "# render" asks for carets.
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	cases := 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, c := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n====\n") {
				cases++
				src, want, ok := strings.Cut(c, "\n----")
				if !ok {
					t.Fatalf("case without ----:\n%s", c)
				}
				got := diagnose(scenariotest.Unescape(src))
				if want = strings.TrimPrefix(want, "\n"); got != want && !updating() {
					t.Errorf("scenario:\n%s\ngot:\n%s\nwant:\n%s", src, got, want)
				}
				out = append(out, src+"\n----\n"+got)
			}
			if updating() {
				if err := os.WriteFile(file, []byte(strings.Join(out, "\n====\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if cases < 25 {
		t.Errorf("%d cases, want at least 25", cases)
	}
}

func diagnose(src string) string {
	s, err := scenario.Parse("job.yaml", []byte(src))
	switch ps, ok := err.(located.Problems); {
	case ok && strings.HasPrefix(src, "# render"):
		var b strings.Builder
		ps.Render(&b, []byte(src))
		return strings.TrimSuffix(b.String(), "\n")
	case err != nil:
		return err.Error()
	}
	lines := []string{"ok"}
	for _, f := range s.Findings() {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}
