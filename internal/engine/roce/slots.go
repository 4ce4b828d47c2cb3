package roce

// Slots is the sending end's view of receiver-driven admission: the receiver has a few buffer slots
// and tells with a clear-to-send (CTS) when one is free (Gangidi et al., "RDMA over Ethernet for
// distributed AI training at Meta scale", SIGCOMM 2024, section 5.2). A CTS says how many messages
// have been placed so far, so one that comes twice or late does nothing, and the next makes good one
// that was lost.
type Slots struct {
	free    int    // that the sender knows to be free
	cleared uint32 // messages that it knows to be placed
	waits   bool   // the driver's timer runs
}

// Init says how many slots there are.
func (s *Slots) Init(slots int) { s.free = slots }

// Use takes a slot; it reports false if none is free.
func (s *Slots) Use() bool {
	if s.free == 0 {
		return false
	}
	s.free--
	return true
}

// OnClear notes that so many messages have been placed: their slots are free. It reports whether
// that is new.
func (s *Slots) OnClear(placed uint32) bool {
	news := int32(placed - s.cleared)
	if news <= 0 {
		return false
	}
	s.cleared = placed
	s.free += int(news)
	return true
}

// Missing reports whether a clear-to-send is missing of so many messages that were acknowledged.
func (s *Slots) Missing(acked uint32) bool { return int32(acked-s.cleared) > 0 }

// Await notes that so many messages are acknowledged. It reports whether the driver is to start its timer, a
// retransmission timeout long, and to call Overdue with that number when it ends: a clear-to-send is missing.
func (s *Slots) Await(acked uint32) bool {
	if s.waits || !s.Missing(acked) {
		return false
	}
	s.waits = true
	return true
}

// Overdue frees the slots whose clear-to-send must have come by now: of so many messages. It reports whether there were
// any.
func (s *Slots) Overdue(acked uint32) bool {
	s.waits = false
	return s.OnClear(acked)
}
