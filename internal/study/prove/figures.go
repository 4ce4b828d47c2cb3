package prove

import (
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// always are the figures that every proof has, after the one that it claims.
var always = []string{"drops", "retransmissions", "pauses", "ECN marks", "longest queue", "slowest flow", "bystander"}

// figures are read from what a run left.
var figures = map[string]struct {
	unit  string
	value func(*result.Summary) int64
}{
	"drops":           {"", lost},
	"retransmissions": {"", func(s *result.Summary) int64 { return s.Retransmits }},
	"pauses":          {"", func(s *result.Summary) int64 { return s.Pauses }},
	"ECN marks":       {"", func(s *result.Summary) int64 { return s.ECNMarks }},
	"longest queue":   {"B", longest},
	"slowest flow":    {"ps", slowest},
	"bystander":       {"ps", bystander},
	"shared buffer":   {"B", shared},
}

func lost(s *result.Summary) int64 {
	n := s.Drops
	for _, w := range s.Watchdog {
		n += w.Dropped
	}
	return n
}

func longest(s *result.Summary) (most int64) {
	for i := range s.BusiestLinks {
		most = max(most, int64(s.BusiestLinks[i].MaxQueue))
	}
	return most
}

// stuckFlow is the flow that goes to a stuck host: it is no measure.
const stuckFlow = "stuck"

// slowest is how long the slowest flow of the job took, never if one was not done.
func slowest(s *result.Summary) (most int64) {
	for i := range s.Flows {
		f := &s.Flows[i]
		switch {
		case f.Kind == result.KindBackground || f.Name == stuckFlow || f.Name == victim:
		case f.FCT == nil || f.Done < f.Posted:
			return never
		default:
			most = max(most, int64(*f.FCT))
		}
	}
	return most
}

// absent is the value of a figure that a network has not.
const absent = int64(-1)

// bystander is how long the flow took that meets no congestion of its own, never if it was not done; absent: there is none.
func bystander(s *result.Summary) int64 {
	for i := range s.Flows {
		switch f := &s.Flows[i]; {
		case f.Name != victim:
		case f.FCT == nil || f.Done < f.Posted:
			return never
		default:
			return int64(*f.FCT)
		}
	}
	return absent
}

// neutral are figures that are neither better nor worse where they are more: what they bring is in others.
var neutral = map[string]bool{"ECN marks": true}

// weigh says which figures are better once the finding is mended, and which pay for it.
func (p *Proof) weigh() {
	for i := range p.Figures {
		f := &p.Figures[i]
		d := f.Mended - f.Broken
		if f.Name == "shared buffer" { // of which more is better
			d = -d
		}
		switch {
		case neutral[f.Name] || d == 0:
		case d < 0:
			p.Better = append(p.Better, f.Name)
		default:
			p.Pays = append(p.Pays, f.Name)
		}
	}
}

// shared is the part of a switch's buffer that its ports share.
func shared(s *result.Summary) int64 {
	least := unit.Bytes(-1)
	for i := range s.Thresholds {
		if t := &s.Thresholds[i]; least < 0 || t.Shared < least {
			least = t.Shared
		}
	}
	return int64(least)
}
