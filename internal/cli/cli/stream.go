package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"railyard/internal/base/unit"
	"railyard/internal/cli/live"
	"railyard/internal/run/run"
)

// A stream is live.Stream of a run whose ports it has told, or not yet.
type stream struct {
	*live.Stream
	named bool // the ports were told
	blind bool // there are too many
}

// startStream takes standard output for the lines, and ends the context that it returns when standard input ends: so a run
// does not outlive who has started it.
func (a *app) startStream(ctx context.Context) (context.Context, *stream) {
	// Who reads may be killed. A write then fails, which is nobody's concern; the signal would end the run without a
	// whole directory.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{Stream: live.NewStream(a.Stdout, a.Stdin, cancel)}
	a.Stdout = io.Discard
	return ctx, s
}

// portsInLine are so many names of ports that a line is no longer than who reads takes.
const portsInLine = 2000

// observe lets who is at the other end of the stream look on.
func (s *stream) observe(ctx context.Context, v run.View) unit.Duration {
	return s.Look(ctx, v.Now, v.Due(), func(part string) {
		if s.blind {
			return
		}
		if !s.named {
			s.named = true
			ports, err := v.Viewer().Ports()
			if s.blind = err != nil; s.blind {
				s.Line(map[string]string{"wrong": err.Error()})
				return
			}
			for some := range slices.Chunk(ports, portsInLine) {
				s.Line(map[string]any{"ports": some})
			}
		}
		s.Line(map[string]any{"view": v.Viewer().Look(v.Now, part)})
	})
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
