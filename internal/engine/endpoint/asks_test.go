package endpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/wire"
)

// TestReads: READs of sizes about the path MTU bring the other end's bytes and none beside them, with and without faults on
// both ways, several at once.
func TestReads(t *testing.T) {
	for i, script := range []string{"", drawn(3), "lose:0 lose:3 late:6 lose:9 lose:10 repeat:12"} {
		for mtu := wire.MTU(1); mtu <= 5; mtu += 2 {
			t.Run(fmt.Sprint("script", i, "/", mtu.Bytes()), func(t *testing.T) { readAll(t, script, mtu) })
		}
	}
}

func readAll(t *testing.T, script string, mtu wire.MTU) {
	a, b := newEnd(t, "127.0.42.1", script), newEnd(t, "127.0.42.2", script)
	couple(t, a, b, mtu, nil)
	m := uint32(mtu.Bytes())
	for i, size := range []uint32{0, 1, 2, 3, m - 1, m, m + 1, 65536, 1 << 20} {
		b.Do(func() { fill(b.b[:2*size], uint64(i)) })
		a.Do(func() { clear(a.b[:2*size+1]) })
		for part := range uint64(2) { // two at once
			at := part * uint64(size)
			a.post(t, verbs.Work{ID: part, Op: roce.OpRead, Local: verbs.Span{Key: a.key, Address: regionAt + at, Length: size},
				Key: b.key, Address: regionAt + at})
		}
		for part := range uint64(2) {
			if w := a.poll(t, &a.send); w.Status != verbs.Success || w.ID != part || w.Bytes != size || w.Op != roce.OpRead {
				t.Fatalf("%d bytes: %+v (%v)", size, w, w.Status)
			}
		}
		a.Do(func() {
			if !bytes.Equal(a.b[:2*size], b.b[:2*size]) || a.b[2*size] != 0 {
				t.Errorf("%d bytes: other bytes came", size)
			}
		})
	}
	if c := a.Counters(); c.BadICRC+c.Malformed+c.NoQueuePair > 0 {
		t.Errorf("bad packets: %+v", c)
	}
	var c, d verbs.Counters
	a.Do(func() { c = *a.qp.Counters() })
	b.Do(func() { d = *b.qp.Counters() })
	if d.Reads != 18 || script != "" && (d.Duplicate == 0 || c.Implied == 0) {
		t.Errorf("requester %+v, responder %+v", c, d)
	}
}

// TestAtomics: 400 additions and swaps are executed once each, whatever is lost or comes twice; what the memory held comes
// back. The last of the swaps compares with something else, and changes nothing.
func TestAtomics(t *testing.T) {
	for i, script := range []string{"", drawn(4)} {
		t.Run(fmt.Sprint("script", i), func(t *testing.T) {
			a, b := newEnd(t, "127.0.42.1", script), newEnd(t, "127.0.42.2", script)
			couple(t, a, b, 3, nil)
			held := uint64(0x0102030405060708)
			b.Do(func() { binary.NativeEndian.PutUint64(b.b[16:], held) })
			for n := range uint64(400) {
				w := verbs.Work{ID: n, Op: roce.OpFetchAdd, Local: verbs.Span{Key: a.key, Address: regionAt + 8, Length: 8}, Key: b.key,
					Address: regionAt + 16, Swap: n<<40 | 1}
				next := held + w.Swap
				if n%3 == 1 {
					w.Op, w.Compare, next = roce.OpCompareSwap, held, w.Swap
				}
				if n == 397 {
					w.Compare, next = held+1, held
				}
				a.post(t, w)
				if c := a.poll(t, &a.send); c.Status != verbs.Success || c.ID != n || c.Bytes != 8 {
					t.Fatalf("%+v (%v)", c, c.Status)
				}
				a.Do(func() {
					if got := binary.NativeEndian.Uint64(a.b[8:]); got != held {
						t.Fatalf("operation %d found %x, want %x", n, got, held)
					}
				})
				held = next
			}
			b.Do(func() {
				if got := binary.NativeEndian.Uint64(b.b[16:]); got != held {
					t.Errorf("the memory holds %x, want %x", got, held)
				}
				if c := b.qp.Counters(); c.Atomics != 400 || script != "" && c.Duplicate == 0 {
					t.Errorf("%+v", *c)
				}
			})
		})
	}
}

// TestRefusedAsks: READs and atomic operations that must be refused.
func TestRefusedAsks(t *testing.T) {
	for name, c := range map[string]struct {
		op     roce.Op
		size   uint32
		off    int64
		key    uint32
		access verbs.Access
		want   verbs.Status
	}{
		"key":              {roce.OpRead, 10, 0, 1, allRights, verbs.RemoteAccess},
		"range":            {roce.OpRead, 10, regionBytes - 9, 0, allRights, verbs.RemoteAccess},
		"before":           {roce.OpRead, 10, -1, 0, allRights, verbs.RemoteAccess},
		"rights":           {roce.OpRead, 10, 0, 0, verbs.RemoteWrite | verbs.RemoteAtomic, verbs.RemoteInvalid},
		"atomic key":       {roce.OpFetchAdd, 8, 0, 1, allRights, verbs.RemoteAccess},
		"atomic range":     {roce.OpFetchAdd, 8, regionBytes, 0, allRights, verbs.RemoteAccess},
		"atomic alignment": {roce.OpCompareSwap, 8, 4, 0, allRights, verbs.RemoteInvalid},
		"atomic rights":    {roce.OpCompareSwap, 8, 0, 0, verbs.RemoteWrite | verbs.RemoteRead, verbs.RemoteInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newEnd(t, "127.0.42.1", ""), newEnd(t, "127.0.42.2", "")
			couple(t, a, b, 3, func(at *verbs.Attributes) { at.Access = c.access })
			a.post(t, verbs.Work{Op: c.op, Local: verbs.Span{Key: a.key, Address: regionAt, Length: c.size}, Key: b.key + c.key,
				Address: uint64(regionAt + c.off), Swap: 1})
			if w := a.poll(t, &a.send); w.Status != c.want {
				t.Errorf("%v, want %v", w.Status, c.want)
			}
			if s := a.qp.State(); s != verbs.Failed {
				t.Errorf("requester in %v, want ERR", s)
			}
			for i, v := range b.b {
				if v != 0 {
					t.Fatalf("byte %d was written to", i)
				}
			}
		})
	}
}
