// Package dialects is the list of platforms that a device's configuration can be rendered for and
// read from.
package dialects

import (
	"maps"
	"slices"

	"railyard/internal/netconf"
	"railyard/internal/netconf/frr"
	"railyard/internal/netconf/nxos"
)

// All is the dialects by name.
var All = map[string]netconf.Dialect{
	"frr":  frr.Dialect{},
	"nxos": nxos.Dialect{},
}

// Names lists them.
func Names() []string { return slices.Sorted(maps.Keys(All)) }
