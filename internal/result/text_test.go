package result

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/cause"
	"railyard/internal/qos"
	"railyard/internal/sheet"
	"railyard/internal/unit"
)

// example is a summary with something in every part.
func example() *Summary {
	mean := cause.Split{cause.Compute: 41_230_000, cause.PCIe: 6_100_000, cause.Dependency: 2_500_000, cause.Serialisation: 21_700_000,
		cause.Propagation: 400_000, cause.SwitchLatency: 2_400_000, cause.Queueing: 900_000, cause.Pause: 12_345}
	slow := mean
	slow[cause.Queueing] += 9_000_000
	path := slow
	path[cause.Dependency], path[cause.Queueing] = 0, slow[cause.Queueing]+slow[cause.Dependency]
	return &Summary{
		State: Complete, Name: "digits-incast", Seed: 1, Kernel: "portable", Dir: "runs/digits-incast-1",
		TestAccuracy: new(0.96412), FinalLoss: new(Float(0.084123)), Steps: 2814, VirtualTime: 116_300_000_000, StepTime: 41_234_567, SampleRate: 1.552e6, StepMedian: 44_234_567, StepP99: 71_234_567,
		PathsTraced: 283, PathsEvery: 10,
		WallSeconds: 38.24, PacketHops: 123_456_789, Events: 400_000_000, ECNMarks: 5310, CNPs: 81, Pauses: 12, Overlap: new(0.6131),
		WeightsSHA256: strings.Repeat("0123456789abcdef", 4),
		StepSplit:     &StepSplit{Mean: CausesOf(mean), SlowestRank: CausesOf(slow)},
		CriticalPath:  new(CausesOf(path)),
		Collectives: []Collective{{Name: "all-reduce 0 (layer 2)", Count: 2814, Bytes: 5160, Time: 20_000_000, AlgBW: 2.58e8, BusBW: 4.515e8},
			{Name: "all-reduce 1 (layer 1)", Count: 2814, Bytes: 401_920, Time: 31_250_000, AlgBW: 1.286144e10, BusBW: 2.250752e10}},
		Flows: []FlowFigures{{Name: "background 1", Bytes: 100_000_000, Start: new(unit.Time(1_000_000_000)), FCT: new(unit.Duration(8_500_000_000)), Marks: 5310, CNPs: 81, Status: StatusDone},
			{Name: "a background flow with a very long name indeed", Bytes: 100_000_000, Start: new(unit.Time(2_000_000_000)), Status: StatusUnfinished}},
		BusiestLinks: []LinkFigures{{Port: "rail1/host1", Rate: 200 * unit.GigabitPerSec, TxBytes: 2_345_678_901, Utilisation: 0.8123, MaxQueue: 1_234_567, ECNMarks: 5310}},
		Queues:       []QueueFigures{{"rail1/host1", 3, 81_230, 1_100_000, 1_234_567}},
		Pausing:      []PauseFigures{{"rail1/host2", 12, 0, 0}},
		Thresholds: []qos.Row{{Switch: "leaf", Ports: 2, First: qos.MarksFirst, Reason: "one sender alone is paused later",
			Port: qos.Port{Rate: 200 * unit.GigabitPerSec, Delay: 100_000, Reserve: 4096, Shared: 63_000_000, ECN: qos.Marking{Min: 800_000, Max: 3_200_000, Probability: unit.Ratio{Num: 20, Den: 100}},
				PFC: qos.Pausing{Alpha: unit.Ratio{Num: 1, Den: 8}, XOFF: 7_875_000, XON: 7_856_568, FirstPause: 7_004_096, Headroom: 104_704, HeadroomNeeded: 60_000, SafeMark: 350_000, SafeStatic: 3_500_000}}}},
		Mistakes: []qos.Mistake{{Name: qos.HeadroomShort, Path: "fabric.qos.pfc.headroom", Reason: "too small", Cures: []qos.Cure{{Path: "fabric.qos.pfc.headroom", Value: "auto", Reason: "by formula"}}}},
		Notes: []string{"drops 0: PFC stops the sender before a buffer is full, so nothing was lost in this run and go-back-N had nothing to repeat",
			"retransmissions 0: no packet was lost"},
	}
}

