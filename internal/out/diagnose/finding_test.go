package diagnose

import (
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/noun"
)

// beside is two() in which port 1 has an equal one, port 3: until 100 us the first sends own of what it can, the other
// others.
func beside(own, other float64) *Evidence {
	e := two(100*us, 10*us, 100*gbps).spent(cause.Queueing, 1, 0, 90*us).spent(cause.Serialisation, 0, 0, 10*us)
	line := func(part float64) (all []Load) {
		for k := range 10 {
			at := unit.Time(int64(k+1) * int64(10*us))
			sent := (100 * gbps).BytesIn(unit.Duration(part * float64(10*us) * float64(k+1)))
			all = append(all, Load{At: at, Sent: sent})
		}
		return all
	}
	e.Ports = append(e.Ports, Port{Name: "rail2/host3", Rate: 100 * gbps, Load: line(other)})
	e.Ports[1].Load = line(own)
	e.Choice = func(port int32) *Choice {
		if port != 1 {
			return nil
		}
		return &Choice{Equal: []int32{1, 3}, Via: "rail1", Among: "rail1 rail2", Over: 2, All: 2, Of: 2, Idle: []string{"rail2"}}
	}
	return e
}

// What a port carries beyond the mean of its equals is an uneven choice, as far as another had room; what is even is not.
// Without the test for room a full equal port would take the blame of a shared one.
func TestAnUnevenChoice(t *testing.T) {
	for _, c := range []struct {
		name       string
		own, other float64
		uneven     unit.Duration // of 90 us
	}{
		{"one has all", 1, 0, 90 * us},        // spread evenly, neither would be full
		{"two thirds", 1, 0.5, 90 * us},       // nor then
		{"one is full", 1, 0.7, 15 * us},      // both would be, nearly: what is beyond the mean, 0.15 of the bytes
		{"both have as much", 1, 1, 0},        // evenly used links have none
		{"nearly as much", 1, 0.8, 0},         // what chance leaves
		{"the other has more", 0.5, 1, 0},     // this one is not the crowded one
		{"nothing is known of it", 0, 0.1, 0}, // no traced frame came by
	} {
		d := Of(beside(c.own, c.other))
		want(t, d, UnevenChoice, "rail1/host3", c.uneven)
		want(t, d, SharedPort, "rail1/host3", 90*us-c.uneven)
		if got := d.Findings[0].Noun; (got == noun.ECMPCollision) != (c.uneven > 40*us) {
			t.Errorf("%s: %s first", c.name, got)
		}
	}
	slow := beside(1, 0.25)
	slow.Ports[3].Rate = 25 * gbps // it has no room: three quarters of the bytes are beyond the mean, and none could go
	want(t, Of(slow), UnevenChoice, "rail1/host3", 0)
}

// The same load is called after how the port was chosen, and after a link that is down.
func TestNounsOfUnevenChoices(t *testing.T) {
	for _, c := range []struct {
		set  func(x *Choice)
		noun noun.Noun
		by   string
	}{
		{func(x *Choice) {}, noun.ECMPCollision, "the hash"},
		{func(x *Choice) { x.By = Written }, noun.ECMPCollision, "a written path"},
		{func(x *Choice) { x.All = 1 }, noun.ECMPCollision, "few queue pairs"},
		{func(x *Choice) { x.By = ByPacket }, noun.UnevenSpraying, "the choice for each packet"},
		{func(x *Choice) { x.Alike = [2]string{"leaf", "spine"} }, noun.Polarisation, "one hash seed in tiers leaf and spine"},
		{func(x *Choice) { x.Cut = []int32{3} }, noun.LinkDown, "link down"},
	} {
		e := beside(1, 0)
		choice := e.Choice
		e.Choice = func(port int32) *Choice {
			x := choice(port)
			if x != nil {
				c.set(x)
			}
			return x
		}
		f := &Of(e).Findings[0]
		if f.Noun != c.noun || f.By != c.by {
			t.Errorf("%s by %q, want %s by %q", f.Noun, f.By, c.noun, c.by)
		}
	}
}

