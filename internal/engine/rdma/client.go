package rdma

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"slices"
	"time"

	"railyard/internal/engine/endpoint"
)

// Result is what a client has measured. Times are in microseconds, rates in MiB per second, as perftest's.
type Result struct {
	Test
	Raw        bool    `json:"icrc_whole"`         // all bits of the ICRC were verified
	Perftest   bool    `json:"perftest,omitempty"` // the server is perftest's: nobody has compared contents
	Peak       float64 `json:"bw_peak_mib_s,omitempty"`
	Average    float64 `json:"bw_average_mib_s,omitempty"`
	Rate       float64 `json:"msg_rate_mpps,omitempty"`
	Min        float64 `json:"t_min_us,omitempty"`
	Max        float64 `json:"t_max_us,omitempty"`
	Typical    float64 `json:"t_typical_us,omitempty"`
	Mean       float64 `json:"t_avg_us,omitempty"`
	Deviation  float64 `json:"t_stdev_us,omitempty"`
	P99        float64 `json:"t_p99_us,omitempty"`
	P999       float64 `json:"t_p999_us,omitempty"`
	Client     Status  `json:"client"`
	ServerSide Status  `json:"server"`
}

// Client measures against a server.
type Client struct {
	Server netip.AddrPort
	Addr   netip.Addr // its own; not valid: that by which the server is reached
	Test   Test
	Open   func(netip.Addr) (*endpoint.Endpoint, error)

	Perftest bool // the server is perftest's
}

// Own is the address by which a server is reached: of one on this machine, the address after it.
func (c *Client) Own() (netip.Addr, error) {
	if c.Addr.IsValid() {
		return c.Addr, nil
	}
	if a := c.Server.Addr(); a.IsLoopback() {
		return a.Next(), nil
	}
	conn, err := net.Dial("udp", c.Server.String()) // nothing is sent
	if err != nil {
		return netip.Addr{}, err
	}
	defer conn.Close()
	a, err := netip.ParseAddrPort(conn.LocalAddr().String())
	return a.Addr(), err
}

// dial opens the exchange.
func dial(ctx context.Context, to netip.AddrPort) (*line, func(), error) {
	d := net.Dialer{Timeout: patience}
	conn, err := d.DialContext(ctx, "tcp", to.String())
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	return newLine(conn), func() { stop(); conn.Close() }, nil
}

// Run measures.
func (c *Client) Run(ctx context.Context) (*Result, error) {
	l, end, err := dial(ctx, c.Server)
	if err != nil {
		return nil, err
	}
	defer end()
	addr, err := c.Own()
	if err != nil {
		return nil, err
	}
	e, err := c.Open(addr)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	defer context.AfterFunc(ctx, e.Close)()
	test := c.Test
	test.MTU = min(test.MTU, int(e.PathMTU().Bytes()))
	if c.Perftest {
		return test.perftest(ctx, l, e)
	}
	s, err := newSide(test, e)
	if err != nil {
		return nil, err
	}
	reads := operations[c.Test.Op].op.Asks()
	if !reads {
		s.fill()
	}
	var peer hello
	if err := errors.Join(l.write(s.hello()), l.read(&peer, 10*patience)); err != nil {
		return nil, err
	}
	if err := peer.judge(); err != nil {
		return nil, err
	}
	if err := s.connect(peer); err != nil {
		return nil, err
	}
	r := &Result{Test: test, Raw: e.Raw()}
	r.MTU = peer.MTU // the server's interface may take less
	if err := s.time(ctx, r); err != nil {
		return nil, err
	}
	if c.Test.Atomic() {
		if err := s.counted(ctx); err != nil {
			return r, err
		}
	}
	return r, s.part(l, r)
}

// counted adds nothing to the other end's memory, to see whether all that was added is there, once.
func (s *side) counted(ctx context.Context) error {
	none := s.work(0)
	none.Swap = 0
	if err := s.post(func() error { return s.qp.PostSend(none) }); err != nil {
		return err
	}
	if err := s.await(ctx, &s.send); err != nil {
		return err
	}
	if n := binary.NativeEndian.Uint64(s.b); n != uint64(s.test.Iterations) {
		return fmt.Errorf("the server's memory holds %d after %d additions of 1", n, s.test.Iterations)
	}
	return nil
}

