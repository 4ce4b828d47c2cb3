package diagnose

import (
	"slices"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
)

// charge adds time to a blame.
func (c *court) charge(k Kind, port, rank int32, why cause.Cause, s *Span, t unit.Duration) {
	if t <= 0 {
		return
	}
	if s.Behind {
		why = cause.OwnQueueing
	}
	id := key{k, port, rank}
	x := c.sums[id]
	if x == nil {
		x = &sum{key: id, victims: map[int32]unit.Duration{}}
		c.sums[id] = x
	}
	x.felt[why] += t
	if s.Pair >= 0 && (k.Congestion() || k == PCIe) {
		x.victims[s.Pair] += t
		p := c.e.Pairs[s.Pair]
		x.crossed = x.crossed || port >= 0 && p.hop(port) >= 0
		x.acks = x.acks || port >= 0 && slices.ContainsFunc(p.Back, func(h Hop) bool { return h.Port == port })
	}
}

// direct are the kinds of causes that need no evidence but themselves.
var direct = map[cause.Cause]Kind{
	cause.NVLink: NVLink, cause.NIC: NIC, cause.Dependency: Dependency, cause.Acknowledgement: Answer,
	cause.SwitchLatency: SwitchDelay,
}

// judge divides a span among blames.
func (c *court) judge(s *Span) {
	switch s.Cause {
	case cause.Compute:
		c.compute(s)
	case cause.Serialisation:
		c.bits(s)
	case cause.Propagation:
		c.charge(Cable, s.Port, -1, s.Cause, s, s.Time)
	case cause.OwnQueueing:
		if s.Port < 0 {
			c.behind(s)
			return
		}
		if s.Pair >= 0 && c.e.Ports[s.Port].Rate < c.e.Pairs[s.Pair].Line {
			c.charge(SlowPort, s.Port, -1, s.Cause, s, s.Time)
			return
		}
		c.waited(s, s.Port, s.Time) // one's own packets pile up behind those of others
	case cause.Queueing:
		c.waited(s, s.Port, s.Time)
	case cause.Pause:
		c.pause(s)
	case cause.RateLimit:
		c.rate(s)
	case cause.Window:
		c.window(s)
	case cause.Retransmission:
		c.loss(s)
	case cause.PCIe:
		port := s.Port
		if port < 0 && s.Pair >= 0 {
			port = c.slowest(c.e.Pairs[s.Pair].Slow)
		}
		c.charge(PCIe, port, -1, s.Cause, s, s.Time)
	default:
		c.charge(direct[s.Cause], -1, -1, s.Cause, s, s.Time)
	}
}

// slowest is that of some ports that has the lowest rate, -1: there are none.
func (c *court) slowest(ports []int32) int32 {
	least := int32(-1)
	for _, id := range ports {
		if least < 0 || c.e.Ports[id].Rate < c.e.Ports[least].Rate {
			least = id
		}
	}
	return least
}

// behind gives time that a message waited at its sender for earlier ones of its queue pair to what these took there: bits on wires,
// repeats, and pauses.
func (c *court) behind(s *Span) {
	if s.Pair < 0 {
		c.bits(s)
		return
	}
	p := c.e.Pairs[s.Pair]
	whole := max(1, p.Held[cause.Serialisation]+p.Held[cause.Retransmission]+p.Held[cause.Pause])
	left := *s
	give := func(t unit.Duration, to func(*Span)) {
		x := *s
		x.Behind, x.Time = true, part(s.Time, float64(t)/float64(whole))
		if x.Time > 0 {
			left.Time -= x.Time
			to(&x)
		}
	}
	give(p.Held[cause.Retransmission], func(x *Span) { x.Cause = cause.Retransmission; c.loss(x) })
	give(p.Held[cause.Pause], func(x *Span) {
		x.Cause = cause.Pause
		left.Time += c.pauses(x, p, x.Time)
	})
	c.bits(&left)
}

