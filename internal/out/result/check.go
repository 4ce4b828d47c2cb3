package result

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"railyard/internal/base/unit"
)

// A table says nothing that its run cannot have left: times lie in the run, spans end after
// they begin, counters and sizes are not negative, figures are numbers. The checks of rows
// are here, so that those who use rows need none.

const (
	maxFigure = 1 << 60 // of times in ps (13 days), bytes and counters: sums of a few do not overflow
	maxIndex  = 1 << 24 // of ranks, operations, channels
	maxLoss   = 1e300   // of a training that diverges, and far enough from the end for sums
)

// bounds is what the figures of a run can be.
type bounds struct {
	end   unit.Time   // of the run
	steps int64       // planned
	again []unit.Time // when a job started again
	ended bool        // the run did: again is known
}

func boundsOf(s *Summary) *bounds {
	b := &bounds{end: maxFigure, steps: math.MaxInt32, ended: s.State != Running}
	for _, j := range s.PerJob() {
		if j.Survival != nil {
			for i := range j.Survival.Restarts {
				b.again = append(b.again, j.Survival.Restarts[i].At)
			}
		}
	}
	if s.State != Running && s.VirtualTime > 0 {
		b.end = s.VirtualTime
	}
	if s.StepsPlanned > 0 {
		b.steps = s.StepsPlanned
	}
	return b
}

var errTwice = errors.New("is the same as the row before it")

// repeats returns a function that reports whether it was given the same the last time.
func repeats[T comparable]() func(T) bool {
	var last T
	first := true
	return func(now T) bool {
		same := !first && now == last
		first, last = false, now
		return same
	}
}

// in says that a figure is not from low to high.
func in[T ~int32 | ~int64](name string, v, low, high T) error {
	if v < low || v > high {
		return fmt.Errorf("%s is %d, want %d to %d", name, int64(v), int64(low), int64(high))
	}
	return nil
}

func (b *bounds) time(name string, t unit.Time) error { return in(name, t, 0, b.end) }

func (b *bounds) span(name string, d unit.Duration) error {
	return in(name, d, 0, unit.Duration(b.end))
}

// step holds a step in the run; what has none has -1, as has the start phase.
func (b *bounds) step(step int32) error {
	return in("step", int64(step), -1, b.steps-1)
}

func index(name string, v, least int32) error { return in(name, v, least, maxIndex) }

func size[T ~int64](name string, v T) error { return in(name, v, 0, maxFigure) }

// ordered says that a span ends before it begins, or does not lie in the run.
func (b *bounds) ordered(from, to string, start, end unit.Time) error {
	if err := b.time(from, start); err != nil {
		return err
	}
	return in(to, end, start, b.end)
}

// within holds that no cause is negative, and that all together are at most whole.
func (c *Causes) within(whole unit.Duration) error {
	left := whole
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		d := unit.Duration(v.Field(i).Int())
		if d < 0 || d > left {
			return fmt.Errorf("%s is %d, want 0 to %d: the causes are part of %d",
				v.Type().Field(i).Tag.Get("parquet"), int64(d), int64(left), int64(whole))
		}
		left -= d
	}
	return nil
}

func checkSteps(b *bounds) func(*StepRow) error {
	type key struct {
		job        string
		step, rank int32
		start      unit.Time // a rank that starts again takes a step once more
	}
	n, twice := int64(0), repeats[key]()
	return func(r *StepRow) error {
		if twice(key{r.Job, r.Step, r.Rank, r.Start}) {
			return errTwice
		}
		err := cmp.Or(b.step(r.Step), index("rank", r.Rank, 0), b.ordered("start_ps", "end_ps", r.Start, r.End),
			b.span("comm_ps", r.Comm), b.span("overlap_ps", r.Overlap))
		if err != nil {
			return err
		}
		if r.Loss != nil && math.Abs(*r.Loss) > maxLoss && !math.IsInf(*r.Loss, 0) {
			return fmt.Errorf("loss is %v, want -%v to %v, or no number", *r.Loss, maxLoss, maxLoss)
		}
		if int64(r.Step) > n { // a rank ends its steps in order
			return fmt.Errorf("step is %d, want at most %d: no earlier row has the steps before it", r.Step, n)
		}
		if r.Step >= 0 {
			n++
		}
		return r.Causes.within(r.End.Sub(r.Start))
	}
}

func checkOperations(b *bounds) func(*OperationRow) error {
	type key struct {
		job            string
		step, rank, op int32
		start          unit.Time // a rank that starts again takes a step once more
	}
	twice := repeats[key]()
	return func(r *OperationRow) error {
		if twice(key{r.Job, r.Step, r.Rank, r.Op, r.Start}) {
			return errTwice
		}
		return cmp.Or(b.step(r.Step), index("rank", r.Rank, 0), index("op", r.Op, 0),
			b.ordered("start_ps", "end_ps", r.Start, r.End),
			index("released_by", r.ReleasedBy, -1))
	}
}

