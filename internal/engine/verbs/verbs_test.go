package verbs

import (
	"testing"

	"railyard/internal/base/unit"
)

// TestRegions: a key gives the bytes of its region and never a byte beside them (IBTA vol. 1, 9.7.4.1.5).
func TestRegions(t *testing.T) {
	var r Regions
	a, b := r.Register(Buffer("abcdef")), r.Register(Buffer(""))
	if a != 1 || b != 2 {
		t.Fatalf("keys %d and %d, want 1 and 2", a, b)
	}
	for _, c := range []struct {
		key     uint32
		address uint64
		size    int
		want    string
		ok      bool
	}{
		{a, 0, 6, "abcdef", true}, {a, 2, 3, "cde", true}, {a, 6, 0, "", true}, {b, 0, 0, "", true},
		{a, 0, 7, "", false}, {a, 6, 1, "", false}, {a, 7, 0, "", false}, {b, 0, 1, "", false},
		{a, 1 << 63, 1, "", false}, {a, 1<<64 - 1, 2, "", false}, {a, 1, -1, "", false},
		{0, 0, 0, "", false}, {3, 0, 0, "", false}, {1 << 31, 0, 0, "", false},
	} {
		if got, ok := r.At(c.key, c.address, c.size); string(got) != c.want || ok != c.ok {
			t.Errorf("key %d, %d bytes at %d: %q, %v, want %q, %v", c.key, c.size, c.address, got, ok, c.want, c.ok)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		buffer int32
		off    int64
	}{{0, 0}, {0, 1<<44 - 1}, {1, 0}, {1<<19 - 1, 12345}} {
		if buffer, off := Place(Address(c.buffer, c.off)); buffer != c.buffer || off != c.off {
			t.Errorf("buffer %d, offset %d come back as %d, %d", c.buffer, c.off, buffer, off)
		}
	}
	if Address(0, 1<<44-1)+1 != Address(1, 0) {
		t.Error("buffers do not follow one another")
	}
}

func TestHeaders(t *testing.T) {
	h := Header{Bytes: 1 << 40, Step: 1 << 33, Coll: 7, Late: 3 * unit.Microsecond}
	b := h.Append([]byte("x"))[1:]
	if len(b) != HeaderBytes {
		t.Fatalf("%d bytes, want %d", len(b), HeaderBytes)
	}
	if got, err := DecodeHeader(b); err != nil || got != h {
		t.Errorf("%+v comes back as %+v, %v", h, got, err)
	}
	if got := HeaderOf(h.Words()); got != h {
		t.Errorf("%+v comes back from its words as %+v", h, got)
	}
	if got, err := DecodeHeader(Header{Step: -1}.Append(nil)); err != nil || got.Step != -1 {
		t.Errorf("the phase before step 0 comes back as %+v, %v", got, err)
	}
	for n := range HeaderBytes {
		if _, err := DecodeHeader(b[:n]); err == nil {
			t.Errorf("%d bytes are a header", n)
		}
	}
	for _, at := range []int{0, 8, 16, 20} {
		bad := append([]byte{}, b...)
		bad[at] |= 0x80
		if got, err := DecodeHeader(bad); err == nil {
			t.Errorf("with the sign at byte %d it is %+v", at, got)
		}
	}
}

// TestCarries: packets of a message in order carry each of its bytes once, whatever the protocol made of them.
func TestCarries(t *testing.T) {
	for _, c := range []struct {
		bytes       int
		total, each unit.Bytes
	}{{1000, 1000, 300}, {1000, 2000, 300}, {120, 128, 50}, {7, 100, 9}, {500, 250, 100}} {
		next := int64(0)
		for off := unit.Bytes(0); off < c.total; off += c.each {
			lo, hi := Carries(c.bytes, int64(off), min(c.each, c.total-off), c.total)
			if lo != next || hi < lo {
				t.Fatalf("%+v: the packet at %d carries %d to %d, want from %d", c, off, lo, hi, next)
			}
			next = hi
		}
		if next != int64(c.bytes) {
			t.Errorf("%+v: all packets carry %d bytes", c, next)
		}
	}
}

func FuzzDecodeHeader(f *testing.F) {
	f.Add(Header{Bytes: 5, Step: 1, Coll: 2, Late: 3}.Append(nil))
	f.Add(make([]byte, HeaderBytes-1))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := DecodeHeader(b)
		if err != nil {
			return
		}
		if got := h.Append(nil); string(got) != string(b[:HeaderBytes]) {
			t.Errorf("%x decodes to %+v, which is %x", b[:HeaderBytes], h, got)
		}
	})
}
