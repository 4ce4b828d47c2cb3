package lint_test

import (
	"strings"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/lldp"
	"railyard/internal/config/netconf"
)

// hearing is the fabric of four with what its leaves hear.
func hearing(t *testing.T, text string) []*lint.Device {
	t.Helper()
	all, err := lldp.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	texts := fabric()
	var devices []*lint.Device
	for _, key := range []string{"eos leaf1", "nxos leaf2", "frr spine1", "frr spine2"} {
		dialect, name, _ := strings.Cut(key, " ")
		d := linttest.Read(dialect, name, texts[key])
		for _, x := range all {
			if x.Host == name {
				d.Heard = append(d.Heard, x.Neighbours...)
			}
		}
		devices = append(devices, d)
	}
	return devices
}

const heardRight = `leaf1# show lldp neighbors
Port          Neighbor Device ID       Neighbor Port ID    TTL
---------- ------------------------ ---------------------- ---
Et1           spine1                   eth1                120
Et2           spine2.lab.example       eth1                120
Et9           host1                    00:00:5e:00:53:01   120

leaf2# show lldp neighbors
Device ID            Local Intf      Hold-time  Capability  Port ID
spine1               Eth1/1          120        BR          eth2
spine2               Eth1/2          120        BR          eth2
`

// What is heard is held against addresses: a cable is a finding, once, and where it goes right none.
//
// False if the shortened names of ports are not taken for ports, a domain belongs to a name, or an end counts twice.
func TestCablesByLLDP(t *testing.T) {
	for _, c := range []struct {
		change string // old, new
		want   []string
	}{
		{"", nil},
		// Two cables of a leaf have changed places.
		{"spine1                   eth1=spine2                   eth1;spine2.lab.example       eth1=spine1                   eth1",
			[]string{"Ethernet1 is plugged into spine2 eth1, as LLDP says, and its address is of the link to spine1 eth1",
				"Ethernet2 is plugged into spine1 eth1, as LLDP says, and its address is of the link to spine2 eth1"}},
		// One is at another port of the right spine.
		{"Eth1/1          120        BR          eth2=Eth1/1          120        BR          eth1", nil}, // leaf1 hears that port
		{"host1                    00:00:5e:00:53:01=spine1                   eth7", nil},                // a port that is not there
	} {
		text := heardRight
		for part := range strings.SplitSeq(c.change, ";") {
			if old, with, ok := strings.Cut(part, "="); ok {
				if strings.Count(text, old) == 0 {
					t.Fatalf("%q is not there", old)
				}
				text = strings.Replace(text, old, with, 1)
			}
		}
		var got []string
		for _, f := range lint.Check(hearing(t, text), nil, lint.Hosts{}) {
			if f.Rule != "Q36" || f.Line == 0 {
				t.Errorf("%+v", f)
			}
			got = append(got, f.Text)
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%q:\n%s\nwant\n%s", c.change, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	if all, here := lint.Heard(hearing(t, heardRight)); all != 5 || here != 4 {
		t.Errorf("%d heard, %d of them here", all, here)
	}
}

// Neighbours that nothing but LLDP tells are held against each other too.
func TestNeighboursByLLDP(t *testing.T) {
	a := linttest.Read("eos", "a", "hostname a\ninterface Ethernet1\n no switchport\n mtu 9214\n")
	b := linttest.Read("nxos", "b", "hostname b\ninterface Ethernet1/7\n no switchport\n mtu 4200\n")
	if all := lint.Check([]*lint.Device{a, b}, nil, lint.Hosts{}); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	b.Heard = []lldp.Neighbour{{Port: "Eth1/7", System: "a", FarPort: "Ethernet1"}}
	all := lint.Check([]*lint.Device{a, b}, nil, lint.Hosts{})
	if len(all) != 1 || all[0].Rule != "Q12" || !strings.HasPrefix(all[0].Text, "Ethernet1 and b Ethernet1/7") {
		t.Errorf("%+v", all)
	}
}

// The design says where a cable goes, also to a switch whose configuration is not here.
func TestCablesOfTheDesign(t *testing.T) {
	design := &lint.Design{DSCP: 26, CNPDSCP: 48, Frame: 4178, Devices: map[string]*netconf.Device{
		"a": {Name: "a", Interfaces: []netconf.Interface{{Name: "Ethernet1/1", Description: "to spine1 Ethernet1/4"}}},
		"b": {Name: "b"}, "spine1": {Name: "spine1"}, "spine2": {Name: "spine2"}}}
	for far, want := range map[string]string{
		"spine1": "",
		"spine2": "Ethernet1 is plugged into spine2, as LLDP says, and the design has it in spine1 Ethernet1/4",
		"tor9":   "", // none of the design's
		"b":      "Ethernet1 is plugged into b Ethernet1/4, as LLDP says, and the design has it in spine1 Ethernet1/4",
	} {
		a := linttest.Read("eos", "a", "hostname a\ninterface Ethernet1\n no switchport\n mtu 9214\n")
		b := linttest.Read("nxos", "b", "hostname b\ninterface Ethernet1/4\n no switchport\n mtu 9216\n")
		a.Heard = []lldp.Neighbour{{Port: "Et1", System: far, FarPort: "Ethernet1/4"}}
		got := ""
		for _, f := range lint.Check([]*lint.Device{a, b}, design, lint.Hosts{}) {
			if f.Rule == "Q36" {
				got += f.Text
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", far, got, want)
		}
	}
}
