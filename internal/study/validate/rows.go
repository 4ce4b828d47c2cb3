package validate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/sweep"
)

// Row is one known figure with ours beside it.
type Row struct {
	Group    string  `json:"group"`
	Name     string  `json:"name"`
	Quantity string  `json:"quantity"`
	Unit     string  `json:"unit"`
	Want     float64 `json:"want"`
	Got      float64 `json:"got"`
	// Bound is how far Got may lie from Want, in the same unit; negative: shown, not judged.
	Bound float64 `json:"bound"`
	Why   string  `json:"why"` // the bound in words
}

// Judged reports whether the row has a bound.
func (r Row) Judged() bool { return r.Bound >= 0 }

// OK reports whether Got lies within the bound.
func (r Row) OK() bool { return !r.Judged() || math.Abs(r.Got-r.Want) <= r.Bound }

// Deviation is Got's relative deviation from Want; 0 if both are 0.
func (r Row) Deviation() float64 {
	if r.Want == r.Got {
		return 0
	}
	return r.Got/r.Want - 1
}

// Options says how much to run.
type Options struct {
	Seeds    int // for the random rows; at least 10
	Progress func(done, total int)
	Run      Runner // nil: run.Run
}

// Runner runs the scenario of an experiment, from several goroutines at once. Its rows are made
// from the summary and from what opt.Observe saw.
type Runner func(ctx context.Context, sc *scenario.Scenario, opt run.Options) (*result.Summary, error)

// suite collects rows; the first error ends it.
type suite struct {
	ctx  context.Context
	opt  Options
	rows []Row
	done int
	mu   sync.Mutex
}

// Run runs every experiment and returns its rows in order.
func Run(ctx context.Context, opt Options) ([]Row, error) {
	opt.Seeds = max(opt.Seeds, seeds)
	if opt.Progress == nil {
		opt.Progress = func(int, int) {}
	}
	if opt.Run == nil {
		opt.Run = run.Run
	}
	s := &suite{ctx: ctx, opt: opt}
	for _, part := range []func() error{s.singles, s.deterministic, s.exact, s.several, s.random,
		s.timeSeries, s.closedForms} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return s.rows, nil
}

// total is how many experiments there are, for progress.
func (s *suite) total() int {
	return 2*len(singleFlows) + 4 + len(exactShipped) + len(severalShipped) + 2*len(incastShipped)*s.opt.Seeds
}

func (s *suite) ran() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.opt.Progress(s.done, s.total())
}

func (s *suite) add(r Row) { s.rows = append(s.rows, r) }

// within is a bound of a part of want.
func within(want, part float64) (float64, string) {
	return want * part, fmt.Sprintf("within %g %%", part*100)
}

func (s *suite) singles() error {
	for _, f := range singleFlows {
		for _, truncate := range []bool{false, true} {
			want, name := f.ps, "ps clock"
			if truncate {
				want, name = f.shipped, "as shipped (truncates)"
			}
			o, err := experiment{senders: 1, variant: "hpccdef", bytes: f.bytes, seed: 1, truncate: truncate}.run(s.ctx, s.opt.Run)
			if err != nil {
				return err
			}
			s.ran()
			if want == 0 {
				continue
			}
			packets := float64((f.bytes + 999) / 1000)
			r := Row{Group: "single flow", Name: fmt.Sprintf("%v, %s", unit.Bytes(f.bytes), name),
				Quantity: "completion", Unit: "ns", Want: want, Got: o.fcts[0] * 1000,
				Bound: 1 + packets/1000, Why: "1 ns as printed + 1 ps a packet"}
			if truncate {
				r.Bound, r.Why = 0.5, "exact to the ns"
			}
			s.add(r)
		}
	}
	return nil
}

// deterministic compares the rows without randomness.
func (s *suite) deterministic() error {
	for _, ref := range incastPS {
		if ref.variant != "vwin" && ref.variant != "pfconly" {
			continue
		}
		o, err := experiment{senders: ref.senders, variant: ref.variant, bytes: 10_000_000, seed: 1}.run(s.ctx, s.opt.Run)
		if err != nil {
			return err
		}
		s.ran()
		name := fmt.Sprintf("%d:1 %s", ref.senders, ref.variant)
		put := func(quantity, u string, want, got, part, printed float64) {
			bound, why := within(want, part)
			s.add(Row{"deterministic incast", name, quantity, u, want, got, bound + printed,
				why + " of a figure printed in whole " + u})
		}
		put("mean completion", "us", ref.fctMean, o.mean(), 0.001, 0.5)
		put("max completion", "us", ref.fctMax, maximum(o.fcts), 0.001, 0.5)
		put("max queue", "kB", ref.qMax, o.queueMax, 0.01, 0.5)
		put("mean queue", "kB", ref.queueMean, o.queueMean, 0.01, 0.5)
		if ref.pauses > 0 {
			put("pauses", "frames", ref.pauses, o.pauses, 0.01, 0)
		}
	}
	return nil
}

// exact compares runs without randomness to the nanosecond of the simulator's own clock.
func (s *suite) exact() error {
	for _, ref := range exactShipped {
		o, err := experiment{senders: ref.senders, variant: ref.variant, bytes: ref.bytes, seed: 1,
			truncate: true}.run(s.ctx, s.opt.Run)
		if err != nil {
			return err
		}
		s.ran()
		put := func(quantity, u string, want, got, bound float64, why string) {
			s.add(Row{"deterministic incast, as shipped", fmt.Sprintf("%d:1 %s, %v", ref.senders, ref.variant,
				unit.Bytes(ref.bytes)), quantity, u, want, got, bound, why})
		}
		for _, f := range []struct {
			quantity  string
			want, got float64
		}{{"min completion", ref.min, 1000 * slices.Min(o.fcts)}, {"mean completion", ref.mean, 1000 * o.mean()},
			{"max completion", ref.max, 1000 * slices.Max(o.fcts)}} {
			put(f.quantity, "ns", f.want, f.got, 0.5, "exact to the ns")
		}
		bound, why := within(ref.qMax, 0.001)
		put("max queue", "kB", ref.qMax, o.queueMax, bound, why+": samples of the same instant as an event")
		put("pauses", "frames", ref.pauses, o.pauses, 0, "exact")
	}
	return nil
}

