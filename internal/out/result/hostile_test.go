package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// A table that is not as run.json says that it was written is refused, and the others are read.
func TestDamagedTableIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeRun(t, dir, 1000)
	path := filepath.Join(dir, "flows.parquet")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := bytes.Clone(b)
	b[len(b)-3] ^= 1 // of the magic at the end
	writeFile(t, path, b)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := firstErr(r.Flows()); err == nil ||
		!strings.Contains(err.Error(), "table "+path+": is not the one that the run wrote") {
		t.Errorf("changed: %v", err)
	}
	if err := firstErr(r.Steps()); err != nil {
		t.Errorf("the table beside it: %v", err)
	}
	r.Damaged = true
	if err := firstErr(r.Flows()); err == nil || !strings.Contains(err.Error(), "is damaged: does not end in PAR1") {
		t.Errorf("changed, and read all the same: %v", err)
	}
	whole = append(whole[:len(whole):len(whole)], whole...) // a second table behind the first: sound, but not the run's
	writeFile(t, path, whole)
	if r.Damaged = false; firstErr(r.Flows()) == nil {
		t.Error("another file is taken for the table")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := firstErr(r.Flows()); err == nil ||
		!strings.Contains(err.Error(), "is missing: run.json says that it has 1,000 rows") {
		t.Errorf("missing: %v", err)
	}
}

func writeFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func firstErr[R any](rows iter.Seq2[R, error]) error {
	for _, err := range rows {
		if err != nil {
			return err
		}
	}
	return nil
}

// run.json holds the checksums of what lies beside it.
func TestTablesAreSummed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeRun(t, dir, 10)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.Summary.Tables {
		names = append(names, f.Name)
		got, err := fileOf(dir, tableName(f.Name), f.Bytes)
		if err != nil || got.Bytes != f.Bytes || got.SHA256 != f.SHA256 || f.Rows == 0 {
			t.Errorf("%+v, the file has %+v (%v)", f, got, err)
		}
	}
	if got := strings.Join(names, " "); got != strings.Join(r.Tables(), " ") {
		t.Errorf("%s, want %v", got, r.Tables())
	}
}

