package rdma

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/cm"
	"railyard/internal/engine/endpoint"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/wire"
)

// What rping of rdmacm-utils does, which is the other end as well as one of ours:
//
//	client                                       server
//	  |== REQ, REP, RTU ===========================|
//	  |-- SEND: where its text is, key, bytes ---->|
//	  |<- READ ------------------------------------|
//	  |<- SEND ------------------------------------|
//	  |-- SEND: where the text may go ------------>|
//	  |<- WRITE of the text -----------------------|
//	  |<- SEND ------------------------------------|
//	  |== DREQ, DREP ==============================|

// PingPort is rping's, of RDMA's TCP port space.
const PingPort = 7174

// Bounds of a ping's bytes, and of pings.
const (
	MinPing  = 32
	MaxPing  = 64 << 10
	MaxPings = 1_000_000
)

// ServiceOf returns the service id of a port of rdma_cm's TCP port space (IBTA vol. 1, annex A11, A11.2).
func ServiceOf(port int) uint64 { return 1<<24 | 6<<16 | uint64(port) }

// infoBytes is what a SEND of a ping has: address, key, bytes.
const infoBytes = 16

// pinger is an end of a connection that pings.
type pinger struct {
	e          *endpoint.Endpoint
	conn       *cm.Conn
	qp         *verbs.QP
	domain     verbs.Domain
	send, recv verbs.CQ
	b          []byte // received info, info to send, text, text that came back
	key        uint32
	psn        uint32
	size       int
	ready      bool // the connection is established
	gone       error
}

const (
	sentInfo = infoBytes
	text     = 2 * infoBytes
)

func newPinger(e *endpoint.Endpoint, size int) (*pinger, error) {
	p := &pinger{e: e, b: make([]byte, text+2*size), size: size, psn: uint32(time.Now().UnixNano()) & uint32(wire.PSNMask)}
	var err error
	if p.key, err = p.domain.Register(p.b, regionAt, verbs.LocalWrite|verbs.RemoteWrite|verbs.RemoteRead); err != nil {
		return nil, err
	}
	p.qp = e.NewQP(&p.domain, &p.send, &p.recv)
	return p, nil
}

// connect makes the queue pair ready for one at the other end, which says with what PSN this end is to begin.
func (p *pinger) connect(peer netip.Addr, qp uint32, psn wire.PSN, mtu wire.MTU, rnr uint8) error {
	err := p.e.Connect(p.qp, peer, verbs.Attributes{Access: verbs.RemoteWrite | verbs.RemoteRead, MaxReads: 1, MaxDestReads: 1,
		PKey: partition, MTU: mtu, DestQP: qp, RecvPSN: wire.PSN(p.psn), SendPSN: psn, RNRTimer: rnrTimer, Timeout: ackTimeout,
		Retries: 7, RNRRetries: int(rnr), AckEvery: ackEvery})
	return errors.Join(err, p.postReceive())
}

func (p *pinger) post(f func() error) (err error) {
	p.e.Do(func() { err = f() })
	return err
}

func (p *pinger) postReceive() error {
	return p.post(func() error { return p.qp.PostReceive(verbs.Receive{Local: p.span(0, infoBytes)}) })
}

func (p *pinger) span(at, n int) verbs.Span {
	return verbs.Span{Key: p.key, Address: regionAt + uint64(at), Length: uint32(n)}
}

// listen takes what the connection manager tells; f of Await calls it.
func (p *pinger) listen() {
	m, now := p.e.Connections()
	for ev, ok := m.Event(); ok; ev, ok = m.Event() {
		switch {
		case ev.Kind == cm.WasAsked && ev.Conn != p.conn:
			m.Reject(now, ev.Conn, wire.RejectConsumer) // one at a time
		case ev.Conn != p.conn:
		case ev.Kind == cm.WasReplied || ev.Kind == cm.IsReady:
			p.ready = true
		case ev.Kind == cm.WasRejected:
			p.gone = fmt.Errorf("the other end rejects the connection: %v", ev.Reason)
		case ev.Kind == cm.Unreachable:
			p.gone = errors.New("the other end's connection manager does not answer")
		case ev.Kind == cm.HasLeft:
			p.gone = errLeft
		}
	}
}

var errLeft = errors.New("the other end has left")

