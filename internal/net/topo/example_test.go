package topo_test

import (
	"fmt"
	"os"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// The cluster of the first example scenario: 2 hosts with 4 GPUs and 4 NICs each,
// four rail switches, two spines.
var small = topo.RailOptimized{
	Hosts: 2, GPUs: 4, NICs: 4, Spines: 2,
	HostLink:  topo.Cable{Rate: 200 * unit.GigabitPerSec, Length: 20 * unit.Metre},
	SpineLink: topo.Cable{Rate: 400 * unit.GigabitPerSec, Length: 30 * unit.Metre},
}

func ExampleRailOptimized() {
	g, _ := small.Graph()
	g.WriteText(os.Stdout)
	// Output:
	// 2 hosts, 8 GPUs, 8 NICs, 4 leaves, 2 spines, 16 links
	// tier 1: 4 switches, 1.6Tb/s down, 3.2Tb/s up, oversubscription 1/2
	// tier 2: 2 switches, 3.2Tb/s down
	// bisection: 800Gb/s each way
	//
	// host1: 4 GPUs
	//   host1/rail1  200Gb/s  100ns  20m  nic0 rail 1 gpu0
	//   host1/rail2  200Gb/s  100ns  20m  nic1 rail 2 gpu1
	//   host1/rail3  200Gb/s  100ns  20m  nic2 rail 3 gpu2
	//   host1/rail4  200Gb/s  100ns  20m  nic3 rail 4 gpu3
	//
	// host2: 4 GPUs
	//   host2/rail1  200Gb/s  100ns  20m  nic0 rail 1 gpu0
	//   host2/rail2  200Gb/s  100ns  20m  nic1 rail 2 gpu1
	//   host2/rail3  200Gb/s  100ns  20m  nic2 rail 3 gpu2
	//   host2/rail4  200Gb/s  100ns  20m  nic3 rail 4 gpu3
	//
	// rail1: leaf
	//   rail1/host1   200Gb/s  100ns  20m  nic0 rail 1 gpu0
	//   rail1/host2   200Gb/s  100ns  20m  nic0 rail 1 gpu0
	//   rail1/spine1  400Gb/s  150ns  30m
	//   rail1/spine2  400Gb/s  150ns  30m
	//
	// rail2: leaf
	//   rail2/host1   200Gb/s  100ns  20m  nic1 rail 2 gpu1
	//   rail2/host2   200Gb/s  100ns  20m  nic1 rail 2 gpu1
	//   rail2/spine1  400Gb/s  150ns  30m
	//   rail2/spine2  400Gb/s  150ns  30m
	//
	// rail3: leaf
	//   rail3/host1   200Gb/s  100ns  20m  nic2 rail 3 gpu2
	//   rail3/host2   200Gb/s  100ns  20m  nic2 rail 3 gpu2
	//   rail3/spine1  400Gb/s  150ns  30m
	//   rail3/spine2  400Gb/s  150ns  30m
	//
	// rail4: leaf
	//   rail4/host1   200Gb/s  100ns  20m  nic3 rail 4 gpu3
	//   rail4/host2   200Gb/s  100ns  20m  nic3 rail 4 gpu3
	//   rail4/spine1  400Gb/s  150ns  30m
	//   rail4/spine2  400Gb/s  150ns  30m
	//
	// spine1: spine
	//   spine1/rail1  400Gb/s  150ns  30m
	//   spine1/rail2  400Gb/s  150ns  30m
	//   spine1/rail3  400Gb/s  150ns  30m
	//   spine1/rail4  400Gb/s  150ns  30m
	//
	// spine2: spine
	//   spine2/rail1  400Gb/s  150ns  30m
	//   spine2/rail2  400Gb/s  150ns  30m
	//   spine2/rail3  400Gb/s  150ns  30m
	//   spine2/rail4  400Gb/s  150ns  30m
}

// With several NICs per host, the links to a single switch are parallel.
func ExampleSingleSwitch() {
	g, _ := topo.SingleSwitch{Hosts: 2, GPUs: 4, NICs: 2, HostLink: small.HostLink}.Graph()
	g.WriteText(os.Stdout)
	// Output:
	// 2 hosts, 8 GPUs, 4 NICs, 1 leaf, 4 links
	// tier 1: 1 switch, 800Gb/s down
	// bisection: 400Gb/s each way
	//
	// host1: 4 GPUs
	//   host1/rail1#1  200Gb/s  100ns  20m  nic0 rail 1 gpu0
	//   host1/rail1#2  200Gb/s  100ns  20m  nic1 rail 2 gpu2
	//
	// host2: 4 GPUs
	//   host2/rail1#1  200Gb/s  100ns  20m  nic0 rail 1 gpu0
	//   host2/rail1#2  200Gb/s  100ns  20m  nic1 rail 2 gpu2
	//
	// rail1: leaf
	//   rail1/host1#1  200Gb/s  100ns  20m  nic0 rail 1 gpu0
	//   rail1/host1#2  200Gb/s  100ns  20m  nic1 rail 2 gpu2
	//   rail1/host2#1  200Gb/s  100ns  20m  nic0 rail 1 gpu0
	//   rail1/host2#2  200Gb/s  100ns  20m  nic1 rail 2 gpu2
}

func ExampleRoutes_Path() {
	p := small
	p.Parallel = 2
	g, _ := p.Graph()
	routes, names := topo.NewRoutes(g), g.Names()
	show := func(from, to string) {
		_, _, a, _ := names.Endpoint(from)
		_, _, b, _ := names.Endpoint(to)
		path, err := routes.Path(a, b, func(sw topo.NodeID, n int) int {
			fmt.Printf("%s chooses among %d\n", g.Nodes[sw].Name, n)
			return n - 1
		})
		fmt.Println(portNames(g, path), err)
	}
	show("host1/gpu0", "host2/gpu0") // same rail: one switch
	show("host1/gpu0", "host2/gpu3") // other rail: rail, spine, rail
	show("host1/gpu0", "host1/nic1") // even within a host, hosts do not forward
	// Output:
	// host1/rail1 rail1/host2 <nil>
	// rail1 chooses among 4
	// spine2 chooses among 2
	// host1/rail1 rail1/spine2#2 spine2/rail4#2 rail4/host2 <nil>
	// rail1 chooses among 4
	// spine2 chooses among 2
	// host1/rail1 rail1/spine2#2 spine2/rail2#2 rail2/host1 <nil>
}

// A Builder makes any graph: here one leaf whose host has one card, without GPUs.
func ExampleBuilder() {
	b := topo.NewBuilder()
	storage := b.AddHost("storage1", 0)
	gpu := b.AddHost("host1", 8)
	leaf := b.AddSwitch("leaf1", topo.Leaf)
	b.Connect(storage, leaf, topo.Cable{Rate: 100 * unit.GigabitPerSec, Delay: unit.Microsecond})
	b.Connect(leaf, gpu, topo.Cable{Rate: 100 * unit.GigabitPerSec, Length: 2 * unit.Metre})
	g, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	path, _ := topo.NewRoutes(g).Path(0, 1, nil)
	fmt.Println(portNames(g, path), g.Ports[path[0]].Delay, g.Ports[path[1]].Delay)
	// Output: storage1/leaf1 leaf1/host1 1us 10ns
}

func portNames(g *topo.Graph, ports []topo.PortID) string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = g.Ports[p].Name
	}
	return strings.Join(names, " ")
}
