package report

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// example is a summary with something in every part: the one that package result writes.
func example(t *testing.T) *result.Summary {
	t.Helper()
	s, err := result.ReadSummary("../result/testdata")
	if err != nil {
		t.Fatal(err)
	}
	s.Dir = "runs/digits-incast-1"
	return s
}

func render(t *testing.T, s *result.Summary, width int) string {
	t.Helper()
	var b strings.Builder
	if err := WriteText(&b, OfSummary(s), width); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > max(width, sheet.MinWidth) {
			t.Errorf("%d columns, want at most %d: %s", n, width, line)
		}
	}
	return b.String()
}

func TestSummaryAt80Columns(t *testing.T) {
	scripttest.Golden(t, "summary-80.txt", render(t, example(t), 80))
}

func TestSummaryOfFlowsOnly(t *testing.T) {
	s := &result.Summary{State: result.Interrupted, Name: "incast", Seed: 7, VirtualTime: 8_000_000_000,
		WallSeconds: 1.5, PacketHops: 98_000,
		Notes: []string{"ECN marks 0: marking is switched off in fabric.qos.ecn"}}
	for i := range 20 {
		s.Flows = append(s.Flows, result.FlowFigures{Name: "flow " + string(rune('a'+i)), Bytes: 1_000_000,
			Start: new(unit.Time(0)), FCT: new(unit.Duration(80_000_000 + i%7*1_000_000)), Status: result.StatusDone})
	}
	scripttest.Golden(t, "summary-flows.txt", render(t, s, 80))
}

// The terminal has room for a few flows: the slowest, before them those of which nothing came.
func TestSlowestFlows(t *testing.T) {
	flow := func(name string, posted int64, took unit.Duration) result.FlowFigures {
		f := result.FlowFigures{Name: name, Posted: posted}
		if took > 0 {
			f.FCT = new(took)
		}
		return f
	}
	all := []result.FlowFigures{flow("a", 1, 5), flow("b", 1, 9), flow("later", 0, 0), flow("stuck", 1, 0),
		flow("c", 1, 9), flow("d", 1, 2)}
	names := func(list []result.FlowFigures) (s string) {
		for _, f := range list {
			s += f.Name + " "
		}
		return s
	}
	if got := names(result.SlowestFlows(all, 3)); got != "stuck b c " {
		t.Errorf("the slowest three: %s", got)
	}
	if got := names(result.SlowestFlows(all, 5)); got != "stuck b c a d " {
		t.Errorf("the slowest five: %s", got)
	}
	if got := names(result.SlowestFlows(all, 6)); got != "a b later stuck c d " {
		t.Errorf("all: %s", got)
	}
	if all[0].Name != "a" {
		t.Error("the caller's list was sorted")
	}
}

// A mean over some steps says over which.
func TestTracedSteps(t *testing.T) {
	for _, c := range []struct {
		traced, every, steps int64
		want                 string
	}{
		{1, 1, 1, "1 step"}, {2811, 1, 2811, "2,811 steps"}, {282, 10, 2811, "282 of 2,811 steps (every 10th)"},
		{283, 10, 2811, "283 of 2,811 steps (every 10th, and the slowest)"},
		{3, 2, 5, "3 of 5 steps (every 2nd)"}, {2, 12, 20, "2 of 20 steps (every 12th)"},
		{5, 21, 80, "5 of 80 steps (every 21st, and the slowest)"},
		{5, 10, 5, "5 steps"},
	} {
		s := &result.Summary{
			JobFigures: result.JobFigures{PathsTraced: c.traced, PathsEvery: c.every, Steps: c.steps}}
		if got := tracedSteps(s); got != c.want {
			t.Errorf("%d of %d, every %d: %s, want %s", c.traced, c.steps, c.every, got, c.want)
		}
	}
}

// No width makes a line longer than the terminal, and nothing panics on figures out of the
// ordinary.
func TestSummaryFitsAnyWidth(t *testing.T) {
	s := example(t)
	s.FinalLoss = new(result.Float(math.NaN()))
	s.Drops, s.PacketHops, s.VirtualTime = math.MaxInt64, math.MaxInt64, math.MaxInt64
	for width := 0; width < 200; width += 7 {
		render(t, s, width)
	}
	render(t, &result.Summary{State: result.Failed, Error: strings.Repeat("a long reason ", 30)}, 80)
}
