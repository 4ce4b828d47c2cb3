package endpoint

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/wire"
)

// end is an endpoint with one queue pair, a region and its queues.
type end struct {
	*Endpoint
	qp         *verbs.QP
	domain     verbs.Domain
	send, recv verbs.CQ
	b          []byte
	key        uint32
}

const allRights = verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic

const (
	regionBytes = 4 << 20
	regionAt    = 0x10000
)

func newEnd(t testing.TB, addr, script string) *end {
	t.Helper()
	var err error
	e := &end{b: make([]byte, regionBytes)}
	if e.Endpoint, err = Open(netip.MustParseAddr(addr), faultsOf(t, script), nil); err != nil {
		t.Skipf("no socket of RoCEv2: %v", err)
	}
	e.ready(t)
	return e
}

// newFramesEnd is newEnd over unix datagram sockets.
func newFramesEnd(t testing.TB, addr, local, remote, script string) *end {
	t.Helper()
	var err error
	e := &end{b: make([]byte, regionBytes)}
	if e.Endpoint, err = OpenFrames(netip.MustParseAddr(addr), local, remote, faultsOf(t, script), nil); err != nil {
		t.Fatal(err)
	}
	e.ready(t)
	return e
}

func faultsOf(t testing.TB, script string) *Faults {
	t.Helper()
	f, err := ParseFaults(script)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ready makes the queue pair and the region.
func (e *end) ready(t testing.TB) {
	t.Helper()
	t.Cleanup(e.Close)
	e.qp = e.NewQP(&e.domain, &e.send, &e.recv)
	var err error
	if e.key, err = e.domain.Register(e.b, regionAt, verbs.LocalWrite|allRights); err != nil {
		t.Fatal(err)
	}
}

// couple connects two ends; PSNs begin shortly before they wrap.
func couple(t testing.TB, a, b *end, mtu wire.MTU, each func(*verbs.Attributes)) {
	t.Helper()
	connect := func(x, y *end, send, recv wire.PSN) {
		at := verbs.Attributes{Access: allRights, MaxReads: 4, MaxDestReads: 4, PKey: 0xFFFF, MTU: mtu, DestQP: y.qp.Number(),
			RecvPSN: recv, SendPSN: send, RNRTimer: 1, Timeout: 50 * unit.Millisecond, Retries: 7, RNRRetries: 7, AckEvery: 16}
		if each != nil {
			each(&at)
		}
		if err := x.Connect(x.qp, y.Addr(), at); err != nil {
			t.Fatal(err)
		}
	}
	connect(a, b, 0xFFFFF0, 0xFFFFFE)
	connect(b, a, 0xFFFFFE, 0xFFFFF0)
}

func (e *end) post(t testing.TB, w verbs.Work) {
	t.Helper()
	var err error
	e.Do(func() { err = e.qp.PostSend(w) })
	if err != nil {
		t.Fatal(err)
	}
}

func (e *end) receive(t testing.TB, w verbs.Receive) {
	t.Helper()
	var err error
	e.Do(func() { err = e.qp.PostReceive(w) })
	if err != nil {
		t.Fatal(err)
	}
}

func (e *end) poll(t testing.TB, q *verbs.CQ) verbs.Completion {
	t.Helper()
	w, err := e.Poll(q, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func fill(b []byte, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 42))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
}

// TestMessages: each operation, of sizes about the path MTU, with and without faults on both ways, brings its bytes.
func TestMessages(t *testing.T) {
	for i, script := range []string{"", drawn(1), "lose:0 lose:3 lose:4 late:6 repeat:9"} {
		for mtu := wire.MTU(1); mtu <= 5; mtu += 2 {
			t.Run(fmt.Sprint("script", i, "/", mtu.Bytes()), func(t *testing.T) { messages(t, script, mtu) })
		}
	}
}

// drawn is a script of faults in 50,000 packets: 2 % are lost, 2 % repeated, 4 % late, 10 % marked. They are drawn, for what
// is lost each fiftieth time may be the same packet each time that it is sent again.
func drawn(seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for n := range 50_000 {
		switch v := rng.IntN(100); {
		case v < 2:
			fmt.Fprintf(&b, "lose:%d ", n)
		case v < 4:
			fmt.Fprintf(&b, "repeat:%d ", n)
		case v < 8:
			fmt.Fprintf(&b, "late:%d ", n)
		case v < 18:
			fmt.Fprintf(&b, "mark:%d ", n)
		}
	}
	return b.String()
}

func messages(t *testing.T, script string, mtu wire.MTU) {
	messagesOver(t, newEnd(t, "127.0.42.1", script), newEnd(t, "127.0.42.2", script), mtu, script)
}

func messagesOver(t *testing.T, a, b *end, mtu wire.MTU, script string) {
	couple(t, a, b, mtu, nil)
	m := uint32(mtu.Bytes())
	for i, size := range []uint32{0, 1, 2, 3, m - 1, m, m + 1, 65536, 1 << 20} {
		for op := roce.OpWriteImm; op <= roce.OpSendImm; op++ {
			id := uint64(i)<<8 | uint64(op)
			fill(a.b[:size], id)
			clear(b.b[:size+1])
			if op.Receives() {
				b.receive(t, verbs.Receive{ID: id, Local: verbs.Span{Key: b.key, Address: regionAt, Length: size}})
			}
			a.post(t, verbs.Work{ID: id, Op: op, Local: verbs.Span{Key: a.key, Address: regionAt, Length: size}, Key: b.key,
				Address: regionAt, Imm: 0xCAFE0000 | uint32(i)})
			if w := a.poll(t, &a.send); w.Status != verbs.Success || w.ID != id || w.Bytes != size {
				t.Fatalf("operation %d of %d bytes: %+v (%v)", op, size, w, w.Status)
			}
			if op.Receives() {
				w := b.poll(t, &b.recv)
				imm := op == roce.OpWriteImm || op == roce.OpSendImm
				if w.Status != verbs.Success || w.ID != id || w.Bytes != size || w.HasImm != imm ||
					imm && w.Imm != 0xCAFE0000|uint32(i) {
					t.Fatalf("operation %d of %d bytes: received %+v (%v)", op, size, w, w.Status)
				}
			}
			b.Do(func() {
				if !bytes.Equal(a.b[:size], b.b[:size]) || b.b[size] != 0 {
					t.Errorf("operation %d of %d bytes: other bytes came", op, size)
				}
			})
		}
	}
	if c := a.Counters(); c.BadICRC+c.Malformed+c.NoQueuePair > 0 {
		t.Errorf("bad packets: %+v", c)
	}
	if c := b.qp.Counters(); script != "" && c.OutOfSequence+c.Duplicate == 0 {
		t.Errorf("faults left no trace: %+v", *c)
	}
}

// TestRefusals: what the responder must refuse ends with the right status, and both queue pairs in ERR.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		work   func(a, b *end) verbs.Work
		recv   uint32 // bytes of a receive; 0: none
		each   func(*verbs.Attributes)
		want   verbs.Status
		theirs verbs.Status // of the receive
	}{
		"key": {func(a, b *end) verbs.Work { return write(a, b.key+1, regionAt, 10) }, 0, nil, verbs.RemoteAccess, 0},
		"range": {func(a, b *end) verbs.Work { return write(a, b.key, regionAt+regionBytes-9, 10) }, 0, nil, verbs.RemoteAccess,
			0},
		"before": {func(a, b *end) verbs.Work { return write(a, b.key, regionAt-1, 10) }, 0, nil, verbs.RemoteAccess, 0},
		"rights": {func(a, b *end) verbs.Work { return write(a, b.key, regionAt, 10) }, 0,
			func(at *verbs.Attributes) { at.Access = 0 }, verbs.RemoteInvalid, 0},
		"longer": {func(a, _ *end) verbs.Work {
			w := write(a, 0, 0, 5000)
			w.Op = roce.OpSend
			return w
		}, 4999, nil, verbs.RemoteInvalid, verbs.LocalLength},
		"not ready": {func(a, _ *end) verbs.Work {
			w := write(a, 0, 0, 10)
			w.Op = roce.OpSend
			return w
		}, 0, func(at *verbs.Attributes) { at.RNRRetries = 2 }, verbs.RNRExceeded, 0},
		"own memory": {func(a, b *end) verbs.Work {
			w := write(a, b.key, regionAt, 10)
			w.Local.Address = regionAt + regionBytes
			return w
		}, 0, nil, verbs.LocalProtection, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newEnd(t, "127.0.42.1", ""), newEnd(t, "127.0.42.2", "")
			couple(t, a, b, 3, c.each)
			if c.recv > 0 {
				b.receive(t, verbs.Receive{ID: 5, Local: verbs.Span{Key: b.key, Address: regionAt, Length: c.recv}})
			}
			work := c.work(a, b)
			a.Do(func() {
				if err := errors.Join(a.qp.PostSend(work), a.qp.PostSend(write(a, b.key, regionAt, 1))); err != nil {
					t.Fatal(err)
				}
			})
			if w := a.poll(t, &a.send); w.Status != c.want {
				t.Errorf("%v, want %v", w.Status, c.want)
			}
			if w := a.poll(t, &a.send); w.Status != verbs.Flushed {
				t.Errorf("behind it: %v, want %v", w.Status, verbs.Flushed)
			}
			if c.recv > 0 {
				if w := b.poll(t, &b.recv); w.Status != c.theirs {
					t.Errorf("receive: %v, want %v", w.Status, c.theirs)
				}
			}
			if s := a.qp.State(); s != verbs.Failed {
				t.Errorf("requester in %v, want ERR", s)
			}
			for i, v := range b.b {
				if v != 0 && c.recv == 0 {
					t.Fatalf("byte %d was written to", i)
				}
			}
		})
	}
}

