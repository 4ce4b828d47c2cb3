package plan

import (
	"fmt"
	"railyard/internal/plan/plan/plantest"
	"strings"
	"testing"
)

// chain is the topology of so many switches in a row, all hosts but the last on the first of them.
func chain(hosts, switches int) []byte {
	text := ""
	for i := range hosts {
		text += fmt.Sprintf("host host%d\n", i+1)
	}
	for i := range switches {
		text += fmt.Sprintf("switch leaf%d\n", i+1)
	}
	for i := 1; i < hosts; i++ {
		text += fmt.Sprintf("link host%d leaf1 100Gb/s 1us\n", i)
	}
	for i := 1; i < switches; i++ {
		text += fmt.Sprintf("link leaf%d leaf%d 100Gb/s 1us\n", i, i+1)
	}
	return []byte(text + fmt.Sprintf("link host%d leaf%d 100Gb/s 1us\n", hosts, switches))
}

// TestPathTooLong: a chain of switches is a path that the fabric can follow up to a bound, and an
// error beyond it.
func TestPathTooLong(t *testing.T) {
	const yaml = `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: custom, topology: chain.txt}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}
`
	for _, c := range []struct {
		switches int
		want     string
	}{{15, ""}, {16, "17 links on its path"}} {
		p, err := New(plantest.Read(t, yaml), Files{Topology: chain(2, c.switches)}, nil)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d switches: %v, want %q", c.switches, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := len(p.Pairs[0].Path); got != c.switches+1 {
			t.Errorf("%d links, want %d", got, c.switches+1)
		}
	}
}
