package network

import (
	"errors"
	"net/netip"

	"railyard/internal/base/located"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/plan/scenario"
)

// optionKeys are where a scenario says an option of its inventory, by the option's name.
var optionKeys = map[string]string{
	"Panel":      "fabric.switch.panel_rows",
	"RailBits":   "fabric.addresses.rail_prefix",
	"Hosts":      "fabric.addresses.hosts",
	"Links":      "fabric.addresses.links",
	"Loopbacks":  "fabric.addresses.loopbacks",
	"Hosts6":     "fabric.addresses.hosts6",
	"Links6":     "fabric.addresses.links6",
	"Loopbacks6": "fabric.addresses.loopbacks6",
	"ASBase":     "fabric.routing.as_base",
	"Protocol":   "fabric.routing.protocol",
}

// Inventory gives a network its names and addresses.
func Inventory(sc *scenario.Scenario, g *topo.Graph) (*inventory.Inventory, error) {
	f := &sc.Fabric
	in, err := inventory.New(g, inventory.Options{
		Panel:    func(topo.NodeID) inventory.Panel { return panel(f) },
		MTU:      f.MTU,
		Pools:    pools(&f.Addresses),
		IPv6:     f.Addresses.IPv6,
		RailBits: f.Addresses.RailPrefix.Or(0),
		Routing:  sessions(&f.Routing),
	})
	var all located.Problems
	for _, e := range each(err) {
		var refusal *inventory.Refusal
		if !errors.As(e, &refusal) {
			return nil, e
		}
		all = append(all, sc.Located(scenario.Finding{
			Severity: scenario.Error,
			Path:     optionKeys[refusal.Option],
			Message:  refusal.Text,
		}))
	}
	if len(all) > 0 {
		return nil, all.Sorted()
	}
	return in, nil
}

// each lists the errors that were joined.
func each(err error) []error {
	var joined interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined):
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, each(e)...)
		}
		return all
	}
	return []error{err}
}

// pools are the prefixes of a scenario, which has checked that they are some.
func pools(a *scenario.Addresses) inventory.Pools {
	p := inventory.Pools{
		Hosts:     netip.MustParsePrefix(a.Hosts),
		Links:     netip.MustParsePrefix(a.Links),
		Loopbacks: netip.MustParsePrefix(a.Loopbacks),
	}
	if a.IPv6 {
		p.Hosts6, p.Links6 = netip.MustParsePrefix(a.Hosts6), netip.MustParsePrefix(a.Links6)
		p.Loopbacks6 = netip.MustParsePrefix(a.Loopbacks6)
	}
	return p
}

// sessions are what a scenario says of routing.
func sessions(r *scenario.Routing) inventory.Routing {
	if !r.Speaks() {
		return inventory.Routing{Protocol: inventory.None}
	}
	out := inventory.Routing{
		Protocol:  inventory.Protocol(r.Protocol),
		ASBase:    uint32(r.ASBase),
		UniqueAS:  r.SpineAS == "unique",
		Summaries: r.Summaries,
		Hold:      r.Hold,
	}
	if r.BFD {
		out.BFD = &inventory.BFD{Interval: r.BFDInterval, Multiplier: r.BFDMultiplier}
	}
	return out
}
