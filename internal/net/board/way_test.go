package board

import (
	"slices"
	"strings"
	"testing"
)

// show is a way in names.
func (b *Board) show(from, to string) string {
	names := b.LinkNames()
	var s []string
	for _, d := range b.Way(b.Named(from), b.Named(to)) {
		s = append(s, names[d])
	}
	return strings.Join(s, " ")
}

// Ways over PCIe of an HGX H100: by one switch, by two and a CPU, across the sockets; never by NVLink, a GPU or a NIC.
func TestWays(t *testing.T) {
	b := Presets["hgx-h100"]()
	for _, c := range [][3]string{
		{"GPU0", "NIC0", "GPU0/PCIe1 PCIe1/NIC0"},
		{"GPU0", "NIC2", "GPU0/PCIe1 PCIe1/CPU0 CPU0/PCIe2 PCIe2/NIC2"},
		{"GPU7", "NIC0", "GPU7/PCIe4 PCIe4/CPU1 CPU1/CPU0 CPU0/PCIe1 PCIe1/NIC0"},
		{"CPU0", "GPU1", "CPU0/PCIe1 PCIe1/GPU1"},
		{"GPU0", "GPU1", "GPU0/PCIe1 PCIe1/GPU1"},
		{"GPU0", "GPU0", ""},
		{"GPU0", "NVSwitch1", ""},
	} {
		if got := b.show(c[0], c[1]); got != c[2] {
			t.Errorf("%s to %s: %s, want %s", c[0], c[1], got, c[2])
		}
	}
	if got := Presets["gb200-nvl72"]().show("GPU0", "NIC0"); got != "GPU0/CPU0 CPU0/NIC0" {
		t.Errorf("C2C, then PCIe: %s", got)
	}
}

// Of ways of as many links the one with the faster slowest link is taken, and the second link between two parts has a
// number of its own.
func TestFasterWay(t *testing.T) {
	b := &Board{}
	cpu, slow, fast, gpu := b.add("CPU0", CPU), b.add("PCIe1", PCIeSwitch), b.add("PCIe2", PCIeSwitch), b.add("GPU0", GPU)
	b.join(cpu, slow, 1, pcie4)
	b.join(cpu, fast, 1, pcie5)
	b.join(slow, gpu, 1, pcie5)
	b.join(fast, gpu, 1, pcie5)
	b.join(gpu, fast, 1, pcie4)
	if got := b.show("CPU0", "GPU0"); got != "CPU0/PCIe2 PCIe2/GPU0" {
		t.Error(got)
	}
	if got := b.LinkNames(); !slices.Equal(got[8:], []string{"GPU0/PCIe2#2", "PCIe2/GPU0#2"}) {
		t.Error(got)
	}
}
