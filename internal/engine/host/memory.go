package host

import (
	"railyard/internal/engine/verbs"
	"railyard/internal/job/exec"
)

// rankMemory is the memory of a rank of a job as a region.
type rankMemory struct {
	job  *Job
	rank int32
}

// Bytes is that of verbs.Memory. The rank's memory knows its own bounds.
func (m *rankMemory) Bytes(at uint64, size int) ([]byte, bool) {
	buffer, off := verbs.Place(at)
	return m.job.memory.Bytes(m.rank, exec.Ref{Buffer: buffer, Off: off, Len: int64(size)}), true
}

// Key returns that of the memory which a queue pair of ranks writes to; 0: of none.
func (h *Hosts) Key(qp int32) uint32 {
	if int(qp) >= len(h.wayOf) || h.wayOf[qp].way < 0 {
		return 0
	}
	o := &h.out[h.wayOf[qp].way]
	return o.job.keys[o.Dst]
}

// Memory returns the live bytes of an address, size of them; nil where nothing real is moved. Only
// the host that owns the region may ask.
func (h *Hosts) Memory(key uint32, at uint64, size int) []byte {
	if key == 0 {
		return nil
	}
	b, ok := h.regions.At(key, at, size)
	if !ok {
		panic("host: a message goes to bytes that its region has not") // senders and receivers are ours
	}
	return b
}
