package exec

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// An inbox gives back what was put in, in order, whatever became of the trace it was given.
func TestInboxKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in inbox
		var want []Trace
		var reused Trace // by the driver
		for i := range rapid.IntRange(1, 200).Draw(t, "actions") {
			switch a := rapid.IntRange(0, 3).Draw(t, "action"); {
			case a < 2:
				reused.Posted, reused.Placed, reused.Lane = unit.Time(i), unit.Time(2*i), int32(i%3)
				reused.Segments = append(reused.Segments[:0], Segment{Until: unit.Time(i), Cause: cause.Queueing, At: 3},
					Segment{Until: unit.Time(2 * i), Cause: cause.Pause, At: 4})
				in.push(0, Arrival{Step: int64(i)}, &reused)
				want = append(want, Trace{reused.Posted, reused.Placed, slices.Clone(reused.Segments), reused.Lane})
			case len(want) == 0:
			case unit.Time(2*in.what[0].Step) != want[0].Placed:
				t.Fatalf("got message %d, want %+v", in.what[0].Step, want[0])
			default:
				if got := in.front(); got.Posted != want[0].Posted || got.Placed != want[0].Placed || got.Lane != want[0].Lane ||
					!slices.Equal(got.Segments, want[0].Segments) {
					t.Fatalf("the oldest is %v, want %v", got, want[0])
				}
				in.pop()
				want = want[1:]
			}
			if in.queued() != len(want) {
				t.Fatalf("%d in the inbox, want %d", in.queued(), len(want))
			}
		}
	})
}
