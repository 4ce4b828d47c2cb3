package balance

import "railyard/internal/base/unit"

// DLB says how links get a quality, and when a flow may change its link.
type DLB struct {
	Mode     string        // of Modes
	Sampling unit.Duration // how often a port's load is measured
	Load     [2]unit.Ratio // of the rate: up to the first a link is as good as idle, from the second on as bad as full
	Queue    [2]unit.Bytes // the same of waiting bytes
	Weight   unit.Ratio    // of the load in the quality; the rest is the queue's
}

// Modes are when a flow may take another link: never after its first packet, after it was quiet, at each packet.
// Junos calls them assigned-flow, flowlet and per-packet, SONiC fixed, flowlet-quality and packet-quality.
var Modes = []string{"flowlet", "packet", "flow"}

// Bands is how many qualities there are: 0 is the best. (Vendors count the other way, from 7 down.)
const Bands = 8

// dlb gives a flow a link of the best quality, of several alike one that is drawn, whenever the mode lets it choose.
// Of a flow that stays on its link the quality is the worse of the link's own and of what the next switch has told.
// Packet by packet what was told is old: if all took the way that was best they would crowd it until they are told of
// the next. So it only weighs the draw: a way of band b has Bands - b chances, and one that nobody speaks of Bands.
type dlb struct {
	g      *Group
	p      DLB
	gap    unit.Duration
	flows  table // nil: each packet for itself
	meters []Meter
	alike  []int32
	// chances of each of alike to be drawn
	chances []int
}

func newDLB(p *Params, g *Group) Chooser {
	c := &dlb{g: g, p: p.DLB, gap: p.Gap, meters: make([]Meter, len(g.Links))}
	switch c.p.Mode {
	case "flow":
		c.gap, c.flows = unit.Duration(unit.Never), table{}
	case "flowlet":
		c.flows = table{}
	}
	return c
}

func (c *dlb) Pick(f *Frame, l Links) int {
	if c.flows == nil {
		return c.best(f.Now, l)
	}
	e, free := c.flows.quiet(f, c.gap)
	if free {
		e.link = int32(c.best(f.Now, l))
	}
	return int(e.link)
}

func (c *dlb) best(now unit.Time, l Links) int {
	least, room := Bands, 0
	for i := range c.g.Links {
		load := c.meters[i].Load(now, l.Sent(i), c.g.Links[i].Rate, c.p.Sampling)
		q, chances := c.p.Quality(load, l.Waiting(i)), Bands-l.Told(i)
		if c.flows != nil {
			q, chances = max(q, l.Told(i)), 1
		}
		switch {
		case q < least:
			least, room, c.alike, c.chances = q, chances, append(c.alike[:0], int32(i)), append(c.chances[:0], chances)
		case q == least:
			room += chances
			c.alike, c.chances = append(c.alike, int32(i)), append(c.chances, chances)
		}
	}
	if len(c.alike) == 1 {
		return int(c.alike[0])
	}
	drawn, at := c.g.below(room), 0
	for drawn >= c.chances[at] {
		drawn -= c.chances[at]
		at++
	}
	return int(c.alike[at])
}

// Quality returns the band of a link, 0 to Bands-1, from its load (in 1/65536 of the rate) and the bytes that
// wait: each is cut into bands between its bounds, and the two are averaged by weight.
func (p *DLB) Quality(load int64, waiting unit.Bytes) int {
	a := band(load, p.Load[0].Of(whole), p.Load[1].Of(whole), Bands)
	b := band(int64(waiting), int64(p.Queue[0]), int64(p.Queue[1]), Bands)
	return int((a*p.Weight.Num + b*(p.Weight.Den-p.Weight.Num)) / p.Weight.Den)
}

// band cuts what lies between two bounds into n-2 bands of the same width; what is below or above has one. With one
// band all are alike.
func band(v, low, high, n int64) int64 {
	switch {
	case v <= low || n == 1:
		return 0
	case v >= high:
		return n - 1
	}
	return min(1, n-2) + (v-low)*(n-2)/(high-low)
}

// whole is a load of all of the rate.
const whole = 1 << 16

// Meter measures the load of a port: a moving average over samples, in which each new one counts a half. It is
// read when somebody wants to know: samples that were missed each count an equal part of what was sent since.
type Meter struct {
	at   unit.Time  // of the last sample
	sent unit.Bytes // up to then
	load int64
}

// forgotten is after how many samples nothing of an old load is left.
const forgotten = 17

// Load returns the load in 1/65536 of the rate, as of the last multiple of the sampling time.
func (m *Meter) Load(now unit.Time, sent unit.Bytes, rate unit.Bitrate, every unit.Duration) int64 {
	n := int64(now.Sub(m.at) / every)
	if n == 0 {
		return m.load
	}
	full := int64(rate.BytesIn(every)) * n
	sample := min(int64(sent-m.sent)*whole/max(full, 1), whole)
	for range min(n, forgotten) {
		m.load = (m.load + sample) / 2
	}
	m.at, m.sent = m.at.Add(unit.Duration(n)*every), sent
	return m.load
}
