// Package dialects lists the languages that configurations are rendered and read in.
package dialects

import (
	"maps"
	"slices"

	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/eos"
	"railyard/internal/config/netconf/frr"
	"railyard/internal/config/netconf/junos"
	"railyard/internal/config/netconf/nvue"
	"railyard/internal/config/netconf/nxos"
	"railyard/internal/config/netconf/sonic"
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
