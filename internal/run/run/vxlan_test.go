package run

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/plan/plan"
)

// overlay is a flow of 100 packets over leaf1, a spine and leaf2, and another that stays on leaf1.
func overlay(encapsulation, more string) string {
	return `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 2, spines: 1, encapsulation: ` + encapsulation + more + `}
transport: {mtu: 4096B}
congestion: {algorithm: none}
job:
  flows:
    - {from: host1/gpu0, to: host3/gpu0, bytes: 409600B}
    - {from: host2/gpu0, to: host1/gpu0, bytes: 409600B, start: 1ms}
`
}

// A frame has 50 bytes more on each link between switches, data and acknowledgements alike, and none on the links
// of hosts, nor where it stays on its leaf.
func TestVXLANTakesItsBytesBetweenLeaves(t *testing.T) {
	plain, vxlan := run(t, overlay("ethernet", ""), Options{}), run(t, overlay("vxlan", ""), Options{})
	type sent struct {
		frames int64
		bytes  unit.Bytes
	}
	links := func(r ran) map[string]sent {
		all := map[string]sent{}
		for _, l := range rows(t, r.Run.Links()) {
			all[l.Port] = sent{l.TxPackets, l.TxBytes}
		}
		return all
	}
	a, b, more := links(plain), links(vxlan), 0
	for port, want := range a {
		extra := unit.Bytes(0)
		if !strings.Contains(port, "host") {
			extra = 50 * unit.Bytes(want.frames)
			more += int(want.frames)
		}
		if got := b[port]; got.frames != want.frames || got.bytes != want.bytes+extra {
			t.Errorf("%s sent %d frames of %v, and with VXLAN %d of %v: want %v more", port, want.frames, want.bytes, got.frames,
				got.bytes, extra)
		}
	}
	if more < 200 {
		t.Errorf("%d frames between switches, want at least 200", more)
	}
	flows := [2][]unit.Duration{}
	for i, r := range []ran{plain, vxlan} {
		for _, f := range rows(t, r.Run.Flows()) {
			split := f.Causes.Split()
			if flows[i] = append(flows[i], f.FCT); split.Sum() != f.FCT {
				t.Errorf("%s: causes sum to %v of %v", f.Name, split.Sum(), f.FCT)
			}
		}
	}
	// leaf1's uplink sends 50 bytes more of each of 100 packets, then the spine of the last one. Without them packets
	// still wait at the last link for the 12 bytes by which the first one, with RETH, is longer than the last.
	if d, want := flows[1][0]-flows[0][0], 101*4*unit.Nanosecond-960*unit.Picosecond; d != want || flows[0][1] != flows[1][1] {
		t.Errorf("the flow over the spine takes %v longer, want %v; that on one leaf %v, before %v", d, want, flows[1][1], flows[0][1])
	}
}

// What a spine marks is marked in what the host gets: ECN is copied back from the outer header.
func TestVXLANCopiesMarks(t *testing.T) {
	const marked = ", switch: {buffer: 4MB}, qos: {ecn: {min: 10kB, max: 20kB}}, links: {spine: 50Gb/s}"
	if r := run(t, overlay("vxlan", marked), Options{}); r.ECNMarks == 0 {
		t.Error("no marks")
	}
}

// The largest frame needs room for the headers around it.
func TestVXLANWantsMTU(t *testing.T) {
	const want = "a frame of 4178B has 50B more between leaves, want at least 4228B"
	for mtu, ok := range map[int]bool{4096 + 82 + 50: true, 4096 + 82 + 49: false} {
		sc := read(t, overlay("vxlan", fmt.Sprintf(", mtu: %dB", mtu)))
		_, err := plan.New(sc, plan.Files{}, nil)
		if ok != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("mtu %d: %v", mtu, err)
		}
	}
}

// Spines see the addresses of leaves, and a source port that the first leaf drew from what it saw: flows between two
// leaves spread all the same.
func TestVXLANHashesOuterHeaders(t *testing.T) {
	yaml := `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: leaf-spine, leaves: 4, spines: 1, links: {parallel: 4}, hash: {seed: per-switch}, encapsulation: vxlan}
job:
  flows:
`
	for range 64 {
		yaml += "    - {from: host1/gpu0, to: host2/gpu0, bytes: 1kB}\n"
	}
	p, err := plan.New(read(t, yaml), plan.Files{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var up, down [4]int
	index := func(name string) int { return int(name[len(name)-1] - '1') }
	for i := range p.Pairs {
		path := p.Pairs[i].Path
		up[index(p.Graph.Ports[path[1]].Name)]++
		down[index(p.Graph.Ports[path[2]].Name)]++
	}
	for k := range 4 {
		if up[k] < 6 || down[k] < 6 {
			t.Errorf("64 flows: %v up and %v down, want about 16 each", up, down)
		}
	}
}
