package fabric

import (
	"cmp"
	"maps"
	"slices"

	"railyard/internal/base/unit"
)

// A period that does what an earlier one did need not be simulated again (see package reuse). The fabric goes on where
// it is, as if no time had passed, but its counters count the repetitions, and so does what it tells of times since the
// start of the run: samples and load over time.
//
//	simulated  |--------|== P ==|----------|
//	told       |--------|== P ==|.. P ..|.. P ..|----------|
//	                    recorded  2 repetitions  ^ behind them by 2 P
//
// Repetitions may lie in what is recorded for a longer period; that has them as often when it is told again.

// repeat is what a fabric keeps for repetitions; nil: none are asked for.
type repeat struct {
	recording bool
	behind    unit.Duration // that the fabric's clock is, for repetitions
	seen      []seenQueue   // by queue
	touches   []touches     // by queue: since the first mark
	loads     []loadNotes   // by port: likewise
	again     []again       // in the order in which they were told, since the first mark
	samples   []Sample      // that were told last, for the next
}

// bookmark is an instant in what is recorded: so much was before it.
type bookmark struct {
	loads   []int32 // by port: runs
	touches []int32 // by queue: likewise
	again   int
}

// again is a period that was told again.
type again struct {
	since, until bookmark

	times int64
	took  unit.Duration
	sent  []int64         // by port: bytes in the period
	held  []unit.Duration // by queue
}

// echo is the so-many-th time that a period is told again.
type echo struct {
	of *again
	k  int64
}

// Mark is an instant at rest at which a period may begin, with what counters had counted by then.
type Mark struct {
	bookmark
	at         unit.Time // as it is told
	ports      []port
	held       []unit.Duration // by queue
	routeMarks []int32
	fill       []map[int32]int64
	pausedFor  [][]RootTime
	hops       int64
}

// kept is how much an island has recorded since the first mark: runs of its ports and queues.
type kept struct{ loads, touches int64 }

// seenQueue is the last touch of a queue, at instants as they are told. While nothing changes touches are not kept: but for
// those of one interval of samples after a change, one of which tells of it, and the last before a change, from which the
// next value counts.
type seenQueue struct {
	bytes   int64
	since   unit.Time // of the first touch that saw it
	last    unit.Time // touch
	settled bool      // touches are not kept any more
	unkept  bool      // the last one is not
}

// Sizes of what is kept, for the bound on memory.
const (
	portSize     = 224
	loadRunSize  = 56
	touchRunSize = 40
)

// AllowRepeats prepares for Record and Repeat: before the run.
func (f *Fabric) AllowRepeats() {
	f.repeat = &repeat{seen: make([]seenQueue, len(f.egress.queues)), touches: make([]touches, len(f.egress.queues)),
		loads: make([]loadNotes, len(f.links.ports))}
}

// Mark marks an instant at rest, between windows. From then on what is told of the run is recorded.
func (f *Fabric) Mark(now unit.Time) *Mark {
	f.repeat.recording = true
	m := f.stand(now)
	f.touchAnew(m.at)
	return m
}

// stand is a mark, from which on nothing needs to be recorded.
func (f *Fabric) stand(now unit.Time) *Mark {
	m := &Mark{bookmark: f.here(), at: now.Add(f.repeat.behind), ports: slices.Clone(f.links.ports),
		routeMarks: slices.Clone(f.routeMarks), hops: f.Hops()}
	for i := range f.fill {
		m.fill, m.pausedFor = append(m.fill, maps.Clone(f.fill[i])), append(m.pausedFor, slices.Clone(f.pfc.pausedFor[i]))
	}
	for i := range f.egress.slow {
		m.held = append(m.held, f.egress.slow[i].hold.total)
	}
	return m
}

// here is the end of what is recorded.
func (f *Fabric) here() (p bookmark) {
	for q := range f.repeat.touches {
		p.touches = append(p.touches, f.repeat.touches[q].cut())
	}
	for id := range f.repeat.loads {
		p.loads = append(p.loads, f.repeat.loads[id].cut())
	}
	p.again = len(f.repeat.again)
	return p
}

// touchAnew has the next touches of all queues be kept, from an instant on as it is told.
func (f *Fabric) touchAnew(at unit.Time) {
	for q := range f.egress.queues {
		f.repeat.seen[q] = seenQueue{bytes: f.egress.queues[q].bytes, since: at}
		if f.samples {
			f.egress.queues[q].sampled = 0
		}
	}
}

// StopRecording forgets what is recorded.
func (f *Fabric) StopRecording() {
	f.repeat.recording, f.repeat.again = false, nil
	clear(f.repeat.touches)
	clear(f.repeat.loads)
	for i := range f.links.states {
		f.links.states[i].kept = kept{}
	}
}