// A port that was paused itself is not the root of what was lost there, also where it carries the victim; in a circle
// of pauses nobody looks for ever.
func TestAPausedPortIsNotTheRoot(t *testing.T) {
	paused := func(held unit.Duration) *Evidence {
		e := two(100*us-held, 10*us, 100*gbps)
		e.Pairs[0].Path[1].Held = held
		e.Ports[1].Roots = []Root{{Port: 3, Time: held}}
		e.Ports = append(e.Ports, Port{Name: "rail2/host9", Rate: 100 * gbps, Last: true, Fill: []Share{{1, 7}, {2, 9}}})
		e.Name = func(pair int32) string { return []string{"flow", "noise", "more"}[pair] }
		return e.spent(cause.Pause, 1, 0, 40*us).spent(cause.Queueing, 1, 0, 20*us)
	}
	d := Of(paused(30 * us))
	b := want(t, d, SharedPort, "rail2/host9", 60*us)
	if f := d.Findings[0]; b.Crossed || f.Noun != noun.HOLVictim || f.N != 2 || f.Place.Name != "rail2/host9" {
		t.Errorf("%+v", f)
	}
	d = Of(paused(5 * us)) // a twentieth of its time: half of what was lost there
	want(t, d, SharedPort, "rail2/host9", 30*us)
	want(t, d, SharedPort, "rail1/host3", 30*us)
	e := paused(30 * us)
	e.Ports[3].Roots, e.Ports[3].Paused, e.Ports[3].Active = []Root{{Port: 1, Time: us}}, 50*us, 100*us
	var sum unit.Duration
	for _, b := range Of(e).Blames {
		sum += b.Time
	}
	if off := 60*us - sum; off < 0 || off > unit.Nanosecond {
		t.Errorf("blames sum to %v", sum)
	}
}

// Where nobody else's bytes went, nobody else is to blame.
func TestNoSharedPortWithoutACulprit(t *testing.T) {
	for c, kind := range map[cause.Cause]Kind{cause.RateLimit: Controller, cause.Pause: Pauses, cause.Window: Window} {
		e := two(100*us, 50*us, 100*gbps)
		e.Ports[1].Fill, e.Pairs[0].Window = []Share{{0, 100}}, us
		e.Pairs[0].Path[1].Frames, e.Pairs[0].Path[1].Own = 1, 100*us
		d := Of(e.spent(c, 1, 0, 40*us))
		if b := d.Find(SharedPort, ""); b != nil || d.Blames[0].Kind != kind {
			t.Errorf("%s: %+v, want %s", c, d.Blames, kind)
		}
	}
	e := two(100*us, 50*us, 100*gbps).spent(cause.Queueing, 1, 0, 40*us)
	e.Ports[1].Fill = nil
	e.Crossing = func(int32) []Share { return []Share{{0, 1}, {1, 3}} } // of short queues
	if b := want(t, Of(e), SharedPort, "rail1/host3", 40*us); b.Culprits[0].Name != "noise" {
		t.Errorf("%+v", b)
	}
}

// A circle is one finding with all its ports, whatever was felt there.
func TestACircleIsOneFinding(t *testing.T) {
	e := two(100*us, 10*us, 100*gbps).spent(cause.Pause, 1, 0, 30*us).spent(cause.Queueing, 2, 0, 20*us)
	e.Circle, e.Ports[1].Circle, e.Ports[2].Circle = []int32{1, 2}, 2, 2
	d := Of(e)
	f := &d.Findings[0]
	if len(d.Blames) != 1 || f.Noun != noun.PFCDeadlock || f.Time != 50*us || len(f.Place.Ports) != 2 {
		t.Errorf("%+v of %+v", f, d.Blames)
	}
}

// What waited for a timer is told apart from what was sent again.
func TestATimerIsToldApart(t *testing.T) {
	e := two(0, 0, 100*gbps).spent(cause.Retransmission, -1, 0, 40*us)
	e.Timeout = 30 * us
	p := e.Pairs[0]
	p.Path[1].Lost, p.Timer, p.Held[cause.Retransmission] = []Lost{{LossyLink, 1}}, 30*us, 40*us
	f := &Of(e).Findings[0]
	if waited, _ := f.Fact("waited for the timer"); f.Noun != noun.LossyLink || f.Time != 40*us || waited != (30*us).Seconds() {
		t.Errorf("%+v", f)
	}
}

