package cm

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

const service = 0x1060000 + 7174

// world is two managers and what is said between them.
type world struct {
	now  unit.Time
	m    [2]*Manager
	said []string
	lose map[int]bool // messages, by number from 0, that do not arrive
	// what drivers do: accept, establish
	conns [2]*Conn
	deaf  bool // the passive driver does nothing
}

var addrs = [2]netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")}

func newWorld(lose ...int) *world {
	w := &world{lose: map[int]bool{}, m: [2]*Manager{{Timeout: unit.Second, Retries: 2}, {Timeout: unit.Second, Retries: 2}}}
	for _, n := range lose {
		w.lose[n] = true
	}
	w.m[1].Listen(service)
	return w
}

func (w *world) dial(qp uint32) {
	w.conns[0] = w.m[0].Dial(w.now, addrs[1], wire.Request{ServiceID: service, QP: qp, PSN: 5, MTU: 3})
}

// play has messages and events go to and fro until none is left, then time go on to the next deadline, n times.
func (w *world) play(n int) {
	for ; ; n-- {
		for moved := true; moved; {
			moved = false
			for i, m := range w.m {
				for out, ok := m.Next(); ok; out, ok = m.Next() {
					moved = true
					text := fmt.Sprintf("%v %d: %v %d>%d", w.now, i, out.Kind, out.LocalID, out.RemoteID)
					if out.Kind == wire.CMReject {
						text += " " + out.Reject.Reason.String()
					}
					if !w.lose[len(w.said)] {
						w.m[1-i].Receive(w.now, addrs[i], &out.CM)
					} else {
						text += " (lost)"
					}
					w.said = append(w.said, text)
				}
				for e, ok := m.Event(); ok; e, ok = m.Event() {
					moved = true
					w.event(i, e)
				}
			}
		}
		next := min(w.m[0].Wake(), w.m[1].Wake())
		if n <= 0 || next == unit.Never {
			return
		}
		w.now = next
		for _, m := range w.m {
			m.Expire(w.now)
		}
	}
}

func (w *world) event(i int, e Event) {
	names := [...]string{"asked", "replied", "ready", "rejected", "unreachable", "left"}
	text := fmt.Sprintf("%v %d: %s", w.now, i, names[e.Kind])
	if e.Reason != 0 {
		text += ", " + e.Reason.String()
	}
	w.said = append(w.said, text)
	w.lose = shifted(w.lose, len(w.said)-1)
	switch {
	case e.Kind == WasAsked && !w.deaf:
		w.conns[i] = e.Conn
		w.m[i].Accept(w.now, e.Conn, wire.Reply{QP: 0x77 + uint32(e.Conn.local), PSN: 9})
	case e.Kind == WasReplied:
		w.m[i].Establish(w.now, e.Conn)
	}
}

// shifted counts an event that was said among messages.
func shifted(lose map[int]bool, at int) map[int]bool {
	next := map[int]bool{}
	for n := range lose {
		if n >= at {
			n++
		}
		next[n] = true
	}
	return next
}

func (w *world) want(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(w.said, "\n"); got != strings.ReplaceAll(strings.TrimSpace(want), "\t", "") {
		t.Errorf("said\n%s", got)
	}
	w.said = nil
}

// TestConnections: a connection is made and ended, with each of its messages lost once (IBTA vol. 1, 12.9.6 and 12.9.7).
func TestConnections(t *testing.T) {
	w := newWorld()
	w.dial(0x11)
	w.play(0)
	w.want(t, `
		0s 0: REQ 1>0
		0s 1: asked
		0s 1: REP 1>1
		0s 0: replied
		0s 0: RTU 1>1
		0s 1: ready`)
	w.m[0].Leave(w.now, w.conns[0])
	w.play(0)
	w.want(t, `
		0s 0: DREQ 1>1
		0s 1: DREP 1>1
		0s 1: left
		0s 0: left`)
	if w.conns[0].state != Over || w.conns[1].state != Over {
		t.Errorf("in %v and %v, want Over", w.conns[0].state, w.conns[1].state)
	}
	w.play(2)
	if len(w.m[0].conns)+len(w.m[1].conns) != 0 {
		t.Error("connections that are over are remembered for ever")
	}
	for lost, want := range map[int]string{
		0: "0s 0: REQ 1>0 (lost)|1s 0: REQ 1>0|1s 1: asked|1s 1: REP 1>1|1s 0: replied|1s 0: RTU 1>1|1s 1: ready",
		1: "0s 0: REQ 1>0|0s 1: asked|0s 1: REP 1>1 (lost)|1s 0: REQ 1>0|1s 1: REP 1>1|1s 1: REP 1>1|1s 0: replied|1s 0: RTU 1>1|" +
			"1s 1: ready",
		2: "0s 0: REQ 1>0|0s 1: asked|0s 1: REP 1>1|0s 0: replied|0s 0: RTU 1>1 (lost)|1s 1: REP 1>1|1s 0: RTU 1>1|1s 1: ready",
	} {
		w := newWorld(lost)
		w.dial(0x11)
		w.play(1)
		w.want(t, strings.ReplaceAll(want, "|", "\n"))
	}
}

