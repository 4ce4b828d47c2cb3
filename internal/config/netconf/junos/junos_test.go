package junos_test

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/junos"
	"railyard/internal/config/netconf/qostest"
)

var shape = qostest.Shape{
	MTUs: []unit.Bytes{9216}, SamePause: true, OneClassify: true, PFC: qostest.Modes,
	Pools: func(t *rapid.T) netconf.Pools {
		return netconf.Pools{Size: 64 * unit.Megabyte, Headroom: unit.Megabyte, LosslessPart: 80,
			HeadroomPart: 10, LossyPart: 10}
	},
	Balance: func(t *rapid.T) *netconf.Balance {
		return rapid.SampledFrom([]*netconf.Balance{nil, {Method: "dlb", Unit: "packet", Ports: []string{"Ethernet1/1"}},
			{Method: "ecmp"}, {Method: "dlb", Unit: "flowlet", Gap: 50 * unit.Microsecond}}).Draw(t, "balance")
	},
	EachHasDSCP: true,
}

func TestRoundTrip(t *testing.T) { qostest.RoundTrip(t, junos.Dialect{}, &shape) }

func FuzzParse(f *testing.F) {
	qostest.Fuzz(f, junos.Dialect{}, `
set class-of-service classifiers dscp mydscp forwarding-class NO-LOSS loss-priority low code-points 011010
set class-of-service classifiers dscp mydscp forwarding-class CNP loss-priority low code-points 110000
set class-of-service forwarding-classes class NO-LOSS queue-num 4 no-loss pfc-priority 3
set class-of-service forwarding-classes class CNP queue-num 3
set class-of-service congestion-notification-profile cnp input dscp code-point 011010 pfc
set class-of-service drop-profiles dp1 interpolate fill-level [ 20 60 ] drop-probability [ 0 100 ]
set class-of-service schedulers s1 drop-profile-map loss-priority any protocol any drop-profile dp1
set class-of-service schedulers s1 explicit-congestion-notification
set class-of-service scheduler-maps sm1 forwarding-class NO-LOSS scheduler s1
set class-of-service shared-buffer ingress buffer-partition lossless percent 80
set class-of-service shared-buffer egress buffer-partition lossless percent 80
set class-of-service congestion-notification-profile cnp pfc-watchdog
set class-of-service interfaces et-0/0/0 congestion-notification-profile cnp
set class-of-service interfaces et-0/0/0 scheduler-map sm1
set class-of-service interfaces et-0/0/0 unit 0 classifiers dscp mydscp
set forwarding-options enhanced-hash-key ecmp-dlb flowlet inactivity-interval 50
`)
}
