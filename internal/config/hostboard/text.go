package hostboard

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/config/hostinfo"
	"railyard/internal/net/board"
	"railyard/internal/net/nccltopo"
)

// Of is the board of a host. The error says what it lacks.
func Of(h *hostinfo.Host) (*board.Board, error) {
	text, err := Text(h)
	if err != nil {
		return nil, err
	}
	return nccltopo.Read("the board of "+h.Name, []byte(text))
}

// Text is the board of a host in the form of NCCL_TOPO_DUMP_FILE.
func Text(h *hostinfo.Host) (string, error) {
	t := &tree{h: h, at: map[string]*node{}}
	for i, a := range h.GPUAddresses() {
		n := t.leaf(a)
		n.gpu = i
	}
	gpus := len(t.at)
	for _, r := range h.RDMA {
		if r.PCI == "" || r.State.Known() && r.State.Value != "ACTIVE" {
			continue
		}
		n := t.leaf(card(h, r.PCI))
		n.nets = append(n.nets, r)
	}
	switch {
	case len(t.at) == 0:
		return "", errors.New("no GPU and no NIC with a PCI address is known, want lspci and /sys/bus/pci/devices of the host")
	case t.bare() && !h.Complete(hostinfo.Lspci):
		return "", errors.New("what is above GPUs and NICs is not known, want lspci -vv or /sys/bus/pci/devices of the host")
	case gpus > mostGPUs:
		return "", fmt.Errorf("%d GPUs, want at most %d", gpus, mostGPUs)
	}
	w := &writer{t: t}
	w.line(0, `<system version="1">`)
	for _, c := range t.cpus {
		w.line(1, `<cpu numaid="%d"%s>`, c.node, cpuModel(h))
		for _, n := range c.below {
			w.pci(n, 2)
		}
		w.line(1, "</cpu>")
	}
	w.line(0, "</system>")
	return w.out.String(), nil
}

const mostGPUs = 64

// card is the device that NCCL takes a port of a NIC for: its first function, where that is there too.
func card(h *hostinfo.Host, at string) string {
	if first := at[:len(at)-1] + "0"; h.Device(first) != nil {
		return first
	}
	return at
}

// A node is a device or a PCIe switch, by its upstream port.
type node struct {
	address string
	gpu     int // -1: none
	nets    []*hostinfo.RDMA
	below   []*node
}

// A cpu is a NUMA node.
type cpu struct {
	node  int // -1: not known
	below []*node
}

// A tree is what is above GPUs and NICs.
type tree struct {
	h    *hostinfo.Host
	at   map[string]*node
	cpus []*cpu
}

// bare reports whether nothing is above any device.
func (t *tree) bare() bool {
	for a := range t.at {
		if p := t.h.Device(a); p != nil && p.Parent != "" {
			return false
		}
	}
	return true
}

// leaf is the node of a device; what is above it is made where it is not there yet.
func (t *tree) leaf(address string) *node {
	if n := t.at[address]; n != nil {
		return n
	}
	n := &node{address: address, gpu: -1}
	t.at[address] = n
	for chain := t.h.Above(address); ; chain = chain[2:] {
		if len(chain) < 2 { // a root port, or nothing
			c := t.cpu(n.address)
			c.below = append(c.below, n)
			return t.at[address]
		}
		up := t.at[chain[1].Address]
		if up != nil {
			up.below = append(up.below, n)
			return t.at[address]
		}
		up = &node{address: chain[1].Address, gpu: -1, below: []*node{n}}
		t.at[up.address] = up
		n = up
	}
}

// cpu is that of the NUMA node of a device on a root port, in order of nodes.
func (t *tree) cpu(address string) *cpu {
	id := -1
	if n := t.h.NodeOf(address); n.Known() {
		id = n.Value
	} else if t.h.Nodes.Value == 1 {
		id = 0
	}
	k := 0
	for ; k < len(t.cpus) && t.cpus[k].node <= id; k++ {
		if t.cpus[k].node == id {
			return t.cpus[k]
		}
	}
	c := &cpu{node: id}
	t.cpus = append(t.cpus[:k], append([]*cpu{c}, t.cpus[k:]...)...)
	return c
}

// cpuModel is what NCCL tells CPUs apart by, as attributes.
func cpuModel(h *hostinfo.Host) (text string) {
	for _, key := range []string{"arch", "vendor", "family", "model"} {
		v := h.CPU[key].Value
		if v == "" || v == "-" {
			continue
		}
		switch key {
		case "family", "model":
			key += "id"
		case "arch":
			if v == "aarch64" {
				v = "arm64"
			}
		}
		text += fmt.Sprintf(` %s="%s"`, key, escaped(v))
	}
	return text
}

type writer struct {
	t   *tree
	out strings.Builder
}

func (w *writer) line(depth int, format string, args ...any) {
	w.out.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&w.out, format+"\n", args...)
}

// Classes of devices (PCI Code and ID Assignment Specification).
const (
	classBridge = "0x060400"
	classGPU    = "0x030200"
	classNIC    = "0x020000"
)

