package headline

import (
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/mfu"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// lines prints figures one a line, as a reader sees them.
func lines(s *result.Summary) string {
	var b strings.Builder
	for _, f := range Of(s) {
		b.WriteString(f.Name + ": " + f.Text() + " " + f.Meaning + "\n")
	}
	return b.String()
}

// A training has its step time first, then what it is not, then counters, 0 included.
func TestFiguresOfATraining(t *testing.T) {
	got := lines(&result.Summary{State: result.Interrupted, VirtualTime: 116_300_000_000, ECNMarks: 5310, PacketHops: 123_456,
		BusiestLinks: []result.LinkFigures{{Port: "rail1/host1", Utilisation: 0.8123},
			{Port: "rail1/host2", Utilisation: 0.5}},
		JobFigures: result.JobFigures{StepTime: 41_234_567, SampleRate: 1.552e6, StepMedian: 44_234_567,
			StepP99: 71_234_567, Steps: 20, StepsPlanned: 2814, TestAccuracy: new(0.96412),
			FinalLoss: new(result.Float(0.084123)), Drift: new(0.01234), Overlap: new(0.6131)}})
	const want = `step time: 41.23 us virtual time of all steps / steps
samples/s: 1.552 M global batch / step time
step, median: 44.23 us of each step's slowest rank
step, p99: 71.23 us of each step's slowest rank
steps: 20 that all ranks ended, of 2,814
test accuracy: 96.41 % of the test images, after the last step
final loss: 0.08412 mean training loss of the last epoch
drift: 0.01234 distance from one rank's weights, as a part of their norm
overlap: 61.3 % of communication ran beside compute
busiest port: 81.2 % used of rail1/host1
virtual time: 116.3 ms from the start of the run to its end
ECN marks: 5,310 packets marked by switches
CNPs: 0 congestion notifications of receivers
pause frames: 0 of PFC, refreshes included
drops: 0 packets for which a switch had no room
retransmissions: 0 data packets sent again
packet-hops: 123,456 frames, once for each link
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Flows are known by the mean over messages, not over flows, and by the slowest flow; those of the
// background and those that were never done do not count.
func TestFiguresOfFlows(t *testing.T) {
	us := unit.Microsecond
	got := lines(&result.Summary{State: result.Complete, VirtualTime: 1, Flows: []result.FlowFigures{
		{Kind: result.KindJob, Posted: 3, Done: 3, FCT: new(10 * us)},
		{Kind: result.KindJob, Posted: 1, Done: 1, FCT: new(30 * us)},
		{Kind: result.KindJob, Posted: 1}, {Kind: result.KindBackground, Posted: 9, Done: 9, FCT: new(900 * us)}}})
	const want = "completion, mean: 15 us of the 4 messages of the job that completed\n" +
		"completion, slowest: 30 us of the job's slowest flow, mean over its messages\n"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got, want)
	}
}

// A run says how much of it was simulated where steps were told again, and nothing of it where none was.
func TestStepsToldAgain(t *testing.T) {
	told := &result.Summary{State: result.Complete, PacketHops: 100, Reuse: &result.Reuse{Simulated: 40, Represented: 100, Steps: 6}}
	if got := lines(told); !strings.Contains(got, "simulated hops: 40 of these; 6 steps did what others had done") {
		t.Error(got)
	}
	told.Reuse.Parts = 1
	if got := lines(told); !strings.Contains(got, "simulated hops: 40 of these; 6 steps and 1 part of steps did what others had done") {
		t.Error(got)
	}
	told.Reuse.Steps, told.Reuse.Parts = 0, 29
	if got := lines(told); !strings.Contains(got, "simulated hops: 40 of these; 29 parts of steps did what others had done") {
		t.Error(got)
	}
	told.Reuse.Parts = 0
	if got := lines(told); strings.Contains(got, "simulated hops") {
		t.Error(got)
	}
}

// Of a run that never ended no counter is known: 0 would be a lie.
func TestNoCountersOfARunThatNeverEnded(t *testing.T) {
	if got := Of(&result.Summary{State: result.Running,
		JobFigures: result.JobFigures{StepsPlanned: 7}}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := Of(&result.Summary{State: result.Complete}); len(got) == 0 || got[0].Name != "ECN marks" {
		t.Errorf("a complete run without anything has %+v, want counters", got)
	}
}

// A difference says how large it is, that there is none worth a decimal, or that there is no such
// thing.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		unit    chart.Unit
		base, v float64
		want    string
	}{
		{chart.Plain, 0.2, 0.25, "+25.0 %"}, {chart.Plain, 0.2, 0.20001, "same"}, {chart.Plain, math.NaN(), 0.2, "-"},
		{chart.Plain, 0.2, math.NaN(), "-"}, {chart.Time, 0, 5, ""}, {chart.Time, 200, 100, "-50.0 %"},
		{chart.Fraction, 0.5, 0.45, "-5.0 points"}, {chart.Fraction, 0.5, 0.50001, "same"},
		{chart.Fraction, 0.5, 0.49999, "same"},
		{chart.Count, 0, 36_090, "+36,090"}, {chart.Count, 7, 7, "same"},
	} {
		a, b := &Figure{Unit: c.unit, Value: result.Float(c.base)}, &Figure{Unit: c.unit, Value: result.Float(c.v)}
		if got := b.Change(a); got != c.want {
			t.Errorf("%q from %v to %v: %q, want %q", c.unit, c.base, c.v, got, c.want)
		}
	}
}

// The loss of a training that diverged is a figure: it is shown, and it is JSON.
func TestALossThatIsNoNumber(t *testing.T) {
	f := Of(&result.Summary{State: result.Running,
		JobFigures: result.JobFigures{FinalLoss: new(result.Float(math.NaN()))}})
	if len(f) != 1 || f[0].Text() != "NaN" {
		t.Fatalf("%+v", f)
	}
	if b, err := f[0].Value.MarshalJSON(); err != nil || string(b) != `"NaN"` {
		t.Errorf("%s, %v", b, err)
	}
}

// What is better is less time and more samples; of marks, and of what a reader sees no difference, neither is.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name    string
		unit    chart.Unit
		base, v float64
		want    string
	}{
		{StepTime, chart.Time, 100, 90, "better"}, {StepTime, chart.Time, 90, 100, "worse"},
		{StepTime, chart.Time, 1e6, 1e6 + 1, ""},
		{"samples/s", chart.Rate, 10, 20, "better"}, {"overlap", chart.Fraction, 0.5, 0.4, "worse"},
		{"drops", chart.Count, 0, 1, "worse"}, {"ECN marks", chart.Count, 5, 1, ""},
		{"final loss", chart.Plain, 0.2, math.NaN(), ""},
	} {
		a := &Figure{Name: c.name, Unit: c.unit, Value: result.Float(c.base)}
		b := &Figure{Name: c.name, Unit: c.unit, Value: result.Float(c.v)}
		if got := b.Verdict(a); got != c.want {
			t.Errorf("%s from %v to %v: %q, want %q", c.name, c.base, c.v, got, c.want)
		}
	}
	for name := range ways {
		if !slices.Contains(Names(), name) {
			t.Errorf("no figure has the name %q", name)
		}
	}
}

// From nothing there is no per cent; a count has a difference. What is 0 is not there where 0 says that a run has none.
func TestChangesFromNothing(t *testing.T) {
	for _, c := range []struct {
		unit chart.Unit
		from float64
		want string
	}{{chart.Time, 0, ""}, {chart.Time, 1, "+100.0 %"}, {chart.Count, 0, "+2"}, {chart.Fraction, 0, "+200.0 points"}} {
		f, base := &Figure{Unit: c.unit, Value: 2}, &Figure{Unit: c.unit, Value: result.Float(c.from)}
		if got := f.Change(base); got != c.want {
			t.Errorf("%v from %g to 2: %q, want %q", c.unit, c.from, got, c.want)
		}
	}
	if positive(0, "").there || !positive(1, "").there {
		t.Error("0 is there, or 1 is not")
	}
}

// All of a training of a large model: what it costs, waits for, holds, and lives through.
func TestFiguresOfALargeModel(t *testing.T) {
	ms := unit.Millisecond
	got := lines(&result.Summary{State: result.Running, JobFigures: result.JobFigures{
		Efficiency: &mfu.Figures{MFU: 0.41234, MFUCausal: 0.4, HFU: 0.5, Peak: 989e12, Precision: "BF16", GPUs: 16, TokenRate: 1e5,
			Launch: 5 * unit.Microsecond, LaunchAs: "graph", Memory: 60 * unit.Gigabyte, Bubble: &mfu.Bubble{Waited: 0.125, Formula: 0.1},
			Cost: &mfu.Cost{Step: 0.5, GPUHour: 2.4, Currency: "EUR"}, Energy: &mfu.Energy{Step: 7.2e6, Watts: 700},
			Communication: []mfu.Communication{{Kind: mfu.Tensor, Exposed: 3 * ms, Hidden: 2 * ms, Bytes: 7 * unit.Gigabyte,
				Between: unit.Gigabyte}}},
		TestLoss: new(result.Float(2.5)), TestEntropy: new(2.25), TestAccuracy: new(0.5),
		Experts: &result.ExpertFigures{Layer: "blocks.2.experts", Load: 1.5, Least: 0.5, Dropped: 0.01, Balance: 0.02, Entropy: 0.9},
		Survival: &result.Survival{Goodput: 0.9, Checkpoints: 2, CheckpointBytes: unit.Gigabyte, CheckpointTime: ms, Written: 2 * ms,
			Restarts: make([]result.Restart, 1), LostSteps: 3, LostTime: 4 * ms, DownTime: 5 * ms},
		Start: &result.StartPhase{Time: ms, Bytes: unit.Megabyte},
		GPU:   &result.Utilisation{Mean: 0.8, Least: 0.7, Most: 0.9, LeastRank: 3}}})
	const want = `tokens/s: 100 k tokens of the global batch / step time
MFU: 41.2 % dense: matrix products of the model / (16 GPUs x 989 TFLOP/s of BF16)
MFU, causal: 40 % likewise, maps of attention counted half
HFU: 50 % dense: matrix products that ranks computed / (16 GPUs x 989 TFLOP/s of BF16)
cost of a step: 0.5 EUR: 16 GPUs at 2.40 an hour each; 0.1067 for a million tokens
energy of a step: 2 kWh: 16 GPUs at 700 W each; 0.03111 for a million tokens
kernel launch: 5 us of each, as a node of a CUDA graph
bubble: 12.5 % of the step, mean over ranks; (p-1)/(vm+p-1) is 10.0 %
exposed tensor: 3 ms of a step ranks waited for 7 GB, mean
hidden tensor: 2 ms beside computing; 1 GB of the bytes between hosts
memory: 60 GB tensors of the rank that holds most
bytes of a step: 7 GB that ranks send each other, all together
bytes between hosts: 1 GB of these, over the network
start phase: 1 ms broadcast of 1 MB of parameters, before step 0
test accuracy: 50.00 % of the test labels are the likeliest token, after the last step
test loss: 2.5 nats a test label; the grammar's entropy is 2.2500
expert load: 1.5 tokens of the busiest expert over the mean, in blocks.2.experts, last epoch; of the idlest 0.50
dropped by experts: 1.0 % of the choices of routers, last epoch: the expert was full
balancing loss: 0.02 of all layers with its weight, last epoch; entropy of the router 90.0 %
goodput: 90.0 % of the job's time, with 2 checkpoints and 1 restart
lost steps: 3 run again: 4 ms since checkpoints, and 5 ms until ranks started again
checkpoints: 2 ms ranks stood still, 1 ms for each of 1 GB
GPU utilisation: 80.0 % of the run GPUs computed, mean over ranks; rank 3 least, 70.0 %
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A figure of a job among several is known by its own name; in a sentence the mean completion time has words.
func TestNamesOfFigures(t *testing.T) {
	for name, want := range map[string]string{"a: " + MeanFCT: "a: mean completion time", MeanFCT: "mean completion time",
		"a: " + StepTime: "a: step time"} {
		if got := InWords(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if Plain("a: drops") != "drops" || Named("", "drops") != "drops" || BetterWay("a: drops") != Lower || BetterWay("CNPs") != Neither {
		t.Error("a job's figure is not taken for the figure")
	}
	if u, ok := UnitOf("a.mfu"); !ok || u != chart.Fraction {
		t.Errorf("a.mfu: %q, %v", u, ok)
	}
	if _, ok := UnitOf("colour"); ok {
		t.Error("there is a figure colour")
	}
}
