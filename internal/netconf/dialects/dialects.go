// Package dialects lists the languages that configurations are rendered and read in.
package dialects

import (
	"maps"
	"slices"

	"railyard/internal/netconf"
	"railyard/internal/netconf/frr"
	"railyard/internal/netconf/nxos"
)

// A Dialect is one of them, and what it is.
type Dialect struct {
	netconf.Dialect
	Meaning string
}

// All are the dialects by name.
var All = map[string]Dialect{
	"frr":  {frr.Dialect{}, "FRR 8.4 and ifupdown2 on Linux: addresses, VLANs, BGP with BFD"},
	"nxos": {nxos.Dialect{}, "Cisco NX-OS on Nexus 9000: quality of service, LLDP, load balancing"},
}

// Names lists them.
func Names() []string { return slices.Sorted(maps.Keys(All)) }
