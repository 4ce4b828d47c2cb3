package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"railyard/internal/live"
	"railyard/internal/machine"
	"railyard/internal/result"
	"railyard/internal/run"
	"railyard/internal/unit"
)

// How often a run says on a stream how far it is: when there is news, and when there is none.
const (
	streamNews = 200 * time.Millisecond
	streamBeat = time.Second
)

// A stream tells another program how far a run is, a live.Line at a time. A nil stream tells nobody.
type stream struct {
	out io.Writer
	end chan struct{}
	all sync.WaitGroup
	on  *live.Onlooker

	lines sync.Mutex // of out
	named bool       // the ports were told
	blind bool       // there are too many

	mu   sync.Mutex
	now  result.Progress
	news bool
}

// startStream takes standard output for the lines, and ends the context that it returns when standard input ends: so a run
// does not outlive who has started it.
func (a *app) startStream(ctx context.Context) (context.Context, *stream) {
	// Who reads may be killed. A write then fails, which is nobody's concern; the signal would end the run without a
	// whole directory.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{out: a.stdout, end: make(chan struct{}), on: live.NewOnlooker(), now: result.Progress{Phase: "reading"}, news: true}
	a.stdout = io.Discard
	go func() { // it ends with the process: nothing else ends a read of standard input
		s.on.Hear(a.stdin, func(err error) { s.line(map[string]string{"wrong": "stdin: " + err.Error()}) })
		cancel()
	}()
	s.all.Go(s.tell)
	return ctx, s
}

func (s *stream) update(p result.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.news = p, true
}

// tell writes lines until the stream ends, the newest last.
func (s *stream) tell() {
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

func (s *stream) write(p result.Progress) {
	l := live.Line{Phase: p.Phase, Done: p.Done, Total: p.Total, Virtual: p.Virtual, PacketHops: p.PacketHops, Part: p.Part,
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

func (s *stream) raw(b []byte) {
	s.lines.Lock()
	defer s.lines.Unlock()
	_, _ = s.out.Write(append(b, '\n'))
}

// line writes what can be written as JSON.
func (s *stream) line(v any) {
	if b, err := json.Marshal(v); err == nil {
		s.raw(b)
	}
}

// portsInLine are so many names of ports that a line is no longer than who reads takes.
const portsInLine = 2000

// observe lets who is at the other end of the stream look on.
func (s *stream) observe(ctx context.Context, v run.View) unit.Duration {
	return s.on.Look(ctx, v.Now, v.Due(), func(part string) {
		if s.blind {
			return
		}
		if !s.named {
			s.named = true
			ports, err := v.Viewer().Ports()
			if s.blind = err != nil; s.blind {
				s.line(map[string]string{"wrong": err.Error()})
				return
			}
			for some := range slices.Chunk(ports, portsInLine) {
				s.line(map[string]any{"ports": some})
			}
		}
		s.line(map[string]any{"view": v.Viewer().Look(v.Now, part)})
	})
}

// stop writes the last line.
func (s *stream) stop() {
	if s != nil {
		close(s.end)
		s.all.Wait()
	}
}

// streamed says what --stream cannot be given with.
func (f *runFlags) streamed(file string, many bool) error {
	switch {
	case many:
		return errors.New("it tells of one run, want no --seeds and no --set with several values")
	case f.json:
		return errors.New("standard output is for its lines, want no --json: run.json has the summary")
	case file == "-":
		return errors.New("standard input is for its end, want the scenario in a file")
	}
	return nil
}
