package endpoint

import (
	"net"
	"net/netip"
	"testing"
)

// newPlain is newEnd with the UDP socket alone, as if nobody were root.
func newPlain(t testing.TB, addr string) *end {
	t.Helper()
	a := netip.MustParseAddr(addr)
	s, err := openSockets(a, false)
	if err != nil {
		t.Skipf("no socket of RoCEv2: %v", err)
	}
	e := &end{b: make([]byte, regionBytes), Endpoint: begin(a, s, nil, nil)}
	e.ready(t)
	return e
}

// Packets are read whole, with their IP header, wherever a raw socket may be opened.
func TestRawWhereItMayBe(t *testing.T) {
	const at = "127.0.42.9"
	may := false
	if c, err := net.ListenIP("ip4:udp", &net.IPAddr{IP: net.ParseIP(at)}); err == nil {
		may = true
		c.Close()
	}
	s, err := openSockets(netip.MustParseAddr(at), true)
	if err != nil {
		t.Skipf("no socket of RoCEv2: %v", err)
	}
	if s.raw() != may {
		t.Errorf("raw %v, want %v", s.raw(), may)
	}
	s.close()
}
