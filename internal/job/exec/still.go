package exec

import (
	"math"

	"railyard/internal/base/unit"
)

// A stream may stand still for a period: what it runs waits, or it is done, while others go on. Nothing of it changes then but how
// long ago all is, which is no reason why the others should not do the same again. So may all streams of a rank.

// none is the age of an instant that there is not.
const none = math.MinInt64

// ages are how long ago instants were.
type ages []int64

// ages returns how long ago the instants of a standing were: those of the rank itself, and of each stream.
func (s *standing) ages(now unit.Time) (own ages, streams []ages) {
	into := func(all *ages) func(*unit.Time) {
		return func(at *unit.Time) {
			if *at == 0 {
				*all = append(*all, none)
			} else {
				*all = append(*all, int64(now.Sub(*at)))
			}
		}
	}
	visit := into(&own)
	visit(&s.at)
	visit(&s.idle)
	streams = make([]ages, len(s.streams))
	for i := range s.streams {
		s.streams[i].instants(into(&streams[i]))
	}
	return own, streams
}

// since reports whether each instant lies so much longer ago than of others.
func (a ages) since(others ages, longer unit.Duration) bool {
	if len(a) != len(others) {
		return false
	}
	for i, age := range a {
		if before := others[i]; (age == none) != (before == none) || age != none && age-before != int64(longer) {
			return false
		}
	}
	return true
}

// instants visits each instant of what a stream does, and of the collectives in it. 0 stands for none.
func (d *doing) instants(visit func(*unit.Time)) {
	for i := range d.links {
		l := &d.links[i]
		visit(&l.began)
		visit(&l.end)
		if l.coll != nil {
			l.coll.instants(visit)
		}
	}
}

func (c *collRun) instants(visit func(*unit.Time)) {
	visit(&c.joined)
	if c.Formula {
		return
	}
	c.answer.instants(visit)
	for i := range c.channels {
		ch := &c.channels[i]
		visit(&ch.end)
		visit(&ch.gated)
		ch.trace.instants(visit)
		for k := range ch.gates {
			g := &ch.gates[k]
			visit(&g.from)
			visit(&g.to)
			g.answer.instants(visit)
		}
	}
}

func (t *Trace) instants(visit func(*unit.Time)) {
	visit(&t.Posted)
	visit(&t.Placed)
	for i := range t.Segments {
		visit(&t.Segments[i].Until)
	}
}

// stood has what a stream does have stood still for so much longer: all of it lies earlier.
func (d *doing) stood(longer unit.Duration) {
	seen := map[*collRun]bool{}
	for i := range d.links {
		if c := d.links[i].coll; c != nil && !seen[c] {
			seen[c] = true
			c.instants(func(at *unit.Time) {
				if *at != 0 {
					*at = at.Add(-longer)
				}
			})
		}
	}
}
