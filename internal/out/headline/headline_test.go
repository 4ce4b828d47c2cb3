package headline

import (
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
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
	told.Reuse.Steps = 0
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
