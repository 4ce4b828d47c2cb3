package rdma

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"time"

	"railyard/internal/base/splitmix"
	"railyard/internal/engine/endpoint"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/wire"
)

// side is an end of a measurement.
type side struct {
	test       Test
	e          *endpoint.Endpoint
	qp         *verbs.QP
	domain     verbs.Domain
	send, recv verbs.CQ
	b          []byte
	key        uint32
	psn        uint32
	peer       hello
}

// regionAt is the address of a side's first byte, as others see it.
const regionAt = 0x7f0000000000

func newSide(t Test, e *endpoint.Endpoint) (*side, error) {
	s := &side{test: t, e: e, b: make([]byte, t.Size)}
	if t.polled() { // what is sent is behind what comes
		s.b = make([]byte, 2*int(t.Size))
	}
	var err error
	if s.key, err = s.domain.Register(s.b, regionAt, verbs.LocalWrite|remoteRights); err != nil {
		return nil, err
	}
	s.qp = e.NewQP(&s.domain, &s.send, &s.recv)
	s.psn = uint32(time.Now().UnixNano()) & uint32(wire.PSNMask)
	return s, nil
}

func (s *side) hello() hello {
	return hello{Railyard: version, Test: s.test, QPN: s.qp.Number(), PSN: s.psn, GID: s.e.Addr(), Key: s.key, Address: regionAt}
}

// connect makes the queue pair ready.
func (s *side) connect(peer hello) error {
	s.peer = peer
	return s.e.Connect(s.qp, peer.GID, peer.attributes(s.psn))
}

// fill writes what is sent.
func (s *side) fill() {
	for i := range s.b[:s.test.Size] {
		s.b[i] = byte(splitmix.Mix(uint64(i)))
	}
}

func (s *side) sum() (text string) {
	s.e.Do(func() {
		h := sha256.Sum256(s.b[:s.test.Size])
		text = hex.EncodeToString(h[:])
	})
	return text
}

func (s *side) span() verbs.Span {
	return verbs.Span{Key: s.key, Address: regionAt, Length: s.test.Size}
}

func (s *side) work(id int) verbs.Work {
	return verbs.Work{ID: uint64(id), Op: operations[s.test.Op].op, Local: s.span(), Key: s.peer.Key, Address: s.peer.Address,
		Imm: uint32(id), Swap: 1}
}

// await waits for a completion, which must be a success.
func (s *side) await(ctx context.Context, q *verbs.CQ) error {
	w, err := s.e.Poll(q, patience)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("no completion: %w", err)
	case w.Status != verbs.Success:
		cause := s.cause(w.Status)
		return fmt.Errorf("completion with status %d: %v", cause, cause)
	}
	return nil
}

// cause returns why a work request was flushed: the status of the first that was not.
func (s *side) cause(of verbs.Status) verbs.Status {
	s.e.Do(func() {
		for w, ok := s.send.Poll(); ok && of == verbs.Flushed; w, ok = s.send.Poll() {
			if w.Status != verbs.Success {
				of = w.Status
			}
		}
	})
	return of
}

// post posts in the endpoint's turn.
func (s *side) post(f func() error) (err error) {
	s.e.Do(func() { err = f() })
	return err
}

func (s *side) receive(n int) error {
	return s.post(func() error {
		for range n {
			if err := s.qp.PostReceive(verbs.Receive{Local: s.span()}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *side) sendOne(id int) error {
	return s.post(func() error { return s.qp.PostSend(s.work(id)) })
}

// status is that of the queue pair now.
func (s *side) status() (st Status) {
	s.e.Do(func() {
		st = Status{QPN: s.qp.Number(), Peer: peerOf(s.peer.GID), State: s.qp.State().String(), Op: s.test.Op}
		for _, c := range s.qp.Counters().List() {
			st.Counters = append(st.Counters, Counter(c))
		}
	})
	c := s.e.Counters()
	st.Counters = append(st.Counters, []Counter{{"packets_sent", c.Sent}, {"packets_received", c.Received},
		{"rx_icrc_encapsulated", c.BadICRC}, {"rx_malformed", c.Malformed}, {"rx_no_queue_pair", c.NoQueuePair}}...)
	return st
}

func peerOf(a netip.Addr) string {
	if !a.IsValid() {
		return "none"
	}
	return a.String()
}
