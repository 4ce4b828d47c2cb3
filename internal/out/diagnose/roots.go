package diagnose

import (
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

const (
	// room is the part of its time that a port must have been paused for all that was lost there to be the pauses':
	// without them it would have had so much room. Of a port that was paused for less, a part in proportion is.
	room = 0.1
	// deepest is how many pauses one behind the other are followed.
	deepest = 16
)

// pause gives the time of a pause to the port from whose queue it spread.
func (c *court) pause(s *Span) {
	if s.Port >= 0 {
		c.root(s, s.Port, s.Time, 0)
		return
	}
	left := s.Time
	if s.Pair >= 0 { // where its queue pair's frames were paused in the mean
		left = c.pauses(s, c.e.Pairs[s.Pair], s.Time)
	}
	c.charge(Pauses, -1, -1, s.Cause, s, left)
}

// pauses gives a time to the ports from whose queues the pauses of a queue pair's frames spread, and returns the rest.
func (c *court) pauses(s *Span, p *Pair, t unit.Duration) (left unit.Duration) {
	var roots []Root
	for i := range p.Path {
		if h := &p.Path[i]; h.Root >= 0 && h.Pause > 0 {
			roots = append(roots, Root{h.Root, h.Pause})
		}
	}
	if len(roots) == 0 { // no frame that was traced was paused: where its ports were
		for i := range p.Path {
			roots = append(roots, c.e.Ports[p.Path[i].Port].Roots...)
		}
		roots = slices.DeleteFunc(roots, func(r Root) bool { return r.Port < 0 })
	}
	whole := unit.Duration(0)
	for _, r := range roots {
		whole += r.Time
	}
	left = t
	for _, r := range roots {
		x := *s
		x.Port, x.Time = r.Port, part(t, float64(r.Time)/float64(max(1, whole)))
		left -= x.Time
		c.pause(&x)
	}
	return left
}

// isForeign reports whether a queue pair is not the job's.
func (c *court) isForeign(pair int32) bool {
	if c.e.Foreign != nil {
		return c.e.Foreign(pair)
	}
	return c.e.Pairs[pair] == nil
}

// root gives time to a port that made others pause: to what made itself pause, as far as that is so.
func (c *court) root(s *Span, port int32, t unit.Duration, depth int) {
	p := &c.e.Ports[port]
	switch {
	case p.Circle > 0:
		c.charge(Deadlock, p.Circle-1, -1, s.Cause, s, t)
		return
	case p.Receiver:
		c.charge(Receiver, port, -1, s.Cause, s, t)
		return
	case p.Storm:
		c.charge(Storm, port, -1, s.Cause, s, t)
		return
	}
	t = c.follow(s, port, t, depth)
	if s.Pair >= 0 {
		if h := c.e.Pairs[s.Pair].hop(port); h >= 0 {
			c.filled(s, h, t)
			return
		}
	}
	c.shared(s, port, t)
}

// waited gives time that frames waited at a port.
func (c *court) waited(s *Span, port int32, t unit.Duration) {
	if port < 0 {
		c.charge(SharedPort, -1, -1, s.Cause, s, t)
		return
	}
	if c.e.Ports[port].Circle == 0 {
		t = c.follow(s, port, t, 0)
	}
	c.shared(s, port, t)
}

// follow gives of a time that was lost at a port to the roots of its pauses what is theirs, and returns the rest.
func (c *court) follow(s *Span, port int32, t unit.Duration, depth int) (left unit.Duration) {
	paused := part(t, c.paused(s, port)/room)
	if depth == deepest || paused == 0 {
		return t
	}
	p := &c.e.Ports[port]
	whole := unit.Duration(0)
	for _, r := range p.Roots {
		if r.Port >= 0 {
			whole += r.Time
		}
	}
	if whole == 0 {
		return t
	}
	left = t
	for _, r := range p.Roots {
		if r.Port < 0 {
			continue
		}
		give := part(paused, float64(r.Time)/float64(whole))
		left -= give
		c.root(s, r.Port, give, depth+1)
	}
	return left
}

// paused is the part of the time in which a port was paused: while messages of the queue pair were under way, or
// else while it was in use.
func (c *court) paused(s *Span, port int32) float64 {
	if s.Pair >= 0 {
		p := c.e.Pairs[s.Pair]
		if h := p.hop(port); h >= 0 && p.Path[h].Span > 0 {
			return float64(p.Path[h].Held) / float64(p.Path[h].Span)
		}
	}
	p := &c.e.Ports[port]
	if p.Active == 0 {
		return 0
	}
	return min(1, float64(p.Paused)/float64(p.Active))
}

// fill is whose bytes waited at a port; of short queues, in which nobody looked, whose bytes crossed it.
func (c *court) fill(port int32) []Share {
	p := &c.e.Ports[port]
	if p.crossed == nil && len(p.Fill) < 2 && c.e.Crossing != nil {
		p.crossed = c.e.Crossing(port)
		if p.crossed == nil {
			p.crossed = []Share{}
		}
	}
	if len(p.Fill) >= 2 || len(p.crossed) == 0 {
		return p.Fill
	}
	return p.crossed
}

// shared gives time to the others whose bytes a port was busy with: those that were there by an uneven choice, and
// the rest. Where there were no others it is not the port's.
func (c *court) shared(s *Span, port int32, t unit.Duration) {
	if t <= 0 {
		return
	}
	if circle := c.e.Ports[port].Circle; circle > 0 {
		c.charge(Deadlock, circle-1, -1, s.Cause, s, t)
		return
	}
	all, mine := int64(0), int64(0)
	for _, f := range c.fill(port) {
		if all += f.Bytes; f.Pair == s.Pair {
			mine += f.Bytes
		}
	}
	if all == mine {
		c.alone(s, port, t)
		return
	}
	if own := c.ownOthers(s, port); own > 0 { // its rank's messages behind each other: transmission at the link's rate
		behind := part(t, float64(own)/float64(all-mine))
		c.charge(LinkSpeed, port, -1, s.Cause, s, behind)
		if t -= behind; t <= 0 {
			return
		}
	}
	apart := 0.0
	if u := c.use(port); u != nil && u.uneven > 0 && !c.even(s, port, u) {
		others := 1.0
		if s.Pair >= 0 {
			p := c.e.Pairs[s.Pair]
			if h := p.hop(port); h >= 0 && p.Path[h].Served > p.Path[h].Mine {
				others = 1 - float64(p.Path[h].Mine)/float64(p.Path[h].Served)
			}
		}
		apart = min(1, u.uneven/others)
	}
	uneven := part(t, apart)
	c.charge(UnevenChoice, port, -1, s.Cause, s, uneven)
	c.charge(SharedPort, port, -1, s.Cause, s, t-uneven)
}

// even reports whether what a port sent beyond its equals for a while says nothing of the choice: packets are dealt anew all the time, or
// the victim's messages were under way for long, and neither until they might have ended nor in the whole run it had more than its
// share. Then it was how fast others sent, and not which way.
func (c *court) even(s *Span, port int32, u *use) bool {
	if u.times > fair {
		return false
	}
	if c.choice(port).By == ByPacket {
		return true
	}
	if s.Pair < 0 {
		return false
	}
	p := c.e.Pairs[s.Pair]
	h := p.hop(port)
	return h >= 0 && float64(p.Path[h].Span) >= lasting*float64(u.whole) &&
		c.e.times(port, c.choice(port).Equal, u.from.Add(p.Path[h].Span)) <= uneven
}

// ownOthers is how many bytes of other queue pairs of its own rank waited at a NIC's port with a queue pair.
func (c *court) ownOthers(s *Span, port int32) (sum int64) {
	if !c.e.Ports[port].Own || s.Pair < 0 || c.e.SameRank == nil {
		return 0
	}
	for _, f := range c.fill(port) {
		if f.Pair != s.Pair && c.e.SameRank(f.Pair, s.Pair) {
			sum += f.Bytes
		}
	}
	return sum
}

// alone gives time that a message lost at a port over which nothing went but its own bytes.
func (c *court) alone(s *Span, port int32, t unit.Duration) {
	switch s.Cause {
	case cause.RateLimit:
		c.charge(Controller, port, -1, s.Cause, s, t)
	case cause.Window:
		c.charge(Window, -1, -1, s.Cause, s, t)
	case cause.Pause:
		c.charge(Pauses, port, -1, s.Cause, s, t)
	default:
		c.charge(LinkSpeed, port, -1, s.Cause, s, t)
	}
}

// choice returns the ports that were equal to a port, itself alone if there was no other; nil: nothing is known.
func (c *court) choice(port int32) *Choice {
	if c.e.Choice == nil {
		return nil
	}
	x, known := c.made[port]
	if !known {
		x = c.e.Choice(port)
		c.made[port] = x
	}
	return x
}

// use returns what a port did beside its equals, nil if they are not known.
func (c *court) use(port int32) *use {
	u, known := c.uses[port]
	if !known {
		if x := c.choice(port); x != nil {
			u = new(c.e.use(port, x.Equal))
		}
		c.uses[port] = u
	}
	return u
}
