package rdma

import (
	"context"
	"fmt"
	"time"

	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
)

// What perftest measures with a server that takes part, as version 6.06 does it:
//
//	send_bw    the server posts receives
//	send_lat   each SEND is answered with one
//	write_lat  the server WRITEs first; each end waits for the last byte of what the other writes to be the number of the
//	           WRITE, modulo 256, and answers with its own
//
// Of the latter two both ends must know size and number of the messages: the exchange does not say them.

// perftestParts are the operations in which a server of ours takes part if it is told to.
var perftestParts = []string{"send_lat", "write_lat"}

// PerftestParts returns the operations that Server.Perftest may name.
func PerftestParts() []string { return append([]string{}, perftestParts...) }

// minWrites is the fewest messages of a write_lat with perftest: what is measured is the time between two.
const minWrites = 2

// polled reports whether a test against perftest is one whose ends look at their memory.
func (t *Test) polled() bool { return t.Op == "write_lat" }

// lands has SENDs of perftest find a receive, always: what comes is thrown away.
func (s *side) lands() error {
	s.recv.Event = func() {
		if w, _ := s.recv.Poll(); w.Status == verbs.Success {
			_ = s.qp.PostReceive(verbs.Receive{Local: s.span()}) // it is past INIT
		}
	}
	return s.receive(MaxDepth)
}

// pong is a server's part of a latency.
func (s *side) pong(ctx context.Context) error {
	if !s.test.polled() {
		return s.answer(ctx)
	}
	for n := range s.test.Iterations {
		if err := s.writes(ctx, n+1); err != nil {
			return err
		}
		if err := s.written(ctx, n+1); err != nil {
			return err
		}
	}
	return nil
}

// pings measures a latency whose ends look at their memory.
func (s *side) pings(ctx context.Context, r *Result) error {
	if s.test.Iterations < minWrites {
		return fmt.Errorf("%d message, want at least %d: with perftest the time between two is measured", s.test.Iterations, minWrites)
	}
	took := make([]float64, 0, s.test.Iterations)
	var from time.Time
	for n := range s.test.Iterations {
		if err := s.written(ctx, n+1); err != nil {
			return err
		}
		if n > 0 {
			took = append(took, float64(time.Since(from).Nanoseconds())/2000)
		}
		from = time.Now()
		if err := s.writes(ctx, n+1); err != nil {
			return err
		}
	}
	r.latencies(took)
	return nil
}

// writes writes the n-th message, from behind where the other end writes to, and waits until it is there.
func (s *side) writes(ctx context.Context, n int) error {
	w := s.work(n)
	w.Op, w.Local.Address = roce.OpWrite, regionAt+uint64(s.test.Size)
	err := s.post(func() error {
		s.b[2*s.test.Size-1] = byte(n)
		return s.qp.PostSend(w)
	})
	if err != nil {
		return err
	}
	return s.await(ctx, &s.send)
}

// written waits for the other end's n-th message.
func (s *side) written(ctx context.Context, n int) error {
	failed := false
	err := s.e.Await(func() bool {
		failed = s.qp.State() != verbs.ReadyToSend
		return failed || s.b[s.test.Size-1] == byte(n)
	}, patience)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("message %d of %d has not come: %w", n, s.test.Iterations, err)
	case failed:
		return fmt.Errorf("message %d of %d has not come, and the queue pair has failed", n, s.test.Iterations)
	}
	return nil
}
