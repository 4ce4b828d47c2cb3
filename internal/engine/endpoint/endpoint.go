package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/engine/cm"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/cc"
	"railyard/internal/net/wire"
)

// Endpoint is a host's end of RoCEv2: queue pairs at one IP address.
type Endpoint struct {
	mu      sync.Mutex
	addr    netip.Addr
	sock    socket
	start   time.Time
	clock   func() unit.Time // in tests; nil: this machine's, from start
	pairs   []*pair          // by number, from base on; nil: it is destroyed
	base    uint32
	faults  *Faults
	watch   Watcher
	changed sync.Cond
	wake    chan struct{}
	done    chan struct{}
	readers sync.WaitGroup
	closed  bool
	broken  error // of the socket

	alarm    unit.Time // when tick looks again
	patience time.Time // when somebody in Await has waited long enough; zero: nobody waits

	out      wire.Packet
	unsent   int // packets in bufs that the socket may not have sent
	bufs     [outPackets][]byte
	held     []byte // a packet that goes behind the next one
	heldTo   netip.Addr
	in       wire.Packet
	basis    map[int][16]uint32
	counters Counters
	cm       cm.Manager
	cmPSN    wire.PSN
}

// Counters are what an endpoint has counted beside its queue pairs.
type Counters struct {
	Sent, Received, BadICRC, Malformed, NoQueuePair int64
}

// Watcher is told of every packet, from its IP header on, when it goes or comes; b is only valid during the call.
type Watcher interface {
	Packet(at time.Time, b []byte, sent bool)
}

// pair is a queue pair and where its other end is.
type pair struct {
	*verbs.QP
	peer netip.Addr
	port uint16 // UDP source
}

// Open makes an endpoint at an IP address of this host.
func Open(addr netip.Addr, faults *Faults, watch Watcher) (*Endpoint, error) {
	if err := usable(addr); err != nil {
		return nil, err
	}
	s, err := open(addr)
	if err != nil {
		return nil, err
	}
	return begin(addr, s, faults, watch), nil
}

func usable(addr netip.Addr) error {
	if !addr.Is4() && !addr.Is6() || addr.Is4In6() || addr.Zone() != "" {
		return fmt.Errorf("%v: want an IPv4 address, or an IPv6 address without a zone", addr)
	}
	return nil
}

func begin(addr netip.Addr, s socket, faults *Faults, watch Watcher) *Endpoint {
	e := &Endpoint{addr: addr, sock: s, start: time.Now(), faults: faults, watch: watch, wake: make(chan struct{}, 1),
		done: make(chan struct{}), basis: map[int][16]uint32{}}
	e.changed.L = &e.mu
	e.cm.Last = uint32(splitmix.Mix(uint64(e.start.UnixNano())))
	e.readers.Add(2)
	go e.read()
	go e.tick()
	return e
}

// Raw reports whether it sees IP headers, and so verifies every bit of an ICRC.
func (e *Endpoint) Raw() bool { return e.sock.raw() }

// Addr returns its address.
func (e *Endpoint) Addr() netip.Addr { return e.addr }

// Close ends it and its queue pairs.
func (e *Endpoint) Close() {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return
	}
	e.closed = true
	close(e.done)
	e.mu.Unlock()
	e.sock.stop()
	e.readers.Wait()
	e.sock.close()
	e.mu.Lock()
	e.changed.Broadcast()
	e.mu.Unlock()
}

func (e *Endpoint) now() unit.Time {
	if e.clock != nil {
		return e.clock()
	}
	return unit.Time(time.Since(e.start)) * unit.Time(unit.Nanosecond)
}

// firstQP is the number of an endpoint's first queue pair: 0 and 1 are for management.
const firstQP = 0x11

// window is the most bytes of a queue pair in flight: what the receive buffer of a socket holds that nobody enlarged.
const window = 128 * unit.Kibibyte

// NewQP makes a queue pair.
func (e *Endpoint) NewQP(d *verbs.Domain, send, recv *verbs.CQ) *verbs.QP {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := cc.Presets["dcqcn-sigcomm15"].DCQCN
	c.Window = cc.Window{Bytes: window}
	set := cc.NewSet(c, 1)
	set.Init(0, lineRate, 0)
	n := uint32(len(e.pairs)) + e.base + firstQP
	p := &pair{QP: verbs.NewQP(n, d, send, recv, set.At(0)), port: uint16(0xC000 | n*0x9E37&0x3FFF)}
	e.pairs = append(e.pairs, p)
	return p.QP
}