// TestGivingUp: what nobody answers is asked three times.
func TestGivingUp(t *testing.T) {
	w := newWorld(0, 1, 2, 3)
	w.dial(0x11)
	w.play(3)
	w.want(t, `
		0s 0: REQ 1>0 (lost)
		1s 0: REQ 1>0 (lost)
		2s 0: REQ 1>0 (lost)
		3s 0: REJ 1>0 timeout (lost)
		3s 0: unreachable`)
	w = newWorld()
	w.dial(0x11)
	w.play(0)
	w.said, w.lose = nil, map[int]bool{0: true, 1: true, 2: true}
	w.m[1].Leave(w.now, w.conns[1])
	w.play(3)
	w.want(t, `
		0s 1: DREQ 1>1 (lost)
		1s 1: DREQ 1>1 (lost)
		2s 1: DREQ 1>1 (lost)
		3s 1: left`)
}

// TestRejections: nobody listens; the application refuses; a queue pair that is connected already is stale, and its old
// connection goes (12.9.8.3.1); what is of no connection is answered so that the other end need not wait.
func TestRejections(t *testing.T) {
	w := newWorld()
	w.m[1].services = nil
	w.dial(0x11)
	w.play(0)
	w.want(t, `
		0s 0: REQ 1>0
		0s 1: REJ 0>1 invalid service ID: nobody listens
		0s 0: rejected, invalid service ID: nobody listens`)
	w = newWorld()
	w.dial(0x11)
	w.play(0)
	w.m[0].conns, w.said = nil, nil // it was started anew
	w.dial(0x11)
	w.play(0)
	w.want(t, `
		0s 0: REQ 2>0
		0s 1: DREQ 1>1
		0s 1: REJ 0>2 stale connection
		0s 1: left, stale connection
		0s 0: DREP 1>1
		0s 0: rejected, stale connection`)
	w = newWorld()
	w.m[0].Receive(0, addrs[1], &wire.CM{Kind: wire.CMReply, LocalID: 7, RemoteID: 8})
	w.m[0].Receive(0, addrs[1], &wire.CM{Kind: wire.CMReady, LocalID: 7, RemoteID: 8})
	if out, ok := w.m[0].Next(); !ok || out.Kind != wire.CMReject || out.Reject.Reason != wire.RejectID || out.RemoteID != 7 {
		t.Errorf("%v, %v", out, ok)
	}
	if out, ok := w.m[0].Next(); ok {
		t.Errorf("an RTU of no connection is answered: %v", out)
	}
}

// TestDelays: an MRA has the one who asks wait.
func TestDelays(t *testing.T) {
	w := newWorld()
	w.deaf = true
	w.dial(0x11)
	w.play(0)
	w.said = nil
	w.m[0].Receive(w.now, addrs[1], &wire.CM{Kind: wire.CMDelay, LocalID: 1, RemoteID: 1, Delay: wire.Delay{Timeout: 20}})
	if got, want := w.m[0].Wake(), unit.Time(0).Add(unit.Second+4096*unit.Nanosecond<<20); got != want {
		t.Errorf("it asks again at %v, want %v", got, want)
	}
}

// TestOtherQueuePairs: a DREQ with another queue pair, and one from another address, take nothing down.
func TestOtherQueuePairs(t *testing.T) {
	w := newWorld()
	w.dial(0x11)
	w.play(0)
	w.said = nil
	w.m[0].Receive(w.now, addrs[1], &wire.CM{Kind: wire.CMDisconnect, LocalID: 1, RemoteID: 1, RemoteQP: 0x12})
	w.m[0].Receive(w.now, netip.MustParseAddr("10.0.0.3"), &wire.CM{Kind: wire.CMReject, LocalID: 1, RemoteID: 1})
	w.play(0)
	w.want(t, "")
	if s := w.conns[0].state; s != Established {
		t.Errorf("in %v, want Established", s)
	}
}

// FuzzReceive: whatever comes, each message is answered by one at most, but for a stale one, which is answered by two; and
// no connection ends twice.
func FuzzReceive(f *testing.F) {
	f.Add([]byte{0x10, 1, 0, 0x11, 0x14, 1, 1, 0, 0x15, 1, 1, 0x78})
	f.Add([]byte{0x13, 1, 1, 9, 0x11, 1, 1, 3, 0x12, 1, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newWorld()
		m := w.m[1]
		m.Dial(0, addrs[0], wire.Request{QP: 0x99, MTU: 1})
		m.Next()
		ended := map[*Conn]int{}
		for now := unit.Time(0); len(b) >= 4; b = b[4:] {
			now = now.Add(unit.Second / 10)
			in := wire.CM{Kind: wire.CMKind(b[0]), LocalID: uint32(b[1]), RemoteID: uint32(b[2] % 8), RemoteQP: uint32(b[3]),
				Request: wire.Request{ServiceID: service, QP: uint32(b[3])}, Reply: wire.Reply{QP: uint32(b[3])},
				Delay: wire.Delay{Timeout: b[3] % 32}}
			m.Receive(now, addrs[0], &in)
			n := m.out.Len()
			for e, ok := m.Event(); ok; e, ok = m.Event() {
				switch e.Kind {
				case WasAsked:
					m.Accept(now, e.Conn, wire.Reply{QP: uint32(100 + len(m.conns))})
				case WasReplied:
					m.Establish(now, e.Conn)
				case WasRejected, Unreachable, HasLeft:
					ended[e.Conn]++
				}
			}
			if n > 2 || n == 2 && in.Kind != wire.CMRequest {
				t.Fatalf("%d answers to %v", n, in.Kind)
			}
			m.Expire(now)
			for m.out.Len() > 0 { // what the driver has said since
				m.Next()
			}
		}
		for c, n := range ended {
			if n > 1 || c.state != Over && c.state != Leaving {
				t.Errorf("a connection ended %d times", n)
			}
		}
	})
}
