package report

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// loggedData is a run of 2.4 ms with the rows that add writes.
func loggedData(t *testing.T, output string, add func(*result.Dir)) *Data {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run")
	dir, err := result.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &result.Summary{Name: "logged", ScenarioYAML: "output: " + output + "\n"}
	if err := dir.Begin(s); err != nil {
		t.Fatal(err)
	}
	dir.Flows()
	dir.Links().Add(result.LinkRow{Port: "rail1/host1", Busy: 2 * unit.Millisecond, Utilisation: 0.8})
	dir.Links().Add(result.LinkRow{Port: "host1/rail1"})
	add(dir)
	s.State, s.VirtualTime = result.Complete, unit.Time(2400*us)
	if err := dir.Finish(s); err != nil {
		t.Fatal(err)
	}
	d, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Of a series, whole intervals make a part of a chart; of events, what lies in it. Both say the same.
func TestLogOverTime(t *testing.T) {
	series := loggedData(t, "{flows: true, series: true, events: true}", func(dir *result.Dir) {
		for i := range 300 { // of 8 us: three are a part
			from := unit.Time(i) * unit.Time(8*us)
			row := result.SeriesRow{From: from, Until: from.Add(8 * us), Kind: result.SeriesLink, Port: "rail1/host1"}
			row.Busy, row.Utilisation, row.Marks = 4*us, 0.5, 2
			if i >= 30 && i < 36 {
				row.Paused = 8 * us
			}
			dir.Series().Add(row)
			dir.Series().Add(result.SeriesRow{From: row.From, Until: row.Until, Kind: result.SeriesFlow, CNPs: 1})
		}
	})
	events := loggedData(t, "{flows: true, events: true}", func(dir *result.Dir) {
		at := func(n int) unit.Time { return unit.Time(n) * unit.Time(us) }
		for n := range 2400 {
			if n == 240 || n == 288 {
				kind := map[int]string{240: result.EventPause, 288: result.EventResume}[n]
				dir.Events().Add(result.EventRow{Time: at(n), Kind: kind, Port: "rail1/host1", Class: 3})
			}
			if n%4 == 0 {
				dir.Events().Add(result.EventRow{Time: at(n), Kind: result.EventMark, Port: "rail1/host1", Class: 3})
			}
			if n%8 == 0 {
				dir.Events().Add(result.EventRow{Time: at(n), Kind: result.EventCNPReceived, Name: "flow1"})
			}
		}
		dir.Events().Add(result.EventRow{Time: at(2399), Kind: result.EventMark, Port: "rail1/host1", LeftOut: 5})
	})
	a, b := series.Log, events.Log
	if a.Width != 24*us || b.Width != 20*us || len(a.Marks) != 100 || len(b.Marks) != 120 {
		t.Fatalf("%d parts of %v, %d of %v", len(a.Marks), a.Width, len(b.Marks), b.Width)
	}
	for name, l := range map[string]*LogStats{"series": a, "events": b} {
		var marks, cnps int64
		var held unit.Duration
		for i := range l.Marks {
			marks, cnps, held = marks+l.Marks[i], cnps+l.CNPs[i], held+l.Held[i]
		}
		if marks != 600 || cnps != 300 || held != 48*us {
			t.Errorf("%s: %d marks, %d CNPs, held %v", name, marks, cnps, held)
		}
		if i := slices.Max(l.Held); i != l.Width {
			t.Errorf("%s: the port is held for %v of a part at most, want all of it", name, i)
		}
	}
	charts := map[string]string{}
	for _, f := range checked(t, logCharts(series)) {
		charts[f.Name] = f.Caption
	}
	if len(charts) != 4 || !strings.Contains(charts["marks"], "in parts of 24 us") ||
		charts["utilisation-over-time"] == "" {
		t.Errorf("charts of a series: %v", charts)
	}
	if use := a.Busiest; len(use) != 1 || use[0].Busy[99] != 12*us {
		t.Errorf("the busiest links: %+v", use)
	}
	charts = map[string]string{}
	for _, f := range checked(t, logCharts(events)) {
		charts[f.Name] = f.Caption
	}
	if len(charts) != 3 || !strings.Contains(charts["marks"], "leaves out 5 events") ||
		strings.Contains(charts["cnps"], "leaves") {
		t.Errorf("charts of events: %v", charts)
	}
	if plain := loggedData(t, "{flows: true}", func(*result.Dir) {}); plain.Log != nil || len(logCharts(plain)) > 0 {
		t.Error("charts of what was not logged")
	}
}