// await waits until f holds, or the connection is gone.
func (p *pinger) await(ctx context.Context, most time.Duration, f func() bool) error {
	ok := false
	err := p.e.Await(func() bool {
		if ok = ok || f(); ok { // what came goes before its end
			return true
		}
		p.listen()
		return p.gone != nil
	}, most)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && !ok:
		return p.gone
	}
	return err
}

// done waits for a completion.
func (p *pinger) done(ctx context.Context, q *verbs.CQ) error {
	var w verbs.Completion
	err := p.await(ctx, patience, func() (ok bool) {
		w, ok = q.Poll()
		return ok
	})
	if err == nil && w.Status != verbs.Success {
		err = fmt.Errorf("completion with status %d: %v", w.Status, w.Status)
	}
	if err == nil && q == &p.recv && w.Bytes != infoBytes {
		err = fmt.Errorf("a SEND of %d bytes, want %d: where memory is", w.Bytes, infoBytes)
	}
	return err
}

// info is where memory of the other end is.
type info struct {
	address uint64
	key     uint32
	bytes   int
}

// receive waits for a SEND.
func (p *pinger) receive(ctx context.Context) (i info, err error) {
	if err := p.done(ctx, &p.recv); err != nil {
		return i, err
	}
	p.e.Do(func() {
		i = info{binary.BigEndian.Uint64(p.b), binary.BigEndian.Uint32(p.b[8:]), int(binary.BigEndian.Uint32(p.b[12:]))}
	})
	return i, p.postReceive()
}

// tell sends where memory is.
func (p *pinger) tell(ctx context.Context, at int) error {
	err := p.post(func() error {
		b := binary.BigEndian.AppendUint64(p.b[:sentInfo], regionAt+uint64(at))
		binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, p.key), uint32(p.size))
		return p.qp.PostSend(verbs.Work{Op: roce.OpSend, Local: p.span(sentInfo, infoBytes)})
	})
	if err != nil {
		return err
	}
	return p.done(ctx, &p.send)
}

// move reads from the other end or writes to it.
func (p *pinger) move(ctx context.Context, op roce.Op, to info, n int) error {
	err := p.post(func() error {
		return p.qp.PostSend(verbs.Work{Op: op, Local: p.span(text, n), Address: to.address, Key: to.key})
	})
	if err != nil {
		return err
	}
	return p.done(ctx, &p.send)
}

// leave takes the connection down, in order if the other end answers soon.
func (p *pinger) leave() {
	p.e.Do(func() {
		m, now := p.e.Connections()
		m.Leave(now, p.conn)
	})
	_ = p.await(context.Background(), time.Second, func() bool { return p.gone != nil })
}

// Pinged is what a ping came to.
type Pinged struct {
	Server netip.Addr `json:"server"`
	Size   int        `json:"size"`
	Times  []float64  `json:"t_us"` // of each ping, in microseconds
}

// Ping pings the server at an address: each is a READ, a WRITE and four SENDs, and brings the text back. each is told of
// every one.
func Ping(ctx context.Context, e *endpoint.Endpoint, server netip.Addr, port, count, size int,
	each func(n int, took time.Duration)) (*Pinged, error) {
	if server.Is4() != e.Addr().Is4() {
		return nil, fmt.Errorf("the server is at %v, and this end at %v: want both of IPv4, or of IPv6", server, e.Addr())
	}
	p, err := newPinger(e, size)
	if err != nil {
		return nil, err
	}
	e.Do(func() {
		m, now := e.Connections()
		r := e.Request(ServiceOf(port), server)
		r.QP, r.PSN, r.MTU, r.Responder, r.Initiator = p.qp.Number(), wire.PSN(p.psn), pingMTU, 1, 1
		p.conn = m.Dial(now, server, r)
	})
	if err := p.await(ctx, time.Hour, func() bool { p.listen(); return p.ready }); err != nil { // the manager gives up before
		return nil, err
	}
	r := &p.conn.Reply
	if err := p.connect(server, r.QP, r.PSN, pingMTU, r.RNRRetries); err != nil {
		return nil, err
	}
	e.Do(func() {
		m, now := e.Connections()
		m.Establish(now, p.conn)
	})
	defer p.leave()
	out := &Pinged{Server: server, Size: size}
	for n := range count {
		from := time.Now()
		if err := p.ping(ctx, n); err != nil {
			return out, fmt.Errorf("ping %d: %w", n, err)
		}
		took := time.Since(from)
		out.Times = append(out.Times, float64(took.Nanoseconds())/1000)
		each(n, took)
	}
	return out, nil
}

