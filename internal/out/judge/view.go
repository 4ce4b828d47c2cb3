package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
	"railyard/internal/out/noun"
)

// view is what is known, by port.
type view struct {
	Case
	ports  []port
	byName map[string]int
	queues []*telemetry.Series
	gone   bool                     // ranks have not come to a collective in which others wait
	clock  map[string]unit.Duration // how late clocks of hosts go
}

// port is a port of a switch or a NIC.
type port struct {
	*telemetry.Series
	was *telemetry.Series // when all was in order; nil: not known
	id  topo.PortID       // -1: the topology does not have it
}

func newView(c Case) *view {
	late := clocks(c.Now)
	c.Now = aligned(c.Now, late)
	if c.Healthy != nil {
		c.Healthy = aligned(c.Healthy, clocks(c.Healthy))
	}
	v := &view{Case: c, byName: map[string]int{}, queues: c.Now.Find(telemetry.Queue), clock: late}
	known, was := map[string]topo.PortID{}, map[string]*telemetry.Series{}
	if c.Graph != nil {
		for id := range c.Graph.Ports {
			known[c.Graph.Ports[id].Name] = topo.PortID(id)
		}
	}
	if c.Healthy != nil {
		for _, s := range c.Healthy.Find(telemetry.Port, telemetry.NIC) {
			was[s.Port] = s
		}
	}
	for _, s := range c.Now.Find(telemetry.Port, telemetry.NIC) {
		p := port{s, was[s.Port], -1}
		if id, ok := known[s.Port]; ok {
			p.id = id
		}
		v.byName[s.Port] = len(v.ports)
		v.ports = append(v.ports, p)
	}
	return v
}

// peer is the other end of the port's link, nil if it is not known.
func (v *view) peer(p *port) *port {
	if p.id < 0 {
		return nil
	}
	if i, ok := v.byName[v.Graph.Ports[p.id^1].Name]; ok {
		return &v.ports[i]
	}
	return nil
}

// place is that of a port.
func place(name string) noun.Place { return noun.Place{Kind: noun.Port, Name: name} }

func switchPlace(name string) noun.Place { return noun.Place{Kind: noun.Switch, Name: name} }

// toward is the port that sends to this one, or the port itself where that is not known.
func (v *view) toward(p *port) string {
	if p.id >= 0 {
		return v.Graph.Ports[p.id^1].Name
	}
	return p.Port
}

// rose is how much a counter has counted; 0 where it was not read.
func rose(s *telemetry.Series, c telemetry.Counter) int64 {
	if s == nil {
		return 0
	}
	n, _ := s.Total(c)
	return n
}

// reading quotes the first and the last reading of a counter.
func reading(s *telemetry.Series, c telemetry.Counter) string {
	first, last := int64(telemetry.Unknown), int64(telemetry.Unknown)
	for _, x := range s.Values[c] {
		if x == telemetry.Unknown {
			continue
		}
		if first == telemetry.Unknown {
			first = x
		}
		last = x
	}
	return fmt.Sprintf("%s from %d to %d", telemetry.Counters[c].Name, first, last)
}

// when writes a time in full, by the clock of a device.
func (v *view) when(device string, t unit.Time) string { return when(t.Add(v.clock[device])) }

func when(t unit.Time) string {
	return strconv.FormatFloat(float64(t)/float64(unit.Microsecond), 'f', -1, 64) + " us"
}

// share is how much of what a port sent another counter counted.
func share(s *telemetry.Series, c telemetry.Counter) float64 {
	if s == nil {
		return 0
	}
	if sent := rose(s, telemetry.TxPackets); sent > 0 {
		return float64(rose(s, c)) / float64(sent)
	}
	return 0
}

// last is the last reading of a counter, 0 where there is none.
func last(s *telemetry.Series, c telemetry.Counter) int64 {
	if s == nil {
		return 0
	}
	all := s.Values[c]
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] != telemetry.Unknown {
			return all[i]
		}
	}
	return 0
}

// least is the lowest value of a gauge, and when; Unknown where it was not read.
func least(s *telemetry.Series, c telemetry.Counter) (low int64, at int) {
	low = telemetry.Unknown
	if s == nil {
		return low, 0
	}
	for i, x := range s.Values[c] {
		if x != telemetry.Unknown && (low == telemetry.Unknown || x < low) {
			low, at = x, i
		}
	}
	return low, at
}

