package inventory

import (
	"fmt"
	"net/netip"

	"railyard/internal/base/unit"
)

// An Address is one of an interface, with the length of its subnet, and its IPv6 one. Either may
// be absent.
type Address struct{ V4, V6 netip.Prefix }

// All lists the addresses that there are.
func (a Address) All() (all []netip.Prefix) {
	for _, p := range []netip.Prefix{a.V4, a.V6} {
		if p.IsValid() {
			all = append(all, p)
		}
	}
	return all
}

// subnet is the n-th prefix of a length in a pool; false if the pool ends before it.
func subnet(pool netip.Prefix, bits int, n uint64) (netip.Prefix, bool) {
	if room := bits - pool.Bits(); room < 0 || room < 64 && n>>room != 0 {
		return netip.Prefix{}, false
	}
	b := pool.Masked().Addr().As16()
	if pool.Addr().Is4() {
		addAt(&b, 96+bits, n)
		var four [4]byte
		copy(four[:], b[12:])
		return netip.PrefixFrom(netip.AddrFrom4(four), bits), true
	}
	addAt(&b, bits, n)
	return netip.PrefixFrom(netip.AddrFrom16(b), bits), true
}

// addAt adds n to an address, n's lowest bit being bit number bits-1 from the left.
func addAt(b *[16]byte, bits int, n uint64) {
	for i := bits - 1; i >= 0 && n != 0; i-- {
		b[i/8] |= byte(n&1) << (7 - i%8) // these bits of a subnet's number are 0
		n >>= 1
	}
}

// host is the n-th address of a subnet, with the subnet's length.
func host(s netip.Prefix, n uint64) netip.Prefix {
	one, ok := subnet(s, s.Addr().BitLen(), n)
	if !ok {
		panic(fmt.Sprintf("inventory: address %d of %s", n, s))
	}
	return netip.PrefixFrom(one.Addr(), s.Bits())
}

// log2 is the exponent of the smallest power of two that is at least n.
func log2(n int) (bits int) {
	for 1<<bits < n {
		bits++
	}
	return bits
}

// IPMTU is the largest IP packet in frames of a size: without Ethernet header and FCS.
func IPMTU(frame unit.Bytes) unit.Bytes { return frame - 18 }
