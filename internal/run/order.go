package run

import "railyard/internal/unit"

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
	rows      []keyed[R] // sorted
	newest    unit.Time
}

type keyed[R any] struct {
	at  unit.Time
	key int32
	row R
}

// add takes a row of an event at time at.
func (o *ordered[R]) add(at unit.Time, key int32, row R) {
	if at > o.newest {
		o.newest = at
		o.flush(at.Add(-o.lookahead))
	}
	i := len(o.rows)
	o.rows = append(o.rows, keyed[R]{})
	for ; i > 0; i-- {
		if last := &o.rows[i-1]; last.at < at || last.at == at && last.key <= key {
			break
		}
		o.rows[i] = o.rows[i-1]
	}
	o.rows[i] = keyed[R]{at, key, row}
}

// flush passes on every row of an event before a time: nothing earlier can come.
func (o *ordered[R]) flush(before unit.Time) {
	n := 0
	for ; n < len(o.rows) && o.rows[n].at < before; n++ {
		o.emit(o.rows[n].row)
	}
	if n > 0 {
		left := copy(o.rows, o.rows[n:])
		clear(o.rows[left:])
		o.rows = o.rows[:left]
	}
}
