package judge

import (
	"slices"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
	"railyard/internal/out/noun"
)

// step is which read a row is of.
func step(r *telemetry.Row) int64 { return int64(r.Time / unit.Time(100*unit.Microsecond)) }

// TestDownBeforeTheFirstRead: a link that is down at each read, and is up in order, is down.
func TestDownBeforeTheFirstRead(t *testing.T) {
	up := func(v int64) func(r *telemetry.Row) {
		return func(r *telemetry.Row) {
			if r.Port == "leaf1/spine1" {
				r.Up = v
			}
		}
	}
	v := Judge(Case{Now: shown(up(0)), Healthy: shown(up(1))})
	if len(v.Hypotheses) != 1 || v.Hypotheses[0].Noun != noun.LinkDown || v.Hypotheses[0].Place.Name != "leaf1/spine1" {
		t.Errorf("%+v", v.Hypotheses)
	}
	if v := Judge(Case{Now: shown(up(0)), Healthy: shown(up(0))}); v.Wrong {
		t.Errorf("it is so in order: %+v", v.Hypotheses)
	}
}

// TestNarrowPCIe: a NIC whose PCIe is narrow is a slow receiver if it pauses its switch, else its host sends less.
func TestNarrowPCIe(t *testing.T) {
	for pauses, want := range map[int64]noun.Noun{0: noun.PCIeBound, 5: noun.SlowReceiver} {
		v := Judge(Case{Healthy: shown(nil), Now: shown(func(r *telemetry.Row) {
			if r.Kind == string(telemetry.NIC) {
				r.PCIe, r.TxPFC = 64_000, pauses*step(r)
			}
		})})
		if len(v.Hypotheses) == 0 || v.Hypotheses[0].Mechanism != SlowPCIe || v.Hypotheses[0].Noun != want {
			t.Errorf("%d pauses: %+v, want %s", pauses, v.Hypotheses, want)
		}
	}
}

// TestMarksAlone: a switch that marks many times as much at queues as deep as in order, while another marks as it did, has other
// thresholds; if all mark more it is not the switch.
func TestMarksAlone(t *testing.T) {
	marking := func(leaf, spine int64) *telemetry.Telemetry {
		var b telemetry.Builder
		for i := range int64(10) {
			for p, marked := range map[string]int64{"leaf1/spine1": leaf, "spine1/leaf1": spine} {
				r := telemetry.NewRow(telemetry.Port, p[:len(p)-len("/leaf1")], p, unit.Time(i)*unit.Time(100*unit.Microsecond))
				if p == "leaf1/spine1" {
					r.Device = "leaf1"
				}
				r.TxBytes, r.TxPackets, r.ECNMarked, r.Watermark = i*1000_000, i*1000, i*marked, 500_000
				b.Add(&r)
			}
		}
		return b.Telemetry()
	}
	v := Judge(Case{Now: marking(200, 10), Healthy: marking(10, 10)})
	if len(v.Hypotheses) != 1 || v.Hypotheses[0].Mechanism != Drifted || v.Hypotheses[0].Place.Name != "leaf1" {
		t.Errorf("%+v", v.Hypotheses)
	}
	alone := v.Hypotheses[0].Likelihood
	if v := Judge(Case{Now: marking(200, 200), Healthy: marking(10, 10)}); len(v.Hypotheses) > 0 && v.Hypotheses[0].Likelihood >= alone {
		t.Errorf("of one switch %.1f, of all %+v", alone, v.Hypotheses)
	}
}

// TestWorst: flows meet at the port that takes longest; of those that take about as long, where the queue is deepest.
func TestWorst(t *testing.T) {
	a, b, c := &making{}, &making{}, &making{}
	if got := worst([]meeting{{a, 100, 5}, {b, 98, 9}, {c, 80, 99}}); got != b {
		t.Error("want the deepest queue of those that take as long")
	}
	if got := worst([]meeting{{a, 110, 5}, {b, 98, 9}}); got != a {
		t.Error("want what takes longest")
	}
}

// TestNewcomers: hosts that send now and hardly did in order.
func TestNewcomers(t *testing.T) {
	quiet := shown(func(r *telemetry.Row) {
		if r.Kind == string(telemetry.NIC) {
			r.TxBytes = 0
		}
	})
	v := newView(Case{Now: shown(nil), Healthy: quiet})
	if got := v.newcomers(); !slices.Equal(got, []string{"host1"}) {
		t.Errorf("%q", got)
	}
	v = newView(Case{Now: shown(nil), Healthy: shown(nil)})
	if got := v.newcomers(); len(got) > 0 {
		t.Errorf("%q of those that sent before", got)
	}
}
