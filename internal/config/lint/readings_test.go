package lint_test

import (
	"strings"
	"testing"

	"railyard/internal/config/lint"
	"railyard/internal/config/lint/linttest"
	"railyard/internal/config/netconf"
)

// errorsOf are the errors about devices, as rule and text.
func errorsOf(devices ...*lint.Device) (all []string) {
	for _, f := range lint.Check(devices, nil, lint.Hosts{}) {
		if f.Severity == lint.Error {
			all = append(all, f.Rule+" "+f.Text)
		}
	}
	return all
}

const eosLeaf = `hostname leaf1
qos map traffic-class 3 to tx-queue 3
qos map traffic-class 6 to tx-queue 6
priority-flow-control pause watchdog default timeout 0.2
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   uc-tx-queue 3
      no priority
      bandwidth percent 95
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes max-mark-probability 100
   uc-tx-queue 6
      priority strict
interface Ethernet1
   mtu 9214
   no switchport
   service-profile ROCE
`

// EOS user manual, Quality of Service: random-detect ecn count turns on a counter; blocks of an interface merge over the
// profile it has (documented configurations of Arista's AVD, qos.cfg, have both). Read as a block that replaces the
// profile's it took away marks and bandwidth: Q04 and Q10.
func TestCountIsACounter(t *testing.T) {
	text := eosLeaf + "   uc-tx-queue 3\n      random-detect ecn count\n"
	d := linttest.Read("eos", "f", text)
	if all := lint.Check([]*lint.Device{d}, nil, lint.Hosts{}); len(all) > 0 {
		t.Errorf("%+v", all)
	}
	c := d.Device.ProfileOf(d.Device.Port("Ethernet1/1")).Class(3)
	if c.ECN == nil || c.Share != 95 {
		t.Errorf("%+v", c)
	}
	// What a block does say goes before the profile.
	d = linttest.Read("eos", "f", text+"      bandwidth percent 40\n      no random-detect ecn\n")
	if c := d.Device.ProfileOf(d.Device.Port("Ethernet1/1")).Class(3); c.ECN != nil || c.Share != 40 {
		t.Errorf("%+v", c)
	}
	if got := errorsOf(d); len(got) != 1 || !strings.HasPrefix(got[0], "Q04") {
		t.Errorf("%q", got)
	}
}

// Cisco 118994 ("Configure and Verify Maximum Transmission Unit on Nexus"): on 9200, 9300 and 9500 a port has its own
// MTU, 1,500 bytes by default; network-qos says it on 3000, 5000 and 6000. A port without a line drops packets of 4 KB.
func TestMTUOfNexusPorts(t *testing.T) {
	clean := linttest.Render(t, "nxos", linttest.Clean())
	if strings.Count(clean, "\n  mtu 9216") != 3 {
		t.Fatalf("ports are rendered without their MTU:\n%s", clean)
	}
	one := strings.Replace(clean, "\n  mtu 9216", "", 1)
	d := linttest.Read("nxos", "f", one)
	if got := errorsOf(d); len(got) != 1 || !strings.HasPrefix(got[0], "Q12 Ethernet1/1: no MTU is said, so frames of at most 1.5kB") {
		t.Errorf("%q", got)
	}
	if f, said := d.Frame(d.Device.Port("Ethernet1/1")); f != 1500 || said {
		t.Errorf("%v, said %v", f, said)
	}
	none := linttest.Read("nxos", "f", strings.ReplaceAll(clean, "\n  mtu 9216", ""))
	all := lint.Check([]*lint.Device{none}, nil, lint.Hosts{}) // a part of a configuration, maybe: a warning
	if len(all) != 1 || all[0].Rule != "Q12" || all[0].Severity != lint.Warning {
		t.Errorf("%+v", all)
	}
}

