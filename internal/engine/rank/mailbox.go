//go:build unix

package rank

import (
	"sync"
	"sync/atomic"
)

// mailbox is events from other goroutines.
type mailbox struct {
	mu   sync.Mutex
	all  []event
	some atomic.Bool
}

func (b *mailbox) put(l *Loop, e event) {
	b.mu.Lock()
	b.all = append(b.all, e)
	b.some.Store(true)
	b.mu.Unlock()
	l.Wake()
}

func (b *mailbox) take(to []event) []event {
	b.mu.Lock()
	defer b.mu.Unlock()
	to = append(to, b.all...)
	clear(b.all)
	b.all = b.all[:0]
	b.some.Store(false)
	return to
}
