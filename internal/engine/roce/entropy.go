package roce

import "railyard/internal/base/unit"

// EntropyKind says which entropy, a UDP source port, the packets of a queue pair have. Switches that hash it send
// packets with different ones by different ways.
type EntropyKind uint8

// The kinds.
const (
	// OneEntropy: all packets have that of the queue pair.
	OneEntropy EntropyKind = iota
	// RandomEntropy: each packet has one that is drawn: oblivious packet spraying.
	RandomEntropy
	// RecycledEntropy is REPS (Bonato et al., "REPS: Recycled Entropy Packet Spraying", arXiv 2407.21625, algorithms 1
	// and 2): an answer brings the entropy of its packet back, and whether it was marked. That of an unmarked one is
	// cached and used for one more packet.
	RecycledEntropy
)

// Entropy is the parameters of RecycledEntropy.
type Entropy struct {
	Kind   EntropyKind
	Cache  int           // entropies that are kept, at least 1; 8 in the paper
	Freeze unit.Duration // how long after a timeout nothing is drawn
}

// entropies is the cache of a queue pair: a ring, whose oldest valid entry goes first.
//
//	    head - valid        head
//	         |                |
//	+--+--+--+--+--+--+--+--+--+
//	|  |  |  |v |v |v |v |v |  |     v: valid, not used since its answer came
//	+--+--+--+--+--+--+--+--+--+
//
// A timeout freezes it: a way may be dead, so that what is drawn may lose the packet. While it is frozen and nothing is
// valid, the entries are used again, valid or not, in turn.
type entropies struct {
	cached  []uint16
	head    int
	filled  int // entries that have been written
	valid   int
	again   int // the next entry to be used again while frozen
	explore int // packets that still have a drawn one
	frozen  bool
	thaw    unit.Time // when the next good answer ends the freeze
}

func newEntropies(p *Entropy) *entropies {
	if p.Kind != RecycledEntropy {
		return nil
	}
	return &entropies{cached: make([]uint16, p.Cache)}
}

// next returns the entropy of a packet; drawn is one that may be taken.
func (e *entropies) next(p *Entropy, drawn uint16) uint16 {
	if p.Kind == RandomEntropy {
		return drawn
	}
	n := len(e.cached)
	switch {
	case e.filled == 0 || e.explore > 0 || e.valid == 0 && !e.frozen:
		e.explore = max(0, e.explore-1)
		return drawn
	case e.valid > 0:
		at := (e.head - e.valid + n) % n
		e.valid--
		return e.cached[at]
	}
	at := e.again % e.filled
	e.again = at + 1
	return e.cached[at]
}

// answered takes the entropy of a packet that came through.
func (e *entropies) answered(now unit.Time, p *Entropy, entropy uint16, marked bool) {
	if p.Kind != RecycledEntropy || marked {
		return
	}
	n := len(e.cached)
	e.cached[e.head] = entropy
	e.head = (e.head + 1) % n
	e.filled, e.valid = min(e.filled+1, n), min(e.valid+1, n)
	if e.frozen && now >= e.thaw {
		e.frozen, e.explore = false, n
	}
}

// failed notes that an answer did not come in time.
func (e *entropies) failed(now unit.Time, p *Entropy) {
	if p.Kind == RecycledEntropy && !e.frozen && e.explore == 0 {
		e.frozen, e.thaw = true, now.Add(p.Freeze)
	}
}
