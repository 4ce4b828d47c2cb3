package record

import (
	"cmp"
	"slices"
	"sync/atomic"

	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/job/exec"
	"railyard/internal/job/workload"
	"railyard/internal/out/result"
)

// island is what was heard from one island since the last join. Only what handles the events of that island
// writes it, on whatever core. After a window the islands are joined: what was heard is taken in the order
// (time, kind, owner), which no partition changes, since an owner belongs to one island.
//
//	island 0:  a(3) c(7)            a(3) b(5) c(7)
//	island 1:            b(5)  ==>
//
// What one owner says at one instant keeps its order.
type island struct {
	r      *Recorder
	number int32
	next   *island // in the list of those that were heard from
	places []place

	steps      []stepOf
	waits      []exec.Wait // of steps
	operations []operationOf
	flows      []flow
	hops       []nic.HopWait
	losses     []fabric.Loss
	timeouts   []timeout
	samples    []fabric.Sample
	events     []result.EventRow

	_ [64]byte // the next one's memory is another core's
}

// kind is what was heard. At one instant a frame is lost before the message ends that takes the loss
// with it.
type kind uint8

const (
	aLoss kind = iota
	aTimeout
	aFlow
	anOperation
	aStep
	aSample
	anEvent
)

// group orders the kinds of an instant; what ranks say keeps the order of each rank.
func (k kind) group() kind {
	if k == aStep {
		return anOperation
	}
	return k
}

// place says when something was heard and where it lies.
type place struct {
	at     unit.Time // of the event
	owner  int32     // the end of a port, queue pair, rank among those of all jobs, or queue
	island int32
	number int32 // among what the island has said since the last join
	row    int32 // among what it has said of its kind
	kind   kind
}

func (a place) compare(b place) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind.group(), b.kind.group()), cmp.Compare(a.owner, b.owner),
		cmp.Compare(a.island, b.island), cmp.Compare(a.number, b.number))
}

type stepOf struct {
	job *Job
	exec.StepRecord
	waits []exec.Wait
}

type operationOf struct {
	job *Job
	exec.OperationRecord
}

// flow is a message that has ended, as a value.
type flow struct {
	nic.Flow     // without Message and Hops
	message      messageOf
	firstHop, to int32 // in island.hops
}

// messageOf is what of a message between ranks is shown.
type messageOf struct {
	is      bool
	channel int32
	group   int32
	step    int64
}

type timeout struct {
	at     unit.Time
	qp     int32
	oldest int64
}

// heard lists the islands that were heard from since the last join: in a quiet network few of many.
type heard struct{ first atomic.Pointer[island] }

func (h *heard) add(isl *island) {
	for {
		isl.next = h.first.Load()
		if h.first.CompareAndSwap(isl.next, isl) {
			return
		}
	}
}

// note puts a row of an event of the island in its place.
func (isl *island) note(at unit.Time, k kind, owner int32, row int) {
	if len(isl.places) == 0 {
		isl.r.heard.add(isl)
	}
	isl.places = append(isl.places, place{at, owner, isl.number, int32(len(isl.places)), int32(row), k})
}

// now is the time of the island's event or, when the engine stands still, of the run.
func (isl *island) now() unit.Time {
	if isl.r.finishing {
		return isl.r.network.Now()
	}
	return isl.r.network.NowIn(isl.number)
}

// Join takes what was heard since the last join. It is called on one goroutine after each window, when
// no island's events are being handled.
func (r *Recorder) Join() { r.join((*island).take) }

func (r *Recorder) join(take func(*island, *place)) {
	first := r.heard.first.Swap(nil)
	if first == nil {
		return
	}
	r.places = r.places[:0]
	for isl := first; isl != nil; isl = isl.next {
		r.places = append(r.places, isl.places...)
	}
	slices.SortFunc(r.places, place.compare)
	for i := range r.places {
		p := &r.places[i]
		take(r.islands[p.island], p)
	}
	for isl := first; isl != nil; {
		next := isl.next
		isl.clear()
		isl = next
	}
}

