package nccltopo

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/board"
)

// Write writes a board as NCCL_TOPO_FILE takes it, with all that NCCL needs of a part: what the board does not say is
// made up, in order (fill). What hangs on nothing that leads to a CPU is an error.
func Write(of *board.Board) ([]byte, error) {
	b := *of
	b.Parts = slices.Clone(of.Parts)
	for i := range b.Parts {
		switch p := &b.Parts[i]; { // of no file
		case p.Model != "":
		case p.Kind == board.GPU:
			p.Model = words(gpuKeys, map[string]string{"sm": capabilityOf(&b, i)})
		case p.Kind == board.CPU:
			p.Model = processors[strings.TrimSuffix(b.Name, "-shared")]
		}
	}
	fill(&b)
	w := &writer{b: &b, done: make([]bool, len(b.Parts))}
	w.line(0, `<system version="1">`)
	for i, p := range b.Parts {
		if p.Kind != board.CPU {
			continue
		}
		w.done[i] = true
		w.line(1, `<cpu numaid="%s"%s>`, escaped(strings.TrimPrefix(p.Name, "CPU")), modelOf(cpuKeys, attributes(p.Model)))
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

// modelOf is what is known of a part, as attributes.
func modelOf(keys []string, of map[string]string) (text string) {
	for _, key := range keys {
		if v := of[key]; v != "" {
			text += fmt.Sprintf(` %s="%s"`, key, escaped(v))
		}
	}
	return text
}

type writer struct {
	b    *board.Board
	out  bytes.Buffer
	done []bool
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
	w.line(depth, `<pci busid="%s" class="%s"%s>`, escaped(p.BusID), classes[p.Kind], speed(l))
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
			w.line(depth, `<pcilink target="%s"/>`, escaped(w.b.Parts[l.A+l.B-part].BusID))
		}
	}
}

// nic writes a NIC with its nets.
func (w *writer) nic(p *board.Part, depth int) {
	speed := ""
	if p.Rate > 0 {
		speed = fmt.Sprintf(` speed="%d"`, p.Rate/unit.MegabitPerSec)
	}
	values := attributes(p.Model)
	nets := strings.Count(values["dev"], "+") + 1
	names := []string{p.Name}
	if all := strings.Split(p.Name, "+"); len(all) == nets {
		names = all
	}
	w.line(depth, "<nic>")
	for k, name := range names {
		own := map[string]string{}
		for key, v := range values {
			own[key] = perNet(v, nets)[k]
		}
		w.line(depth+1, `<net name="%s"%s%s%s/>`, escaped(name), speed, modelOf(netKeys, own), direct(p))
	}
	w.line(depth, "</nic>")
}

// direct says of a GPU or a NIC whether it can do GPUDirect RDMA.
func direct(p *board.Part) string {
	if p.NoGPUDirect {
		return ` gdr="0"`
	}
	return ` gdr="1"`
}

// gpu writes a GPU with its NVLinks, those to other GPUs at both ends.
func (w *writer) gpu(part, depth int) {
	p := &w.b.Parts[part]
	w.line(depth, `<gpu dev="%s"%s%s>`, escaped(strings.TrimPrefix(p.Name, "GPU")), modelOf(gpuKeys, attributes(p.Model)), direct(p))
	for _, l := range w.b.Links {
		other := l.B
		if other == part {
			other = l.A
		} else if l.A != part {
			continue
		}
		target := escaped(w.b.Parts[other].BusID)
		switch kind := w.b.Parts[other].Kind; {
		case kind == board.NVSwitch:
			w.line(depth+1, `<nvlink target="%s" count="%d" tclass="%s"/>`, target, l.Count, nvswitch)
		case kind == board.GPU && l.Kind == infinity:
			w.line(depth+1, `<xgmi target="%s" count="%d" tclass="0x038000"/>`, target, l.Count)
		case kind == board.GPU:
			w.line(depth+1, `<nvlink target="%s" count="%d" tclass="0x030200"/>`, target, l.Count)
		case l.Kind == board.C2C:
			w.line(depth+1, `<c2c bw="%d" count="%d"/>`, l.Rate/(8*unit.MegabitPerSec), l.Count)
		case kind == board.CPU && pathOf(w.b, &l) == NVL:
			w.line(depth+1, `<nvlink target="%s" count="%d" tclass="%s"/>`, target, l.Count, bridgeOfCPU)
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
