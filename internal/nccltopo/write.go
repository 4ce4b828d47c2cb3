package nccltopo

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"railyard/internal/board"
	"railyard/internal/unit"
)

// Write writes a board as NCCL_TOPO_FILE takes it. Bus identifiers are made up, in order. What hangs on nothing that
// leads to a CPU is an error.
func Write(b *board.Board) ([]byte, error) {
	w := &writer{b: b, bus: make([]string, len(b.Parts)), done: make([]bool, len(b.Parts))}
	for i := range b.Parts {
		w.bus[i] = fmt.Sprintf("%04x:%02x:00.0", i>>8, i&0xff)
	}
	w.line(0, `<system version="1">`)
	for i, p := range b.Parts {
		if p.Kind != board.CPU {
			continue
		}
		w.done[i] = true
		w.line(1, `<cpu numaid="%s"%s>`, escaped(strings.TrimPrefix(p.Name, "CPU")), modelOf(&p))
		w.below(i, 2)
		w.line(1, "</cpu>")
	}
	w.line(0, "</system>")
	for i, p := range b.Parts {
		if !w.done[i] && p.Kind != board.NVSwitch {
			return nil, fmt.Errorf("%s hangs on no CPU: NCCL's file has a tree below each", p.Name)
		}
	}
	return w.out.Bytes(), nil
}

// modelOf is what is known of a CPU, as attributes.
func modelOf(cpu *board.Part) (text string) {
	of := attributes(cpu.Model)
	for _, key := range cpuKeys {
		if v := of[key]; v != "" {
			text += fmt.Sprintf(` %s="%s"`, key, escaped(v))
		}
	}
	return text
}

type writer struct {
	b    *board.Board
	out  bytes.Buffer
	bus  []string
	done []bool
	nets int
}

func (w *writer) line(depth int, format string, args ...any) {
	w.out.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&w.out, format+"\n", args...)
}

// below writes what hangs on a part and is not written yet.
func (w *writer) below(part, depth int) {
	for i := range w.b.Links {
		l := &w.b.Links[i]
		other := l.B
		if other == part {
			other = l.A
		} else if l.A != part {
			continue
		}
		if p := &w.b.Parts[other]; !w.done[other] && p.Kind != board.CPU && p.Kind != board.NVSwitch && l.Kind != peerLink {
			w.pci(other, l, depth)
		}
	}
}

// classes of devices, as in Read.
var classes = map[board.Kind]string{board.GPU: "0x030200", board.NIC: "0x020000", board.PCIeSwitch: "0x060400"}

func (w *writer) pci(part int, l *board.Link, depth int) {
	p := &w.b.Parts[part]
	w.done[part] = true
	if l.Kind == virtual && p.Kind == board.NIC {
		w.nic(p, depth)
		return
	}
	w.line(depth, `<pci busid="%s" class="%s"%s>`, w.bus[part], classes[p.Kind], speed(l))
	switch p.Kind {
	case board.GPU:
		w.gpu(part, depth+1)
	case board.NIC:
		w.nic(p, depth+1)
	default:
		w.below(part, depth+1)
		w.peers(part, depth+1)
	}
	w.line(depth, "</pci>")
}

// peers writes the links of a PCIe switch to others that are not its tree, at both ends.
func (w *writer) peers(part, depth int) {
	for _, l := range w.b.Links {
		if l.Kind == peerLink && (l.A == part || l.B == part) {
			w.line(depth, `<pcilink target="%s"/>`, w.bus[l.A+l.B-part])
		}
	}
}

// nic writes a NIC as one net.
func (w *writer) nic(p *board.Part, depth int) {
	speed := ""
	if p.Rate > 0 {
		speed = fmt.Sprintf(` speed="%d"`, p.Rate/unit.MegabitPerSec)
	}
	w.line(depth, "<nic>")
	w.line(depth+1, `<net name="%s" dev="%d"%s%s/>`, escaped(p.Name), w.nets, speed, direct(p))
	w.line(depth, "</nic>")
	w.nets++
}

// direct says of a GPU or a NIC that it cannot do GPUDirect RDMA.
func direct(p *board.Part) string {
	if p.NoGPUDirect {
		return ` gdr="0"`
	}
	return ""
}

// gpu writes a GPU with its NVLinks, those to other GPUs at both ends.
func (w *writer) gpu(part, depth int) {
	w.line(depth, `<gpu dev="%s"%s>`, escaped(strings.TrimPrefix(w.b.Parts[part].Name, "GPU")), direct(&w.b.Parts[part]))
	for _, l := range w.b.Links {
		other := l.B
		if other == part {
			other = l.A
		} else if l.A != part {
			continue
		}
		switch kind := w.b.Parts[other].Kind; {
		case kind == board.NVSwitch:
			w.line(depth+1, `<nvlink target="%s" count="%d" tclass="%s"/>`, w.bus[other], l.Count, nvswitch)
		case kind == board.GPU:
			w.line(depth+1, `<nvlink target="%s" count="%d" tclass="0x030200"/>`, w.bus[other], l.Count)
		case l.Kind == board.C2C:
			w.line(depth+1, `<c2c bw="%d" count="%d"/>`, l.Rate/(8*unit.MegabitPerSec), l.Count)
		case kind == board.CPU && pathOf(w.b, &l) == NVL:
			w.line(depth+1, `<nvlink target="%s" count="%d" tclass="%s"/>`, w.bus[other], l.Count, bridgeOfCPU)
		}
	}
	w.line(depth, "</gpu>")
}

// speed is the attributes of a PCIe link; none where it is unknown.
func speed(l *board.Link) string {
	if g, lanes, ok := pcieOf(l.Kind); ok {
		return fmt.Sprintf(` link_speed="%s GT/s PCIe" link_width="%d"`, g.speed, lanes)
	}
	return ""
}

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder takes all
	return b.String()
}
