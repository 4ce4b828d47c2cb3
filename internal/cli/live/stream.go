package live

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"railyard/internal/base/machine"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// How often a run says on a stream how far it is: when there is news, and when there is none.
const (
	streamNews = 200 * time.Millisecond
	streamBeat = time.Second
)

// A Stream tells another program how far a run is, a Line at a time. A nil one tells nobody.
type Stream struct {
	out io.Writer
	end chan struct{}
	all sync.WaitGroup
	on  *Onlooker

	lines sync.Mutex // of out

	mu   sync.Mutex
	now  result.Progress
	news bool
}

// NewStream writes lines to out, and hears from in who looks on. It calls ended when in ends.
func NewStream(out io.Writer, in io.Reader, ended func()) *Stream {
	s := &Stream{out: out, end: make(chan struct{}), on: NewOnlooker(), now: result.Progress{Phase: "reading"}, news: true}
	go func() { // it ends with the process: nothing else ends a read of standard input
		s.on.Hear(in, func(err error) { s.Line(map[string]string{"wrong": "stdin: " + err.Error()}) })
		ended()
	}()
	s.all.Go(s.tell)
	return s
}

// Look lets who is at the other end look on: see Onlooker.Look.
func (s *Stream) Look(ctx context.Context, now, due unit.Time, view func(part string)) unit.Duration {
	return s.on.Look(ctx, now, due, view)
}

// Update takes a newer value.
func (s *Stream) Update(p result.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.news = p, true
}

// tell writes lines until the stream ends, the newest last.
func (s *Stream) tell() {
	t := time.NewTicker(streamNews)
	defer t.Stop()
	var last time.Time
	for over := false; !over; {
		select {
		case <-s.end:
			over = true
		case <-t.C:
		}
		s.mu.Lock()
		p, due := s.now, s.news || over || time.Since(last) >= streamBeat
		s.news = false
		s.mu.Unlock()
		if due {
			last = time.Now()
			s.write(p)
		}
	}
}

func (s *Stream) write(p result.Progress) {
	l := Line{Phase: p.Phase, Done: p.Done, Total: p.Total, Virtual: p.Virtual, PacketHops: p.PacketHops, Part: p.Part,
		CPU: machine.CPU(), Memory: machine.Peak()}
	if p.HasLoss {
		l.Loss = &p.Loss
	}
	b, err := json.Marshal(&l)
	if err != nil { // a loss that is no number
		l.Loss = nil
		b, _ = json.Marshal(&l)
	}
	s.raw(b)
}

func (s *Stream) raw(b []byte) {
	s.lines.Lock()
	defer s.lines.Unlock()
	_, _ = s.out.Write(append(b, '\n'))
}

// Line writes what can be written as JSON.
func (s *Stream) Line(v any) {
	if b, err := json.Marshal(v); err == nil {
		s.raw(b)
	}
}

// Stop writes the last line.
func (s *Stream) Stop() {
	if s != nil {
		close(s.end)
		s.all.Wait()
	}
}
