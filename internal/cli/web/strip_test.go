package web

import (
	"testing"

	"railyard/internal/base/unit"
)

// Strips begin at the bin that holds the beginning of what is asked for, and say how wide it is.
func TestStripsSayWhereTheyBegin(t *testing.T) {
	o := &operationTable{strips: newStrips()}
	name := stripName{Rank: 3, Compute: true}
	o.strips.add(name, 0, 1<<16)
	w := o.strips.width
	at := &timeline{From: 5*unit.Time(w) + 1, Until: 7 * unit.Time(w)}
	o.strip(at)
	if at.Width != w || w < 2 || at.First != 5*unit.Time(w) || len(at.Strips) != 1 || len(at.Strips[0].Shares) != 2 {
		t.Errorf("width %v of %v, first %v, %+v", at.Width, w, at.First, at.Strips)
	}
	for _, s := range at.Strips[0].Shares {
		if s != 1 {
			t.Errorf("%v of a bin, want all", s)
		}
	}
}
