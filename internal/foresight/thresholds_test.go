package foresight

import (
	"testing"

	"railyard/internal/plan"
	"railyard/internal/plan/plantest"
	"railyard/internal/unit"
)

// Headroom is by the rate and the cable of each link, as its entries have them.
func TestHeadroomOfLinksThatDiffer(t *testing.T) {
	const yaml = `
cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric:
  design: leaf-spine
  leaves: 2
  spines: 3
  balance: wcmp
  links: {named: [{link: 'leaf?/spine*', rate: 400Gb/s, length: 50m}, {link: 'spine2/*', rate: 200Gb/s}, {link: leaf1/spine3, delay: 9us}]}
job: {flows: [{from: host1/gpu0, to: host5/gpu0, bytes: 1MB}]}
`
	p, err := plan.New(plantest.Read(t, yaml), plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := Thresholds(p)
	if err != nil {
		t.Fatal(err)
	}
	headrooms := map[unit.Bytes]bool{}
	for _, r := range rows {
		headrooms[r.PFC.Headroom] = true
	}
	if len(headrooms) != 4 { // 100, 200, 400 Gb/s, and 400 over the long cable
		t.Errorf("headrooms %v", headrooms)
	}
}
