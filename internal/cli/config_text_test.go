package cli

import (
	"net/netip"
	"strings"
	"testing"

	"railyard/internal/netconf"
	"railyard/internal/unit"
)

// What an interface has stands in its row, each thing once.
func TestAnInterfaceSaysEachThingOnce(t *testing.T) {
	i := &netconf.Interface{Name: "Vlan101", VLAN: 101, MTU: 9166, MAC: "00:00:5e:00:01:01", Channel: 11,
		Speed: 400 * unit.GigabitPerSec, Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.1.1/25")}}
	row := strings.Join(interfaceRow(&configured{Parsed: &netconf.Parsed{}}, i), "|")
	for _, want := range []string{"Vlan101", "|101|", "9166B", "10.0.1.1/25", "MAC 00:00:5e:00:01:01", "port channel 11", "400Gb/s"} {
		if strings.Count(row, want) != 1 {
			t.Errorf("%q stands %d times in %s", want, strings.Count(row, want), row)
		}
	}
}
