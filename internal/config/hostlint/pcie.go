package hostlint

import (
	"fmt"
	"strings"

	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
)

// pcie checks H10 to H14.
func (l *linter) pcie() {
	seen := map[string]bool{}
	devices := l.endpoints()
	for _, at := range devices {
		l.links(at, seen)
	}
	l.access(devices)
	l.iommu(devices)
	for _, n := range l.nics {
		if p := l.h.Device(n.PCI); p != nil && p.Relaxed.Known() && !p.Relaxed.Value {
			l.alike("H13", lint.Warning, n.String(), "relaxed ordering is off", p.Relaxed.At)
		}
	}
	l.numa()
}

// endpoints are the GPUs and the NICs that count.
func (l *linter) endpoints() (all []string) {
	all = l.h.GPUAddresses()
	for _, n := range l.nics {
		if n.PCI != "" {
			all = append(all, n.PCI)
		}
	}
	return all
}

// called is what a PCI device is to people: its interface, GPU or bridge with the address.
func (l *linter) called(p *hostinfo.PCI) string {
	for _, n := range l.nics {
		if n.PCI == p.Address {
			return n.String()
		}
	}
	switch p.Class {
	case "3D controller", "Processing accelerators":
		return "GPU " + p.Address
	}
	return "bridge " + p.Address
}

// links checks H10 of the links between a device and the CPU. A link is between a root port or the downstream port of a
// switch, and what is below: its state stands at what is below. Between the ports inside a switch there is none: from the CPU
// down every other bridge begins one.
func (l *linter) links(at string, seen map[string]bool) {
	bridges := l.h.Above(at)
	chain := append([]*hostinfo.PCI{l.h.Device(at)}, bridges...)
	for k := 0; k+1 < len(chain); k++ {
		p, up := chain[k], chain[k+1]
		if depth := len(chain) - 1 - k; p == nil || seen[p.Address] || depth%2 == 0 {
			continue
		}
		seen[p.Address] = true
		l.link(p, up)
	}
	if len(bridges) == 0 && chain[0] != nil && !seen[at] {
		seen[at] = true
		l.link(chain[0], nil)
	}
}

// link checks one: what both ends can. A GPU without work lets its speed down, and keeps the width.
func (l *linter) link(p, up *hostinfo.PCI) {
	if !p.Is.Known() || !p.Can.Known() {
		return
	}
	can := p.Can
	if up != nil && up.Can.Known() {
		if up.Can.Speed.Value < can.Speed.Value {
			can.Speed = up.Can.Speed
		}
		if up.Can.Width.Value < can.Width.Value {
			can.Width = up.Can.Width
		}
	}
	gpu := strings.HasPrefix(l.called(p), "GPU ")
	is := p.Is
	if is.Width.Value >= can.Width.Value && (is.Speed.Value >= can.Speed.Value || gpu) {
		return
	}
	if gpu {
		l.alike("H10", lint.Error, l.called(p), fmt.Sprintf("PCIe x%d, both ends can x%d", is.Width.Value,
			can.Width.Value), is.Width.At)
		return
	}
	at := is.Speed.At
	if is.Speed.Value >= can.Speed.Value {
		at = is.Width.At
	}
	l.alike("H10", lint.Error, l.called(p), fmt.Sprintf("PCIe %v, both ends can %v", &is, &can), at)
}

// virtual reports whether the host gives devices to virtual machines, for which ACS is on with reason.
func (l *linter) virtual() bool {
	if l.h.Modules["vfio_pci"].Known() {
		return true
	}
	for _, p := range l.h.PCI {
		if p.VFs.Known() && p.VFs.Value > 0 || p.Driver.Value == "vfio-pci" {
			return true
		}
	}
	return false
}

