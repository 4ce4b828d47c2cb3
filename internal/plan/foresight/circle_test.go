package foresight

import (
	"strings"
	"testing"
)

// Two spines with AS numbers of their own pass on each other's routes: after two failures ways go down and up
// again, and buffers may wait for each other. With one AS for both there are none.
func TestCircle(t *testing.T) {
	for as, want := range map[string]string{"unique": "without ", "shared": ""} {
		p := planned(t, "fabric: {design: leaf-spine, leaves: 4, spines: 2, routing: {protocol: ebgp, spine_as: "+as+"}}\n"+
			"cluster: {hosts: 4, host: {gpus: 1}}\njob: {flows: [{from: host1/nic0, to: host2/nic0, bytes: 1kB}]}\n")
		got := Circle(p)
		if (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", as, got)
		}
	}
}
