package host

import (
	"railyard/internal/exec"
	"railyard/internal/unit"
)

// region is memory that a network may write to: of a rank, or bytes that a flow goes to. Its key is
// its number from 1.
type region struct {
	job   *Job
	rank  int32 // of the job
	bytes []byte
}

func (h *Hosts) register(r region) uint32 {
	h.regions = append(h.regions, r)
	return uint32(len(h.regions))
}

// Key returns that of the memory which a queue pair of ranks writes to; 0: of none.
func (h *Hosts) Key(qp int32) uint32 {
	if int(qp) >= len(h.wayOf) || h.wayOf[qp].way < 0 {
		return 0
	}
	o := &h.out[h.wayOf[qp].way]
	return o.job.keys[o.Dst]
}

// offsetBits of an address count bytes of a buffer; the others number the buffer.
const offsetBits = 44

func address(r exec.Ref) uint64 { return uint64(r.Buffer)<<offsetBits | uint64(r.Off) }

// Memory returns the live bytes of an address, size of them; nil where nothing real is moved. Only
// the host that owns the region may ask.
func (h *Hosts) Memory(key uint32, at uint64, size int) []byte {
	if key == 0 {
		return nil
	}
	r := &h.regions[key-1]
	if r.job == nil {
		return r.bytes[at : at+uint64(size)]
	}
	const low = 1<<offsetBits - 1
	ref := exec.Ref{Buffer: int32(at >> offsetBits), Off: int64(at & low), Len: int64(size)}
	return r.job.memory.Bytes(r.rank, ref)
}

// Carries returns which of the bytes of a message lie in size bytes from off of the total that its
// protocol makes of them.
func Carries(bytes int, off int64, size, total unit.Bytes) (lo, hi int64) {
	if int64(total) == int64(bytes) {
		return off, off + int64(size)
	}
	data := unit.Ratio{Num: int64(bytes), Den: int64(total)}
	return data.Of(off), data.Of(off + int64(size))
}