// take takes one thing that was heard.
func (isl *island) take(p *place) {
	r := isl.r
	switch p.kind {
	case aLoss:
		r.repeats.lost++
		l := &isl.losses[p.row]
		l.At = l.At.Add(r.repeats.behind)
		r.lost(l)
	case aTimeout:
		r.repeats.lost++
		t := &isl.timeouts[p.row]
		t.at = t.at.Add(r.repeats.behind)
		r.timedOut(t)
	case aFlow:
		f := &isl.flows[p.row]
		f.Hops = isl.hops[f.firstHop:f.to]
		r.repeats.flow(f)
		r.flow(f)
	case anOperation:
		o := &isl.operations[p.row]
		r.repeats.operation(o)
		o.job.operation(&o.OperationRecord)
	case aStep:
		s := &isl.steps[p.row]
		own := s.Step
		r.repeats.step(s)
		s.job.step(&s.StepRecord, s.waits)
		if s.job.paths != nil {
			s.job.paths.Ended(s.Rank, own)
		}
	case aSample:
		r.sample(&isl.samples[p.row])
	case anEvent:
		r.events.add(&isl.events[p.row])
	}
}

// clear makes room for the next window.
func (isl *island) clear() {
	isl.next, isl.places = nil, isl.places[:0]
	isl.steps, isl.operations, isl.flows, isl.hops = isl.steps[:0], isl.operations[:0], isl.flows[:0], isl.hops[:0]
	isl.losses, isl.timeouts, isl.samples = isl.losses[:0], isl.timeouts[:0], isl.samples[:0]
	isl.events, isl.waits = isl.events[:0], isl.waits[:0]
}

// rankObserver hears the ranks of a job in one island: exec.Observer.
type rankObserver struct {
	job    *Job
	island *island
}

// Observer returns what hears the ranks of the job that live in an island.
func (j *Job) Observer(island int32) exec.Observer { return rankObserver{j, j.r.islands[island]} }

func (o rankObserver) Step(s exec.StepRecord, waits []exec.Wait) {
	if o.job.keeps && s.Step != workload.StartStep {
		o.job.train.Hold(s.Rank, s.Step)
	}
	isl := o.island
	first := len(isl.waits)
	isl.waits = append(isl.waits, waits...)
	isl.steps = append(isl.steps, stepOf{o.job, s, isl.waits[first:]})
	isl.note(s.End, aStep, o.job.base+s.Rank, len(isl.steps)-1)
}

func (o rankObserver) Operation(p exec.OperationRecord) {
	isl := o.island
	isl.operations = append(isl.operations, operationOf{o.job, p})
	isl.note(p.End, anOperation, o.job.base+p.Rank, len(isl.operations)-1)
}

// Flow takes a message that has been acknowledged, or that the run left unfinished.
func (r *Recorder) Flow(island int32, f *nic.Flow) {
	isl := r.islands[island]
	row := flow{Flow: *f, firstHop: int32(len(isl.hops))}
	isl.hops = append(isl.hops, f.Hops...)
	row.to = int32(len(isl.hops))
	row.Hops, row.Message = nil, nil
	if m := f.Message; m != nil {
		row.message = messageOf{true, m.Channel, m.Group, m.Step}
	}
	isl.flows = append(isl.flows, row)
	isl.note(isl.now(), aFlow, f.QP, len(isl.flows)-1)
}

// Lost takes a frame that did not arrive.
func (r *Recorder) Lost(island int32, l fabric.Loss) {
	r.events.loss(r.islands[island], &l)
	isl := r.islands[island]
	isl.losses = append(isl.losses, l)
	isl.note(isl.now(), aLoss, fabric.EndOf(l.Port, l.Far), len(isl.losses)-1)
}

// TimedOut takes a retransmission timeout.
func (r *Recorder) TimedOut(island int32, now unit.Time, qp int32, oldest int64) {
	r.events.timeout(r.islands[island], now, qp, oldest)
	isl := r.islands[island]
	isl.timeouts = append(isl.timeouts, timeout{now, qp, oldest})
	isl.note(now, aTimeout, qp, len(isl.timeouts)-1)
}

// Sample takes a queue's length from the fabric.
func (r *Recorder) Sample(island int32, s fabric.Sample) {
	isl := r.islands[island]
	isl.samples = append(isl.samples, s)
	isl.note(s.At, aSample, r.queueOf(&s), len(isl.samples)-1)
}
