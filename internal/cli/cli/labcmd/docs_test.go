//go:build unix

package labcmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"railyard/internal/cli/cli/clitest"
)

// railyard docs writes the site into a new folder, and into no other.
func TestDocsAreWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "manual")
	clitest.Printed(t, "docs", "--html", dir)
	for _, name := range []string{"index.html", "search.html", "format/tables.html", "examples/incast.yaml.html",
		"pictures/report-dark.png"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if exec.Command("railyard", "docs", "--html", dir).Run() == nil {
		t.Error("a folder that holds something is written over")
	}
}
