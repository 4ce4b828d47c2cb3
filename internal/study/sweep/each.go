package sweep

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"railyard/internal/base/unit"
)

// Limits bounds how much goes on at once.
type Limits struct {
	Workers int        // cores; 0: as many as there are
	Memory  unit.Bytes // 0: no limit
}

func (l Limits) workers() int {
	if l.Workers > 0 {
		return l.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Each calls run for 0 to n-1, starting them in order, within the limits. One that needs more than
// all the memory runs alone: whether it may is the caller's to decide. After the first error, or
// when ctx ends, no more are started and those under way are told to stop; the error is ctx's, or
// else that of the lowest number.
func Each(outer context.Context, n int, l Limits, need func(i int) unit.Bytes, run func(ctx context.Context,
	i int) error) error {
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	s := &shares{limits: l, errs: make([]error, n), garbage: LeaveGarbage(l.Memory)}
	defer s.garbage.End()
	s.free.L = &s.mu
	stop := context.AfterFunc(ctx, func() { // someone may be waiting for a share
		s.mu.Lock()
		defer s.mu.Unlock()
		s.over = true
		s.free.Broadcast()
	})
	defer stop()
	var all sync.WaitGroup
	for i := range n {
		bytes := need(i)
		if ctx.Err() != nil || !s.take(bytes) {
			break
		}
		all.Add(1)
		go func() {
			defer all.Done()
			err := run(ctx, i)
			s.give(i, bytes, err)
			if err != nil {
				cancel()
			}
		}()
	}
	all.Wait()
	if err := outer.Err(); err != nil {
		return err
	}
	for _, err := range s.errs {
		if err != nil && !errors.Is(err, context.Canceled) { // the others were stopped because of it
			return err
		}
	}
	return nil
}

// shares is what is in use.
type shares struct {
	limits Limits
	mu     sync.Mutex
	free   sync.Cond
	used   unit.Bytes
	active int
	over   bool // no more
	errs   []error

	garbage *Garbage
}

// take waits for a core and memory. It reports false if there is nothing more to start.
func (s *shares) take(bytes unit.Bytes) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.over && s.active > 0 && (s.active >= s.limits.workers() || s.limits.Memory > 0 &&
		s.used+bytes > s.limits.Memory) {
		s.free.Wait()
	}
	if s.over {
		return false
	}
	s.active++
	s.used += bytes
	s.garbage.Use(bytes)
	return true
}

// give ends the share of run i.
func (s *shares) give(i int, bytes unit.Bytes, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	s.used -= bytes
	s.garbage.Use(-bytes)
	s.errs[i] = err
	s.over = s.over || err != nil
	s.free.Broadcast()
}
