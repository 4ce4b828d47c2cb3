package sweep

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// Of the job's own flows those that did not finish are counted, and have no part in the times; messages weigh by their number.
func TestFlowTimes(t *testing.T) {
	flow := func(name string, kind, status string, done int64, took unit.Duration) (f result.FlowFigures) {
		f.Name, f.Kind, f.Status, f.Done, f.FCT = name, kind, status, done, &took
		return f
	}
	s := &result.Summary{Flows: []result.FlowFigures{
		flow("a", result.KindJob, result.StatusDone, 1, 10), flow("b", result.KindJob, result.StatusDone, 3, 30),
		flow("c", result.KindJob, result.StatusUnfinished, 1, 90), flow("d", result.KindJob, result.StatusFailed, 1, 90),
		flow("e", result.KindCollective, result.StatusUnfinished, 1, 90), flow("f", result.KindJob, result.StatusDone, 1, 90)}}
	mean, slowest, unfinished := FlowTimes(s, map[string]bool{"f": true})
	if mean != 25 || slowest != 30 || unfinished != 2 {
		t.Errorf("mean %d, slowest %d, %d unfinished: want 25, 30, 2", mean, slowest, unfinished)
	}
	if mean, slowest, unfinished = FlowTimes(&result.Summary{}, nil); mean != 0 || slowest != 0 || unfinished != 0 {
		t.Errorf("of no flow: %d, %d, %d", mean, slowest, unfinished)
	}
}

// Points are counted from one, in the order of the table.
func TestPointOf(t *testing.T) {
	set := func(v string) []Value { return []Value{{"k", v}} }
	table := &Table{Groups: []Group{{Set: set("a")}, {Set: set("b")}}}
	if a, b := table.PointOf(&Row{Set: set("a")}), table.PointOf(&Row{Set: set("b")}); a != 1 || b != 2 {
		t.Errorf("points %d and %d, want 1 and 2", a, b)
	}
}
