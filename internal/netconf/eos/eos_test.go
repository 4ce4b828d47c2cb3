package eos_test

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/netconf"
	"railyard/internal/netconf/eos"
	"railyard/internal/netconf/qostest"
	"railyard/internal/unit"
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
`, "interface Ethernet1\n uc-tx-queue 9\n  priority strict\n")
}
