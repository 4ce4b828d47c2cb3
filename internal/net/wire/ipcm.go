package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
)

// IPService is what rdma_cm puts before the private data of a REQ, so that a connection is one of IP addresses and
// ports (IBTA vol. 1, annex A11: RDMA IP CM service).
//
//	0  1   major version : 4, minor version : 4, both 0
//	1  1   IP version : 4, reserved : 4
//	2  2   source port
//	4 16   source address; of IPv4 the last four bytes, the others 0
//	20 16  destination address
type IPService struct {
	Port         uint16 // the sender's; the other end's stands in the service id
	Source, Dest netip.Addr
}

// IPServiceBytes is the length of an IPService in private data.
const IPServiceBytes = 36

// Put writes it to the begin of a REQ's private data. Source and Dest are of one version.
func (s IPService) Put(to *RequestPrivate) {
	to[1] = 6 << 4
	if s.Source.Is4() {
		to[1] = 4 << 4
	}
	binary.BigEndian.PutUint16(to[2:], s.Port)
	for i, a := range []netip.Addr{s.Source, s.Dest} {
		field := to[4+16*i:][:16]
		clear(field)
		if a.Is4() {
			v4 := a.As4()
			copy(field[12:], v4[:])
			continue
		}
		v6 := a.As16()
		copy(field, v6[:])
	}
}

// IPService reads what Put has written; an error says that it is none of a known version.
func (p *RequestPrivate) IPService() (s IPService, err error) {
	if p[0] != 0 {
		return s, fmt.Errorf("IP CM: version %d.%d, want 0.0", p[0]>>4, p[0]&15)
	}
	s.Port = binary.BigEndian.Uint16(p[2:])
	for i, a := range []*netip.Addr{&s.Source, &s.Dest} {
		field := p[4+16*i:][:16]
		switch p[1] >> 4 {
		case 4:
			if *a = netip.AddrFrom4([4]byte(field[12:])); [12]byte(field) != [12]byte{} {
				return s, errors.New("IP CM: an IPv4 address with other than zeros before it")
			}
		case 6:
			*a = netip.AddrFrom16([16]byte(field))
		default:
			return s, fmt.Errorf("IP CM: IP version %d, want 4 or 6", p[1]>>4)
		}
	}
	return s, nil
}
