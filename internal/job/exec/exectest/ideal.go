// Package exectest is a driver for tests of exec and of what is bound to it: an
// ideal network on simulated time. It is no model of anything.
//
//	Post --- latency + bytes/rate ---> bytes copied, Received
//	  ^------------- ack latency ----------' Acked
//	Credited <------ credit latency ------ Credit
//
// Messages never share a wire; those of one (source, destination, group, channel) stay
// in order. Events at one instant happen in the order in which they were made.
package exectest

import (
	"container/heap"
	"fmt"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
)

// BodyAt says when a bound body really runs.
type BodyAt uint8

// A body may run at any time between its virtual start and end.
const (
	AtStart BodyAt = iota
	AtEnd
	Beside // in a goroutine, joined at the end
)

// Net is how the ideal network behaves.
type Net struct {
	Latency  func(exec.Message) unit.Duration // nil: 0
	Rate     unit.Bitrate                     // of every message; 0: infinite
	Ack      unit.Duration                    // from placement to the sender
	Repeat   unit.Duration                    // of that, until a lost acknowledgement was made good
	Credit   func(exec.Way) unit.Duration     // from the receiver to the sender; nil: 0
	Credited func(exec.Way, *int32) bool      // changes the collective of a credit, or loses it: false; nil: neither
	Host     unit.Bitrate                     // of copies from host memory; 0: infinite
	BodyAt   BodyAt
	Misplace func(*exec.Message) // changes what a message names, before its bytes are placed
	Posted   func(unit.Time, exec.Message)
}

// Driver runs ranks over an ideal network. It implements exec.Transport; its clock is exec.Clock.
type Driver struct {
	net    Net
	memory exec.Memory
	ranks  []*exec.Rank
	events events
	seq    int
	now    unit.Time
	err    error
	pairs  []pair
}

// pair keeps the messages of one (source, destination, group, channel) in order.
type pair struct {
	exec.Way
	placed, acked, credited unit.Time
	in, out                 int32 // what its ranks call it
}

// New returns a driver; memory is nil in replay.
func New(net Net, memory exec.Memory) *Driver {
	return &Driver{net: net, memory: memory}
}

// Add adds the next rank, numbered in order from 0.
func (d *Driver) Add(cfg exec.Config) *exec.Rank {
	if int(cfg.Rank) != len(d.ranks) {
		panic(fmt.Sprintf("exectest: rank %d added as number %d", cfg.Rank, len(d.ranks)))
	}
	cfg.Transport, cfg.Clock = d, clock{d}
	if cfg.Paths != nil {
		cfg.Observer = observer{cfg.Observer, cfg.Paths}
	}
	r := exec.NewRank(cfg)
	d.ranks = append(d.ranks, r)
	return r
}

// observer tells a path finder what a rank's observer, which may be nil, is told.
type observer struct {
	exec.Observer
	paths *exec.PathFinder
}

func (o observer) Operation(p exec.OperationRecord) {
	if o.Observer != nil {
		o.Observer.Operation(p)
	}
}

func (o observer) Step(s exec.StepRecord, waits []exec.Wait) {
	if o.Observer != nil {
		o.Observer.Step(s, waits)
	}
	o.paths.Ended(s.Rank, s.Step)
}

// Run starts every rank and returns when nothing is left to happen, or an error
// naming the ranks that are stuck, or that of the first rank that cannot go on.
func (d *Driver) Run() (unit.Time, error) {
	for _, r := range d.ranks {
		r.Start(0)
	}
	for len(d.events) > 0 && d.err == nil {
		e := heap.Pop(&d.events).(event)
		d.now = e.at
		e.do()
	}
	if d.err != nil {
		return d.now, d.err
	}
	for i, r := range d.ranks {
		if !r.Finished() {
			return d.now, fmt.Errorf("rank %d is stuck in step %d", i, r.Steps())
		}
	}
	return d.now, nil
}

// Open implements exec.Transport.
func (d *Driver) Open(w exec.Way) int32 {
	for i := range d.pairs {
		if d.pairs[i].Way == w {
			return int32(i)
		}
	}
	d.pairs = append(d.pairs, pair{Way: w, in: d.ranks[w.Dst].Inlet(w.AtTarget()), out: d.ranks[w.Src].Outlet(w.AtSource())})
	return int32(len(d.pairs) - 1)
}

