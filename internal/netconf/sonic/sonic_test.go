package sonic_test

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/netconf"
	"railyard/internal/netconf/qostest"
	"railyard/internal/netconf/sonic"
	"railyard/internal/unit"
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