func maximum(x []float64) float64 {
	m := x[0]
	for _, v := range x {
		m = max(m, v)
	}
	return m
}

// many runs an experiment over seeds, as a sweep does; the outcomes are in order of seed.
func (s *suite) many(e experiment) ([]*outcome, error) {
	e.seed = 1
	sc, err := e.parsed()
	if err != nil {
		return nil, err
	}
	numbers := make([]uint64, s.opt.Seeds)
	for i := range numbers {
		numbers[i] = uint64(i + 1)
	}
	variants, err := sweep.Variants(sc, nil, numbers)
	if err != nil {
		return nil, err
	}
	watches, out := make([]watch, len(variants)), make([]*outcome, len(variants))
	look := func(i int) run.Observer {
		watches[i].experiment = e
		return watches[i].observer()
	}
	ended := func(i int, sum *result.Summary) {
		out[i] = watches[i].outcome(sum)
		s.ran()
	}
	rows, err := sweep.Run(s.ctx, variants, sweep.Options{Force: true, Runner: sweep.Runner(s.opt.Run), Look: look, Each: ended})
	for i := range rows {
		if r := &rows[i]; err == nil && r.State != result.Complete {
			err = fmt.Errorf("%s %d:1, seed %d: %s %s", e.variant, e.senders, r.Seed, r.State, r.Error)
		}
	}
	return out, err
}

func meanOf(all []*outcome, of func(*outcome) float64) float64 {
	x := make([]float64, len(all))
	for i, o := range all {
		x[i] = of(o)
	}
	return mean(x)
}

// random compares means over seeds.
func (s *suite) random() error {
	for _, ref := range incastShipped {
		e := experiment{senders: ref.senders, variant: ref.variant, bytes: 10_000_000, truncate: true}
		all, err := s.many(e)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%d:1 %s, as shipped", ref.senders, ref.variant)
		put := func(quantity, u string, want, got, bound float64, why string) {
			s.add(Row{"DCQCN incast, mean over seeds", name, quantity, u, want, got, bound, why})
		}
		se := ref.fctMean * ref.fctMeanSD / math.Sqrt(seeds)
		put("mean completion", "us", ref.fctMean, meanOf(all, (*outcome).mean), max(0.03*ref.fctMean, 3*se),
			"3 %, or 3 standard errors of ten seeds if more")
		put("mean queue", "kB", ref.queueMean, meanOf(all, func(o *outcome) float64 { return o.queueMean }),
			0.10*ref.queueMean, "within 10 %")
		put("max completion", "us", ref.fctMax, meanOf(all, func(o *outcome) float64 { return maximum(o.fcts) }), -1,
			"shown: scatters over seeds")
		put("CNPs", "", ref.cnps, meanOf(all, func(o *outcome) float64 { return o.cnps }), -1,
			"shown: scatters over seeds")
		put("p99 queue", "kB", ref.queueP99, meanOf(all, func(o *outcome) float64 { return o.queueP99 }), -1,
			"shown: scatters over seeds")
	}
	return nil
}

// timeSeries compares runs with the exact clock: their means with the shipped scatter, their
// courses with the reference's.
func (s *suite) timeSeries() error {
	var courses []Row
	defer func() { s.rows = append(s.rows, courses...) }()
	files := map[string]string{"2paper": "ts_ps_incast2_paper.csv", "8hpccdef": "ts_ps_incast8_hpccdef.csv",
		"8paper": "ts_ps_incast8_paper.csv"}
	for _, ref := range incastShipped {
		key := fmt.Sprintf("%d%s", ref.senders, ref.variant)
		e := experiment{senders: ref.senders, variant: ref.variant, bytes: 10_000_000, series: every}
		all, err := s.many(e)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%d:1 %s, exact clock", ref.senders, ref.variant)
		s.add(Row{"DCQCN incast, mean over seeds", name, "mean completion", "us", ref.fctMean,
			meanOf(all, (*outcome).mean), 2 * ref.fctMean * ref.fctMeanSD, "2 s.d. of the as-shipped seeds"})
		if files[key] == "" {
			continue
		}
		series, err := readSeries(files[key])
		if err != nil {
			return err
		}
		var ours [][]point
		for _, o := range all {
			ours = append(ours, o.series)
		}
		points, agree := exactUntil(series, ours[0])
		courses = append(courses, Row{"DCQCN time series", name, "points until the first mark that agree", "",
			float64(points), float64(agree), 0, "exact"})
		for _, q := range []struct {
			name string
			of   func(point) float64
		}{{"queue", func(p point) float64 { return float64(p.queue) }},
			{"sum of rates", func(p point) float64 { return p.sum }}} {
			n, in := band(series, ours, q.of)
			row := Row{"DCQCN time series", name, "points of the " + q.name + " inside our 5-95 % band", "%", 90,
				100 * float64(in) / float64(n), 10,
				"a tenth of the points may fall outside, by the band's meaning; twice that is allowed"}
			if s.opt.Seeds < 100 {
				row.Bound, row.Why = -1, "shown: a band of fewer than 100 seeds is too rough to judge"
			}
			courses = append(courses, row)
		}
	}
	return nil
}
