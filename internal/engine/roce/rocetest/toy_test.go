package rocetest

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/headers"
	"railyard/internal/engine/roce"
	"railyard/internal/net/cc"
	"railyard/internal/net/wire"
)

// TestOnRealTime plays the scripts on the machine's clock: each end of the queue pair is a goroutine, between them go
// frames, as bytes, over channels.
func TestOnRealTime(t *testing.T) {
	Run(t, "testdata", func(t *testing.T, p *Play) Outcome {
		w := &toy{t: t, p: p, start: time.Now(), toResponder: make(chan []byte, 1<<12), toRequester: make(chan []byte, 1<<12)}
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.respond()
		}()
		w.request()
		close(w.toResponder)
		<-done
		return w.seen
	})
}

// toy is a driver on real time.
type toy struct {
	t                        *testing.T
	p                        *Play
	start                    time.Time
	toResponder, toRequester chan []byte
	// flying are the frames that are on their way or being handled: a machine that is slow has lost nothing, so no
	// deadline counts while there are any.
	flying atomic.Int64
	lock   sync.Mutex
	seen   Outcome
}

var here = headers.End{QP: 17, PKey: 0xFFFF, First: 0xFFFFFE}

func (w *toy) now() unit.Time {
	return unit.Time(time.Since(w.start).Nanoseconds() * int64(unit.Nanosecond))
}

// put sends a packet, unless it is to be lost.
func (w *toy) put(to chan<- []byte, pk *roce.Packet, payload []byte) {
	w.lock.Lock()
	lost := w.seen.See(w.p, pk)
	w.lock.Unlock()
	if lost {
		return
	}
	var r wire.RoCE
	if pk.Opcode == wire.DatagramSend {
		m := wire.CM{Kind: pk.Manage}
		if m.Kind == wire.CMRequest {
			m.Request.MTU = wire.MTUOf(w.p.Params.MTU)
		}
		headers.PutMemory(&m.Reply, 0, pk.Landing.Key)
		headers.Manage(&r, &m)
	} else {
		headers.To(&r, pk, here, payload)
	}
	f := wire.Frame{IPv4: &wire.IPv4{Source: netip.MustParseAddr("10.0.0.1"), Dest: netip.MustParseAddr("10.0.0.2")},
		UDP: &wire.UDP{Source: 0xC000}, RoCE: &r}
	w.flying.Add(1)
	to <- f.Append(nil)
}

// take reads a frame that came, with its payload.
func (w *toy) take(b []byte, pk *roce.Packet) []byte {
	f, err := wire.Dissect(b, len(b), true)
	if err != nil || !headers.From(pk, f.RoCE, here) {
		w.t.Errorf("a frame says nothing: %v", err)
		return nil
	}
	return f.RoCE.Payload
}

// request is the sending end.
func (w *toy) request() {
	var q roce.Requester
	var told cc.Ack
	p := &w.p.Params
	set := cc.NewSet(w.p.Controller, 1)
	set.Init(0, 100*unit.GigabitPerSec, 10*unit.Microsecond)
	q.Init(p, set.At(0), &told)
	var pk roce.Packet
	if w.p.Connect {
		q.Dial()
		q.Ask(&pk)
		w.put(w.toResponder, &pk, nil)
	}
	for i, m := range w.p.Messages {
		q.Post(roce.Write{Bytes: unit.Bytes(len(m.From)), Key: uint32(i + 1), Tag: int64(i)})
	}
	for len(w.seen.Acked) < len(w.p.Messages) {
		for q.Connected() && q.Next(w.now(), &pk, p) == roce.Goes {
			m, at := q.Message(pk.Payload.Message), pk.Payload
			now := w.now()
			if q.Sent(now, &pk, at.Size, 0, 0, p) {
				q.Arm(now, 0, p)
			}
			w.put(w.toResponder, &pk, w.p.Messages[m.Tag].From[at.Offset:at.Offset+int64(at.Size)])
		}
		select {
		case b := <-w.toRequester:
			w.take(b, &pk)
			w.heard(&q, &pk)
			w.flying.Add(-1)
		case <-time.After(time.Duration(max(1_000_000, q.Deadline()-w.now()) / 1000)): // ps to ns
			if w.flying.Load() > 0 || q.Deadline() > w.now() {
				continue
			}
			switch q.Expire(w.now(), p) {
			case roce.Failed:
				w.seen.Failed = true
				return
			case roce.Retry:
				q.Arm(w.now(), 0, p)
			}
		}
	}
}

// heard takes what came back.
func (w *toy) heard(q *roce.Requester, pk *roce.Packet) {
	h := q.Receive(w.now(), pk, &w.p.Params)
	if h.Arm {
		q.Arm(w.now(), 0, &w.p.Params)
	}
	if h.Replied {
		q.Establish(pk)
		w.put(w.toResponder, pk, nil)
	}
	for m, ok := q.Take(); ok; m, ok = q.Take() {
		w.seen.Acked = append(w.seen.Acked, m.Bytes)
	}
}

// respond is the receiving end.
func (w *toy) respond() {
	var r roce.Responder
	var pk roce.Packet
	keys := map[int32]uint32{} // by slot
	for b := range w.toResponder {
		payload := w.take(b, &pk)
		v := r.Receive(w.now(), &pk, &w.p.Params)
		if v.Accept {
			if pk.Lands() {
				keys[v.Slot] = pk.Landing.Key
			}
			copy(w.p.Messages[keys[v.Slot]-1].To[v.Offset:v.Offset+int64(v.Size)], payload)
		}
		for _, ok := r.Take(); ok; _, ok = r.Take() {
		}
		if v.Asked {
			r.Accept(7, &pk)
			w.put(w.toRequester, &pk, nil)
		}
		for r.Answer(&pk, &w.p.Params) {
			w.put(w.toRequester, &pk, nil)
		}
		w.flying.Add(-1)
	}
}
