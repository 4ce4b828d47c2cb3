package scenario

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// docs/scenario.md is what the table says: run with -update after a change.
func TestReference(t *testing.T) {
	const file = "../../docs/scenario.md"
	want := Reference()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: go test ./internal/scenario -run TestReference -update", file)
	}
	for _, f := range Table() {
		if !strings.Contains(string(want), "`"+f.Path+"`") && f.Path != "background" && strings.Contains(f.Path, ".") {
			t.Errorf("%s is not in %s", f.Path, file)
		}
	}
}

// The scenario that the reference begins with is one.
func TestReferenceExample(t *testing.T) {
	_, rest, _ := strings.Cut(string(Reference()), "```yaml\n")
	src, _, _ := strings.Cut(rest, "```")
	parse(t, src)
}

// A warning has the place of its value, where the file gives it.
func TestLocatedFindings(t *testing.T) {
	s := parse(t, "cluster: {hosts: 2}\ntransport: {mtu: 1000B}\ncongestion: {algorithm: none}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}]}")
	var got []string
	for _, f := range s.Findings() {
		got = append(got, s.Located(f).String())
	}
	want := []string{
		"runs/My job_2.yaml:3:25: warning: congestion.algorithm: none: switches mark packets and nobody slows down",
		"runs/My job_2.yaml:2:18: warning: transport.mtu: 1kB: not a path MTU of verbs (256, 512, 1024, 2048 or 4096 bytes)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p := s.Located(Finding{Severity: Error, Path: "fabric.qos", Message: "wrong"}); p.String() != "runs/My job_2.yaml: fabric.qos: wrong" {
		t.Errorf("about what the file does not say: %s", p)
	}
}

// A schedule's file takes the place of the algorithm.
func TestScheduleFile(t *testing.T) {
	s := parse(t, strings.Replace(minimal, "job: {", "job: {collective: {schedule: mine.txt}, ", 1))
	if c := s.Job.Collective; c.Schedule.Value != "mine.txt" || c.Algorithm != "" || c.Channels != 4 {
		t.Errorf("%+v", c)
	}
	roundTrip(t, s)
	if s := parse(t, minimal); s.Job.Collective.Schedule.Set || s.Job.Collective.Algorithm != "ring" {
		t.Errorf("without a file: %+v", s.Job.Collective)
	}
}