// compute tells what a rank does longer than the others, and launches, from the rest.
func (c *court) compute(s *Span) {
	if s.Stood {
		c.charge(SlowRank, -1, s.Rank, s.Cause, s, s.Time)
		return
	}
	slow := s.Time - c.usual(s.Rank, s.Time)
	c.charge(SlowRank, -1, s.Rank, s.Cause, s, slow)
	if s.Launch {
		c.charge(Launch, -1, -1, s.Cause, s, s.Time-slow)
		return
	}
	c.charge(Compute, -1, -1, s.Cause, s, s.Time-slow)
}

// slower is by how much a rank must compute longer than the median to be called slow, in percent.
const slower = 2

// usual returns how long a rank's compute would have taken on the median rank: the one in the middle
// of those whose times are compared with the work that they have.
func (c *court) usual(rank int32, t unit.Duration) unit.Duration {
	if rank < 0 || int(rank) >= len(c.e.RankCompute) {
		return t
	}
	own := c.e.RankCompute[rank]
	median := c.e.median(rank)
	if own*100 <= median*(100+slower) {
		return t
	}
	return part(t, float64(median)/float64(own))
}

// median is how long the median rank would take for the compute of a rank.
func (e *Evidence) median(rank int32) unit.Duration {
	all := slices.Clone(e.RankCompute)
	if e.RankWork == nil {
		slices.Sort(all)
		return all[(len(all)-1)/2]
	}
	ratios := make([]float64, len(all))
	for r, t := range all {
		ratios[r] = float64(t) / float64(max(e.RankWork[r], 1))
	}
	slices.Sort(ratios)
	return unit.Duration(ratios[(len(ratios)-1)/2] * float64(e.RankWork[rank]))
}

func part(t unit.Duration, f float64) unit.Duration {
	return unit.Duration(float64(t) * min(max(f, 0), 1))
}

// bits is about bits on wires: at the sender's own link that is its speed; on a slower link, a NIC's that is slower than
// other NICs' too, what goes beyond that is the slower link's.
func (c *court) bits(s *Span) {
	port := s.Port
	if s.Pair >= 0 && port < 0 {
		port = c.e.Pairs[s.Pair].Path[0].Port
	}
	if s.Pair >= 0 && port >= 0 {
		if line := max(c.e.Pairs[s.Pair].Line, c.e.Line); line > c.e.Ports[port].Rate {
			fair := part(s.Time, float64(c.e.Ports[port].Rate)/float64(line))
			c.charge(SlowPort, port, -1, s.Cause, s, s.Time-fair)
			c.charge(LinkSpeed, c.e.Pairs[s.Pair].Path[0].Port, -1, s.Cause, s, fair)
			return
		}
		port = c.e.Pairs[s.Pair].Path[0].Port
	}
	c.charge(LinkSpeed, port, -1, s.Cause, s, s.Time)
}

// hop returns which hop of its path a port is, -1 if it is none.
func (p *Pair) hop(port int32) int {
	return slices.IndexFunc(p.Path, func(h Hop) bool { return h.Port == port })
}

// rate gives a rate limit to the ports whose marks, or queues, brought it about.
func (c *court) rate(s *Span) {
	if s.Pair < 0 {
		c.charge(Controller, -1, -1, s.Cause, s, s.Time)
		return
	}
	p := c.e.Pairs[s.Pair]
	whole := int64(0)
	for i := range p.Path {
		whole += p.Path[i].Marked
	}
	if whole == 0 { // a controller that looks at delay or telemetry, or at losses
		if at := p.fullest(c.e); at > 0 {
			c.held(s, at, s.Time)
			return
		}
		c.charge(Controller, -1, -1, s.Cause, s, s.Time)
		return
	}
	for i := range p.Path {
		c.held(s, i, part(s.Time, float64(p.Path[i].Marked)/float64(whole)))
	}
}

// close is how near to the busiest a port must come for the waits at both to decide.
const close = 0.97

