package headline

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/job/mfu"
	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// Figure is one headline figure of a run.
type Figure struct {
	Name    string       `json:"name"`
	Unit    chart.Unit   `json:"unit"` // ps; 1/s; 1: a fraction; -: a plain number; "": a count
	Value   result.Float `json:"value"`
	Meaning string       `json:"meaning,omitempty"` // of what, and how it was measured
}

// The figures by which runs are compared first.
const (
	StepTime = "step time"
	MeanFCT  = "completion, mean"
	MFU      = "MFU"
)

// The figures whose values are printed in a way of their own.
const (
	testAccuracy = "test accuracy"
	testLoss     = "test loss"
	stepCost     = "cost of a step"
	stepEnergy   = "energy of a step"
	mfuCausal    = "MFU, causal"
	hfu          = "HFU"
)

// found is what a run has of a figure.
type found struct {
	value   float64
	meaning string
	there   bool
}

func have(v float64, meaning string) found { return found{v, meaning, true} }

// positive is a figure that is 0 where a run has none.
func positive(v float64, meaning string) found { return found{v, meaning, v > 0} }

// row is a figure in a table of them.
type row struct {
	name string
	unit chart.Unit
	of   func(*result.Summary) found
}

// ofJob has every figure of a job, ofNetwork those of the network, which jobs share, in the order
// in which they are shown.
var ofJob = []row{
	{StepTime, chart.Time, func(s *result.Summary) found {
		if s.Network == result.NetworkReal {
			return positive(float64(s.StepTime), "measured time of all steps / steps")
		}
		return positive(float64(s.StepTime), "virtual time of all steps / steps")
	}},
	{"samples/s", chart.Rate, func(s *result.Summary) found {
		return positive(s.SampleRate,
			"global batch / step time")
	}},
	{"tokens/s", chart.Rate, efficient(func(f *mfu.Figures) found {
		return positive(f.TokenRate, "tokens of the global batch / step time")
	})},
	{MFU, chart.Fraction, efficient(func(f *mfu.Figures) found {
		return positive(f.MFU, "dense: matrix products of the model "+ofPeak(f))
	})},
	{mfuCausal, chart.Fraction, efficient(func(f *mfu.Figures) found {
		return positive(f.MFUCausal, "likewise, maps of attention counted half")
	})},
	{hfu, chart.Fraction, efficient(func(f *mfu.Figures) found {
		return positive(f.HFU, "dense: matrix products that ranks computed "+ofPeak(f))
	})},
	{stepCost, chart.Plain, efficient(func(f *mfu.Figures) found {
		if f.Cost == nil {
			return found{}
		}
		return have(f.Cost.Step, fmt.Sprintf("%s: %s at %.2f an hour each%s", f.Cost.Currency, unit.CountOf(f.GPUs, "GPU"), f.Cost.GPUHour,
			perMillion(f, f.Cost.GPUHour/3600)))
	})},
	{stepEnergy, chart.Plain, efficient(func(f *mfu.Figures) found {
		if f.Energy == nil {
			return found{}
		}
		return have(f.Energy.Step/3.6e6, fmt.Sprintf("kWh: %s at %g W each%s", unit.CountOf(f.GPUs, "GPU"), f.Energy.Watts,
			perMillion(f, f.Energy.Watts/3.6e6)))
	})},
	{"kernel launch", chart.Time, efficient(func(f *mfu.Figures) found {
		return positive(float64(f.Launch), launched[f.LaunchAs])
	})},
	{"bubble", chart.Fraction, efficient(func(f *mfu.Figures) found {
		if f.Bubble == nil {
			return found{}
		}
		return have(f.Bubble.Waited, "of the step, mean over ranks; (p-1)/(vm+p-1) is "+unit.Percent(f.Bubble.Formula))
	})},
	communication(mfu.Data), hidden(mfu.Data), communication(mfu.Tensor), hidden(mfu.Tensor), communication(mfu.Pipeline),
	hidden(mfu.Pipeline), communication(mfu.Zero), hidden(mfu.Zero), communication(mfu.Statistics), hidden(mfu.Statistics),
	communication(mfu.Experts), hidden(mfu.Experts), communication(mfu.Others), hidden(mfu.Others),
	{"memory", chart.Bytes, efficient(func(f *mfu.Figures) found {
		return found{float64(f.Memory), "tensors of the rank that holds most", f.Memory > 0}
	})},
	{"bytes of a step", chart.Bytes, efficient(func(f *mfu.Figures) found {
		sent, _ := f.Sent()
		return found{float64(sent), "that ranks send each other, all together", sent > 0}
	})},
	{"bytes between hosts", chart.Bytes, efficient(func(f *mfu.Figures) found {
		sent, between := f.Sent()
		return found{float64(between), "of these, over the network", sent > 0}
	})},
	{"step, median", chart.Time, func(s *result.Summary) found {
		return positive(float64(s.StepMedian), "of each step's slowest rank")
	}},
	{"step, p99", chart.Time, func(s *result.Summary) found {
		return positive(float64(s.StepP99), "of each step's slowest rank")
	}},
	{"steps", chart.Count, steps},
	{"start phase", chart.Time, func(s *result.Summary) found {
		if s.Start == nil {
			return found{}
		}
		meaning := "before step 0"
		if s.Start.Bytes > 0 {
			meaning = "broadcast of " + s.Start.Bytes.Human() + " of parameters, before step 0"
		}
		return have(float64(s.Start.Time), meaning)
	}},
	{MeanFCT, chart.Time, func(s *result.Summary) found {
		done, mean, _ := completion(s)
		return found{float64(mean), "of the " + unit.CountOf(done, "message") + " of the job that completed", done > 0}
	}},
	{"completion, slowest", chart.Time, func(s *result.Summary) found {
		done, _, slowest := completion(s)
		return found{float64(slowest), "of the job's slowest flow, mean over its messages", done > 0}
	}},
	{testAccuracy, chart.Fraction, func(s *result.Summary) found {
		if s.TestLoss != nil {
			return pointer(s.TestAccuracy, "of the test labels are the likeliest token, after the last step")
		}
		return pointer(s.TestAccuracy, "of the test images, after the last step")
	}},
	{testLoss, chart.Plain, func(s *result.Summary) found {
		meaning := "nats a test label, after the last step"
		if s.TestEntropy != nil {
			meaning = fmt.Sprintf("nats a test label; the grammar's entropy is %.4f", *s.TestEntropy)
		}
		return pointer(s.TestLoss, meaning)
	}},
	{"final loss", chart.Plain, func(s *result.Summary) found {
		return pointer(s.FinalLoss, "mean training loss of the last epoch")
	}},
	{"expert load", chart.Plain, func(s *result.Summary) found {
		if s.Experts == nil {
			return found{}
		}
		return have(s.Experts.Load, fmt.Sprintf("tokens of the busiest expert over the mean, in %s, last epoch; of the idlest %.2f",
			s.Experts.Layer, s.Experts.Least))
	}},
	{"dropped by experts", chart.Fraction, func(s *result.Summary) found {
		if s.Experts == nil {
			return found{}
		}
		return positive(s.Experts.Dropped, "of the choices of routers, last epoch: the expert was full")
	}},
	{"balancing loss", chart.Plain, func(s *result.Summary) found {
		if s.Experts == nil {
			return found{}
		}
		return positive(float64(s.Experts.Balance), fmt.Sprintf("of all layers with its weight, last epoch; entropy of the router %.1f %%",
			100*s.Experts.Entropy))
	}},
	{"goodput", chart.Fraction, func(s *result.Summary) found {
		if s.Survival == nil {
			return found{}
		}
		v := s.Survival
		return have(v.Goodput, fmt.Sprintf("of the job's time, with %s and %s", unit.CountOf(v.Checkpoints, "checkpoint"),
			unit.CountOf(int64(len(v.Restarts)), "restart")))
	}},
	{"lost steps", chart.Count, func(s *result.Summary) found {
		if s.Survival == nil || len(s.Survival.Restarts) == 0 {
			return found{}
		}
		v := s.Survival
		return have(float64(v.LostSteps), fmt.Sprintf("run again: %s since checkpoints, and %s until ranks started again",
			v.LostTime.Human(), v.DownTime.Human()))
	}},
	{"checkpoints", chart.Time, func(s *result.Summary) found {
		if s.Survival == nil || s.Survival.Checkpoints == 0 {
			return found{}
		}
		v := s.Survival
		return have(float64(v.Written), fmt.Sprintf("ranks stood still, %s for each of %s", v.CheckpointTime.Human(),
			v.CheckpointBytes.Human()))
	}},
	{"drift", chart.Plain, func(s *result.Summary) found {
		return pointer(s.Drift, "distance from one rank's weights, as a part of their norm")
	}},
	{"overlap", chart.Fraction, func(s *result.Summary) found {
		return pointer(s.Overlap, "of communication ran beside compute")
	}},
	{"GPU utilisation", chart.Fraction, func(s *result.Summary) found {
		if s.GPU == nil || s.Network == result.NetworkReal {
			return found{}
		}
		meaning := "of the run GPUs computed, mean over ranks"
		if g := s.GPU; g.Least < g.Most {
			meaning += fmt.Sprintf("; rank %d least, %s", g.LeastRank, unit.Percent(g.Least))
		}
		return have(s.GPU.Mean, meaning)
	}},
}

