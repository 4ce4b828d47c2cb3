package diagnose

import (
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/noun"
)

// lossy names what lost frames on a link.
func lossy(p *Port) (n noun.Noun, by string) {
	if slices.Contains(p.Odd, OddMTU) {
		by = OddMTU
	}
	if p.Cut > 0 {
		return noun.LinkDown, by
	}
	return noun.LossyLink, by
}

// Loss is where most frames of a queue pair that gave up were lost, and what that is called.
type Loss struct {
	Port   string    `json:"port"`
	Noun   noun.Noun `json:"noun"`
	By     string    `json:"by,omitempty"` // the setting that is not as on its like
	Frames int64     `json:"frames"`
}

// NewLoss names frames that a port lost in one way.
func NewLoss(why Lost, p *Port) *Loss {
	l := &Loss{Port: p.Name, Noun: plain[why.Kind], Frames: why.Frames}
	if odd, by := wrong(&Blame{Kind: why.Kind}, p); odd != "" {
		l.Noun, l.By = odd, by
	} else if why.Kind == LossyLink {
		l.Noun, l.By = lossy(p)
	}
	return l
}

// alike reports whether frames were lost in the same way at the same place.
func (l *Loss) alike(o *Loss) bool {
	if l == nil || o == nil {
		return l == o
	}
	return l.Port == o.Port && l.Noun == o.Noun && l.By == o.By
}

func (l *Loss) String() string {
	s := fmt.Sprintf("%s lost %s of its frames: %s", l.Port, unit.Count(l.Frames), l.Noun)
	if l.By != "" {
		s += " (" + l.By + ")"
	}
	return s
}