// Recorded returns how many bytes the record takes.
func (f *Fabric) Recorded() (bytes int64) {
	for i := range f.links.states {
		k := &f.links.states[i].kept
		bytes += loadRunSize*k.loads + touchRunSize*k.touches
	}
	if r := f.repeat; r != nil {
		for i := range r.again {
			bytes += 16 * int64(len(r.again[i].sent)+len(r.again[i].held)) // with two bookmarks
		}
	}
	return bytes
}

// MarkSize is about how many bytes a mark takes.
func (f *Fabric) MarkSize() int64 {
	return int64(len(f.links.ports))*(portSize+8) + 12*int64(len(f.egress.slow))
}

// Repeat has the period from a mark until now have happened n times more, and returns how often that is: it calls sampled with
// the samples of each repetition, those of each queue in order of time, and ends behind one after which that does not want more.
func (f *Fabric) Repeat(now unit.Time, m *Mark, n int64, sampled func(k int64, all []Sample) (more bool)) int64 {
	r, stand := f.repeat, f.stand(now)
	g := stand.period(m)
	for k := int64(1); k <= n; k++ {
		if !sampled(k, f.tell(&g, &g.until, k)) {
			n = k
		}
	}
	r.behind += unit.Duration(n) * g.took
	f.count(m, stand, n)
	if g.times = n; r.recording {
		r.again = append(r.again, g)
	}
	f.touchAnew(now.Add(r.behind))
	return n
}

// Conclude has what was between two marks, the later of which is an instant at rest, happen once more from now on, and nothing behind
// that, ever: the run ends. The state is what it was at the first mark. It returns the samples of that time.
func (f *Fabric) Conclude(now unit.Time, from, until *Mark) []Sample {
	g := f.stand(now).period(from)
	f.count(from, until, 1)
	return f.tell(&g, &until.bookmark, 1)
}

// tell has the load of a period up to some place in it be noted the k-th time more, and returns the samples.
func (f *Fabric) tell(g *again, until *bookmark, k int64) []Sample {
	shift, echoes := unit.Duration(k)*g.took, []echo{{g, k}}
	for id := range f.links.ports {
		f.loadAgain(PortID(id), &g.since, until, shift, echoes)
	}
	return f.egress.resample(&g.since, until, shift)
}

// loadAgain has the load of a port between two places be noted so much later, with what counters count of echoes.
func (f *Fabric) loadAgain(id PortID, from, to *bookmark, shift unit.Duration, echoes []echo) {
	runs := f.repeat.loads[id].runs
	if len(runs) == 0 {
		return
	}
	f.repeat.stretches(from, to, func(p *bookmark) int { return int(p.loads[id]) }, shift, echoes,
		func(from, to int, shift unit.Duration, echoes []echo) {
			for i := range runs[from:to] {
				r := &runs[from+i]
				q, sent, held := int(id)*f.nc+int(r.class), int64(0), r.held
				for _, e := range echoes {
					sent += e.k * e.of.sent[id]
					held += unit.Duration(e.k) * e.of.held[q]
				}
				f.loadOf(id).again(&r.touchRun, shift, sent, held)
			}
		})
}

// period is what happened from a mark until another.
func (m *Mark) period(from *Mark) again {
	g := again{since: from.bookmark, until: m.bookmark, took: m.at.Sub(from.at)}
	for i := range m.ports {
		g.sent = append(g.sent, m.ports[i].txBytes-from.ports[i].txBytes)
	}
	for q := range m.held {
		g.held = append(g.held, m.held[q]-from.held[q])
	}
	return g
}

// stretches calls tell with what is recorded of something between two places, in order of time: in says how much of that was before
// a place. What was told again in between is called as often, so much later.
func (r *repeat) stretches(from, to *bookmark, in func(*bookmark) int, shift unit.Duration, echoes []echo,
	tell func(from, to int, shift unit.Duration, echoes []echo)) {
	at := in(from)
	for i := from.again; i < to.again; i++ {
		g := &r.again[i]
		end := in(&g.until)
		tell(at, end, shift, echoes)
		at = end
		if g.since.again == i && in(&g.since) == end {
			continue // nothing
		}
		for k := int64(1); k <= g.times; k++ {
			r.stretches(&g.since, &g.until, in, shift+unit.Duration(k)*g.took, append(echoes, echo{g, k}), tell)
		}
	}
	tell(at, in(to), shift, echoes)
}