var ofNetwork = []row{
	{"busiest port", chart.Fraction, func(s *result.Summary) found {
		if len(s.BusiestLinks) == 0 {
			return found{}
		}
		return have(s.BusiestLinks[0].Utilisation, "used of "+s.BusiestLinks[0].Port)
	}},
	{"virtual time", chart.Time, func(s *result.Summary) found {
		return found{float64(s.VirtualTime), "from the start of the run to its end", s.VirtualTime > 0 && s.Network != result.NetworkReal}
	}},
	{"measured time", chart.Time, func(s *result.Summary) found {
		return found{float64(s.VirtualTime), "from the first rank's start to the last one's end", s.VirtualTime > 0 &&
			s.Network == result.NetworkReal}
	}},
	{"ECN marks", chart.Count, counter(func(s *result.Summary) int64 { return s.ECNMarks },
		"packets marked by switches")},
	{"CNPs", chart.Count, counter(func(s *result.Summary) int64 { return s.CNPs },
		"congestion notifications of receivers")},
	{"pause frames", chart.Count, counter(func(s *result.Summary) int64 { return s.Pauses },
		"of PFC, refreshes included")},
	{"drops", chart.Count, counter(func(s *result.Summary) int64 { return s.Drops },
		"packets for which a switch had no room")},
	{"lost frames", chart.Count, func(s *result.Summary) found {
		n, words := s.LostFrames()
		return positive(float64(n), words)
	}},
	{"retransmissions", chart.Count, counter(func(s *result.Summary) int64 { return s.Retransmits },
		"data packets sent again")},
	{"packet-hops", chart.Count, counter(func(s *result.Summary) int64 { return s.PacketHops }, "frames, once for each link")},
	{"simulated hops", chart.Count, simulatedHops},
}

