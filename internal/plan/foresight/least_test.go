package foresight

import (
	"testing"

	"railyard/internal/base/unit"
)

// Three flows of 1 MB into one link of 100 Gb/s, and two of one sender: 3 MB in packets of 4,096 B, each with 82 B of
// headers, preamble and gap.
func TestLeastTimeOfFlows(t *testing.T) {
	p := largePlan(t, `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
job:
  flows:
    - {from: host1/gpu0, to: host4/gpu0, bytes: 1MB}
    - {from: host2/gpu0, to: host4/gpu0, bytes: 1MB, start: 5us}
    - {from: host3/gpu0, to: host4/gpu0, bytes: 1MB}
    - {from: host3/gpu0, to: host1/gpu0, bytes: 1MB}
background: {flows: [{from: host1/gpu0, to: host4/gpu0, bytes: 9MB}]}
`)
	l, bound := LeastOf(p, 0)
	const packets = 245 // of each flow
	want := unit.Bytes(3 * (1_000_000 + packets*82))
	at := p.Graph.Ports[l.Port]
	if !bound || l.Bytes != want || l.Flows != 3 || p.Graph.Nodes[at.To].Name != "host4" || l.Time != at.Rate.TransmitTime(want) {
		t.Errorf("%+v, %v; want %s of three flows into host4", l, bound, want)
	}
}
