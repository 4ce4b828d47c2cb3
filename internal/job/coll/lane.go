package coll

// lane is the order in which a rank sends, receives and applies so many messages
// each way, some of them ahead:
//
//	send(0) .. send(ahead-1)
//	recv(m) apply(m) send(m+ahead)        for each m < messages-ahead
//	recv(m) apply(m)                      for the last ones
//
// Invariant: ahead <= messages.
type lane struct{ messages, ahead int }

// The parts of a lane.
const (
	sends = iota
	receives
	applies
)

// ops is the number of ops.
func (l lane) ops() int { return 3 * l.messages }

// at returns which part of which message op i is.
func (l lane) at(i int) (part, m int) {
	if i < l.ahead {
		return sends, i
	}
	if last := 3*l.messages - 2*l.ahead; i >= last {
		return receives + (i-last)%2, l.messages - l.ahead + (i-last)/2
	}
	m, part = (i-l.ahead)/3, (i-l.ahead)%3
	if part == 2 {
		return sends, m + l.ahead
	}
	return receives + part, m
}

// send is the index of the Send of message m.
func (l lane) send(m int) int {
	if m < l.ahead {
		return m
	}
	return 3*m - 2*l.ahead + 2
}

// apply is the index of the Reduce or Copy of message m.
func (l lane) apply(m int) int { return l.ahead + 3*m + 1 - max(0, m-(l.messages-l.ahead)) }
