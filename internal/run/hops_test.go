package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPathTooLong: a chain of switches is a path that the fabric can follow up to a bound, and an error beyond it.
func TestPathTooLong(t *testing.T) {
	for _, c := range []struct {
		switches int
		want     string
	}{{15, ""}, {16, "17 links on its path"}} {
		text := "host host1\nhost host2\n"
		for i := range c.switches {
			text += fmt.Sprintf("switch leaf%d\n", i+1)
		}
		text += "link host1 leaf1 100Gb/s 1us\n"
		for i := 1; i < c.switches; i++ {
			text += fmt.Sprintf("link leaf%d leaf%d 100Gb/s 1us\n", i, i+1)
		}
		text += fmt.Sprintf("link host2 leaf%d 100Gb/s 1us\n", c.switches)
		file := filepath.Join(t.TempDir(), "chain.txt")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		yaml := fmt.Sprintf("cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}\nfabric: {design: custom, topology: %q}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\n", file)
		plan, err := NewPlan(read(t, yaml))
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d switches: %v, want %q", c.switches, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := len(plan.Pairs[0].Path); got != c.switches+1 {
			t.Errorf("%d links, want %d", got, c.switches+1)
		}
	}
}
