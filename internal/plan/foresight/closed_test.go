package foresight

import (
	"strings"
	"testing"

	"railyard/internal/plan/plan"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// What takes a formula's time is told from what sends messages all the same.
func TestClosedNotes(t *testing.T) {
	const sum, halves = "op: all-reduce, bytes: 1MB", "op: all-reduce, bytes: 1MB, algorithm: halving-doubling"
	for _, c := range []struct {
		hosts string
		rows  []string
		want  string
	}{
		{"hosts: 2", []string{sum}, ""},
		{"hosts: 1, nvlink_collectives: messages", []string{sum}, ""},
		{"hosts: 2, nvlink_collectives: formula", []string{sum}, "all of them send messages"},
		{"hosts: 1, nvlink_collectives: formula", []string{sum}, "whatever else went over NVLink"},
		{"hosts: 1, nvlink_collectives: formula", []string{sum, halves},
			"of 1 row, which NCCL's model has not, messages were sent: collectives[1]"},
		{"hosts: 1, nvlink_collectives: formula", []string{halves}, "all rows sent messages"},
	} {
		sc, err := scenario.Parse("a.yaml", []byte(strings.Replace(plantest.Collectives(c.rows...), "hosts: 2", c.hosts, 1)))
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(sc, plan.Files{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(ClosedNotes(p, &p.Jobs[0]), "\n")
		if (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s, %v: %q, want %q", c.hosts, c.rows, got, c.want)
		}
	}
}
