package tune

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/net/cc"
	"railyard/internal/net/qos"
)

// With the probability of the formula the queue of as many senders rests within the curve, near its middle.
func TestSendersSettleInTheMiddleOfTheCurve(t *testing.T) {
	for _, n := range []int{2, 4, 16, 64} {
		f := plain()
		f.Senders, f.Policy.Buffer.Size = n, unit.Gigabyte // no bound but its own
		p, _, err := Formula(f)
		if err != nil {
			t.Fatal(err)
		}
		e := cc.FixedPoint(*f.DCQCN, n, f.Rate, f.Frame, cc.RED{Min: p.Min, Max: p.Max, P: p.Probability})
		part := float64(e.Queue-p.Min) / float64(p.Max-p.Min)
		if !e.InRange || part > 0.5 || part < 0.1 { // a whole percent is coarse with few senders
			t.Errorf("%d senders, %v: the queue rests at %v, %.2f of the curve", n, p, e.Queue, part)
		}
	}
}

// What the formula gives is in order: marks begin below where they are complete, and are complete before
// a sender that is alone is paused.
func TestFormulaIsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := plain()
		draw := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
		f.Rate = unit.Bitrate(draw("Gb/s", 10, 800)) * unit.GigabitPerSec
		f.RTT = unit.Duration(draw("RTT", 1, 100)) * unit.Microsecond
		f.Senders = draw("senders", 1, 200)
		f.Policy.Buffer.Size = unit.Bytes(draw("MB", 1, 200)) * unit.Megabyte
		f.Fixed, f.Counts = rapid.Bool().Draw(t, "fixed"), rapid.Bool().Draw(t, "counts")
		f.ports(draw("ports", 2, 64))
		p, _, err := Formula(f)
		if err != nil {
			return // the buffer does not hold the headroom
		}
		q := f.Policy
		q.PFC.Alpha, q.PFC.Threshold, q.PFC.Headroom = p.Alpha, p.XOFF, qos.FormulaHeadroom(q.MTU, q.Pipeline)
		if p.XOFF > 0 {
			q.PFC.Alpha = unit.Ratio{Num: 1, Den: 8}
		}
		q.Classes[0].ECN = qos.Curve(p.Min, p.Max, p.Probability, false)
		rows, err := q.Rows(f.Sites, 0, true)
		if err != nil {
			t.Fatal(err)
		}
		if p.Min > p.Max || p.Min <= 0 || p.Probability.Num <= 0 || p.Probability.Num > p.Probability.Den {
			t.Errorf("%v: no curve", p)
		}
		for i := range rows {
			if r := &rows[i]; p.Max > grain && r.First != qos.MarksFirst {
				t.Errorf("%v: %s: %s", p, r.First, r.Reason)
			}
		}
	})
}

// A search hands out no point twice and no more than it may; what is chosen drops nothing, and nothing is
// better in all three figures.
func TestSearchOfAnyFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _, err := Formula(plain())
		if err != nil {
			t.Fatal(err)
		}
		most := rapid.IntRange(2, 40).Draw(t, "most")
		prefer := rapid.SampledFrom(Preferences()).Draw(t, "prefer")
		s := NewSearch(p, most, prefer)
		for next := s.Next(); len(next) > 0; next = s.Next() {
			for _, trial := range next {
				draw := func(name string) unit.Duration { return unit.Duration(rapid.IntRange(1, 20).Draw(t, name)) }
				trial.Figures = Figures{Times: []unit.Duration{draw("time"), draw("time")}, Delay: draw("delay"),
					Paused: draw("paused") - 1, Drops: int64(rapid.IntRange(0, 1).Draw(t, "drops"))}
				s.Took(trial)
			}
		}
		var seen []Point
		for _, trial := range s.Trials {
			if slices.Contains(seen, trial.Point) {
				t.Errorf("%v twice", trial.Point)
			}
			seen = append(seen, trial.Point)
		}
		if len(s.Trials) > most {
			t.Errorf("%d points, want at most %d", len(s.Trials), most)
		}
		v := Judge(s.Trials, prefer)
		if v.Chosen < 0 {
			if slices.ContainsFunc(s.Trials, func(t Trial) bool { return t.Usable() }) {
				t.Error("a point is usable, and none is chosen")
			}
			return
		}
		c := &s.Trials[v.Chosen]
		if !c.Usable() || !v.Of[v.Chosen].Frontier {
			t.Errorf("chosen %v: %+v", c.Point, c.Figures)
		}
		if own := &s.Trials[0]; prefer == PreferAll && own.Usable() && (!nearly(c.Figures.Delay, own.Figures.Delay) ||
			!nearly(c.Figures.Paused, own.Figures.Paused) || v.Of[v.Chosen].Speed < 0.99*v.Of[0].Speed) {
			t.Errorf("%+v is chosen, and something gets worse than %+v", c.Figures, own.Figures)
		}
		for i := range s.Trials {
			if s.Trials[i].Usable() && better(s.Trials, v.Of, i, v.Chosen) {
				t.Errorf("%v is chosen, and %v dominates it", c.Point, s.Trials[i].Point)
			}
			if by := v.Of[i].By; by >= 0 && (!v.Of[by].Frontier || !better(s.Trials, v.Of, by, i)) {
				t.Errorf("point %d is said to be dominated by %d", i, by)
			}
		}
	})
}

// While one of N senders recovers a port would not send C/2N of the increase timer, twice: 100 Gb/s for 55 us are 687.5 kB.
func TestRecoveryOfASender(t *testing.T) {
	f := Facts{Rate: 100 * unit.GigabitPerSec, Senders: 5, DCQCN: &cc.DCQCN{IncreaseTimer: 55 * unit.Microsecond}}
	if got := f.recovery(); got != 137_500 {
		t.Errorf("%d", got)
	}
	if f.Senders = 1; f.recovery() != 343_750 {
		t.Errorf("alone %d", f.recovery())
	}
	if f.DCQCN = nil; f.recovery() != 0 {
		t.Error("without DCQCN")
	}
}
