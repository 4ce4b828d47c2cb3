//go:build unix

package rank

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"

	"railyard/internal/base/unit"
	"railyard/internal/engine/endpoint"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/wire"
)

// Paired is a link over a queue pair. What is to be sent is written into a ring in the memory of the peer, by RDMA WRITE with
// immediate, out of a ring here that is the same byte for byte until the WRITE is acknowledged and the peer has read it:
//
//	here                                   the peer
//	+-----------------------+   WRITE    +-----------------------+
//	| ring of what is sent  | ---------> | ring of what came     |
//	+-----------------------+ <--------- +-----------------------+
//	                          immediate: how much the peer has read
//
// The immediate data of each WRITE are the bytes that its sender has read so far, modulo 2^32; where nothing is to be written
// for long, a WRITE of no bytes tells it.
type Paired struct {
	loop       *Loop
	peer       int32
	e          *endpoint.Endpoint
	qp         *verbs.QP
	domain     verbs.Domain
	send, recv verbs.CQ
	out, in    []byte
	key, own   uint32 // of in, and of out
	psn        uint32
	to         Pairing

	sent, acked, freed uint64 // bytes: written, of completed WRITEs, that the peer has read
	got, read, told    uint64 // bytes: that came, that were read, of which the peer knows
	untold             int    // WRITEs that were read since
	ends               ends   // of WRITEs that the peer has not read
	works              int    // not complete
	sending            queue
	receive            receive
	stirred            atomic.Bool // completions have come that no Poll has seen
	starved            atomic.Bool // a completed WRITE is worth waking for
	last               bool        // the last frame is on its way
	broken             bool
}

// Pairing is what an end of a Paired tells the other before it can be connected.
type Pairing struct {
	Addr netip.Addr
	QPN  uint32
	PSN  uint32
	Key  uint32
	MTU  wire.MTU // the largest that its interface takes
}

// PairingBytes is the length of a Pairing.
const PairingBytes = 16 + 4*4

