package fabric

import "railyard/internal/base/unit"

// InLine returns how many frames stand in line on links.
func (f *Fabric) InLine() (n int) {
	for i := range f.links.ports {
		if c := f.links.ports[i].sent.line & lineClass; c != 0 {
			n += int(f.egress.queues[i*f.nc+int(c)-1].n)
		}
	}
	return n
}

// Make returns a frame on a route.
func Make(op Opcode, flow int32, psn uint32, r Route, class uint8, bytes unit.Bytes) (p Packet) {
	p.Make(op, flow, psn, r, class, bytes)
	return p
}
