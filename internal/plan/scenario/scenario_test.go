package scenario

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

const minimal = `
cluster: {hosts: 2, host: {gpus: 4}}
job: {train: {layers: [784, 10], data: data/mnist, batch: 8, lr: 0.1}}
`

func parse(t testing.TB, src string) *Scenario {
	t.Helper()
	s, err := Parse("runs/My job_2.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDefaults(t *testing.T) {
	s := parse(t, minimal)
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"name", s.Name, "my-job-2"},
		{"seed", s.Seed, uint64(1)},
		{"nvlink", s.Cluster.Host.NVLink, 3600 * unit.GigabitPerSec},
		{"nic speed", s.Cluster.NIC.Speed, 400 * unit.GigabitPerSec},
		{"host link", s.Fabric.Links.Host, 400 * unit.GigabitPerSec},
		{"spine link", s.Fabric.Links.Spine, 400 * unit.GigabitPerSec},
		{"design", s.Fabric.Design, topo.DesignRailOptimized},
		{"xON", s.Fabric.QoS.PFC.ResumeOffset, 18432 * unit.Byte},
		{"timeout", s.Transport.Timeout, Some(67108864 * unit.Nanosecond)},
		{"R_AI", s.Congestion.RateAI, 800 * unit.MegabitPerSec},
		{"R_HAI", s.Congestion.RateHAI, 8 * unit.GigabitPerSec},
		{"minimum rate", s.Congestion.MinRate, 4 * unit.GigabitPerSec},
		{"alpha timer", s.Congestion.AlphaTimer, unit.Microsecond},
		{"bucket", s.Jobs[0].Train.Bucket, Some(25 * unit.Megabyte)},
		{"ranks", s.RankCount(&s.Jobs[0]), 8},
		{"channels", s.Jobs[0].Collective.Channels, 4},
		{"data", s.Jobs[0].Train.Data.Name(), "data/mnist"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// A preset replaces a group; a key that is given wins over it.
func TestPresetThenKey(t *testing.T) {
	s := parse(t, `
cluster: {hosts: 2, host: {preset: hgx-a100, memory: 40GB}}
fabric: {links: {host: 100Gb/s}, qos: {preset: book, ecn: {max: 2MB}}}
transport: {preset: verbs}
job: {flows: [{from: host1/gpu0, to: host2/nic7, bytes: 1MB}]}
`)
	h, e := s.Cluster.Host, s.Fabric.QoS.ECN
	if h.PCIe != 252*unit.GigabitPerSec || h.FLOPS != 156e12 || h.Memory != 40*unit.Gigabyte {
		t.Errorf("hgx-a100 with 40GB: %+v", h)
	}
	if m := e.Curve().At(s.Fabric.Links.Host); m.Min != 150*unit.Kilobyte || m.Max != 2*unit.Megabyte ||
		m.Probability.String() != "7%" {
		t.Errorf("book with max 2MB: %+v", m)
	}
	if s.Transport.Timeout != Some(67108864*unit.Nanosecond) || s.Cluster.NIC.Speed != 100*unit.GigabitPerSec {
		t.Errorf("timeout %v, NIC %v", s.Transport.Timeout, s.Cluster.NIC.Speed)
	}
	want := map[string]string{"cluster.host.pcie": "preset hgx-a100", "cluster.host.memory": "file",
		"fabric.qos.ecn.min": "preset book", "fabric.qos.ecn.max": "file", "seed": "default"}
	for _, f := range s.Fields() {
		if w, ok := want[f.Path]; ok && f.Origin != w {
			t.Errorf("%s comes from %s, want %s", f.Path, f.Origin, w)
		}
		if f.Meaning == "" || f.Value == "" || f.Source == "" || f.Origin == "" {
			t.Errorf("show scenario lacks something: %+v", f)
		}
		if f.Path == "cluster.host.pcie" && (f.Value != "31.5GB/s" || f.Unit != "GB/s" ||
			!strings.Contains(f.Source, "A100")) {
			t.Errorf("show scenario: %+v", f)
		}
		if strings.HasPrefix(f.Path, "job.train") || strings.HasPrefix(f.Path, "job.parallel") {
			t.Errorf("%s has no meaning in a job of flows", f.Path)
		}
	}
}

// Marking thresholds scale with the port (HPCC production values).
func TestECNScalesWithPort(t *testing.T) {
	given := ECN{Min: Some(5 * unit.Kilobyte), PortRate: Some(40 * unit.GigabitPerSec)}
	if m := given.Curve().At(100 * unit.GigabitPerSec); m.Min != 12500 || m.Max != 1600*unit.Kilobyte {
		t.Errorf("5 kB at 40 Gb/s are at 100 Gb/s %+v", m)
	}
	if m := (ECN{}).Curve().At(400 * unit.GigabitPerSec); m.Min != 1600*unit.Kilobyte ||
		m.Max != 6400*unit.Kilobyte || m.Probability.Num*5 != m.Probability.Den {
		t.Errorf("at 400 Gb/s: %+v", m)
	}
}

func TestNICs(t *testing.T) {
	s := parse(t, strings.Replace(minimal, "gpus: 4}", "gpus: 4}, nic: {per_gpu: 2}", 1))
	at := Endpoint{Host: 1, GPU: 1, NIC: -1}
	if got := s.NICOf(at); got != 2 || s.NICsPerHost() != 8 {
		t.Errorf("it uses nic%d of %d", got, s.NICsPerHost())
	}
	s = parse(t, strings.Replace(minimal, "gpus: 4}", "gpus: 4}, nic: {shared: true}", 1))
	if got := s.NICOf(at); got != 0 || s.NICsPerHost() != 1 || s.Jobs[0].Collective.Channels != 1 {
		t.Errorf("shared: nic%d of %d", got, s.NICsPerHost())
	}
}

func TestNameFromFile(t *testing.T) {
	for file, want := range map[string]string{
		"examples/digits-8gpu.yaml": "digits-8gpu", "A b.YML": "a-b", "-": "scenario", "": "scenario",
		"12.yaml": "scenario-12", "été.yaml": "t",
		strings.Repeat("x", 99): strings.Repeat("x", 64),
	} {
		if got := NameOf(file); got != want || checkName(got) != "" {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}

// Input that would take the YAML parser minutes is refused at once.
func TestBoundedBeforeParsing(t *testing.T) {
	for name, src := range map[string]string{
		"too long":      strings.Repeat("#", MaxBytes+1),
		"open brackets": strings.Repeat("[", MaxBytes),
		"open braces":   strings.Repeat("{", MaxBytes),
		"dashes":        strings.Repeat("- ", MaxBytes/2),
		"questions":     strings.Repeat("? ", MaxBytes/2),
		"keys in keys":  strings.Repeat("a: ", MaxBytes/3),
		"many tokens":   strings.Repeat("a: 1\n", MaxBytes/5),
		"documents":     strings.Repeat("--- a\n...\n", MaxBytes/10),
		"tags":          strings.Repeat("!a ", MaxBytes/3),
	} {
		_, err := Parse("big.yaml", []byte(src))
		var ps located.Problems
		if !errors.As(err, &ps) || len(ps) == 0 || len(ps) > located.Most+1 {
			t.Errorf("%s: %d problems", name, len(ps))
		}
	}
}

// A long report is cut, and says so.
func TestManyProblems(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: a\n")
	for i := range 300 {
		b.WriteString("wrong" + strings.Repeat("x", i) + ": 1\n")
	}
	_, err := Parse("x.yaml", []byte(b.String()))
	if ps := err.(located.Problems); len(ps) != located.Most+1 ||
		!strings.Contains(ps.Error(), "and at least 202 more problems") {
		t.Errorf("%d problems, the last is %s", len(ps), ps[len(ps)-1])
	}
}

// Every example is valid and parses back from what it resolves to.
func TestExamples(t *testing.T) {
	files, _ := filepath.Glob("../../../examples/*.yaml")
	if len(files) < 6 {
		t.Fatalf("%d examples", len(files))
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(file, src)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.TrimSuffix(filepath.Base(file), ".yaml"); s.Name != want {
			t.Errorf("%s is called %s", file, s.Name)
		}
		roundTrip(t, s)
	}
}

// fataler is what testing.T and rapid.T have in common here.
type fataler interface{ Fatalf(string, ...any) }

func roundTrip(t fataler, s *Scenario) {
	text := s.YAML()
	back, err := Parse("other.yaml", text)
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	if !back.Equal(s) || !bytes.Equal(back.YAML(), text) {
		t.Fatalf("not equal after\n%s\nbut\n%s", text, back.YAML())
	}
}

func TestEndpointText(t *testing.T) {
	for _, text := range []string{"host1/gpu0", "host12/nic7"} {
		e, err := ParseEndpoint(text)
		if err != nil || e.String() != text {
			t.Errorf("%s: %v %v", text, e, err)
		}
	}
	for _, text := range []string{"", "host0/gpu0", "host1", "host1/gpu", "host01/gpu0", "host1/gpu00", "host1/gpu0 ",
		"Host1/gpu0", "host99999999/gpu0"} {
		if e, err := ParseEndpoint(text); err == nil {
			t.Errorf("%q is %v", text, e)
		}
	}
}

func TestFLOPSText(t *testing.T) {
	for text, want := range map[string]FLOPS{"495TFLOP/s": 495e12, "19.5TFLOP/s": 19.5e12, "1 PFLOP/s": 1e15,
		"1FLOP/s": 1} {
		if f, err := ParseFLOPS(text); err != nil || f != want {
			t.Errorf("%s: %d %v", text, f, err)
		} else if back, _ := ParseFLOPS(f.String()); back != f {
			t.Errorf("%s prints as %s", text, f)
		}
	}
	for _, text := range []string{"", "495", "495TFLOPS", "-1TFLOP/s", "1e3TFLOP/s", "0.1FLOP/s", "99999PFLOP/s",
		".5TFLOP/s"} {
		if f, err := ParseFLOPS(text); err == nil {
			t.Errorf("%q is %d", text, f)
		}
	}
}

// A warning has the place of its value, where the file gives it.
func TestLocatedFindings(t *testing.T) {
	s := parse(t, "cluster: {hosts: 2}\ntransport: {mtu: 1000B}\ncongestion: {algorithm: none}\njob: {flows: "+
		"[{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}")
	var got []string
	for _, f := range s.Findings() {
		got = append(got, s.Located(f).String())
	}
	want := []string{
		"runs/My job_2.yaml:3:25: warning: congestion.algorithm: none: switches mark packets and nobody slows down",
		"runs/My job_2.yaml:2:18: warning: transport.mtu: 1kB: not a path MTU of verbs (256, 512, 1024, 2048 or " +
			"4096 bytes)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p := s.Located(Finding{Severity: Error, Path: "fabric.qos",
		Message: "wrong"}); p.String() != "runs/My job_2.yaml: fabric.qos: wrong" {
		t.Errorf("about what the file does not say: %s", p)
	}
}

// A schedule's file takes the place of the algorithm.
func TestScheduleFile(t *testing.T) {
	s := parse(t, strings.Replace(minimal, "job: {", "job: {collective: {schedule: mine.txt}, ", 1))
	if c := s.Jobs[0].Collective; c.Schedule.Value != "mine.txt" || c.Algorithm != "" || c.Channels != 4 {
		t.Errorf("%+v", c)
	}
	roundTrip(t, s)
	if s := parse(t, minimal); s.Jobs[0].Collective.Schedule.Set || s.Jobs[0].Collective.Algorithm != "ring" {
		t.Errorf("without a file: %+v", s.Jobs[0].Collective)
	}
}
