package report

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/net/qos"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
)

// advice says of each mistake in the thresholds that acted in this run what it is, how it showed,
// what cures it, and what a rerun with the cure saved, if there was one.
func (d *Data) advice() (said []string) {
	if cure := d.unlike(); cure != "" { // thresholds of all switches do not cure what one of them is set to
		return []string{cure}
	}
	for i := range d.Summary.Mistakes {
		m := &d.Summary.Mistakes[i]
		shown := d.shown(m)
		if shown == "" {
			continue
		}
		s := fmt.Sprintf("%s. Here it acted: %s.", m.Reason, shown)
		if cure := m.Advice(); cure != "" {
			s += " A cure: " + cure + d.cured(m) + "."
		}
		said = append(said, strings.ToUpper(s[:1])+s[1:])
	}
	return said
}

// unlike says what cures a port that is set otherwise than its like, if that is the first thing to be said; "": it is not.
func (d *Data) unlike() string {
	g := d.Summary.Diagnosis
	if g == nil {
		return ""
	}
	f := diagnosed{d, g}.foremost()
	if f == nil || f.By == "" || f.Place.Name == "" || f.Noun != noun.WrongThreshold && f.Noun != noun.WrongClass {
		return ""
	}
	node, _, _ := strings.Cut(f.Place.Name, "/")
	s := fmt.Sprintf("A cure: %s as the other switches (%s)", node, f.By)
	if len(f.Faults) > 0 {
		s += ": without " + strings.Join(f.Faults, ", ")
	}
	return s + "."
}

// cured says what a rerun with the cures of a mistake saved; "": nobody has asked.
func (d *Data) cured(m *qos.Mistake) string {
	if d.WhatIf == nil {
		return ""
	}
	for i := range d.WhatIf.Changes {
		c := &d.WhatIf.Changes[i]
		if c.Kind == result.ChangeCure && slices.Contains(c.Subject, m.Path) && c.Saves != nil && c.Part != nil {
			return "; a rerun with it saves " + saved(*c.Saves, *c.Part)
		}
	}
	return ""
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
	case qos.DropsBeforeECN, qos.DropsBeforePFC:
		return drops(s.Drops)
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
