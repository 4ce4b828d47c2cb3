package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"railyard/internal/result"
)

const metered = `name: metered
cluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}
fabric: {design: single-switch}
output: {series: true, series_interval: 10us}
job: {flows: [{from: host2/gpu0, to: host1/gpu0, bytes: 2MB}, {from: host3/gpu0, to: host1/gpu0, bytes: 2MB}]}
`

// omLine is a sample as OpenMetrics 1.0 has it.
var omLine = regexp.MustCompile(`^([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\} (-?[0-9.e+-]+|NaN) ([0-9]+\.[0-9]+)$`)

// A run's series as OpenMetrics: lines stand together, counters never fall, and their last value is what links.parquet counted.
// Where promtool is, Prometheus' own code takes the file.
func TestOpenMetrics(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := quiet(t).runFile(t.Context(), write(t, metered), runFlags{out: dir, quiet: true}, nil); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "m.om")
	f := exportFlags{metrics: file, start: "2000-01-01T00:00:00Z", stretch: 1000}
	if err := quiet(t).export(t.Context(), dir, f); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(text, []byte("\n# EOF\n")) {
		t.Fatal("no end")
	}
	last, samples := map[string]float64{}, 0
	family, key, at, seen := "", "", 0.0, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, is := strings.CutPrefix(line, "# TYPE "); is {
			family, _, _ = strings.Cut(name, " ")
			if seen[family] {
				t.Errorf("%s comes twice", family)
			}
			seen[family] = true
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		m := omLine.FindStringSubmatch(line)
		if m == nil || strings.TrimSuffix(m[1], "_total") != family {
			t.Fatalf("%q is no sample of %s", line, family)
		}
		value, _ := strconv.ParseFloat(m[3], 64)
		when, _ := strconv.ParseFloat(m[4], 64)
		this := m[1] + "{" + m[2] + "}"
		switch {
		case this != key && seen[this]:
			t.Errorf("%s is not together", this)
		case this == key && (when <= at || strings.HasSuffix(m[1], "_total") && value < last[this]):
			t.Errorf("%s falls, or goes back: %q", this, line)
		}
		seen[this], key, at, last[this] = true, this, when, value
		samples++
	}
	r, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for l, err := range r.Links() {
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprintf(`railyard_port_busy_seconds_total{port="%s"}`, l.Port)
		if got := last[key]; l.Busy > 0 && (got < l.Busy.Seconds()*0.999999 || got > l.Busy.Seconds()*1.000001) {
			t.Errorf("%s was busy for %g s, want %g", l.Port, got, l.Busy.Seconds())
		}
	}
	if samples < 100 {
		t.Errorf("only %d samples", samples)
	}
	program, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("no promtool: the file is held against the standard's form alone")
	}
	blocks := filepath.Join(t.TempDir(), "blocks")
	if out, err := exec.Command(program, "tsdb", "create-blocks-from", "openmetrics", file, blocks).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Mkdir(filepath.Join(blocks, "wal"), 0o755); err != nil { // promtool asks for one
		t.Fatal(err)
	}
	out, err := exec.Command(program, "tsdb", "dump", blocks).Output()
	if n := bytes.Count(out, []byte("\n")); err != nil || n != samples {
		t.Errorf("Prometheus has %d samples, want %d: %v", n, samples, err)
	}
}

// What is misused is said.
func TestOpenMetricsMisuse(t *testing.T) {
	for _, f := range []exportFlags{{metrics: "x", start: "yesterday", stretch: 1}, {metrics: "x", start: "2000-01-01T00:00:00Z"},
		{metrics: "x", start: "1900-01-01T00:00:00Z", stretch: 1}} {
		if err := f.parse(); err == nil {
			t.Errorf("%+v is taken", f)
		}
	}
}
