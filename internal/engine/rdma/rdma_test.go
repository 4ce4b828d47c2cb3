package rdma

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"railyard/internal/engine/endpoint"
	"railyard/internal/net/pcapng"
	"railyard/internal/net/wire"
)

// serve starts a server at an address of this machine and returns it with its TCP port.
func serve(t *testing.T, addr string) (netip.AddrPort, *Server) {
	t.Helper()
	a := netip.MustParseAddr(addr)
	probe, err := endpoint.Open(a, nil, nil)
	if err != nil {
		t.Skipf("no socket of RoCEv2: %v", err)
	}
	probe.Close()
	ln, err := net.Listen("tcp", addr+":0")
	if err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddrPort(ln.Addr().String())
	ln.Close()
	up := make(chan string, 100)
	s := &Server{Addr: a, Port: int(at.Port()), Say: func(text string) { up <- text },
		Open: func() (*endpoint.Endpoint, error) { return endpoint.Open(a, nil, nil) }}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error)
	go func() { over <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-over
	})
	<-up
	return at, s
}

func TestMeasurements(t *testing.T) {
	at, _ := serve(t, "127.0.43.1")
	for _, op := range Operations() {
		sizes := []uint32{1, 5000, 200_000}
		if op == "atomic_lat" {
			sizes = []uint32{8}
		}
		for _, size := range sizes {
			var file bytes.Buffer
			var capture *endpoint.Capture
			c := Client{Server: at, Test: Test{Op: op, Size: size, Iterations: 20, MTU: 1024, Depth: 8},
				Open: func(own netip.Addr) (*endpoint.Endpoint, error) {
					capture = endpoint.NewCapture(&file, own)
					f, err := endpoint.ParseFaults("lose:3 lose:40 lose:41 late:77 repeat:90 lose:300 lose:1000")
					if err != nil {
						t.Fatal(err)
					}
					return endpoint.Open(own, f, capture)
				}}
			r, err := c.Run(context.Background())
			if err != nil {
				t.Fatalf("%s of %d bytes: %v", op, size, err)
			}
			if c.Test.Latency() != (r.Typical > 0) || c.Test.Latency() == (r.Average > 0) {
				t.Errorf("%s: %+v", op, r)
			}
			counts := map[string]int64{}
			for _, n := range r.ServerSide.Counters {
				counts[n.Name] = n.Count
			}
			want := map[bool]int64{false: 20, true: 21}[op == "atomic_lat"] // one looks at the sum
			if counts["messages_received"]+counts["rx_read_requests"]+counts["rx_atomic_requests"] != want {
				t.Errorf("%s of %d bytes: the server has counted %v", op, size, counts)
			}
			if n := frames(t, file.Bytes()); capture.Err() != nil || n < 21 {
				t.Errorf("%s: %d frames in the capture, %v", op, n, capture.Err())
			}
		}
	}
	all, err := Show(context.Background(), at)
	for try := 0; err == nil && len(all) > 16 && try < 100; try++ { // the server has yet to see that the last one is over
		time.Sleep(100 * time.Millisecond)
		all, err = Show(context.Background(), at)
	}
	if err != nil || len(all) != 16 || all[15].Op != "atomic_lat" || all[15].State != "RTS" {
		t.Errorf("the server shows %+v, %v", all, err)
	}
}

// frames counts those of a capture, and reads each.
func frames(t *testing.T, b []byte) (n int) {
	t.Helper()
	r, err := pcapng.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for {
		p, err := r.Next()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := wire.Dissect(p.Data, int(p.Length), false)
		if err != nil || f.RoCE == nil {
			t.Fatalf("frame %d: %v", n, err)
		}
		n++
	}
}

// TestStrangers: what comes over TCP and is not the exchange, or is out of its bounds, is answered with what is wrong or
// not at all; the server goes on.
func TestStrangers(t *testing.T) {
	at, _ := serve(t, "127.0.43.1")
	good := hello{Railyard: version, Test: Test{Op: "write_bw", Size: 8, Iterations: 1, MTU: 1024, Depth: 1}, QPN: 17,
		GID: netip.MustParseAddr("127.0.43.2")}
	for want, change := range map[string]func(*hello){
		"version 2":         func(h *hello) { h.Railyard = 2 },
		"operation":         func(h *hello) { h.Op = "read_latency" },
		"size 0":            func(h *hello) { h.Size = 0 },
		"size 67108865":     func(h *hello) { h.Size = MaxSize + 1 },
		"iters -1":          func(h *hello) { h.Iterations = -1 },
		"mtu 1000":          func(h *hello) { h.MTU = 1000 },
		"tx-depth 1025":     func(h *hello) { h.Depth = MaxDepth + 1 },
		"queue pair 0x1,":   func(h *hello) { h.QPN = 1 },
		"PSN 0x1000000":     func(h *hello) { h.PSN = 1 << 24 },
		"GID fe80::1%x":     func(h *hello) { h.GID = netip.MustParseAddr("fe80::1%x") },
		"GID invalid IP":    func(h *hello) { h.GID = netip.Addr{} },
		"0x1000000, PSN":    func(h *hello) { h.QPN = 1 << 24 },
		"want 1 to 1000000": func(h *hello) { h.Iterations = MaxIterations + 1 },
	} {
		h := good
		change(&h)
		b, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		if got := asked(t, at, string(b)+"\n"); !strings.Contains(got, want) {
			t.Errorf("%s: answered %s", want, got)
		}
	}
	for _, text := range []string{"", "\n", "{}\n", "[1]\n", "\x00\xff\n", strings.Repeat("x", 2*maxLine), "{\"qpn\":-1}\n"} {
		asked(t, at, text)
	}
	c := Client{Server: at, Test: good.Test, Open: func(own netip.Addr) (*endpoint.Endpoint, error) {
		return endpoint.Open(own, nil, nil)
	}}
	if _, err := c.Run(context.Background()); err != nil {
		t.Errorf("after strangers: %v", err)
	}
}

// asked sends a text and returns what is answered.
func asked(t *testing.T, at netip.AddrPort, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", at.String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = io.WriteString(c, text)
	_ = c.(*net.TCPConn).CloseWrite()
	b, _ := io.ReadAll(c)
	return string(b)
}

// TestLatencies: percentiles are those of the sorted times.
func TestLatencies(t *testing.T) {
	var took []float64
	for i := range 1000 {
		took = append(took, float64(1000-i))
	}
	var r Result
	r.latencies(took)
	if r.Min != 1 || r.Max != 1000 || r.Typical != 500 || r.Mean != 500.5 || r.P99 != 990 || r.P999 != 999 {
		t.Errorf("%+v", r)
	}
}

// A peer that has no address yet is none.
func TestPeersWithoutAnAddress(t *testing.T) {
	if a, b := peerOf(netip.Addr{}), peerOf(netip.MustParseAddr("10.0.0.1")); a != "none" || b != "10.0.0.1" {
		t.Errorf("%q, %q", a, b)
	}
}
