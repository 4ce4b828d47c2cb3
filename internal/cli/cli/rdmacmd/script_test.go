//go:build unix

package rdmacmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"railyard/internal/cli/cli"
	"railyard/internal/cli/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, cli.Main, cli.With) }

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata/script") }

// Scripts run beside each other, and servers of all of them listen on one
// port: an address of a server belongs to one script, else the client of
// another may find it.
func TestScriptsShareNoServer(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	server := regexp.MustCompile(`127\.0\.45\.\d+`)
	of := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range server.FindAllString(strings.ReplaceAll(string(text), `\`, ""), -1) {
			if other := of[at]; other != "" && other != file {
				t.Errorf("%s and %s both have %s", other, file, at)
			}
			of[at] = file
		}
	}
	if len(of) < 2 {
		t.Errorf("%d addresses", len(of))
	}
}