// DestroyQP takes a queue pair away: what still comes for it is for nobody. Its number is not given again.
func (e *Endpoint) DestroyQP(qp *verbs.QP) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pairs[qp.Number()-firstQP-e.base] = nil
	for len(e.pairs) > 0 && e.pairs[0] == nil {
		e.pairs = e.pairs[1:]
		e.base++
	}
}

// lineRate is that of the port which congestion control assumes.
const lineRate = 100 * unit.GigabitPerSec

// Connect takes a queue pair from RESET to RTS, with its other end at an address.
func (e *Endpoint) Connect(qp *verbs.QP, peer netip.Addr, a verbs.Attributes) error {
	if peer.Is4() != e.addr.Is4() {
		return fmt.Errorf("the other end is at %v, and this one at %v: want both of IPv4, or of IPv6", peer, e.addr)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pairs[qp.Number()-firstQP-e.base].peer = peer
	for _, s := range []verbs.State{verbs.Init, verbs.ReadyToReceive, verbs.ReadyToSend} {
		if err := qp.Modify(s, a); err != nil {
			return err
		}
	}
	return nil
}

// Do runs f while nothing else happens in the endpoint: it may post and poll. What may be sent then is.
func (e *Endpoint) Do(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
	for _, p := range e.pairs {
		e.load(p)
	}
	e.converse()
	e.flush()
}

// due has tick look at a time, or before.
func (e *Endpoint) due(at unit.Time) {
	if at < e.alarm {
		e.alarm = at
		e.nudge()
	}
}

// nudge has tick look again when it is to wake.
func (e *Endpoint) nudge() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// ErrTimeout says that the time to wait is over.
var ErrTimeout = errors.New("nothing came in time")

// Poll takes the oldest completion out of a queue; it waits for one for at most so long.
func (e *Endpoint) Poll(q *verbs.CQ, most time.Duration) (w verbs.Completion, err error) {
	err = e.Await(func() (ok bool) {
		w, ok = q.Poll()
		return ok
	}, most)
	return w, err
}

// Await waits until f, which it calls in the endpoint's turn as often as something happens, returns true; for at most so
// long.
func (e *Endpoint) Await(f func() bool, most time.Duration) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f() {
		return nil
	}
	for over := time.Now().Add(most); !f(); {
		switch {
		case e.broken != nil:
			return e.broken
		case e.closed:
			return errors.New("the endpoint is closed")
		case !time.Now().Before(over):
			return ErrTimeout
		}
		if e.patience.IsZero() || over.Before(e.patience) {
			e.patience = over
			e.nudge()
		}
		e.changed.Wait()
	}
	return nil
}

// Counters returns what it has counted.
func (e *Endpoint) Counters() Counters {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counters
}

// load gives the socket what a queue pair has to send now, and says when it has more.
func (e *Endpoint) load(p *pair) {
	for p != nil && p.peer.IsValid() && e.broken == nil && !e.closed {
		now := e.now()
		if p.Next(now, &e.out.RoCE) {
			e.write(p.peer)
			continue
		}
		at := p.Wake(now)
		if soon := at > now && at <= now+shortest; !soon || e.clock != nil {
			e.due(at)
			return
		}
	}
}

// shortest is for how long a packet is waited for that is to go soon: to sleep takes longer.
const shortest = unit.Time(unit.Microsecond)

// outPackets is how many packets are made before they are sent.
const outPackets = 32

// write gives the socket the packet in out.
func (e *Endpoint) write(to netip.Addr) {
	e.out.IP = wire.IPv4{DontFragment: to.Is4(), TTL: 64, ECN: ect0, Source: e.addr, Dest: to}
	e.out.UDP.Source = wire.RoCEv2Port
	buf := &e.bufs[e.unsent]
	*buf = e.out.Append((*buf)[:0])
	e.transmit(*buf, to)
	if e.unsent++; e.unsent == outPackets {
		e.flush()
	}
}

// flush sends what the socket was given.
func (e *Endpoint) flush() {
	if e.unsent == 0 {
		return
	}
	e.unsent = 0
	if err := e.sock.flush(); err != nil && e.broken == nil {
		e.breaks(err)
	}
}

