package verbs_test

import (
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/cc"
	"railyard/internal/net/wire"
)

// host is a queue pair with memory and queues, without a network.
type host struct {
	*verbs.QP
	domain     verbs.Domain
	send, recv verbs.CQ
	b          []byte
	key        uint32
}

const (
	regionAt  = 1 << 40
	allRights = verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic
)

func newHost(t testing.TB) *host {
	t.Helper()
	h := &host{b: make([]byte, 1<<16)}
	var err error
	if h.key, err = h.domain.Register(h.b, regionAt, verbs.LocalWrite|allRights); err != nil {
		t.Fatal(err)
	}
	set := cc.NewSet(cc.None{Window: cc.Window{Bytes: 1 << 17}}, 1)
	set.Init(0, 100*unit.GigabitPerSec, 0)
	h.QP = verbs.NewQP(2, &h.domain, &h.send, &h.recv, set.At(0))
	return h
}

func attributes() verbs.Attributes {
	return verbs.Attributes{Access: allRights, MaxReads: 2, MaxDestReads: 2, PKey: 0xFFFF, MTU: 3, DestQP: 2,
		RecvPSN: 0xFFFFFE, SendPSN: 0xFFFFFE,
		RNRTimer: 1, Timeout: unit.Millisecond, Retries: 7, RNRRetries: 7, AckEvery: 4}
}

func (h *host) to(t testing.TB, states ...verbs.State) {
	t.Helper()
	for _, s := range states {
		if err := h.Modify(s, attributes()); err != nil {
			t.Fatal(err)
		}
	}
}

func (h *host) span(size uint32) verbs.Span {
	return verbs.Span{Key: h.key, Address: regionAt, Length: size}
}

// TestStates: each state is reached from those that it may be reached from alone (IBTA vol. 1, 10.3.1).
func TestStates(t *testing.T) {
	all := []verbs.State{verbs.Reset, verbs.Init, verbs.ReadyToReceive, verbs.ReadyToSend, verbs.SendQueueDrained, verbs.Failed}
	ways := map[verbs.State][]verbs.State{verbs.Reset: nil, verbs.Init: all[1:2], verbs.ReadyToReceive: all[1:3],
		verbs.ReadyToSend: all[1:4], verbs.Failed: {verbs.Init, verbs.Failed}}
	for from, way := range ways {
		for _, to := range all {
			h := newHost(t)
			h.to(t, way...)
			ok := to == verbs.Reset || to == verbs.Failed && from != verbs.Reset ||
				to == from+1 && to <= verbs.ReadyToSend
			if err := h.Modify(to, attributes()); (err == nil) != ok {
				t.Errorf("from %v to %v: %v", from, to, err)
			}
			if want := map[bool]verbs.State{true: to, false: from}[ok]; h.State() != want {
				t.Errorf("from %v to %v: in %v, want %v", from, to, h.State(), want)
			}
			sends := h.State() == verbs.ReadyToSend || h.State() == verbs.Failed
			if err := h.PostSend(verbs.Work{Local: h.span(1)}); (err == nil) != sends {
				t.Errorf("a send in %v: %v", h.State(), err)
			}
			if err := h.PostReceive(verbs.Receive{}); (err == nil) != (h.State() != verbs.Reset) {
				t.Errorf("a receive in %v: %v", h.State(), err)
			}
		}
	}
}

// TestAttributes: what is out of bounds is refused.
func TestAttributes(t *testing.T) {
	for name, change := range map[string]func(*verbs.Attributes){
		"MTU":  func(a *verbs.Attributes) { a.MTU = 6 },
		"QP":   func(a *verbs.Attributes) { a.DestQP = 1 << 24 },
		"PSN":  func(a *verbs.Attributes) { a.RecvPSN = 1 << 24 },
		"RNR":  func(a *verbs.Attributes) { a.RNRTimer = 32 },
		"ACKs": func(a *verbs.Attributes) { a.AckEvery = 0 },
		"time": func(a *verbs.Attributes) { a.Timeout = -1 },
		"try":  func(a *verbs.Attributes) { a.Retries = 8 },
		"low":  func(a *verbs.Attributes) { a.Adaptive = -1 },
	} {
		h := newHost(t)
		h.to(t, verbs.Init)
		a := attributes()
		if change(&a); h.Modify(verbs.ReadyToReceive, a) == nil {
			t.Errorf("%s: %+v is taken", name, a)
		}
	}
}

