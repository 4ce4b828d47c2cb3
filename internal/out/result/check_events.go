package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// maxAlpha bounds a controller's alpha; HPCC's is the utilisation of the busiest link, with its queue.
const maxAlpha = 1e6

// figure holds a number that is neither negative nor beyond a bound.
func figure(name string, v, high float64) error {
	if !(v >= 0 && v <= high) || math.IsNaN(v) {
		return fmt.Errorf("%s is %v, want 0 to %v", name, v, high)
	}
	return nil
}

func checkEvents(b *bounds) func(*EventRow) error {
	kinds := map[string]bool{}
	for _, k := range EventKindList() {
		kinds[k.Name] = true
	}
	last, tail := unit.Time(0), false
	return func(r *EventRow) error {
		switch {
		case !kinds[r.Kind]:
			return fmt.Errorf("kind is %q, which is none of events", r.Kind)
		case r.LeftOut > 0:
			tail = true
		case tail:
			return fmt.Errorf("left_out is 0, want 1 or more: rows of what is left out come last")
		case r.Time < last:
			return fmt.Errorf("time_ps is %d, want at least the %d before it", int64(r.Time), int64(last))
		default:
			last = r.Time
		}
		return cmp.Or(b.time("time_ps", r.Time), in("class", r.Class, -1, 7), in("psn", r.PSN, -1, 1<<24-1),
			size("bytes", r.Bytes), size("threshold_bytes", r.Threshold), size("before_bps", r.Before),
			size("rate_bps", r.Rate), size("target_bps", r.Target), figure("alpha", r.Alpha, maxAlpha),
			size("window_bytes", r.Window), size("left_out", r.LeftOut))
	}
}

func checkSeries(b *bounds) func(*SeriesRow) error {
	last := unit.Time(0)
	kinds := []string{SeriesLink, SeriesQueue, SeriesFlow}
	return func(r *SeriesRow) error {
		switch {
		case !slices.Contains(kinds, r.Kind):
			return fmt.Errorf("kind is %q, want one of %s, %s, %s", r.Kind, SeriesLink, SeriesQueue, SeriesFlow)
		case r.From < last:
			return fmt.Errorf("from_ps is %d, want at least the %d before it", int64(r.From), int64(last))
		}
		last = r.From
		if err := b.ordered("from_ps", "until_ps", r.From, r.Until); err != nil {
			return err
		}
		whole := r.Until.Sub(r.From)
		return cmp.Or(in("class", r.Class, -1, 7), in("busy_ps", r.Busy, 0, whole),
			figure("utilisation", r.Utilisation, 1), in("paused_ps", r.Paused, 0, whole), size("marks", r.Marks),
			size("drops", r.Drops), size("bytes", r.Bytes), size("cnps", r.CNPs), size("rate_bps", r.Rate),
			size("target_bps", r.Target), figure("alpha", r.Alpha, maxAlpha), size("window_bytes", r.Window))
	}
}

func checkTelemetry(b *bounds) func(*telemetry.Row) error {
	return func(r *telemetry.Row) error {
		if !slices.Contains(telemetry.Kinds(), telemetry.Kind(r.Kind)) {
			return fmt.Errorf("kind is %q, want one of %v", r.Kind, telemetry.Kinds())
		}
		err := cmp.Or(in("priority", r.Priority, -1, 7), in("rank", r.Rank, -1, math.MaxInt32),
			in("seq", r.Seq, -1, math.MaxInt64), in("bytes", r.Bytes, -1, math.MaxInt64), in("end_ps", r.End, -1, unit.Never))
		for c, v := range r.All() {
			if v < telemetry.Unknown {
				err = cmp.Or(err, in(telemetry.Counters[c].Name, v, -1, math.MaxInt64))
			}
		}
		if r.Kind != string(telemetry.Line) { // a line may be of a time that the run did not come to
			err = cmp.Or(err, b.time("time_ps", r.Time))
		}
		return err
	}
}