// Rows that no run writes are refused, with the row and the column.
func TestRowsAreChecked(t *testing.T) {
	s := &Summary{State: Complete, FormatVersion: FormatVersion, VirtualTime: 1000,
		JobFigures: JobFigures{StepsPlanned: 4}}
	for _, c := range []struct {
		want string
		err  error
	}{
		{"row 1: step is 2, want at most 1: no earlier row has the steps before it",
			checked(t, s, "steps", []StepRow{{}, {Step: 2}}, (*Run).Steps)},
		{"row 0: step is 1073741824, want -1 to 3", checked(t, s, "steps", []StepRow{{Step: 1 << 30}}, (*Run).Steps)},
		{"row 0: end_ps is 1001, want 0 to 1000", checked(t, s, "steps", []StepRow{{End: 1001}}, (*Run).Steps)},
		{"row 0: loss is 1e+301, want", checked(t, s, "steps", []StepRow{{Loss: new(1e301)}}, (*Run).Steps)},
		{"row 0: pause_ps is 6, want 0 to 4: the causes are part of 10",
			checked(t, s, "steps", []StepRow{{End: 10, Causes: Causes{Compute: 6, Pause: 6}}}, (*Run).Steps)},
		{"row 1: is the same as the row before it",
			checked(t, s, "steps", []StepRow{{End: 10}, {End: 10}}, (*Run).Steps)},
		{"row 0: end_ps is 4, want 5 to 1000",
			checked(t, s, "operations", []OperationRow{{Start: 5, End: 4}}, (*Run).Operations)},
		{"row 0: rank is -1, want 0 to", checked(t, s, "operations", []OperationRow{{Rank: -1}}, (*Run).Operations)},
		{"row 1: id is 7, want more than the 7 before it",
			checked(t, s, "flows", []FlowRow{{ID: 7}, {ID: 7}}, (*Run).Flows)},
		{"row 0: bytes is -1, want 0 to", checked(t, s, "flows", []FlowRow{{Bytes: -1}}, (*Run).Flows)},
		{"row 0: utilisation is NaN, want 0 to 1",
			checked(t, s, "links", []LinkRow{{Utilisation: math.NaN()}}, (*Run).Links)},
		{`row 1: port "a" has two rows`, checked(t, s, "links", []LinkRow{{Port: "a"}, {Port: "a"}}, (*Run).Links)},
		{"row 0: data_bytes is 2, want 0 to 1",
			checked(t, s, "links", []LinkRow{{TxBytes: 1, DataBytes: 2}}, (*Run).Links)},
		{"row 0: class is 8, want 0 to 7", checked(t, s, "queues", []QueueRow{{Class: 8}}, (*Run).Queues)},
		{"row 1: flow is 3, want at least the 4 before it",
			checked(t, s, "hops", []HopRow{{Flow: 4}, {Flow: 3}}, (*Run).Hops)},
		{"row 1: from_ps is 6, want 5, where the part before it ends",
			checked(t, s, "paths", []PathRow{{Until: 5}, {From: 6, Until: 7}}, (*Run).Paths)},
		{"row 0: share is 1.5, want 0 to 1", checked(t, s, "shares", []ShareRow{{Share: 1.5}}, (*Run).Shares)},
		{"row 0: time_ps is 2000, want 0 to 1000", checked(t, s, "losses", []LossRow{{Time: 2000}}, (*Run).Losses)},
		{`row 0: kind is "spark", which is none`, checked(t, s, "events", []EventRow{{Kind: "spark"}}, (*Run).Events)},
		{"row 1: time_ps is 4, want at least the 5 before it",
			checked(t, s, "events", []EventRow{{Kind: EventMark, Time: 5}, {Kind: EventMark, Time: 4}}, (*Run).Events)},
		{"row 1: left_out is 0, want 1 or more: rows of what is left out come last",
			checked(t, s, "events", []EventRow{{Kind: EventMark, LeftOut: 2}, {Kind: EventMark}}, (*Run).Events)},
		{"row 0: alpha is NaN, want 0 to",
			checked(t, s, "events", []EventRow{{Kind: EventRate, Alpha: math.NaN()}}, (*Run).Events)},
		{"row 0: psn is 16777216, want -1 to 16777215",
			checked(t, s, "events", []EventRow{{Kind: EventMark, PSN: 1 << 24}}, (*Run).Events)},
		{`row 0: kind is "", want one of link, queue, flow`, checked(t, s, "series", []SeriesRow{{}}, (*Run).Series)},
		{"row 0: until_ps is 4, want 5 to 1000",
			checked(t, s, "series", []SeriesRow{{Kind: SeriesLink, From: 5, Until: 4}}, (*Run).Series)},
		{"row 0: busy_ps is 3, want 0 to 2",
			checked(t, s, "series", []SeriesRow{{Kind: SeriesLink, Until: 2, Busy: 3}}, (*Run).Series)},
		{"row 0: norm is -1, want at least 0", checked(t, s, "gradients", []GradientRow{{Norm: -1}}, (*Run).Gradients)},
		{`row 0: kind is "weather", want one of`, checked(t, s, "telemetry", []telemetry.Row{{Kind: "weather"}}, (*Run).Telemetry)},
		{"row 0: rx_pfc is -2, want -1", checked(t, s, "telemetry", []telemetry.Row{{Kind: "port", RxPFC: -2}}, (*Run).Telemetry)},
		{"row 0: dropped is 3, want 0 to 2", checked(t, s, "experts", []ExpertRow{{Tokens: 2, Dropped: 3}}, (*Run).Experts)},
		{"row 0: share is 2 and balance 0, want", checked(t, s, "experts", []ExpertRow{{Share: 2}}, (*Run).Experts)},
		{"row 0: position is -1, want 0", checked(t, s, "gradients", []GradientRow{{Position: -1}}, (*Run).Gradients)},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), "is damaged: "+c.want) {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
	if err := checked(t, s, "flows", []FlowRow{{ID: 1, Placed: 2000, Acked: 1000, FCT: 2000}},
		(*Run).Flows); err != nil {
		t.Errorf("bytes that a host places after the end: %v", err)
	}
	twice := []PathRow{{Until: 5}, {From: 90, Until: 97}}
	for at, fine := range map[unit.Time]bool{5: false, 6: true, 90: true, 91: false} {
		s.Survival = &Survival{Restarts: []Restart{{At: at}}}
		if err := checked(t, s, "paths", twice, (*Run).Paths); (err == nil) != fine {
			t.Errorf("a step that is run at 0 and at 90, by a job that starts again at %d: %v", at, err)
		}
	}
}

// checked writes rows, and returns the error of reading them.
func checked[R any](t *testing.T, s *Summary, table string, rows []R, read func(*Run) iter.Seq2[R, error]) error {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	w := newWriter[R](&b)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, tableName(table)), b.Bytes())
	return firstErr(read(&Run{Path: dir, Summary: s}))
}

