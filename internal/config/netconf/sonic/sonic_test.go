package sonic_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/netconftest"
	"railyard/internal/config/netconf/qostest"
	"railyard/internal/config/netconf/sonic"
)

var shape = qostest.Shape{
	MTUs: []unit.Bytes{9216, 9118, 4200}, NoShareOfStrict: true, PFC: qostest.Modes, DCBX: nil,
	Cables: []unit.Length{0, 5 * unit.Metre, 40 * unit.Metre},
	Watchdog: func(t *rapid.T) netconf.Watchdog {
		return rapid.SampledFrom([]netconf.Watchdog{{}, {On: true, Poll: 100 * unit.Millisecond,
			Detect: 400 * unit.Millisecond, Restore: 400 * unit.Millisecond, Action: "drop"},
			netconf.NewWatchdog(300*unit.Microsecond, unit.Millisecond, "forward"),
			netconf.NewWatchdog(unit.Hour, 12_345*unit.Microsecond, "drop")}).Draw(t, "watchdog")
	},
	Pools: func(t *rapid.T) netconf.Pools {
		return rapid.SampledFrom([]netconf.Pools{{}, {Size: 165_660_324, Headroom: 29_423_360,
			LossyPart: 3}}).Draw(t, "pools")
	},
}

func TestRoundTrip(t *testing.T) { qostest.RoundTrip(t, sonic.Dialect{}, &shape) }

func FuzzParse(f *testing.F) {
	qostest.Fuzz(f, sonic.Dialect{}, `{
 "DSCP_TO_TC_MAP": {"AZURE": {"26": "3", "48": "6"}},
 "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3", "6": "6"}},
 "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"3": "3"}},
 "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "[DSCP_TO_TC_MAP|AZURE]", "tc_to_queue_map": "AZURE",
   "pfc_to_queue_map": "AZURE", "pfc_enable": "3", "pfcwd_sw_enable": "3"}},
 "SCHEDULER": {"dwrr": {"type": "DWRR", "weight": "15"}, "strict": {"type": "STRICT"}},
 "WRED_PROFILE": {"AZURE_LOSSLESS": {"ecn": "ecn_all", "wred_green_enable": "true",
   "green_min_threshold": "1048576", "green_max_threshold": "2097152", "green_drop_probability": "5"}},
 "QUEUE": {"Ethernet0|3": {"scheduler": "dwrr", "wred_profile": "AZURE_LOSSLESS"},
           "Ethernet0|6": {"scheduler": "strict"}},
 "BUFFER_PROFILE": {"pg": {"pool": "ingress_lossless_pool", "size": "18796",
   "xon": "0", "xoff": "612140", "xon_offset": "3556", "dynamic_th": "0"}},
 "BUFFER_PG": {"Ethernet0|3": {"profile": "pg"}},
 "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}},
 "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"},
            "Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "400"}}
}`, `{"QUEUE": {"Ethernet0,Ethernet4|3-4": {}}}`, `{"PORT": []}`)
}

// Addresses, VLANs and BGP come back as they were.
func TestRoutingRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, _ := sonic.Dialect{}.Fit(netconftest.Draw(t))
		netconftest.RoundTrip(t, sonic.Dialect{}, d)
	})
}

// What people write that is not so.
func TestRoutingThatIsWrong(t *testing.T) {
	for _, c := range [][2]string{
		{`"VLAN_MEMBER": {"Vlan5|Ethernet0": {"tagging_mode": "untagged"}}`,
			`Vlan5|Ethernet0: no VLAN Vlan5`},
		{`"VLAN": {"Vlan5": {}}, "VLAN_MEMBER": {"Vlan5|Ethernet0": {"tagging_mode": "some"}}`,
			`tagging_mode some`},
		{`"VLAN": {"Vlan5": {"vlanid": "6"}}`,
			`Vlan5: vlanid 6, want 5`},
		{`"VLAN": {"Vlan4095": {}}`,
			`want Vlan1 to Vlan4094`},
		{`"VLAN_INTERFACE": {"Vlan5|10.0.0.1/24": {}}`,
			`no VLAN Vlan5`},
		{`"INTERFACE": {"Ethernet0|10.0.0.1": {}}`,
			`10.0.0.1: want an address with the length`},
		{`"INTERFACE": {"Ethernet0|10.0.0.1/31": {}, "Ethernet0|10.0.0.1/31": {}}`,
			`once`},
		{`"MCLAG_DOMAIN": {"0": {"source_ip": "10.0.0.0", "peer_ip": "10.0.0.1"}}`,
			`want one domain, from 1 to 4095`},
		{`"MCLAG_DOMAIN": {"1": {"source_ip": "10.0.0.0"}}`,
			`peer_ip: "": want an IPv4 address`},
		{`"MCLAG_DOMAIN": {"1": {"source_ip": "10.0.0.0", "peer_ip": "10.0.0.1", "peer_link": "Ethernet0"}}`,
			`want a port channel`},
		{`"LOOPBACK_INTERFACE": {"Ethernet1|10.0.0.1/32": {}}`,
			`want a loopback`},
		{`"VLAN": {"Vlan5": {}},
 "VLAN_MEMBER": {"Vlan5|Ethernet0": {"tagging_mode": "untagged"}},
 "INTERFACE": {"Ethernet0|10.0.0.1/31": {}}`,
			`routed, and a member of VLAN 5`},
	} {
		p := sonic.Dialect{}.Parse([]netconf.File{{Name: "config_db.json", Text: []byte("{" + c[0] + "}")}})
		if len(p.Problems) != 1 || !strings.Contains(p.Problems[0].Message, c[1]) {
			t.Errorf("%s: %v, want %s", c[0], p.Problems, c[1])
		}
	}
	// FRR's file is there, and nothing says that it counts.
	p := sonic.Dialect{}.Parse([]netconf.File{
		{Name: "config_db.json", Text: []byte(`{"DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}}}`)},
		{Name: "frr/frr.conf", Text: []byte("frr defaults datacenter\nrouter bgp 65001\n")},
	})
	if len(p.Problems) != 1 || p.Problems[0].File != "config_db.json" ||
		!strings.Contains(p.Problems[0].Message, "want split-unified") {
		t.Error(p.Problems)
	}
}

// The buffer of a class that pauses is that of the priority group which its traffic class is mapped to.
func TestPriorityGroups(t *testing.T) {
	for group, want := range map[string]bool{"3": false, "5": true} {
		p := sonic.Dialect{}.Parse([]netconf.File{{Name: "config_db.json", Text: []byte(`{
 "DSCP_TO_TC_MAP": {"AZURE": {"26": "3"}},
 "TC_TO_QUEUE_MAP": {"AZURE": {"3": "3"}},
 "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "5"}},
 "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"3": "3"}},
 "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE", "tc_to_pg_map": "AZURE",
  "pfc_to_queue_map": "AZURE", "pfc_enable": "3"}},
 "BUFFER_PROFILE": {"pg": {"xoff": "70000", "dynamic_th": "0"}},
 "BUFFER_PG": {"Ethernet0|` + group + `": {"profile": "pg"}}
}`)}})
		if len(p.Problems) > 0 {
			t.Fatal(p.Problems.Error())
		}
		has := false
		for _, c := range p.Device.QoS.Profiles[0].Classes {
			has = has || c.TC == 3 && c.Pause != nil && c.Pause.Buffer != nil
		}
		if has != want {
			t.Errorf("a buffer for priority group %s is that of class 3, whose group is 5: %v", group, has)
		}
	}
}
