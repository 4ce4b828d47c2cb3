package diagnose

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/noun"
)

// What a window was full for, while the port that decides stood idle, is what held the acknowledgements: a loss, pauses on their way, or
// the controller that sets the window; a repeat without a loss is a packet that was overtaken, if the receiver answered a gap.
func TestWhatAFullWindowWaitsFor(t *testing.T) {
	const us = unit.Microsecond
	path := func() []Hop {
		return []Hop{{Port: 0}, {Port: 1, Span: 100 * us, Served: 12500, Mine: 12500}} // of 100 us one
	}
	for name, c := range map[string]struct {
		why  cause.Cause
		pair Pair
		want noun.Noun
		port string
	}{
		"loss": {cause.Window, Pair{Window: -1, Path: append(path(), Hop{Port: 2, Lost: []Lost{{LossyLink, 3}}})},
			noun.LossyLink, "b/c"},
		"loss behind a fixed window": {cause.Window, Pair{Window: 5 * us,
			Path: append(path(), Hop{Port: 2, Frames: 1, Own: 10 * us, Span: 100 * us,
				Served: 125, Mine: 125, Lost: []Lost{{LossyLink, 3}}})},
			noun.LossyLink, "b/c"},
		"acknowledgements held": {cause.Window, Pair{Window: -1, Path: path(),
			Back: []Hop{{Port: 3, Pause: 9 * us}}}, noun.PFCStorm, "c/b"},
		"controller": {cause.Window, Pair{Window: -1, Path: path()}, noun.ControllerUnderRun, "a/b"},
		"answers late": {cause.RateLimit, Pair{Window: -1, Path: path(), Back: []Hop{{Port: 3, Pause: 9 * us}}},
			noun.PFCStorm, "c/b"},
		"overtaken":        {cause.Retransmission, Pair{Gaps: 2, Path: path()}, noun.Reordering, ""},
		"no room":          {cause.Retransmission, Pair{NoRoom: true, Path: path()}, noun.Reordering, ""},
		"timer":            {cause.Retransmission, Pair{Path: path()}, noun.Timeout, ""},
		"PCIe of one host": {cause.PCIe, Pair{Path: path(), Slow: []int32{4, 5}}, noun.PCIeBound, "host2/PCIe"},
	} {
		c.pair.Line = 100 * unit.GigabitPerSec
		c.pair.Held[c.why] = 90 * us
		rate := c.pair.Line
		e := &Evidence{Count: 1, Line: rate, Name: func(int32) string { return "x" }, Pairs: map[int32]*Pair{0: &c.pair},
			Spans: []Span{{Cause: c.why, Port: -1, Pair: 0, Rank: -1, Time: 90 * us}},
			Ports: []Port{{Name: "h/a", Rate: rate, Own: true}, {Name: "a/b", Rate: rate}, {Name: "b/c", Rate: rate},
				{Name: "c/b", Rate: rate, Storm: true, Paused: 90 * us,
					Roots: []Root{{3, 90 * us}}}, {Name: "host1/PCIe", Rate: rate, Degraded: true},
				{Name: "host2/PCIe", Rate: rate / 2, Degraded: true}}}
		d := Of(e)
		if len(d.Findings) == 0 || d.Findings[0].Noun != c.want || d.Findings[0].Place.Name != c.port {
			t.Errorf("%s: %+v, want %s at %q", name, d.Findings, c.want, c.port)
		}
	}
}

// What is broken is said before work from a twentieth of the time on, contention from a tenth; a link as slow as all of its tier is
// no fault.
func TestWhatIsBrokenIsSaidFirst(t *testing.T) {
	const us = unit.Microsecond
	rate := 100 * unit.GigabitPerSec
	said := func(lost unit.Duration, usual bool) noun.Noun {
		p := &Pair{Line: rate, Path: []Hop{{Port: 0}, {Port: 1}}}
		e := &Evidence{Count: 1, Line: rate, Name: func(int32) string { return "x" }, Pairs: map[int32]*Pair{0: p},
			Choice: func(port int32) *Choice {
				return &Choice{Equal: []int32{port}, Of: 1, Ratio: 2, Tier: "a", Usual: usual}
			},
			Spans: []Span{{Cause: cause.OwnQueueing, Port: 1, Pair: 0, Rank: -1, Time: lost},
				{Cause: cause.Compute, Port: -1, Pair: -1, Rank: 0, Time: 100*us - lost}},
			Ports: []Port{{Name: "h/a", Rate: rate, Own: true}, {Name: "a/b", Rate: rate / 2}}}
		return Of(e).Findings[0].Noun
	}
	for _, c := range []struct {
		lost  unit.Duration
		usual bool
		want  noun.Noun
	}{
		{6 * us, false, noun.SlowLink}, {4 * us, false, noun.ComputeBound},
		{6 * us, true, noun.ComputeBound}, {40 * us, true, noun.Oversubscription},
	} {
		if got := said(c.lost, c.usual); got != c.want {
			t.Errorf("%v of 100 us, usual %v: %s is said, want %s", c.lost, c.usual, got, c.want)
		}
	}
}

// Pauses on the way of acknowledgements that spread from a port on the queue pair's own path end there: both sides ask each other.
func TestPausesThatComeBack(t *testing.T) {
	const us = unit.Microsecond
	rate := 100 * unit.GigabitPerSec
	p := &Pair{Line: rate, Window: -1, Back: []Hop{{Port: 2}},
		Path: []Hop{{Port: 0}, {Port: 1, Span: 100 * us, Served: 12500, Mine: 12500}}}
	p.Held[cause.Window] = 90 * us
	e := &Evidence{Count: 1, Line: rate, Name: func(int32) string { return "x" }, Pairs: map[int32]*Pair{0: p},
		Spans: []Span{{Cause: cause.Window, Port: -1, Pair: 0, Rank: -1, Time: 90 * us}},
		Ports: []Port{{Name: "h/a", Rate: rate, Own: true}, {Name: "a/b", Rate: rate},
			{Name: "b/a", Rate: rate, Paused: 50 * us, Roots: []Root{{1, 50 * us}}}}}
	d, sum := Of(e), unit.Duration(0)
	for i := range d.Blames {
		sum += d.Blames[i].Time
	}
	if sum != 90*us || d.Whole != sum {
		t.Errorf("%v of %v are given to anything", sum, d.Whole)
	}
}
