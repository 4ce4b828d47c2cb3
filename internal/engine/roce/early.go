package roce

import (
	"sort"

	"railyard/internal/base/unit"
)

// Acknowledgements that name a packet past a gap, with go-back-N. Where packets take several ways the oldest may be long
// in coming while others are there; what is there is not in flight any more. After a timeout the sender goes back all the
// same, and forgets them.

// OnEarly is OnAck of an acknowledgement that also names a packet, so far past the one after psn.
func (s *Sender) OnEarly(psn, sack uint32) unit.Bytes {
	bytes := s.OnAck(psn)
	seq := expand(psn, s.una) + 1 + int64(sack)
	if seq <= s.una || seq >= s.next || s.failed || s.sacked.has(seq) {
		return bytes
	}
	s.sacked.set(seq)
	size := s.sizeOf(seq)
	s.early += size
	return bytes + unit.Bytes(size)
}

func (s *Sender) sizeOf(seq int64) int64 { return s.bytesAt(seq+1) - s.bytesAt(seq) }

// settle returns the bytes of packets before to that were named before, and counts them no more.
func (s *Sender) settle(to int64) (bytes int64) {
	if s.early == 0 {
		return 0
	}
	for seq := s.una; seq < to; seq++ {
		if s.sacked.has(seq) {
			bytes += s.sizeOf(seq)
		}
	}
	s.early -= bytes
	return bytes
}

// forget forgets the packets that were named.
func (s *Sender) forget() {
	if s.early == 0 {
		return
	}
	for seq := s.una; seq < s.high; seq++ {
		s.sacked.clear(seq)
	}
	s.early = 0
}

// sent returns when a packet left whose round trip is being timed.
func (f *probes) sent(seq int64) (at unit.Time, ok bool) {
	i := sort.Search(f.n, func(i int) bool { return f.buf[(f.head+i)&(len(f.buf)-1)].seq >= seq })
	if i == f.n || f.buf[(f.head+i)&(len(f.buf)-1)].seq != seq {
		return 0, false
	}
	return f.buf[(f.head+i)&(len(f.buf)-1)].at, true
}
