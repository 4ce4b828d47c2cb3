package nic

import "railyard/internal/base/unit"

// Busy reports whether a queue pair has a message. It is asked between windows.
func (n *Net) Busy() bool {
	for i := range n.senders {
		if n.senders[i].n > 0 {
			return true
		}
	}
	return false
}

// Rest has the controllers of queue pairs do what they have put off, and come to rest where that makes no difference. It is
// called between windows, while nothing is Busy.
func (n *Net) Rest(now unit.Time) {
	for i := range n.senders {
		n.senders[i].Requester.Rest(now)
	}
}
