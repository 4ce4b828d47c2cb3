//go:build unix

package rank

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"

	"golang.org/x/sys/cpu"
)

// A checksum is the remainder of the bytes as a polynomial over GF(2), lowest bit first, that of the highest power. What
// stands before other bytes may be put in their place times a power of x, modulo the same polynomial: so 256 bytes at a
// time are folded into the 256 that follow, with carry-less products (Gopal, Ozturk, Guilford et al., "Fast CRC
// Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009). It is twice as quick as the instruction
// of SSE 4.2.

// foldBytes is how many bytes are folded at a time, foldFrom from how many on it is worth it.
const (
	foldBytes = 256
	foldFrom  = 4 * foldBytes
)

// folds reports whether the processor can.
var folds = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPCLMULQDQ

// foldBy are the factors of the two halves of each 128 bits.
var foldBy = func() (by [foldBytes / 4]byte) {
	// A carry-less product of two numbers with the lowest bit first is one power of x less than it looks; the first half of
	// 128 bits stands 64 powers above the second.
	first, second := powerOf(8*foldBytes+64-1), powerOf(8*foldBytes-1)
	for i := 0; i < len(by); i += 16 {
		binary.LittleEndian.PutUint64(by[i:], first)
		binary.LittleEndian.PutUint64(by[i+8:], second)
	}
	return by
}()

// powerOf is x^n modulo the polynomial, in 64 bits with the highest power in the lowest.
func powerOf(n int) uint64 {
	polynomial := bits.Reverse32(crc32.Castagnoli)
	r := uint32(1)
	for range n {
		over := r>>31 != 0
		if r <<= 1; over {
			r ^= polynomial
		}
	}
	return bits.Reverse64(uint64(r))
}

// fold folds n bytes from p on, of which foldBytes is a divisor, into those before them.
//
//go:noescape
func fold(state *[foldBytes]byte, by *[foldBytes / 4]byte, p *byte, n int)

// sumOf goes on with the checksum of the bytes of a message.
func sumOf(sum uint32, b []byte) uint32 {
	if !folds || len(b) < foldFrom {
		return crc32.Update(sum, castagnoli, b)
	}
	var state [foldBytes]byte
	copy(state[:], b)
	b = b[foldBytes:]
	// The sum of what came before is added to the first four bytes. A sum is kept with all its bits the other way.
	before := ^sum
	binary.LittleEndian.PutUint32(state[:], binary.LittleEndian.Uint32(state[:])^before)
	n := len(b) / foldBytes * foldBytes
	fold(&state, &foldBy, &b[0], n)
	return crc32.Update(crc32.Update(^uint32(0), castagnoli, state[:]), castagnoli, b[n:])
}