// Figures of run.json that no run has are refused, and its texts are cleaned.
func TestSummaryIsChecked(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`"steps": -1`, "steps is -1, want 0 to 1152921504606846976"},
		{`"virtual_time_ps": 9000000000000000000`, "virtual_time_ps is 9000000000000000000, want 0 to"},
		{`"overlap": 1.5`, "overlap is 1.5, want 0 to 1"},
		{`"busiest_links": [{}, {"utilisation": 2}]`, "busiest_links[1].utilisation is 2, want 0 to 1"},
		{`"step_split_ps": {"mean": {"compute": -3}}`, "step_split_ps.mean.compute is -3, want 0 to"},
		{`"final_loss": "\u001b[2J"`, `\x1b[2J`},
		{`"flows": [` + strings.Repeat("{},", 100_000) + `{}]`, "holds 100002 objects"},
		{`"notes": [` + strings.Repeat(`"",`, 120_000) + `""]`, "holds 120003 values"},
		{`"notes": [` + strings.Repeat(`"abcdefg",`, 100_000) + `""]`, "notes has 100001 entries, want at most 100000"},
		{`"jobs": [` + strings.Repeat("{},", 10_000) + `{}]`, "jobs has 10001 entries, want at most 10000"},
		{`"flows": [{"name": "` + strings.Repeat("x", maxText+1) + `"}]`, "flows[0].name has 1048577 bytes, want at most 1048576"},
		{`"scenario": "` + strings.Repeat("x", maxScenario) + `"`, "scenario has 8388610 bytes, want at most 8388608"},
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, runFile),
			[]byte(`{"state": "complete", "format_version": `+fmt.Sprint(FormatVersion)+`, `+c.json+`}`))
		_, err := Open(dir)
		if err == nil || !strings.Contains(err.Error(), "run.json is damaged: ") ||
			!strings.Contains(err.Error(), c.want) || strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%.80s: %v, want %s", c.json, err, c.want)
		}
	}
	dir := t.TempDir() // of another format
	writeFile(t, filepath.Join(dir, runFile),
		[]byte(`{"format_version": 99, "version": "\u001bc", "steps": -1, "drops": 3, `+
			`"overlap": "all", "notes": ["\u0007"]}`))
	if s, err := ReadSummary(dir); err != nil || s.Version != `\x1bc` || s.Steps != 0 ||
		s.Drops != 3 || s.Notes[0] != `\x07` {
		t.Errorf("%+v %v", s, err)
	}
	dir = t.TempDir()
	writeFile(t, filepath.Join(dir, runFile), []byte(`{"state": "complete", "format_version": `+
		fmt.Sprint(FormatVersion)+`, "name": "a\u001b[31mb", "notes": ["x\ny"],
"scenario": {"k\u0007": ["\u202ev", 12345678901234567890]}, "scenario_yaml": "a: 1\nb: \"\u009b\"\n"}`))
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Summary
	if s.Name != `a\x1b[31mb` || s.Notes[0] != `x\ny` || s.ScenarioYAML != "a: 1\nb: \"\\u009b\"\n" ||
		string(s.Scenario) != `{"k\\x07":["\\u202ev",12345678901234567890]}` {
		t.Errorf("%q %q %q %s", s.Name, s.Notes, s.ScenarioYAML, s.Scenario)
	}
}

