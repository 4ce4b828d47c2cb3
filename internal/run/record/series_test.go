package record

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/net/topo"
)

// A series that names no interval ends with what it would have, had that interval been named. The oracle is the series itself,
// which then joins nothing. What this notices: two cells that are joined wrongly, a row that says nothing new, one that is lost.
func TestJoinedIntervalsAreLongOnes(t *testing.T) {
	r := training(t)
	rapid.Check(t, func(rt *rapid.T) {
		looks := rapid.SliceOfN(rapid.Custom(drawLook), 1, 40).Draw(rt, "looks")
		most := 2 * rapid.IntRange(1, 5).Draw(rt, "half of the intervals that are kept")
		seriesOf := func(every unit.Duration, most int) *series {
			net := newTold()
			s := &series{plan: r.plan, network: net, auto: true, every: every, most: most,
				links: make([]linkState, len(r.plan.Graph.Ports)), flows: make([]flowState, len(r.plan.Pairs)),
				queues: make([]int64, len(r.plan.Graph.Ports)*r.plan.Switches.Classes()), cnps: make([]int64, len(r.plan.Pairs))}
			at := unit.Time(0)
			for i := range looks {
				looks[i].tell(net, s)
				if at = at.Add(unit.Microsecond); s.ended.Add(s.every) == at {
					s.look(at)
				}
			}
			if at > s.ended { // as when the run ends
				s.look(at)
			}
			return s
		}
		got := seriesOf(unit.Microsecond, most)
		want := seriesOf(got.every, 1000)
		if len(got.kept) != len(want.kept) {
			rt.Fatalf("%d intervals, %d of %v", len(got.kept), len(want.kept), got.every)
		}
		for i := range got.kept {
			g, w := &got.kept[i], &want.kept[i]
			if !same(g.links, w.links) || !same(g.queues, w.queues) || !same(g.flows, w.flows) {
				rt.Fatalf("interval %d of %v is %+v, want %+v", i, got.every, *g, *w)
			}
		}
	})
}

func same[C any](a, b []C) bool { return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b) }

// drawn is what happens to a port and a queue pair in a microsecond.
type drawn struct {
	port, pair              int
	busy, marks, cnps, sent int64
	waiting, rate           int64
}

func drawLook(t *rapid.T) drawn {
	small := rapid.Int64Range(0, 2)
	return drawn{rapid.IntRange(0, 3).Draw(t, "port"), rapid.IntRange(0, 1).Draw(t, "queue pair"), small.Draw(t, "busy"),
		small.Draw(t, "marks"), small.Draw(t, "CNPs"), small.Draw(t, "sent"), small.Draw(t, "waiting"), small.Draw(t, "rate")}
}

func (d drawn) tell(n *told, s *series) {
	p, q := n.port(topo.PortID(d.port)), n.pair(int32(d.pair))
	p.Busy += unit.Duration(d.busy) * 100 * unit.Nanosecond
	p.Marks, p.waiting = p.Marks+d.marks, unit.Bytes(d.waiting)
	q.Delivered, q.Rate = q.Delivered+d.sent, unit.Bitrate(d.rate)
	s.cnps[d.pair] += d.cnps
}
