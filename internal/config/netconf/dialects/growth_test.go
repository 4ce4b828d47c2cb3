package dialects

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/machine/machinetest"
	"railyard/internal/config/netconf"
)

// A file of many ports takes as long as many files of few, in every dialect: a port is not looked for among
// all that are there.
func TestPortsTakeTheirTimeOnce(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"eos":   func(n int) string { return each(n, "interface Ethernet%d\n  no switchport\n") },
		"frr":   func(n int) string { return each(n, "interface swp%d\n ip address 10.0.0.1/31\n") },
		"junos": func(n int) string { return each(n, "set interfaces et-0/0/%d mtu 9216\n") },
		"nvue":  func(n int) string { return each(n, "nv set interface swp%d qos pfc-watchdog\n") },
		"nxos":  func(n int) string { return each(n, "interface Ethernet1/%d\n  no shutdown\n") },
		"sonic": func(n int) string { return `{"PORT": {` + each(n, `"Ethernet%d": {"mtu": "9100"},`) + `"E": {}}}` },
	} {
		few, many := []byte(text(2000)), []byte(text(2000*machinetest.Parts))
		machinetest.Whole(t, name, 2000, func(n int) {
			text := few
			if n > 2000 {
				text = many
			}
			All[name].Parse([]netconf.File{netconf.NewFile("f", text)})
		})
	}
}

func each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}

// What is over a bound is said, and not quoted: it may be any file.
func TestBoundsOfConfigurations(t *testing.T) {
	for name, d := range All {
		for what, text := range map[string]string{"lines": strings.Repeat("x\n", 200_001), "a line": "x " + strings.Repeat("y", 20_000),
			"values": `{"PORT": {` + strings.Repeat(`"a": 1,`, 200_001) + `"b": 1}}`} {
			if (name == "sonic") != (what == "values") {
				continue
			}
			said := false
			for _, p := range d.Parse([]netconf.File{netconf.NewFile("f", []byte(text))}).Problems {
				bound := strings.Contains(p.Message, "more than 200000") || strings.Contains(p.Message, "line 1 has 20002 bytes")
				said = said || bound
				if bound && name != "sonic" && p.Line != 0 {
					t.Errorf("%s, %s: the line is shown", name, what)
				}
			}
			if !said {
				t.Errorf("%s, %s: nothing is said of the bound", name, what)
			}
		}
	}
}
