package eos_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/eos"
	"railyard/internal/config/netconf/netconftest"
	"railyard/internal/config/netconf/qostest"
)

var shape = qostest.Shape{
	MTUs: []unit.Bytes{9216, 9232, 4200}, OneClassify: true, WatchdogAll: true, NoShareOfStrict: true,
	DCBX: []netconf.DCBX{netconf.DCBXDefault, netconf.DCBXIEEE, netconf.DCBXCEE}, PFC: qostest.Modes,
	Watchdog: func(t *rapid.T) netconf.Watchdog {
		return rapid.SampledFrom([]netconf.Watchdog{{}, {On: true, Detect: 200 * unit.Millisecond},
			{On: true, Poll: 100 * unit.Millisecond, Detect: 400 * unit.Millisecond, Restore: 400 * unit.Millisecond,
				Action: "drop"},
			netconf.NewWatchdog(300*unit.Microsecond, unit.Millisecond, "forward"),
			netconf.NewWatchdog(unit.Hour, 12_345*unit.Microsecond, "drop")}).Draw(t, "watchdog")
	},
}

func TestRoundTrip(t *testing.T) { qostest.RoundTrip(t, eos.Dialect{}, &shape) }

func FuzzParse(f *testing.F) {
	qostest.Fuzz(f, eos.Dialect{}, `hostname leaf1
qos map dscp 26 to traffic-class 3
qos map traffic-class 3 to tx-queue 3
qos profile ROCE-LEAF
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   uc-tx-queue 3
      no priority
      bandwidth percent 95
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes max-mark-probability 100 weight 0
   uc-tx-queue 6
      priority strict
interface Ethernet1
   mtu 9214
   no switchport
   service-profile ROCE-LEAF
`, "interface Ethernet1\n uc-tx-queue 9\n  priority strict\n", `vlan 101
ip routing
interface Vlan101
   ip address 10.0.1.1/25
interface Ethernet1
   switchport access vlan 101
interface Loopback0
   ip address 10.255.0.1/32
mlag configuration
   domain-id POD1
   local-interface Vlan4094
   peer-address 10.255.255.1
   peer-address heartbeat 192.168.0.2 vrf MGMT
   peer-link Port-Channel10
   dual-primary detection delay 5 action errdisable all-interfaces
   reload-delay mlag 300
router bgp 65001
   router-id 10.255.0.1
   no bgp default ipv4-unicast
   timers bgp 3 9
   maximum-paths 4 ecmp 4
   neighbor 172.16.0.1 remote-as 65002
   neighbor 172.16.0.1 bfd
   neighbor 172.16.0.1 bfd interval 100 min-rx 100 multiplier 3
   neighbor 172.16.0.1 allowas-in 1
   aggregate-address 10.0.1.0/24 summary-only
   address-family ipv4
      neighbor 172.16.0.1 activate
      network 10.0.1.0/25
   neighbor fd00:1::1 remote-as 65002
   address-family ipv6
      neighbor fd00:1::1 activate
      network fd00:0:0:1::/64
`, "hostname leaf1\ninterface Loopback1\n", "hostname leaf1\ninterface Vlan101\n   vrf A\n", "interface Port-Channel1\n")
}

// Addresses, VLANs and BGP come back as they were, or are left out as a whole.
func TestRoutingRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := netconftest.Draw(t)
		if b := d.BGP; b != nil && rapid.IntRange(0, 3).Draw(t, "plain") > 0 { // else most would be left out
			b.Relax = true
			for i := range b.Neighbours {
				b.Neighbours[i].AS = 4200000100
				b.Neighbours[i].Client, b.Neighbours[i].NextHopSelf = false, false
			}
		}
		fitting, _ := eos.Dialect{}.Fit(d)
		netconftest.RoundTrip(t, eos.Dialect{}, fitting)
	})
}

// pair is one of two switches with a port to the other one and one to a NIC.
const pair = `vlan 5
mlag configuration
 peer-link Port-Channel1
interface Port-Channel1
 switchport mode trunk
interface Ethernet1
 channel-group 1 mode active
interface Ethernet2
 channel-group 5 mode active
`

// A pair comes back as it was: the port to the peer carries all VLANs, that to a NIC its VLAN.
func TestPair(t *testing.T) {
	p := eos.Dialect{}.Parse([]netconf.File{{Name: "running-config", Text: []byte(pair +
		"interface Port-Channel5\n switchport access vlan 5\n mlag 5\n")}})
	if len(p.Problems) > 0 {
		t.Fatal(p.Problems)
	}
	if i := p.Device.Interfaces; i[0].Channel != 1 || i[0].VLAN != 0 || i[1].Channel != 5 || i[1].VLAN != 5 || p.Device.Peer.Link != 1 {
		t.Errorf("%+v", i)
	}
}

