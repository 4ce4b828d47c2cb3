package foresight

import (
	"os"
	"strings"
	"testing"

	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
)

// What cannot do GPUDirect RDMA by NCCL's file is said of the NIC that cannot.
func TestWithoutGPUDirectIsSaid(t *testing.T) {
	src, err := os.ReadFile("../../net/nccltopo/testdata/two-switches.xml")
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
	src, err := os.ReadFile("../../net/nccltopo/testdata/two-switches.xml")
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

// A message between GPUs that no NVLink joins is forecast over PCIe, one between others over NVLink.
func TestMessagesWithoutNVLink(t *testing.T) {
	src, err := os.ReadFile("../../net/nccltopo/testdata/two-switches.xml")
	if err != nil {
		t.Fatal(err)
	}
	sc := plantest.Read(t, `cluster: {hosts: 1, host: {preset: hgx-a100, gpus: 3, graph: dump.xml, pcie: 25GB/s}, nic: {shared: true}}
job: {collectives: [{op: all-to-all, bytes: 1MB, algorithm: direct, protocol: none, channels: 1}]}
`)
	whole := strings.Replace(string(src), `<nvlink target="0000:08:00.0"/>`, "", 1) // GPU 1 has none
	p, err := plan.New(sc, plan.Files{HostGraph: []byte(whole)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	j, seen := &p.Jobs[0], map[bool]bool{}
	for i := range j.Links {
		l := &j.Links[i]
		over := l.Src == 1 || l.Dst == 1
		latency, rate := sc.Cluster.Host.NVLinkLatency, sc.Cluster.Host.NVLinkRate()
		if over {
			latency, rate = sc.Cluster.Host.PCIeLatency, p.NCCLHost().Peers
		}
		want := latency + rate.TransmitTime(1_000_000) + j.Work.Programs[0].Device.ReduceTime(1_000_000)
		if got := messageTime(p, j, l, 1_000_000, nil); got != want {
			t.Errorf("from %d to %d: %v, want %v", l.Src, l.Dst, got, want)
		}
		seen[over] = true
	}
	if !seen[true] || !seen[false] {
		t.Errorf("%d links, want some over PCIe and some over NVLink", len(j.Links))
	}
}
