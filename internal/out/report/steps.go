package report

import (
	"cmp"
	"math"
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// StepStats is the training steps of a run. A step counts once all ranks ended it;
// its time is that of the slowest rank.
type StepStats struct {
	Ranks   int
	Time    []unit.Duration // by step; 0: some rank never ended it
	Loss    []float64       // by step, mean over ranks; NaN: none
	Whole   int             // steps that all ranks ended
	Median  int             // the first step with the median time; -1: none
	Worst   int             // the slowest step; -1: none
	Ranked  []unit.Duration // times of whole steps, ascending
	PerStep unit.Duration   // as result.Summary.StepTime: the headline
	Mean    cause.Split     // mean over steps and ranks
	Slowest cause.Split     // mean over steps of the slowest rank

	// The slowest tenth of the steps beside the others, slowest rank, means.
	Tail, Rest   cause.Split
	TailN, RestN int64
	start        unit.Time   // when all ranks had ended the start phase; 0: there is none
	ends         []unit.Time // by step: of the rank that ended it last
	tail         []bool
	slowestRank  []int32
	top          []topCause // by step: the largest cause of its slowest rank but dependency
}

type topCause struct {
	Cause cause.Cause
	Time  unit.Duration
}

// Quantile returns the time that the fraction q of the steps did not exceed.
func (s *StepStats) Quantile(q float64) unit.Duration { return result.Quantile(s.Ranked, q) }

// InTail reports whether a step is among the slowest tenth.
func (s *StepStats) InTail(step int32) bool {
	return step >= 0 && int(step) < len(s.tail) && s.tail[step]
}

// life is how often the job had started again by a time.
func (d *Data) life(at unit.Time) int {
	if d.Summary.Survival == nil {
		return 0
	}
	restarts := d.Summary.Survival.Restarts
	n := 0
	for n < len(restarts) && restarts[n].At <= at {
		n++
	}
	return n
}

// readSteps reads the time of each step. Of one that was lost and run again it is that of the last time.
func (d *Data) readSteps(run *result.Run) error {
	s := &StepStats{Median: -1, Worst: -1}
	var seen []int32
	var ends []unit.Time
	var life []int // in which it was run last
	for row, err := range run.Steps() {
		if err != nil {
			return err
		}
		if !d.of(row.Job) {
			continue
		}
		n := int(row.Step)
		if n < 0 {
			s.start = max(s.start, row.End)
			continue
		}
		for len(s.Time) <= n {
			s.Time, s.Loss = append(s.Time, 0), append(s.Loss, 0)
			seen, s.slowestRank = append(seen, 0), append(s.slowestRank, -1)
			ends, life = append(ends, 0), append(life, 0)
		}
		if now := d.life(row.Start); now > life[n] { // it was lost: the one that counts takes its place
			life[n], seen[n], s.Time[n], s.Loss[n] = now, 0, 0, 0
		}
		s.Ranks = max(s.Ranks, int(row.Rank)+1)
		seen[n]++
		ends[n] = max(ends[n], row.End)
		if took := row.End.Sub(row.Start); took > s.Time[n] || took == s.Time[n] && row.Rank < s.slowestRank[n] {
			s.Time[n], s.slowestRank[n] = took, row.Rank
		}
		if row.Loss == nil {
			s.Loss[n] = math.NaN()
		} else {
			s.Loss[n] += *row.Loss
		}
		d.End = max(d.End, row.End)
	}
	s.settle(seen, ends)
	if s.Whole == 0 {
		return nil
	}
	d.Steps = s
	return d.splitSteps(run)
}

// settle looks at what was read: how many ranks ended each step, and when the last of them did.
func (s *StepStats) settle(seen []int32, ends []unit.Time) {
	whole := unit.Time(0)
	for n := range s.Time {
		s.Loss[n] /= float64(seen[n])
		if int(seen[n]) < s.Ranks {
			s.Time[n] = 0
		} else {
			whole = max(whole, ends[n])
		}
	}
	s.ends = ends
	s.rank()
	if s.Whole > 0 {
		s.PerStep = whole.Sub(s.start) / unit.Duration(s.Whole)
	}
}

// rank finds the median, the worst and the slowest tenth. Equal steps have no tail.
func (s *StepStats) rank() {
	for _, t := range s.Time {
		if t > 0 {
			s.Ranked = append(s.Ranked, t)
		}
	}
	s.Whole = len(s.Ranked)
	if s.Whole == 0 {
		return
	}
	slices.Sort(s.Ranked)
	s.Median = slices.Index(s.Time, s.Ranked[(s.Whole-1)/2])
	s.Worst = slices.Index(s.Time, s.Ranked[s.Whole-1])
	s.tail = make([]bool, len(s.Time))
	if s.Whole < 10 || s.Ranked[0] == s.Ranked[s.Whole-1] {
		return
	}
	limit := s.Ranked[s.Whole-s.Whole/10-1]
	for n, t := range s.Time {
		s.tail[n] = t > limit
	}
}

// splitSteps sums the causes, now that it is known which step is which.
func (d *Data) splitSteps(run *result.Run) error {
	s := d.Steps
	s.top = make([]topCause, len(s.Time))
	var rows, slow int64
	for row, err := range run.Steps() {
		if err != nil {
			return err
		}
		if !d.of(row.Job) {
			continue
		}
		if row.Step < 0 || int(row.Step) >= len(s.Time) || s.Time[row.Step] == 0 { // or the file changed meanwhile
			continue
		}
		split := row.Split()
		s.Mean.Add(&split)
		rows++
		if row.Rank != s.slowestRank[row.Step] {
			continue
		}
		s.Slowest.Add(&split)
		slow++
		if s.tail[row.Step] {
			s.Tail.Add(&split)
			s.TailN++
		} else {
			s.Rest.Add(&split)
			s.RestN++
		}
		split[cause.Dependency] = 0
		if all := largest(&split); len(all) > 0 {
			s.top[row.Step] = topCause{all[0], split[all[0]]}
		}
	}
	divide(&s.Mean, rows)
	divide(&s.Slowest, slow)
	divide(&s.Tail, s.TailN)
	divide(&s.Rest, s.RestN)
	if sp := d.Summary.StepSplit; sp != nil { // the run's own figures, where it has them
		s.Mean, s.Slowest = sp.Mean.Split(), sp.SlowestRank.Split()
	}
	return nil
}

func divide(s *cause.Split, n int64) {
	for i := range s {
		if n > 0 {
			s[i] /= unit.Duration(n)
		}
	}
}

// largest lists the causes that took time, largest first, ties in their own order.
func largest(s *cause.Split) []cause.Cause {
	var all []cause.Cause
	for _, c := range cause.All() {
		if s[c] != 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b cause.Cause) int { return cmp.Compare(s[b], s[a]) })
	return all
}
