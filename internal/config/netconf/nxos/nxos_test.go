package nxos_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/netconftest"
	"railyard/internal/config/netconf/nxos"
	"railyard/internal/config/netconf/qostest"
)

var shape = qostest.Shape{
	MTUs: []unit.Bytes{9216, 4200}, QueueIsTC: true, SamePause: true, Static: true,
	DCBX: []netconf.DCBX{netconf.DCBXDefault, netconf.DCBXIEEE, netconf.DCBXCEE}, PFC: qostest.Modes,
	Balance: func(t *rapid.T) *netconf.Balance {
		return rapid.SampledFrom([]*netconf.Balance{
			nil, {Method: "ecmp"}, {Method: "ecmp", Seed: 7}, {Method: "dlb", Unit: "packet", MAC: "aa:bb:cc:dd:ee:ff"},
			{Method: "dlb", Unit: "flowlet", Gap: 500 * unit.Microsecond, Ports: []string{"Ethernet1/1", "Ethernet1/2"}},
		}).Draw(t, "balance")
	},
}

func TestRoundTrip(t *testing.T) { qostest.RoundTrip(t, nxos.Dialect{}, &shape) }

func FuzzParse(f *testing.F) {
	book, err := os.ReadFile("testdata/book.cfg")
	if err != nil {
		f.Fatal(err)
	}
	qostest.Fuzz(f, nxos.Dialect{}, string(book), "interface e1\n priority-flow-control mode on\n", "system qos\n x\n", routed)
}

// A leaf with two rails and a spine, as a switch prints it.
const routed = `feature bgp
feature bfd
feature interface-vlan
vlan 1,101-102
vlan 101
  name rail1
bfd interval 100 min_rx 100 multiplier 3
interface Vlan101
  no shutdown
  mtu 9216
  ip address 10.0.1.1/25
interface Ethernet1/1
  switchport access vlan 101
interface Ethernet1/9
  description to spine1 Ethernet1/2
  no switchport
  mtu 9216
  no ip redirects
  ip address 172.16.0.0/31
  bfd interval 250 min_rx 300 multiplier 4
  no shutdown
interface loopback0
  ip address 10.255.0.1/32
feature vpc
vpc domain 10
  peer-switch
  role priority 4000
  peer-keepalive destination 192.168.0.2 source 192.168.0.1 vrf management
  peer-gateway
interface port-channel10
  description to leaf2
  switchport mode trunk
  spanning-tree port type network
  vpc peer-link
router bgp 65001
  router-id 10.255.0.1
  timers bgp 3 9
  bestpath as-path multipath-relax
  log-neighbor-changes
  address-family ipv4 unicast
    network 10.0.1.0/25
    aggregate-address 10.0.1.0/24 summary-only
    maximum-paths 4
  neighbor 172.16.0.1
    bfd
    remote-as 65002
    address-family ipv4 unicast
      allowas-in
  neighbor 172.16.0.3 remote-as 65003
    bfd
    address-family ipv4 unicast
`