// Post implements exec.Transport.
func (d *Driver) Post(posted *exec.Message) {
	m := *posted
	if d.net.Posted != nil {
		d.net.Posted(d.now, m)
	}
	p := &d.pairs[m.Via]
	tr := exec.Trace{Posted: d.now}
	at := d.now
	if d.net.Latency != nil {
		at = at.Add(d.net.Latency(m))
		tr.Segments = append(tr.Segments, exec.Segment{Until: at, Cause: cause.Propagation})
	}
	if d.net.Rate > 0 {
		at = at.Add(d.net.Rate.TransmitTime(m.Bytes))
		tr.Segments = append(tr.Segments, exec.Segment{Until: at, Cause: cause.Serialisation})
	}
	if at < p.placed {
		at = p.placed
		tr.Segments = append(tr.Segments, exec.Segment{Until: at, Cause: cause.Queueing})
	}
	p.placed, tr.Placed = at, at
	p.acked = max(p.acked, at.Add(d.net.Ack))
	in, out := p.in, p.out
	d.at(at, func() {
		d.place(m)
		d.ranks[m.Dst].Received(d.now, in, m.Arrival(), &tr)
	})
	d.at(p.acked, func() {
		d.ranks[m.Src].Acked(d.now, out, d.answer(at))
	})
}

// Credit implements exec.Transport.
func (d *Driver) Credit(via, coll int32) {
	p, at := &d.pairs[via], d.now
	w, out := p.Way, p.out
	if d.net.Credited != nil && !d.net.Credited(w, &coll) {
		return
	}
	if d.net.Credit != nil {
		at = at.Add(d.net.Credit(w))
	}
	p.credited = max(p.credited, at)
	d.at(p.credited, func() { d.ranks[w.Src].Credited(d.now, out, coll) })
}

// Abort implements exec.Transport.
func (d *Driver) Abort(_ int32, err error) {
	if d.err == nil {
		d.err = err
	}
}

// place copies a message's bytes, as late as possible: when the last would arrive.
func (d *Driver) place(m exec.Message) {
	if d.memory == nil {
		return
	}
	if d.net.Misplace != nil {
		d.net.Misplace(&m)
	}
	copy(d.memory.Bytes(m.Dst, m.To), d.memory.Bytes(m.Src, m.From))
}

// clock implements exec.Clock: the driver's own Run runs everything.
type clock struct{ *Driver }

// Run implements exec.Clock.
func (d clock) Run(rank int32, tok exec.Token, span unit.Duration, w exec.Work) {
	join := func() {}
	if body := w.Do; body != nil {
		switch d.net.BodyAt {
		case AtStart:
			body()
		case AtEnd:
			join = body
		case Beside:
			done := make(chan struct{})
			go func() { body(); close(done) }()
			join = func() { <-done }
		}
	}
	d.at(d.now.Add(span), func() {
		join()
		d.ranks[rank].Done(d.now, tok)
	})
}

// CopyIn implements exec.Transport.
func (d *Driver) CopyIn(rank int32, tok exec.Token, bytes unit.Bytes, w exec.Work) {
	span := unit.Duration(0)
	if d.net.Host > 0 {
		span = d.net.Host.TransmitTime(bytes)
	}
	clock{d}.Run(rank, tok, span, w)
}

func (d *Driver) at(t unit.Time, do func()) {
	heap.Push(&d.events, event{t, d.seq, do})
	d.seq++
}

type event struct {
	at  unit.Time
	seq int
	do  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

// answer is the trace of an acknowledgement of a message that was placed at an instant, nil where
// there is nothing to tell.
func (d *Driver) answer(placed unit.Time) *exec.Trace {
	if d.net.Repeat == 0 {
		return nil
	}
	return &exec.Trace{Posted: placed, Placed: d.now, Segments: []exec.Segment{{Until: placed.Add(d.net.Repeat),
		Cause: cause.Retransmission, At: -1}, {Until: d.now, Cause: cause.Acknowledgement, At: -1}}}
}
