package board

import (
	"strconv"

	"railyard/internal/base/unit"
)

const gbyte = 8 * unit.GigabitPerSec // a gigabyte per second

// Rates each way of one link, of data sheets (PCI Express: after encoding).
var (
	nvlink3 = wire{"NVLink 3", 25 * gbyte}
	nvlink4 = wire{"NVLink 4", 25 * gbyte}
	nvlink5 = wire{"NVLink 5", 50 * gbyte}
	fabric3 = wire{"Infinity Fabric", 64 * gbyte}
	c2c     = wire{C2C, 450 * gbyte}
	pcie4   = wire{"PCIe 4.0 x16", 31_500 * unit.MegabitPerSec * 8}
	pcie5   = wire{"PCIe 5.0 x16", 63 * gbyte}
	between = wire{"between sockets", 0}
)

// Presets are the boards by name, NICs one for each GPU or, with -shared, one for all. How PCIe switches
// are cut is assumed: two GPUs and their NICs on each of four.
var Presets = map[string]func() *Board{
	"hgx-a100":        func() *Board { return hgx("hgx-a100", a100, nvlink3, pcie4, []int{2, 2, 2, 2, 2, 2}, false) },
	"hgx-a100-shared": func() *Board { return hgx("hgx-a100-shared", a100, nvlink3, pcie4, []int{2, 2, 2, 2, 2, 2}, true) },
	"hgx-h100":        func() *Board { return hgx("hgx-h100", h100, nvlink4, pcie5, []int{5, 4, 4, 5}, false) },
	"hgx-h100-shared": func() *Board { return hgx("hgx-h100-shared", h100, nvlink4, pcie5, []int{5, 4, 4, 5}, true) },
	"hgx-h200":        func() *Board { return hgx("hgx-h200", h200, nvlink4, pcie5, []int{5, 4, 4, 5}, false) },
	"hgx-h200-shared": func() *Board { return hgx("hgx-h200-shared", h200, nvlink4, pcie5, []int{5, 4, 4, 5}, true) },
	"hgx-b200":        func() *Board { return hgx("hgx-b200", b200, nvlink5, pcie5, []int{9, 9}, false) },
	"hgx-b200-shared": func() *Board { return hgx("hgx-b200-shared", b200, nvlink5, pcie5, []int{9, 9}, true) },
	"gb200-nvl72":     nvl72,
	"mi300x":          mi300x,
	"cpu":             cpus,
}

const (
	a100 = "NVIDIA HGX A100: 12 NVLinks of 50 GB/s a GPU, over six NVSwitches"
	h100 = "NVIDIA HGX H100: 18 NVLinks of 50 GB/s a GPU, 5, 4, 4 and 5 to four NVSwitches (book, chapter 13)"
	h200 = "NVIDIA HGX H200: 18 NVLinks of 50 GB/s a GPU, as HGX H100"
	b200 = "NVIDIA HGX B200 data sheet: 18 NVLinks of 100 GB/s a GPU, over two NVSwitches; that they have as many each is assumed"
)

// hgx is eight GPUs, each with so many links to each NVSwitch.
func hgx(name, source string, nvlink, pcie wire, perSwitch []int, shared bool) *Board {
	b := &Board{Name: name, Source: source}
	gpus := b.several(GPU, "GPU", 0, 8)
	for i, sw := range b.several(NVSwitch, "NVSwitch", 1, len(perSwitch)) {
		for _, g := range gpus {
			b.join(g, sw, perSwitch[i], nvlink)
		}
	}
	b.sockets(gpus, pcie, shared)
	return b
}

// sockets adds two CPUs, four PCIe switches with two GPUs each, and NICs.
func (b *Board) sockets(gpus []int, pcie wire, shared bool) {
	cpu := b.several(CPU, "CPU", 0, 2)
	b.join(cpu[0], cpu[1], 1, between)
	for i, sw := range b.several(PCIeSwitch, "PCIe", 1, 4) {
		b.join(cpu[i/2], sw, 1, pcie)
		for _, g := range []int{2 * i, 2*i + 1} {
			b.join(sw, gpus[g], 1, pcie)
			if !shared || g == 0 {
				b.join(sw, b.add("NIC"+strconv.Itoa(g), NIC), 1, pcie)
			}
		}
	}
}

// nvl72 is a rack of 18 trays: each two Grace CPUs with two GPUs each, and a NIC for each GPU.
func nvl72() *Board {
	b := &Board{Name: "gb200-nvl72",
		Source: "NVIDIA GB200 NVL72 data sheet: 72 GPUs, 18 NVLinks of 100 GB/s each, one to each of 18 NVSwitch chips (two in " +
			"each of nine trays); 36 Grace CPUs, NVLink-C2C 900 GB/s both ways, taken as that of each GPU"}
	gpus, cpu := b.several(GPU, "GPU", 0, 72), b.several(CPU, "CPU", 0, 36)
	for _, sw := range b.several(NVSwitch, "NVSwitch", 1, 18) {
		for _, g := range gpus {
			b.join(g, sw, 1, nvlink5)
		}
	}
	for i, g := range gpus {
		b.join(cpu[i/2], g, 1, c2c)
		b.join(cpu[i/2], b.add("NIC"+strconv.Itoa(i), NIC), 1, pcie5)
	}
	return b
}

// mi300x is eight GPUs, every two linked.
func mi300x() *Board {
	b := &Board{Name: "mi300x", Source: "AMD Instinct MI300X platform data sheet: 7 Infinity Fabric links of 128 GB/s " +
		"a GPU, a mesh of eight; PCIe 5.0 x16 to the host"}
	gpus := b.several(GPU, "GPU", 0, 8)
	for i, x := range gpus {
		for _, y := range gpus[i+1:] {
			b.join(x, y, 1, fabric3)
		}
	}
	b.sockets(gpus, pcie5, false)
	return b
}

// cpus is a host without GPUs.
func cpus() *Board {
	b := &Board{Name: "cpu", Source: "two Intel Xeon Platinum 8480+ and a NIC: assumed; between sockets as NCCL takes it (SPR_QPI_BW)"}
	cpu := b.several(CPU, "CPU", 0, 2)
	b.join(cpu[0], cpu[1], 1, wire{between.kind, 40 * gbyte})
	b.join(cpu[0], b.add("NIC0", NIC), 1, pcie5)
	return b
}

// several adds parts that are numbered from first.
func (b *Board) several(kind Kind, name string, first, n int) (all []int) {
	for i := range n {
		all = append(all, b.add(name+strconv.Itoa(first+i), kind))
	}
	return all
}
