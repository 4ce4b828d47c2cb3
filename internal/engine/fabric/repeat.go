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

// repeat is what a fabric keeps for repetitions; nil: none are asked for.
type repeat struct {
	recording bool
	behind    unit.Duration // that the fabric's clock is, for repetitions
	seen      []seenQueue   // by queue
	touches   []touches     // by queue: since the first mark
}

// Mark is an instant at rest at which a period may begin, with what counters had counted by then.
type Mark struct {
	at         unit.Time
	ports      []port
	held       []unit.Duration // by queue
	routeMarks []int32
	fill       []map[int32]int64
	pausedFor  [][]RootTime
	hops       int64
	loads      []int   // by island: how many were recorded
	touches    []int32 // by queue: how many runs there were
}

// kept is what an island has recorded since the first mark.
type kept struct {
	loads []loadNote
	runs  int64 // of touches, of the island's queues
}

// loadNote is a call of noteLoad.
type loadNote struct {
	at   unit.Time
	sent int64
	held unit.Duration
	port int32
	q    int32
}

// seenQueue is the last touch of a queue. While nothing changes touches are not kept: but for those of one interval of
// samples after a change, one of which tells of it, and the last before a change, from which the next value counts.
type seenQueue struct {
	bytes   int64
	since   unit.Time // of the first touch that saw it
	last    unit.Time // touch
	settled bool      // touches are not kept any more
	unkept  bool      // the last one is not
}

// Sizes of what is kept, for the bound on memory.
const (
	loadNoteSize = 32
	runSize      = 56
)

// AllowRepeats prepares for Record and Repeat: before the run.
func (f *Fabric) AllowRepeats() {
	f.repeat = &repeat{seen: make([]seenQueue, len(f.egress.queues)), touches: make([]touches, len(f.egress.queues))}
}

// Mark marks an instant at rest, between windows. From then on what is told of the run is recorded.
func (f *Fabric) Mark(now unit.Time) *Mark {
	r := f.repeat
	m := &Mark{at: now, ports: slices.Clone(f.links.ports), routeMarks: slices.Clone(f.routeMarks), hops: f.Hops()}
	r.recording = true
	for i := range f.fill {
		m.fill, m.pausedFor = append(m.fill, maps.Clone(f.fill[i])), append(m.pausedFor, slices.Clone(f.pfc.pausedFor[i]))
	}
	for i := range f.egress.queues {
		m.held = append(m.held, f.egress.slow[i].hold.total)
		r.seen[i] = seenQueue{bytes: f.egress.queues[i].bytes, since: now}
		m.touches = append(m.touches, r.touches[i].cut())
		if f.samples {
			f.egress.queues[i].sampled = 0
		}
	}
	for i := range f.links.states {
		m.loads = append(m.loads, len(f.links.states[i].kept.loads))
	}
	return m
}

// StopRecording forgets what is recorded.
func (f *Fabric) StopRecording() {
	f.repeat.recording = false
	clear(f.repeat.touches)
	for i := range f.links.states {
		f.links.states[i].kept = kept{}
	}
}

// Recorded returns how many bytes the record takes.
func (f *Fabric) Recorded() (bytes int64) {
	for i := range f.links.states {
		k := &f.links.states[i].kept
		bytes += loadNoteSize*int64(len(k.loads)) + runSize*k.runs
	}
	return bytes
}

// Repeat has the period from a mark until now have happened n times more, and returns how often that is: it calls sampled with
// the samples of each repetition in order of time, and ends behind one after which that does not want more.
func (f *Fabric) Repeat(now unit.Time, m *Mark, n int64, sampled func(k int64, all []Sample) (more bool)) int64 {
	r := f.repeat
	period := now.Sub(m.at)
	for k := int64(1); k <= n; k++ {
		shift := r.behind + unit.Duration(k)*period
		for i := range f.links.states {
			own := &f.links.states[i].kept
			for _, x := range own.loads[m.loads[i]:] {
				id := PortID(x.port)
				sent := x.sent + k*(f.links.ports[id].txBytes-m.ports[id].txBytes)
				held := x.held + unit.Duration(k)*(f.egress.slow[x.q].hold.total-m.held[x.q])
				f.loadAt(x.at.Add(shift), id, sent, held)
			}
		}
		if !sampled(k, f.egress.resample(m, shift)) {
			n = k
		}
	}
	r.behind += unit.Duration(n) * period
	f.count(m, n)
	return n
}

