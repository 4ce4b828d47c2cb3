package clue

import (
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan"
)

// PlaceName names what a cause of time is about: a port, or a directed link inside a host behind these (host.Place).
func PlaceName(p *plan.Plan, at int32) string {
	if at < int32(len(p.Graph.Ports)) {
		return p.Graph.Ports[at].Name
	}
	host, d := insideOf(p, at)
	return p.Graph.Hosts[host].Name + "/" + p.PCIe.Graph.Names[d]
}

// PlaceRate is what a place carries.
func PlaceRate(p *plan.Plan, at int32) unit.Bitrate {
	if at < int32(len(p.Graph.Ports)) {
		return p.Graph.Ports[at].Rate
	}
	_, d := insideOf(p, at)
	return p.PCIe.Graph.Rates[d/2]
}

// Inside finds a link inside a host by the name of its place.
func Inside(p *plan.Plan, place string) (host, link int32, ok bool) {
	name, of, _ := strings.Cut(place, "/")
	if p.PCIe.Graph == nil {
		return 0, 0, false
	}
	h := slices.IndexFunc(p.Graph.Hosts, func(x topo.Host) bool { return x.Name == name })
	d := slices.Index(p.PCIe.Graph.Names, of)
	return int32(h), int32(d / 2), h >= 0 && d >= 0
}

// Slows reports whether an entry of faults is about a link inside the hosts that it happens to.
func Slows(p *plan.Plan, entry int, link int32) bool {
	f := &p.Scenario.Faults[entry]
	if !f.PCIeLink.Set {
		return p.PCIe.Graph.OfCard(link)
	}
	named, err := p.PCIe.Graph.Link(f.PCIeLink.Value)
	return err == nil && named == link
}

func insideOf(p *plan.Plan, at int32) (host, directed int32) {
	at -= int32(len(p.Graph.Ports))
	n := int32(len(p.PCIe.Graph.Names))
	return at / n, at % n
}