// What a switch prints is understood to the last line.
func TestRouted(t *testing.T) {
	p := nxos.Dialect{}.Parse([]netconf.File{{Name: "running-config", Text: []byte(routed)}})
	if len(p.Problems) > 0 {
		t.Fatal(p.Problems)
	}
	b := p.Device.BGP
	near, far := b.Neighbours[0], b.Neighbours[1]
	if b.AS != 65001 || !b.Relax || b.MaximumPaths != 4 || b.Hold != 9*unit.Second || near.AllowASIn != 3 ||
		far.AS != 65003 || *near.BFD != (netconf.BFD{Interval: 300 * unit.Millisecond, Multiplier: 4}) ||
		*far.BFD != (netconf.BFD{Interval: 100 * unit.Millisecond, Multiplier: 3}) {
		t.Errorf("%+v", b)
	}
	port := p.Device.Port("Ethernet1/1")
	if port.VLAN != 101 || p.Device.Port("Vlan101").MTU != 9216 || p.Device.Port("Ethernet1/9").MTU != 9216 {
		t.Errorf("%+v", p.Device.Interfaces)
	}
	if at := p.Places["neighbour 172.16.0.3"]; at.Line != 49 {
		t.Errorf("neighbour 172.16.0.3 at line %d, want 49", at.Line)
	}
	want := "domain 10, 192.168.0.2 from 192.168.0.1 in management, port channel 10"
	if got := p.Device.Peer.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// plain takes away what NX-OS has no words for: sessions inside an AS, BFD that differs, an overlay.
func plain(d *netconf.Device) {
	watch := &netconf.BFD{Interval: 100 * unit.Millisecond, Multiplier: 3}
	d.BGP.Neighbours = slices.DeleteFunc(d.BGP.Neighbours, func(n netconf.Neighbour) bool { return n.EVPN })
	for i := range d.BGP.Neighbours {
		n := &d.BGP.Neighbours[i]
		n.AS, n.Client, n.NextHopSelf = 4200000100, false, false
		if n.BFD != nil {
			n.BFD = watch
		}
	}
	d.Tunnels = nil
	for i := range d.Interfaces {
		d.Interfaces[i].MAC = ""
	}
}

// Addresses, VLANs and BGP come back as they were, or are left out as a whole.
func TestRoutingRoundTrip(t *testing.T) {
	whole := 0
	rapid.Check(t, func(t *rapid.T) {
		d := netconftest.Draw(t)
		for i := range d.Interfaces {
			d.Interfaces[i].MTU = min(d.Interfaces[i].MTU, 9216)
			if d.Interfaces[i].Kind == netconf.Loopback {
				d.Interfaces[i].MTU = 0
			}
		}
		if d.BGP != nil && netconftest.Mostly(t, "plain") { // else most would be left out
			plain(d)
		}
		fitting, _ := nxos.Dialect{}.Fit(d)
		if fitting.BGP != nil && len(fitting.BGP.Neighbours) > 0 {
			whole++
		}
		netconftest.RoundTrip(t, nxos.Dialect{}, fitting)
	})
	if whole < 10 && !testing.Short() {
		t.Errorf("%d devices with sessions, want at least 10", whole)
	}
}

// What is written that carries nothing, or contradicts itself.
func TestRoutingThatIsWrong(t *testing.T) {
	const bgp = "feature bgp\nrouter bgp 65001\n"
	for _, c := range [][2]string{
		{bgp + " neighbor 10.0.0.1\n  address-family ipv4 unicast", "neighbour 10.0.0.1: no remote-as"},
		{bgp + " neighbor 10.0.0.1\n  remote-as 65002", "no address-family: it carries no routes"},
		{bgp + " neighbor 10.0.0.1 remote-as 65002\n  address-family ipv6 unicast\n  address-family ipv4 unicast",
			"not understood"},
		{bgp + " template peer SPINE\n  bfd\n neighbor 10.0.0.1\n  inherit peer SPIN\n  remote-as 1\n  address-family ipv4 unicast",
			"no template \"peer SPIN\""},
		{bgp + " template peer A\n  inherit peer A\n neighbor 10.0.0.1\n  inherit peer A", "no remote-as"},
		{"interface Ethernet1/4-2", "want ports such as"},
		{"interface Ethernet1/1-900", "want ports such as"},
		{"interface Ethernet1/1\n ip address 10.0.0.0 255.0.255.0", "want an IPv4 mask"},
		{bgp + " neighbor 10.0.0.1 remote-as 65002\n  bfd\n  address-family ipv4 unicast", "bfd without feature bfd"},
		{bgp + "router bgp 65002", "a second BGP beside AS 65001"},
		{bgp + " address-family ipv4 unicast\n  network 10.0.0.1/8", "has bits set beyond its length, want 10.0.0.0/8"},
		{bgp + " address-family ipv4 unicast\n  maximum-paths 65", "want a number from 1 to 64"},
		{bgp + " inherit peer x", "not understood"},
		{"router bgp 65001", "router bgp without feature bgp"},
		{"interface Vlan5\n ip address 10.0.0.1/24\nvlan 5", "Vlan5 without feature interface-vlan"},
		{"interface Ethernet1/1\n switchport access vlan 5", "no vlan 5"},
		{"vlan 5\ninterface Ethernet1/1\n switchport access vlan 5\n ip address 10.0.0.0/31", "an address, and VLAN 5"},
		{"interface Ethernet1/1\n ip address 10.0.0.0/31\n ip address 10.0.1.0/31", "a second address"},
		{"interface Ethernet1/1\n mtu 9300", "want a number from 576 to 9216"},
		{"bfd interval 10 min_rx 50 multiplier 3", "want a number from 50 to 999"},
		{"bfd interval 50", "not understood"},
		{"feature vpc\nvpc domain 1001", "want a number from 1 to 1000"},
		{"feature vpc\nvpc domain 1\n peer-keepalive destination fd00::1", "want an IPv4 address"},
		{"feature vpc\nvpc domain 1\n peer-keepalive destination 10.0.0.1 udp-port 5", "want source or vrf"},
		{"vlan 0", "0: want VLANs from 1 to 4094"},
		{"vlan 4095", "want a number from 0 to 4094"},
	} {
		p := nxos.Dialect{}.Parse([]netconf.File{{Name: "running-config", Text: []byte(c[0] + "\n")}})
		if c[1] == "not understood" {
			if len(p.Unread) != 1 || len(p.Problems) > 0 {
				t.Errorf("%q: %v %v", c[0], p.Unread, p.Problems)
			}
			continue
		}
		if len(p.Problems) != 1 || !strings.Contains(p.Problems[0].Message, c[1]) || p.Problems[0].Line == 0 {
			t.Errorf("%q: %v, want %s", c[0], p.Problems, c[1])
		}
	}
}

// Configurations as they are printed: ranges of ports, templates of neighbours, masks, banners.
func TestAsPrinted(t *testing.T) {
	p := nxos.Dialect{}.Parse([]netconf.File{{Name: "running-config", Text: []byte(strings.ReplaceAll(`switchname leaf1
feature bgp
feature bfd
banner motd #
interface Ethernet1/9
  mtu 1500
#
vlan 1,101-103
interface Ethernet1/1-3, e1/5
	priority-flow-control mode on send-tlv
	switchport access vlan 102
interface Ethernet1/49
  no switchport
  ip address 172.16.1.1 255.255.255.252
router bgp 65101
  router-id 10.255.0.1
  address-family ipv4 unicast
  template peer-session SPINES
    remote-as 65001
  template peer SPINE
    inherit peer-session SPINES
    bfd
    address-family ipv4 unicast
      allowas-in 2
  neighbor 172.16.1.2
    inherit peer SPINE
    description spine1
  neighbor 172.16.1.6 remote-as 65002
    inherit peer SPINE
`, "\n", "\r\n"))}})
	if len(p.Problems) > 0 {
		t.Error(p.Problems.Error())
	}
	var said []string
	for i := range p.Device.BGP.Neighbours {
		said = append(said, p.Device.BGP.Neighbours[i].Address.String()+" "+p.Device.BGP.Neighbours[i].String())
	}
	for _, i := range p.Device.Interfaces {
		said = append(said, fmt.Sprint(i.Name, " ", i.VLAN, " ", i.Addresses))
	}
	const want = "172.16.1.2 AS 65001, BFD 3 x 50ms, own AS 2 times; 172.16.1.6 AS 65002, BFD 3 x 50ms, own AS 2 times; " +
		"Ethernet1/1 102 []; Ethernet1/2 102 []; Ethernet1/3 102 []; Ethernet1/5 102 []; Ethernet1/49 0 [172.16.1.1/30]"
	if got := strings.Join(said, "; "); got != want || p.Device.Name != "leaf1" {
		t.Errorf("%s: %s\nwant %s", p.Device.Name, got, want)
	}
}

// Names of loopbacks and SVIs are taken as NX-OS takes them; what only begins so is neither.
func TestNamesThatAreNoPort(t *testing.T) {
	for name, kind := range map[string]netconf.Kind{"loopback0": netconf.Loopback, "Loopback 12": netconf.Loopback, "Vlan10": netconf.SVI} {
		p := nxos.Dialect{}.Parse([]netconf.File{{Name: "c", Text: []byte("interface " + name + "\n  description x\n")}})
		if n := len(p.Device.Interfaces); n != 1 || p.Device.Interfaces[0].Kind != kind {
			t.Errorf("%s: %+v", name, p.Device.Interfaces)
		}
	}
	p := nxos.Dialect{}.Parse([]netconf.File{{Name: "c", Text: []byte("interface loopbackx1\n  description x\n")}})
	for _, i := range p.Device.Interfaces {
		if i.Kind == netconf.Loopback {
			t.Errorf("loopbackx1 is taken as %+v", i)
		}
	}
}

// The most ports that one line names.
func TestMostPorts(t *testing.T) {
	for text, ports := range map[string]int{"Ethernet1/1-512": 512, "Ethernet1/1-513": 0, "Ethernet1/1-2,Ethernet2/1-510": 512} {
		p := nxos.Dialect{}.Parse([]netconf.File{{Name: "c", Text: []byte("interface " + text + "\n  description x\n")}})
		if n := len(p.Device.Interfaces); n != ports || (ports == 0) != (len(p.Problems) == 1) {
			t.Errorf("%s: %d ports, %v", text, n, p.Problems)
		}
	}
}