// whatif.json is held to the same: its texts are cleaned, its figures bounded.
func TestWhatIfIsChecked(t *testing.T) {
	dir := t.TempDir()
	r := &Run{Path: dir}
	for text, want := range map[string]string{
		`"changes": [{"name": "\u001b[2J", "before_ps": 5, "saves_ps": -7, "saves": -1.4}]`: "",
		`"changes": [{"time_ps": -9000000000000000000}]`: "changes[0].time_ps is " +
			"-9000000000000000000, want",
		`"changes": [{"time_ps": "\u0007"}]`: "is damaged: ",
	} {
		writeFile(t, filepath.Join(dir, whatIfFile),
			[]byte(`{"format_version": `+fmt.Sprint(WhatIfFormat)+`, `+text+`}`))
		w, err := r.WhatIf()
		switch {
		case want == "" && (err != nil || w.Changes[0].Name != `\x1b[2J` || *w.Changes[0].Saves != -7):
			t.Errorf("%s: %+v %v", text, w, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
			strings.ContainsAny(err.Error(), "\x07\x1b")):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	writeFile(t, filepath.Join(dir, whatIfFile), []byte(`{"format_version": 99, "version": "\u001bc"}`))
	_, err := r.WhatIf()
	if err == nil || !strings.Contains(err.Error(), "format version 99 of Railyard \\x1bc, want") {
		t.Errorf("of another version: %v", err)
	}
}

// Text keeps what people write, and shows what terminals obey.
func TestClean(t *testing.T) {
	for _, s := range []string{"", "all-reduce 0 (layer 2)", "Zürich 東京 µs ±5 %", "host1>rail1>host2"} {
		if clean(s) != s {
			t.Errorf("%q became %q", s, clean(s))
		}
	}
	for s, want := range map[string]string{"\x1b]0;x\x07": `\x1b]0;x\x07`, "a\xffb": `a\xffb`,
		"\u202egnp.exe": `\u202egnp.exe`, "\u009b2J": `\u009b2J`,
		"a\u2028b\r\n\t": `a\u2028b\r\n\t`, "\u200b": `\u200b`} {
		if got := clean(s); got != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
	}
}

// Names in a table are cleaned as those in run.json are.
func TestTableTextIsClean(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.Flows().Add(FlowRow{Name: "\x1b[2Jx"})
	if err := d.Finish(&Summary{State: Complete}); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for f, err := range r.Flows() {
		if err != nil || f.Name != `\x1b[2Jx` {
			t.Errorf("%q %v", f.Name, err)
		}
	}
}

// Rows are handed out one batch after another: memory does not grow with their number.
func TestReadingTakesBoundedMemory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeRun(t, dir, 4*RowGroupRows)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	allocated := func(rows int) float64 {
		return testing.AllocsPerRun(1, func() {
			n := 0
			for _, err := range r.Flows() {
				if n++; err != nil || n == rows {
					break
				}
			}
		})
	}
	if one, all := allocated(RowGroupRows), allocated(4*RowGroupRows); all > one+5000 {
		t.Errorf("%v allocations for a row group, %v for four: rows are kept", one, all)
	}
}

// FuzzRunDirectory reads whatever lies in a run directory. The first byte says which file the
// rest is; its checksum is right, as one who means harm would make it.
func FuzzRunDirectory(f *testing.F) {
	seed := filepath.Join(f.TempDir(), "run")
	d, err := Create(seed)
	if err != nil {
		f.Fatal(err)
	}
	fill(d, 5)
	d.Hops().Add(HopRow{Flow: 1, Port: "rail1/host1"})
	d.Paths().Add(PathRow{Until: 5, Cause: "compute"})
	d.Losses().Add(LossRow{Name: "x"})
	d.Shares().Add(ShareRow{Port: "rail1/host1", Share: 0.5})
	d.Events().Add(EventRow{Kind: EventMark, Port: "rail1/host1", Class: 3, Bytes: 5})
	d.Series().Add(SeriesRow{Until: 5, Kind: SeriesLink, Port: "rail1/host1", Busy: 3, Utilisation: 0.6})
	d.Gradients().Add(GradientRow{Layer: "rnn.1", Norm: 0.5})
	d.Experts().Add(ExpertRow{Layer: "blocks.1.experts", Tokens: 5, Dropped: 1, Share: 0.25})
	d.Telemetry().Add(telemetry.NewRow(telemetry.Port, "leaf1", "leaf1/spine1", 5))
	if err := d.Finish(&Summary{State: Complete, VirtualTime: 1 << 40, Name: "x", Flows: []FlowFigures{{Name: "f"}},
		Notes: []string{"n"}}); err != nil {
		f.Fatal(err)
	}
	files := append(TableNames(), "")
	for i, name := range files {
		path := filepath.Join(seed, runFile)
		if name != "" {
			path = filepath.Join(seed, tableName(name))
		}
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(i), b)
	}
	f.Fuzz(func(t *testing.T, which byte, b []byte) {
		dir := t.TempDir()
		name := files[int(which)%len(files)]
		if name == "" {
			writeFile(t, filepath.Join(dir, runFile), b)
			if s, err := ReadSummary(dir); err == nil {
				if _, err := json.Marshal(s); err != nil {
					t.Error(err)
				}
			}
			return
		}
		writeFile(t, filepath.Join(dir, tableName(name)), b)
		r := &Run{Path: dir, Summary: &Summary{State: Complete, FormatVersion: FormatVersion, VirtualTime: 1 << 40}}
		_, csv := r.WriteCSV(io.Discard, name)
		trace := r.WriteTrace(io.Discard, TraceWindow{})
		if csv == nil && trace != nil {
			t.Errorf("a table is good for CSV and not for a trace: %v", trace)
		}
	})
}
