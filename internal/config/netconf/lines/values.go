package lines

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"railyard/internal/base/located"
)

// MostAS is the largest AS number (RFC 6793).
const MostAS = 4_294_967_295

// AS reads the number of an AS, as one number or as two with a point (RFC 5396).
func AS(text string) (uint32, error) {
	if high, low, dotted := strings.Cut(text, "."); dotted {
		a, err1 := strconv.ParseUint(high, 10, 16)
		b, err2 := strconv.ParseUint(low, 10, 16)
		if err1 == nil && err2 == nil && a+b > 0 {
			return uint32(a<<16 | b), nil
		}
	}
	v, err := Whole(text, 1, MostAS)
	return uint32(v), err
}

// Whole reads a whole number within bounds.
func Whole(text string, low, high uint64) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s: want a whole number from %d to %d", located.Shown(text), low, high)
	}
	return n, nil
}

// Address reads an IP address.
func Address(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" || a.Is4In6() {
		return a, fmt.Errorf("%s: want an IP address", located.Shown(text))
	}
	return a, nil
}

// Address4 reads an IPv4 address.
func Address4(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil || !a.Is4() {
		return a, fmt.Errorf("%s: want an IPv4 address", located.Shown(text))
	}
	return a, nil
}

// Prefix reads a prefix of a family, IPv6 or IPv4; whole: with no bits beyond its length.
func Prefix(text string, six, whole bool) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil || p.Addr().Is6() != six || p.Addr().Is4In6():
		return p, fmt.Errorf("%s: want an %s prefix", located.Shown(text), map[bool]string{false: "IPv4",
			true: "IPv6"}[six])
	case whole && p != p.Masked():
		return p, fmt.Errorf("%s: has bits set beyond its length, want %s", text, p.Masked())
	}
	return p, nil
}
