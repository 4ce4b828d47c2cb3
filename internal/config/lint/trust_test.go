package lint_test

import (
	"strings"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
)

// eosAccess is a leaf of EOS with a port of a VLAN, and uplinks that are routed. Nothing is wrong with it.
const eosAccess = eosLeaf + `interface Ethernet2
   mtu 9214
   no switchport
   service-profile ROCE
interface Ethernet9
   switchport access vlan 101
   service-profile ROCE
interface Vlan101
   mtu 9214
   ip address 10.1.1.1/24
vlan 101
`

// EOS user manual, Quality of Service, port trust: where nothing is said a switched port trusts CoS, and what comes without
// a tag is in class 1. That is one finding, Q02, at the port.
//
// False if ports are taken for routed because they do not say that they are not, or if other rules repeat it.
func TestSwitchedPortsTrustCoS(t *testing.T) {
	untrusting := strings.Replace(eosAccess, "   qos trust dscp\n", "", 1)
	const access = "interface Ethernet9\n   switchport access vlan 101\n"
	// at makes another port of the one that is switched.
	at := func(text, block string) string {
		return strings.Replace(text, access, "interface Ethernet9\n"+block, 1)
	}
	const port, byItself, vlan = "interface Ethernet9", "a switched port trusts CoS", "   switchport access vlan 101\n"
	for name, c := range map[string]struct{ text, at, says string }{
		"trust is said":               {eosAccess, "", ""},
		"trust is not said":           {untrusting, port, byItself},
		"it is said at the port":      {at(untrusting, vlan+"   qos trust dscp\n"), "", ""},
		"CoS is said at the port":     {at(eosAccess, vlan+"   qos trust cos\n"), "qos trust cos", "(qos trust cos)"},
		"nothing is trusted":          {at(eosAccess, vlan+"   no qos trust\n"), "no qos trust", "(no qos trust)"},
		"a trunk":                     {at(untrusting, "   switchport mode trunk\n"), port, byItself},
		"a switchport without a VLAN": {at(untrusting, "   switchport\n"), port, byItself},
		"neither switched nor routed": {at(untrusting, ""), port, byItself},
		"a port that is routed":       {at(untrusting, "   mtu 9214\n   no switchport\n"), "", ""},
		"ports are routed from birth": {"switchport default mode routed\n" + at(untrusting, ""), "", ""},
		"a part without routed ports": {strings.ReplaceAll(at(untrusting, ""), "   no switchport\n", ""), "", ""},
		"it pauses nothing":           {strings.Replace(untrusting, access+"   service-profile ROCE\n", access, 1), "", ""},
	} {
		d := linttest.Read("eos", "f", c.text)
		if len(d.Unread) > 0 || len(d.Problems) > 0 {
			t.Errorf("%s: %v %v", name, d.Unread, d.Problems)
		}
		var got []lint.Finding
		for _, f := range lint.Check([]*lint.Device{d}, nil, lint.Hosts{}) {
			if f.Severity == lint.Error && f.Rule == "Q02" {
				got = append(got, f)
			} else if f.Rule != "Q13" || name != "it pauses nothing" {
				t.Errorf("%s: %+v", name, f)
			}
		}
		switch {
		case c.at == "" && len(got) == 0:
		case len(got) != 1 || !strings.Contains(got[0].Text, c.says) || c.at == "" ||
			!strings.Contains(strings.Split(c.text, "\n")[got[0].Line-1], c.at):
			t.Errorf("%s: want %q, got %+v", name, c.at, got)
		}
	}
}