// Launches do not push an incident of a fifth to the second place; a choice of the job goes before them, too.
func TestAnIncidentIsSaidBeforeOverheads(t *testing.T) {
	e := two(100*us, 10*us, 100*gbps).spent(cause.Queueing, 1, 0, 20*us)
	e.Spans = append(e.Spans, Span{Cause: cause.Compute, Port: -1, Pair: -1, Rank: -1, Launch: true, Time: 75 * us},
		Span{Cause: cause.NVLink, Port: -1, Pair: -1, Rank: -1, Time: 5 * us})
	d := Of(e)
	if d.Findings[0].Noun.Class() != noun.Contention || d.Main().Kind != SharedPort {
		t.Errorf("first: %+v", d.Findings[0])
	}
	d.Add(noun.Finding{Noun: noun.Bubble, Time: 15 * us}, noun.Finding{Noun: noun.UnevenStages, Time: 30 * us})
	if d.Findings[0].Noun != noun.UnevenStages || d.Findings[1].Noun == noun.Bubble || d.Main().Kind != SharedPort {
		t.Errorf("%+v", d.Findings)
	}
	work := &Diagnosis{Whole: 100 * us, Blames: []Blame{{Kind: Compute, Time: 100 * us}}}
	work.nameAll()
	if work.Add(noun.Finding{Noun: noun.Bubble, Time: 9 * us}); work.Findings[0].Noun != noun.ComputeBound {
		t.Errorf("a bubble of less than a tenth is said first: %+v", work.Findings)
	}
	if d.Add(noun.Finding{Noun: noun.Bubble}); len(d.Findings) != 5 {
		t.Errorf("%d findings, want none that takes no time", len(d.Findings))
	}
}

// Messages of one rank behind each other at its NIC are transmission at the link's rate; those of another rank share the NIC.
func TestOnesOwnMessagesAtTheNIC(t *testing.T) {
	for _, same := range []bool{true, false} {
		e := two(0, 0, 100*gbps).spent(cause.Queueing, 0, 0, 40*us)
		e.Ports[0].Own, e.Ports[0].Fill = true, []Share{{0, 100}, {1, 300}}
		e.SameRank = func(a, b int32) bool { return same }
		own, others := 40*us, unit.Duration(0)
		if !same {
			own, others = others, own
		}
		d := Of(e)
		want(t, d, LinkSpeed, "", own)
		want(t, d, SharedPort, "host1/rail1", others)
	}
}

// A rank that stands still as it launches a collective is a straggler; launching is not.
func TestARankThatStandsStill(t *testing.T) {
	e := &Evidence{RankCompute: []unit.Duration{10 * us, 10 * us}}
	e.Spans = []Span{{Cause: cause.Compute, Port: -1, Pair: -1, Rank: 1, Stood: true, Time: 80 * us},
		{Cause: cause.Compute, Port: -1, Pair: -1, Rank: -1, Launch: true, Time: 20 * us}}
	d := Of(e)
	want(t, d, Launch, "", 20*us)
	if b := want(t, d, SlowRank, "", 80*us); b.Rank == nil || *b.Rank != 1 || d.Findings[0].Noun != noun.Straggler {
		t.Errorf("%+v, %+v", b, d.Findings[0])
	}
}

// A fault with a tenth of the time is said before work that outweighs it by far; contention of the job's own is not.
func TestAFaultComesBeforeTheWork(t *testing.T) {
	e := two(0, 0, 100*gbps).spent(cause.Serialisation, 0, 0, 88*us).spent(cause.Retransmission, -1, 0, 12*us)
	e.Pairs[0].Path[1].Lost = []Lost{{LossyLink, 1}}
	if f := Of(e).Findings[0]; f.Noun != noun.LossyLink {
		t.Errorf("first: %s", f.Noun)
	}
	e = two(0, 0, 100*gbps).spent(cause.Serialisation, 0, 0, 88*us).spent(cause.Queueing, 1, 0, 12*us)
	if f := Of(e).Findings[0]; f.Noun != noun.LinkBound {
		t.Errorf("first: %s", f.Noun)
	}
	delete(e.Pairs, 1) // what waits there is not the job's
	if f := Of(e).Findings[0]; f.Noun == noun.LinkBound {
		t.Errorf("first: %s", f.Noun)
	}
}

