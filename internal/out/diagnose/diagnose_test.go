package diagnose

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

const (
	us   = unit.Microsecond
	gbps = unit.GigabitPerSec
)

// two is a flow from a NIC (port 0) over a switch's port (1) that another flow, from port 2,
// shares. While the flow's message was under way for 100 us, port 1 sent for busy of them, of which
// mine were its own.
func two(busy, mine unit.Duration, rate unit.Bitrate) *Evidence {
	bytes := func(d unit.Duration) unit.Bytes { return rate.BytesIn(d) }
	return &Evidence{Subject: "a message", Count: 1,
		Ports: []Port{{Name: "host1/rail1", Rate: 100 * gbps}, {Name: "rail1/host3", Rate: rate,
			Fill: []Share{{0, 100}, {1, 300}}}, {Name: "host2/rail1", Rate: 100 * gbps}},
		Name: func(pair int32) string { return []string{"flow", "noise"}[pair] },
		Pairs: map[int32]*Pair{
			0: {Line: 100 * gbps, RoundTrip: 10 * us, Held: cause.Split{cause.RateLimit: 90 * us},
				Path: []Hop{{Port: 0, Root: -1},
					{Port: 1, Root: -1, Marked: 5, Span: 100 * us, Served: bytes(busy), Mine: bytes(mine)}},
				Back: []Hop{{Port: 2, Root: -1}}},
			1: {Line: 100 * gbps, Path: []Hop{{Port: 2, Root: -1}, {Port: 1, Root: -1}}}}}
}

func (e *Evidence) spent(c cause.Cause, port, pair int32, t unit.Duration) *Evidence {
	e.Spans = append(e.Spans, Span{Cause: c, Port: port, Pair: pair, Rank: -1, Time: t})
	return e
}

// want checks the time of a blame to a nanosecond, 0: there is none.
func want(t *testing.T, d *Diagnosis, k Kind, port string, time unit.Duration) *Blame {
	t.Helper()
	var got unit.Duration
	b := d.Find(k, port)
	if b != nil {
		got = b.Time
	}
	if off := got - time; off > unit.Nanosecond || off < -unit.Nanosecond {
		t.Errorf("%s %s: %v, want %v", k, port, got.Human(), time.Human())
	}
	return b
}

// A rate limit goes to the port that marked, as far as that port was busy with the bytes of others.
func TestARateLimitIsThePortsThatMarked(t *testing.T) {
	d := Of(two(100*us, 10*us, 100*gbps).spent(cause.RateLimit, -1, 0, 90*us).spent(cause.Serialisation, 0, 0, 10*us))
	b := want(t, d, SharedPort, "rail1/host3", 90*us)
	want(t, d, Controller, "", 0)
	want(t, d, LinkSpeed, "host1/rail1", 10*us)
	if d.Main() != b || len(b.Culprits) != 1 || b.Culprits[0] != (Culprit{"noise", 1}) ||
		!b.Crossed || d.Whole != 100*us {
		t.Errorf("%+v of %+v", b, d)
	}
}

// As far as the port stood idle, the controller held the sender back for nothing.
func TestAnIdlePortIsTheControllers(t *testing.T) {
	d := Of(two(55*us, 10*us, 100*gbps).spent(cause.RateLimit, -1, 0, 90*us))
	want(t, d, Controller, "rail1/host3", 45*us)
	want(t, d, SharedPort, "rail1/host3", 45*us)
}

// Own bytes at a port that is slower than the sender's link are the port's rate.
func TestASlowPort(t *testing.T) {
	d := Of(two(100*us, 100*us, 25*gbps).spent(cause.RateLimit, -1, 0, 75*us))
	want(t, d, SlowPort, "rail1/host3", 75*us)
	want(t, d, SharedPort, "", 0)
}

// A pause from a port that is not on the path leaves its victim there, uncrossed; a storm is the
// host's.
func TestAPauseGoesToItsRoot(t *testing.T) {
	e := two(0, 0, 100*gbps)
	e.Ports = append(e.Ports, Port{Name: "rail1/host9", Rate: 100 * gbps, Fill: []Share{{1, 7}}},
		Port{Name: "rail1/host8", Storm: true})
	d := Of(e.spent(cause.Pause, 3, 0, 40*us).spent(cause.Pause, 4, 0, 30*us))
	if b := want(t, d, SharedPort, "rail1/host9", 40*us); b.Crossed || b.Culprits[0].Name != "noise" {
		t.Errorf("%+v", b)
	}
	want(t, d, Storm, "rail1/host8", 30*us)
}

// Of a full window, what a round trip waited at a port is that port's; the way itself counts only
// as far as it is longer than the window lasts.
func TestAFullWindow(t *testing.T) {
	e := two(100*us, 10*us, 100*gbps)
	e.Pairs[0].Window = 4 * us
	e.Ports[2].Fill = []Share{{1, 300}}
	e.Pairs[0].Back[0].Frames, e.Pairs[0].Back[0].Others = 2, 36*us // 18 us each
	d := Of(e.spent(cause.Window, -1, 0, 24*us))
	want(t, d, SharedPort, "host2/rail1", 18*us)
	want(t, d, Window, "", 6*us)
	e.Pairs[0].Window = -1 // set by a controller: as a rate limit
	d = Of(e)
	want(t, d, SharedPort, "rail1/host3", 24*us)
}

