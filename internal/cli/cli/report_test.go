package cli

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/net/qos"
	"railyard/internal/out/report"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// ran runs a scenario and returns its directory as the report reads it.
func ran(t *testing.T, src string) *report.Data {
	t.Helper()
	sc, err := scenario.Parse("t.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t-1")
	dir, err := result.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := run.Run(context.Background(), sc, run.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Finish(sum); err != nil {
		t.Fatal(err)
	}
	d, err := report.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const incast = `
cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 400Gb/s}}
output: {sample: 1us, queues: true}
job:
  flows:
    - {from: host2/gpu0, to: host1/gpu0, bytes: 1MB}
    - {from: host3/gpu0, to: host1/gpu0, bytes: 1MB}
    - {from: host4/gpu0, to: host1/gpu0, bytes: 1MB}
`

// The report draws the thresholds that the run had: those of ports of 400 Gb/s, where the scenario
// states them for 40.
func TestReportThresholds(t *testing.T) {
	for _, c := range []struct{ qos, want string }{
		{"ecn: {min: 5kB, max: 200kB, port_rate: 40Gb/s}",
			"WRED min 50 kB passed, WRED max 2 MB not reached, xOFF at most"},
		{"ecn: {min: 5kB, max: 200kB}", "WRED min 5 kB passed, WRED max 200 kB passed, xOFF at most"},
		{"ecn: {enabled: false}, pfc: {threshold: 700kB}", "xOFF 700 kB (of one ingress port)."},
	} {
		d := ran(t, incast+"fabric: {design: single-switch, qos: {"+c.qos+"}}")
		var b strings.Builder
		if err := report.WriteText(&b, d, 200); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, c.want) {
			t.Errorf("%s: want %q in\n%s", c.qos, c.want, b.String())
		}
	}
}

// A mistake that acted is told with its cure; one that did not act is not told.
func TestReportTellsTheCure(t *testing.T) {
	const single = "fabric: {design: single-switch, "
	for _, c := range []struct{ fabric, mistake, told string }{
		{"switch: {buffer: 3MB}}", qos.PFCBeforeECN, "PFC can act before ECN: one sender alone is paused with"},
		{"qos: {pfc: {threshold: 100kB}}}", qos.PFCBeforeECN,
			"and nothing is marked below 1.600 MB (leaf, port of 400 Gb/s). Here it acted:"},
		{"qos: {pfc: {threshold: 100kB, headroom: 20kB}}}\ntransport: {timeout: 1ms}\n",
			qos.HeadroomShort, "headroom: auto"},
		{"qos: {pfc: {threshold: 3MB}}}", "", ""}, // a mistake by the book: 6.4 MB of marking, and no pause in this run
	} {
		d := ran(t, incast+single+c.fabric)
		sentence, bullets := report.Answer(d)
		text := strings.Join(append(bullets, sentence), " ")
		if !strings.Contains(text, c.told) || c.told == "" && strings.Contains(text, "Here it acted") {
			t.Errorf("%s: want %q in\n%s", c.fabric, c.told, text)
		}
		found := c.mistake == ""
		for _, m := range d.Summary.Mistakes {
			found = found || m.Name == c.mistake && len(m.Cures) > 0
		}
		if !found {
			t.Errorf("%s: no %s with a cure among %+v", c.fabric, c.mistake, d.Summary.Mistakes)
		}
	}
}
