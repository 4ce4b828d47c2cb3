package nic

import "railyard/internal/base/unit"

// Rest has the controllers of queue pairs do what they have put off, and come to rest where that makes no difference. It is
// called between windows, and reports false, with nothing done, while a queue pair has a message.
func (n *Net) Rest(now unit.Time) bool {
	for i := range n.senders {
		if n.senders[i].n > 0 {
			return false
		}
	}
	for i := range n.senders {
		n.senders[i].Requester.Rest(now)
	}
	return true
}
