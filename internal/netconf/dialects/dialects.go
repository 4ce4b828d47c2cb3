// Package dialects lists the languages that configurations are rendered and read in.
package dialects

import (
	"railyard/internal/netconf"
	"railyard/internal/netconf/frr"
)

// A Dialect is one of them, and what it is.
type Dialect struct {
	netconf.Dialect
	Meaning string
}

// All are the dialects by name.
var All = map[string]Dialect{
	"frr": {frr.Dialect{}, "FRR 8.4 and ifupdown2 on Linux: addresses, VLANs, BGP with BFD"},
}
