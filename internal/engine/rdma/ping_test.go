package rdma

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"railyard/internal/engine/endpoint"
)

// TestPings: pings of a few sizes come back over connections that managers make and end, also when packets are lost behind
// the first three, which are theirs.
func TestPings(t *testing.T) {
	for _, c := range []struct {
		size   int
		faults string
	}{{MinPing, ""}, {64, "repeat:0 repeat:1 repeat:2"}, {5000, "lose:4 late:7 lose:11 repeat:12 lose:20"}, {MaxPing, "lose:5"}} {
		t.Run(fmt.Sprint(c.size), func(t *testing.T) {
			server, client := pingEnd(t, "127.0.44.1", c.faults), pingEnd(t, "127.0.44.2", c.faults)
			over, said := make(chan error, 1), make(chan string, 100)
			go func() {
				over <- PingServer(context.Background(), server, PingPort, true, func(text string) { said <- text })
			}()
			<-said
			out, err := Ping(context.Background(), client, server.Addr(), PingPort, 5, c.size, func(int, time.Duration) {})
			if err != nil || len(out.Times) != 5 {
				t.Fatalf("%v, %+v", err, out)
			}
			if err := <-over; err != nil {
				t.Errorf("the server: %v", err)
			}
			if text := <-said; text != "127.0.44.2: 5 pings answered" {
				t.Error(text)
			}
		})
	}
}

func pingEnd(t *testing.T, addr, script string) *endpoint.Endpoint {
	t.Helper()
	f, err := endpoint.ParseFaults(script)
	if err != nil {
		t.Fatal(err)
	}
	e, err := endpoint.Open(netip.MustParseAddr(addr), f, nil)
	if err != nil {
		t.Skipf("no socket of RoCEv2: %v", err)
	}
	t.Cleanup(e.Close)
	return e
}

// TestPingsToNobody: who does not listen rejects the connection, with the reason.
func TestPingsToNobody(t *testing.T) {
	server, client := pingEnd(t, "127.0.44.1", ""), pingEnd(t, "127.0.44.2", "")
	_, err := Ping(context.Background(), client, server.Addr(), PingPort, 1, 64, func(int, time.Duration) {})
	if want := "the other end rejects the connection: invalid service ID: nobody listens"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Rping's text.
func TestPattern(t *testing.T) {
	b := make([]byte, 20)
	if pattern(b, 3); string(b) != "rdma-ping-3: DEFGHI\x00" {
		t.Errorf("%q", b)
	}
}