// fullest returns the switch on the path whose port was busiest, or paused, while messages were under way; of
// several alike the one where packets waited longest. 0 if nothing tells.
func (p *Pair) fullest(e *Evidence) (at int) {
	best := 0.0
	for i := 1; i < len(p.Path); i++ {
		best = max(best, p.Path[i].taken(e))
	}
	waited := unit.Duration(-1)
	for i := 1; i < len(p.Path); i++ {
		h := &p.Path[i]
		if w := h.Own + h.Others + h.Pause; best > 0 && h.taken(e) >= close*best && w > waited {
			at, waited = i, w
		}
	}
	return at
}

// window gives the time of a full window to what a round trip was made of. Of the way itself only
// what is longer than the window lasts makes a sender wait.
func (c *court) window(s *Span) {
	if s.Pair < 0 {
		c.charge(Window, -1, -1, s.Cause, s, s.Time)
		return
	}
	p := c.e.Pairs[s.Pair]
	if p.Window < 0 { // a congestion controller by another means
		c.rate(s)
		return
	}
	whole := float64(max(0, p.RoundTrip-p.Window))
	wait := func(h *Hop) (own, others, pause float64) {
		if h.Frames == 0 {
			return 0, 0, 0
		}
		n := float64(h.Frames)
		return float64(h.Own) / n, float64(h.Others) / n, float64(h.Pause) / n
	}
	for _, way := range [][]Hop{p.Path, p.Back} {
		for i := range way {
			a, b, d := wait(&way[i])
			whole += a + b + d
		}
	}
	if whole == 0 {
		c.charge(Window, -1, -1, s.Cause, s, s.Time)
		return
	}
	left := s.Time
	give := func(t unit.Duration, to func(*Span, unit.Duration)) {
		left -= t
		if t > 0 {
			to(s, t)
		}
	}
	for i := range p.Path {
		a, b, d := wait(&p.Path[i])
		give(part(s.Time, (a+b)/whole), func(s *Span, t unit.Duration) { c.held(s, i, t) })
		give(part(s.Time, d/whole), func(s *Span, t unit.Duration) { c.rooted(s, p.Path[i].Root, t) })
	}
	for i := range p.Back {
		a, b, d := wait(&p.Back[i])
		give(part(s.Time, (a+b)/whole), func(s *Span, t unit.Duration) { c.waited(s, p.Back[i].Port, t) })
		give(part(s.Time, d/whole), func(s *Span, t unit.Duration) { c.rooted(s, p.Back[i].Root, t) })
	}
	c.charge(Window, -1, -1, s.Cause, s, left)
}

// rooted gives time that went into pauses to the port they came from.
func (c *court) rooted(s *Span, root int32, t unit.Duration) {
	x := *s
	x.Port, x.Time = root, t
	c.pause(&x)
}

// busy returns the part of the time in which the port was sending while messages of the queue pair
// were under way.
func (h *Hop) busy(e *Evidence) float64 {
	if h.Span == 0 {
		return 0
	}
	return min(1, float64(e.Ports[h.Port].Rate.TransmitTime(h.Served))/float64(h.Span))
}

// taken is the part of that time in which the port was sending or paused.
func (h *Hop) taken(e *Evidence) float64 {
	if h.Span == 0 {
		return 0
	}
	return min(1, h.busy(e)+float64(h.Held)/float64(h.Span))
}

// held divides time that a queue pair was held back because of a port of its path: as far as the port was paused it
// is whose pauses they are; as far as it stood idle it is the mechanism's, else the others' or, where the port is
// slower than the sender, its own.
func (c *court) held(s *Span, at int, t unit.Duration) {
	h := &c.e.Pairs[s.Pair].Path[at]
	if c.e.Ports[h.Port].Circle == 0 {
		t = c.follow(s, h.Port, t, 0)
	}
	c.filled(s, at, t)
}

// alien is the part of a port's bytes that must be others' for a pause that began there to be theirs: acknowledgements are not.
const alien = 0.1

