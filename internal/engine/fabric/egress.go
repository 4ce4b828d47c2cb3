package fabric

import (
	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/engine/sim"
)

// egress is the egress queues of all ports: what waits there, whom a port serves, and what is told of their lengths.
type egress struct {
	*setup
	links  *links
	queues []queue // port*nc + class
	slow   []slow  // of the queues
	strict []uint8 // strict classes in order of service, at most ports
	// by port, where they are others; nil: they are the same everywhere
	strictAt [][]uint8
}

func newEgress(s *setup, l *links) egress {
	n := len(s.graph.Ports) * s.nc
	return egress{setup: s, links: l, queues: make([]queue, n), slow: make([]slow, n)}
}

// pick chooses among several classes m the one to serve: strict ones by priority, then deficit weighted
// round robin. A class that is alone is served.
func (eg *egress) pick(id PortID, p *port, m uint8) int {
	strict := eg.strict
	if eg.strictAt != nil {
		strict = eg.strictAt[id]
	}
	for _, c := range strict {
		if m&(1<<c) != 0 {
			return int(c)
		}
	}
	qs := eg.queues[int(id)*eg.nc : int(id)*eg.nc+eg.nc]
	for {
		c := p.turn
		q := &qs[c]
		if m&(1<<c) != 0 && q.deficit >= int64(q.front().Bytes) {
			q.deficit -= int64(q.front().Bytes)
			return int(c)
		}
		c++
		if int(c) == eg.nc {
			c = 0
		}
		p.turn = c
		if m&(1<<c) != 0 {
			qs[c].deficit += eg.slow[int(id)*eg.nc+int(c)].quantum
		}
	}
}

// overLong reports whether a frame would make the queue that it goes to longer than its drop threshold.
func (eg *egress) overLong(out PortID, pk *Packet) bool {
	q := int(out)*eg.nc + int(pk.Class())
	longest := eg.slow[q].longest
	return longest > 0 && eg.queues[q].bytes+int64(pk.Bytes) > longest
}

// sample notes a queue's length at the sampling instants since its last change, run-length coded:
// one sample where the value differs from the one before. It is called before each change. Sampling
// instant i is at (i+1/2) intervals.
func (eg *egress) sample(isl *sim.Island, now unit.Time, id PortID, class int, q *queue) {
	every := int64(eg.cfg.SampleEvery)
	s := &eg.slow[int(id)*eg.nc+class]
	// The last instant at or before now. An instant that coincides with a change sees the value
	// before it.
	at := eg.told(now)
	index := (int64(at) + every/2) / every
	if q.sampled = unit.Time((index+1)*every - every/2).Add(now.Sub(at)); eg.recording() {
		q.sampled = now + 1 // each touch is recorded
		eg.touched(now, id, class, q)
	}
	if index == s.lastSample {
		return
	}
	if q.bytes != s.lastValue {
		eg.cfg.OnSample(isl.Index(), Sample{Port: id, Class: uint8(class), Index: s.lastSample, Bytes: unit.Bytes(q.bytes),
			At: now})
		s.lastValue = q.bytes
	}
	s.lastSample = index
}

// look looks at k frames of a queue. Of a longer one its length, how far its port is with the frame that it sends, and how
// often it was looked at since it was short choose them: the same at whatever time it happens, so that what happens again is
// told again.
func (eg *egress) look(now unit.Time, i int, k uint32, see func(*Packet)) {
	q, s := &eg.queues[i], &eg.slow[i]
	if k == q.n {
		s.looks = 0
		q.look(k, 0, see)
		return
	}
	s.looks++
	s.chosen = true
	left := max(0, eg.links.ports[i/eg.nc].busyUntil.Sub(now))
	salt := splitmix.Mix(uint64(left)) + splitmix.Mix(uint64(q.bytes)+splitmix.Gamma) + uint64(i)<<32 + uint64(s.looks)
	q.look(k, splitmix.Mix(salt), see)
}