// Cumulus Linux user guide, RoCE: nv show qos roce prints DSCP 24-31 in switch priority 3 and 48-55 in 6; lossy has no
// PFC. Read as 26 and 48 alone a host that writes 24 was found in a class that does not pause: Q02.
func TestRoCEMapsByEights(t *testing.T) {
	const watched = "nv set interface swp1-2 link mtu 9216\nnv set interface swp1-2 qos pfc-watchdog\n"
	d := linttest.Read("nvue", "f", "nv set qos roce\n"+watched)
	p := d.Device.ProfileOf(d.Device.Port("Ethernet1/1"))
	for dscp := range p.Classify {
		want := map[int]uint8{3: 3, 6: 6}[dscp/8]
		if p.Classify[dscp] != want {
			t.Errorf("DSCP %d in class %d, want %d", dscp, p.Classify[dscp], want)
		}
	}
	design := &lint.Design{DSCP: 24, CNPDSCP: 50, Frame: 4178, Devices: map[string]*netconf.Device{}}
	if all := lint.Check([]*lint.Device{d}, design, lint.Hosts{}); len(all) > 0 {
		t.Errorf("%+v", all)
	}
	lossy := linttest.Read("nvue", "f", "nv set qos roce mode lossy\nnv set interface swp1-2 link mtu 9216\n")
	if c := lossy.Device.ProfileOf(lossy.Device.Port("Ethernet1/2")).Class(3); c.Pause != nil || c.ECN == nil {
		t.Errorf("%+v", c)
	}
}

