package netconf

import (
	"cmp"
	"railyard/internal/net/inventory"
	"slices"
	"strconv"
	"strings"
)

// SplitPort returns the number of a port called Ethernet1/N or Ethernet1/N/PART, and of its part, 0: the
// whole; false if it is called something else.
func SplitPort(name string) (number, part int, ok bool) {
	rest, ok := strings.CutPrefix(name, "Ethernet1/")
	if !ok {
		return 0, 0, false
	}
	first, second, split := strings.Cut(rest, "/")
	if number, ok = counted(first); !ok || !split {
		return number, 0, ok
	}
	part, ok = counted(second)
	return number, part, ok
}

// JoinPort is the name that SplitPort takes apart.
func JoinPort(number, part int) string {
	return inventory.PortName{Number: number, Part: part, NIC: -1}.String()
}

// counted reads a number from 1 without leading zeros.
func counted(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), err == nil && n > 0 && text[0] != '0'
}

// Sort puts what a device holds into the order in which devices are compared: loopback, SVIs by
// VLAN and ports by number; neighbours by address, prefixes by address and length.
func (d *Device) Sort() {
	slices.SortStableFunc(d.Interfaces, func(a, b Interface) int {
		numberA, partA, _ := SplitPort(a.Name)
		numberB, partB, _ := SplitPort(b.Name)
		return cmp.Or(cmp.Compare(order[a.Kind], order[b.Kind]), cmp.Compare(numberA, numberB),
			cmp.Compare(partA, partB), cmp.Compare(a.VLAN, b.VLAN), cmp.Compare(a.Name, b.Name))
	})
	for i := range d.Interfaces {
		slices.SortFunc(d.Interfaces[i].Addresses, comparePrefixes)
	}
	if d.Tunnels != nil {
		slices.SortFunc(d.Tunnels.VNIs, func(x, y VNI) int { return cmp.Or(x.VLAN-y.VLAN, x.Number-y.Number) })
	}
	if b := d.BGP; b != nil {
		slices.SortFunc(b.Neighbours, func(x, y Neighbour) int {
			return cmp.Or(x.Address.Compare(y.Address), cmp.Compare(x.Port, y.Port))
		})
		slices.SortFunc(b.Networks, comparePrefixes)
		slices.SortFunc(b.Aggregates, func(x, y Aggregate) int { return comparePrefixes(x.Prefix, y.Prefix) })
	}
}

// order is that of the kinds of interfaces.
var order = [...]int{Physical: 2, SVI: 1, Loopback: 0, Bundle: 3}
