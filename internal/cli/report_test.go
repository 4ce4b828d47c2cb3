package cli

import (
	"encoding/json"
	"testing"

	"github.com/goccy/go-yaml"

	"railyard/internal/report"
	"railyard/internal/scenario"
	"railyard/internal/unit"
)

// The report reads thresholds from a resolved scenario's text; the simulator has them
// from the scenario. They are the same.
func TestReportThresholds(t *testing.T) {
	for _, ecn := range []string{"{enabled: true}", "{enabled: true, min: 150kB, max: 3MB}", "{enabled: false}"} {
		src := "cluster: {hosts: 2}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}\nfabric: {qos: {ecn: " + ecn + "}}\n"
		sc, err := scenario.Parse("t.yaml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := yaml.YAMLToJSON(sc.YAML())
		if err != nil {
			t.Fatal(err)
		}
		s := report.SettingsOf(json.RawMessage(raw))
		for _, rate := range []unit.Bitrate{25 * unit.GigabitPerSec, 200 * unit.GigabitPerSec, 800 * unit.GigabitPerSec} {
			low, high, on := s.WRED(rate)
			wantLow, wantHigh, _ := sc.Fabric.QoS.ECN.At(rate)
			if low != wantLow || high != wantHigh || on != sc.Fabric.QoS.ECN.Enabled {
				t.Errorf("%s at %v: %v, %v, %v, the scenario says %v, %v, %v", ecn, rate, low, high, on, wantLow, wantHigh, sc.Fabric.QoS.ECN.Enabled)
			}
		}
		if s.Buffer != sc.Fabric.Switch.Buffer || s.Alpha.Cmp(sc.Fabric.QoS.PFC.Alpha) != 0 || s.PFC != sc.Fabric.QoS.PFC.Enabled || s.Sample != sc.Output.Sample {
			t.Errorf("%s: report has %+v, the scenario %+v", ecn, s, sc.Fabric)
		}
	}
}