// filled is held of a port that was not paused.
func (c *court) filled(s *Span, at int, t unit.Duration) {
	p := c.e.Pairs[s.Pair]
	h := &p.Path[at]
	port := &c.e.Ports[h.Port]
	if h.Span == 0 { // messages of one packet: all that is known is that it waited
		c.shared(s, h.Port, t)
		return
	}
	stood := p.Held[cause.RateLimit] + p.Held[cause.Window] + p.Held[cause.Queueing] + p.Held[cause.Pause]
	stood = min(stood, h.Span-p.Line.TransmitTime(h.Mine)) // messages that are under way at once are held at once
	idle := max(0, unit.Duration(float64(h.Span)*(1-h.busy(c.e)))-h.Held)
	wasted := part(t, float64(idle)/float64(max(stood, 1)))
	others, own := float64(h.Served-h.Mine)*8/float64(port.Rate), 0.0
	if p.Line > port.Rate {
		own = float64(h.Mine) * 8 * (1/float64(port.Rate) - 1/float64(p.Line))
	}
	if others+own == 0 {
		if s.Cause == cause.Pause {
			c.shared(s, h.Port, t)
			return
		}
		wasted = t
	}
	switch s.Cause {
	case cause.Window:
		c.unused(s, h.Port, wasted)
	case cause.Pause: // a port that stands idle while it makes others pause: too early
		c.charge(Pauses, h.Port, -1, s.Cause, s, wasted)
	default:
		slowed := unit.Duration(0)
		if p.Window < 0 { // it looks at how long answers take
			slowed = c.silenced(s, p, wasted)
		}
		c.charge(Controller, h.Port, -1, s.Cause, s, wasted-slowed)
	}
	slow := unit.Duration(0)
	if own > 0 {
		slow = part(t-wasted, own/(others+own))
	}
	c.charge(SlowPort, h.Port, -1, s.Cause, s, slow)
	if s.Cause == cause.Pause && float64(h.Served-h.Mine) < alien*float64(h.Served) { // its own bytes made the port pause
		c.alone(s, h.Port, t-wasted-slow)
		return
	}
	c.shared(s, h.Port, t-wasted-slow)
}

// unused gives time that a window was full while the port that decides had nothing to send: to what was lost, for nothing behind a gap
// is acknowledged until that is closed; else to the window, or to the controller that sets it.
func (c *court) unused(s *Span, port int32, t unit.Duration) {
	p := c.e.Pairs[s.Pair]
	t -= c.silenced(s, p, t)
	switch {
	case p.loses():
		x := *s
		x.Time = t
		c.loss(&x)
	case p.Window < 0:
		c.charge(Controller, port, -1, s.Cause, s, t)
	default:
		c.charge(Window, -1, -1, s.Cause, s, t)
	}
}

// silenced gives of a time t that a window was full, or a rate low, to the pauses of the port by which acknowledgements came back, and
// returns how much: as long as that was paused.
func (c *court) silenced(s *Span, p *Pair, t unit.Duration) (gave unit.Duration) {
	port, whole := &Port{}, unit.Duration(0)
	for i := range p.Back {
		if o := &c.e.Ports[p.Back[i].Port]; o.Paused > port.Paused {
			port = o
		}
	}
	if port.Paused == 0 || c.silencing { // the pauses may spread from a port on the queue pair's own path, which is asked the same
		return 0
	}
	c.silencing = true
	defer func() { c.silencing = false }()
	held := part(t, float64(port.Paused)/float64(max(1, p.Held[cause.Window]+p.Held[cause.RateLimit])))
	roots := port.Roots
	for _, r := range roots {
		whole += r.Time
	}
	for _, r := range roots {
		if give := part(held, float64(r.Time)/float64(max(1, whole))); r.Port >= 0 {
			gave += give
			c.root(s, r.Port, give, 1)
		}
	}
	return gave
}

// loses reports whether anything of a queue pair was lost, or taken for lost.
func (p *Pair) loses() bool {
	lost := func(h Hop) bool { return len(h.Lost) > 0 }
	return p.Late+p.Gaps > 0 || p.NoRoom || slices.ContainsFunc(p.Path, lost) || slices.ContainsFunc(p.Back, lost)
}