// one quotes a value.
func one(c telemetry.Counter, value int64) string {
	return fmt.Sprintf("%s %d", telemetry.Counters[c].Name, value)
}

// frames is how many frames make a queue long: a window's worth of a sender that meets no other is shorter.
const frames = 8

// long reports whether a port's queue was longer than in order, and several frames long.
func (v *view) long(p *port) bool {
	deep := last(p.Series, telemetry.Watermark)
	return deep > 0 && deep >= frames*p.meanFrame() && float64(deep) > 1.5*float64(last(p.was, telemetry.Watermark))
}

// slower is how much longer the middle step of the last rank took than in order, with that step then and now; known is false where no
// steps were logged.
func (v *view) slower() (by float64, now, was *telemetry.Part, known bool) {
	if v.Healthy == nil {
		return 0, nil, nil, false
	}
	now, was = middle(v.Now.Steps), middle(v.Healthy.Steps)
	if now == nil || was == nil || was.End <= was.Start {
		return 0, nil, nil, false
	}
	return float64(now.End.Sub(now.Start))/float64(was.End.Sub(was.Start)) - 1, now, was, true
}

// middle is the step of median length of those that ended.
func middle(steps []telemetry.Part) *telemetry.Part {
	var all []*telemetry.Part
	for i := range steps {
		if steps[i].End > steps[i].Start {
			all = append(all, &steps[i])
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *telemetry.Part) int { return cmp.Compare(a.End.Sub(a.Start), b.End.Sub(b.Start)) })
	return all[len(all)/2]
}

// costs says against a hypothesis of traffic that meets that steps take as long as in order, where they do.
func (v *view) costs(h *making) *making {
	if by, now, _, known := v.slower(); known && by < 0.01 {
		h.says(-strong, now.Device, "step %d of rank %d took from %s to %s, no longer than in order", now.Seq, now.Rank,
			v.when(now.Device, now.Start), v.when(now.Device, now.End))
	}
	return h
}

// held is how much of its time between reads a port was held all the time, and how much of it at all.
func held(s *telemetry.Series) (whole, any float64) {
	if s == nil {
		return 0, 0
	}
	var full, sum unit.Duration
	for i := 1; i < len(s.At); i++ {
		n, known := s.Rise(telemetry.RxPause, i-1, i)
		d := s.At[i].Sub(s.At[i-1])
		if !known || d <= 0 {
			continue
		}
		// The counter's clock and the reader's differ a little.
		paused := min(d, unit.Duration(min(n, int64(d/unit.Microsecond)+1))*unit.Microsecond)
		if sum += paused; float64(paused) >= 0.9*float64(d) {
			full += d
		}
	}
	if span := s.Span(); span > 0 {
		return float64(full) / float64(span), float64(sum) / float64(span)
	}
	return 0, 0
}

// isHost reports whether a port is a NIC's, or leads to a host.
func (v *view) toHost(p *port) bool {
	return p.id >= 0 && v.Graph.Nodes[v.Graph.Ports[p.id].To].Kind == topo.HostKind
}

// rate is that of a port's link, 0 where it is not known.
func (v *view) rate(p *port) float64 {
	if p.id < 0 {
		return 0
	}
	return float64(v.Graph.Ports[p.id].Rate)
}

// unknown says what the judge could not see, and for want of what.
func (v *view) unknown(named map[Mechanism]bool) (all []string) {
	for _, m := range Mechanisms() {
		if missing := v.missing(m); len(missing) > 0 && !named[m] {
			all = append(all, string(m)+": want "+strings.Join(missing, ", "))
		}
	}
	if !slices.ContainsFunc(v.Now.Series, func(s telemetry.Series) bool { return s.Has(telemetry.Power) }) {
		all = append(all, "whether a GPU that is late computes or stands still: want "+telemetry.Counters[telemetry.Power].Name)
	}
	return all
}

// channelLines reports whether NCCL said how it sends.
func (v *view) channelLines() bool {
	return slices.ContainsFunc(v.Now.Lines, func(l telemetry.Text) bool { return strings.Contains(l.Text, viaNetwork) })
}

// line finds a line of a log about a device, and a port if one is named, that holds all words.
func (v *view) line(device, port string, words ...string) (telemetry.Text, bool) {
	for _, l := range v.Now.Lines {
		if l.Device != device || port != "" && l.Port != port {
			continue
		}
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(l.Text, w) }) {
			return l, true
		}
	}
	return telemetry.Text{}, false
}
