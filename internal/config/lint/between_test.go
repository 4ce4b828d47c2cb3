package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
)

// fabric is two leaves and two spines as devices print them: addresses of links are all that says who neighbours whom.
// The first leaf is of EOS, the second of NX-OS, the spines are of FRR.
func fabric() map[string]string {
	leaf1 := `hostname leaf1
vlan 101
interface Ethernet1
   no switchport
   mtu 9198
   ip address 172.16.0.0/31
interface Ethernet2
   no switchport
   mtu 9198
   ip address 172.16.0.2/31
interface Ethernet9
   switchport access vlan 101
interface Loopback0
   ip address 10.255.0.1/32
interface Vlan101
   mtu 9198
   ip address 10.0.1.1/24
router bgp 65101
   router-id 10.255.0.1
   no bgp default ipv4-unicast
   maximum-paths 2 ecmp 2
   neighbor SPINES peer group
   neighbor SPINES remote-as 65001
   neighbor SPINES bfd
   neighbor 172.16.0.1 peer group SPINES
   neighbor 172.16.0.3 peer group SPINES
   address-family ipv4
      neighbor SPINES activate
      network 10.0.1.0/24
      network 10.255.0.1/32
`
	leaf2 := `hostname leaf2
feature bgp
feature bfd
feature interface-vlan
vlan 1,102
interface Vlan102
  no shutdown
  mtu 9216
  ip address 10.0.2.1/24
interface Ethernet1/1
  no switchport
  mtu 9216
  ip address 172.16.0.4/31
interface Ethernet1/2
  no switchport
  mtu 9216
  ip address 172.16.0.6/31
interface Ethernet1/9
  switchport access vlan 102
  mtu 9216
interface loopback0
  ip address 10.255.0.2/32
router bgp 65102
  router-id 10.255.0.2
  address-family ipv4 unicast
    network 10.0.2.0/24
    network 10.255.0.2/32
    maximum-paths 2
  neighbor 172.16.0.5
    bfd
    remote-as 65001
    address-family ipv4 unicast
  neighbor 172.16.0.7
    bfd
    remote-as 65001
    address-family ipv4 unicast
`
	all := map[string]string{"eos leaf1": leaf1, "nxos leaf2": leaf2}
	for n := 1; n <= 2; n++ {
		all[fmt.Sprintf("frr spine%d", n)] = fmt.Sprintf(`frr version 8.4
frr defaults datacenter
hostname spine%[1]d
interface eth1
 ip address 172.16.0.%[2]d/31
exit
interface eth2
 ip address 172.16.0.%[3]d/31
exit
interface lo
 ip address 10.255.1.%[1]d/32
exit
router bgp 65001
 bgp router-id 10.255.1.%[1]d
 no bgp ebgp-requires-policy
 neighbor LEAVES peer-group
 neighbor LEAVES bfd
 neighbor 172.16.0.%[4]d remote-as 65101
 neighbor 172.16.0.%[4]d peer-group LEAVES
 neighbor 172.16.0.%[5]d remote-as 65102
 neighbor 172.16.0.%[5]d peer-group LEAVES
 address-family ipv4 unicast
  network 10.255.1.%[1]d/32
 exit-address-family
exit
`, n, 2*n-1, 2*n+3, 2*n-2, 2*n+2)
	}
	return all
}

