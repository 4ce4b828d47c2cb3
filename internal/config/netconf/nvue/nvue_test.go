package nvue_test

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/nvue"
	"railyard/internal/config/netconf/qostest"
)

var shape = qostest.Shape{
	MTUs: []unit.Bytes{9216, 4200}, OneClassify: true, PFC: []netconf.PFCMode{netconf.PFCOn, netconf.PFCAuto},
	Cables: []unit.Length{0, 5 * unit.Metre, 100 * unit.Metre}, Profile: profile,
	Watchdog: func(t *rapid.T) netconf.Watchdog {
		return rapid.SampledFrom([]netconf.Watchdog{{}, {On: true, Poll: 200 * unit.Millisecond,
			Detect: 400 * unit.Millisecond, Restore: 400 * unit.Millisecond, Action: "drop"},
			netconf.NewWatchdog(300*unit.Microsecond, unit.Millisecond, "forward"),
			netconf.NewWatchdog(unit.Hour, 12_345*unit.Microsecond, "drop")}).Draw(t, "watchdog")
	},
	Pools: func(t *rapid.T) netconf.Pools {
		return rapid.SampledFrom([]netconf.Pools{{}, {Size: 9, LosslessPart: 90, HeadroomPart: 7,
			LossyPart: 3}}).Draw(t, "pools")
	},
	Balance: func(t *rapid.T) *netconf.Balance {
		return rapid.SampledFrom([]*netconf.Balance{nil, {Method: "dlb", Unit: "packet"},
			{Method: "ecmp"}}).Draw(t, "balance")
	},
}

// profile draws one with the classes of roce.
func profile(t *rapid.T) (p netconf.Profile) {
	low := rapid.IntRange(0, 1_000_000).Draw(t, "min")
	p.Classify[rapid.IntRange(1, 47).Draw(t, "DSCP")], p.Classify[48] = 3, 6
	p.Classes = []netconf.Class{{Share: 50},
		{TC: 3, Queue: 3, Share: 50, Pause: &netconf.Pause{Priority: 3}, ECN: &netconf.ECN{Min: unit.Bytes(low),
			Max: unit.Bytes(low + rapid.IntRange(1, 9).Draw(t, "more")), Probability: rapid.IntRange(1, 100).Draw(t, "p")}},
		{TC: 6, Queue: 6, Strict: true}}
	return p
}

func TestRoundTrip(t *testing.T) { qostest.RoundTrip(t, nvue.Dialect{}, &shape) }

func FuzzParse(f *testing.F) {
	qostest.Fuzz(f, nvue.Dialect{}, `nv set qos roce mode lossless
nv set qos roce cable-length 100
nv set qos congestion-control default-global traffic-class 3 ecn enable
nv set qos congestion-control default-global traffic-class 3 min-threshold 150000
nv set qos traffic-pool roce-lossless memory-percent 60
nv set qos traffic-pool default-lossy memory-percent 40
nv set qos pfc-watchdog polling-interval 200
nv set qos pfc-watchdog robustness 5
nv set interface swp1,swp2s1 qos pfc-watchdog
nv set router adaptive-routing enable on
nv config apply
`)
}

// A watchdog that looks every so often, and acts after a whole number of looks, stays as it is.
func TestAWatchdogThatFits(t *testing.T) {
	for _, c := range []struct{ poll, detect, wantPoll, wantDetect unit.Duration }{
		{200 * unit.Millisecond, 400 * unit.Millisecond, 200 * unit.Millisecond, 400 * unit.Millisecond},
		{5 * unit.Second, 10 * unit.Second, 5 * unit.Second, 10 * unit.Second},
		{6 * unit.Second, 12 * unit.Second, 100 * unit.Millisecond, 12 * unit.Second},
		{200 * unit.Millisecond, 500 * unit.Millisecond, 100 * unit.Millisecond, 500 * unit.Millisecond},
	} {
		d := &netconf.Device{Name: "leaf1", QoS: &netconf.QoS{Profiles: make([]netconf.Profile, 1),
			Watchdog: netconf.Watchdog{On: true, Poll: c.poll, Detect: c.detect}},
			Interfaces: []netconf.Interface{{Name: "swp1", QoS: &netconf.PortQoS{Watchdog: true}}}}
		fitted, _ := nvue.Dialect{}.Fit(d)
		if w := fitted.QoS.Watchdog; w.Poll != c.wantPoll || w.Detect != c.wantDetect {
			t.Errorf("%+v: becomes every %v, after %v", c, w.Poll, w.Detect)
		}
	}
}