// loss gives the time of repeats to the ports that lost packets or answers, and to a receiver that took
// late packets for lost.
func (c *court) loss(s *Span) {
	if s.Pair < 0 {
		c.charge(Timeouts, -1, -1, s.Cause, s, s.Time)
		return
	}
	p := c.e.Pairs[s.Pair]
	whole, late := p.Late, Reordering
	if p.NoRoom {
		late = NoRoom
	}
	for _, way := range [][]Hop{p.Path, p.Back} {
		for i := range way {
			for _, l := range way[i].Lost {
				whole += l.Frames
			}
		}
	}
	if whole == 0 {
		if p.Gaps == 0 && !p.NoRoom {
			late = Timeouts
		}
		c.charge(late, -1, -1, s.Cause, s, s.Time) // a gap though nothing was lost: packets were overtaken
		return
	}
	overtaken := part(s.Time, float64(p.Late)/float64(whole))
	if slow := c.laggard(p); p.Late > 0 && slow >= 0 { // packets are late by the slowest of equal ways
		c.charge(SlowPort, slow, -1, s.Cause, s, overtaken)
	} else {
		c.charge(late, -1, -1, s.Cause, s, overtaken)
	}
	lost := s.Time - c.usually(s, p, s.Time-overtaken) - overtaken
	for _, way := range [][]Hop{p.Path, p.Back} {
		for i := range way {
			for _, l := range way[i].Lost {
				t := part(lost, float64(l.Frames)/float64(whole-p.Late))
				c.charge(l.Kind, way[i].Port, -1, s.Cause, s, t)
				if x := c.sums[key{l.Kind, way[i].Port, -1}]; x != nil {
					x.timer += part(t, float64(p.Timer)/float64(max(1, p.Held[cause.Retransmission])))
				}
			}
		}
	}
}

// usually gives of a time t that went into repeats to the port where others' bytes would have taken it without them too, and returns
// how much that was: what others with as many bytes take of a port beside a queue pair's own, less what it was held back otherwise.
func (c *court) usually(s *Span, p *Pair, t unit.Duration) unit.Duration {
	repeats := p.Held[cause.Retransmission]
	if c.e.Delivered == nil || repeats == 0 || t <= 0 {
		return 0
	}
	own := c.e.Delivered(s.Pair)
	at, most := -1, unit.Duration(0)
	for i := range p.Path {
		h := &p.Path[i]
		fair, whole := min(own, int64(h.Mine)), int64(0)
		for _, f := range c.fill(h.Port) {
			if f.Pair != s.Pair {
				whole += min(fair, c.e.Delivered(f.Pair))
			}
		}
		all := unit.Bytes(fair + min(whole, int64(h.Served-h.Mine)))
		wait := c.e.Ports[h.Port].Rate.TransmitTime(all) - p.Line.TransmitTime(unit.Bytes(fair))
		if whole > 0 && wait > most && c.e.Ports[h.Port].Circle == 0 {
			at, most = i, wait
		}
	}
	most -= p.Held[cause.RateLimit] + p.Held[cause.Window] + p.Held[cause.Queueing] + p.Held[cause.OwnQueueing] + p.Held[cause.Pause]
	if at < 0 || most <= 0 {
		return 0
	}
	usual := part(t, float64(most)/float64(repeats))
	c.shared(s, p.Path[at].Port, usual)
	return usual
}

// laggard returns the port of a queue pair's paths that is slower than others that are equal to it, -1: there is none.
func (c *court) laggard(p *Pair) int32 {
	for i := range p.Path {
		port := p.Path[i].Port
		if x := c.choice(port); x != nil && c.slower(port, x) {
			return port
		}
	}
	return -1
}

// slower reports whether a port has less rate than another that is equal to it.
func (c *court) slower(port int32, x *Choice) bool {
	return slices.ContainsFunc(x.Equal, func(q int32) bool {
		return float64(c.e.Ports[port].Rate) < close*float64(c.e.Ports[q].Rate)
	})
}
