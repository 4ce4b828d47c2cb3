package fabric

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
)

// TestBelowIsWhatTheLongWaySays: the short way of charging a frame says yes where the long one takes no
// headroom and leaves the account below xOFF, and charges the same; and nowhere else.
func TestBelowIsWhatTheLongWaySays(t *testing.T) {
	yes, no := 0, 0
	seldom := rapid.SampledFrom([]bool{false, false, false, true})
	rapid.Check(t, func(t *rapid.T) {
		n := buffer{size: rapid.Int64Range(40, 400).Draw(t, "size"), reserve: rapid.Int64Range(0, 20).Draw(t, "reserve")}
		n.spare = rapid.Int64Range(0, 30).Draw(t, "spare")
		if n.crossing = n.size + n.spare; seldom.Draw(t, "crossing in headroom") {
			n.crossing = -1
		}
		var xoffs []*threshold
		for range rapid.IntRange(1, 2).Draw(t, "thresholds") {
			x := qos.XOFF{Fixed: rapid.Int64Range(0, 100).Draw(t, "fixed"),
				Alpha: unit.Ratio{Num: rapid.Int64Range(1, 9).Draw(t, "num"), Den: rapid.Int64Range(1, 9).Draw(t, "den")}}
			k := newThreshold(x)
			xoffs = append(xoffs, &k)
		}
		if n.far = n.farBelow(xoffs); rapid.Bool().Draw(t, "with faults") {
			n.far = 0
		}
		a := account{used: rapid.Int64Range(0, 60).Draw(t, "used"), sentOff: seldom.Draw(t, "held")}
		a.headroom = rapid.SampledFrom([]int64{0, 0, 0, 9}).Draw(t, "headroom")
		n.shared = max(0, a.used-n.reserve) + rapid.Int64Range(0, 60).Draw(t, "others")
		size := rapid.Int64Range(1, 30).Draw(t, "bytes")

		a.buf = &n
		shared, ok := a.below(xoffs[0], size)
		m, b := n, a
		b.buf = &m
		charged := b.chargeLossless(xoffs[0], 1<<40, size)
		long := charged && !a.sentOff && b.headroom == 0 && m.shared <= n.size && !b.overXOFF(xoffs[0])
		if n.crossing < 0 {
			long = false // then every frame goes the long way
		}
		if far, sure := a.farWith(size); sure && (!ok || far != shared) {
			t.Fatalf("%+v, %+v, %d bytes: sure to be below, takes %d; %v, %d", n, a, size, far, ok, shared)
		}
		if ok != long || ok && (b.used != a.used+size || m.shared != n.shared+shared) {
			t.Fatalf("%+v, %+v, %d bytes: %v, takes %d; the long way: %v, %+v, %d in use", n, a, size, ok, shared, long, b, m.shared)
		}
		if ok {
			yes++
		} else {
			no++
		}
	})
	if (yes == 0 || no == 0) && !testing.Short() {
		t.Errorf("%d times yes, %d times no", yes, no)
	}
}