// A port that marks nothing, unlike its like, is a wrong threshold where its queue makes PFC pause what does not cross it; those that
// do cross it meet each other there whatever it marks.
func TestAPortThatMarksNothing(t *testing.T) {
	e := two(100*us, 10*us, 100*gbps).spent(cause.Queueing, 1, 0, 90*us)
	e.Ports[1].Odd = []string{OddNoECN}
	if f := Of(e).Findings[0]; f.Noun == noun.WrongThreshold {
		t.Errorf("of what crosses it: %+v", f)
	}
	e = two(100*us, 10*us, 100*gbps).spent(cause.Pause, 1, 0, 90*us)
	e.Ports[1].Odd, e.Pairs[0].Path = []string{OddNoECN}, e.Pairs[0].Path[:1]
	if f := Of(e).Findings[0]; f.Noun != noun.WrongThreshold || f.By != OddNoECN || f.Place.Name != "rail1/host3" {
		t.Errorf("%+v", f)
	}
}

// What others' bytes take at a port without a loss, too, is contention: 4 MB beside 4 MB at one link take each 320 us more. The rest of
// what repeats took is the loss's.
func TestALossIsNotContention(t *testing.T) {
	for _, c := range []struct{ waited, others, lossy unit.Duration }{
		{0, 320 * us, 680 * us},
		{320 * us, 0, 1000 * us}, // it is there as queueing already
		{100 * us, 220 * us, 780 * us},
	} {
		e := two(0, 0, 100*gbps).spent(cause.Retransmission, -1, 0, 1000*us).spent(cause.Queueing, 1, 0, c.waited)
		e.Delivered = func(int32) int64 { return 4_000_000 }
		p := e.Pairs[0]
		p.Held = cause.Split{cause.Retransmission: 1000 * us, cause.Queueing: c.waited}
		p.Path[1].Served, p.Path[1].Mine, p.Path[1].Lost = 9_000_000, 5_000_000, []Lost{{LossyLink, 3}}
		d := Of(e)
		want(t, d, LossyLink, "rail1/host3", c.lossy)
		if c.others+c.waited > 0 {
			want(t, d, SharedPort, "rail1/host3", c.others+c.waited)
		}
		e.Delivered = nil
		want(t, Of(e), LossyLink, "rail1/host3", 1000*us)
	}
}

// What a message waits for behind an earlier one of its queue pair is lost to what held that up.
func TestBehindAnEarlierMessage(t *testing.T) {
	e := two(0, 0, 100*gbps).spent(cause.OwnQueueing, -1, 0, 100*us)
	p := e.Pairs[0]
	p.Held = cause.Split{cause.Serialisation: 20 * us, cause.Retransmission: 60 * us}
	p.Held[cause.Pause], p.Path[0].Pause, p.Path[0].Root = 20*us, 7*us, 1
	p.Path[1].Lost = []Lost{{LossyLink, 1}}
	d := Of(e)
	want(t, d, LossyLink, "rail1/host3", 60*us)
	want(t, d, LinkSpeed, "", 20*us)
	want(t, d, SharedPort, "rail1/host3", 20*us)
	for i := range d.Blames {
		if f := d.Blames[i].Felt; len(f) != 1 || f[0].Cause != cause.OwnQueueing.String() {
			t.Errorf("felt as %v", f)
		}
	}
}

