package record

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
)

// What happens again and is not simulated again is told all the same: what was heard in a period is heard once more for
// each repetition, so much later and so many steps further. Nothing that sums it up knows of that. What the simulation
// tells behind repetitions is later by as much, since its own clock stood still for them.

// repeats is what a recorder keeps for repetitions. The run has one job, of ranks.
type repeats struct {
	recording, again bool
	behind           unit.Duration // that the run's clock is
	steps            int64         // that its ranks are
	log              []any         // since the first mark: what was heard, as it was told
	ways             ways          // of flows in the log
	lost             int64         // frames, and timeouts
	told             struct {      // what is heard again at the moment: nobody keeps it
		flow      flow
		operation operationOf
		step      stepOf
	}
}

// ways are hops of messages: many messages are held up as long as each other, and each way is kept once, as a hop after one
// that is kept.
type ways struct {
	of    map[way]int32
	steps []way
	last  []nic.HopWait // that were asked for
}

type way struct {
	before int32 // the one before; -1: the first
	hop    nic.HopWait
}

// keep returns the way of hops, -1 of none.
func (w *ways) keep(hops []nic.HopWait) int32 {
	at := int32(-1)
	for _, h := range hops {
		x := way{at, h}
		n, is := w.of[x]
		if !is {
			if n = int32(len(w.steps)); w.of == nil {
				w.of = map[way]int32{}
			}
			w.of[x], w.steps = n, append(w.steps, x)
		}
		at = n
	}
	return at
}

// hops returns those of a way, until it is called again.
func (w *ways) hops(at int32) []nic.HopWait {
	w.last = w.last[:0]
	for ; at >= 0; at = w.steps[at].before {
		w.last = append(w.last, w.steps[at].hop)
	}
	slices.Reverse(w.last)
	return w.last
}

// Mark is an instant between windows from which on what is heard is kept.
type Mark struct {
	from int // in the log
	lost int64
}

// loggedFlow is a flow with its hops. Steps, operations and paths are kept as they are.
type loggedFlow struct {
	flow // without Hops
	way  int32
}

// toldAgain is that what was heard since a mark was heard so many times more, up to there.
type toldAgain struct {
	from  int // in the log
	times int64
	took  unit.Duration // each
	steps int64         // likewise
	moved func(k int64) Moved
}

// later is an instant of the run as it is told; -1 stays what never was.
func (x *repeats) later(at unit.Time, d unit.Duration) unit.Time {
	if at < 0 {
		return at
	}
	return at.Add(d)
}

// Mark marks an instant.
func (r *Recorder) Mark() *Mark {
	x := &r.repeats
	x.recording = true
	return &Mark{from: len(x.log), lost: x.lost}
}

// StopRecording forgets what is kept.
func (r *Recorder) StopRecording() {
	r.repeats.recording, r.repeats.log, r.repeats.ways = false, nil, ways{}
}

// Sizes of what is kept, about: of a message in the log, and of a way one hop longer than another.
const (
	loggedSize = 400
	waySize    = 200
)

// Recorded returns about how many bytes what is kept takes.
func (r *Recorder) Recorded() (bytes int64) {
	return loggedSize*int64(len(r.repeats.log)) + waySize*int64(len(r.repeats.ways.steps))
}

// LostSince reports whether frames were lost since a mark, or sent again.
func (r *Recorder) LostSince(m *Mark) bool { return r.repeats.lost > m.lost }

// moved has a flow be so much later.
func (f *flow) moved(x *repeats, d unit.Duration, steps int64) {
	f.Posted, f.Placed, f.Acked = x.later(f.Posted, d), x.later(f.Placed, d), x.later(f.Acked, d)
	if f.message.is && f.message.step != workload.StartStep {
		f.message.step += steps
	}
}

func (s *stepOf) moved(d unit.Duration, steps int64) {
	s.Start, s.End = s.Start.Add(d), s.End.Add(d)
	if s.Step != workload.StartStep {
		s.Step += steps
	}
	for i := range s.waits {
		w := &s.waits[i]
		w.From, w.To = w.From.Add(d), w.To.Add(d)
	}
}

