package verbs

import (
	"fmt"
	"math"

	"railyard/internal/net/wire"
)

// Access is what others may do with a memory region (IBTA vol. 1, 10.6.3.1).
type Access uint8

// The rights. What is not given is refused; its own host may always read a region.
const (
	LocalWrite Access = 1 << iota
	RemoteWrite
	RemoteRead
	RemoteAtomic
)

// Domain is a protection domain: memory regions and the queue pairs that may use them. A key of one domain means nothing
// in another.
type Domain struct {
	regions []region
}

// region is a memory region. Its key is that of a Domain.
type region struct {
	b       []byte
	address uint64
	access  Access
	key     uint32
}

// keyStep is between the keys of two regions, so that a key that is one off names none.
const keyStep = 0x101

// MaxRegions of a domain: keys are 32 bits.
const MaxRegions = math.MaxUint32/keyStep - 1

// Register makes a region of memory whose first byte has an address, and returns its key, which no other region of the
// domain has or will have.
func (d *Domain) Register(b []byte, address uint64, a Access) (key uint32, err error) {
	switch {
	case uint64(len(b)) > 0 && address > math.MaxUint64-uint64(len(b))+1:
		return 0, fmt.Errorf("memory region: %d bytes at 0x%x go beyond the last address", len(b), address)
	case len(d.regions) >= MaxRegions:
		return 0, fmt.Errorf("memory region: %d are registered, want at most %d", len(d.regions), MaxRegions)
	case a&(RemoteWrite|RemoteAtomic) != 0 && a&LocalWrite == 0:
		return 0, fmt.Errorf("memory region: others may write to it and its own host may not: want local write, too")
	}
	key = uint32(len(d.regions)+1) * keyStep
	d.regions = append(d.regions, region{b: b, address: address, access: a, key: key})
	return key, nil
}

func (d *Domain) region(key uint32) *region {
	i := uint64(key)/keyStep - 1
	if key%keyStep != 0 || i >= uint64(len(d.regions)) || d.regions[i].key != key {
		return nil
	}
	return &d.regions[i]
}

// At returns the live bytes of a region from an address on, size of them; ok is false if no region has the key, they do
// not all lie in it, or it does not give all rights that are needed.
func (d *Domain) At(key uint32, address uint64, size int, need Access) (b []byte, ok bool) {
	r := d.region(key)
	if r == nil || size < 0 || r.access&need != need || address < r.address {
		return nil, false
	}
	off := address - r.address
	if n := uint64(len(r.b)); off > n || uint64(size) > n-off {
		return nil, false
	}
	return r.b[off : off+uint64(size) : off+uint64(size)], true
}

// fits reports whether the partition of a packet is that of a queue pair: the same number, and one of the two a full
// member (IBTA vol. 1, 10.9.3).
func fits(ours, theirs uint16) bool {
	const full = 0x8000
	return ours&^full == theirs&^full && (ours|theirs)&full != 0
}

// MaxMessage is the most bytes of a message (IBTA vol. 1, 9.7.1).
const MaxMessage = 1 << 31

// pathMTU reports whether a path MTU is one of those that there are.
func pathMTU(m wire.MTU) bool { return m >= 1 && m <= 5 }