// part ends the exchange: both ends must have the same bytes.
func (s *side) part(l *line, r *Result) error {
	r.Client = s.status()
	sent := s.sum()
	if err := l.write(goodbye{SHA256: sent}); err != nil {
		return err
	}
	var bye goodbye
	if err := l.read(&bye, patience); err != nil {
		return err
	}
	r.ServerSide = bye.Status
	switch {
	case bye.Error != "":
		return fmt.Errorf("the server: %s", bye.Error)
	case bye.SHA256 != sent:
		return errors.New("the server has other bytes than the client")
	}
	return nil
}

// time runs the test.
func (s *side) time(ctx context.Context, r *Result) error {
	if !s.test.Latency() {
		return s.bandwidth(ctx, r)
	}
	if s.test.RoundTrip() {
		return s.roundTrips(ctx, r)
	}
	if err := s.receive(2); err != nil {
		return err
	}
	took := make([]float64, s.test.Iterations)
	for i := range took {
		from := time.Now()
		if err := s.sendOne(i); err != nil {
			return err
		}
		if err := s.await(ctx, &s.recv); err != nil {
			return err
		}
		took[i] = float64(time.Since(from).Nanoseconds()) / 2000
		if err := s.await(ctx, &s.send); err != nil {
			return err
		}
		if err := s.receive(1); err != nil {
			return err
		}
	}
	r.latencies(took)
	return nil
}

// roundTrips times messages that ask the other end's memory.
func (s *side) roundTrips(ctx context.Context, r *Result) error {
	took := make([]float64, s.test.Iterations)
	for i := range took {
		from := time.Now()
		if err := s.sendOne(i); err != nil {
			return err
		}
		if err := s.await(ctx, &s.send); err != nil {
			return err
		}
		took[i] = float64(time.Since(from).Nanoseconds()) / 1000
	}
	r.latencies(took)
	return nil
}

// latencies puts times into a result. took is sorted.
func (r *Result) latencies(took []float64) {
	slices.Sort(took)
	n := len(took)
	at := func(q float64) float64 { return took[min(n-1, int(math.Ceil(q*float64(n)))-1)] }
	sum, squares := 0.0, 0.0
	for _, v := range took {
		sum += v
	}
	r.Min, r.Max, r.Typical, r.Mean, r.P99, r.P999 = took[0], took[n-1], at(0.5), sum/float64(n), at(0.99), at(0.999)
	for _, v := range took {
		squares += (v - r.Mean) * (v - r.Mean)
	}
	r.Deviation = math.Sqrt(squares / float64(n))
}

// bandwidth keeps as many messages outstanding as the test says.
func (s *side) bandwidth(ctx context.Context, r *Result) error {
	posted, done := make([]time.Time, s.test.Iterations), make([]time.Time, s.test.Iterations)
	for next, got := 0, 0; got < s.test.Iterations; got++ {
		for ; next < s.test.Iterations && next-got < s.test.Depth; next++ {
			posted[next] = time.Now()
			if err := s.sendOne(next); err != nil {
				return err
			}
		}
		if err := s.await(ctx, &s.send); err != nil {
			return err
		}
		done[got] = time.Now()
	}
	r.rates(posted, done)
	return nil
}

// mostPeak is how many iterations a peak is looked for in: all pairs of a post and a completion.
const mostPeak = 5000

// rates puts a bandwidth into a result.
func (r *Result) rates(posted, done []time.Time) {
	n := len(done)
	mib := float64(r.Size) / (1 << 20)
	all := done[n-1].Sub(posted[0]).Seconds()
	r.Average, r.Rate = mib*float64(n)/all, float64(n)/all/1e6
	for i := range posted[:min(n, mostPeak)] {
		for j := i; j < min(n, mostPeak); j++ {
			r.Peak = max(r.Peak, mib*float64(j-i+1)/done[j].Sub(posted[i]).Seconds())
		}
	}
}

// Show returns the queue pairs that a server has and had.
func Show(ctx context.Context, server netip.AddrPort) (all []Status, err error) {
	l, end, err := dial(ctx, server)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := l.write(hello{Railyard: version, Show: true}); err != nil {
		return nil, err
	}
	return all, l.read(&all, patience)
}
