package network

import (
	"fmt"
	"testing"

	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// built is the network of a scenario with its models of switches.
func built(sc *scenario.Scenario) (*topo.Graph, error) {
	g, err := Graph(sc, nil)
	if err != nil {
		return nil, err
	}
	return g, Model(sc, g)
}

// What makes no network is said where the file says it, all at once.
func TestDesignsThatMakeNoNetwork(t *testing.T) {
	const flow = "from: host1/gpu0, to: host2/gpu0, bytes: 1kB"
	for _, c := range []struct{ cluster, fabric, want string }{
		{"hosts: 6", "segment: 4, pods: 2", "test.yaml:2:19: fabric.segment: 6 hosts do not split into segments of 4, " +
			"want a multiple of that\ntest.yaml:2:28: fabric.pods: 1 segments do not split over 2 pods, want a multiple of that"},
		{"hosts: 4", "rails_per_leaf: 3",
			"test.yaml:2:26: fabric.rails_per_leaf: 8 rails do not split into 3 a leaf, want a number that divides 8"},
		{"hosts: 4", "planes: 2", "test.yaml:2:18: fabric.planes: 1 NICs of a rail for 2 planes, want a multiple of 2"},
		{"hosts: 6", "design: leaf-spine, leaves: 4",
			"test.yaml:2:38: fabric.leaves: 6 hosts do not split evenly over 4 leaves, want a multiple of 4 hosts"},
		{"hosts: 8", "design: leaf-spine, leaves: 8, spines: 4, spines_per_leaf: 2", "test.yaml:2:69: " +
			"fabric.spines_per_leaf: 2 spines per leaf: some of 8 leaves of a pod have no spine of 4 in common, want more"},
		{"hosts: 4", "segment: 2, pods: 2, superspines: 3, superspine_groups: 2", "test.yaml:2:66: " +
			"fabric.superspine_groups: 3 super-spines do not split into 2 groups, want a multiple of that"},
		{"hosts: 7", "design: dragonfly, dragonfly: {groups: 3, global: 3}", "test.yaml:1:18: cluster.hosts: 7 hosts do " +
			"not spread evenly over 3 x 2 routers, want a multiple of 6"},
		{"hosts: 3", "design: direct", "test.yaml:1:18: cluster.hosts: 3 hosts do not make pairs, want a multiple of 2"},
	} {
		_, err := built(plantest.Read(t, plantest.GPUs(c.cluster, c.fabric, flow)))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s; %s:\n got %v\nwant %s", c.cluster, c.fabric, err, c.want)
		}
	}
}

// The book's networks (chapter 13) as it draws them: a leaf has 6.4 Tb/s down and 3.2 Tb/s up. (The book says
// 3.2 down, which are ports of 100 Gb/s.)
func TestBookChapter13(t *testing.T) {
	for preset, want := range map[string]string{
		"book-segment": "4 hosts, 32 GPUs; 2 switches 12.8Tb/s down 0Tb/s up; ",
		"book-pod":     "8 hosts, 64 GPUs; 4 switches 25.6Tb/s down 12.8Tb/s up; 4 switches 12.8Tb/s down 0Tb/s up; ",
		"book-multi-pod": "16 hosts, 128 GPUs; 8 switches 51.2Tb/s down 25.6Tb/s up; " +
			"8 switches 25.6Tb/s down 25.6Tb/s up; 4 switches 25.6Tb/s down 0Tb/s up; ",
	} {
		sc := plantest.Read(t, "preset: "+preset+"\njob: {flows: [{from: host1/gpu0, to: host2/gpu7, bytes: 1kB}]}\n")
		g, err := built(sc)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d hosts, %d GPUs; ", len(g.Hosts), sc.GPUs())
		for _, tier := range g.Tiers() {
			got += fmt.Sprintf("%d switches %gTb/s down %gTb/s up; ", tier.Switches, float64(tier.Down)/1e12, float64(tier.Up)/1e12)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", preset, got, want)
		}
		if !inventory.Paired(g) { // figures 13-6 and 13-7: both ports of a NIC are on a pair of switches
			t.Errorf("%s: switches that share NICs are no pairs", preset)
		}
		for i := range g.NICs {
			if ports := len(g.NICs[i].Ports); ports != 2 {
				t.Errorf("%s: NIC %d has %d ports, want 2 x 200 Gb/s", preset, i, ports)
			}
		}
	}
}

// A network has no more cables, and no faster ones, than its switches have ports.
func TestSwitchesHaveSoManyPorts(t *testing.T) {
	const flow = "from: host1/gpu0, to: host2/gpu0, bytes: 1kB"
	const hint = "; another fabric.switch.model, fewer hosts a switch, or fabric.switch.breakout"
	for _, c := range []struct{ fabric, want string }{
		{"spines: 4, switch: {model: tomahawk3}", ""},
		{"spines: 5, switch: {model: tomahawk3}", "test.yaml:2:37: fabric.switch.model: rail1 needs 33 (and 7 more alike or " +
			"worse), want at most 32 ports" + hint},
		{"spines: 5, switch: {model: tomahawk3, ports: 33}", ""},
		{"spines: 8, switch: {model: tomahawk5}", ""},
		{"spines: 38, switch: {model: tomahawk5, breakout: 2}", ""},
		{"spines: 4, links: {parallel: 6}, switch: {ports: 32, port_rate: 800Gb/s, breakout: 2}", ""},
		{"spines: 2, links: {spine: 800Gb/s}, switch: {model: sn5600}", ""},
		{"spines: 2, links: {spine: 800Gb/s}, switch: {model: spectrum3}", "test.yaml:2:62: fabric.switch.model: " +
			"rail1 has a link of 800Gb/s (and 9 more alike or worse), want at most ports of 400Gb/s" + hint},
	} {
		_, err := built(plantest.Read(t, plantest.GPUs("hosts: 28", c.fabric, flow)))
		if got := fmt.Sprint(err); got != c.want && (c.want != "" || err != nil) {
			t.Errorf("%s:\n got %v\nwant %s", c.fabric, err, c.want)
		}
	}
}
