package rdma

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"railyard/internal/engine/endpoint"
)

// said6 is what a client of perftest 6.06 has sent: ib_read_bw of Debian 12 on rdma_rxe.
const said6 = "0000:0080:000014:83fff8:000005fd:0000560512d71000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:63:00:02:00000000:\x00"

func TestDestinations(t *testing.T) {
	d, err := parseDestination([]byte(said6))
	want := destination{0x80, 0x14, 0x83fff8, 0x5fd, 0x560512d71000, netip.MustParseAddr("10.99.0.2")}
	if err != nil || d != want {
		t.Errorf("%+v, %v, want %+v", d, err, want)
	}
	if got := d.append(nil); string(got) != said6 {
		t.Errorf("%q, want %q", got, said6)
	}
	for _, bad := range []string{"", said6[1:], strings.Replace(said6, "14", "zz", 1), strings.Replace(said6, "000014", "000001", 1),
		strings.Replace(said6, ":ff:ff", ":ff::f", 1)} {
		if _, err := parseDestination([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzDestination(f *testing.F) {
	f.Add([]byte(said6))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := parseDestination(b)
		if err != nil {
			return
		}
		again, err := parseDestination(d.append(nil))
		if err != nil || again != d {
			t.Errorf("%q is %+v, and that %+v, %v", b, d, again, err)
		}
	})
}

// Our client and our server speak perftest's exchange with each other too: what the server's counters say is what was asked.
func TestPerftestsExchange(t *testing.T) {
	at, server := serve(t, "127.0.43.1")
	said := make(chan string, 10)
	server.Say = func(text string) { said <- text }
	for op, want := range map[string]string{"write_bw": "messages_received 20", "read_bw": "rx_read_requests 20",
		"read_lat": "rx_read_requests 20", "atomic_lat": "rx_atomic_requests 20", "send_bw": "messages_received 20",
		"send_lat": "messages_received 20", "write_lat": "messages_received 20"} {
		server.Perftest = nil
		if slices.Contains(PerftestParts(), op) {
			server.Perftest = &Test{Op: op, Size: 8, Iterations: 20}
		}
		c := Client{Server: at, Perftest: true, Test: Test{Op: op, Size: 8, Iterations: 20, MTU: 1024, Depth: 8},
			Open: func(own netip.Addr) (*endpoint.Endpoint, error) { return endpoint.Open(own, nil, nil) }}
		r, err := c.Run(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		if !r.Perftest || r.MTU != 1024 || c.Test.Latency() != (r.Typical > 0) {
			t.Errorf("%s: %+v", op, r)
		}
		if text := <-said; !strings.HasPrefix(text, "perftest from 127.0.43.2: "+want) {
			t.Errorf("%s: the server says %q, want %s", op, text, want)
		}
	}
}

// Messages of perftest's write_lat that are lost or come twice are waited for; the number of each is the last byte, also where
// it begins anew at 256.
func TestPolledMemory(t *testing.T) {
	at, server := serve(t, "127.0.43.1")
	said := make(chan string, 10)
	server.Say = func(text string) { said <- text }
	server.Perftest = &Test{Op: "write_lat", Size: 5000, Iterations: 300}
	for _, iterations := range []int{300, 1} {
		c := Client{Server: at, Perftest: true, Test: Test{Op: "write_lat", Size: 5000, Iterations: iterations, MTU: 1024, Depth: 8},
			Open: func(own netip.Addr) (*endpoint.Endpoint, error) {
				f, err := endpoint.ParseFaults("lose:0 lose:3 repeat:20 late:40 lose:41 lose:301")
				if err != nil {
					t.Fatal(err)
				}
				return endpoint.Open(own, f, nil)
			}}
		r, err := c.Run(context.Background())
		switch {
		case iterations == 1:
			if err == nil || !strings.Contains(err.Error(), "1 message, want at least 2") {
				t.Errorf("1 message: %v", err)
			}
		case err != nil:
			t.Fatal(err)
		case r.Min <= 0 || r.Min > r.Typical || r.Max < r.P99:
			t.Errorf("%+v", r)
		}
		if text := <-said; iterations > 1 && !strings.Contains(text, "messages_received 300") {
			t.Errorf("the server says %q", text)
		}
	}
}

// The server refuses what is no version, path MTU or destination of perftest's, and goes on.
func TestStrangersToPerftest(t *testing.T) {
	at, _ := serve(t, "127.0.43.1")
	begin := "6.06" + strings.Repeat("\x00", 12) + "\x00\x00\x10\x00" + "\x00\x00\x00\x40"
	for _, text := range []string{"6.0x" + strings.Repeat("\x00", 12), begin + "9\x00", begin + "5\x00" + strings.Repeat("0", destBytes)} {
		l, end, err := dial(context.Background(), at)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = l.conn.Write([]byte(text))
		_ = l.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		var all bytes.Buffer
		if _, err := all.ReadFrom(l.conn); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%q: %v", text, err)
		}
		if strings.Contains(all.String(), "done") {
			t.Errorf("%q: answered with %q", text, &all)
		}
		end()
	}
	if _, err := Show(context.Background(), at); err != nil {
		t.Error(err)
	}
}

// perftestIn is a kernel's machine, over IPv4: perftest's exchange has no other.
func perftestIn(t *testing.T) vm {
	v := theVM(t)
	if v.addr.Is6() {
		t.Skip("perftest 6.06 has its exchange over IPv4 alone")
	}
	return v
}

const perftestArgs = "-d rxe0 -x 1"

// opOf is what a command of perftest measures, as we call it.
func opOf(command string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(command, "ib_"), " ")
	return name
}

// TestKernelMeasuresUs: perftest in a kernel's machine measures against our server.
func TestKernelMeasuresUs(t *testing.T) {
	v := perftestIn(t)
	said := make(chan string, 100)
	s := &Server{Addr: v.own, Port: Port, Say: func(text string) { said <- text },
		Open: func() (*endpoint.Endpoint, error) { return endpoint.Open(v.own, nil, nil) }}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error)
	go func() { over <- s.Serve(ctx) }()
	<-said
	for command, want := range map[string]string{
		"ib_write_bw -s 65536": "messages_received 50",
		"ib_send_bw -s 5000":   "messages_received 50",
		"ib_read_bw -s 5000":   "rx_read_requests 50",
		"ib_read_lat -s 64":    "rx_read_requests 50",
		"ib_atomic_lat":        "rx_atomic_requests 50",
		"ib_send_lat -s 5000":  "messages_received 50",
		"ib_write_lat -s 5000": "messages_received 50",
	} {
		s.Perftest = nil
		if op := opOf(command); slices.Contains(PerftestParts(), op) {
			s.Perftest = &Test{Op: op, Size: 5000, Iterations: 50}
		}
		text := measured(t, v, fmt.Sprintf("timeout 50 %s -n 50 %s %v", command, perftestArgs, v.own), said)
		if !strings.Contains(text, "__rc=0") {
			t.Errorf("%s says %s", command, text)
			continue
		}
		if text := <-said; !strings.Contains(text, want) {
			t.Errorf("%s: our server says %s, want %s", command, text, want)
		}
	}
	cancel()
	<-over
}

