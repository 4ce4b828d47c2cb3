package record

import (
	"cmp"
	"slices"

	"railyard/internal/unit"
)

// ordered passes rows on in the order (time of the event, key): islands run one
// after another within a window of the lookahead, so rows come out of order by at
// most that, and how far depends on the partition.
//
//	island 0:  a(3) c(7)            a(3) b(5) c(7)
//	island 1:            b(5)  ==>
//
// Rows of one time and key keep the order in which they came: they belong to one
// owner, whose events are in order.
type ordered[R any] struct {
	lookahead unit.Duration // 0 with one island
	emit      func(R)
	rows      []R     // waiting, as they came
	places    []place // of each of them
	spare     []R
	oldest    unit.Time // of those that wait
	newest    unit.Time
}

// place is where a row goes: after all of an earlier time, a lower key, or that came before it.
type place struct {
	at  unit.Time
	key int32
	row int32
}

func (a place) compare(b place) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row))
}

// add takes a row of an event at time at. Rows wait for two windows, so that each is sorted a few
// times at most.
func (o *ordered[R]) add(at unit.Time, key int32, row R) {
	if at > o.newest {
		o.newest = at
		if len(o.rows) > 0 && at.Add(-2*o.lookahead) > o.oldest {
			o.flush(at.Add(-o.lookahead))
		}
	}
	if len(o.rows) == 0 || at < o.oldest {
		o.oldest = at
	}
	o.places = append(o.places, place{at, key, int32(len(o.rows))})
	o.rows = append(o.rows, row)
}

// flush passes on every row of an event before a time: nothing earlier can come.
func (o *ordered[R]) flush(before unit.Time) {
	slices.SortFunc(o.places, place.compare)
	n := 0
	for ; n < len(o.places) && o.places[n].at < before; n++ {
		o.emit(o.rows[o.places[n].row])
	}
	left := o.spare[:0]
	for i := range o.places[n:] {
		p := &o.places[n+i]
		left = append(left, o.rows[p.row])
		p.row = int32(i)
	}
	clear(o.rows)
	o.spare, o.rows = o.rows[:0], left
	o.places = o.places[:copy(o.places, o.places[n:])]
	if len(o.places) > 0 {
		o.oldest = o.places[0].at
	}
}