// count adds what counters have counted since a mark n times more. What is a maximum stays.
func (f *Fabric) count(m *Mark, n int64) {
	for i := range f.links.ports {
		p, was := &f.links.ports[i], &m.ports[i]
		frames := p.txFrames() + n*(p.txFrames()-was.txFrames())
		p.frames, p.wraps = uint32(frames), uint32(frames>>32)
		p.busy += unit.Duration(n) * (p.busy - was.busy)
		p.pausedTotal += unit.Duration(n) * (p.pausedTotal - was.pausedTotal)
		for _, c := range [][2]*int64{{&p.txBytes, &was.txBytes}, {&p.dataBytes, &was.dataBytes}, {&p.pfcFrames, &was.pfcFrames},
			{&p.pausesSent, &was.pausesSent}, {&p.pausesReceived, &was.pausesReceived}, {&p.marks, &was.marks},
			{&p.detected, &was.detected}, {&p.restored, &was.restored}} {
			*c[0] += n * (*c[0] - *c[1])
		}
		for flow, bytes := range f.fill[i] {
			f.fill[i][flow] += n * (bytes - m.fill[i][flow])
		}
		for k := range f.pfc.pausedFor[i] {
			t := &f.pfc.pausedFor[i][k]
			t.Time += unit.Duration(n) * (t.Time - TimeOf(m.pausedFor[i], t.Root))
		}
	}
	for i := range f.egress.slow {
		f.egress.slow[i].hold.total += unit.Duration(n) * (f.egress.slow[i].hold.total - m.held[i])
		if f.samples {
			f.egress.queues[i].sampled = 0
		}
	}
	for i := range f.routeMarks {
		f.routeMarks[i] += int32(n) * (f.routeMarks[i] - m.routeMarks[i])
	}
	f.links.states[0].hops += n * (f.Hops() - m.hops)
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

// resample returns the samples that touches since a mark would have had taken so much later.
func (eg *egress) resample(m *Mark, shift unit.Duration) (all []Sample) {
	every := int64(eg.cfg.SampleEvery)
	for q := range eg.slow {
		s := &eg.slow[q]
		for _, r := range eg.repeat.touches[q].runs[m.touches[q]:] {
			for i := int64(0); i < r.n; i++ {
				i = r.from(i, unit.Time(s.lastSample*every+every-every/2).Add(-shift)) // the others have the index that was seen last
				if i >= r.n {
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
		}
	}
	slices.SortStableFunc(all, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Class, b.Class))
	})
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
	r := ev.repeat
	q := int32(int(id)*ev.nc + int(class))
	if r.recording {
		k := &ev.links.stateOf(id).kept
		k.loads = append(k.loads, loadNote{now, sent, held, int32(id), q})
	}
	ev.loadAt(now.Add(r.behind), id, sent, held)
}

// touched records that a queue was looked at, before what waits in it changes.
func (eg *egress) touched(now unit.Time, id PortID, class int, q *queue) {
	i := int(id)*eg.nc + class
	s, k := &eg.repeat.seen[i], &eg.links.stateOf(id).kept
	if q.bytes != s.bytes {
		if s.unkept {
			k.runs += eg.repeat.touches[i].add(s.last, s.bytes)
		}
		*s = seenQueue{bytes: q.bytes, since: now}
	}
	s.last, s.unkept = now, s.settled
	if !s.settled {
		k.runs += eg.repeat.touches[i].add(now, q.bytes)
		s.settled = now.Sub(s.since) > eg.cfg.SampleEvery
	}
}
