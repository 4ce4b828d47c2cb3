package frr

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"railyard/internal/config/netconf"
)

// linuxName is what an interface is called on Linux, "" if it cannot be called anything.
func linuxName(i *netconf.Interface) string {
	switch i.Kind {
	case netconf.Loopback:
		if i.Name == "Loopback0" {
			return "lo"
		}
	case netconf.SVI:
		if i.Name == "Vlan"+strconv.Itoa(i.VLAN) {
			return "vlan" + strconv.Itoa(i.VLAN)
		}
	default:
		number, part, ok := netconf.SplitPort(i.Name)
		switch {
		case ok && part > 0:
			return fmt.Sprintf("swp%ds%d", number, part-1)
		case ok:
			return fmt.Sprintf("swp%d", number)
		}
	}
	return ""
}

// PortName is what a port of a switch, Ethernet1/24/2, is called on Linux.
func PortName(name string) string { return linuxName(&netconf.Interface{Name: name}) }

var portName = regexp.MustCompile(`^swp([1-9][0-9]{0,4})(?:s([0-9]{1,3}))?$`)

// linux is any name of an interface: 15 characters (IFNAMSIZ of Linux).
var linux = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.:@/-]{0,14}$`)

// tunnelName is what the end of a VXLAN is called on Linux.
func tunnelName(vni int) string { return fmt.Sprintf("vni%d", vni) }

// named makes the interface that is called so on Linux; false if none is.
func named(name string) (netconf.Interface, bool) {
	if name == "lo" {
		return netconf.Interface{Name: "Loopback0", Kind: netconf.Loopback}, true
	}
	if id, ok := strings.CutPrefix(name, "vlan"); ok {
		vlan, err := strconv.Atoi(id)
		return netconf.Interface{Name: "Vlan" + id, Kind: netconf.SVI, VLAN: vlan},
			err == nil && vlan >= 1 && vlan <= 4094 && strconv.Itoa(vlan) == id
	}
	m := portName.FindStringSubmatch(name)
	switch {
	case m == nil && !linux.MatchString(name):
		return netconf.Interface{}, false
	case m == nil && (strings.HasPrefix(name, "lo") || strings.HasPrefix(name, "dummy")):
		return netconf.Interface{Name: name, Kind: netconf.Loopback}, true
	case m == nil:
		return netconf.Interface{Name: name}, true
	}
	number, _ := strconv.Atoi(m[1])
	part := 0
	if m[2] != "" {
		part, _ = strconv.Atoi(m[2])
		part++
	}
	i := netconf.Interface{Name: netconf.JoinPort(number, part), Kind: netconf.Physical}
	return i, linuxName(&i) == name
}
