package nic

import "railyard/internal/base/unit"

// Rest has the controllers of queue pairs without a message do what they have put off, and come to rest where that makes no
// difference. It is called between windows.
func (n *Net) Rest(now unit.Time) {
	for i := range n.senders {
		if s := &n.senders[i]; s.n == 0 {
			s.Requester.Rest(now)
		}
	}
}