// pingMTU is the path MTU of a ping: 1,024 bytes go wherever Ethernet does.
const pingMTU = wire.MTU(3)

func (p *pinger) ping(ctx context.Context, n int) error {
	p.e.Do(func() { pattern(p.b[text:text+p.size], n); clear(p.b[text+p.size:]) })
	if err := p.tell(ctx, text); err != nil {
		return err
	}
	if _, err := p.receive(ctx); err != nil {
		return err
	}
	if err := p.tell(ctx, text+p.size); err != nil {
		return err
	}
	if _, err := p.receive(ctx); err != nil {
		return err
	}
	same := false
	p.e.Do(func() { same = bytes.Equal(p.b[text:text+p.size], p.b[text+p.size:]) })
	if !same {
		return errors.New("other bytes came back than those that were read")
	}
	return nil
}

// pattern is rping's text: a name with a number, then characters from A to z, which begin one further each time.
func pattern(b []byte, n int) {
	const first, last = 'A', 'z'
	at := copy(b, fmt.Sprintf("rdma-ping-%d: ", n))
	for i := range b[at:] {
		b[at+i] = byte(first + (n+i)%(last-first+1))
	}
	b[len(b)-1] = 0
}

// PingServer answers pings at a port until ctx ends, one connection at a time; with once, of one connection.
func PingServer(ctx context.Context, e *endpoint.Endpoint, port int, once bool, say func(string)) error {
	e.Do(func() {
		m, _ := e.Connections()
		m.Listen(ServiceOf(port))
	})
	say(fmt.Sprintf("waiting for pings at %v, port %d", e.Addr(), port))
	for {
		var conn *cm.Conn
		err := e.Await(func() bool {
			m, _ := e.Connections()
			for ev, ok := m.Event(); ok; ev, ok = m.Event() {
				if ev.Kind == cm.WasAsked {
					conn = ev.Conn
					return true
				}
			}
			return false
		}, time.Hour)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, endpoint.ErrTimeout) {
			continue
		}
		if err != nil {
			return err
		}
		n, err := answerPings(ctx, e, conn)
		if err != nil {
			say(fmt.Sprintf("%v: %v", conn.Peer, err))
		}
		say(fmt.Sprintf("%v: %s answered", conn.Peer, unit.CountOf(int64(n), "ping")))
		if once {
			return err
		}
	}
}

// answerPings serves a connection until it ends, and returns how many pings came.
func answerPings(ctx context.Context, e *endpoint.Endpoint, conn *cm.Conn) (n int, err error) {
	p, err := newPinger(e, MaxPing)
	if err != nil {
		return 0, err
	}
	defer e.DestroyQP(p.qp)
	p.conn = conn
	r := &conn.Request
	if err := p.connect(conn.Peer, r.QP, r.PSN, r.MTU, r.RNRRetries); err != nil {
		e.Do(func() {
			m, now := e.Connections()
			m.Reject(now, conn, wire.RejectConsumer)
		})
		return 0, err
	}
	e.Do(func() {
		m, now := e.Connections()
		m.Accept(now, conn, wire.Reply{QP: p.qp.Number(), PSN: wire.PSN(p.psn), Responder: 1, Initiator: 1, RNRRetries: 7})
	})
	for ; ; n++ {
		switch err := p.answer(ctx); {
		case errors.Is(err, errLeft):
			return n, nil
		case err != nil:
			p.leave()
			return n, err
		}
	}
}

// answer answers a ping.
func (p *pinger) answer(ctx context.Context) error {
	source, err := p.receive(ctx)
	switch {
	case err != nil:
		return err
	case source.bytes < 1 || source.bytes > MaxPing:
		return fmt.Errorf("a ping of %d bytes, want 1 to %d", source.bytes, MaxPing)
	}
	if err := p.move(ctx, roce.OpRead, source, source.bytes); err != nil {
		return err
	}
	if err := p.tell(ctx, text); err != nil {
		return err
	}
	to, err := p.receive(ctx)
	if err != nil {
		return err
	}
	n := 0
	p.e.Do(func() { n = bytes.IndexByte(p.b[text:text+source.bytes], 0) + 1 }) // a text, as rping has it
	if n == 0 {
		n = source.bytes
	}
	if err := p.move(ctx, roce.OpWrite, to, n); err != nil {
		return err
	}
	return p.tell(ctx, text)
}
