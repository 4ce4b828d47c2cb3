package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"railyard/examples"
	"railyard/internal/out/result"
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
	if err := (&runCall{quiet(t), runFlags{out: dir, quiet: true}}).runFile(t.Context(), write(t, metered), nil); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "m.om")
	f := exportFlags{metrics: file, start: "2000-01-01T00:00:00Z", stretch: 1000}
	if err := (&exportCall{quiet(t), f}).export(t.Context(), dir); err != nil {
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

// A dashboard is what Grafana's dashboard JSON has of those parts that this one uses.
type dashboard struct {
	Schema     int `json:"schemaVersion"`
	Templating struct {
		List []struct {
			Name  string `json:"name"`
			Type  string `json:"type"`
			Query any    `json:"query"`
		} `json:"list"`
	} `json:"templating"`
	Panels []struct {
		ID   int    `json:"id"`
		Type string `json:"type"`
		At   struct {
			X, Y, W, H int
		} `json:"gridPos"`
		Targets []struct {
			Expr, LegendFormat string
		} `json:"targets"`
	} `json:"panels"`
}

var (
	metricName = regexp.MustCompile(`railyard_[a-z_]+`)
	variable   = regexp.MustCompile(`\$([a-z_]+)`)
)

// The dashboard that comes along asks for metrics that are written, for each of them, and for nothing else; its panels lie side by
// side. Where Prometheus is, it answers each question.
func TestGrafanaDashboard(t *testing.T) {
	text, err := examples.Files.ReadFile("grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	file, metrics := metersOf(t)
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(railyard_[a-z_]+)\{`).FindAllStringSubmatch(metrics, -1) {
		known[m[1]] = true
	}
	set := map[string]string{}
	for _, v := range d.Templating.List {
		set[v.Name], _ = v.Query.(string)
	}
	set["port"] = ".*"
	asked, questions, taken, ids := map[string]bool{}, []string{}, map[[2]int]int{}, map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.Type != "timeseries" || len(p.Targets) == 0 || p.At.X+p.At.W > 24 || p.At.W < 1 || p.At.H < 1 {
			t.Errorf("panel %d: %s at %+v with %d questions", p.ID, p.Type, p.At, len(p.Targets))
		}
		ids[p.ID] = true
		for x := range p.At.W {
			for y := range p.At.H {
				at := [2]int{p.At.X + x, p.At.Y + y}
				if other, there := taken[at]; there {
					t.Fatalf("panels %d and %d lie on each other at %v", other, p.ID, at)
				}
				taken[at] = p.ID
			}
		}
		for _, q := range p.Targets {
			for _, name := range metricName.FindAllString(q.Expr, -1) {
				if asked[name] = true; !known[name] {
					t.Errorf("panel %d asks for %s, which nothing writes", p.ID, name)
				}
			}
			questions = append(questions, variable.ReplaceAllStringFunc(q.Expr, func(v string) string {
				value, there := set[v[1:]]
				if !there {
					t.Errorf("panel %d: no variable %s", p.ID, v)
				}
				return value
			}))
		}
	}
	for name := range known {
		if !asked[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
	if d.Schema < 36 || len(known) < 8 {
		t.Errorf("schema %d, %d metrics", d.Schema, len(known))
	}
	answers(t, file, questions)
}

// metersOf runs the metered scenario and returns what is written of it, as a file and as text.
func metersOf(t *testing.T) (file, text string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := (&runCall{quiet(t), runFlags{out: dir, quiet: true}}).runFile(t.Context(), write(t, metered), nil); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "m.om")
	f := exportFlags{metrics: file, start: "2000-01-01T00:00:00Z", stretch: 1000}
	if err := (&exportCall{quiet(t), f}).export(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, string(b)
}

// answers has a real Prometheus take the metrics and answer each question, with a series at least for what always has one.
func answers(t *testing.T, file string, questions []string) {
	t.Helper()
	promtool, err := exec.LookPath("promtool")
	server, err2 := exec.LookPath("prometheus")
	if err != nil || err2 != nil {
		t.Log("no Prometheus: its questions are held against the names of metrics alone")
		return
	}
	data := t.TempDir()
	if out, err := exec.Command(promtool, "tsdb", "create-blocks-from", "openmetrics", file, data).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	config := filepath.Join(t.TempDir(), "prometheus.yml")
	if err := os.WriteFile(config, []byte("global: {scrape_interval: 1m}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.CommandContext(t.Context(), server, "--config.file="+config, "--storage.tsdb.path="+data,
		"--storage.tsdb.retention.time=100y", "--web.listen-address="+address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	ask := func(path string) (string, error) {
		r, err := http.Get("http://" + address + path)
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err == nil && r.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", r.Status, b)
		}
		return string(b), err
	}
	for range 300 {
		if _, err = ask("/-/ready"); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		t.Fatalf("Prometheus is not ready: %v", err)
	}
	for _, q := range questions {
		said, err := ask("/api/v1/query_range?start=946684800&end=946684802&step=0.05&query=" + url.QueryEscape(q))
		some := strings.Contains(said, `"metric"`)
		if err != nil || !some && !strings.Contains(q, "> 0") { // what may not have happened
			t.Errorf("%s: %v\n%s", q, err, said)
		}
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
