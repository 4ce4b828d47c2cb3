package hash

import "hash/crc32"

// CRC16 continues the CRC of polynomial 0x1021, most significant bit first, from a start value.
func CRC16(start uint16, data []byte) uint16 {
	h := start
	for _, b := range data {
		h ^= uint16(b) << 8
		for range 8 {
			top := h >> 15
			h = h<<1 ^ top*0x1021
		}
	}
	return h
}

// CRC32 continues the CRC of IEEE 802.3 from a start value, 0: as frames have it.
func CRC32(start uint32, data []byte) uint32 {
	return crc32.Update(start, crc32.IEEETable, data)
}

// XOR folds data to 16 bits, big-endian words; an odd last byte is a low one.
func XOR(data []byte) (h uint16) {
	for ; len(data) > 1; data = data[2:] {
		h ^= uint16(data[0])<<8 | uint16(data[1])
	}
	for _, b := range data {
		h ^= uint16(b)
	}
	return h
}

// RSSKey is the key that Microsoft's verification suite for receive-side scaling has, and many
// drivers as their default.
var RSSKey = [40]byte{
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0,
	0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c,
	0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
}

// Toeplitz XORs, for each bit of data that is set, the 32 bits of the key that begin at its place.
// The key is at least 4 bytes longer than data.
func Toeplitz(key, data []byte) (h uint32) {
	window := uint32(key[0])<<24 | uint32(key[1])<<16 | uint32(key[2])<<8 | uint32(key[3])
	for i, b := range data {
		next := key[i+4]
		for bit := 7; bit >= 0; bit-- {
			if b>>bit&1 != 0 {
				h ^= window
			}
			window = window<<1 | uint32(next>>bit&1)
		}
	}
	return h
}
