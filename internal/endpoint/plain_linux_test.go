package endpoint

import (
	"net/netip"
	"testing"
)

// newPlain is newEnd with the UDP socket alone, as if nobody were root.
func newPlain(t *testing.T, addr string) *end {
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
