package result

import "railyard/internal/base/unit"

// Progress is what a run tells while it goes on: a value, sent as often as the
// sender likes. Rate and time to go are the receiver's business.
type Progress struct {
	Phase       string // "making data", "training", "testing", "flows"
	Done, Total int64  // units of the phase: images, steps, bytes; Total 0: not known
	Loss        float64
	HasLoss     bool
	Virtual     unit.Time // 0: the phase has no virtual time
	PacketHops  int64     // since the start of the run
	Part        float64   // 0 to 1: how much is done, where Done and Total are too coarse to tell; 0: they tell
}

// Fraction is how much of the phase is done, 0 to 1; 0 where that is not known.
func (p *Progress) Fraction() float64 {
	switch {
	case p.Part > 0:
		return min(1, p.Part)
	case p.Total > 0:
		return min(1, float64(p.Done)/float64(p.Total))
	}
	return 0
}
