package endpoint

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
)

var weather = flag.Int("messages", 400, "messages each way in bad weather against a kernel")

// tc sets what a kernel's machine does to what it sends.
func tc(t *testing.T, k *kernel, netem string) {
	t.Helper()
	c, err := net.Dial("tcp", netip.AddrPortFrom(k.peer, 2323).String())
	if err != nil {
		t.Skipf("no shell there: %v", err) // over unix sockets there is none
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintln(c, "/usr/bin/tc qdisc del dev eth0 root 2>/dev/null; "+netem+" true")
	if _, err := io.ReadAll(c); err != nil {
		t.Fatal(err)
	}
}

// TestKernelInBadWeather: what both ends send is lost (2 %), late, repeated and marked (10 %), and all messages come with their
// contents, both ways; counters tell of it. A kernel's netem either loses or marks, so each has its turn.
func TestKernelInBadWeather(t *testing.T) {
	const replace = "/usr/bin/tc qdisc replace dev eth0 root netem "
	for name, netem := range map[string]string{
		"lost, late, repeated": replace + "loss 2% duplicate 2% delay 1ms reorder 5%;",
		"marked":               replace + "loss 10% ecn;",
	} {
		t.Run(name, func(t *testing.T) {
			e, k := withKernel(t, 3, drawn(9), "timeout=12 tclass=2", func(a *verbs.Attributes) {
				a.Timeout, a.AckEvery = 100*unit.Millisecond, 4 // the machine may be emulated, and stand still for a while
			})
			tc(t, k, netem)
			defer tc(t, k, "")
			stormOut(t, e, k, *weather)
			stormIn(t, e, k, *weather)
			ours, all := *e.qp.Counters(), e.Counters()
			theirs := k.do("COUNTERS")
			t.Logf("ours %+v, %+v; the kernel: %d out of sequence, %d duplicates", ours, all, theirs.OutOfSequence, theirs.Duplicate)
			switch {
			case name == "marked" && (ours.CNPSent == 0 || ours.Marked == 0):
				t.Errorf("the kernel's packets were marked, and nobody notified: %+v", ours)
			case name != "marked" && ours.OutOfSequence+ours.Duplicate == 0:
				t.Errorf("the kernel's packets were lost and repeated, and no counter says so: %+v", ours)
			case ours.SequenceNAK+ours.AckTimeout+ours.Implied == 0:
				t.Errorf("ours were lost, and no counter says so: %+v", ours)
			case all.BadICRC+all.Malformed+all.NoQueuePair > 0:
				t.Errorf("bad packets: %+v", all)
			}
		})
	}
}

// stormSize is how long message i is: up to 5,000 bytes.
func stormSize(i int) int { return 1 + i*2654435761%5000 }

// stormOut has us WRITE, and READ back each fourth time, 16 messages at a time in places of their own.
func stormOut(t *testing.T, e *end, k *kernel, n int) {
	t.Helper()
	const room = 8192
	for at := 0; at < n; at += 16 {
		count := min(16, n-at)
		fill(e.b[:16*room], uint64(at))
		for i := range count {
			w := verbs.Work{ID: uint64(at + i), Op: roce.OpWrite, Key: k.made.RKey, Address: k.made.VAddr + uint64(i*room),
				Local: verbs.Span{Key: e.key, Address: regionAt + uint64(i*room), Length: uint32(stormSize(at + i))}}
			e.post(t, w)
			if i%4 == 3 { // behind it, to another place
				w.Op, w.Local.Address = roce.OpRead, regionAt+uint64((16+i)*room)
				e.post(t, w)
			}
		}
		for range count + count/4 {
			if w := e.poll(t, &e.send); w.Status != verbs.Success {
				t.Fatalf("message %d: %v; %+v", w.ID, w.Status, *e.qp.Counters())
			}
		}
		for i := range count {
			size := stormSize(at + i)
			if i != at/16%16 && i%4 != 3 {
				continue // asking takes its time: one of the WRITEs
			}
			e.Do(func() {
				want := sum(e.b[i*room : i*room+size])
				if got := k.do("SHA256 off=%d len=%d", i*room, size).SHA256; got != want {
					t.Errorf("message %d of %d bytes: the kernel has other bytes", at+i, size)
				}
				if i%4 == 3 && sum(e.b[(16+i)*room:(16+i)*room+size]) != want {
					t.Errorf("message %d of %d bytes: other bytes were read", at+i, size)
				}
			})
		}
	}
}

// stormIn has the kernel WRITE, in runs of 100.
func stormIn(t *testing.T, e *end, k *kernel, n int) {
	t.Helper()
	for at := 0; at < n; at += 100 {
		size := stormSize(at)
		k.do("FILL off=0 len=%d seed=%d", size, at)
		e.Do(func() { clear(e.b[:8192]) })
		k.do("WRITE off=0 len=%d raddr=%d rkey=%d id=%d count=%d depth=16", size, regionAt, e.key, at, min(100, n-at))
		e.Do(func() {
			if got := k.do("SHA256 off=0 len=%d", size).SHA256; got != sum(e.b[:size]) || e.b[size] != 0 {
				t.Errorf("messages from %d, %d bytes: other bytes came", at, size)
			}
		})
	}
}
