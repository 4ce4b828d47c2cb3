package record

import (
	"slices"
	"testing"

	"railyard/internal/engine/fabric"
	"railyard/internal/out/result"
)

// The two ends of a port's link may be in two islands. What they tell at one instant is in one order all the same: what the
// port's own node says first, whether the other one said it before.
func TestEndsOfAPortHaveAnOrder(t *testing.T) {
	told := func(islands ...int32) []string { // the far end is in the last of them
		r := &Recorder{}
		for i := range islands {
			r.islands = append(r.islands, &island{r: r, number: int32(i)})
		}
		own, far := r.islands[0], r.islands[len(islands)-1]
		tell := func(isl *island, kind fabric.EventKind) {
			e := fabric.Event{At: 7, Port: 3, Kind: kind}
			isl.events = append(isl.events, result.EventRow{Time: e.At, Kind: portEventNames[kind]})
			isl.note(e.At, anEvent, fabric.EndOf(e.Port, e.Far()), len(isl.events)-1)
		}
		tell(far, fabric.EventXOFF)
		tell(own, fabric.EventPath)
		tell(own, fabric.EventMark)
		tell(far, fabric.EventXON)
		var kinds []string
		r.join(func(isl *island, p *place) { kinds = append(kinds, isl.events[p.row].Kind) })
		return kinds
	}
	want := []string{result.EventPath, result.EventMark, result.EventXOFF, result.EventXON}
	for _, islands := range [][]int32{{0}, {0, 1}} {
		if got := told(islands...); !slices.Equal(got, want) {
			t.Errorf("%d islands: %v, want %v", len(islands), got, want)
		}
	}
	if near, far := fabric.EndOf(3, false), fabric.EndOf(3, true); near >= far || far >= fabric.EndOf(4, false) {
		t.Errorf("owners %d and %d of port 3, %d of the next", near, far, fabric.EndOf(4, false))
	}
}
