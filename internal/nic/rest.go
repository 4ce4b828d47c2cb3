package nic

import "railyard/internal/unit"

// Rest brings queue pairs without a message to the state that says no more than counts: what controllers have put off is
// done, what a ledger keeps of spans that no message of the past can ask for is forgotten but for the last, behind which
// the next one goes. It is called between windows. most is how many spans a ledger had kept: with fewer than LogReach
// since the last Rest none was forgotten that a message could have asked for.
func (n *Net) Rest(now unit.Time) (most int) {
	for i := range n.senders {
		s := &n.senders[i]
		if s.n > 0 {
			continue
		}
		s.Rest(now)
		l := &s.ledger
		if k := len(l.spans); k > 1 {
			most = max(most, k)
			l.spans[0] = l.spans[k-1]
			l.spans = l.spans[:1]
		}
	}
	return most
}

// LogReach is how many spans a ledger keeps at least.
const LogReach = logLimit / 2