func write(a *end, key uint32, address uint64, size uint32) verbs.Work {
	fill(a.b[:size], 1)
	return verbs.Work{ID: 1, Op: roce.OpWrite, Local: verbs.Span{Key: a.key, Address: regionAt, Length: size}, Key: key,
		Address: address}
}

// TestLateReceives: a SEND waits until there is a receive, as the RNR timer has it.
func TestLateReceives(t *testing.T) {
	a, b := newEnd(t, "127.0.42.1", ""), newEnd(t, "127.0.42.2", "")
	couple(t, a, b, 3, nil)
	w := write(a, 0, 0, 3000)
	w.Op = roce.OpSend
	a.post(t, w)
	for sent := int64(0); sent < 3; {
		b.Do(func() { sent = b.qp.Counters().RNRSent })
	}
	b.receive(t, verbs.Receive{ID: 9, Local: verbs.Span{Key: b.key, Address: regionAt, Length: 3000}})
	if w := b.poll(t, &b.recv); w.Status != verbs.Success || w.Bytes != 3000 {
		t.Errorf("%+v", w)
	}
	if w := a.poll(t, &a.send); w.Status != verbs.Success {
		t.Errorf("%v", w.Status)
	}
}

// TestDestroyed: a queue pair that was destroyed leaves nothing behind, in whatever order they go; others go on.
func TestDestroyed(t *testing.T) {
	a, b := newEnd(t, "127.0.42.1", ""), newEnd(t, "127.0.42.2", "")
	var all []*verbs.QP
	for range 1000 {
		all = append(all, b.NewQP(&b.domain, &b.send, &b.recv))
	}
	couple(t, a, b, 3, func(at *verbs.Attributes) { at.Retries, at.Timeout = 1, 10*unit.Millisecond })
	for i := range all {
		b.DestroyQP(all[i*7%len(all)])
	}
	a.post(t, write(a, b.key, regionAt, 5000))
	if w := a.poll(t, &a.send); w.Status != verbs.Success {
		t.Fatalf("a queue pair that was not destroyed: %v", w.Status)
	}
	b.DestroyQP(b.qp)
	b.mu.Lock()
	if len(b.pairs) != 0 {
		t.Errorf("%d queue pairs are left", len(b.pairs))
	}
	b.mu.Unlock()
	a.post(t, write(a, b.key, regionAt, 5000))
	if w := a.poll(t, &a.send); w.Status != verbs.RetryExceeded || b.Counters().NoQueuePair == 0 {
		t.Errorf("a queue pair that was destroyed: %v, %+v", w.Status, b.Counters())
	}
	if n := b.NewQP(&b.domain, &b.send, &b.recv).Number(); n <= all[len(all)-1].Number() {
		t.Errorf("a new one has number 0x%x, which was given before", n)
	}
}

