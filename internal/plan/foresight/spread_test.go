package foresight

import (
	"math"
	"slices"
	"testing"

	"railyard/internal/net/topo"
)

// eight is a source leaf with eight senders at 100 Gb/s, four spines at 200 Gb/s, a destination leaf.
const eight = `name: elephants
cluster: {hosts: 16, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 4, links: {spine: 200Gb/s}}
job:
  flows:
    - {from: host1/nic0, to: host9/nic0, bytes: 1MB}
    - {from: host2/nic0, to: host10/nic0, bytes: 1MB}
    - {from: host3/nic0, to: host11/nic0, bytes: 1MB}
    - {from: host4/nic0, to: host12/nic0, bytes: 1MB}
    - {from: host5/nic0, to: host13/nic0, bytes: 1MB}
    - {from: host6/nic0, to: host14/nic0, bytes: 1MB}
    - {from: host7/nic0, to: host15/nic0, bytes: 1MB}
    - {from: host8/nic0, to: host16/nic0, bytes: 1MB}
`

// What a spread says of a queue pair is the path that it has in a run.
func TestSpreadIsWhatPathsAre(t *testing.T) {
	p := planned(t, eight)
	s := SpreadOf(p)
	if len(s.Pairs) != 8 {
		t.Fatalf("%d queue pairs, want 8", len(s.Pairs))
	}
	on := map[topo.PortID]int{}
	for _, l := range s.Pairs {
		if len(l.Choices) != 1 {
			t.Fatalf("%d choices, want that of the leaf", len(l.Choices))
		}
		c := l.Choices[0]
		if path := p.Pairs[l.Pair].Path; !slices.Contains(path, c.Ports[c.Pick]) || c.Pick != int(c.Hash%4) {
			t.Errorf("%s: picked %s, but its path is %s", p.Pairs[l.Pair].Name, p.Graph.Ports[c.Ports[c.Pick]].Name,
				p.PathText(path))
		}
		on[c.Ports[c.Pick]]++
	}
	if len(s.Groups) != 1 {
		t.Fatalf("%d groups, want 1", len(s.Groups))
	}
	fullest := 0
	for i, port := range s.Groups[0].Ports {
		fullest = max(fullest, on[port])
		if n := s.Groups[0].Pairs[i]; n != on[port] || s.Groups[0].Load[i] != float64(n)/2 {
			t.Errorf("link %d: %d queue pairs, load %v, want %d and half as much", i, n, s.Groups[0].Load[i], on[port])
		}
	}
	if s.Fullest != float64(fullest)/2 || s.Slowest != min(1, 2/float64(fullest)) {
		t.Errorf("fullest %v, slowest %v with %d on one link", s.Fullest, s.Slowest, fullest)
	}
}

// Over many seeds a hash without structure gives what chance does: 77 % and 59 %. More queue pairs
// for each connection give more.
func TestSeedsGiveWhatChanceDoes(t *testing.T) {
	p := planned(t, eight)
	one, four := SpreadOverSeeds(p, 1, 4000), SpreadOverSeeds(p, 4, 500)
	if math.Abs(one.Mean.Carried-0.77) > 0.01 || math.Abs(one.Mean.Slowest-0.59) > 0.01 {
		t.Errorf("carried %.3f, slowest %.3f, want 0.77 and 0.59", one.Mean.Carried, one.Mean.Slowest)
	}
	if four.Mean.Carried < one.Mean.Carried+0.05 || four.Mean.Slowest < one.Mean.Slowest+0.05 || one.OneLoad {
		t.Errorf("four queue pairs: %+v, one: %+v", four, one)
	}
	p.Scenario.Fabric.Hash.Function = "crc16"
	if linear := SpreadOverSeeds(p, 1, 50); !linear.OneLoad {
		t.Errorf("crc16: loads change with the seed: %+v", linear)
	}
}

// Three flows to one host port: its share is their demand, so no hash can cost them anything.
func TestIncastIsNotTheHashesFault(t *testing.T) {
	p := planned(t, `name: figure
cluster: {hosts: 4, host: {gpus: 2}, nic: {speed: 200Gb/s}}
fabric: {spines: 2}
job:
  flows:
    - {from: host1/gpu0, to: host4/gpu1, bytes: 1MB}
    - {from: host2/gpu0, to: host4/gpu1, bytes: 1MB}
    - {from: host3/gpu0, to: host4/gpu1, bytes: 1MB}
`)
	if s := SpreadOverSeeds(p, 1, 200); s.Worst.Slowest != 1 || s.Worst.Fullest > 1+1e-9 {
		t.Errorf("%+v, want all of the demand in every case", s)
	}
}
