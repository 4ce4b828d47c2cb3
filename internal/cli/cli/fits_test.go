package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"railyard/internal/cli/cli/call"
)

// What check says of a scenario fits the terminal, problems and all: no line is broken in mid-word. Into a file a problem is
// one line.
func TestProblemsFitTheTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.yaml")
	const text = "cluster: {hosts: 4, host: {gpus: 1}}\nfabric: {design: fat-tree, leafs: 2}\n" +
		"job: {flows: [{from: host1/gpu0, to: host9/gpu0, bytes: 1MB}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, columns := range []int{60, 80, 0} {
		var out bytes.Buffer
		a := quiet(t)
		a.Stdout = &out
		if columns > 0 {
			a.OutTerm = call.Terminal{Width: func() int { return columns }}
		}
		if code := a.execute([]string{"check", file}); code != call.Failed {
			t.Errorf("exit code %d", code)
		}
		widest := 0
		for line := range strings.Lines(strings.ReplaceAll(out.String(), file, "x.yaml")) {
			if strings.Contains(line, " | ") {
				continue // a line of the file is shown as it stands, cut at 80
			}
			widest = max(widest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
		}
		if columns > 0 && widest > columns || columns == 0 && widest < 100 {
			t.Errorf("%d columns: a line of %d\n%s", columns, widest, out.String())
		}
	}
}