// TestNobodyAnswers: without an answer the queue pair gives up after its retries.
func TestNobodyAnswers(t *testing.T) {
	a, b := newEnd(t, "127.0.42.1", "lose:/1"), newEnd(t, "127.0.42.2", "")
	couple(t, a, b, 3, func(at *verbs.Attributes) { at.Timeout, at.Retries = unit.Millisecond, 2 })
	a.post(t, write(a, b.key, regionAt, 10))
	if w := a.poll(t, &a.send); w.Status != verbs.RetryExceeded {
		t.Errorf("%v, want %v", w.Status, verbs.RetryExceeded)
	}
	if c := a.qp.Counters(); c.AckTimeout != 3 {
		t.Errorf("%d timeouts, want 3", c.AckTimeout)
	}
}

// TestWithoutRoot: the weaker check lets good packets pass, with marks.
func TestWithoutRoot(t *testing.T) {
	a, b := newEnd(t, "127.0.42.1", "mark:/7"), newPlain(t, "127.0.42.2")
	couple(t, a, b, 3, nil)
	for id := range uint64(20) {
		fill(a.b[:50_000], id)
		a.post(t, verbs.Work{ID: id, Op: roce.OpWrite, Local: verbs.Span{Key: a.key, Address: regionAt, Length: 50_000},
			Key: b.key, Address: regionAt})
		if w := a.poll(t, &a.send); w.Status != verbs.Success {
			t.Fatal(w.Status)
		}
		b.Do(func() {
			if !bytes.Equal(a.b[:50_000], b.b[:50_000]) {
				t.Error("other bytes came")
			}
		})
	}
	if c := b.qp.Counters(); b.Raw() || c.Marked < 100 || c.CNPSent == 0 {
		t.Errorf("raw %v, %+v", b.Raw(), *c)
	}
}

