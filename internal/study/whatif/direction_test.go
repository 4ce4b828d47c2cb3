package whatif

import (
	"strings"
	"testing"
)

// TestARowChangesOneDirection: acknowledgements wait behind others' flows to their receiver's NIC. That port has a row, of its own
// direction; the other direction of the cable, by which the data leave, saves next to nothing.
func TestARowChangesOneDirection(t *testing.T) {
	const text = `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
congestion: {algorithm: none}
transport: {window: 100kB}
job: {flows: [{from: host1/nic0, to: host2/nic0, bytes: 2MB}]}
background: {flows: [{from: host3/nic0, to: host1/nic0, bytes: 6MB}, {from: host4/nic0, to: host1/nic0, bytes: 6MB}]}
`
	other := Setting("fabric.links.named[0]", "{link: rail1/host1, rate: 1Tb/s, sender: host1}")
	found := ask(t, began(t, text), Options{Extra: []Cut{other}})
	c := found.change("with rail1/host1 at 1Tb/s")
	if len(c.Set) != 1 || !strings.Contains(c.Set[0].Value, "sender: rail1") {
		t.Fatalf("changes %+v", c.Set)
	}
	if c.Part == nil || *c.Part < 0.2 {
		t.Errorf("%s saves %v", c.Name, c.Part)
	}
	if c := found.change(other.Name); c.Part == nil || *c.Part > 0.05 {
		t.Errorf("%s saves %v", c.Name, c.Part)
	}
}
