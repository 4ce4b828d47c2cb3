package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// python is Debian's, with what the notebook imports.
func python(t *testing.T) string {
	t.Helper()
	const program = "/usr/bin/python3"
	if out, err := exec.Command(program, "-c", "import pandas, matplotlib").CombinedOutput(); err != nil {
		if os.Getenv("RAILYARD_PYTHON") == "required" {
			t.Fatalf("%s: %v\n%s", program, err, out)
		}
		t.Skipf("no Python with pandas and matplotlib: %v", err)
	}
	return program
}

// The notebook's cells run one after another, and what they assert holds: causes sum to completion times.
func TestNotebook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "notebook.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var book struct {
		Format int `json:"nbformat"`
		Cells  []struct {
			Type    string   `json:"cell_type"`
			Source  []string `json:"source"`
			Outputs []any    `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(text, &book); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	cells := 0
	for _, c := range book.Cells {
		if len(c.Outputs) > 0 {
			t.Error("a cell is kept with what it printed, which goes stale")
		}
		if c.Type == "code" {
			cells++
			script.WriteString(strings.Join(c.Source, "") + "\n")
		}
	}
	if book.Format != 4 || cells < 4 {
		t.Fatalf("format %d, %d cells", book.Format, cells)
	}
	program := python(t)
	railyard, err := exec.LookPath("railyard")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-")
	cmd.Dir = filepath.Join("..", "..", "..", "examples")
	cmd.Stdin = strings.NewReader(script.String() + "print('rows', len(table))\n")
	cmd.Env = append(os.Environ(), "RAILYARD="+railyard, "RAILYARD_RUNS="+t.TempDir(), "MPLBACKEND=Agg", "MPLCONFIGDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "rows 3\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