// Repeats go to where packets or answers were lost.
func TestLossesGoToTheirPorts(t *testing.T) {
	e := two(0, 0, 100*gbps)
	e.Pairs[0].Path[1].Lost, e.Pairs[0].Back[0].Lost = []Lost{{FullBuffer, 3}}, []Lost{{LossyLink, 1}}
	d := Of(e.spent(cause.Retransmission, -1, 0, 40*us))
	want(t, d, FullBuffer, "rail1/host3", 30*us)
	want(t, d, LossyLink, "host2/rail1", 10*us)
	d = Of(two(0, 0, 100*gbps).spent(cause.Retransmission, -1, 0, 40*us))
	want(t, d, Timeouts, "", 40*us)
}

// What a rank computes longer than the median rank is its own.
func TestASlowRank(t *testing.T) {
	e := &Evidence{Count: 2, RankCompute: []unit.Duration{10 * us, 10 * us, 50 * us, 10 * us}}
	e.Spans = []Span{{Cause: cause.Compute, Port: -1, Pair: -1, Rank: 2, Time: 100 * us},
		{Cause: cause.Compute, Port: -1, Pair: -1, Rank: 0, Launch: true, Time: 20 * us}}
	d := Of(e)
	if b := want(t, d, SlowRank, "", 40*us); b.Rank == nil || *b.Rank != 2 || d.Main() != b {
		t.Errorf("%+v", b)
	}
	want(t, d, Compute, "", 10*us)
	want(t, d, Launch, "", 10*us)
}

// A rank that has more to do than others is not slow; one that takes longer for its work is.
func TestASlowRankAmongStages(t *testing.T) {
	e := &Evidence{Count: 1, RankCompute: []unit.Duration{50 * us, 10 * us, 40 * us},
		RankWork: []unit.Duration{50 * us, 10 * us, 10 * us}}
	e.Spans = []Span{{Cause: cause.Compute, Port: -1, Pair: -1, Rank: 0, Time: 50 * us},
		{Cause: cause.Compute, Port: -1, Pair: -1, Rank: 2, Time: 40 * us}}
	d := Of(e)
	if b := want(t, d, SlowRank, "", 30*us); b.Rank == nil || *b.Rank != 2 {
		t.Errorf("%+v", b)
	}
	want(t, d, Compute, "", 60*us)
}

// Links of one speed are one blame; the work itself is named first only where it outweighs the
// rest.
func TestTheFirstBlame(t *testing.T) {
	e := two(100*us, 10*us, 100*gbps).spent(cause.Serialisation, 0, 0, 60*us).
		spent(cause.Serialisation, 2, 1, 20*us).spent(cause.Queueing, 1, 0, 20*us)
	d := Of(e)
	want(t, d, LinkSpeed, "", 80*us)
	if b := d.Main(); b.Kind != SharedPort {
		t.Errorf("first: %+v", b)
	}
	if b := Of(e.spent(cause.Serialisation, 0, 0, 20*us)).Main(); b.Kind != LinkSpeed {
		t.Errorf("first: %+v", b)
	}
}

// Whatever the evidence, blames sum to the whole but for rounding, and nobody panics.
func TestBlamesSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
		e := two(unit.Duration(n("busy", int64(200*us))), unit.Duration(n("mine", int64(100*us))),
			unit.Bitrate(1+n("rate", int64(400*gbps))))
		p := e.Pairs[0]
		p.Window = unit.Duration(n("window", int64(20*us))) - us
		for _, way := range [][]Hop{p.Path, p.Back} {
			for i := range way {
				h := &way[i]
				h.Frames, h.Own, h.Others, h.Pause = n("frames", 3), unit.Duration(n("own", int64(us))),
					unit.Duration(n("others", int64(us))), unit.Duration(n("pause", int64(us)))
				h.Root, h.Marked = int32(n("root", 3))-1, n("marked", 3)
				h.Lost = []Lost{{FullBuffer, n("lost", 2)}, {Watchdog, n("dropped", 2)}}
			}
		}
		e.Count = 1
		for range n("spans", 20) {
			e.Spans = append(e.Spans, Span{Cause: cause.Cause(n("cause", int64(cause.Count)-1)), Rank: -1,
				Port: int32(n("port", 3)) - 1, Pair: int32(n("pair", 2)) - 1,
				Time: unit.Duration(n("time", int64(100*us)))})
		}
		d := Of(e)
		var sum unit.Duration
		for i := range d.Blames {
			if sum += d.Blames[i].Time; d.Blames[i].Time < 0 || d.Blames[i].Rank != nil { // no span has a rank
				t.Fatalf("%+v", d.Blames[i])
			}
		}
		if off := d.Whole - sum; off < 0 || off > unit.Duration(10*len(e.Spans)) {
			t.Fatalf("blames sum to %v of %v", sum, d.Whole)
		}
	})
}
