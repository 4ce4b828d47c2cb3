package live

import (
	"encoding/json"
	"io"
	"slices"
)

// told is what a run says of itself to who looks on: one of these in a line.
type told struct {
	Ports json.RawMessage `json:"ports,omitempty"` // some of the list that views number
	View  json.RawMessage `json:"view,omitempty"`
	Wrong string          `json:"wrong,omitempty"` // why it shows nothing, or what it was told that says nothing
}

func (t *told) some() bool { return t.Ports != nil || t.View != nil || t.Wrong != "" }

// seen is what those who look at a run see. Of the runner's lock.
type seen struct {
	viewers int
	steer   Steer
	orders  chan Steer // to the run: the newest
	ports   []json.RawMessage
	view    json.RawMessage
	number  int64 // of the view, from 1
	wrong   string
	changed chan struct{} // closed when there is news
}

func nothingSeen() seen { return seen{orders: make(chan Steer, 1), changed: make(chan struct{})} }

// Seen is what there is to be seen of a run.
type Seen struct {
	Ports  []json.RawMessage // lists, to be joined
	View   json.RawMessage   // the newest; nil: there is none
	Number int64             // of it: views that nobody took are gone
	Wrong  string
	Ended  bool
	Steer  Steer
}

// see takes what a run tells. The lock is held.
func (r *Runner) see(j *job, t told) {
	s := &j.seen
	switch {
	case t.Ports != nil:
		s.ports = append(s.ports, slices.Clone(t.Ports))
	case t.View != nil:
		s.view = slices.Clone(t.View)
		s.number++
	default:
		s.wrong = t.Wrong
	}
	s.news()
}

func (s *seen) news() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// order leaves word for the run, in place of what it has not taken yet. The lock is held.
func (s *seen) order() {
	select {
	case <-s.orders:
	default:
	}
	s.orders <- s.steer
}

// instruct tells a run what its viewers want, until it is done. A run that does not listen keeps nobody waiting but this.
func instruct(j *job, in io.Writer, done <-chan struct{}) {
	for {
		select {
		case s := <-j.seen.orders:
			b, _ := json.Marshal(&s)
			_, _ = in.Write(append(b, '\n'))
		case <-done:
			return
		}
	}
}

// Look begins to look at a run, until leave is called; nil: there is no such job. When the last viewer leaves, a run that was
// paused or slow goes on as fast as it can.
func (r *Runner) Look(id string) (leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.find(id)
	if j == nil {
		return nil
	}
	s := &j.seen
	if s.viewers++; s.viewers == 1 {
		s.steer.Views = true
		s.order()
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if s.viewers--; s.viewers == 0 {
			s.steer = Steer{Steps: s.steer.Steps}
			s.order()
		}
	}
}

// Steer says how a run goes on for those who look at it. It reports whether there is such a job that somebody looks at; err is
// what is wrong with the order.
func (r *Runner) Steer(id string, to Steer) (ok bool, err error) {
	if err := to.Check(); err != nil {
		return true, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.find(id)
	if j == nil || j.seen.viewers == 0 {
		return false, nil
	}
	s := &j.seen
	to.Views, to.Steps = true, s.steer.Steps+min(to.Steps, 1)
	s.steer = to
	s.order()
	s.news()
	return true, nil
}

// See returns what is to be seen of a run, and what is closed when there is more; nil: there is no such job.
func (r *Runner) See(id string) (*Seen, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.find(id)
	if j == nil {
		return nil, nil
	}
	s := &j.seen
	return &Seen{slices.Clone(s.ports), s.view, s.number, s.wrong, j.state != Waiting && j.state != Running, s.steer}, s.changed
}
