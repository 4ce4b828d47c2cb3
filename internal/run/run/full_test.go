package run

import (
	"testing"

	"railyard/internal/out/result"
)

// Packets that a receiver's reorder buffer had no room for are in the tables of losses and events, as many as run.json
// counts, at the link by which they came.
func TestFullReorderBufferIsTold(t *testing.T) {
	const yaml = `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 2
  links: {spine: 100Gb/s, named: [{link: leaf1/spine2, length: 1km}]}
  balance: spray
  spray: {pick: round-robin}
congestion: {algorithm: none}
transport: {receiver: buffered, reorder_buffer: 4}
output: {events: true}
job: {flows: [{from: host1/nic0, to: host2/nic0, bytes: 300kB}]}
`
	r := run(t, yaml, Options{})
	lost, told := int64(0), int64(0)
	for l, err := range r.Run.Losses() {
		if err != nil {
			t.Fatal(err)
		}
		if l.Why == result.LostInNIC && l.Port == "leaf2/host2" && l.Kind == "data" {
			lost++
		}
	}
	for e, err := range r.Run.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Why == result.LostInNIC && e.Port == "leaf2/host2" {
			told++
		}
	}
	if lost == 0 || lost != r.Reordering.Dropped || told != lost {
		t.Errorf("%d losses and %d events, want as many as run.json's reordering counts: %+v", lost, told, r.Reordering)
	}
	other := run(t, yaml, Options{Islands: 4, Workers: 2})
	if digestOf(t, other.path) != digestOf(t, r.path) {
		t.Error(firstDifference(t, other.path, r.path))
	}
}
