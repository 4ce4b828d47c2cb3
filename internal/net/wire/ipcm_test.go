package wire

import (
	"encoding/hex"
	"net/netip"
	"testing"
)

// The bytes of annex A11, and back; what is of another version is refused.
func TestIPService(t *testing.T) {
	var p RequestPrivate
	s := IPService{Port: 0x1234, Source: netip.MustParseAddr("10.0.0.1"), Dest: netip.MustParseAddr("10.0.0.2")}
	s.Put(&p)
	const want = "00401234" + "0000000000000000000000000a000001" + "0000000000000000000000000a000002"
	if got := hex.EncodeToString(p[:IPServiceBytes]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, s := range []IPService{s, {Port: 1, Source: netip.MustParseAddr("fd00::1"), Dest: netip.MustParseAddr("fd00::2")}} {
		s.Put(&p)
		if got, err := p.IPService(); err != nil || got != s {
			t.Errorf("%v read as %v, %v", s, got, err)
		}
	}
	for at, wrong := range map[int]byte{0: 0x10, 1: 0x50} {
		q := p
		if q[at] = wrong; func() error { _, err := q.IPService(); return err }() == nil {
			t.Errorf("byte %d of 0x%02x is taken", at, wrong)
		}
	}
	s.Put(&p)
	if p[4] = 1; func() error { _, err := p.IPService(); return err }() == nil {
		t.Error("an IPv4 address of sixteen bytes is taken")
	}
}
