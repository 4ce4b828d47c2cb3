package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"railyard/internal/base/unit"
)

// Steer is what a run with --stream is told on its standard input, one line of JSON each time: whether somebody looks on, and
// how fast virtual time is to pass for them. Each replaces the one before.
type Steer struct {
	Views  bool    `json:"views"`  // false: nobody looks, and the run goes on as fast as it can
	Speed  float64 `json:"speed"`  // virtual microseconds in a second; 0: as fast as it can
	Paused bool    `json:"paused"` // it stands still, but for steps
	Steps  int64   `json:"steps"`  // of a paused run, counted from its begin: each leads to the next view
	Part   string  `json:"part"`   // of the names of queue pairs that are told of
}

// Bounds of a Steer.
const (
	mostSpeed   = 1e9 // virtual microseconds in a second
	longestPart = 200
	longestTold = 4 << 10 // a line of it
)

// Check says what is wrong with it.
func (s *Steer) Check() error {
	switch {
	case !(s.Speed >= 0 && s.Speed <= mostSpeed):
		return fmt.Errorf("speed %v: want 0, which is as fast as it can, to %.0f virtual microseconds in a second", s.Speed, mostSpeed)
	case s.Steps < 0:
		return fmt.Errorf("steps %d: want 0 or more", s.Steps)
	case len(s.Part) > longestPart:
		return fmt.Errorf("part of a name of %d bytes: want at most %d", len(s.Part), longestPart)
	}
	return nil
}

// parseSteer reads one.
func parseSteer(line []byte) (s Steer, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Steer{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Steer{}, errors.New("more follows, want one object in a line")
	}
	if err := s.Check(); err != nil {
		return Steer{}, err
	}
	return s, nil
}

// How often a run that somebody looks at is looked at, and how long it goes on between two questions whether somebody does.
const (
	betweenViews = 50 * time.Millisecond
	sliceSeen    = 40 * time.Millisecond // each cuts a window of the engine, which costs more than the view
	sliceAlone   = 25 * time.Millisecond
)

// An Onlooker decides when a run is looked at: it is told by Steer, asked by Look.
type Onlooker struct {
	mu      sync.Mutex
	steer   Steer
	changed chan struct{}

	// Of who asks.
	slice  unit.Duration // of virtual time, until it is asked again
	asked  time.Time     // when its last answer was given
	viewed time.Time     // when the last view was taken
	at     unit.Time     // of that view
	step   unit.Duration // between the last two
	steps  int64         // taken
	still  bool          // the view that a paused run stands at was taken
}

// NewOnlooker returns one whom nobody has told anything.
func NewOnlooker() *Onlooker { return &Onlooker{changed: make(chan struct{}), slice: unit.Microsecond} }

// Hear takes lines until there are no more; wrong hears of each that says nothing.
func (o *Onlooker) Hear(in io.Reader, wrong func(error)) {
	l := &lines{most: longestTold, take: func(b []byte) {
		s, err := parseSteer(b)
		if err != nil {
			wrong(err)
			return
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.steer = s
		close(o.changed)
		o.changed = make(chan struct{})
	}, long: func() { wrong(fmt.Errorf("a line of over %d bytes", longestTold)) }}
	_, _ = io.Copy(l, in)
}

// lines cuts what is written to it into lines.
type lines struct {
	most int
	b    []byte
	over bool // this line is too long
	take func([]byte)
	long func()
}

func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		line, rest, ends := bytes.Cut(p, []byte("\n"))
		p = rest
		if l.over = l.over || len(l.b)+len(line) > l.most; !l.over {
			l.b = append(l.b, line...)
		}
		if !ends {
			break
		}
		switch {
		case l.over:
			l.long()
		case len(l.b) > 0:
			l.take(l.b)
		}
		l.b, l.over = l.b[:0], false
	}
	return n, nil
}

func (o *Onlooker) told() (Steer, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.steer, o.changed
}

// Look is asked between the events of a run, at an instant of its virtual time; the next event is due then. It returns for how
// much of that time the run goes on until it is asked again; before, it has the run looked at where that is due, and waits
// where the run is paused or ahead of its speed. view gets the part of names that are meant.
func (o *Onlooker) Look(ctx context.Context, now, due unit.Time, view func(part string)) unit.Duration {
	s, changed := o.told()
	if !s.Views {
		o.viewed, o.still, o.steps = time.Time{}, false, s.Steps
		return o.next(sliceAlone, now, due)
	}
	for s.Views && s.Paused && s.Steps <= o.steps && ctx.Err() == nil {
		if !o.still || o.at != now {
			o.take(now, s.Part, view)
			o.still = true
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
		before := s.Part
		if s, changed = o.told(); s.Part != before {
			o.still = false
		}
	}
	o.still = false
	switch {
	case !s.Views || ctx.Err() != nil:
		return o.next(sliceAlone, now, due)
	case s.Paused: // a step
		o.steps++
		if s.Speed > 0 {
			return perView(s.Speed)
		}
		return max(o.step, unit.Nanosecond)
	}
	o.steps = s.Steps
	if s.Speed == 0 {
		if time.Since(o.viewed) >= betweenViews-sliceSeen/2 {
			o.take(now, s.Part, view)
		}
		return o.next(sliceSeen, now, due)
	}
	o.take(now, s.Part, view)
	if left := betweenViews - time.Since(o.asked); left > 0 && left <= betweenViews {
		t := time.NewTimer(left)
		defer t.Stop()
		select {
		case <-t.C:
		case <-changed:
		case <-ctx.Done():
		}
	}
	o.asked = time.Now()
	return perView(s.Speed)
}

// perView is the virtual time between two views at a speed.
func perView(speed float64) unit.Duration {
	return max(1, unit.Duration(speed*betweenViews.Seconds()*float64(unit.Microsecond)))
}

// take has the run looked at.
func (o *Onlooker) take(now unit.Time, part string, view func(part string)) {
	if now > o.at {
		o.step = now.Sub(o.at)
	}
	o.at = now
	view(part)
	o.viewed = time.Now()
}

// longestSlice is an hour of virtual time: what is doubled stays a time.
const longestSlice = 3600 * unit.Second

// next is how much virtual time passes in about so long, as far as what passed since the last answer tells. Time in which nothing
// happens is left out.
func (o *Onlooker) next(about time.Duration, now, due unit.Time) unit.Duration {
	took := time.Since(o.asked)
	if took < about/2 {
		o.slice = min(2*o.slice, longestSlice)
	} else if took > 2*about && !o.asked.IsZero() {
		o.slice = max(unit.Duration(float64(o.slice)*max(float64(about)/float64(took), 1.0/64)), 1)
	}
	o.asked = time.Now()
	if due < unit.Never && due.Sub(now) > o.slice {
		return due.Sub(now)
	}
	return o.slice
}
