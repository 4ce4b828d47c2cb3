package endpoint

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/wire"
)

// kernelVar names where a kernel's RDMA stack listens for tools/rxe's control protocol, and our address there:
// "10.99.0.2:18600 10.99.0.1", or of IPv6 "[fd99::2]:18600 fd99::1"; or the folder of `run.sh dgram` with both addresses, "/tmp/d
// 10.99.0.1 10.99.0.2". Without it these tests are left out: tools/rxe/interop.sh sets it.
const kernelVar = "RAILYARD_RXE"

// kernel is a queue pair of Linux's rdma_rxe.
type kernel struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
	peer netip.Addr
	made struct {
		QPN, PSN uint32
		VAddr    uint64
		RKey     uint32
	}
}

// answer is what the control protocol says.
type answer struct {
	OK       bool
	Error    string
	State    string
	SHA256   string
	Hex      string
	QPN, PSN uint32
	VAddr    uint64
	RKey     uint32
	WC       []struct {
		WRID    uint64 `json:"wr_id"`
		Status  string `json:"status_str"`
		Opcode  string
		ByteLen uint32 `json:"byte_len"`
		Imm     uint32
	}
	OutOfSequence int64 `json:"out_of_seq_request"`
	Duplicate     int64 `json:"duplicate_request"`
}

