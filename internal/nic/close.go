package nic

// Close ends a queue pair, whose job is aborted: its sender sends nothing more and takes no answer, and what still
// comes to its receiver is for nobody. It is called between windows.
//
// On a host the queue pair would be destroyed; a NIC drops packets for one that is not there (IBTA vol. 1, 9.6.1).
func (n *Net) Close(qp int32) {
	s := &n.senders[qp]
	if s.n > 0 {
		n.closed[qp] = n.Standing(qp).Waits
	}
	s.Close()
	s.state = idle
	n.receivers[qp].closed = true
}
