package foresight

import (
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

const twoHosts = `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}
`

// What acts first follows from where one sender alone is paused.
func TestOrderOfThresholds(t *testing.T) {
	for _, c := range []struct {
		fabric string
		want   qos.Order
	}{
		{"", qos.MarksFirst},                                // 400 kB, 1.6 MB; paused at 1/9 of 64 MB
		{"qos: {pfc: {threshold: 1MB}}", qos.MarksBegin},    // between the two
		{"qos: {pfc: {threshold: 100kB}}", qos.PausesFirst}, // below
		{"qos: {pfc: {enabled: false}}", qos.MarksOnly},
		{"qos: {ecn: {enabled: false}}", qos.PausesOnly},
		{"qos: {ecn: {enabled: false}, pfc: {enabled: false}}", qos.Neither},
	} {
		in := inspected(t, twoHosts+"fabric: {design: single-switch, "+c.fabric+"}")
		if n := len(in.Thresholds); n != 1 || in.Thresholds[0].First != c.want {
			t.Errorf("%q: %+v, want %s", c.fabric, in.Thresholds, c.want)
		}
	}
}

// One sender alone is paused where alpha times what it leaves free is what it has: with alpha 1, at
// half of the shared buffer.
func TestFirstPauseIsTheFixedPoint(t *testing.T) {
	th := inspected(t, twoHosts+
		"fabric: {design: single-switch, qos: {pfc: {alpha: 1}}, switch: {reserve: 0B}}").Thresholds[0]
	if th.PFC.XOFF != th.Shared || th.PFC.FirstPause != th.Shared/2 {
		t.Errorf("alpha 1: xOFF %v, paused at %v of %v", th.PFC.XOFF, th.PFC.FirstPause, th.Shared)
	}
	if th.Ports != 2 || th.Rate != 100*unit.GigabitPerSec || th.PFC.HeadroomAssumed {
		t.Errorf("%+v", th)
	}
}

// Alpha doubles as the engine doubles it: a port of 300 Gb/s beside NICs of 100 Gb/s has four times
// theirs (300, 150 and 75 Gb/s). And with an alpha above 1 xOFF is still no more than there is.
func TestThresholdsDoubleAlphaAsTheEngine(t *testing.T) {
	in := inspected(t, twoHosts+"fabric: {design: rail-optimized, spines: 1, links: {spine: 300Gb/s}, qos: {pfc: "+
		"{alpha_rate: nic}}}")
	seen := false
	for _, r := range in.Thresholds {
		if r.Rate == 300*unit.GigabitPerSec {
			seen = true
			if r.PFC.Doublings != 2 || r.PFC.Alpha.Cmp(unit.Ratio{Num: 1, Den: 2}) != 0 || r.PFC.XOFF != r.Shared/2 {
				t.Errorf("port of 300 Gb/s: %+v", r.PFC)
			}
		}
	}
	if !seen {
		t.Errorf("no port of 300 Gb/s: %+v", in.Thresholds)
	}
	if r := inspected(t, twoHosts+
		"fabric: {design: single-switch, qos: {pfc: {alpha: 8}}}").Thresholds[0]; r.PFC.XOFF != r.Shared {
		t.Errorf("alpha 8: xOFF %v of %v", r.PFC.XOFF, r.Shared)
	}
	if r := inspected(t, twoHosts+
		"fabric: {design: single-switch, qos: {pfc: {threshold: 63900kB}}}").Thresholds[0]; r.PFC.XOFF != r.Shared {
		t.Errorf("fixed 63.9 MB: xOFF %v of %v", r.PFC.XOFF, r.Shared)
	}
}

// PFC that can act before ECN is warned of at the key that makes it so, and the hint, set, is the
// end of the warning.
func TestPFCBeforeECNIsFoundAndCured(t *testing.T) {
	for _, c := range []struct{ buffer, rest, path, cure string }{
		{"12MB", "", "fabric.qos.pfc.alpha", "fabric.qos.pfc.alpha: 1/4"},
		// a ninth of what is shared is below 1.6 MB
		{"14500kB", "", "fabric.qos.pfc.alpha", "fabric.qos.pfc.alpha: 1/4"},
		{"14600kB", "", "", ""},
		// no alpha up to 1 helps
		{"2MB", "", "fabric.qos.pfc.alpha", "fabric.qos.ecn.min: 100kB and fabric.qos.ecn.max: 200kB"},
		{"2MB", "ecn: {min: 5kB, max: 2MB, port_rate: 40Gb/s}", "fabric.qos.pfc.alpha",
			"fabric.qos.ecn.port_rate: any, fabric.qos.ecn.min: 100kB and fabric.qos.ecn.max: 200kB"},
		{"64MB", "pfc: {threshold: 1MB}", "fabric.qos.pfc.threshold", "fabric.qos.pfc.threshold: 1.6MB"},
		{"64MB", "pfc: {threshold: 1600kB}", "", ""},
		{"12MB", "ecn: {enabled: false}", "", ""},
	} {
		path, hint := "", ""
		src := twoHosts + "fabric: {design: single-switch, switch: {buffer: " + c.buffer + "}, qos: {" + c.rest + "}}"
		for _, f := range inspected(t, src).Findings {
			if strings.HasPrefix(f.Message, "PFC can act before ECN: one sender alone is paused") {
				path, hint = f.Path, f.Hint
			}
		}
		if path != c.path || !strings.Contains(hint, c.cure) || (c.cure == "") != (hint == "") {
			t.Errorf("%s %s: warning of %q, hint %q; want %q, %q", c.buffer, c.rest, path, hint, c.path, c.cure)
		}
	}
}

// With a fixed xOFF, nothing says that ECN comes before PFC where PFC acts first.
func TestFixedXOFFBound(t *testing.T) {
	in := inspected(t, twoHosts+"fabric: {design: single-switch, qos: {pfc: {threshold: 100kB}}}")
	r := qos.Tightest(in.Thresholds)
	if r.PFC.SafeMark != 50*unit.Kilobyte || r.First != qos.PausesFirst ||
		!strings.HasPrefix(r.MarksBeforePauses(), "With many senders PFC can come before ECN") {
		t.Errorf("%s: %s", r.First, r.MarksBeforePauses())
	}
}

// What would keep a run from starting is a finding of severity error; it comes first.
func TestInspectionFindsWhatStopsARun(t *testing.T) {
	in := inspected(t, strings.Replace(twoHosts, "1MB", "1TB, count: 1000, every: 1s", 1)+"transport: {mtu: 1000B}")
	if plantest.Errors(in.Findings) != 1 || len(in.Findings) != 2 || in.Findings[0].Severity != scenario.Error ||
		!strings.Contains(in.Findings[0].Message, "packet-hops") {
		t.Errorf("%+v", in.Findings)
	}
}
