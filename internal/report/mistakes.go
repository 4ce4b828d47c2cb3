package report

import (
	"fmt"
	"strings"

	"railyard/internal/qos"
)

// advice says of each mistake in the thresholds that acted in this run what it is, how it showed,
// and what cures it; "": none did.
func (d *Data) advice() string {
	var said []string
	for i := range d.Summary.Mistakes {
		m := &d.Summary.Mistakes[i]
		shown := d.shown(m)
		if shown == "" {
			continue
		}
		s := fmt.Sprintf("%s. Here it acted: %s.", m.Reason, shown)
		if cure := m.Advice(); cure != "" {
			s += " A cure: " + cure + "."
		}
		said = append(said, strings.ToUpper(s[:1])+s[1:])
	}
	return strings.Join(said, " ")
}

// shown says how a mistake showed in the run; "": it did not.
func (d *Data) shown(m *qos.Mistake) string {
	s := d.Summary
	pauses := func() string {
		if s.Pauses == 0 {
			return ""
		}
		return count(s.Pauses, "pause frame")
	}
	drops := func(n int64) string {
		if n == 0 {
			return ""
		}
		return count(n, "packet") + " dropped"
	}
	switch m.Name {
	case qos.PFCBeforeECN:
		return pauses()
	case qos.HeadroomShort:
		return drops(s.LosslessDrops)
	case qos.XOFFAboveBuffer:
		return join(pauses(), drops(s.LosslessDrops))
	case qos.MarksMissing:
		return join(pauses(), drops(s.Drops))
	}
	return ""
}

// join puts together what is not empty.
func join(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ", ")
}
