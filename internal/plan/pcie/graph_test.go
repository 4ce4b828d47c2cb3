package pcie_test

import (
	"os"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/board"
	"railyard/internal/net/nccltopo"
	"railyard/internal/plan/pcie"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
)

// graphed plans two hosts of four GPUs of a preset, with more keys of a host and of its NICs.
func graphed(t *testing.T, host, nic, rest string, file []byte) (*plan.Plan, error) {
	t.Helper()
	return plan.New(plantest.Graphed(t, host, nic, rest), plan.Files{HostGraph: file}, nil)
}

// show is a way in names.
func show(g *pcie.Graph, way []int32) string {
	var s []string
	for _, d := range way {
		s = append(s, g.Names[d])
	}
	return strings.Join(s, " ")
}

// Cards are the NICs nearest to their GPUs, in turn, and rates the board's unless set.
func TestHostGraph(t *testing.T) {
	for _, c := range []struct{ nic, gpu3, last string }{
		{"per_gpu: 1", "GPU3/PCIe2 PCIe2/CPU0 CPU0/PCIe1 PCIe1/NIC0", "GPU3/PCIe2 PCIe2/NIC3"},
		{"shared: true", "GPU3/PCIe2 PCIe2/CPU0 CPU0/PCIe1 PCIe1/NIC0", "GPU3/PCIe2 PCIe2/CPU0 CPU0/PCIe1 PCIe1/NIC0"},
		{"shared_by: 2", "GPU3/PCIe2 PCIe2/CPU0 CPU0/PCIe1 PCIe1/NIC0", "GPU3/PCIe2 PCIe2/NIC2"},
		{"ports: 2, bond: {mode: none}", "GPU3/PCIe2 PCIe2/CPU0 CPU0/PCIe1 PCIe1/NIC0", "GPU3/PCIe2 PCIe2/NIC3"},
	} {
		p, err := graphed(t, "graph: preset, links: [{link: PCIe2/CPU0, rate: 5GB/s}]", c.nic, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		g := p.PCIe.Graph
		ways := g.ToCard[3]
		if got := show(g, ways[0]); got != c.gpu3 {
			t.Errorf("%s: %s, want %s", c.nic, got, c.gpu3)
		}
		if got := show(g, ways[len(ways)-1]); got != c.last {
			t.Errorf("%s: the last card: %s, want %s", c.nic, got, c.last)
		}
		if got := show(g, g.FromMemory[2]); got != "CPU0/PCIe2 PCIe2/GPU2" {
			t.Error(got)
		}
		set, _ := g.Link("CPU0/PCIe2")
		other, _ := g.Link("CPU0/PCIe1")
		if g.Rates[set] != 40*unit.GigabitPerSec || g.Rates[other] != 252*unit.GigabitPerSec {
			t.Errorf("%v and %v", g.Rates[set], g.Rates[other])
		}
	}
}

// A file of NCCL: NICs have its names, PCIe links of unknown rate that of the scenario, and the link between the sockets
// what NCCL takes for the CPU.
func TestHostGraphOfAFile(t *testing.T) {
	src, err := os.ReadFile("../../net/nccltopo/testdata/two-switches.xml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(src), `<cpu numaid="1" arch="x86_64"`, `<cpu numaid="1" arch="x86_64" vendor="AuthenticAMD"`)
	sc := "graph: dump.xml, links: [{link: PCIe3/GPU0, rate: 1GB/s}]"
	p, err := graphed(t, sc, "shared: true", "", []byte(text))
	if err == nil || !strings.Contains(err.Error(), "dump.xml: has 3 GPUs, and cluster.host.gpus is 4") {
		t.Fatalf("%v, %v", p, err)
	}
	text = strings.Replace(text, "<future", `<pci busid="z"><gpu dev="3"/></pci><future`, 1)
	if p, err = graphed(t, sc, "shared: true", "", []byte(text)); err != nil {
		t.Fatal(err)
	}
	g := p.PCIe.Graph
	if got := show(g, g.ToCard[2][0]); got != "GPU2/PCIe2 PCIe2/PCIe1 PCIe1/CPU1 CPU1/CPU0 CPU0/PCIe3 PCIe3/mlx5_0" {
		t.Error(got)
	}
	for name, want := range map[string]unit.Bitrate{"PCIe3/GPU0": 8, "PCIe3/GPU1": 252, "CPU0/CPU1": 128, "PCIe3/mlx5_0": 252} {
		if l, err := g.Link(name); err != nil || g.Rates[l] != want*unit.GigabitPerSec {
			t.Errorf("%s: %v, want %d Gb/s: %v", name, g.Rates[l], want, err)
		}
	}
	b, err := pcie.Board(p.Scenario, p.Files.HostGraph)
	if err != nil || b.Named("mlx5_0") < 0 || b.Parts[b.Named("mlx5_1")].Kind != board.NIC {
		t.Error(err)
	}
	if _, err := graphed(t, sc, "shared: true", "", []byte("<system><cpu numaid='x'/></system>")); err == nil ||
		!strings.Contains(err.Error(), "dump.xml:1:1: cpu: numaid x") {
		t.Error(err)
	}
	if _, err := nccltopo.Read("dump.xml", []byte(text)); err != nil {
		t.Error(err)
	}
}

// What a host has not is refused at its key.
func TestHostGraphRefuses(t *testing.T) {
	for _, c := range [][4]string{
		{"graph: preset", "per_gpu: 4", "", "cluster.host.graph: preset: has 8 NICs, and cluster.nic makes 16 of a host"},
		{"graph: preset, links: [{link: GPU0/GPU1, rate: 1GB/s}]", "", "", "cluster.host.links[0].link: GPU0/GPU1: no path inside a host"},
		{"graph: none", "", "faults: [{host: host1, pcie: 1GB/s, pcie_link: CPU0/PCIe1}]\n",
			"faults[0].pcie_link: CPU0/PCIe1: has no effect, cluster.host.graph is none"},
		{"graph: preset", "", "faults: [{host: host1, pcie: 1GB/s, pcie_link: CPU0/PCIe9}]\n",
			"faults[0].pcie_link: CPU0/PCIe9: no path inside a host takes such a link, want one of: PCIe1/GPU0, "},
		{"graph: preset", "", "faults: [{host: host1, pcie: 40GB/s, pcie_link: CPU0/PCIe1}]\n",
			"faults[0].pcie: 320Gb/s: no slower than CPU0/PCIe1, 252Gb/s"},
		{"graph: preset", "", "faults: [{host: host1, pcie: 40GB/s}]\n",
			"faults[0].pcie: 320Gb/s: no slower than the links of NICs in cluster.host.graph, 252Gb/s"},
	} {
		if _, err := graphed(t, c[0], c[1], c[2], nil); err == nil || !strings.Contains(err.Error(), c[3]) {
			t.Errorf("%s %s: %v, want %s", c[0], c[2], err, c[3])
		}
	}
}

// What cannot do GPUDirect RDMA sends through the memory of the GPU's CPU: a NIC of a file with gdr="0", and all of a host
// without peer memory.
func TestWaysByMemory(t *testing.T) {
	src, err := os.ReadFile("../../net/nccltopo/testdata/two-switches.xml")
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Replace(string(src), "<future", `<pci busid="z"><gpu dev="3"/></pci><future`, 1)
	const direct, through = "GPU0/PCIe3 PCIe3/mlx5_0", "GPU0/PCIe3 PCIe3/CPU0 CPU0/PCIe3 PCIe3/mlx5_0"
	for _, c := range []struct{ gdr, fault, way, staged string }{
		{"1", "", direct, ""}, {"0", "", through, ""}, {"1", "faults: [{host: host1, staged: true}]\n", direct, through},
	} {
		text := strings.Replace(whole, `<net name="mlx5_0"`, `<net name="mlx5_0" gdr="`+c.gdr+`"`, 1)
		p, err := graphed(t, "graph: dump.xml, pcie: 25GB/s", "shared: true", c.fault, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		g, staged := p.PCIe.Graph, ""
		if g.Staged != nil {
			staged = show(g, g.Staged[0][0])
		}
		if got := show(g, g.ToCard[0][0]); got != c.way || staged != c.staged {
			t.Errorf("%+v: %s; staged %s", c, got, staged)
		}
	}
}
