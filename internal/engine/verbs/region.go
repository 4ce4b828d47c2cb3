package verbs

// Memory is what lies behind a key: it decides what its addresses mean.
type Memory interface {
	// Bytes returns the live bytes from an address on, size of them; ok is false if they do not all lie in it. No
	// bytes and ok: where nothing real is kept.
	Bytes(address uint64, size int) (b []byte, ok bool)
}

// Buffer is memory of which addresses count bytes from 0.
type Buffer []byte

// Bytes is that of Memory.
func (m Buffer) Bytes(address uint64, size int) ([]byte, bool) {
	if n := uint64(len(m)); size < 0 || address > n || uint64(size) > n-address {
		return nil, false
	}
	return m[address : address+uint64(size)], true
}

// Regions are the memory regions of a host. Their keys count from 1; 0 is that of none.
type Regions struct {
	list []Memory
}

// Register makes a region of memory and returns its key.
func (r *Regions) Register(m Memory) (key uint32) {
	r.list = append(r.list, m)
	return uint32(len(r.list))
}

// At returns the live bytes of a region from an address on, size of them; ok is false if no region has the key, or
// they do not all lie in it.
func (r *Regions) At(key uint32, address uint64, size int) (b []byte, ok bool) {
	if key == 0 || uint64(key) > uint64(len(r.list)) {
		return nil, false
	}
	return r.list[key-1].Bytes(address, size)
}

// offsetBits of an address in a rank's memory count bytes of a buffer; the others number the buffer.
const offsetBits = 44

// Address is that of a byte in one of the buffers of a rank: buffer >= 0, 0 <= off < 2^44.
//
//	 63                  44 43                                     0
//	+----------------------+----------------------------------------+
//	|  buffer              |  offset in bytes                       |
//	+----------------------+----------------------------------------+
func Address(buffer int32, off int64) uint64 { return uint64(buffer)<<offsetBits | uint64(off) }

// Place is the inverse of Address.
func Place(address uint64) (buffer int32, off int64) {
	return int32(address >> offsetBits), int64(address & (1<<offsetBits - 1))
}