// EOS user manual, EVPN: vlan N in router bgp is a MAC-VRF, and address-family evpn activates neighbours; Arista's AVD
// (documented configurations) has both on every leaf.
func TestVLANInBGPIsAMACVRF(t *testing.T) {
	d := linttest.Read("eos", "f", `hostname leaf1
vlan 11
interface Loopback0
   ip address 10.255.0.3/32
interface Ethernet1
   no switchport
   mtu 9214
   ip address 10.255.255.1/31
router bgp 65101
   router-id 10.255.0.3
   no bgp default ipv4-unicast
   neighbor EVPN peer group
   neighbor EVPN remote-as 65100
   neighbor EVPN update-source Loopback0
   neighbor EVPN ebgp-multihop 3
   neighbor 10.255.0.1 peer group EVPN
   neighbor 10.255.255.0 remote-as 65100
   !
   vlan 11
      rd 10.255.0.3:10011
      route-target both 10011:10011
      redistribute learned
   !
   vlan-aware-bundle T
      rd 10.255.0.3:20
      vlan 21-22
   !
   address-family evpn
      neighbor EVPN activate
   !
   address-family ipv4
      no neighbor EVPN activate
      neighbor 10.255.255.0 activate
`)
	if len(d.Unread) > 0 || len(d.Problems) > 0 {
		t.Fatal(d.Unread, d.Problems)
	}
	n := d.Device.BGP.Neighbours
	if len(n) != 2 || !n[0].EVPN || n[0].Source.String() != "10.255.0.3" || n[0].Hops != 3 || n[1].EVPN {
		t.Errorf("%+v", n)
	}
	if got := errorsOf(d); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// SONiC's Configuration Database Manual: PFC_WD says which ports the watchdog looks at; pfcwd_sw_enable which of their
// priorities it may act on. Weights of DWRR are relative. A class in priority group 0 is counted where nothing pauses.
func TestTablesOfSONiC(t *testing.T) {
	clean := linttest.Render(t, "sonic", linttest.Clean())
	start := strings.Index(clean, ` "PFC_WD"`)
	bare := strings.TrimRight(clean[:start], ",\n ") + "\n}\n"
	d := linttest.Read("sonic", "f", bare)
	all := lint.Check([]*lint.Device{d}, nil, lint.Hosts{})
	if !strings.Contains(bare, "pfcwd_sw_enable") || len(all) != 1 || all[0].Rule != "Q10" {
		t.Errorf("%+v", all)
	}
	weights := linttest.Read("sonic", "f", strings.Replace(clean, `"weight": "50"`, `"weight": "75"`, 1))
	p := weights.Device.ProfileOf(weights.Device.Port("Ethernet1/1"))
	if a, b := p.Class(0).Share, p.Class(3).Share; a != 50 || b != 50 { // 75 and 75
		t.Errorf("shares %d and %d, want 50 and 50", a, b)
	}
	group := linttest.Read("sonic", "f", strings.Replace(clean, `"TC_TO_PRIORITY_GROUP_MAP": {`+"\n"+`  "AZURE": {"0": "0", "3": "3"`,
		`"TC_TO_PRIORITY_GROUP_MAP": {`+"\n"+`  "AZURE": {"0": "0", "3": "0"`, 1))
	if got := errorsOf(group); len(got) != 1 || !strings.HasPrefix(got[0], "Q02 traffic class 3 is in priority group 0") {
		t.Errorf("%q", got)
	}
	speeds := linttest.Read("sonic", "f", strings.Replace(clean, `"speed": "400000"`, `"speed": "100000", "fec": "rs"`, 1))
	if len(speeds.Unread) > 0 || speeds.Device.Port("Ethernet1/1").Speed != linttest.Clean().Interfaces[0].Speed/4 {
		t.Errorf("%v, %v", speeds.Unread, speeds.Device.Port("Ethernet1/1").Speed)
	}
}

// What rests on the absence of something is not known where a line that is not understood may say it.
func TestAbsenceBesideUnread(t *testing.T) {
	stock := "nv set interface swp1 link mtu 9216\nnv set qos mapping default-global dscp 26 switch-priority 1\n"
	for text, want := range map[string]lint.Severity{
		stock:                                  lint.Error, // class 3 is unmarked, as from the start
		stock + "nv set qos roce mode lossier": lint.Unknown,
		stock + "nv set frobnicate on":         lint.Error,
	} {
		found := false
		for _, f := range lint.Check([]*lint.Device{linttest.Read("nvue", "f", text)}, nil, lint.Hosts{}) {
			if f.Rule == "Q21" {
				found = true
				if f.Severity != want {
					t.Errorf("%q: %s, want %s", text, f.Severity, want)
				}
			}
		}
		if !found {
			t.Errorf("%q: no Q21", text)
		}
	}
}

// Lines of a kind are one finding, however many there are, and none of them turns a good file into a bad one.
func TestKindsOfUnread(t *testing.T) {
	d := linttest.Read("eos", "f", eosLeaf+strings.Repeat("frobnicate 5\n", 5000))
	all := lint.Check([]*lint.Device{d}, nil, lint.Hosts{})
	if len(all) != 1 || all[0].Rule != "Q20" || all[0].Severity != lint.Warning || len(all[0].Lines) != 5000 ||
		!strings.HasSuffix(all[0].Text, "5000 times") || d.Lines.Unread != 5000 {
		t.Errorf("%d findings, %+v", len(all), d.Lines)
	}
}

// What is defined and attached nowhere is said, and so is PFC without a class that pauses.
func TestNothingApplied(t *testing.T) {
	policies := strings.ReplaceAll(linttest.Render(t, "nxos", linttest.Clean()), "  service-policy", "  ! service-policy")
	profile, _, _ := strings.Cut(eosLeaf, "interface ")
	for _, c := range []struct{ dialect, text, rules string }{
		{"nxos", strings.Replace(policies, "priority-flow-control mode auto", "priority-flow-control mode on", 1), "Q02 Q33"},
		{"eos", profile, "Q33"},
		{"eos", strings.Replace(eosLeaf, "   priority-flow-control priority 3 no-drop\n", "", 1), "Q02"},
		{"junos", "set class-of-service classifiers dscp a forwarding-class TC3 loss-priority low code-points 011010\n", "Q33"},
		{"nvue", "nv set qos pfc P switch-priority 3\nnv set interface swp1 link mtu 9216\nnv set qos roce mode lossy\n", "Q33"},
	} {
		seen := map[string]bool{}
		for _, f := range lint.Check([]*lint.Device{linttest.Read(c.dialect, "f", c.text)}, nil, lint.Hosts{}) {
			seen[f.Rule] = true
		}
		for r := range strings.FieldsSeq(c.rules) {
			if !seen[r] {
				t.Errorf("%s: %v, want %s", c.dialect, seen, c.rules)
			}
		}
	}
}