func render(t *testing.T, s *Summary, width int) string {
	t.Helper()
	var b strings.Builder
	if err := WriteSummary(&b, s, width); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > max(width, sheet.MinWidth) {
			t.Errorf("%d columns, want at most %d: %s", n, width, line)
		}
	}
	return b.String()
}

func TestSummaryAt80Columns(t *testing.T) { golden(t, "summary-80.txt", render(t, example(), 80)) }

func TestSummaryOfFlowsOnly(t *testing.T) {
	s := &Summary{State: Interrupted, Name: "incast", Seed: 7, VirtualTime: 8_000_000_000, WallSeconds: 1.5, PacketHops: 98_000,
		Notes: []string{"ECN marks 0: marking is switched off in fabric.qos.ecn"}}
	for i := range 20 {
		s.Flows = append(s.Flows, FlowFigures{Name: "flow " + string(rune('a'+i)), Bytes: 1_000_000, Start: new(unit.Time(0)), FCT: new(unit.Duration(80_000_000 + i%7*1_000_000)), Status: StatusDone})
	}
	golden(t, "summary-flows.txt", render(t, s, 80))
}

// The terminal has room for a few flows: the slowest, before them those of which nothing came.
func TestSlowestFlows(t *testing.T) {
	flow := func(name string, posted int64, took unit.Duration) FlowFigures {
		f := FlowFigures{Name: name, Posted: posted}
		if took > 0 {
			f.FCT = new(took)
		}
		return f
	}
	all := []FlowFigures{flow("a", 1, 5), flow("b", 1, 9), flow("later", 0, 0), flow("stuck", 1, 0), flow("c", 1, 9), flow("d", 1, 2)}
	names := func(list []FlowFigures) (s string) {
		for _, f := range list {
			s += f.Name + " "
		}
		return s
	}
	if got := names(SlowestFlows(all, 3)); got != "stuck b c " {
		t.Errorf("the slowest three: %s", got)
	}
	if got := names(SlowestFlows(all, 5)); got != "stuck b c a d " {
		t.Errorf("the slowest five: %s", got)
	}
	if got := names(SlowestFlows(all, 6)); got != "a b later stuck c d " {
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
		{1, 1, 1, "1 step"}, {2811, 1, 2811, "2,811 steps"}, {282, 10, 2811, "282 of 2,811 steps (every 10th)"}, {283, 10, 2811, "283 of 2,811 steps (every 10th, and the slowest)"},
		{3, 2, 5, "3 of 5 steps (every 2nd)"}, {2, 12, 20, "2 of 20 steps (every 12th)"}, {5, 21, 80, "5 of 80 steps (every 21st, and the slowest)"},
		{5, 10, 5, "5 steps"},
	} {
		s := &Summary{PathsTraced: c.traced, PathsEvery: c.every, Steps: c.steps}
		if got := s.TracedSteps(); got != c.want {
			t.Errorf("%d of %d, every %d: %s, want %s", c.traced, c.steps, c.every, got, c.want)
		}
	}
}

// No width makes a line longer than the terminal, and nothing panics on figures out of the ordinary.
func TestSummaryFitsAnyWidth(t *testing.T) {
	s := example()
	s.FinalLoss = new(Float(math.NaN()))
	s.Drops, s.PacketHops, s.VirtualTime = math.MaxInt64, math.MaxInt64, math.MaxInt64
	for width := 0; width < 200; width += 7 {
		render(t, s, width)
	}
	render(t, &Summary{State: Failed, Error: strings.Repeat("a long reason ", 30)}, 80)
}

func TestRunJSONReadsBack(t *testing.T) {
	s := example()
	s.Dir, s.ScenarioYAML = "", "name: digits-incast\ncluster: {hosts: 2}\n"
	if err := s.stamp(Complete); err != nil {
		t.Fatal(err)
	}
	for _, loss := range []float64{0.25, math.Inf(1), math.NaN()} {
		s.FinalLoss = new(Float(loss))
		b, err := Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		got := new(Summary)
		if err := json.Unmarshal(b, got); err != nil {
			t.Fatal(err)
		}
		got.Scenario = s.Scenario // indented in the file
		if d := cmp.Diff(s, got, cmp.Comparer(func(a, b Float) bool { return a == b || a != a && b != b })); d != "" {
			t.Error(d)
		}
	}
	s.FinalLoss = new(Float(0.084123))
	b, err := Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "run.json", string(b))
}