// count adds what counters counted between two marks n times more. What is a maximum stays.
func (f *Fabric) count(from, until *Mark, n int64) {
	d := unit.Duration(n)
	for i := range f.links.ports {
		p, now, was := &f.links.ports[i], &until.ports[i], &from.ports[i]
		frames := p.txFrames() + n*(now.txFrames()-was.txFrames())
		p.frames, p.wraps = uint32(frames), uint32(frames>>32)
		p.busy += d * (now.busy - was.busy)
		p.pausedTotal += d * (now.pausedTotal - was.pausedTotal)
		for _, c := range [][3]*int64{{&p.txBytes, &now.txBytes, &was.txBytes}, {&p.dataBytes, &now.dataBytes, &was.dataBytes},
			{&p.pfcFrames, &now.pfcFrames, &was.pfcFrames}, {&p.pausesSent, &now.pausesSent, &was.pausesSent},
			{&p.pausesReceived, &now.pausesReceived, &was.pausesReceived}, {&p.marks, &now.marks, &was.marks},
			{&p.detected, &now.detected, &was.detected}, {&p.restored, &now.restored, &was.restored}} {
			*c[0] += n * (*c[1] - *c[2])
		}
		for flow, bytes := range until.fill[i] {
			f.fill[i][flow] += n * (bytes - from.fill[i][flow])
		}
		for k := range f.pfc.pausedFor[i] {
			t := &f.pfc.pausedFor[i][k]
			t.Time += d * (TimeOf(until.pausedFor[i], t.Root) - TimeOf(from.pausedFor[i], t.Root))
		}
	}
	for i := range f.egress.slow {
		f.egress.slow[i].hold.total += d * (until.held[i] - from.held[i])
	}
	for i := range f.routeMarks {
		f.routeMarks[i] += int32(n) * (until.routeMarks[i] - from.routeMarks[i])
	}
	f.links.states[0].hops += n * (until.hops - from.hops)
}

// TimeOf is that of a port in a list.
func TimeOf(all []RootTime, root PortID) unit.Duration {
	for _, t := range all {
		if t.Root == root {
			return t.Time
		}
	}
	return 0
}

// resample returns the samples that touches between two places would have had taken so much later, until it is called again: those
// of each queue in order of time.
func (eg *egress) resample(from, to *bookmark, shift unit.Duration) []Sample {
	all := eg.repeat.samples[:0]
	for q := range eg.slow {
		runs := eg.repeat.touches[q].runs
		if len(runs) == 0 {
			continue
		}
		eg.repeat.stretches(from, to, func(p *bookmark) int { return int(p.touches[q]) }, shift, nil,
			func(from, to int, shift unit.Duration, _ []echo) {
				for i := range runs[from:to] {
					all = eg.sampleAgain(all, q, &runs[from+i], shift)
				}
			})
	}
	eg.repeat.samples = all
	return all
}

// InOrder sorts samples in the order in which they are taken in a run: by time, then by queue.
func InOrder(all []Sample) {
	slices.SortFunc(all, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Index, b.Index))
	})
}

// sampleAgain appends the samples of a run of touches of a queue.
func (eg *egress) sampleAgain(all []Sample, q int, r *touchRun, shift unit.Duration) []Sample {
	s, every := &eg.slow[q], int64(eg.cfg.SampleEvery)
	for i := int64(0); i < int64(r.n); i++ {
		i = r.from(i, unit.Time(s.lastSample*every+every-every/2).Add(-shift)) // the others have the index that was seen last
		if i >= int64(r.n) {
			break
		}
		at, bytes := r.touch(i)
		at = at.Add(shift)
		if bytes != s.lastValue {
			all = append(all, Sample{Port: PortID(q / eg.nc), Class: uint8(q % eg.nc), Index: s.lastSample,
				Bytes: unit.Bytes(bytes), At: at})
			s.lastValue = bytes
		}
		s.lastSample = (int64(at) + every/2) / every
	}
	return all
}

// LastArrival is when the last frame that was sent, but for PFC frames, has arrived or will.
func (f *Fabric) LastArrival() (at unit.Time) {
	for i := range f.links.ports {
		if p := &f.links.ports[i]; p.txBytes > 0 {
			at = max(at, p.busyUntil.Add(p.delay))
		}
	}
	return at
}

// keepLoad records a call of noteLoad, and counts what was repeated before it.
func (ev *evidence) keepLoad(now unit.Time, id PortID, class uint8, sent int64, held unit.Duration) {
	r, at := ev.repeat, now.Add(ev.repeat.behind)
	if r.recording {
		ev.links.stateOf(id).kept.loads += r.loads[id].add(at, sent, held, class)
	}
	ev.loadAt(at, id, sent, held)
}

// touched records that a queue was looked at, before what waits in it changes.
func (eg *egress) touched(now unit.Time, id PortID, class int, q *queue) {
	i := int(id)*eg.nc + class
	s, k, at := &eg.repeat.seen[i], &eg.links.stateOf(id).kept, now.Add(eg.repeat.behind)
	if q.bytes != s.bytes {
		if s.unkept {
			k.touches += eg.repeat.touches[i].add(s.last, s.bytes)
		}
		*s = seenQueue{bytes: q.bytes, since: at}
	}
	s.last, s.unkept = at, s.settled
	if !s.settled {
		k.touches += eg.repeat.touches[i].add(at, q.bytes)
		s.settled = at.Sub(s.since) > eg.cfg.SampleEvery
	}
}