// access checks H11: bridges between a GPU and a NIC and the CPU.
func (l *linter) access(devices []string) {
	if l.virtual() {
		return
	}
	severity, not := lint.Error, ""
	if !l.h.Complete(hostinfo.Lsmod) { // nothing says that no virtual machine is given a device
		severity, not = lint.Unknown, "; not known whether it is for virtual machines"
	}
	seen := map[string]bool{}
	for _, at := range devices {
		for _, b := range l.h.Above(at) {
			if b.ACS.Value != "" && !seen[b.Address] {
				seen[b.Address] = true
				l.alike("H11", severity, "bridge "+b.Address, "ACS redirects traffic of peers ("+b.ACS.Value+")"+not, b.ACS.At)
			}
		}
	}
}

// iommu checks H12: by the groups of devices, else by the kernel's command line.
func (l *linter) iommu(devices []string) {
	known := false
	for _, at := range devices {
		p := l.h.Device(at)
		if p == nil || !p.Group.Known() {
			continue
		}
		kind := l.h.Translate[p.Group.Value]
		known = known || kind.Known()
		if kind.Known() && kind.Value != "identity" {
			l.alike("H12", lint.Error, l.called(p), "the IOMMU translates ("+kind.Value+")", kind.At)
		}
	}
	c := l.h.Cmdline
	on, pass := false, false
	for _, w := range strings.Fields(c.Value) {
		on = on || w == "intel_iommu=on" || w == "amd_iommu=on" || w == "iommu=force"
		pass = pass || w == "iommu=pt" || w == "iommu.passthrough=1" || w == "iommu=off" || w == "amd_iommu=off" ||
			w == "intel_iommu=off"
	}
	if !known && on && !pass {
		l.add("H12", lint.Warning, "", "the IOMMU is on, and the kernel's command line has no iommu=pt", c.At)
	}
}

// numa checks H14: by what nvidia-smi says of the way to the nearest NIC, else by nodes.
func (l *linter) numa() {
	gpus := l.h.GPUAddresses()
	if len(gpus) == 0 || len(l.nics) == 0 {
		return
	}
	said := false
	for g := range len(gpus) {
		name := fmt.Sprintf("GPU%d", g)
		best := false
		var far hostinfo.Said[string]
		for _, n := range l.nics {
			p := l.h.Paths[[2]string{name, n.Name}]
			if p.Known() && p.Value != "SYS" {
				best = true
			} else if p.Known() {
				far = p
			}
		}
		if far.Known() && !best {
			said = true
			l.alike("H14", lint.Error, name, "no NIC on its socket: the way to each is SYS", far.At)
		}
	}
	if said || len(l.nics) < len(gpus) {
		return
	}
	with, nics := map[int]int{}, map[int]int{}
	for _, g := range gpus {
		node := l.h.NodeOf(g)
		if !node.Known() {
			return
		}
		with[node.Value]++
	}
	for _, n := range l.nics {
		node := l.h.NodeOf(n.PCI)
		if !node.Known() {
			return
		}
		nics[node.Value]++
	}
	for _, n := range l.nics { // the first of those that a node has too many of
		node := l.h.NodeOf(n.PCI)
		if nics[node.Value] > with[node.Value] && lacking(with, nics) {
			if g := l.beside(n, gpus); g != "" {
				continue // it is where its GPU is
			}
			severity, text := l.sure(lint.Error, fmt.Sprintf("on NUMA node %d, which has %d GPUs and %d NICs", node.Value,
				with[node.Value], nics[node.Value]), hostinfo.Lspci, hostinfo.Sysfs, hostinfo.Devinfo)
			l.alike("H14", severity, n.String(), text, node.At)
		}
	}
}

// lacking reports whether a node has fewer NICs than GPUs.
func lacking(gpus, nics map[int]int) bool {
	for node, n := range gpus { // any: order does not matter
		if nics[node] < n {
			return true
		}
	}
	return false
}

// beside is a GPU below a bridge that the NIC is below too, on the same node; "": none.
func (l *linter) beside(n *nic, gpus []string) string {
	mine := map[string]bool{}
	for _, b := range l.h.Above(n.PCI) {
		mine[b.Address] = true
	}
	for _, g := range gpus {
		for _, b := range l.h.Above(g) {
			if mine[b.Address] && l.h.NodeOf(g).Value == l.h.NodeOf(n.PCI).Value {
				return g
			}
		}
	}
	return ""
}
