package diagnose

import (
	"fmt"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// Port 0 and rank 0 are a port and a rank.
func TestTheFirstPortAndRankAreSome(t *testing.T) {
	e := two(0, 0, 100*gbps).spent(cause.Queueing, 0, 0, 40*us)
	e.Ports[0].Fill = []Share{{0, 100}, {1, 300}}
	if b := want(t, Of(e), SharedPort, "host1/rail1", 40*us); !b.Crossed || len(b.Culprits) != 1 {
		t.Errorf("%+v", b)
	}
	e = &Evidence{RankCompute: []unit.Duration{50 * us, 10 * us, 10 * us}}
	e.Spans = []Span{{Cause: cause.Compute, Port: -1, Pair: -1, Rank: 0, Time: 50 * us}}
	if b := want(t, Of(e), SlowRank, "", 40*us); b.Rank == nil || *b.Rank != 0 {
		t.Errorf("%+v", b)
	}
}

// A rank is slow from more than two percent over the median on; the median is of work done, too.
func TestHowSlowASlowRankIs(t *testing.T) {
	for _, c := range []struct{ own, slow unit.Duration }{{102 * us, 0}, {103 * us, 3 * us}} {
		e := &Evidence{RankCompute: []unit.Duration{100 * us, c.own, 100 * us}}
		e.Spans = []Span{{Cause: cause.Compute, Port: -1, Pair: -1, Rank: 1, Time: c.own}}
		want(t, Of(e), SlowRank, "", c.slow)
		want(t, Of(e), Compute, "", c.own-c.slow)
	}
	e := &Evidence{RankCompute: []unit.Duration{10 * us, 20 * us, 30 * us, 60 * us, 50 * us},
		RankWork: []unit.Duration{10 * us, 10 * us, 10 * us, 10 * us, 10 * us}}
	e.Spans = []Span{{Cause: cause.Compute, Port: -1, Pair: -1, Rank: 3, Time: 60 * us}}
	want(t, Of(e), SlowRank, "", 30*us)
}

// Without marks a rate limit is the busiest port's; of two alike it is the one where packets waited
// longer, of those the first; without a busy port it is the controller's.
func TestARateLimitWithoutMarks(t *testing.T) {
	e := two(100*us, 10*us, 100*gbps).spent(cause.RateLimit, -1, 0, 90*us)
	p := e.Pairs[0]
	p.Path[1].Marked = 0
	p.Path = append(p.Path, p.Path[1])
	p.Path[2].Port = 3
	e.Ports = append(e.Ports, e.Ports[1])
	e.Ports[3].Name = "rail2/host4"
	want(t, Of(e), SharedPort, "rail1/host3", 90*us)
	p.Path[1].Served *= 2 // busier than busy, as frames end after the message: no more than busy
	p.Path[2].Others = us
	want(t, Of(e), SharedPort, "rail2/host4", 90*us)
	p.Path[1].Span, p.Path[2].Span = 0, 0
	want(t, Of(e), Controller, "", 90*us)
	want(t, Of(e), SharedPort, "", 0)
}

// Bits on a wire are the speed of the sender's link; what a slower link further on takes beyond that
// is the slower link's, and so is what waits there behind its own packets.
func TestBitsOnSlowerLinks(t *testing.T) {
	d := Of(two(0, 0, 25*gbps).spent(cause.Serialisation, 1, 0, 40*us))
	want(t, d, SlowPort, "rail1/host3", 30*us)
	want(t, d, LinkSpeed, "host1/rail1", 10*us)
	want(t, Of(two(0, 0, 100*gbps).spent(cause.Serialisation, 1, 0, 40*us)), LinkSpeed, "host1/rail1", 40*us)
	want(t, Of(two(0, 0, 100*gbps).spent(cause.OwnQueueing, -1, 0, 40*us)), LinkSpeed, "host1/rail1", 40*us)
	want(t, Of(two(0, 0, 25*gbps).spent(cause.OwnQueueing, 1, 0, 40*us)), SlowPort, "rail1/host3", 40*us)
	want(t, Of(two(0, 0, 100*gbps).spent(cause.OwnQueueing, 1, 0, 40*us)), SharedPort, "rail1/host3", 40*us)
}

// At a slow port that others share, own bytes count as far as they took longer than on the own link:
// 50 us of others, and of 50 us of its own 37.5.
func TestASlowPortThatIsShared(t *testing.T) {
	d := Of(two(100*us, 50*us, 25*gbps).spent(cause.RateLimit, -1, 0, 87500*unit.Nanosecond))
	want(t, d, SlowPort, "rail1/host3", 37500*unit.Nanosecond)
	want(t, d, SharedPort, "rail1/host3", 50*us)
}

// What a blame was felt as has the largest first; what its finding has goes with it.
func TestWhatGoesWithABlame(t *testing.T) {
	e := two(0, 0, 100*gbps).spent(cause.Queueing, 1, 0, 10*us).spent(cause.Pause, 1, 0, 20*us)
	e.Pairs[0].Path[1].Lost, e.Ports[0].Fill = []Lost{{LossyLink, 1}}, []Share{{1, 1}}
	d := Of(e.spent(cause.Retransmission, -1, 0, 5*us).spent(cause.Queueing, 0, 0, us).
		spent(cause.Serialisation, 0, 0, 100*us))
	b := want(t, d, SharedPort, "rail1/host3", 30*us)
	if len(b.Felt) != 2 || b.Felt[0] != (Felt{cause.Pause.String(), 20 * us}) {
		t.Errorf("felt %+v", b.Felt)
	}
	if got := d.Attributed(b); got != 30*us { // losses there are another finding
		t.Errorf("at %s %v were lost, want 30 us", b.Port, got)
	}
	if b := d.Find(LinkSpeed, ""); d.Attributed(b) != 100*us {
		t.Errorf("the link's speed took %v, want 100 us", d.Attributed(b))
	}
}

// Of nothing a blame has no share.
func TestShares(t *testing.T) {
	b := &Blame{Time: 1}
	for whole, share := range []float64{0, 1, 0.5} {
		if got := (&Diagnosis{Whole: unit.Duration(whole)}).Share(b); got != share {
			t.Errorf("1 of %d: %v, want %v", whole, got, share)
		}
	}
}

// Sixteen culprits are named, those alike in the order of their numbers, and the others counted.
func TestManyCulprits(t *testing.T) {
	e := two(0, 0, 100*gbps).spent(cause.Queueing, 1, 0, 40*us)
	e.Name = func(pair int32) string { return fmt.Sprint("flow ", pair) }
	e.Ports[1].Fill = nil
	for i := range int32(20) {
		e.Ports[1].Fill = append(e.Ports[1].Fill, Share{1 + i, 100})
	}
	b := Of(e).Find(SharedPort, "rail1/host3")
	if len(b.Culprits) != 16 || b.Others != 4 {
		t.Fatalf("%d culprits, %d others", len(b.Culprits), b.Others)
	}
	for i, c := range b.Culprits {
		if c.Name != fmt.Sprint("flow ", 1+i) {
			t.Errorf("culprit %d is %s", i, c.Name)
		}
	}
}

// A queue pair none of whose frames was paused where it was traced waited for the ports whose queues spread to its own: in
// proportion to how long each did.
func TestPausesOfTheMean(t *testing.T) {
	e := two(0, 0, 100*gbps).spent(cause.Pause, -1, 0, 40*us)
	e.Ports = append(e.Ports, Port{Name: "rail1/host4", Rate: 100 * gbps}, Port{Name: "rail1/host5", Rate: 100 * gbps})
	e.Ports[0].Roots = []Root{{Port: 3, Time: 30 * us}, {Port: -1, Time: 500 * us}}
	e.Ports[1].Roots = []Root{{Port: 4, Time: 10 * us}}
	d := Of(e)
	felt := map[string]unit.Duration{}
	for _, b := range d.Blames {
		felt[b.Port] += b.Time
	}
	if felt["rail1/host4"] != 30*us || felt["rail1/host5"] != 10*us {
		t.Errorf("%v of %+v", felt, d.Blames)
	}
}
