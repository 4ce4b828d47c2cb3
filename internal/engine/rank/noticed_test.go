//go:build unix

package rank

import (
	"testing"
	"unsafe"
)

// Both ends of a ring have a line of the cache of their own (64 bytes), and 8 bytes are written at once: they are aligned.
func TestEndsOfARing(t *testing.T) {
	r := ringAt(make([]byte, ringHead+64))
	head, tail := uintptr(unsafe.Pointer(r.head)), uintptr(unsafe.Pointer(r.tail))
	if tail-head != 64 || head%8 != 0 {
		t.Errorf("ends at %x and %x", head, tail)
	}
}

// A link that is broken has nothing to do any more.
func TestABrokenLinkIsNotReady(t *testing.T) {
	if (&Shared{broken: true}).Ready() {
		t.Error("a broken link is ready")
	}
}