func checkFlows(b *bounds) func(*FlowRow) error {
	last := int64(-1)
	return func(r *FlowRow) error {
		if r.ID <= last {
			return fmt.Errorf("id is %d, want more than the %d before it", r.ID, last)
		}
		last = r.ID
		// What was on its way inside a host when the run ended is placed after the end.
		err := cmp.Or(size("id", r.ID), index("channel", r.Channel, -1), b.step(r.Step), size("bytes", r.Bytes),
			b.time("posted_ps", r.Posted),
			size("placed_ps", r.Placed), size("acked_ps", r.Acked), size("fct_ps", r.FCT),
			size("marks", r.Marks), size("cnps", r.CNPs), size("retransmits", r.Retransmits),
			size("lost", r.Lost), size("timeouts", r.Timeouts))
		if err != nil {
			return err
		}
		return r.Causes.within(maxFigure)
	}
}

func checkLinks(b *bounds) func(*LinkRow) error {
	seen := map[string]bool{}
	return func(r *LinkRow) error {
		if seen[r.Port] {
			return fmt.Errorf("port %q has two rows", r.Port)
		}
		seen[r.Port] = true
		if !(r.Utilisation >= 0 && r.Utilisation <= 1) {
			return fmt.Errorf("utilisation is %v, want 0 to 1", r.Utilisation)
		}
		return cmp.Or(size("rate_bps", r.Rate), size("tx_bytes", r.TxBytes), size("tx_packets", r.TxPackets),
			in("data_bytes", r.DataBytes, 0, max(r.TxBytes, 0)),
			b.span("busy_ps", r.Busy), size("pauses_sent", r.PausesSent), size("pauses_received", r.PausesReceived),
			b.span("paused_ps", r.Paused),
			size("ecn_marks", r.ECNMarks), size("drops", r.Drops), size("max_queue_bytes", r.MaxQueue))
	}
}

func checkQueues(b *bounds) func(*QueueRow) error {
	twice := repeats[QueueRow]()
	return func(r *QueueRow) error {
		if twice(*r) {
			return errTwice
		}
		return cmp.Or(in("class", r.Class, 0, 7), b.time("time_ps", r.Time), size("bytes", r.Bytes))
	}
}

func checkGradients(*bounds) func(*GradientRow) error {
	twice := repeats[GradientRow]()
	return func(r *GradientRow) error {
		if twice(*r) {
			return errTwice
		}
		if r.Norm < 0 { // it may be infinite, or no number, where a training diverges
			return fmt.Errorf("norm is %v, want at least 0", r.Norm)
		}
		return cmp.Or(index("step", r.Step, 0), index("rank", r.Rank, 0), index("position", r.Position, 0))
	}
}

func checkExperts(*bounds) func(*ExpertRow) error {
	twice := repeats[ExpertRow]()
	return func(r *ExpertRow) error {
		if twice(*r) {
			return errTwice
		}
		if r.Share < 0 || r.Share > 1+1e-3 || r.Balance < 0 { // no number where a training diverges
			return fmt.Errorf("share is %v and balance %v, want 0 to 1 and at least 0", r.Share, r.Balance)
		}
		return cmp.Or(index("step", r.Step, 0), index("rank", r.Rank, 0), index("expert", r.Expert, 0), size("tokens", r.Tokens),
			in("dropped", r.Dropped, 0, max(r.Tokens, 0)))
	}
}

func checkHops(b *bounds) func(*HopRow) error {
	var last HopRow
	first := true
	return func(r *HopRow) error {
		switch {
		case !first && *r == last:
			return errTwice
		case r.Flow < last.Flow:
			return fmt.Errorf("flow is %d, want at least the %d before it", r.Flow, last.Flow)
		}
		first, last = false, *r
		return cmp.Or(size("flow", r.Flow), index("hop", r.Hop, 0), size("own_queueing_ps", r.OwnQueueing),
			size("queueing_ps", r.Queueing), size("pause_ps", r.Pause))
	}
}

func checkLosses(b *bounds) func(*LossRow) error {
	return func(r *LossRow) error {
		return cmp.Or(in("flow", r.Flow, -1, maxFigure), b.time("time_ps", r.Time))
	}
}

func checkShares(*bounds) func(*ShareRow) error {
	twice := repeats[ShareRow]()
	return func(r *ShareRow) error {
		if twice(*r) {
			return errTwice
		}
		if !(r.Share >= 0 && r.Share <= 1) {
			return fmt.Errorf("share is %v, want 0 to 1", r.Share)
		}
		return nil
	}
}

// restarted reports whether a job may have started again after one time and up to another: then a step may begin anew.
func (b *bounds) restarted(after, by unit.Time) bool {
	return !b.ended || slices.ContainsFunc(b.again, func(at unit.Time) bool { return after < at && at <= by })
}

func checkPaths(b *bounds) func(*PathRow) error {
	var last PathRow
	first := true
	return func(r *PathRow) error {
		switch {
		case !first && *r == last:
			return errTwice
		case !first && r.Job == last.Job && r.Step == last.Step && r.Rank == last.Rank && r.From != last.Until &&
			!b.restarted(last.Until, r.From):
			return fmt.Errorf("from_ps is %d, want %d, where the part before it ends", int64(r.From), int64(last.Until))
		}
		first, last = false, *r
		return cmp.Or(b.step(r.Step), index("rank", r.Rank, 0), b.ordered("from_ps", "until_ps", r.From, r.Until),
			index("on_rank", r.OnRank, -1), b.step(r.OnStep), index("op", r.Op, -1), index("src", r.Src, -1),
			index("dst", r.Dst, -1), index("channel", r.Channel, -1))
	}
}
