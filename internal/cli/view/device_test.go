package view

import (
	"net/netip"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/config/collected"
	"railyard/internal/config/netconf"
)

// What an interface has stands in its row, each thing once.
func TestAnInterfaceSaysEachThingOnce(t *testing.T) {
	i := &netconf.Interface{Name: "Vlan101", VLAN: 101, MTU: 9166, MAC: "00:00:5e:00:01:01", Channel: 11,
		Speed: 400 * unit.GigabitPerSec, Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.1.1/25")}}
	row := strings.Join(interfaceRow(&collected.Device{Parsed: &netconf.Parsed{}}, i), "|")
	for _, want := range []string{"Vlan101", "|101|", "9166B", "10.0.1.1/25", "MAC 00:00:5e:00:01:01", "port channel 11", "400Gb/s"} {
		if strings.Count(row, want) != 1 {
			t.Errorf("%q stands %d times in %s", want, strings.Count(row, want), row)
		}
	}
}

// Files of a device are a to z, then a1.
func TestLettersOfFiles(t *testing.T) {
	for n, want := range map[int]string{0: "a", 25: "z", 26: "a1", 53: "b2"} {
		if got := letter(n); got != want {
			t.Errorf("file %d: %q, want %q", n, got, want)
		}
	}
}

// A reserve stands in the line of a class that pauses if it has one.
func TestPauseText(t *testing.T) {
	p := &netconf.Pause{Priority: 3}
	if got := pauseText(p); got != "priority 3, platform's xOFF" {
		t.Errorf("%q", got)
	}
	p.Buffer = &netconf.Buffer{XOFF: 9 * unit.Kilobyte, Headroom: 40 * unit.Kilobyte, Resume: 2 * unit.Kilobyte}
	if got := pauseText(p); strings.Contains(got, "reserve") {
		t.Errorf("without a reserve: %q", got)
	}
	p.Buffer.Reserve = 5 * unit.Kilobyte
	if got := pauseText(p); !strings.HasSuffix(got, ", reserve 5kB") {
		t.Errorf("%q, want a reserve of 5kB", got)
	}
}