// What is written that carries nothing, or contradicts itself.
func TestRoutingThatIsWrong(t *testing.T) {
	for _, c := range [][2]string{
		{"router bgp 65001\n neighbor 10.0.0.1 description x", "neighbour 10.0.0.1: no remote-as"},
		{"router bgp 65001\n no bgp default ipv4-unicast\n neighbor 10.0.0.1 remote-as 65002", "not activated"},
		{"router bgp 65001\nrouter bgp 65002", "a second BGP beside AS 65001"},
		{"router bgp 65001\n address-family ipv4\n  network 10.0.0.1/8", "has bits set beyond its length"},
		{"interface Ethernet1\n switchport access vlan 5", "no vlan 5"},
		{"vlan 5\ninterface Ethernet1\n switchport access vlan 5\n ip address 10.0.0.0/31", "an address, and VLAN 5"},
		{"vlan 5\ninterface Vlan5\n switchport access vlan 5", "want it on a port"},
		{"interface Ethernet1\n ip address fd00::1/64", "want one IPv4 address"},
		{"interface Ethernet1\n ip address 10.0.0.1/31\n ip address 10.0.0.3/31", "want one IPv4 address"},
		{"interface Ethernet1\n ipv6 address 10.0.0.1/31", "want an IPv6 prefix"},
		{"router bgp 65001\n neighbor fd00::1 remote-as 65002", "neighbour fd00::1: not activated"},
		{"router bgp 65001\n address-family ipv6\n  network 10.0.0.0/8", "want an IPv6 prefix"},
		{"vlan 4095", "want a whole number from 1 to 4094"},
		{"vlan 9-5", "want a whole number from 9 to 4094"},
		{"router bgp 65001\n neighbor 10.0.0.1 peer group SPINES", "no peer group SPINES"},
		{"router bgp 65001\n neighbor 10.0.0.400 remote-as 1", "want an IP address"},
		{"mlag configuration\n local-interface Ethernet1", "want an SVI"},
		{"mlag configuration\n peer-link Ethernet1", "want a port channel"},
		{"mlag configuration\n peer-address fd00::1", "want an IPv4 address"},
		{"interface Port-Channel0", "not the name of a port"},
		{"interface Ethernet1\n channel-group 5 mode active", "no interface Port-Channel5"},
		{"interface Vlan5\n channel-group 5 mode active\nvlan 5", "want it on a port"},
		{pair + "interface Port-Channel5\n mlag 5\n switchport access vlan 5\ninterface Port-Channel1\n mlag 1",
			"the peer-link, want switchport mode trunk alone"},
		{pair + "interface Port-Channel5\n mlag 5\n switchport access vlan 5\ninterface Ethernet2\n switchport access vlan 5",
			"a VLAN beside port channel 5"},
	} {
		p := eos.Dialect{}.Parse([]netconf.File{{Name: "running-config", Text: []byte(c[0] + "\n")}})
		if len(p.Problems) != 1 || !strings.Contains(p.Problems[0].Message, c[1]) || p.Problems[0].Line == 0 {
			t.Errorf("%q: %v, want %s", c[0], p.Problems, c[1])
		}
	}
}

// Configurations as they are printed: peer groups, lists of VLANs, banners, and blocks that are not understood, whose
// lines are none of the block around them.
func TestAsPrinted(t *testing.T) {
	p := eos.Dialect{}.Parse([]netconf.File{{Name: "running-config", Text: []byte(strings.ReplaceAll(`hostname leaf1
!
banner motd
interface Ethernet1
   mtu 100
EOF
!
vlan 101-103,200
   name rails
!
interface Ethernet1
   switchport access vlan 102
   no shutdown
!
interface Management1
   ip address 10.0.0.5/24
!
router bgp 65101
   router-id 10.255.0.1
   no bgp default ipv4-unicast
   neighbor SPINES peer group
   neighbor SPINES remote-as 65001
   neighbor SPINES bfd
   neighbor 172.16.0.1 peer group SPINES
   neighbor 172.16.0.1 description spine1
   neighbor 172.16.0.3 peer group SPINES
   neighbor 172.16.0.3 remote-as 65002
   vrf TENANT
      neighbor 10.9.9.9 remote-as 65009
      network 10.9.0.0/16
   address-family ipv4
      neighbor SPINES activate
      network 10.0.1.0/24
!
end
`, "\n", "\r\n"))}})
	// Of management and of tenants: known, and of no matter.
	if len(p.Problems) > 0 || len(p.Unread) > 0 || p.Lines.Known != 5 {
		t.Errorf("%v, %v, %+v", p.Problems, p.Unread, p.Lines)
	}
	bgp := p.Device.BGP
	var said []string
	for i := range bgp.Neighbours {
		said = append(said, bgp.Neighbours[i].Address.String()+" "+bgp.Neighbours[i].String())
	}
	const want = "172.16.0.1 AS 65001, BFD 3 x 300ms; 172.16.0.3 AS 65002, BFD 3 x 300ms"
	if got := strings.Join(said, "; "); got != want || len(bgp.Networks) != 1 || len(p.Device.Interfaces) != 1 ||
		p.Device.Interfaces[0].MTU != 0 || p.Device.Interfaces[0].VLAN != 102 {
		t.Errorf("%s, %v, %+v", got, bgp.Networks, p.Device.Interfaces)
	}
}

// Networks of both families are announced, and whoever comes from a range of either is a neighbour.
func TestNetworksAndRanges(t *testing.T) {
	const text = `router bgp 65001
   bgp listen range 10.1.0.0/16 peer-group HOSTS remote-as 65100
   bgp listen range fd00:1::/32 peer-group HOSTS remote-as 65100
   network 10.2.0.0/24
   network fd00:2::/64
`
	p := eos.Dialect{}.Parse([]netconf.File{{Name: "running-config", Text: []byte(text)}})
	b := p.Device.BGP
	if got := fmt.Sprint(b.Listen); got != "[10.1.0.0/16 fd00:1::/32]" {
		t.Errorf("listens at %s", got)
	}
	if got := fmt.Sprint(b.Networks); !strings.Contains(got, "10.2.0.0/24") || !strings.Contains(got, "fd00:2::/64") {
		t.Errorf("announces %s", got)
	}
}
