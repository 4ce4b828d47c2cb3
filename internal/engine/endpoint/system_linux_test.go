package endpoint

import (
	"net/netip"
	"runtime"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
)

// Between two endpoints messages take no memory, whatever the socket: with the IP header, without it, over IPv6.
//
// It fails if a packet is made, sent, read or judged in memory of its own.
func TestNoMemoryPerPacket(t *testing.T) {
	for name, open := range map[string]func(*testing.T) [2]*end{
		"raw": func(t *testing.T) [2]*end {
			return [2]*end{newEnd(t, "127.0.42.1", "mark:/50"), newEnd(t, "127.0.42.2", "")}
		},
		"udp":  func(t *testing.T) [2]*end { return [2]*end{newPlain(t, "127.0.42.1"), newPlain(t, "127.0.42.2")} },
		"ipv6": func(t *testing.T) [2]*end { return [2]*end{newEnd(t, "::1", "mark:/50"), nil} },
	} {
		t.Run(name, func(t *testing.T) {
			ends := open(t)
			a, b := ends[0], ends[1]
			if b == nil { // IPv6 has one loopback address: two queue pairs of one endpoint
				b = &end{Endpoint: a.Endpoint, b: a.b, domain: a.domain, key: a.key}
				b.qp = a.NewQP(&b.domain, &b.send, &b.recv)
			}
			couple(t, a, b, 3, nil)
			const size = 1 << 20
			message := func() {
				for _, op := range []roce.Op{roce.OpWrite, roce.OpRead} {
					a.post(t, verbs.Work{Op: op, Local: verbs.Span{Key: a.key, Address: regionAt, Length: size}, Key: b.key,
						Address: regionAt + size})
					if w := a.poll(t, &a.send); w.Status != verbs.Success {
						t.Fatal(w.Status)
					}
				}
			}
			message()
			const messages = 20
			before := a.Counters()
			n := testing.AllocsPerRun(messages, message)
			if packets := float64(a.Counters().Received-before.Received) / messages; n > packets/100 {
				t.Errorf("%v allocations while %v packets came", n, packets)
			}
		})
	}
}

// rare is a socket whose packets come when the test says, one by one.
type rare struct {
	socket
	wait  time.Duration
	tries int
}

func (r *rare) receive(wait bool) (int, error) {
	if !wait {
		r.tries++
		return 0, nil
	}
	time.Sleep(r.wait)
	return 1, nil
}

// A reader whose packets are rare sleeps at once; behind one that came soon it looks for the next before it sleeps.
func TestAReaderThatIsIdleSleeps(t *testing.T) {
	r := &rare{wait: 2 * alert}
	e := &Endpoint{sock: r}
	soon := false
	await := func() {
		if n, err := e.await(&soon); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	for range 3 {
		if await(); soon || r.tries > 0 {
			t.Fatalf("soon %v: it has looked %d times", soon, r.tries)
		}
	}
	r.wait = 0
	for !soon {
		await()
	}
	r.wait = 2 * alert
	if await(); soon || r.tries == 0 {
		t.Errorf("soon %v: it has looked %d times", soon, r.tries)
	}
	was := r.tries
	if await(); r.tries != was {
		t.Errorf("it looks though the latest was rare")
	}
}

// Many sends to where nobody is, and closing: no call is left behind that waits.
func TestClosingWakesWhoReads(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, raw := range []bool{true, false} {
		for _, at := range []string{"127.0.42.7", "::1"} {
			a := netip.MustParseAddr(at)
			s, err := openSockets(a, raw)
			if err != nil {
				t.Skipf("no socket of RoCEv2: %v", err)
			}
			e := begin(a, s, nil, nil)
			time.Sleep(5 * time.Millisecond) // it reads by now; if not the test is no weaker for the others
			e.Close()
		}
	}
	// A goroutine that has said that it ends is counted until it is scheduled once more.
	for patience := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(patience) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// wide is a socket of an interface that takes packets of so many bytes.
type wide struct {
	socket
	bytes int
}

func (w wide) mtu() int { return w.bytes }

// The largest WRITE that there is of one packet fits the interface: 64 bytes of headers and ICRC over IPv4, 84 over IPv6. Any
// loopback address is the loopback's; an address that no interface has is taken for one of an Ethernet.
func TestPathMTU(t *testing.T) {
	for _, c := range []struct {
		addr  string
		bytes int
		want  unit.Bytes
	}{{"10.0.0.1", 1024 + 64, 1024}, {"10.0.0.1", 1024 + 63, 512}, {"::1", 4096 + 84, 4096}, {"::1", 4096 + 83, 2048}} {
		e := &Endpoint{addr: netip.MustParseAddr(c.addr), sock: wide{bytes: c.bytes}}
		if got := e.PathMTU().Bytes(); got != c.want {
			t.Errorf("%s, %d bytes: %d, want %d", c.addr, c.bytes, got, c.want)
		}
	}
	for addr, want := range map[string]unit.Bytes{"127.99.88.77": 4096, "::1": 4096, "192.0.2.99": 1024} {
		a := netip.MustParseAddr(addr)
		e := &Endpoint{addr: a, sock: &sockets{own: a}}
		if got := e.PathMTU().Bytes(); got != want {
			t.Errorf("%s: %d, want %d", addr, got, want)
		}
	}
}
