package wire

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"testing"
)

// Bytes as Linux sends them: what a host asks of 10.99.0.1, and what it answers to a solicitation.
func TestNeighbours(t *testing.T) {
	a := ARP{Sender: MAC{0x52, 0x54, 0, 0x99, 0, 1}, SenderIP: netip.MustParseAddr("10.99.0.2"), WantIP: netip.MustParseAddr("10.99.0.1")}
	want := "0001080006040001525400990001" + "0a630002" + "000000000000" + "0a630001"
	if got := hex.EncodeToString(a.Append(nil)); got != want {
		t.Errorf("ARP %s, want %s", got, want)
	}
	if b, err := DecodeARP(a.Append(nil)); err != nil || b != a {
		t.Errorf("%+v, %v", b, err)
	}
	from, to := netip.MustParseAddr("fd99::2"), netip.MustParseAddr("fd99::1")
	n := Neighbour{Advertises: true, Target: from, Link: MAC{0x52, 0x54, 0, 0x99, 0, 1}}
	b := n.Append(nil, from, to)
	if got, err := DecodeNeighbour(b, from, to); err != nil || got != n || len(b) != NeighbourBytes {
		t.Errorf("%+v, %v", got, err)
	}
	// RFC 1071 by hand: fd99+0002 + fd99+0001 + 0020 + 003a + 8800 + 6000 + fd99+0002 + 0201 + 5254 + 0099 + 0001 = 0x43619 -> 0x361d
	if b[2] != 0xC9 || b[3] != 0xE2 {
		t.Errorf("checksum % x, want c9 e2", b[2:4])
	}
	for i := range b {
		c := bytes.Clone(b)
		c[i] ^= 0x10
		if _, err := DecodeNeighbour(c, from, to); err == nil {
			t.Errorf("byte %d spoilt, and it is taken", i)
		}
	}
}

func FuzzDecodeNeighbour(f *testing.F) {
	from, to := netip.MustParseAddr("fd99::2"), netip.MustParseAddr("fd99::1")
	f.Add(Neighbour{Target: from}.Append(nil, from, to))
	f.Add(ARP{SenderIP: netip.MustParseAddr("10.99.0.2"), WantIP: netip.MustParseAddr("10.99.0.1")}.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if a, err := DecodeARP(b); err == nil && !bytes.Equal(a.Append(nil), b[:ARPBytes]) {
			t.Errorf("%+v is not % x", a, b)
		}
		if n, err := DecodeNeighbour(b, from, to); err == nil {
			if again, err := DecodeNeighbour(n.Append(nil, from, to), from, to); err != nil || again != n {
				t.Errorf("%+v, %v, want %+v", again, err, n)
			}
		}
	})
}
