package plan

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/board"
	"railyard/internal/net/nccltopo"
	"railyard/internal/plan/plan/plantest"
)

// NCCL's model is told what links inside a host leave each NIC and whose processors they are; without a graph neither.
func TestNCCLHost(t *testing.T) {
	b := board.Presets["hgx-a100"]()
	for _, cpu := range b.Of(board.CPU) {
		b.Parts[cpu].Model = "arch=x86_64 vendor=AuthenticAMD familyid=143 modelid=49"
	}
	file, err := nccltopo.Write(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		host string
		want NCCLHost
	}{
		{"graph: none", NCCLHost{}},
		{"graph: preset", NCCLHost{PCIe: 252 * unit.GigabitPerSec}},
		{"graph: preset, links: [{link: PCIe1/NIC0, rate: 5GB/s}]", NCCLHost{PCIe: 40 * unit.GigabitPerSec}},
		{"graph: amd.xml", NCCLHost{PCIe: 252 * unit.GigabitPerSec, AMD: true}},
	} {
		p, err := New(plantest.Graphed(t, c.host, "per_gpu: 1", ""), Files{HostGraph: file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p.NCCLHost() != c.want {
			t.Errorf("%s: %+v, want %+v", c.host, p.NCCLHost(), c.want)
		}
	}
}
