package record

import (
	"encoding/binary"

	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
)

// wayNames are the names of the paths that packets have taken.
type wayNames struct {
	names map[string]string // by the ports
	key   []byte
}

func (w *wayNames) of(p *plan.Plan, ports []topo.PortID) string {
	w.key = w.key[:0]
	for _, port := range ports {
		w.key = binary.LittleEndian.AppendUint32(w.key, uint32(port))
	}
	if name, known := w.names[string(w.key)]; known {
		return name
	}
	if w.names == nil {
		w.names = map[string]string{}
	}
	name := p.PathText(ports)
	w.names[string(w.key)] = name
	return name
}