func (w *writer) pci(n *node, depth int) {
	class := classBridge
	switch {
	case n.gpu >= 0:
		class = classGPU
	case len(n.nets) > 0:
		class = classNIC
	}
	w.line(depth, `<pci busid="%s" class="%s"%s%s>`, n.address, class, identifiers(w.t.h.Device(n.address)), w.link(n))
	if n.gpu >= 0 {
		w.gpu(n, depth+1)
	}
	if len(n.nets) > 0 {
		w.line(depth+1, "<nic>")
		for k, r := range n.nets {
			name, _, _ := strings.Cut(r.Name, "/")
			w.line(depth+2, `<net name="%s"%s port="%d" gdr="1"/>`, escaped(name), netSpeed(w.t.h, r), k+1)
		}
		w.line(depth+1, "</nic>")
	}
	for _, b := range n.below {
		w.pci(b, depth+1)
	}
	w.line(depth, "</pci>")
}

// identifiers are those by which NCCL knows switches that it joins.
func identifiers(p *hostinfo.PCI) (text string) {
	if p == nil {
		return ""
	}
	for k, key := range []string{"vendor", "device", "subsystem_vendor", "subsystem_device"} {
		if p.IDs[k] != "" {
			text += fmt.Sprintf(` %s="%s"`, key, p.IDs[k])
		}
	}
	return text
}

// link is what a device and the port above it both can.
func (w *writer) link(n *node) string {
	can := hostinfo.PCIeLink{}
	if p := w.t.h.Device(n.address); p != nil {
		can = p.Can
	}
	if g := w.t.h.GPU(n.address); !can.Known() && g != nil {
		can = g.Can
	}
	if up := w.t.h.Above(n.address); len(up) > 0 && up[0].Can.Known() && can.Known() {
		can.Speed.Value = min(can.Speed.Value, up[0].Can.Speed.Value)
		can.Width.Value = min(can.Width.Value, up[0].Can.Width.Value)
	}
	if !can.Known() {
		return ""
	}
	return fmt.Sprintf(` link_speed="%.1f GT/s PCIe" link_width="%d"`, float64(can.Speed.Value)/1000, can.Width.Value)
}

// netSpeed is what a port carries.
func netSpeed(h *hostinfo.Host, r *hostinfo.RDMA) string {
	text, _, _ := strings.Cut(r.Rate.Value, " ")
	gb, err := strconv.ParseFloat(text, 64)
	mb := int(gb * 1000)
	if n := h.NetdevOf(r); (err != nil || mb <= 0) && n != nil {
		mb = n.Speed.Value
	}
	if mb <= 0 || unit.Bitrate(mb) > 1e7 {
		return ""
	}
	return fmt.Sprintf(` speed="%d"`, mb)
}

// gpu writes a GPU with its NVLinks.
func (w *writer) gpu(n *node, depth int) {
	h := w.t.h
	sm := capability(h, n.address)
	head := fmt.Sprintf(`<gpu dev="%d"%s gdr="1"`, n.gpu, sm)
	var links []string
	peers, total := 0, 0
	for j, to := range h.GPUAddresses() {
		p := h.Paths[[2]string{"GPU" + strconv.Itoa(n.gpu), "GPU" + strconv.Itoa(j)}]
		text, is := strings.CutPrefix(p.Value, "NV")
		count, err := strconv.Atoi(text)
		if !is || err != nil || count < 1 || count > 1000 || j == n.gpu {
			continue
		}
		peers, total = peers+1, total+count
		links = append(links, fmt.Sprintf(`<nvlink target="%s" count="%d" tclass="%s"/>`, to, count, classGPU))
	}
	if most := cmp.Or(nvlinksOf[sm], mostNVLinks); peers > 1 && total > most { // each peer by the same links: an NVSwitch
		links = []string{fmt.Sprintf(`<nvlink target="fffffff:ffff:ff" count="%d" tclass="0x068000"/>`, total/peers)}
	}
	if links == nil {
		w.line(depth, head+"/>")
		return
	}
	w.line(depth, head+">")
	for _, l := range links {
		w.line(depth+1, l)
	}
	w.line(depth, "</gpu>")
}

// capabilities are compute capabilities by a GPU's chip as lspci calls it, and by how its PCI device number begins (NVIDIA's
// page of CUDA GPUs; the PCI ID repository).
var capabilities = []struct{ chip, device, sm string }{{"GP100", "0x15f", "60"}, {"GV100", "0x1d", "70"}, {"TU10", "0x1e", "75"},
	{"GA100", "0x20", "80"}, {"GA102", "0x22", "86"}, {"AD10", "0x26", "89"}, {"GH100", "0x23", "90"}, {"GB100", "0x29", "100"}}

// nvlinksOf is how many NVLinks a GPU has (data sheets of P100, V100, A100, H100, B200), by its attribute.
var nvlinksOf = map[string]int{` sm="60"`: 4, ` sm="70"`: 6, ` sm="80"`: 12, ` sm="90"`: 18, ` sm="100"`: 18}

// mostNVLinks is the most that any GPU has.
const mostNVLinks = 18

// capability is a GPU's, as an attribute.
func capability(h *hostinfo.Host, at string) string {
	p := h.Device(at)
	if p == nil {
		return ""
	}
	for _, c := range capabilities {
		if strings.Contains(p.Name, c.chip) || p.IDs[0] == "0x10de" && strings.HasPrefix(p.IDs[1], c.device) {
			return fmt.Sprintf(` sm="%s"`, c.sm)
		}
	}
	return ""
}

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder takes all
	return b.String()
}
