//go:build unix

package rank

import (
	"encoding/binary"
	"hash/crc32"
)

// Seal gives the first bytes of b the checksum of a frame; nil: there are too few.
func Seal(b []byte) []byte {
	if len(b) < FrameBytes {
		return nil
	}
	b = append([]byte{}, b[:FrameBytes]...)
	binary.BigEndian.PutUint32(b[FrameBytes-SumBytes:], crc32.Checksum(b[:FrameBytes-SumBytes], castagnoli))
	return b
}

// SmallRoom returns memory for so many elements in a room of which the smallest message is lent.
func SmallRoom(r *Room, elems int64) []float32 {
	r.lent = 1
	return r.Floats(max(elems, roomFrom/4))[:elems]
}
