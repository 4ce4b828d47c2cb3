package pcie_test

import (
	"fmt"
	"strings"
	"testing"
)

// peerBoard is a board of two sockets of two GPUs without NVSwitches, numbered across sockets; more is said of the first GPU.
func peerBoard(more string) []byte {
	var b strings.Builder
	b.WriteString(`<system version="1">`)
	for cpu := range 2 {
		fmt.Fprintf(&b, `<cpu numaid="%d" arch="x86_64">`, cpu)
		fmt.Fprintf(&b, `<pci busid="0000:%d0:00.0" class="0x060400" link_speed="16.0 GT/s" link_width="16">`, cpu)
		for i := range 2 {
			said := ""
			if cpu+i == 0 {
				said = more
			}
			fmt.Fprintf(&b, `<pci busid="0000:%d%d:00.0" class="0x030200" link_speed="16.0 GT/s" link_width="16"><gpu dev="%d" sm="80">%s`+
				`</gpu></pci>`, cpu, i+1, 2*i+cpu, said)
		}
		fmt.Fprintf(&b, `<pci busid="0000:%d9:00.0" class="0x020000" link_speed="16.0 GT/s" link_width="16"><nic><net name="m%d" dev="%d"`+
			` speed="100000" port="1"/></nic></pci></pci></cpu>`, cpu, cpu, cpu)
	}
	b.WriteString("</system>")
	return []byte(b.String())
}

// Between GPUs that no NVLink joins bytes go over PCIe, and rings by the board's tree; a bridge joins two of them.
func TestPeersOverPCIe(t *testing.T) {
	const keys, nic = "graph: board.xml, nvlink: 300GB/s", "shared_by: 2, speed: 100Gb/s"
	for _, c := range []struct{ bridge, near, far, order string }{
		{"", "GPU0/PCIe1 PCIe1/GPU2", "GPU0/PCIe1 PCIe1/CPU0 CPU0/CPU1 CPU1/PCIe2 PCIe2/GPU1", "[0 2 1 3]"},
		{`<nvlink target="0000:11:00.0" count="4" tclass="0x030200"/>`, "GPU0/PCIe1 PCIe1/GPU2", "", "[1 2 0 3]"},
	} {
		p, err := graphed(t, keys, nic, "", peerBoard(c.bridge))
		if err != nil {
			t.Fatal(err)
		}
		g := p.PCIe.Graph
		if got := show(g, g.Peers[0][2]); got != c.near {
			t.Errorf("to the other GPU of the switch: %s", got)
		}
		if got := show(g, g.Peers[0][1]); got != c.far || p.PCIe.NVLink(0, 1) != (c.far == "") {
			t.Errorf("to the other socket: %q", got)
		}
		if g.Peers[0][0] != nil {
			t.Error("a way from a GPU to itself")
		}
		// Rings pass GPUs 0 2 1 3; bridged, 2 0 1 3.
		if got := fmt.Sprint(g.Order); got != c.order {
			t.Errorf("order %s, want %s", got, c.order)
		}
	}
	p, err := graphed(t, "graph: preset", "per_gpu: 1", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.PCIe.Graph.Peers != nil || p.PCIe.OrderOf(3) != 0 || p.PCIe.PeerRate() != 0 || !p.PCIe.NVLink(0, 3) {
		t.Error("NVSwitches join all GPUs of the preset's board")
	}
}