// Append writes it after b: the address as IPv6, the four numbers big-endian.
func (p Pairing) Append(b []byte) []byte {
	a := p.Addr.As16()
	b = append(b, a[:]...)
	for _, v := range []uint32{p.QPN, p.PSN, p.Key, uint32(p.MTU)} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// DecodePairing is the inverse of Append.
func DecodePairing(b []byte) (p Pairing, err error) {
	if len(b) != PairingBytes {
		return p, fmt.Errorf("what a queue pair is: %d bytes, want %d", len(b), PairingBytes)
	}
	p.Addr = netip.AddrFrom16([16]byte(b)).Unmap()
	p.QPN, p.PSN, p.Key = binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint32(b[20:]), binary.BigEndian.Uint32(b[24:])
	mtu := binary.BigEndian.Uint32(b[28:])
	if p.QPN < 2 || p.QPN >= 1<<24 || p.PSN >= 1<<24 || mtu < 1 || mtu > 5 {
		return p, fmt.Errorf("queue pair 0x%x, PSN 0x%x, path MTU code %d: want 2 to 0xffffff, at most 0xffffff, and 1 (256 B) to "+
			"5 (4096 B)", p.QPN, p.PSN, mtu)
	}
	p.MTU = wire.MTU(mtu)
	return p, nil
}

// Of a Paired: the bytes of a ring, where others see it, and how many WRITEs the peer may not have read.
const (
	pairedRing   = 256 << 10
	pairedAt     = 1 << 32
	pairedWrites = 128
)

// Of its queue pair: the code of 0.64 ms, and packets that one acknowledgement covers. A peer that wants a processor is silent
// for long and lives: who has died its launcher says. So the timeout is NCCL's (NCCL_IB_TIMEOUT=18, 1.07 s), and eight of them
// are over what launchers call silence; what is lost is sent again as soon as round trips allow.
const (
	rnrTimer   = 12
	ackTimeout = 4096 * unit.Nanosecond << 18
	ackLeast   = 4096 * unit.Nanosecond << 12
	ackEvery   = 16
)

// NewPaired returns a link of a loop to a peer, of which Pair says what it is and Connect has it know the other end.
func NewPaired(l *Loop, peer int32, e *endpoint.Endpoint, psn uint32) (*Paired, error) {
	b := make([]byte, 2*pairedRing)
	s := &Paired{loop: l, peer: peer, e: e, psn: psn & uint32(wire.PSNMask), in: b[:pairedRing], out: b[pairedRing:],
		receive: receive{loop: l, peer: peer}}
	var err error
	if s.key, err = s.domain.Register(s.in, pairedAt, verbs.LocalWrite|verbs.RemoteWrite); err != nil {
		return nil, err
	}
	if s.own, err = s.domain.Register(s.out, pairedAt, 0); err != nil {
		return nil, err
	}
	s.recv.Event = func() {
		s.stirred.Store(true)
		l.Wake()
	}
	s.send.Event = func() {
		s.stirred.Store(true)
		if s.starved.Load() {
			l.Wake()
		}
	}
	s.qp = e.NewQP(&s.domain, &s.send, &s.recv)
	return s, nil
}

// Pairing is what the peer is to be told.
func (s *Paired) Pairing() Pairing {
	return Pairing{Addr: s.e.Addr(), QPN: s.qp.Number(), PSN: s.psn, Key: s.key, MTU: s.e.PathMTU()}
}

// Connect connects the queue pair, before anything is sent.
func (s *Paired) Connect(to Pairing) error {
	s.to = to
	err := s.e.Connect(s.qp, to.Addr, verbs.Attributes{Access: verbs.RemoteWrite, PKey: 0xFFFF, MTU: min(s.e.PathMTU(), to.MTU),
		DestQP: to.QPN, RecvPSN: wire.PSN(to.PSN), SendPSN: wire.PSN(s.psn), RNRTimer: rnrTimer,
		Timeout: ackTimeout, Adaptive: ackLeast, Retries: 7, RNRRetries: roce.ForeverRNR, AckEvery: ackEvery})
	if err != nil {
		return err
	}
	s.e.Do(func() {
		for range 2 * pairedWrites { // WRITEs with bytes and those without
			err = errors.Join(err, s.qp.PostReceive(verbs.Receive{}))
		}
	})
	return err
}

// Send implements Link.
func (s *Paired) Send(f *Frame, b []byte, outlet int32) {
	s.sending.add(f, b, outlet)
	s.sending.knows(&s.loop.known)
	s.last = s.last || f.Kind == FrameEnd
}

// room is how many bytes can be written now, in one piece.
func (s *Paired) room() int {
	if s.ends.len() == pairedWrites {
		return 0
	}
	free := pairedRing - (s.sent - min(s.acked, s.freed))
	return int(min(free, pairedRing-s.sent%pairedRing, piece))
}

// Push implements Link.
func (s *Paired) Push() (did bool) {
	for !s.broken && !s.sending.empty() {
		n := s.fill(s.room())
		if n == 0 {
			if !s.starves() {
				continue
			}
			break
		}
		s.write(n)
		did = true
	}
	return did
}

// starves says that there is no room, unless there is by now.
func (s *Paired) starves() bool {
	s.starved.Store(true)
	s.completed()
	if s.room() == 0 {
		return true
	}
	s.starved.Store(false)
	return false
}

// fill puts frames into the ring, at most room bytes, and returns how many.
func (s *Paired) fill(room int) (n int) {
	to := s.out[s.sent%pairedRing:][:room]
	for len(to) > n && !s.sending.empty() {
		n += s.sending.next().copyTo(to[n:])
		s.sending.moved(s.loop)
	}
	return n
}

// write writes the next n bytes of the ring to the peer; 0: it only tells what was read.
func (s *Paired) write(n int) {
	at := s.sent % pairedRing
	w := verbs.Work{Op: roce.OpWriteImm, Key: s.to.Key, Address: pairedAt + at, Imm: uint32(s.read),
		Local: verbs.Span{Key: s.own, Address: pairedAt + at, Length: uint32(n)}}
	s.told, s.untold = s.read, 0
	if s.sent += uint64(n); n > 0 {
		s.ends.push(s.sent)
	}
	s.works++
	var err error
	s.e.Do(func() { err = s.qp.PostSend(w) })
	if err != nil {
		s.fail(err)
	}
}

// completed takes what has been completed.
func (s *Paired) completed() {
	var failed verbs.Status
	s.e.Do(func() {
		for w, ok := s.send.Poll(); ok; w, ok = s.send.Poll() {
			s.works--
			s.acked += uint64(w.Bytes)
			if failed == 0 {
				failed = w.Status
			}
		}
		for w, ok := s.recv.Poll(); ok; w, ok = s.recv.Poll() {
			if w.Status != verbs.Success {
				failed = max(failed, w.Status)
				continue
			}
			s.got += uint64(w.Bytes)
			s.untold++
			s.freed += uint64(w.Imm - uint32(s.freed))
			_ = s.qp.PostReceive(verbs.Receive{}) // it is past INIT
		}
	})
	s.ends.until(s.freed)
	switch {
	case s.broken:
	case failed == verbs.RetryExceeded:
		s.fail(&Closed{s.loop.cfg.Rank, s.peer})
	case failed != 0:
		s.fail(errors.Join(fmt.Errorf("rank %d: the queue pair to rank %d: %v", s.loop.cfg.Rank, s.peer, failed), s.e.Err()))
	case s.freed > s.sent || s.got-s.read > pairedRing:
		s.fail(fmt.Errorf("rank %d: rank %d says that it has read %d bytes of %d, and sent %d into a ring of %d", s.loop.cfg.Rank,
			s.peer, s.freed, s.sent, s.got-s.read, pairedRing))
	}
}

// Poll implements Link.
func (s *Paired) Poll() (did, more bool) {
	if s.broken || !s.stirred.Swap(false) {
		return false, false
	}
	s.completed()
	for !s.broken && s.read < s.got {
		at := s.read % pairedRing
		n, err := s.receive.take(s.in[at:min(at+s.got-s.read, pairedRing)])
		s.read += uint64(n)
		did = true
		if err != nil {
			s.fail(err)
		}
	}
	if !s.broken && (s.read-s.told >= pairedRing/4 || s.untold >= pairedWrites/4) && s.read > s.told {
		s.write(0)
	}
	return did, false
}

// Ready implements Link.
func (s *Paired) Ready() bool {
	return !s.broken && (s.stirred.Load() || !s.sending.empty() && s.room() > 0)
}

// Pending implements Link: behind the last frame nobody asks for an acknowledgement that is missing.
func (s *Paired) Pending() bool {
	if s.broken {
		return false
	}
	if s.last && s.works > 0 {
		s.starved.Store(true)
		s.completed()
	}
	return !s.sending.empty() || s.last && s.works > 0 && !s.broken
}

// Descriptor implements Link: the endpoint wakes the loop.
func (s *Paired) Descriptor() (fd int, write bool) { return -1, false }

// Close implements Link: the queue pair answers the peer for as long as its endpoint is open.
func (s *Paired) Close() {}

func (s *Paired) fail(err error) {
	s.broken = true
	s.loop.Broken(s.peer, err)
}

// ends is where WRITEs end that the peer has not read, in order.
type ends struct {
	at      [pairedWrites]uint64
	head, n int
}

func (e *ends) len() int { return e.n }

func (e *ends) push(end uint64) {
	e.at[(e.head+e.n)%pairedWrites] = end
	e.n++
}

// until takes out those that end at so many bytes, or before.
func (e *ends) until(bytes uint64) {
	for e.n > 0 && e.at[e.head] <= bytes {
		e.head = (e.head + 1) % pairedWrites
		e.n--
	}
}
