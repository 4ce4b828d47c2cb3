//go:build unix

package rank

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// The checksum of bytes is CRC-32C's, of any length, from anywhere on, in any pieces.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 9000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	same := func(at, n int, sum uint32) {
		t.Helper()
		if got, want := sumOf(sum, b[at:at+n]), crc32.Update(sum, castagnoli, b[at:at+n]); got != want {
			t.Fatalf("%d bytes from %d on after %#08x: %#08x, want %#08x", n, at, sum, got, want)
		}
	}
	for n := range 3000 {
		same(n%7, n, 0)
		same(n%64, n, r.Uint32())
	}
	for range 2000 {
		n := r.IntN(len(b))
		same(r.IntN(len(b)-n), n, r.Uint32())
	}
}

func BenchmarkSum(b *testing.B) {
	bytes := make([]byte, streamPiece)
	b.SetBytes(int64(len(bytes)))
	sum := uint32(0)
	for b.Loop() {
		sum = sumOf(sum, bytes)
	}
}

func BenchmarkSumOfTheLibrary(b *testing.B) {
	bytes := make([]byte, streamPiece)
	b.SetBytes(int64(len(bytes)))
	sum := uint32(0)
	for b.Loop() {
		sum = crc32.Update(sum, castagnoli, bytes)
	}
}
