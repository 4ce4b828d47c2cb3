package coll

// window deals out the staging slots of one connection, from one rank to another
// in one channel, to its messages in turn:
//
//	message  0  1  2  3  4  5  6 | 0  1 ...     7 messages, then the next run
//	slot     0  1  2  0  1  2  0 | 0  1 ...     3 slots
//	window   1  3  3  3  3  3  3 | 1  3 ...
//
// Message m may start when message m-slots is read. The first message of a run
// comes into the slot of the last message of the run before: so the first
// messages%slots of a run wait until at most so many, themselves counted, are
// without a credit. Then a schedule may run back to back in one staging area.
// The zero value has a slot for each message and no windows.
type window struct {
	slots    int // 0: as many as messages, without credit
	messages int // per run
}

// size is the number of slots of the connection.
func (w window) size() int {
	if w.slots == 0 {
		return w.messages
	}
	return min(w.slots, w.messages)
}

// slot is the slot of message m.
func (w window) slot(m int) int {
	if w.slots == 0 || m < w.slots {
		return m
	}
	return m % w.slots
}

// window is Op.Window of message m.
func (w window) window(m int) int32 {
	if w.slots == 0 {
		return 0
	}
	size := w.size()
	if over := w.messages % size; m < over {
		return int32(over)
	}
	return int32(size)
}

// frees is Op.Frees of what reads a message.
func (w window) frees() bool { return w.slots > 0 }
