package dialects

import (
	"fmt"
	"testing"
)

// The defaults of frames are what manuals say, and each default has its source.
func TestDefaults(t *testing.T) {
	for name, want := range map[string]string{ // switched, routed, SVI: header and FCS as netconf counts them
		"eos":   "9232 1518 1518", // EOS user manual: 1,500 bytes of packet where it is routed, else the platform's most
		"frr":   "0 0 0",
		"junos": "1518 1518 1518", // 1,514 without FCS
		"nvue":  "9234 9234 9234", // 9,216 bytes of packet
		"nxos":  "1500 1500 1500", // Cisco 118994, counted as its mtu counts
		"sonic": "9118 9118 9118", // 9,100 bytes of packet
	} {
		d := All[name].Parse(nil).Defaults
		if got := fmt.Sprintf("%d %d %d", d.SwitchedMTU, d.RoutedMTU, d.SVIMTU); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if len(d.All) == 0 {
			t.Errorf("%s: no defaults", name)
		}
		for _, x := range d.All {
			if x.What == "" || x.Value == "" || x.Source == "" {
				t.Errorf("%s: %+v", name, x)
			}
		}
	}
}