// Each mistake between devices is found, and only it.
func TestBetweenDevices(t *testing.T) {
	for _, c := range []struct{ device, old, with, rules string }{
		{"eos leaf1", "hostname leaf1", "hostname leaf1", ""},
		{"eos leaf1", "172.16.0.2/31", "172.16.0.4/31", "Q27 Q29"}, // two have it, and its own link has lost its end
		{"eos leaf1", "router-id 10.255.0.1", "router-id 10.255.0.2", "Q27"},
		{"nxos leaf2", "ip address 10.0.2.1/24", "ip address 10.0.1.129/25", "Q27 Q32"},
		{"eos leaf1", "SPINES remote-as 65001", "SPINES remote-as 65002", "Q28"},
		{"nxos leaf2", "    remote-as 65001\n    address-family ipv4 unicast\n  neighbor 172.16.0.7",
			"    remote-as 65009\n    address-family ipv4 unicast\n  neighbor 172.16.0.7", "Q28"},
		{"frr spine1", " neighbor 172.16.0.0 remote-as 65101\n", " neighbor 172.16.0.0 remote-as internal\n", "Q28"},
		{"eos leaf1", "   neighbor 172.16.0.3 peer group SPINES\n", "", "Q29"},
		{"frr spine2", " neighbor 172.16.0.6 remote-as 65102\n neighbor 172.16.0.6 peer-group LEAVES\n", "", "Q29"},
		{"nxos leaf2", "  neighbor 172.16.0.7\n", "  neighbor 172.16.0.9\n", "Q29"},
		{"eos leaf1", "   neighbor SPINES bfd\n", "", "Q30"},
		{"frr spine1", " neighbor LEAVES bfd\n", "", "Q30"},
		{"nxos leaf2", "  neighbor 172.16.0.5\n    bfd\n", "  neighbor 172.16.0.5\n", "Q30"},
		{"eos leaf1", "maximum-paths 2 ecmp 2", "maximum-paths 1 ecmp 1", "Q31"},
		{"nxos leaf2", "    maximum-paths 2\n", "    maximum-paths 1\n", "Q31"},
		{"eos leaf1", "network 10.0.1.0/24", "network 10.9.1.0/24", "Q32"},
		{"frr spine1", "network 10.255.1.1/32", "network 10.255.9.1/32", "Q32"},
		{"eos leaf1", "   mtu 9198\n   ip address 172.16.0.2/31", "   mtu 1500\n   ip address 172.16.0.2/31",
			"Q12"}, // spines say none, the other port does
	} {
		var devices []*lint.Device
		for _, key := range []string{"eos leaf1", "nxos leaf2", "frr spine1", "frr spine2"} {
			dialect, name, _ := strings.Cut(key, " ")
			text := fabric()[key]
			if key == c.device {
				if text = strings.Replace(text, c.old, c.with, 1); c.old != c.with && text == fabric()[key] {
					t.Fatalf("%q is not there", c.old)
				}
			}
			devices = append(devices, linttest.Read(dialect, name, text))
		}
		all := lint.Check(devices, nil, lint.Hosts{})
		seen := map[string]bool{}
		for _, f := range all {
			seen[f.Rule] = true
			if f.Line == 0 {
				t.Errorf("no line: %+v", f)
			}
		}
		want := map[string]bool{}
		for r := range strings.FieldsSeq(c.rules) {
			want[r] = true
		}
		if fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("%s, %q for %q: %v, want %v", c.device, c.with, c.old, seen, want)
			for _, f := range all {
				t.Logf("   %s %s %s:%d %s", f.Severity, f.Rule, f.Device, f.Line, f.Text)
			}
		}
	}
}

// A device whose interfaces hold /31s knows its neighbours by them, whatever descriptions say: frames of both ends must be
// of one size.
func TestLinksByAddress(t *testing.T) {
	a := linttest.Read("eos", "a", "hostname a\ninterface Ethernet1\n no switchport\n mtu 9214\n ip address 172.16.0.0/31\n")
	b := linttest.Read("nxos", "b", "hostname b\ninterface Ethernet1/7\n no switchport\n mtu 4200\n ip address 172.16.0.1/31\n")
	all := lint.Check([]*lint.Device{a, b}, nil, lint.Hosts{})
	if len(all) != 1 || all[0].Rule != "Q12" || !strings.HasPrefix(all[0].Text,
		"Ethernet1 and b Ethernet1/7") || all[0].Port != "Ethernet1" {
		t.Errorf("%+v", all)
	}
}
