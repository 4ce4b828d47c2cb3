package endpoint

import (
	"encoding/binary"
	"fmt"
	"testing"

	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/wire"
)

func asks(e *end, op roce.Op, key uint32, address uint64) verbs.Work {
	return verbs.Work{ID: 1, Op: op, Local: verbs.Span{Key: e.key, Address: regionAt, Length: 8}, Key: key, Address: address, Swap: 1}
}

// TestKernelIsRead: we read a kernel's memory.
func TestKernelIsRead(t *testing.T) {
	for i, script := range []string{"", drawn(5)} {
		for _, mtu := range []wire.MTU{3, 5} {
			t.Run(fmt.Sprint("script", i, "/", mtu.Bytes()), func(t *testing.T) {
				e, k := withKernel(t, mtu, script, "", nil)
				for i, size := range sizesAbout(mtu) {
					k.do("FILL off=0 len=%d seed=%d", max(size, 1), i)
					e.Do(func() { clear(e.b[:size+1]) })
					e.post(t, verbs.Work{ID: uint64(i), Op: roce.OpRead, Local: verbs.Span{Key: e.key, Address: regionAt, Length: size},
						Key: k.made.RKey, Address: k.made.VAddr})
					if w := e.poll(t, &e.send); w.Status != verbs.Success || w.ID != uint64(i) {
						t.Fatalf("%d bytes: %+v (%v)", size, w, w.Status)
					}
					e.Do(func() {
						if got := k.do("SHA256 off=0 len=%d", size).SHA256; got != sum(e.b[:size]) || e.b[size] != 0 {
							t.Errorf("%d bytes: other bytes came", size)
						}
					})
				}
				if c := e.Counters(); c.BadICRC+c.Malformed+c.NoQueuePair > 0 {
					t.Errorf("bad packets: %+v", c)
				}
			})
		}
	}
}

// TestKernelReads: a kernel reads our memory, also when what we send is lost, late and repeated.
func TestKernelReads(t *testing.T) {
	for i, script := range []string{"", drawn(6)} {
		for _, mtu := range []wire.MTU{3, 5} {
			t.Run(fmt.Sprint("script", i, "/", mtu.Bytes()), func(t *testing.T) {
				e, k := withKernel(t, mtu, script, "", nil)
				for i, size := range sizesAbout(mtu) {
					e.Do(func() { fill(e.b[:size], uint64(i)) })
					k.do("READ off=0 len=%d raddr=%d rkey=%d id=%d", size, regionAt, e.key, i)
					if a := k.do("POLL n=1 timeout_ms=20000"); len(a.WC) != 1 || a.WC[0].Status != "success" {
						t.Fatalf("%d bytes: the kernel has %+v; ours %+v", size, a.WC, *e.qp.Counters())
					}
					if got := k.do("SHA256 off=0 len=%d", size).SHA256; got != sum(e.b[:size]) {
						t.Errorf("%d bytes: the kernel has other bytes", size)
					}
				}
				// Several outstanding, both ways at once.
				e.post(t, verbs.Work{ID: 7, Op: roce.OpRead, Local: verbs.Span{Key: e.key, Address: regionAt + 2<<20, Length: 1 << 20},
					Key: k.made.RKey, Address: k.made.VAddr})
				for id := range 5 {
					k.do("READ off=%d len=100000 raddr=%d rkey=%d id=%d", 2<<20+id*100000, regionAt+id*100000, e.key, id)
				}
				if a := k.do("POLL n=5 timeout_ms=20000"); len(a.WC) != 5 || a.WC[4].Status != "success" || a.WC[4].WRID != 4 {
					t.Errorf("the kernel has %+v", a.WC)
				}
				if w := e.poll(t, &e.send); w.Status != verbs.Success {
					t.Errorf("%+v (%v)", w, w.Status)
				}
				if got := k.do("SHA256 off=%d len=500000", 2<<20).SHA256; got != sum(e.b[:500_000]) {
					t.Error("the kernel has other bytes")
				}
			})
		}
	}
}

// TestKernelAtomics: atomic operations of ours on a kernel's memory and of a kernel on ours, each executed once, with faults
// of what we send.
func TestKernelAtomics(t *testing.T) {
	for i, script := range []string{"", drawn(7)} {
		t.Run(fmt.Sprint("script", i), func(t *testing.T) {
			e, k := withKernel(t, 3, script, "", nil)
			k.do("POKE off=0 hex=0000000000000000")
			ours := uint64(5)
			e.Do(func() { binary.NativeEndian.PutUint64(e.b[8:], ours) })
			for n := range uint64(30) {
				e.post(t, verbs.Work{ID: n, Op: roce.OpFetchAdd, Local: verbs.Span{Key: e.key, Address: regionAt, Length: 8},
					Key: k.made.RKey, Address: k.made.VAddr, Swap: 3})
				if w := e.poll(t, &e.send); w.Status != verbs.Success {
					t.Fatalf("%+v (%v)", w, w.Status)
				}
				e.Do(func() {
					if got := binary.NativeEndian.Uint64(e.b); got != 3*n {
						t.Errorf("found %d, want %d", got, 3*n)
					}
				})
				next := ours + 1<<33
				if n%2 == 0 {
					k.do("CAS off=64 raddr=%d rkey=%d compare=%d swap=%d", regionAt+8, e.key, ours, next)
				} else {
					k.do("FADD off=64 raddr=%d rkey=%d add=%d", regionAt+8, e.key, uint64(1)<<33)
				}
				if a := k.do("POLL n=1 timeout_ms=20000"); len(a.WC) != 1 || a.WC[0].Status != "success" {
					t.Fatalf("the kernel has %+v", a.WC)
				}
				var b [8]byte
				binary.NativeEndian.PutUint64(b[:], ours)
				if got := k.do("PEEK off=64 len=8").Hex; got != fmt.Sprintf("%x", b) {
					t.Errorf("the kernel found %s, want %x", got, b)
				}
				ours = next
				e.Do(func() {
					if got := binary.NativeEndian.Uint64(e.b[8:]); got != ours {
						t.Errorf("our memory holds %x, want %x", got, ours)
					}
				})
			}
			if got := k.do("PEEK off=0 len=8").Hex; got != "5a00000000000000" {
				t.Errorf("the kernel's memory holds %s, want 90", got)
			}
		})
	}
}