// Of lists the figures that a run has: of several jobs those of each, with its name before theirs.
func Of(s *result.Summary) []Figure {
	out := []Figure{}
	if len(s.Jobs) == 0 {
		out = add(out, ofJob, s, "")
	}
	for i, one := range s.EachJob(len(s.Jobs)) {
		out = add(out, ofJob, one, s.Jobs[i].Job)
	}
	return add(out, ofNetwork, s, "")
}

// add adds the figures of a table that a run has, named as those of a job unless that is "".
func add(out []Figure, table []row, s *result.Summary, job string) []Figure {
	for _, row := range table {
		if f := row.of(s); f.there {
			out = append(out, Figure{Name: Named(job, row.name), Unit: row.unit, Value: result.Float(f.value),
				Meaning: f.meaning})
		}
	}
	return out
}

// between stands between the name of a job and that of its figure.
const between = ": "

// Key is the name of a figure where a program names it: step_time, samples_per_s, step_p99; of several jobs with the job
// before it: a.step_time.
func Key(name string) string {
	var b strings.Builder
	job, figure, several := strings.Cut(name, between)
	if !several {
		job, figure = "", name
	}
	gap := false
	for _, r := range strings.ToLower(strings.ReplaceAll(figure, "/s", " per s")) {
		if r < 'a' || r > 'z' {
			if r < '0' || r > '9' {
				gap = true
				continue
			}
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteRune(r)
	}
	if job != "" {
		return job + "." + b.String()
	}
	return b.String()
}

// UnitOf returns the unit of the figure that a program names so, of a job's too; false if there is none.
func UnitOf(key string) (chart.Unit, bool) {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		key = key[i+1:]
	}
	for _, table := range [][]row{ofJob, ofNetwork} {
		for i := range table {
			if Key(table[i].name) == key {
				return table[i].unit, true
			}
		}
	}
	return "", false
}

