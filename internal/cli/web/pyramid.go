package web

import (
	"math"
	"slices"

	"railyard/internal/base/unit"
)

// cell is what a figure was in a bin of time: of the intervals in it the least, the greatest, the mean.
type cell struct{ Low, High, Mean float32 }

// track is one figure over time.
type track struct {
	held   bool // it stays until the next sample; else it is 0 where there is none
	cells  []cell
	now    float64 // held: what the last sample said
	low    float64 // of the bin that is open, from here on
	high   float64
	sum    float64
	filled int64 // intervals of the open bin that are in low, high and sum
}

// pyramid holds figures that are known once in an interval, as cells over bins of 1, 2, 4, ... intervals.
// It is fed in order of time and keeps to a bound: when it has too many cells, each two bins become one.
//
//	level  bins                        a cell: low, high, mean of its intervals
//	0      | | | | | | | | |           not kept, where there are too many: the table has them
//	1      |   |   |   |   |
//	2      |       |       |           each is made of two below it
//
// Invariant: while it is fed, every track has the same number of cells, and all cells are of base level.
type pyramid struct {
	every  unit.Duration // an interval
	most   int           // cells of base level that are kept
	base   int           // bins of base level have 1 << base intervals
	tracks []track
	open   int64      // number of the bin that samples go to
	levels [][][]cell // above base, once it is sealed: by level, then track
	ends   int64      // intervals in all, once it is sealed
}

// leastBins is how many bins tracks have at least: a track that would leave fewer to all is refused.
const leastBins = 16

func newPyramid(every unit.Duration, most int) *pyramid { return &pyramid{every: every, most: most} }

// add makes a track; -1: there are too many.
func (p *pyramid) add(held bool) int {
	if (len(p.tracks)+1)*leastBins > p.most {
		return -1
	}
	p.tracks = append(p.tracks, track{held: held, cells: make([]cell, p.open)})
	p.tracks[len(p.tracks)-1].clear()
	p.bound()
	return len(p.tracks) - 1
}

func (t *track) clear() { t.low, t.high, t.sum, t.filled = math.Inf(1), math.Inf(-1), 0, 0 }

// fill says that n intervals had a value.
func (t *track) fill(v float64, n int64) {
	if n > 0 {
		t.low, t.high, t.sum, t.filled = min(t.low, v), max(t.high, v), t.sum+v*float64(n), t.filled+n
	}
}

// rest is what an interval without a sample has.
func (t *track) rest() float64 {
	if t.held {
		return t.now
	}
	return 0
}

// sample says what a track was in an interval, which is not before any that was told of.
func (p *pyramid) sample(id int, interval int64, v float64) {
	p.advance(interval)
	t := &p.tracks[id]
	if within := interval - p.open<<p.base; within >= t.filled {
		t.fill(t.rest(), within-t.filled)
		t.fill(v, 1)
	}
	t.now = v
}

// advance closes the bins before the one that an interval is in.
func (p *pyramid) advance(interval int64) {
	for interval>>p.base > p.open {
		p.shut(int64(1) << p.base)
		p.bound()
	}
}

// shut closes the open bin, which has so many intervals.
func (p *pyramid) shut(intervals int64) {
	for i := range p.tracks {
		t := &p.tracks[i]
		t.fill(t.rest(), intervals-t.filled)
		t.cells = append(t.cells, cell{float32(t.low), float32(t.high), float32(t.sum / float64(t.filled))})
		t.clear()
	}
	p.open++
}

// bound makes bins twice as long until the cells are few enough.
func (p *pyramid) bound() {
	for max(len(p.tracks), 1)*int(p.open+1) > p.most && p.open > 1 {
		half := int64(1) << p.base
		odd := p.open%2 == 1 // the last bin and the open one are one from now on
		for i := range p.tracks {
			t := &p.tracks[i]
			n := len(t.cells)
			if odd {
				last := t.cells[n-1]
				t.low, t.high = min(t.low, float64(last.Low)), max(t.high, float64(last.High))
				t.sum, t.filled = t.sum+float64(last.Mean)*float64(half), t.filled+half
			}
			t.cells = paired(t.cells[:n&^1], t.cells[:0], 2)
		}
		p.open /= 2
		p.base++
	}
}

// paired appends a cell for each two of all; the last one stands for tail / 2 of a whole one.
func paired(all, to []cell, tail float64) []cell {
	for i := 0; i < len(all); i += 2 {
		c := all[i]
		if i+1 < len(all) {
			d, weight := all[i+1], 1.0
			if i+2 == len(all) {
				weight = tail - 1
			}
			c = cell{min(c.Low, d.Low), max(c.High, d.High),
				float32((float64(c.Mean) + float64(d.Mean)*weight) / (1 + weight))}
		}
		to = append(to, c)
	}
	return to
}

// seal ends it after so many intervals, and makes the levels above.
func (p *pyramid) seal(intervals int64) {
	p.ends = max(intervals, p.open<<p.base)
	if p.ends > p.open<<p.base && len(p.tracks) > 0 {
		p.advance(p.ends - 1)
		p.shut(p.ends - p.open<<p.base)
	}
	below := make([][]cell, len(p.tracks))
	for i := range p.tracks {
		p.tracks[i].cells = slices.Clip(p.tracks[i].cells)
		below[i] = p.tracks[i].cells
	}
	p.levels = [][][]cell{below}
	for level := p.base; len(below) > 0 && len(below[0]) > 1; level++ {
		// of the last two bins the second may have fewer intervals
		tail := 2.0
		if n := len(below[0]); n%2 == 0 {
			tail = 1 + float64(p.ends-int64(n-1)<<level)/float64(int64(1)<<level)
		}
		above := make([][]cell, len(below))
		for i := range below {
			above[i] = paired(below[i], make([]cell, 0, (len(below[i])+1)/2), tail)
		}
		p.levels, below = append(p.levels, above), above
	}
}

// top is the highest level: one bin has everything.
func (p *pyramid) top() int { return p.base + len(p.levels) - 1 }

// at returns the cells of a track on a level from base to top.
func (p *pyramid) at(level, id int) []cell { return p.levels[level-p.base][id] }