func (k *kernel) do(format string, args ...any) answer {
	k.t.Helper()
	_ = k.conn.SetDeadline(time.Now().Add(time.Minute))
	line := fmt.Sprintf(format, args...)
	if _, err := fmt.Fprintln(k.conn, line); err != nil {
		k.t.Fatal(err)
	}
	text, err := k.r.ReadBytes('\n')
	if err != nil {
		k.t.Fatal(err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		k.t.Fatalf("%s: %v: %s", line, err, text)
	}
	for _, key := range []string{"vaddr", "rkey", "qpn", "psn"} { // numbers may be written in strings
		if v, ok := raw[key]; ok && len(v) > 1 && v[0] == '"' {
			var n uint64
			if _, err := fmt.Sscan(string(v[1:len(v)-1]), &n); err != nil {
				k.t.Fatalf("%s: %s", key, v)
			}
			raw[key] = json.RawMessage(fmt.Sprint(n))
		}
	}
	text, _ = json.Marshal(raw)
	var a answer
	if err := json.Unmarshal(text, &a); err != nil || !a.OK {
		k.t.Fatalf("%s: %v, %s", line, err, text)
	}
	return a
}

// withKernel connects a queue pair of ours with one of a kernel.
func withKernel(t *testing.T, mtu wire.MTU, script, connect string, each func(*verbs.Attributes)) (*end, *kernel) {
	t.Helper()
	var control, own, peer string
	fmt.Sscan(os.Getenv(kernelVar), &control, &own, &peer)
	var e *end
	var conn net.Conn
	var err error
	switch {
	case own == "":
		t.Skipf("no %s: tools/rxe/interop.sh runs this", kernelVar)
	case control[0] == '/':
		e = newFramesEnd(t, own, control+"/host.sock", control+"/vm.sock", script)
		conn, err = net.Dial("unix", control+"/ctl.sock")
	default:
		e = newEnd(t, own, script)
		conn, err = net.Dial("tcp", control)
		peer = netip.MustParseAddrPort(control).Addr().String()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	k := &kernel{t: t, conn: conn, r: bufio.NewReader(conn), peer: netip.MustParseAddr(peer)}
	gid := map[bool]string{true: "::ffff:", false: ""}[k.peer.Is4()] // before an address
	made := k.do("CREATE size=%d psn=%d gid=%s%v", regionBytes, 0xFFFFF8, gid, k.peer)
	k.made.QPN, k.made.PSN, k.made.VAddr, k.made.RKey = made.QPN, made.PSN, made.VAddr, made.RKey
	k.do("CONNECT qpn=%d psn=%d gid=%s%s mtu=%d %s", e.qp.Number(), 0xFFFFF0, gid, own, int(mtu.Bytes()), connect)
	at := verbs.Attributes{Access: allRights, MaxReads: 16, MaxDestReads: 16, PKey: 0xFFFF, MTU: mtu, DestQP: made.QPN,
		RecvPSN: wire.PSN(made.PSN),
		SendPSN: 0xFFFFF0, RNRTimer: 12, Timeout: 300 * unit.Millisecond, Retries: 7, RNRRetries: 7, AckEvery: 8}
	if each != nil {
		each(&at)
	}
	if err := e.Connect(e.qp, k.peer, at); err != nil {
		t.Fatal(err)
	}
	return e, k
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// sizesAbout are sizes of messages that end on, before and behind a packet's.
func sizesAbout(mtu wire.MTU) []uint32 {
	m := uint32(mtu.Bytes())
	return []uint32{0, 1, 2, 3, m - 1, m, m + 1, 65536, 1 << 20}
}

// TestKernelResponds: a kernel takes what we send; PSNs wrap.
func TestKernelResponds(t *testing.T) {
	for i, script := range []string{"", drawn(2)} {
		for _, mtu := range []wire.MTU{3, 5} {
			t.Run(fmt.Sprint("script", i, "/", mtu.Bytes()), func(t *testing.T) { kernelResponds(t, mtu, script) })
		}
	}
}

func kernelResponds(t *testing.T, mtu wire.MTU, script string) {
	e, k := withKernel(t, mtu, script, "", nil)
	for i, size := range sizesAbout(mtu) {
		for op := roce.OpWriteImm; op <= roce.OpSendImm; op++ {
			id := uint64(i)<<8 | uint64(op) | 1<<20
			fill(e.b[:size], id)
			if op.Receives() {
				k.do("RECV off=0 len=%d id=%d", max(size, 1), id)
			}
			e.post(t, verbs.Work{ID: id, Op: op, Local: verbs.Span{Key: e.key, Address: regionAt, Length: size}, Key: k.made.RKey,
				Address: k.made.VAddr, Imm: 0xCAFE0000 | uint32(i)})
			if w := e.poll(t, &e.send); w.Status != verbs.Success || w.ID != id {
				t.Fatalf("operation %d of %d bytes: %+v (%v)", op, size, w, w.Status)
			}
			if op.Receives() {
				a := k.do("POLL n=1 timeout_ms=5000")
				if len(a.WC) != 1 || a.WC[0].WRID != id || a.WC[0].Status != "success" || a.WC[0].ByteLen != size {
					t.Fatalf("operation %d of %d bytes: the kernel has %+v", op, size, a.WC)
				}
				if imm := op == roce.OpWriteImm || op == roce.OpSendImm; imm && a.WC[0].Imm != 0xCAFE0000|uint32(i) {
					t.Errorf("immediate 0x%x", a.WC[0].Imm)
				}
			}
			if got := k.do("SHA256 off=0 len=%d", size).SHA256; got != sum(e.b[:size]) {
				t.Errorf("operation %d of %d bytes: the kernel has other bytes", op, size)
			}
		}
	}
	if c := e.Counters(); c.BadICRC+c.Malformed+c.NoQueuePair > 0 {
		t.Errorf("bad packets: %+v", c)
	}
}

// TestKernelRequests: we take what a kernel sends.
func TestKernelRequests(t *testing.T) {
	for _, mtu := range []wire.MTU{3, 5} {
		t.Run(fmt.Sprint(mtu.Bytes()), func(t *testing.T) {
			e, k := withKernel(t, mtu, "", "", nil)
			for i, size := range sizesAbout(mtu) {
				for _, verb := range []string{"WRITE", "WRITE imm=51966", "SEND", "SEND imm=51966"} {
					kernelRequests(t, e, k, verb, i, size)
				}
			}
			if c := e.Counters(); c.BadICRC+c.Malformed+c.NoQueuePair > 0 {
				t.Errorf("bad packets: %+v", c)
			}
		})
	}
}

func kernelRequests(t *testing.T, e *end, k *kernel, verb string, i int, size uint32) {
	t.Helper()
	e.Do(func() { clear(e.b[:size+1]) })
	k.do("FILL off=0 len=%d seed=%d", max(size, 1), i)
	if verb != "WRITE" {
		e.receive(t, verbs.Receive{ID: uint64(i), Local: verbs.Span{Key: e.key, Address: regionAt, Length: size}})
	}
	k.do("%s off=0 len=%d raddr=%d rkey=%d id=%d", verb, size, regionAt, e.key, i)
	if a := k.do("POLL n=1 timeout_ms=20000"); len(a.WC) != 1 || a.WC[0].Status != "success" {
		t.Fatalf("%s of %d bytes: the kernel has %+v; ours %+v", verb, size, a.WC, *e.qp.Counters())
	}
	if verb != "WRITE" {
		if w := e.poll(t, &e.recv); w.Status != verbs.Success || w.Bytes != size || w.HasImm && w.Imm != 51966 ||
			w.HasImm != (len(verb) > 5) {
			t.Errorf("%s of %d bytes: received %+v", verb, size, w)
		}
	}
	e.Do(func() {
		if got := k.do("SHA256 off=0 len=%d", size).SHA256; got != sum(e.b[:size]) || e.b[size] != 0 {
			t.Errorf("%s of %d bytes: other bytes came", verb, size)
		}
	})
}

// TestKernelRefuses: what a kernel refuses us has the right status.
func TestKernelRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		work func(e *end, k *kernel) verbs.Work
		want verbs.Status
	}{
		"key":   {func(e *end, k *kernel) verbs.Work { return write(e, k.made.RKey^0x10000, k.made.VAddr, 10) }, verbs.RemoteAccess},
		"range": {func(e *end, k *kernel) verbs.Work { return write(e, k.made.RKey, k.made.VAddr+regionBytes, 10) }, verbs.RemoteAccess},
		"read key": {func(e *end, k *kernel) verbs.Work {
			return asks(e, roce.OpRead, k.made.RKey^0x10000, k.made.VAddr)
		}, verbs.RemoteAccess},
		"read range": {func(e *end, k *kernel) verbs.Work {
			return asks(e, roce.OpRead, k.made.RKey, k.made.VAddr+regionBytes-7)
		}, verbs.RemoteAccess},
		"atomic key": {func(e *end, k *kernel) verbs.Work {
			return asks(e, roce.OpFetchAdd, k.made.RKey^0x10000, k.made.VAddr)
		}, verbs.RemoteAccess},
		"atomic alignment": {func(e *end, k *kernel) verbs.Work {
			return asks(e, roce.OpFetchAdd, k.made.RKey, k.made.VAddr+4)
		}, verbs.RemoteInvalid},
		"not ready": {func(e *end, k *kernel) verbs.Work {
			w := write(e, 0, 0, 10)
			w.Op = roce.OpSend
			return w
		}, verbs.RNRExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			e, k := withKernel(t, 3, "", "min_rnr_timer=4", func(a *verbs.Attributes) { a.RNRRetries = 2 })
			e.post(t, c.work(e, k))
			if w := e.poll(t, &e.send); w.Status != c.want {
				t.Errorf("%v, want %v", w.Status, c.want)
			}
			if s := e.qp.State(); s != verbs.Failed {
				t.Errorf("queue pair in %v, want ERR", s)
			}
		})
	}
}

