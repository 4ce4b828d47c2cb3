package rdma

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/endpoint"
)

// vm is a machine with Linux's rdma_rxe: see kernelVar of internal/engine/endpoint, "10.99.0.2:18600 10.99.0.1".
type vm struct{ addr, own netip.Addr }

func theVM(t *testing.T) (v vm) {
	t.Helper()
	var control, own string
	if _, err := fmt.Sscan(os.Getenv("RAILYARD_RXE"), &control, &own); err != nil {
		t.Skip("no RAILYARD_RXE: tools/rxe/interop.sh runs this")
	}
	return vm{netip.MustParseAddrPort(control).Addr(), netip.MustParseAddr(own)}
}

// run runs a command there, and returns what it printed, with __rc= and its exit status behind.
func (v vm) run(t *testing.T, command string) string {
	t.Helper()
	c, err := net.Dial("tcp", netip.AddrPortFrom(v.addr, 2323).String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := fmt.Fprintln(c, command); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestKernelAnswersPings: we ping rping in a kernel's machine, connected by its connection manager.
func TestKernelAnswersPings(t *testing.T) {
	v := theVM(t)
	for _, size := range []int{64, 5000} {
		said := make(chan string, 1)
		go func() { said <- v.run(t, fmt.Sprintf("timeout 50 rping -s -a %v -C 7 -S %d -V -v", v.addr, size)) }()
		client := pingEnd(t, v.own.String(), "")
		out, err := Ping(context.Background(), client, v.addr, PingPort, 7, size, func(int, time.Duration) {})
		for range 50 { // until rping listens
			if err == nil || !strings.Contains(err.Error(), "nobody listens") {
				break
			}
			time.Sleep(100 * time.Millisecond)
			out, err = Ping(context.Background(), client, v.addr, PingPort, 7, size, func(int, time.Duration) {})
		}
		if err != nil || len(out.Times) != 7 {
			t.Fatalf("%v, %+v", err, out)
		}
		client.Close()
		if text := <-said; !strings.Contains(text, "server ping data: rdma-ping-6: GHIJ") || !strings.Contains(text, "__rc=0") {
			t.Errorf("rping says %s", text)
		}
	}
}

// TestKernelPings: rping in a kernel's machine pings us, and verifies what comes back.
func TestKernelPings(t *testing.T) {
	v := theVM(t)
	for _, size := range []int{64, 5000} {
		server := pingEnd(t, v.own.String(), "")
		over, said := make(chan error, 1), make(chan string, 100)
		go func() {
			over <- PingServer(context.Background(), server, PingPort, true, func(text string) { said <- text })
		}()
		<-said
		text := v.run(t, fmt.Sprintf("timeout 50 rping -c -a %v -C 7 -S %d -V -v", v.own, size))
		if !strings.Contains(text, "ping data: rdma-ping-6: GHIJ") || !strings.Contains(text, "__rc=0") {
			t.Errorf("rping says %s", text)
		}
		if err := <-over; err != nil {
			t.Errorf("the server: %v", err)
		}
		if text := <-said; text != fmt.Sprintf("%v: 7 pings answered", v.addr) {
			t.Error(text)
		}
		server.Close()
	}
}

// TestKernelRejects: nobody listens at a kernel's port, and its manager says so.
func TestKernelRejects(t *testing.T) {
	v := theVM(t)
	_, err := Ping(context.Background(), pingEnd(t, v.own.String(), ""), v.addr, 999, 1, 64, func(int, time.Duration) {})
	if err == nil || !strings.Contains(err.Error(), "nobody listens") {
		t.Errorf("%v", err)
	}
}

// TestKernelPingsUnderLoss: connections are made and ended with a kernel's manager though each kind of message of ours is lost
// or comes twice; as client also though a tenth of what the kernel sends is lost. (A kernel whose program has ended does not
// repeat its DREQ, so a server may not hear of it.)
func TestKernelPingsUnderLoss(t *testing.T) {
	v := theVM(t)
	if v.addr.Is6() {
		t.Skip("managers do the same over IPv6, and take as long")
	}
	const calm = "/usr/bin/tc qdisc del dev eth0 root 2>/dev/null; "
	defer v.run(t, calm)
	quick := func(e *endpoint.Endpoint) {
		e.Do(func() {
			m, _ := e.Connections()
			// Linux does not answer a REQ that comes again: it sends its REP again after 4.3 s (4.096 us * 2^20), four times in this.
			m.Timeout, m.Retries = 300*unit.Millisecond, 60
		})
	}
	for _, script := range []string{"lose:0 repeat:1 lose:2", "repeat:0 lose:1 lose:3", "lose:0 lose:1 lose:2 lose:9"} {
		server := pingEnd(t, v.own.String(), script)
		quick(server)
		over := make(chan error, 1)
		up := make(chan string, 10)
		go func() {
			over <- PingServer(context.Background(), server, PingPort, true, func(text string) { up <- text })
		}()
		<-up
		text := v.run(t, fmt.Sprintf(calm+"timeout 55 rping -c -a %v -C 3 -S 64 -V", v.own))
		if !strings.Contains(text, "__rc=0") {
			t.Errorf("%s: rping says %s", script, text)
		}
		if err := <-over; err != nil {
			t.Errorf("%s: our server: %v", script, err)
		}
		server.Close()

		said := make(chan string, 1)
		v.run(t, "/usr/bin/tc qdisc replace dev eth0 root netem loss 10%")
		go func() { said <- v.run(t, fmt.Sprintf("timeout 55 rping -s -a %v -C 3 -S 64 -V", v.addr)) }()
		var err error
		for range 50 { // until it listens
			client := pingEnd(t, v.own.String(), script)
			quick(client)
			_, err = Ping(context.Background(), client, v.addr, PingPort, 3, 64, func(int, time.Duration) {})
			client.Close()
			if err == nil || !strings.Contains(err.Error(), "nobody listens") {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if text := <-said; err != nil || !strings.Contains(text, "__rc=0") {
			t.Errorf("%s: our client: %v; rping says %s", script, err, text)
		}
	}
}
