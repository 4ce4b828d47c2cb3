package dialects

import (
	"testing"

	"railyard/internal/config/netconf"
)

func TestDetect(t *testing.T) {
	for text, want := range map[string]string{
		"!\nfrr version 8.4":                                        "frr",
		"feature lldp\nclass-map type qos match-any R":              "nxos",
		"hostname leaf1\nqos map dscp 26 to traffic-class 3":        "eos",
		"nv set qos roce":                                           "nvue",
		"set class-of-service interfaces et-0/0/0":                  "junos",
		"{\n  \"DSCP_TO_TC_MAP\": {}\n}":                            "sonic",
		`{"PORT": {"Ethernet0": {}}}`:                               "sonic",
		"{\n  \"state\": \"complete\"\n}":                           "",
		"! device: leaf1 (DCS-7060X6, EOS-4.32.1F)\nhostname leaf1": "eos",
		"\n!Command: show running-config\nhostname leaf1":           "nxos",
		"system {\n    host-name a;\n}\n":                           "junos",
		"set interfaces et-0/0/0 mtu 9216":                          "junos",
		"- header:\n    model: x\n- set:\n    qos: {}":              "nvue",
		"\ufeffsystem qos\n":                                        "nxos",
		"PAR1\x00\x01":                                              "",
	} {
		got, err := Detect([]netconf.File{netconf.NewFile("f", []byte(text))})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