func (o *operationOf) moved(d unit.Duration, steps int64) {
	o.Start, o.End = o.Start.Add(d), o.End.Add(d)
	if o.Step != workload.StartStep {
		o.Step += steps
	}
}

// movedPath has a path be so much later.
func movedPath(p *exec.PathRecord, d unit.Duration, steps int64) {
	p.Start, p.End = p.Start.Add(d), p.End.Add(d)
	if p.Step != workload.StartStep {
		p.Step += steps
	}
	for i := range p.Parts {
		q := &p.Parts[i]
		if q.From, q.Until = q.From.Add(d), q.Until.Add(d); q.Step != workload.StartStep {
			q.Step += steps
		}
	}
	for r, at := range p.Reached {
		if at != unit.Never {
			p.Reached[r] = at.Add(d)
		}
	}
}

// flow has what was heard be as late as it is told, and keeps it; so do the others.
func (x *repeats) flow(f *flow) {
	if f.moved(x, x.behind, x.steps); x.recording {
		c := &loggedFlow{*f, x.ways.keep(f.Hops)}
		c.Hops = nil
		x.log = append(x.log, c)
	}
}

func (x *repeats) step(s *stepOf) {
	if s.moved(x.behind, x.steps); x.recording {
		c := *s
		c.waits = slices.Clone(s.waits)
		x.log = append(x.log, &c)
	}
}

func (x *repeats) operation(o *operationOf) {
	if o.moved(x.behind, x.steps); x.recording {
		x.log = append(x.log, new(*o))
	}
}

func (x *repeats) path(p *exec.PathRecord) {
	if movedPath(p, x.behind, x.steps); x.recording {
		c := *p
		c.Parts, c.Reached = slices.Clone(p.Parts), slices.Clone(p.Reached)
		x.log = append(x.log, &c)
	}
}

// Repeating reports whether what is heard is heard again.
func (r *Recorder) Repeating() bool { return r.repeats.again }

// Moved is what is otherwise when something is heard again: nil is nothing.
type Moved struct {
	Operation func(o *exec.OperationRecord)                           // be that of a rank which stands for it
	Step      func(s *exec.StepRecord, waits []exec.Wait) []exec.Wait // have begun in another way; it returns the waits
}

// Again has what was heard since a mark be heard once more, so much later than it was and so many steps further, with the
// samples of queues of that time, and moved.
func (r *Recorder) Again(m *Mark, d unit.Duration, steps int64, moved Moved, samples Samples) {
	r.hearAgain(samples, func() { r.hear(m.from, len(r.repeats.log), d, steps, moved, nil) })
}

// Conclude has what was heard of a step between two marks be heard once more, and behind that what was of the step, too: the run
// ends with it. All ranks were in the step at the first mark, and in it, or in the next and had not sent anything there, at the other.
func (r *Recorder) Conclude(from, until *Mark, d unit.Duration, steps, step int64, moved Moved, samples Samples) {
	r.hearAgain(samples, func() {
		r.hear(from.from, until.from, d, steps, moved, func(of int64) bool { return of != step+1 })
		r.hear(until.from, len(r.repeats.log), d, steps, moved, func(of int64) bool { return of == step })
	})
}

// ofStep is the step of ranks in which something was heard; StartStep of a message or a repetition: of those that may be asked for
// there is none.
func ofStep(l any) int64 {
	switch l := l.(type) {
	case *operationOf:
		return l.Step
	case *stepOf:
		return l.Step
	case *exec.PathRecord:
		return l.Step
	}
	return workload.StartStep
}