// TestRights: a key gives its bytes to whom it gives the rights, and none beside them.
func TestRights(t *testing.T) {
	var d verbs.Domain
	a, err := d.Register(make([]byte, 10), 1000, verbs.LocalWrite|verbs.RemoteWrite)
	if err != nil {
		t.Fatal(err)
	}
	top, err := d.Register(make([]byte, 10), 1<<64-10, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key     uint32
		address uint64
		size    int
		need    verbs.Access
		ok      bool
	}{
		{a, 1000, 10, verbs.RemoteWrite, true}, {a, 1010, 0, 0, true}, {a, 1009, 1, verbs.LocalWrite, true},
		{a, 999, 1, 0, false}, {a, 1000, 11, 0, false}, {a, 1010, 1, 0, false}, {a, 1011, 0, 0, false}, {a, 1000, -1, 0, false},
		{a, 1000, 1, verbs.RemoteRead, false}, {a + 1, 1000, 1, 0, false}, {0, 1000, 1, 0, false}, {1<<32 - 1, 1000, 1, 0, false},
		{top, 1<<64 - 10, 10, 0, true}, {top, 1<<64 - 1, 2, 0, false}, {top, 1<<64 - 1, 1, verbs.LocalWrite, false},
	} {
		if b, ok := d.At(c.key, c.address, c.size, c.need); ok != c.ok || ok && (len(b) != c.size || cap(b) != c.size) {
			t.Errorf("%+v: %d bytes, %v", c, len(b), ok)
		}
	}
	if _, err := d.Register(make([]byte, 11), 1<<64-10, 0); err == nil {
		t.Error("a region goes beyond the last address")
	}
	if _, err := d.Register(nil, 0, verbs.RemoteWrite); err == nil {
		t.Error("others may write where the host itself may not")
	}
}

// exchange has two queue pairs send each other what they have until neither has anything.
func exchange(now unit.Time, a, b *host, r *wire.RoCE, hear func(*wire.RoCE)) {
	for moved := true; moved; {
		moved = false
		for _, x := range [][2]*host{{a, b}, {b, a}} {
			for x[0].Next(now, r) {
				moved = true
				if hear != nil {
					hear(r)
				}
				x[1].Receive(now, r, false)
			}
		}
	}
}

// TestNoMemoryPerPacket: in steady state messages take none.
func TestNoMemoryPerPacket(t *testing.T) {
	a, b := newHost(t), newHost(t)
	a.to(t, verbs.Init, verbs.ReadyToReceive, verbs.ReadyToSend)
	b.to(t, verbs.Init, verbs.ReadyToReceive, verbs.ReadyToSend)
	now, packets := unit.Time(0), 0
	var r wire.RoCE
	hear := func(*wire.RoCE) { packets++ }
	message := func() {
		for op := roce.OpWriteImm; op <= roce.OpFetchAdd; op++ {
			if op.Receives() {
				if err := b.PostReceive(verbs.Receive{Local: b.span(30_000)}); err != nil {
					t.Fatal(err)
				}
			}
			w := verbs.Work{Op: op, Local: a.span(30_000), Key: b.key, Address: regionAt}
			if op.Atomic() {
				w.Local = a.span(roce.AtomicBytes)
			}
			if err := a.PostSend(w); err != nil {
				t.Fatal(err)
			}
		}
		for range 1000 {
			now = now.Add(unit.Microsecond)
			exchange(now, a, b, &r, hear)
		}
		for _, ok := a.send.Poll(); ok; _, ok = a.send.Poll() {
		}
		for _, ok := b.recv.Poll(); ok; _, ok = b.recv.Poll() {
		}
	}
	if n := testing.AllocsPerRun(20, message); n != 0 {
		t.Errorf("%v allocations in 7 messages, want none", n)
	}
	if packets < 20*5*30 {
		t.Errorf("%d packets went", packets)
	}
}

