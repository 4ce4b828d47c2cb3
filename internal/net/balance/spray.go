package balance

import (
	"railyard/internal/base/unit"
)

// Spray says how packets are spread one by one.
type Spray struct {
	Pick    string        // of Picks
	Samples int           // drill: links drawn for each packet, d
	Memory  int           // drill: least loaded links that are remembered, m
	Grades  int           // least-queue: how many lengths of a queue are told apart
	Queue   [2]unit.Bytes // least-queue: up to the first a queue is as good as none, from the second on as bad as any
}

// Picks holds every way to spray by name.
var Picks = map[string]func(p *Spray, g *Group) Chooser{
	"random":      func(_ *Spray, g *Group) Chooser { return random{g} },
	"round-robin": func(_ *Spray, g *Group) Chooser { return &roundRobin{n: len(g.Links), last: g.below(len(g.Links))} },
	"least-queue": newLeastQueue,
	"drill":       newDRILL,
}

func newSpray(p *Params, g *Group) Chooser { return Picks[p.Spray.Pick](&p.Spray, g) }

// random draws a link for each packet (Dixit et al., INFOCOM 2013).
type random struct{ g *Group }

func (c random) Pick(*Frame, Links) int { return c.g.below(len(c.g.Links)) }

// roundRobin takes the links in turn, whatever the flow. Where it begins is drawn, so that switches do not
// move in step.
type roundRobin struct{ n, last int }

func (c *roundRobin) Pick(*Frame, Links) int {
	if c.last++; c.last >= c.n {
		c.last = 0
	}
	return c.last
}

// leastQueue takes a link of the lowest grade; of several alike one is drawn. A grade is of the time in which the
// queue drains, between the times that the bounds take on the group's fastest link. Switches compare grades, not
// bytes: NVIDIA's adaptive routing has a few of them, Broadcom's has Bands. It matters: by exact bytes and with
// frames alike, each flow finds the link that its last frame took empty again, keeps it, and nothing is spread.
type leastQueue struct {
	g      *Group
	grades int64
	bounds [2]unit.Duration
	alike  []int32
}

func newLeastQueue(p *Spray, g *Group) Chooser {
	fastest := unit.Bitrate(0)
	for _, l := range g.Links {
		fastest = max(fastest, l.Rate)
	}
	return &leastQueue{g: g, grades: int64(p.Grades),
		bounds: [2]unit.Duration{fastest.TransmitTime(p.Queue[0]), fastest.TransmitTime(p.Queue[1])}}
}

func (c *leastQueue) Pick(_ *Frame, l Links) int {
	least := c.grades
	for i := range c.g.Links {
		switch q := band(int64(l.Drain(i)), int64(c.bounds[0]), int64(c.bounds[1]), c.grades); {
		case q < least:
			least, c.alike = q, append(c.alike[:0], int32(i))
		case q == least:
			c.alike = append(c.alike, int32(i))
		}
	}
	return int(c.alike[c.g.below(len(c.alike))])
}

// drill compares Samples links drawn for each packet with the Memory links that were least loaded when the last
// one was sent: DRILL(d,m) (Ghorbani et al., SIGCOMM 2017, section 3.1).
type drill struct {
	g       *Group
	samples int
	memory  int
	looked  []int32
}

func newDRILL(p *Spray, g *Group) Chooser {
	return &drill{g: g, samples: min(p.Samples, len(g.Links)), memory: p.Memory}
}

func (c *drill) Pick(_ *Frame, l Links) int {
	for range c.samples {
		c.add(int32(c.g.below(len(c.g.Links))))
	}
	for i := 1; i < len(c.looked); i++ { // by load, those known before first among equals
		for k := i; k > 0 && l.Drain(int(c.looked[k])) < l.Drain(int(c.looked[k-1])); k-- {
			c.looked[k], c.looked[k-1] = c.looked[k-1], c.looked[k]
		}
	}
	best := int(c.looked[0])
	c.looked = c.looked[:min(c.memory, len(c.looked))]
	return best
}

// add notes a link that is looked at, once.
func (c *drill) add(link int32) {
	for _, have := range c.looked {
		if have == link {
			return
		}
	}
	c.looked = append(c.looked, link)
}
