package record

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
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
	log              []logged      // since the first mark
	lost             int64         // frames, and timeouts
}

// Mark is an instant between windows from which on what is heard is kept.
type Mark struct {
	from int // in the log
	lost int64
}

// logged is something that was heard, as it was told: one of these.
type logged struct {
	flow *flow // with its hops
	step *stepOf
	op   *operationOf
	path *exec.PathRecord
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
func (r *Recorder) StopRecording() { r.repeats.recording, r.repeats.log = false, nil }

// loggedSize is about how many bytes a message takes in the log, with its hops.
const loggedSize = 800

// Recorded returns about how many bytes what is kept takes.
func (r *Recorder) Recorded() (bytes int64) {
	return loggedSize * int64(len(r.repeats.log))
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
}

// flow has what was heard be as late as it is told, and keeps it; so do the others.
func (x *repeats) flow(f *flow) {
	if f.moved(x, x.behind, x.steps); x.recording {
		c := *f
		c.Hops = slices.Clone(f.Hops)
		x.log = append(x.log, logged{flow: &c})
	}
}

func (x *repeats) step(s *stepOf) {
	if s.moved(x.behind, x.steps); x.recording {
		c := *s
		c.waits = slices.Clone(s.waits)
		x.log = append(x.log, logged{step: &c})
	}
}

func (x *repeats) operation(o *operationOf) {
	if o.moved(x.behind, x.steps); x.recording {
		x.log = append(x.log, logged{op: new(*o)})
	}
}

func (x *repeats) path(p *exec.PathRecord) {
	if movedPath(p, x.behind, x.steps); x.recording {
		c := *p
		c.Parts = slices.Clone(p.Parts)
		x.log = append(x.log, logged{path: &c})
	}
}

// Repeating reports whether what is heard is heard again.
func (r *Recorder) Repeating() bool { return r.repeats.again }

// Again has what was heard since a mark be heard once more, so much later than it was and so many steps further, with the
// samples of queues of that time.
func (r *Recorder) Again(m *Mark, d unit.Duration, steps int64, samples []fabric.Sample) {
	x := &r.repeats
	recording := x.recording
	x.recording, x.again = false, true
	defer func() { x.recording, x.again = recording, false }()
	for _, l := range x.log[m.from:] {
		switch {
		case l.flow != nil:
			f := *l.flow
			f.moved(x, d, steps)
			r.flow(&f)
		case l.op != nil:
			o := *l.op
			o.moved(d, steps)
			o.job.operation(&o.OperationRecord)
		case l.step != nil:
			s := *l.step
			s.waits = slices.Clone(s.waits)
			s.moved(d, steps)
			s.job.step(&s.StepRecord, s.waits)
		default:
			p := *l.path
			p.Parts = slices.Clone(p.Parts)
			movedPath(&p, d, steps)
			r.jobs[0].critical.path(&p)
		}
	}
	for i := range samples {
		r.sample(&samples[i])
	}
}

// Behind has what is heard from now on be told so much later and so many steps further.
func (r *Recorder) Behind(d unit.Duration, steps int64) { r.repeats.behind, r.repeats.steps = d, steps }
