package record

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/job/exec"
	"railyard/internal/net/topo"
)

// Whatever a message met, what is known of it sums to its split, cause by cause: what ports and links inside hosts
// did is at them, the rest at no place.
//
// It fails if a port's time is another cause's, or counts in two places, or if PCIe at one host is said of the
// other.
func TestWhatIsKnownOfAMessageSumsToItsSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		took := func(what string) unit.Duration { return unit.Duration(rapid.Int64Range(0, 9).Draw(t, what)) }
		place := func(what string) int32 { return rapid.Int32Range(-1, 3).Draw(t, what) }
		f, want := &nic.Flow{QP: 5}, map[spanKey]unit.Duration{}
		add := func(why cause.Cause, port int32, d unit.Duration) {
			if f.Split[why] += d; d > 0 {
				want[spanKey{why: why, port: port, pair: 5, rank: -1}] += d
			}
		}
		for range rapid.IntRange(0, 4).Draw(t, "hops") {
			port := max(0, place("port"))
			h := nic.HopWait{Port: topo.PortID(port), Own: took("own"), Queueing: took("queueing"), Pause: took("pause"),
				Wire: took("wire"), Cable: took("cable"), Root: topo.PortID(place("root"))}
			f.Hops = append(f.Hops, h)
			add(cause.OwnQueueing, port, h.Own)
			add(cause.Queueing, port, h.Queueing)
			add(cause.Pause, int32(h.Root), h.Pause)
			add(cause.Serialisation, port, h.Wire)
			add(cause.Propagation, port, h.Cable)
		}
		for _, c := range cause.All() {
			if c != cause.PCIe {
				add(c, -1, took("at no place: "+c.String()))
			}
		}
		f.Inside = nic.Inside{From: place("from"), To: place("to"), Crossing: took("crossing")}
		add(cause.PCIe, f.Inside.To, f.Inside.Crossing)
		add(cause.PCIe, f.Inside.From, took("leaving"))
		e := &evidence{spans: map[spanKey]unit.Duration{}}
		if e.message(f); e.count != 1 || !maps.Equal(e.spans, want) {
			t.Fatalf("of %+v: %d messages, %v\nwant %v", f, e.count, e.spans, want)
		}
	})
}

// The longest stretch of a start phase's path is kept with the ranks at its ends, of two as long the first.
func TestTheLongestStretchIsKept(t *testing.T) {
	part := func(rank, src, dst int32, from, until unit.Time) exec.PathPart {
		return exec.PathPart{Rank: rank, Src: src, Dst: dst, From: from, Until: until}
	}
	var p startPhase
	p.keeps([]exec.PathPart{part(0, -1, -1, 0, 4), part(3, 1, 2, 4, 9), part(4, 2, 1, 9, 14), part(5, 5, 6, 14, 18)})
	if p.stood.time != 5 || len(p.stood.ranks) != 3 || [3]int32(p.stood.ranks) != [3]int32{3, 1, 2} {
		t.Errorf("%+v, want ranks 3, 1, 2 for 5", p.stood)
	}
}

// A hop's pauses are blamed on the root of most of them, of two alike the first; none: on nothing.
func TestTheRootOfMostPauses(t *testing.T) {
	r, n := training(t), newTold()
	r.network, n.plan = n, r.plan
	way := r.plan.Pairs[0].Path
	for i, roots := range [][]fabric.RootTime{{{Root: 3, Time: 5}, {Root: 7, Time: 9}, {Root: 2, Time: 9}, {Root: 1, Time: 4}}, nil} {
		e := nic.PortEvidence{Port: way[i], HopEvidence: nic.HopEvidence{Frames: 1}}
		e.Roots = roots
		n.pair(0).saw = append(n.pair(0).saw, e)
	}
	if got := r.pairEvidence(0).Path; len(got) != len(way) || got[0].Root != 7 || got[1].Root != -1 {
		t.Errorf("%+v, want roots 7 and none", got)
	}
}