// FuzzReceive: whatever comes, there is no more than one answer for a packet beside one notification, and no byte outside
// the region that others may write to changes.
func FuzzReceive(f *testing.F) {
	f.Add([]byte{0x0A, 0x80, 0xFF, 0xFF, 0, 0, 0, 2, 0x80, 0xFF, 0xFF, 0xFE, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 3, 7, 7, 7})
	f.Add([]byte{0x04, 0, 0xFF, 0xFF, 0, 0, 0, 2, 0x80, 0xFF, 0xFF, 0xFE, 1, 2, 3})
	f.Add([]byte{0x11, 0, 0xFF, 0xFF, 0, 0, 0, 2, 0, 0xFF, 0xFF, 0xFE, 0x1F, 0, 0, 1})
	f.Add([]byte{0x0C, 0, 0xFF, 0xFF, 0, 0, 0, 2, 0x80, 0xFF, 0xFF, 0xFE, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 8, 3})
	f.Add([]byte{0x14, 0, 0xFF, 0xFF, 0, 0, 0, 2, 0x80, 0xFF, 0xFF, 0xFE, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 3,
		0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{0x0D, 0, 0xFF, 0xFF, 0, 0, 0, 2, 0, 0, 0, 3, 0x1F, 0, 0, 1})
	f.Fuzz(func(t *testing.T, text []byte) {
		h := newHost(t)
		guarded := make([]byte, 1<<12)
		key, err := h.domain.Register(guarded, 0, 0)
		if err != nil || key == h.key {
			t.Fatal(key, err)
		}
		h.to(t, verbs.Init, verbs.ReadyToReceive, verbs.ReadyToSend)
		for range 2 {
			if err := h.PostReceive(verbs.Receive{Local: h.span(2000)}); err != nil {
				t.Fatal(err)
			}
		}
		for op, size := range map[roce.Op]uint32{roce.OpWrite: 5000, roce.OpRead: 3000, roce.OpFetchAdd: 8} {
			if err := h.PostSend(verbs.Work{Op: op, Local: h.span(size), Key: 1}); err != nil {
				t.Fatal(err)
			}
		}
		var out wire.RoCE
		now := unit.Time(0)
		for h.Next(now, &out) {
			now = now.Add(unit.Microsecond)
		}
		// The text is packets of 64 bytes, the last one shorter or longer.
		for len(text) > 0 {
			n := min(len(text), 64)
			if len(text) < 128 {
				n = len(text)
			}
			packet := wire.Packet{}
			in, ok := roceOf(text[:n], &packet)
			text = text[n:]
			if !ok {
				continue
			}
			now = now.Add(10 * unit.Microsecond)
			h.Receive(now, in, true)
			answers, most := 0, 1
			if in.BTH.Opcode == wire.ReadRequest {
				most = max(1, int(in.RETH.Length+1023)/1024)
			}
			for range 64 {
				now = now.Add(unit.Microsecond)
				if !h.Next(now, &out) {
					break
				}
				if o := out.BTH.Opcode; o >= wire.ReadResponseFirst && o <= wire.AtomicAcknowledge {
					answers++
					if o != wire.Acknowledge && (in.RETH.RKey == key || in.Atomic.RKey == key) {
						t.Fatalf("%v of a region that nobody may read: to %v", o, in.BTH)
					}
				}
			}
			if answers > most {
				t.Fatalf("%d answers to %v, %d bytes, want at most %d", answers, in.BTH, in.RETH.Length, most)
			}
		}
		for i, v := range guarded {
			if v != 0 {
				t.Fatalf("byte %d of a region that nobody may write to is 0x%02x", i, v)
			}
		}
	})
}

// roceOf reads a packet from its BTH on.
func roceOf(b []byte, p *wire.Packet) (*wire.RoCE, bool) {
	h, err := wire.DecodeBTH(b)
	if err != nil {
		return nil, false
	}
	n := int(wire.BTHBytes + h.Opcode.Extended())
	if len(b) < n {
		return nil, false
	}
	p.RoCE = wire.RoCE{BTH: h, Payload: b[n:]}
	b = b[wire.BTHBytes:]
	if h.Opcode.HasRETH() {
		if p.RoCE.RETH, err = wire.DecodeRETH(b); err != nil {
			return nil, false
		}
		p.RoCE.RETH.Length %= 1 << 13
		b = b[wire.RETHBytes:]
	}
	if h.Opcode == wire.CompareSwap || h.Opcode == wire.FetchAdd {
		if p.RoCE.Atomic, err = wire.DecodeAtomicETH(b); err != nil {
			return nil, false
		}
	}
	if h.Opcode.HasAETH() {
		if p.RoCE.AETH, err = wire.DecodeAETH(b); err != nil {
			return nil, false
		}
	}
	return &p.RoCE, true
}

// TestAdaptiveTimeout: after a round trip, what is lost is sent again soon, and twice as late each time; none of these is a
// retry, and the queue pair gives up after Retries+1 of Timeout, not before.
func TestAdaptiveTimeout(t *testing.T) {
	a, b := newHost(t), newHost(t)
	at := attributes()
	at.Timeout, at.Adaptive = unit.Millisecond, 10*unit.Microsecond
	for _, h := range []*host{a, b} {
		for _, s := range []verbs.State{verbs.Init, verbs.ReadyToReceive, verbs.ReadyToSend} {
			if err := h.Modify(s, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	post := func() {
		w := work(roce.OpWrite, 1)
		w.Key, w.Address, w.Local.Key, w.Local.Address = b.key, regionAt, a.key, regionAt
		if err := a.PostSend(w); err != nil {
			t.Fatal(err)
		}
	}
	var sent []unit.Time
	now := unit.Time(0)
	step := func(deaf bool) {
		now = now.Add(unit.Microsecond)
		a.Expire(now)
		for r := (wire.RoCE{}); a.Next(now, &r); {
			sent = append(sent, now)
			if !deaf {
				b.Receive(now, &r, false)
			}
		}
		for r := (wire.RoCE{}); b.Next(now, &r); {
			a.Receive(now, &r, false)
		}
	}
	post()
	step(false)
	if w, ok := a.send.Poll(); !ok || w.Status != verbs.Success {
		t.Fatal(w, ok)
	}
	post()
	sent = nil
	for a.State() == verbs.ReadyToSend && now < unit.Time(unit.Second) {
		step(true)
	}
	if first := sent[1].Sub(sent[0]); first != at.Adaptive {
		t.Errorf("sent again after %v, want %v", first, at.Adaptive)
	}
	if w, _ := a.send.Poll(); w.Status != verbs.RetryExceeded {
		t.Errorf("status %v", w.Status)
	}
	if over := now.Sub(sent[0]); over < 8*at.Timeout || over > 24*at.Timeout {
		t.Errorf("gave up after %v with timeouts of %v", over, at.Timeout)
	}
}
