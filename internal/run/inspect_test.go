package run

import (
	"strings"
	"testing"

	"railyard/internal/coll"
	"railyard/internal/scenario"
	"railyard/internal/unit"
)

func inspected(t *testing.T, src string) *Inspection {
	t.Helper()
	sc, err := scenario.Parse("a.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	in, err := Inspect(sc)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

const twoHosts = `
cluster: {hosts: 2, host: {gpus: 1}, nic: {speed: 100Gb/s}}
job: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}
`

// What acts first follows from where one sender alone is paused.
func TestOrderOfThresholds(t *testing.T) {
	for _, c := range []struct {
		fabric string
		want   Order
	}{
		{"", MarksFirst}, // 400 kB, 1.6 MB; paused at 1/9 of 64 MB
		{"qos: {pfc: {threshold: 1MB}}", MarksBegin},    // between the two
		{"qos: {pfc: {threshold: 100kB}}", PausesFirst}, // below
		{"qos: {pfc: {enabled: false}}", MarksOnly},     //
		{"qos: {ecn: {enabled: false}}", PausesOnly},    //
		{"qos: {ecn: {enabled: false}, pfc: {enabled: false}}", Neither},
	} {
		in := inspected(t, twoHosts+"fabric: {design: single-switch, "+c.fabric+"}")
		if n := len(in.Thresholds); n != 1 || in.Thresholds[0].Order != c.want {
			t.Errorf("%q: %+v, want %s", c.fabric, in.Thresholds, c.want)
		}
	}
}

// One sender alone is paused where alpha times what it leaves free is what it has:
// with alpha 1, at half of the shared buffer.
func TestFirstPauseIsTheFixedPoint(t *testing.T) {
	th := inspected(t, twoHosts+"fabric: {design: single-switch, qos: {pfc: {alpha: 1}}, switch: {reserve: 0B}}").Thresholds[0]
	if th.XOff != th.Shared || th.FirstPause != th.Shared/2 {
		t.Errorf("alpha 1: xOFF %v, paused at %v of %v", th.XOff, th.FirstPause, th.Shared)
	}
	if th.Ports != 2 || th.Rate != 100*unit.GigabitPerSec || th.HeadroomAssumed {
		t.Errorf("%+v", th)
	}
}

// The warning of early pauses speaks of the xOFF that the engine has: a part of the shared buffer, not of the whole one.
func TestXOffBelowMarkingIsTheEngines(t *testing.T) {
	for _, c := range []struct{ fabric, path string }{
		{"switch: {buffer: 12MB}", "fabric.qos.pfc.alpha"},
		{"switch: {buffer: 12900kB}", "fabric.qos.pfc.alpha"}, // an eighth of the whole is above 1.6 MB, of what is shared below
		{"switch: {buffer: 13MB}", ""},
		{"qos: {pfc: {threshold: 1MB}}", "fabric.qos.pfc.threshold"},
		{"qos: {pfc: {threshold: 1600kB}}", ""},
		{"switch: {buffer: 12MB}, qos: {ecn: {enabled: false}}", ""},
	} {
		in := inspected(t, twoHosts+"fabric: {design: single-switch, "+c.fabric+"}")
		path := ""
		for _, f := range in.Findings {
			if strings.HasPrefix(f.Message, "xOFF is "+in.Thresholds[0].XOff.String()+" even") {
				path = f.Path
			}
		}
		if path != c.path {
			t.Errorf("%s: warning of %q, want %q: xOFF %v, ECN max %v", c.fabric, path, c.path, in.Thresholds[0].XOff, in.Thresholds[0].ECNMax)
		}
	}
}

// What would keep a run from starting is a finding of severity error; it comes first.
func TestInspectionFindsWhatStopsARun(t *testing.T) {
	in := inspected(t, strings.Replace(twoHosts, "1MB", "1TB, count: 1000, every: 1s", 1)+"transport: {mtu: 1000B}")
	if in.Errors() != 1 || len(in.Findings) != 2 || in.Findings[0].Severity != scenario.Error || !strings.Contains(in.Findings[0].Message, "packet-hops") {
		t.Errorf("%+v", in.Findings)
	}
}

// A schedule from a file is used as it is, after it is proved.
func TestScheduleFromFile(t *testing.T) {
	ring, err := coll.RingAllReduce([][]int32{{1, 0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := coll.WriteText(&b, ring); err != nil {
		t.Fatal(err)
	}
	src := []byte(b.String())
	if s, err := parseSchedule("s.txt", src, 3, 1); err != nil || s.Op(1, 0, 0) != ring.Op(1, 0, 0) {
		t.Errorf("%v %v", s, err)
	}
	for _, c := range []struct {
		ranks, channels int
		want            string
	}{{4, 1, "ranks are 3, want 4"}, {3, 2, "channels are 1, want 2"}} {
		if _, err := parseSchedule("s.txt", src, c.ranks, c.channels); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d ranks, %d channels: %v", c.ranks, c.channels, err)
		}
	}
}
