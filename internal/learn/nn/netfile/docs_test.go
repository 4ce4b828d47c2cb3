package netfile

import (
	"flag"
	"os"
	"strings"
	"testing"

	"railyard/internal/learn/nn"
)

// docs/networks.md ends with the table of layers.
func TestDocumentation(t *testing.T) {
	const path, mark = "../../../../docs/networks.md", "-update -->\n\n"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, _, found := strings.Cut(string(b), mark)
	want := text + mark + nn.NetReference()
	if !found {
		t.Fatalf("%s: no line that ends with %q", path, mark)
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(b) != want {
		t.Errorf("%s is stale: go test ./internal/learn/nn/netfile -update", path)
	}
}