// measured runs perftest in the guest against our server. It measures its machine's clock first, and gives up where that wavers, as
// the clock of an emulated machine may: then it runs again, and what our server says of the first is passed over.
func measured(t *testing.T, v vm, command string, said <-chan string) (text string) {
	for range 5 {
		if text = v.run(t, command); !strings.Contains(text, "Correlation coefficient") {
			break
		}
		<-said
	}
	return text
}

// TestKernelMeasuresUsOverIPv6: queue pairs have GIDs of IPv6, perftest's TCP is IPv4; both ways.
func TestKernelMeasuresUsOverIPv6(t *testing.T) {
	v := perftestIn(t)
	six, theirs := netip.MustParseAddr("fd99::1"), netip.MustParseAddr("fd99::2")
	index := strings.Fields(v.run(t, "cd /sys/class/infiniband/rxe0/ports/1/gids && grep -l fd99:0000 *"))[0]
	args := "--ipv6 -d rxe0 -x " + index
	said := make(chan string, 100)
	open := func(netip.Addr) (*endpoint.Endpoint, error) { return endpoint.Open(six, nil, nil) }
	s := &Server{Addr: v.own, Port: Port, Say: func(text string) { said <- text },
		Open: func() (*endpoint.Endpoint, error) { return open(six) }}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error)
	go func() { over <- s.Serve(ctx) }()
	<-said
	command := fmt.Sprintf("timeout 50 ib_write_bw -s 65536 -n 50 %s %v", args, v.own)
	if text := measured(t, v, command, said); !strings.Contains(text, "__rc=0") {
		t.Errorf("it says %s", text)
	}
	if text := <-said; !strings.HasPrefix(text, fmt.Sprintf("perftest from %v: messages_received 50", theirs)) {
		t.Errorf("our server says %s", text)
	}
	cancel()
	<-over
	out := make(chan string, 1)
	go func() { out <- v.run(t, "timeout 50 ib_send_lat -s 8 -n 50 "+args) }()
	c := Client{Server: netip.AddrPortFrom(v.addr, Port), Addr: six, Perftest: true,
		Test: Test{Op: "send_lat", Size: 8, Iterations: 50, MTU: 4096, Depth: 16}, Open: open}
	_, err := c.Run(context.Background())
	for range 100 { // until it listens
		if err == nil || !strings.Contains(err.Error(), "refused") {
			break
		}
		time.Sleep(100 * time.Millisecond)
		_, err = c.Run(context.Background())
	}
	if text := <-out; err != nil || !strings.Contains(text, "__rc=0") {
		t.Errorf("%v; it says %s", err, text)
	}
}

// TestKernelIsMeasured: we measure against perftest's servers in a kernel's machine.
func TestKernelIsMeasured(t *testing.T) {
	v := perftestIn(t)
	for _, command := range []string{"ib_write_bw -s 65536", "ib_read_bw -s 65536", "ib_read_lat -s 8", "ib_atomic_lat",
		"ib_send_bw -s 65536", "ib_send_lat -s 8", "ib_write_lat -s 8"} {
		op := opOf(command)
		said := make(chan string, 1)
		go func() { said <- v.run(t, fmt.Sprintf("timeout 50 %s -n 50 %s", command, perftestArgs)) }()
		c := Client{Server: netip.AddrPortFrom(v.addr, Port), Addr: v.own, Perftest: true,
			Test: Test{Op: op, Size: 8, Iterations: 50, MTU: 4096, Depth: 16},
			Open: func(own netip.Addr) (*endpoint.Endpoint, error) { return endpoint.Open(own, nil, nil) }}
		if strings.Contains(command, "65536") {
			c.Test.Size = 65536
		}
		_, err := c.Run(context.Background())
		for range 100 { // until it listens
			if err == nil || !strings.Contains(err.Error(), "refused") {
				break
			}
			time.Sleep(100 * time.Millisecond)
			_, err = c.Run(context.Background())
		}
		if text := <-said; err != nil || !strings.Contains(text, "__rc=0") {
			t.Errorf("%s: %v; it says %s", op, err, text)
		}
	}
}
