package nic

// Close ends a queue pair, whose job is aborted: its sender sends nothing more and takes no answer, and what still
// comes to its receiver is for nobody. It is called between windows.
func (n *Net) Close(qp int32) {
	s := &n.senders[qp]
	if s.n > 0 {
		n.closed[qp] = n.Standing(qp).Waits
	}
	s.Close()
	s.state = idle
	n.receivers[qp].Close()
}