// What one setting of a switch does at several of its ports is one finding, of the switch; another switch's is another's.
func TestASwitchIsSetOtherwise(t *testing.T) {
	all := []Finding{}
	for _, at := range []string{"leaf2/host5", "leaf2/spine1", "leaf3/spine1"} {
		all = append(all, Finding{Finding: noun.Finding{Noun: noun.WrongThreshold, By: OddXOFF, Time: 10 * us,
			Place: noun.Place{Kind: noun.Port, Name: at}}, Blames: []int{len(all)}})
	}
	got := joined(&Diagnosis{Whole: 100 * us}, all)
	want := noun.Place{Kind: noun.Switch, Name: "leaf2", Ports: []string{"leaf2/host5", "leaf2/spine1"}}
	if len(got) != 2 || !got[0].Place.Is(&want) || got[0].Time != 20*us || got[1].Place.Name != "leaf3/spine1" {
		t.Errorf("%+v", got)
	}
}

// An abort is named after where its queue pair lost most, and what that is; as often as it comes back it is one thing.
func TestAnAbortHasAReason(t *testing.T) {
	at := func(p Port) *Port { p.Name = "leaf2/host5"; return &p }
	for _, c := range []struct {
		kind   Kind
		frames int64
		port   *Port
		want   string
	}{
		{FullBuffer, 7, at(Port{Odd: []string{OddXOFF, OddClass}}), "lost 7 of its frames: wrong threshold (xOFF)"},
		{FullBuffer, 7, at(Port{Odd: []string{OddClass}}), "lost 7 of its frames: wrong class (DSCP to class)"},
		{FullBuffer, 7, at(Port{}), "lost 7 of its frames: small buffer"},
		{LossyLink, 1, at(Port{Cut: us}), "lost 1 of its frames: link down"},
		{LossyLink, 1, at(Port{Odd: []string{OddMTU}}), "lost 1 of its frames: lossy link (MTU)"},
		{NoRoute, 2000, at(Port{}), "lost 2,000 of its frames: black hole"},
	} {
		if got := NewLoss(Lost{c.kind, c.frames}, c.port).String(); got != "leaf2/host5 "+c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	cost := func(frames int64) Cost {
		return Cost{Kind: RetryExceeded, Port: "host1/leaf1", Lost: NewLoss(Lost{FullBuffer, frames}, at(Port{})),
			Felt: []Felt{{LostWork, 10 * us}}}
	}
	costs := []Cost{cost(3), cost(4)}
	d := Lifetime(100*us, costs)
	f := &d.Findings[0]
	if len(d.Findings) != 1 || f.By != "small buffer at leaf2/host5" || f.Place.Name != "leaf2/host5" ||
		d.Blames[f.Blames[0]].Lost.Frames != 7 || costs[0].Lost.Frames != 3 {
		t.Errorf("%+v", d)
	}
}

// What one switch has no route for is one finding, whatever it came by.
func TestABlackHoleIsASwitch(t *testing.T) {
	all := []Finding{}
	c := &court{e: &Evidence{}}
	for _, at := range []string{"host1/leaf1#2", "host2/leaf1", "leaf1/spine1"} {
		all = append(all, Finding{Finding: noun.Finding{Noun: noun.BlackHole, Time: 10 * us,
			Place: c.place(&Blame{Kind: NoRoute, Port: at})}, Blames: []int{len(all)}})
	}
	got := joined(&Diagnosis{Whole: 100 * us}, all)
	want := noun.Place{Kind: noun.Switch, Name: "leaf1", Ports: []string{"host1/leaf1#2", "host2/leaf1"}}
	if len(got) != 2 || !got[0].Place.Is(&want) || got[0].Time != 20*us || got[1].Place.Name != "spine1" {
		t.Errorf("%+v", got)
	}
}

// Messages of the job that are not on its critical path are its own: what they do at a port is not others' traffic, nor another job's.
func TestWhatIsNotOnThePathIsNotForeign(t *testing.T) {
	for _, foreign := range []bool{false, true} {
		e := two(0, 0, 100*gbps).spent(cause.Queueing, 1, 0, 12*us).spent(cause.Serialisation, 0, 0, 88*us)
		delete(e.Pairs, 1)
		e.Foreign = func(pair int32) bool { return foreign && pair == 1 }
		if f := Of(e).Findings[0]; (f.Noun != noun.LinkBound) != foreign {
			t.Errorf("foreign %v: first %s", foreign, f.Noun)
		}
	}
}
