package run

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// The paths that a run leaves are those of the ranks that ended last, without a gap; the summary
// has their mean.
func TestCriticalPathsOfARun(t *testing.T) {
	const steps = 12
	for _, w := range weather {
		t.Run(w.name, func(t *testing.T) {
			r := run(t, cluster8(5)+w.fabric+w.background+training(t, steps, 3), Options{})
			began := unit.Time(0)
			last := map[int32]result.StepRow{}
			for s, err := range r.Run.Steps() {
				if err != nil {
					t.Fatal(err)
				}
				if s.Step == 0 {
					began = max(began, s.Start)
				}
				if l, ok := last[s.Step]; !ok || s.End > l.End || s.End == l.End && s.Rank < l.Rank {
					last[s.Step] = s
				}
			}
			at := map[int32]unit.Time{} // how far the path of each step has been read
			for p, err := range r.Paths() {
				if err != nil {
					t.Fatal(err)
				}
				s := last[p.Step]
				if _, ok := at[p.Step]; !ok {
					at[p.Step] = s.Start
				}
				if p.Rank != s.Rank || p.From != at[p.Step] || p.Until <= p.From || p.Until > s.End ||
					p.Kind == "unknown" || p.OnStep > p.Step {
					t.Fatalf("%+v after %v of %+v", p, at[p.Step], s)
				}
				at[p.Step] = p.Until
			}
			var whole unit.Duration
			slowest := int32(0)
			for n := range int32(steps) {
				s := last[n]
				from := max(s.Start, began) // the first counts from when all ranks had ended the start phase
				if n > 0 {                  // each moment is in one step, though ranks drift
					from = max(from, last[n-1].End)
				}
				whole += s.End.Sub(from)
				if s.End.Sub(s.Start) > last[slowest].End.Sub(last[slowest].Start) {
					slowest = n
				}
			}
			for n := range int32(steps) {
				if end, ok := at[n]; ok != (n < 10 || n == slowest) || ok && end != last[n].End {
					t.Errorf("step %d: path up to %v (%v), want %v", n, end, ok, last[n].End)
				}
			}
			mean := r.CriticalPath.Split()
			if d := whole/steps - mean.Sum(); d < 0 || d >= unit.Duration(cause.Count) { // each cause is rounded down
				t.Errorf("mean path is %v, mean step %v", mean.Sum(), whole/steps)
			}
		})
	}
}
