//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestACommandStartsLightly: what packages of ours work out before main begins every command pays for. What takes
// megabytes of memory takes milliseconds, and belongs where it is needed.
func TestACommandStartsLightly(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var trace bytes.Buffer
	c := exec.Command(self)
	c.Args = []string{"railyard", "version"}
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	c.Stderr = &trace
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	ours := 0
	for line := range strings.SplitSeq(trace.String(), "\n") {
		var name string
		var at, took float64
		var size, allocs int
		_, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &took, &size, &allocs)
		if err != nil || !strings.HasPrefix(name, "railyard/") {
			continue
		}
		if ours++; size > 2e6 {
			t.Errorf("%s takes %d bytes before main begins", name, size)
		}
	}
	if ours < 10 {
		t.Errorf("%d of our packages in\n%s", ours, trace.String())
	}
}
