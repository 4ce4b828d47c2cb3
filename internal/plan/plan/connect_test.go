package plan

import (
	"testing"

	"railyard/internal/plan/plan/plantest"
)

// There is room for the connections of a group before they are made, and hardly more: lists that grow with each of
// hundreds of thousands leave several times themselves behind.
func TestConnectionsHaveRoomAtOnce(t *testing.T) {
	const text = `
name: room
cluster: {hosts: 4, host: {gpus: 8}, nic: {speed: 400Gb/s}}
fabric: {design: rail-optimized}
job: {collectives: [{op: all-to-all, algorithm: auto, bytes: 1MiB, iterations: 1, warmup: 0}]}
`
	p, err := New(plantest.Read(t, text), Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	links := p.Jobs[0].Links
	if n := len(links); n < 32*31 || cap(links) > n+n/16 {
		t.Errorf("%d connections have room for %d", n, cap(links))
	}
	if n := len(p.Pairs); n < 32*24 || cap(p.Pairs) > n+n/16 {
		t.Errorf("%d queue pairs have room for %d", n, cap(p.Pairs))
	}
}