// TestIdentification: that of a kernel's packets is found from the ICRC; a packet that was changed is not mended.
func TestIdentification(t *testing.T) {
	const kernelACK = "45000030d5ba40004011503a0a6300020a630001f1e312b7001c00001100ffff00000102001234561f000001d6191f7c"
	whole, err := hex.DecodeString(kernelACK)
	if err != nil {
		t.Fatal(err)
	}
	e := &Endpoint{basis: map[int][16]uint32{}}
	passed := 0
	for i := -1; i < 8*len(whole); i++ {
		b := bytes.Clone(whole)
		if i >= 0 {
			if at := i / 8; at < 28 || at == 32 {
				continue // made up, or not covered
			}
			b[i/8] ^= 1 << (i % 8)
		}
		setID(b, 0)
		e.identify(b)
		if wire.CheckICRC(b) == nil {
			passed++
			if i >= 0 || !bytes.Equal(b, whole) {
				t.Errorf("bit %d changed: %x passes", i, b)
			}
		}
	}
	if passed != 1 {
		t.Errorf("%d packets pass, want the one that nobody changed", passed)
	}
}

// BenchmarkWrite is messages of 1 MiB between two endpoints of one process: its CPU time is that of both.
func BenchmarkWrite(bench *testing.B) {
	a, b := newEnd(bench, "127.0.42.1", ""), newEnd(bench, "127.0.42.2", "")
	couple(bench, a, b, 5, nil)
	work := verbs.Work{Op: roce.OpWrite, Local: verbs.Span{Key: a.key, Address: regionAt, Length: 1 << 20}, Key: b.key,
		Address: regionAt}
	bench.SetBytes(1 << 20)
	bench.ReportAllocs()
	for bench.Loop() {
		a.post(bench, work)
		if w := a.poll(bench, &a.send); w.Status != verbs.Success {
			bench.Fatal(w.Status)
		}
	}
}

// TestFaultScripts: what is no fault is refused with its place.
func TestFaultScripts(t *testing.T) {
	for _, bad := range []string{"lose", "lose:", "lose:-1", "lose:/0",
		"lose:1/0", "lose:1/", "lose:1/1/5", "lose:2/5", "drop:3", "lose:3,mark:3", "lose:1x"} {
		if _, err := ParseFaults(bad); err == nil {
			t.Errorf("%q is a script of faults", bad)
		}
	}
}

// TestDrawnFaults: one in fifty is one in fifty, the same ones each time, others for another word, and no period meets all of them.
func TestDrawnFaults(t *testing.T) {
	const packets = 50_000
	met := func(script string, of fault) (at []int64) {
		f, err := ParseFaults(script)
		if err != nil {
			t.Fatal(err)
		}
		for n := range int64(packets) {
			if f.next() == of {
				at = append(at, n)
			}
		}
		return at
	}
	lost, again := met("lose:1/50", lose), met("lose:1/50", lose)
	if !slices.Equal(lost, again) || len(lost) < packets/60 || len(lost) > packets/40 {
		t.Errorf("%d of %d packets are lost, then %d", len(lost), packets, len(again))
	}
	both := map[int64]bool{}
	for _, n := range lost {
		both[n] = true
	}
	same := 0
	for _, n := range met("mark:1/1000000 late:1/50", hold) {
		if both[n] {
			same++
		}
	}
	if same > len(lost)/10 {
		t.Errorf("%d of %d lost packets are late for another word", same, len(lost))
	}
	for period := int64(2); period <= 200; period++ {
		most := map[int64]int{}
		for _, n := range lost[:40] {
			most[n%period]++
		}
		for at, k := range most {
			if k > 25 {
				t.Errorf("%d of 40 losses are the packet %d of each %d", k, at, period)
			}
		}
	}
}
