package result

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"railyard/internal/base/cause"
	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
)

// example is a summary with something in every part.
func example() *Summary {
	mean := cause.Split{cause.Compute: 41_230_000, cause.PCIe: 6_100_000, cause.Dependency: 2_500_000,
		cause.Serialisation: 21_700_000,
		cause.Propagation:   400_000, cause.SwitchLatency: 2_400_000, cause.Queueing: 900_000, cause.Pause: 12_345}
	slow := mean
	slow[cause.Queueing] += 9_000_000
	path := slow
	path[cause.Dependency], path[cause.Queueing] = 0, slow[cause.Queueing]+slow[cause.Dependency]
	return &Summary{
		State: Complete, Name: "digits-incast", Seed: 1, Dir: "runs/digits-incast-1", VirtualTime: 116_300_000_000,
		WallSeconds: 38.24, PacketHops: 123_456_789, Events: 400_000_000, ECNMarks: 5310, CNPs: 81,
		Pauses: 12,
		Flows: []FlowFigures{{Name: "background 1", Bytes: 100_000_000, Start: new(unit.Time(1_000_000_000)),
			FCT: new(unit.Duration(8_500_000_000)), Marks: 5310, CNPs: 81, Status: StatusDone},
			{Name: "a background flow with a very long name indeed", Bytes: 100_000_000,
				Start: new(unit.Time(2_000_000_000)), Status: StatusUnfinished}},
		BusiestLinks: []LinkFigures{{Port: "rail1/host1", Rate: 200 * unit.GigabitPerSec, TxBytes: 2_345_678_901,
			Utilisation: 0.8123, MaxQueue: 1_234_567, ECNMarks: 5310}},
		Queues:  []QueueFigures{{"rail1/host1", 3, 81_230, 1_100_000, 1_234_567, 200 * unit.GigabitPerSec}},
		Pausing: []PauseFigures{{"rail1/host2", 12, 0, 0}},
		Thresholds: []qos.Row{{Switch: "leaf", Ports: 2, First: qos.MarksFirst,
			Reason: "one sender alone is paused later",
			Port: qos.Port{Rate: 200 * unit.GigabitPerSec, Delay: 100_000, Reserve: 4096, Shared: 63_000_000,
				ECN: qos.Marking{Min: 800_000, Max: 3_200_000, Probability: unit.Ratio{Num: 20, Den: 100}},
				PFC: qos.Pausing{Alpha: unit.Ratio{Num: 1, Den: 8}, XOFF: 7_875_000, XON: 7_856_568,
					FirstPause: 7_004_096, Headroom: 104_704, HeadroomNeeded: 60_000, SafeMark: 350_000,
					SafeStatic: 3_500_000}}}},
		Mistakes: []qos.Mistake{{Name: qos.HeadroomShort, Path: "fabric.qos.pfc.headroom", Reason: "too small",
			Cures: []qos.Cure{{Path: "fabric.qos.pfc.headroom", Value: "auto", Reason: "by formula"}}}},
		Notes: []string{"drops 0: PFC stops the sender before a buffer is full, so nothing was lost in this run and " +
			"go-back-N had nothing to repeat",
			"retransmissions 0: no packet was lost"},
		JobFigures: JobFigures{Kernel: "portable", TestAccuracy: new(0.96412),
			FinalLoss: new(Float(0.084123)), Steps: 2814, StepTime: 41_234_567, SampleRate: 1.552e6,
			StepMedian: 44_234_567, StepP99: 71_234_567, PathsTraced: 283, PathsEvery: 10,
			Overlap: new(0.6131), WeightsSHA256: strings.Repeat("0123456789abcdef", 4),
			StepSplit:    &StepSplit{Mean: CausesOf(mean), SlowestRank: CausesOf(slow)},
			CriticalPath: new(CausesOf(path)),
			Collectives: []Collective{{Name: "all-reduce 0 (layer 2)", Count: 2814, Bytes: 5160,
				Time:  20_000_000,
				AlgBW: 2.58e8, BusBW: 4.515e8},
				{Name: "all-reduce 1 (layer 1)", Count: 2814, Bytes: 401_920, Time: 31_250_000,
					AlgBW: 1.286144e10, BusBW: 2.250752e10}}},
	}
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
	scripttest.Golden(t, "run.json", string(b))
}
