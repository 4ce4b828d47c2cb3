package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Digest names the images and labels of a set, however the files that hold them are packed:
// SHA-256, hexadecimal.
func (s *Set) Digest() string {
	h := sha256.New()
	for _, im := range []Images{s.Train, s.Test} {
		var shape []byte
		sizes := []int{im.N, im.Rows, im.Cols}
		if im.Channels == Colour {
			sizes = []int{im.N, im.Channels, im.Rows, im.Cols}
		}
		for _, n := range sizes {
			shape = binary.LittleEndian.AppendUint64(shape, uint64(n))
		}
		h.Write(shape)
		h.Write(im.Pixels)
		h.Write(im.Labels)
	}
	return hex.EncodeToString(h.Sum(nil))
}
