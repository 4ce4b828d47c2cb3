package foresight

import (
	"os"
	"strings"
	"testing"

	"railyard/internal/plan"
	"railyard/internal/plan/plantest"
)

// What cannot do GPUDirect RDMA by NCCL's file is said of the NIC that cannot.
func TestWithoutGPUDirectIsSaid(t *testing.T) {
	src, err := os.ReadFile("../nccltopo/testdata/two-switches.xml")
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Replace(string(src), "<future", `<pci busid="z"><gpu dev="3"/></pci><future`, 1)
	for _, gdr := range []string{"1", "0"} {
		text := strings.Replace(whole, `<net name="mlx5_0"`, `<net name="mlx5_0" gdr="`+gdr+`"`, 1)
		p, err := plan.New(plantest.Graphed(t, "graph: dump.xml, pcie: 25GB/s", "shared: true", ""),
			plan.Files{HostGraph: []byte(text)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, f := range withoutGPUDirect(p) {
			said += f.Message
		}
		if strings.Contains(said, `gdr="0" of mlx5_0:`) != (gdr == "0") {
			t.Errorf("gdr %s: %q", gdr, said)
		}
	}
}

// Which GPUs NVLink does not join is said with what they send over PCIe instead; of NVSwitches nothing.
func TestWithoutNVLinkIsSaid(t *testing.T) {
	src, err := os.ReadFile("../nccltopo/testdata/two-switches.xml")
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Replace(string(src), "<future", `<pci busid="z"><gpu dev="3"/></pci><future`, 1)
	for graph, want := range map[string]string{"dump.xml": "those that it does not join send each other over PCIe, ", "preset": ""} {
		p, err := plan.New(plantest.Graphed(t, "graph: "+graph+", pcie: 25GB/s", "shared: true", ""),
			plan.Files{HostGraph: []byte(whole)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, f := range withoutNVLink(p) {
			said += f.Message
		}
		if !strings.Contains(said, want) || (said == "") != (want == "") {
			t.Errorf("%s: %q", graph, said)
		}
	}
}
