package trial

import (
	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
	"railyard/internal/study/tune"
)

// Found is what a tuning came to.
type Found struct {
	State    result.State `json:"state"` // complete or interrupted
	Version  string       `json:"version"`
	Name     string       `json:"name"`
	Network  Network      `json:"network"`
	Slice    Slice        `json:"slice"`
	Patterns []Pattern    `json:"patterns"`
	LeftOut  string       `json:"left_out,omitempty"` // of the patterns that are the default, and why
	Prefer   tune.Prefer  `json:"prefer"`
	Seeds    []uint64     `json:"seeds"`
	// why each value of the formula is what it is
	Formula []tune.Reason `json:"formula"`
	Points  []Point       `json:"points"`
	Chosen  int           `json:"chosen"` // number of a point, from 1; 0: none is without drops
	Set     []Setting     `json:"set,omitempty"`
	// of the switches, with the chosen point
	Thresholds []qos.Row `json:"thresholds,omitempty"`
	Mistakes   []string  `json:"mistakes,omitempty"` // that check finds in them
	Verified   *Verified `json:"verified,omitempty"`

	base     *scenario.Scenario
	scenario *scenario.Scenario // with the chosen thresholds
	plan     *plan.Plan         // of it
}

// Network is the facts that the formulas took.
type Network struct {
	Rate    unit.Bitrate  `json:"host_rate_bps"`
	RTT     unit.Duration `json:"round_trip_ps"`
	Senders int           `json:"senders_to_a_port"`
	Frame   unit.Bytes    `json:"frame_bytes"`
}

func network(f tune.Facts) Network { return Network{f.Rate, f.RTT, f.Senders, f.Frame} }

// A Point is a row of the table.
type Point struct {
	Number      int             `json:"number"`
	Kind        string          `json:"kind,omitempty"` // "own", "formula"
	Min         unit.Bytes      `json:"wred_min_bytes,omitempty"`
	Max         unit.Bytes      `json:"wred_max_bytes,omitempty"`
	Probability *unit.Ratio     `json:"wred_probability,omitempty"`
	Alpha       *unit.Ratio     `json:"alpha,omitempty"`
	XOFF        unit.Bytes      `json:"xoff_bytes,omitempty"`
	Times       []unit.Duration `json:"times_ps"` // by pattern
	Throughput  float64         `json:"throughput"`
	Delay       unit.Duration   `json:"queue_delay_ps"`
	Paused      unit.Duration   `json:"paused_ps"`
	Pauses      int64           `json:"pauses"`
	Drops       int64           `json:"drops"`
	Failed      int64           `json:"failed_runs"`
	Frontier    bool            `json:"frontier"`
	DominatedBy int             `json:"dominated_by,omitempty"` // number of a point
	Why         string          `json:"why"`
}

// A Setting is a key of the scenario and its value.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Verified is the choice and the scenario's own thresholds with other seeds.
type Verified struct {
	Seeds       []uint64      `json:"seeds"`
	Chosen, Own *tune.Figures `json:"-"`
	Figures     []Figures     `json:"figures"` // the scenario's own first; one where it was chosen
	Dominated   bool          `json:"dominated"`
}

// Figures are those of a point as data.
type Figures struct {
	Kind   string          `json:"kind"` // "own" or "chosen"
	Times  []unit.Duration `json:"times_ps"`
	Delay  unit.Duration   `json:"queue_delay_ps"`
	Paused unit.Duration   `json:"paused_ps"`
	Pauses int64           `json:"pauses"`
	Drops  int64           `json:"drops"`
	Failed int64           `json:"failed_runs"`
}

func figuresOf(kind string, f *tune.Figures) Figures {
	return Figures{kind, f.Times, f.Delay, f.Paused, f.Pauses, f.Drops, f.Failed}
}

// judge fills the table, and makes the scenario of the choice.
func (f *Found) judge(t *tuning, trials []tune.Trial) error {
	v := tune.Judge(trials, t.opt.Prefer)
	for i := range trials {
		f.Points = append(f.Points, f.point(i, &trials[i], &v.Of[i]))
	}
	f.Chosen = v.Chosen + 1
	if f.Verified != nil {
		f.verified()
	}
	if v.Chosen < 0 {
		return nil
	}
	chosen := &trials[v.Chosen]
	f.scenario = f.base
	if !chosen.Own {
		changes := t.changes(chosen.Point)
		for _, c := range changes {
			f.Set = append(f.Set, Setting{c.Path, c.Text})
		}
		var err error
		if f.scenario, err = f.base.With(changes...); err != nil {
			return err
		}
	}
	var err error
	if f.plan, err = run.NewPlan(f.scenario); err != nil {
		return err
	}
	var mistakes []qos.Mistake
	f.Thresholds, mistakes, err = foresight.Thresholds(f.plan)
	for i := range mistakes {
		f.Mistakes = append(f.Mistakes, mistakes[i].Reason)
	}
	return err
}

func (f *Found) point(i int, t *tune.Trial, s *tune.Standing) Point {
	g := &t.Figures
	p := Point{Number: i + 1, Min: t.Point.Min, Max: t.Point.Max, XOFF: t.Point.XOFF, Times: g.Times, Throughput: s.Speed,
		Delay: g.Delay, Paused: g.Paused, Pauses: g.Pauses, Drops: g.Drops, Failed: g.Failed, Frontier: s.Frontier,
		DominatedBy: s.By + 1, Why: s.Why}
	switch {
	case t.Own:
		p.Kind = "own"
	case t.Formula:
		p.Kind = "formula"
	}
	if t.Point.Marks() {
		p.Probability = &t.Point.Probability
	}
	if t.Point.Alpha.Num > 0 && t.Point.XOFF == 0 {
		p.Alpha = &t.Point.Alpha
	}
	return p
}

// verified compares the choice with the scenario's own thresholds.
func (f *Found) verified() {
	v := f.Verified
	if f.Chosen == 1 {
		v.Figures = []Figures{figuresOf("own", v.Chosen)}
		return
	}
	v.Figures = []Figures{figuresOf("own", v.Own), figuresOf("chosen", v.Chosen)}
	both := tune.Judge([]tune.Trial{{Own: true, Figures: *v.Own}, {Figures: *v.Chosen}}, f.Prefer)
	v.Dominated = both.Of[1].By == 0
}

// Scenario returns the text of the scenario with the chosen thresholds; nil without a choice.
func (f *Found) Scenario() []byte {
	if f.scenario == nil {
		return nil
	}
	return f.scenario.Source()
}

// Plan returns the plan of that scenario.
func (f *Found) Plan() *plan.Plan { return f.plan }

// Fabric returns the fabric with the chosen thresholds.
func (f *Found) Fabric() *scenario.Fabric { return &f.scenario.Fabric }
