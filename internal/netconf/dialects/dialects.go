// Package dialects lists the languages that configurations are rendered and read in.
package dialects

import (
	"maps"
	"slices"

	"railyard/internal/netconf"
	"railyard/internal/netconf/eos"
	"railyard/internal/netconf/frr"
	"railyard/internal/netconf/junos"
	"railyard/internal/netconf/nvue"
	"railyard/internal/netconf/nxos"
	"railyard/internal/netconf/sonic"
)

// A Dialect is one of them, and what it is.
type Dialect struct {
	netconf.Dialect
	Meaning string
}

// All are the dialects by name.
var All = map[string]Dialect{
	"eos":   {eos.Dialect{}, "Arista EOS: quality of service, watchdog, DCBX, addresses, VLANs, BGP with BFD"},
	"frr":   {frr.Dialect{}, "FRR 8.4 and ifupdown2 on Linux: addresses, VLANs, BGP with BFD"},
	"junos": {junos.Dialect{}, "Junos on QFX, set commands: quality of service, load balancing"},
	"nvue":  {nvue.Dialect{}, "NVIDIA Cumulus Linux: quality of service as roce makes it, adaptive routing"},
	"nxos": {nxos.Dialect{}, "Cisco NX-OS on Nexus 9000: quality of service, LLDP, load balancing, addresses, " +
		"VLANs, BGP with BFD"},
	"sonic": {sonic.Dialect{}, "SONiC's config_db.json: quality of service, buffers, watchdog, addresses, VLANs; FRR's file: BGP " +
		"with BFD"},
}

// Names lists them.
func Names() []string { return slices.Sorted(maps.Keys(All)) }
