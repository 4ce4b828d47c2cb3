package roce

// StartAt makes the first packet number seq, as if all before it had been sent and acknowledged:
// for tests of the wrap of 24 bits.
func (s *Sender) StartAt(seq int64) { s.una, s.next, s.end, s.high = seq, seq, seq, seq }

// StartAt makes seq the first packet that the receiver accepts.
func (r *Receiver) StartAt(seq int64) { r.expected = seq }
