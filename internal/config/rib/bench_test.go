package rib_test

import (
	"testing"

	"railyard/internal/config/netconf"
	"railyard/internal/config/rib"
	"railyard/internal/net/inventory"
	"railyard/internal/net/inventory/inventorytest"
	"railyard/internal/net/topo"
)

// BenchmarkNew works out one switch's table of 800: 768 leaves of a rail each under 32 spines.
func BenchmarkNew(b *testing.B) {
	g, err := topo.RailOptimized{Hosts: 768, GPUs: 8, NICs: 8, Segment: 8, Spines: 32, HostLink: inventorytest.Host200,
		SpineLink: inventorytest.Trunk400}.Graph()
	if err != nil {
		b.Fatal(err)
	}
	in, err := inventory.New(g, inventorytest.Usual())
	if err != nil {
		b.Fatal(err)
	}
	devices := netconf.Design(in)
	for b.Loop() {
		rib.New(devices, func(d int) bool { return d == 0 })
	}
}