// TestKernelIsRefused: what we refuse a kernel it has the right status of, and its queue pair is in ERR.
func TestKernelIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		request func(e *end) string
		recv    uint32
		access  verbs.Access
		want    string
	}{
		"key": {func(e *end) string { return fmt.Sprintf("WRITE len=10 raddr=%d rkey=%d", regionAt, e.key+1) }, 0, 2,
			"remote access error"},
		"range": {func(e *end) string { return fmt.Sprintf("WRITE len=10 raddr=%d rkey=%d", regionAt-1, e.key) }, 0, 2,
			"remote access error"},
		"rights": {func(e *end) string { return fmt.Sprintf("WRITE len=10 raddr=%d rkey=%d", regionAt, e.key) }, 0, 0,
			"remote invalid request error"},
		"longer":    {func(*end) string { return "SEND len=2000" }, 1999, 2, "remote invalid request error"},
		"not ready": {func(*end) string { return "SEND len=20" }, 0, 2, "RNR retry counter exceeded"},
		"read key": {func(e *end) string { return fmt.Sprintf("READ len=20 raddr=%d rkey=%d", regionAt, e.key+1) }, 0, allRights,
			"remote access error"},
		"read range": {func(e *end) string {
			return fmt.Sprintf("READ len=20 raddr=%d rkey=%d", regionAt+regionBytes-19, e.key)
		},
			0, allRights, "remote access error"},
		"read rights": {func(e *end) string { return fmt.Sprintf("READ len=20 raddr=%d rkey=%d", regionAt, e.key) }, 0, 2,
			"remote invalid request error"},
		"atomic key": {func(e *end) string { return fmt.Sprintf("FADD add=1 raddr=%d rkey=%d", regionAt, e.key+1) }, 0, allRights,
			"remote access error"},
		"atomic rights": {func(e *end) string { return fmt.Sprintf("CAS swap=1 raddr=%d rkey=%d", regionAt, e.key) }, 0, 2,
			"remote invalid request error"},
	} {
		t.Run(name, func(t *testing.T) {
			e, k := withKernel(t, 3, "", "rnr_retry=2", func(a *verbs.Attributes) { a.Access, a.RNRTimer = c.access, 4 })
			if c.recv > 0 {
				e.receive(t, verbs.Receive{ID: 5, Local: verbs.Span{Key: e.key, Address: regionAt, Length: c.recv}})
			}
			k.do("%s", c.request(e))
			a := k.do("POLL n=1 timeout_ms=10000")
			if len(a.WC) != 1 || a.WC[0].Status != c.want {
				t.Errorf("the kernel has %+v, want %q", a.WC, c.want)
			}
			if s := k.do("STATE").State; s != "ERR" {
				t.Errorf("the kernel's queue pair in %s, want ERR", s)
			}
		})
	}
}