const (
	ect0 = 2
	ce   = 3
)

// transmit gives the socket a packet, as the faults have it.
func (e *Endpoint) transmit(b []byte, to netip.Addr) {
	e.counters.Sent++
	f := e.faults.next()
	if f == hold && e.held == nil {
		e.held, e.heldTo = bytes.Clone(b), to
		return
	}
	if f == spoil {
		b[len(b)-1] ^= 1
	}
	if f != lose {
		e.put(b, to, f == mark)
	}
	if f == repeat {
		e.put(b, to, false)
	}
	if e.held != nil {
		e.put(e.held, e.heldTo, false)
		e.held = nil
	}
}

func (e *Endpoint) put(b []byte, to netip.Addr, marked bool) {
	if e.watch != nil {
		e.watch.Packet(time.Now(), b, true)
	}
	if err := e.sock.send(b[wire.PacketHeaders(to.Is6()):], to, marked); err != nil && e.broken == nil {
		e.breaks(err)
	}
}

// breaks says that the socket is of no use any more: all queue pairs end.
func (e *Endpoint) breaks(err error) {
	e.broken = err
	for _, p := range e.pairs {
		if p == nil {
			continue
		}
		_ = p.Modify(verbs.Failed, verbs.Attributes{}) // one in RESET has nothing to end
	}
	e.changed.Broadcast()
}

// Err returns what is wrong with its socket; nil: nothing.
func (e *Endpoint) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.broken
}

// read takes packets as they come.
func (e *Endpoint) read() {
	defer e.readers.Done()
	soon := false // the latest came soon after those before it
	for {
		n, err := e.await(&soon)
		e.mu.Lock()
		if e.closed {
			e.mu.Unlock()
			return
		}
		if err != nil {
			e.breaks(err)
			e.mu.Unlock()
			return
		}
		for i := range n {
			e.take(e.sock.packet(i))
		}
		e.flush()
		e.mu.Unlock()
	}
}

// take gives a packet to its queue pair.
func (e *Endpoint) take(b []byte, whole bool) {
	if !whole {
		e.identify(b)
	}
	head := int(wire.PacketHeaders(wire.IsIPv6(b)))
	if len(b) < head || b[head-6] != wire.RoCEv2Port>>8 || b[head-5] != wire.RoCEv2Port&0xFF {
		return // of another port: a raw socket has all
	}
	if e.watch != nil {
		e.watch.Packet(time.Now(), b, false)
	}
	e.counters.Received++
	if err := e.in.Decode(b); err != nil {
		if wire.CheckICRC(b) != nil {
			e.counters.BadICRC++
		} else {
			e.counters.Malformed++
		}
		return
	}
	if e.in.RoCE.BTH.DestQP == wire.ServiceQP && e.in.IP.Dest == e.addr {
		e.managed()
		return
	}
	i := int64(e.in.RoCE.BTH.DestQP) - firstQP - int64(e.base)
	if i < 0 || i >= int64(len(e.pairs)) || e.pairs[i] == nil || e.pairs[i].peer != e.in.IP.Source || e.in.IP.Dest != e.addr {
		e.counters.NoQueuePair++
		return
	}
	p := e.pairs[i]
	if p.Receive(e.now(), &e.in.RoCE, e.in.IP.ECN == ce) {
		e.load(p)
		e.changed.Broadcast()
	}
}

// tick does what time asks for.
func (e *Endpoint) tick() {
	defer e.readers.Done()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(e.look())
		select {
		case <-e.done:
			return
		case <-e.wake:
		case <-timer.C:
		}
	}
}

// look does it now, and returns for how long nothing is to be done.
func (e *Endpoint) look() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cm.Expire(e.now())
	e.alarm = 0 // nobody nudges
	e.converse()
	next := unit.Never
	for _, p := range e.pairs {
		if p == nil {
			continue
		}
		p.Expire(e.now())
		e.load(p)
		next = min(next, p.Wake(e.now()))
	}
	e.flush()
	e.alarm = min(next, e.cm.Wake())
	wait := min(time.Hour, time.Duration((e.alarm-e.now())/unit.Time(unit.Nanosecond)))
	if !e.patience.IsZero() {
		wait = min(wait, time.Until(e.patience))
		if wait <= 0 {
			e.patience = time.Time{} // who still waits says so again
		}
	}
	e.changed.Broadcast()
	return max(0, wait)
}