// Whole reports whether steps since a mark can be told whole: no critical path reaches back behind the step that it is of, nor, of a
// rank, to where what that did is the same in each. If the last is to be told up to what is left of it to compute behind another
// mark, nothing was told again there; nil: nothing is left.
func (r *Recorder) Whole(from, until *Mark, same []unit.Time) bool {
	for i := from.from; i < len(r.repeats.log); i++ {
		switch l := r.repeats.log[i].(type) {
		case *exec.PathRecord:
			back := func(q exec.PathPart) bool { return q.Kind == exec.PathUnknown || q.Step != l.Step }
			if r.jobs[0].critical.of(l.Step+1) && (slices.ContainsFunc(l.Parts, back) || behind(l, same)) {
				return false
			}
		case *toldAgain:
			if until != nil && i >= until.from {
				return false
			}
		}
	}
	return true
}

// behind reports whether a path is found from what a rank did before an instant of it.
func behind(p *exec.PathRecord, at []unit.Time) bool {
	for r := range at {
		if p.Reached[r] < at[r] {
			return true
		}
	}
	return false
}

// Samples tells of those of queues, in the order in which they are taken in a run or in any.
type Samples func(inOrder bool, tell func(*fabric.Sample))

// hearAgain has something be heard that was heard, with samples of queues.
func (r *Recorder) hearAgain(samples Samples, hear func()) {
	x := &r.repeats
	recording := x.recording
	x.recording, x.again = false, true
	defer func() { x.recording, x.again = recording, false }()
	hear()
	samples(r.queues.Rows(), r.sample) // of sums of each queue order is nothing
}

// hear has a stretch of the log be heard once more, of steps that are asked for; nil: of all.
func (r *Recorder) hear(from, to int, d unit.Duration, steps int64, moved Moved, asked func(step int64) bool) {
	x := &r.repeats
	for i, l := range x.log[from:to] {
		if asked != nil && !asked(ofStep(l)) {
			continue
		}
		switch l := l.(type) {
		case *loggedFlow:
			f := &x.told.flow
			*f = l.flow
			f.Hops = x.ways.hops(l.way)
			f.moved(x, d, steps)
			r.flow(f)
		case *operationOf:
			o := &x.told.operation
			*o = *l
			o.moved(d, steps)
			moved.operation(&o.OperationRecord)
			o.job.operation(&o.OperationRecord)
		case *stepOf:
			s := &x.told.step
			*s = *l
			s.waits = slices.Clone(l.waits)
			s.moved(d, steps)
			if moved.Step != nil {
				s.waits = moved.Step(&s.StepRecord, s.waits)
			}
			s.job.step(&s.StepRecord, s.waits)
		case *exec.PathRecord:
			p := *l
			p.Parts, p.Reached = slices.Clone(p.Parts), nil
			movedPath(&p, d, steps)
			if c := &r.jobs[0].critical; c.of(p.Step) {
				c.path(&p)
			}
		case *toldAgain:
			for k := int64(1); k <= l.times; k++ {
				r.hear(l.from, from+i, d+unit.Duration(k)*l.took, steps+k*l.steps, l.moved(k).then(moved), asked)
			}
		}
	}
}

// operation moves an operation, if that is asked.
func (m Moved) operation(o *exec.OperationRecord) {
	if m.Operation != nil {
		m.Operation(o)
	}
}

// then moves an operation twice. Of whole steps nothing longer is ever heard again.
func (m Moved) then(other Moved) Moved {
	return Moved{Operation: func(o *exec.OperationRecord) {
		m.operation(o)
		other.operation(o)
	}}
}

// ToldAgain keeps, while what is heard is kept, that what was heard since a mark has been heard so many times more, each of which
// took so long and so many steps: what is heard again of a longer period has it as often. moved says which operations the k-th time had.
func (r *Recorder) ToldAgain(m *Mark, times int64, took unit.Duration, steps int64, moved func(k int64) Moved) {
	if x := &r.repeats; x.recording && times > 0 {
		x.log = append(x.log, &toldAgain{m.from, times, took, steps, moved})
	}
}

// Behind has what is heard from now on be told so much later and so many steps further.
func (r *Recorder) Behind(d unit.Duration, steps int64) { r.repeats.behind, r.repeats.steps = d, steps }
