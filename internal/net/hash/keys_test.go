package hash

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/splitmix"
)

// The Toeplitz hash is linear in its key (Krawczyk, CRYPTO 1994): by the key of receive-side scaling xor a stream it is the
// xor of what the two give by themselves. So no bit of a drawn key depends on the other's.
func TestKeysOfSeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Flow{SrcIP: rapid.Uint32().Draw(t, "src"), DstIP: rapid.Uint32().Draw(t, "dst"),
			SrcPort: rapid.Uint16().Draw(t, "port"), DstPort: 4791, Protocol: UDP}
		seed := rapid.Uint64Min(1).Draw(t, "seed")
		key, s := RSSKey, splitmix.Stream(seed)
		for i := 0; i < len(key); i += 8 {
			binary.BigEndian.PutUint64(key[i:], s.Next())
		}
		b := f.bytes(false)
		b = b[:len(b)-1]
		if got, want := toeplitz(f, false, seed), uint64(Toeplitz(RSSKey[:], b)^Toeplitz(key[:], b)); got != want {
			t.Fatalf("%#x, want %#x", got, want)
		}
	})
}
