package run

import (
	"math"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/mfu"
	"railyard/internal/out/noun"
)

// sumsToTheStep holds the figures of each job against each other: bars are measured waits and planned computing, and have
// to be the step time to the picosecond; what is on the path of the model's products is MFU.
func sumsToTheStep(t *testing.T, r ran, what string) {
	t.Helper()
	for _, s := range r.Summary.PerJob() {
		f := s.Efficiency
		if f == nil {
			if s.SampleRate > 0 {
				t.Errorf("%s: a step of %v without a waterfall", what, s.StepTime)
			}
			continue
		}
		sum, of := unit.Duration(0), map[string]unit.Duration{}
		for _, b := range f.Waterfall {
			sum += b.Time
			of[b.Name] = b.Time
			if b.Time < 0 && b.Name != mfu.Ahead && b.Name != mfu.BelowPeak {
				t.Errorf("%s: %s takes %v", what, b.Name, b.Time)
			}
			if mfu.Meaning(b.Name) == "" && !strings.HasPrefix(b.Name, mfu.Network("")) {
				t.Errorf("%s: nothing says what %q is", what, b.Name)
			}
		}
		if sum != s.StepTime {
			t.Errorf("%s: the bars sum to %d ps, the step takes %d: %+v", what, sum, s.StepTime, f.Waterfall)
		}
		if got := float64(of[mfu.Ideal]) / float64(s.StepTime); f.Peak > 0 && math.Abs(got-f.MFU) > 2/float64(s.StepTime)+1e-12 {
			t.Errorf("%s: MFU %v, the bar of the model's products is %v of the step", what, f.MFU, got)
		}
		both := float64(of[mfu.Ideal]+of[mfu.Repeated]) / float64(s.StepTime)
		if f.Peak > 0 && math.Abs(both-f.HFU) > 3/float64(s.StepTime)+1e-12 { // picoseconds are whole
			t.Errorf("%s: HFU %v, the bars of products are %v of the step", what, f.HFU, both)
		}
		for _, c := range f.Communication {
			if c.Exposed < 0 || c.Hidden < 0 {
				t.Errorf("%s: %+v", what, c)
			}
		}
	}
}

// With GPUs of twice the peak nothing takes longer, and where the network is what a step waits for, less of the peak is
// used.
func TestTwiceThePeakIsNoSlowerAndLessUsed(t *testing.T) {
	const of = `
cluster: {hosts: 4, host: {gpus: 1, flops: FLOPS}, nic: {speed: 25Gb/s}}
fabric: {design: rail-optimized, spines: 1}
job:
  train: {layers: [784, 64, 10], data: "DATA", batch: 64, epochs: 9, steps: 3, lr: 0.1}
  parallel: {dp: 4}
`
	at := func(flops string) ran {
		return run(t, strings.NewReplacer("FLOPS", flops, "DATA", digits(t)).Replace(of), Options{})
	}
	once, twice := at("1TFLOP/s"), at("2TFLOP/s")
	sumsToTheStep(t, once, "1 TFLOP/s")
	a, b := once.Efficiency, twice.Efficiency
	if twice.StepTime > once.StepTime {
		t.Errorf("steps of %v became %v", once.StepTime, twice.StepTime)
	}
	if !(b.MFU < a.MFU) || b.MFU < a.MFU/2 {
		t.Errorf("MFU of %v became %v, want less, and at least half", a.MFU, b.MFU)
	}
	if exposed := a.Communication[0]; exposed.Kind != mfu.Data || 2*exposed.Exposed < once.StepTime {
		t.Errorf("%+v of a step of %v: the network does not bind", exposed, once.StepTime)
	}
}

// The bars sum to the step where a GPU is slower than planned, or stands still for a while: that is its bar. An algorithm
// is not blamed for what the others wait.
func TestBarsSumWithFaultsOfGPUs(t *testing.T) {
	const of = `
cluster: {hosts: 2, host: {gpus: 2}, nic: {speed: 100Gb/s}}
job:
  train: {layers: [784, 64, 10], data: "DATA", batch: 64, epochs: 9, steps: 4, lr: 0.1}
  parallel: {dp: 4}
`
	text := strings.Replace(of, "DATA", digits(t), 1)
	bar := func(r ran) unit.Duration {
		for _, b := range r.Summary.PerJob()[0].Efficiency.Waterfall {
			if b.Name == mfu.SlowGPUs {
				return b.Time
			}
		}
		return 0
	}
	well := run(t, text, Options{})
	sumsToTheStep(t, well, "no fault")
	if got := bar(well); got != 0 {
		t.Errorf("no fault: slow GPUs take %v", got)
	}
	for _, faults := range []string{"{gpu: host2/gpu1, at: 0s, slow: 3}", "{gpu: host1/gpu0, at: 60us, hang: 50us}",
		"{gpu: host2/gpu1, at: 0s, slow: 2}, {gpu: host1/gpu1, at: 90us, slow: 5, for: 40us}"} {
		r := run(t, text+"faults: ["+faults+"]\n", Options{})
		sumsToTheStep(t, r, faults)
		if got := bar(r); got <= 0 && strings.Contains(faults, "slow") { // one that hangs while it waits loses nothing
			t.Errorf("%s: slow GPUs take %v", faults, got)
		}
		for _, f := range r.Diagnosis.Findings {
			if strings.Contains(faults, "slow: 3") && f.Noun == noun.WrongAlgorithm {
				t.Errorf("%s: %+v", faults, f)
			}
		}
	}
}