// Keys lists the keys of all figures, in order.
func Keys() []string {
	names := Names()
	for i := range names {
		names[i] = Key(names[i])
	}
	return names
}

// Named is the name of a figure of a job among those of several; job "": of the only one.
func Named(job, figure string) string {
	if job == "" {
		return figure
	}
	return job + between + figure
}

// Plain is the name of a figure without that of a job.
func Plain(name string) string {
	if _, figure, found := strings.Cut(name, between); found {
		return figure
	}
	return name
}

// JobNames lists the names of all figures of a job, in order; Names those of the network, too.
func JobNames() []string { return namesOf(ofJob) }
func Names() []string    { return append(JobNames(), namesOf(ofNetwork)...) }

func namesOf(table []row) []string {
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].name
	}
	return names
}

// efficient is a figure of how well steps use their GPUs.
func efficient(of func(*mfu.Figures) found) func(*result.Summary) found {
	return func(s *result.Summary) found {
		if s.Efficiency == nil {
			return found{}
		}
		return of(s.Efficiency)
	}
}

// launched says how kernels are started, by the name of the time that each takes.
var launched = map[string]string{
	"": "of each, one after another", "graph": "of each, as a node of a CUDA graph", "eager": "of each, one by one from Python",
}

// perMillion says what a million tokens take of something of which each GPU takes so much a second; nothing where a job
// trains on none.
func perMillion(f *mfu.Figures, second float64) string {
	if f.TokenRate <= 0 {
		return ""
	}
	return fmt.Sprintf("; %.4g for a million tokens", float64(f.GPUs)*second/f.TokenRate*1e6)
}

// ofPeak says what a part of the peak is of.
func ofPeak(f *mfu.Figures) string {
	return fmt.Sprintf("/ (%s x %sFLOP/s of %s)", unit.CountOf(f.GPUs, "GPU"), unit.Rate(float64(f.Peak)), f.Precision)
}

// communication is what ranks waited for a kind of it in a step, hidden what they did not.
func communication(kind string) row {
	return row{mfu.Exposed(kind), chart.Time, ofKind(kind, func(c *mfu.Communication) found {
		return have(float64(c.Exposed), fmt.Sprintf("of a step ranks waited for %s, mean", c.Bytes.Human()))
	})}
}

func hidden(kind string) row {
	return row{mfu.Hidden(kind), chart.Time, ofKind(kind, func(c *mfu.Communication) found {
		return have(float64(c.Hidden), fmt.Sprintf("beside computing; %s of the bytes between hosts", c.Between.Human()))
	})}
}

func ofKind(kind string, of func(*mfu.Communication) found) func(*result.Summary) found {
	return efficient(func(f *mfu.Figures) found {
		for i := range f.Communication {
			if f.Communication[i].Kind == kind {
				return of(&f.Communication[i])
			}
		}
		return found{}
	})
}

// steps is there for every training, as soon as it is known how many steps it is to have.
func steps(s *result.Summary) found {
	meaning := "that all ranks ended"
	if s.StepsPlanned > s.Steps {
		meaning += ", of " + unit.Count(s.StepsPlanned)
	}
	return found{float64(s.Steps), meaning, s.Steps > 0 || s.StepsPlanned > 0 && s.State != result.Running}
}

// counter is a count that a run has as soon as it has ended, 0 included.
func counter(of func(*result.Summary) int64, meaning string) func(*result.Summary) found {
	return func(s *result.Summary) found {
		return found{float64(of(s)), meaning, s.State != result.Running && s.Network != result.NetworkReal}
	}
}

// pointer is a figure that is nil where a run has none.
func pointer[F ~float64](v *F, meaning string) found {
	if v == nil {
		return found{}
	}
	return have(float64(*v), meaning)
}

