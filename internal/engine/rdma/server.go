package rdma

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"railyard/internal/engine/endpoint"
	"railyard/internal/engine/roce"
)

// Server serves measurements at an address until its context ends.
type Server struct {
	Addr netip.Addr
	Port int  // of TCP
	Once bool // it ends after one
	Open func() (*endpoint.Endpoint, error)
	Say  func(string) // what happens, a line

	Perftest *Test // what perftest's clients measure, one of PerftestParts; nil: what needs no part of the server's

	mu    sync.Mutex
	turn  sync.Mutex
	now   *side    // that is measured
	ended []Status // the latest ones
}

// mostEnded is how many queue pairs that are gone a server tells of.
const mostEnded = 16

// Serve serves until ctx ends, or with Once after one measurement, whose error it returns.
func (s *Server) Serve(ctx context.Context) error {
	ln, err := net.Listen("tcp", netip.AddrPortFrom(s.Addr, uint16(s.Port)).String())
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	defer ln.Close()
	s.Say("waiting at " + ln.Addr().String())
	var all sync.WaitGroup
	defer all.Wait()
	done := make(chan error, 1)
	for {
		c, err := ln.Accept()
		if err != nil {
			select {
			case err := <-done:
				return err
			default:
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
		all.Add(1)
		go func() {
			defer all.Done()
			defer c.Close()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			measured, err := s.one(ctx, newLine(c))
			if err != nil {
				s.Say(fmt.Sprintf("%v: %v", c.RemoteAddr(), err))
			}
			if measured && s.Once {
				select {
				case done <- err:
				default:
				}
				ln.Close()
			}
		}()
	}
}

// one serves a connection. It reports whether there was a measurement.
func (s *Server) one(ctx context.Context, l *line) (measured bool, err error) {
	if err := l.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return false, err
	}
	if first, err := l.r.Peek(1); err == nil && first[0] >= '0' && first[0] <= '9' { // a version, no JSON
		s.turn.Lock()
		defer s.turn.Unlock()
		return true, s.perftest(ctx, l)
	}
	var h hello
	if err := l.read(&h, patience); err != nil {
		return false, err
	}
	if h.Show {
		return false, l.write(s.all())
	}
	if err := h.judge(); err != nil {
		_ = l.write(hello{Error: err.Error()})
		return false, err
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	err = s.measure(ctx, l, h)
	if err != nil {
		_ = l.write(goodbye{Error: err.Error()})
	}
	return true, err
}

// all is the queue pairs that there are and were.
func (s *Server) all() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := append([]Status{}, s.ended...)
	if s.now != nil {
		all = append(all, s.now.status())
	}
	return all
}

func (s *Server) measure(ctx context.Context, l *line, h hello) error {
	e, err := s.Open()
	if err != nil {
		return err
	}
	defer e.Close()
	h.MTU = min(h.MTU, int(e.PathMTU().Bytes()))
	d, err := newSide(h.Test, e)
	if err != nil {
		return err
	}
	if operations[h.Op].op == roce.OpRead {
		d.fill()
	}
	if err := d.connect(h); err != nil {
		return err
	}
	s.begins(d)
	defer s.ends(d)
	stop := context.AfterFunc(ctx, e.Close)
	defer stop()
	if operations[h.Op].op.Receives() {
		if err := d.receive(min(h.Iterations, 2*h.Depth)); err != nil {
			return err
		}
	}
	if err := l.write(d.hello()); err != nil {
		return err
	}
	if err := d.answer(ctx); err != nil {
		return err
	}
	var bye goodbye
	if err := l.read(&bye, 10*patience); err != nil {
		return err
	}
	sum := d.sum()
	s.Say(fmt.Sprintf("%s: %d x %d bytes from %v, contents as sent: %t", h.Op, h.Iterations, h.Size, h.GID, sum == bye.SHA256))
	return l.write(goodbye{SHA256: sum, Status: d.status()})
}

func (s *Server) begins(d *side) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = d
}

func (s *Server) ends(d *side) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = nil
	s.ended = append(s.ended, d.status())
	if n := len(s.ended) - mostEnded; n > 0 {
		s.ended = s.ended[n:]
	}
}

// answer does a server's part: it takes what needs a receive, and sends back where latency is measured.
func (d *side) answer(ctx context.Context) error {
	op := operations[d.test.Op]
	if !op.op.Receives() {
		return nil
	}
	for i := range d.test.Iterations {
		if err := d.await(ctx, &d.recv); err != nil {
			return err
		}
		if err := d.receive(1); err != nil {
			return err
		}
		if !op.latency {
			continue
		}
		if err := d.sendOne(i); err != nil {
			return err
		}
		if err := d.await(ctx, &d.send); err != nil {
			return err
		}
	}
	return nil
}