// completion returns how many messages of the job's own flows were done, their mean completion
// time, and that of the flow whose messages took longest.
func completion(s *result.Summary) (done int64, mean, slowest unit.Duration) {
	_, done, exact, slowest := s.FlowsOf(result.KindJob)
	return done, unit.Duration(math.Round(exact)), slowest
}

// InWords is the name of a figure inside a sentence.
func InWords(name string) string {
	if Plain(name) == MeanFCT {
		return strings.TrimSuffix(name, MeanFCT) + "mean completion time"
	}
	return name
}

// Way says which way a figure is better.
type Way int

// A figure may be neither: marks and notifications are how a network works.
const (
	Neither Way = iota
	Lower
	Higher
)

// ways has the figures of which one way is better.
var ways = map[string]Way{
	StepTime: Lower, "samples/s": Higher, "step, median": Lower, "step, p99": Lower, "start phase": Lower,
	MeanFCT: Lower, "completion, slowest": Lower, testAccuracy: Higher, testLoss: Lower, "final loss": Lower, "drift": Lower,
	"kernel launch": Lower, "overlap": Higher, "GPU utilisation": Higher, "memory": Lower, "tokens/s": Higher,
	stepCost: Lower, stepEnergy: Lower, MFU: Higher, mfuCausal: Higher, "bubble": Lower,
	mfu.Exposed(mfu.Data): Lower, mfu.Exposed(mfu.Tensor): Lower, mfu.Exposed(mfu.Pipeline): Lower,
	mfu.Exposed(mfu.Zero): Lower, mfu.Exposed(mfu.Statistics): Lower, mfu.Exposed(mfu.Experts): Lower,
	mfu.Exposed(mfu.Others): Lower,
	"pause frames":          Lower, "drops": Lower, "retransmissions": Lower,
}

// BetterWay returns which way the figure with a name is better.
func BetterWay(name string) Way { return ways[Plain(name)] }

// Verdict says whether the value is better or worse than that of another run: "" where it is the
// same to a reader, or where neither way is better.
func (f *Figure) Verdict(base *Figure) string {
	change := f.Change(base)
	switch lower := f.Value < base.Value; {
	case change == "same" || change == "-" || BetterWay(f.Name) == Neither:
		return ""
	case lower == (BetterWay(f.Name) == Lower):
		return "better"
	}
	return "worse"
}

// Text prints the value for people.
func (f *Figure) Text() string {
	v := float64(f.Value)
	switch {
	case f.Name == testAccuracy: // its second decimal is one of the 10,000 images that are usual
		return strconv.FormatFloat(v*100, 'f', 2, 64) + " %"
	case partOfPeak(f.Name): // small networks use little of it
		return PartOfPeak(v)
	case math.IsNaN(v): // of a training that diverged: there is a value
		return "NaN"
	}
	return f.Unit.Text(chart.Value(v))
}

// PartOfPeak prints MFU, or what is like it: small networks use little of the peak.
func PartOfPeak(v float64) string { return strconv.FormatFloat(v*100, 'g', 3, 64) + " %" }

// partOfPeak reports whether a figure is MFU, or like it.
func partOfPeak(name string) bool {
	plain := Plain(name)
	return plain == MFU || plain == mfuCausal || plain == hfu
}

// Change prints how the value differs from that of the same figure of another run: of counts the
// difference, of fractions points, of all else a percentage.
func (f *Figure) Change(base *Figure) string {
	b := float64(base.Value)
	d := float64(f.Value) - b
	switch {
	case d == 0:
		return "same"
	case math.IsNaN(d) || math.IsInf(d, 0):
		return "-" // a loss that is no number
	case f.Unit == chart.Fraction && !partOfPeak(f.Name):
		return tenths(100*d, " points")
	case f.Unit == chart.Count:
		if d > 0 {
			return "+" + unit.Count(int64(d))
		}
		return unit.Count(int64(d))
	case b == 0:
		return ""
	}
	return tenths(100*d/b, " %")
}

// tenths prints a signed difference to one decimal; one that rounds to nothing is none.
func tenths(v float64, unit string) string {
	if math.Abs(v) < 0.05 {
		return "same"
	}
	return fmt.Sprintf("%+.1f%s", v, unit)
}
