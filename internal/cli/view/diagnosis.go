package view

import (
	"fmt"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/config/collected"
	"railyard/internal/out/judge"
)

// A Diagnosis is what is wrong with a fabric, and what that was made of.
type Diagnosis struct {
	Of              string   `json:"of"`
	InOrder         string   `json:"in_order"`          // what it is held against: its folder, "simulated", or "" for nothing
	Changes         []string `json:"changes,omitempty"` // of the scenario, for that
	*collected.Dump          // of a folder of texts
	judge.Verdict
}

// mostListed bounds the things that were not understood, as text.
const mostListed = 20

// DiagnosisText prints what was found.
func DiagnosisText(s *sheet.Sheet, d *Diagnosis) {
	if len(d.Hypotheses) == 0 {
		s.Wrap("", "Nothing is wrong, as far as what was read tells.")
	} else {
		h := &d.Hypotheses[0]
		s.Wrap("", fmt.Sprintf("%s (%s): %s, %s", h.Noun, h.Mechanism, h.Where(), unit.Percent(h.Probability)))
	}
	for i := range d.Hypotheses {
		h := &d.Hypotheses[i]
		s.Blank()
		s.Hang("", "   ", fmt.Sprintf("%d  %s: %s at %s, %s", i+1, h.Noun, h.Mechanism, h.Where(), unit.Percent(h.Probability)))
		var rows [][]string
		for _, of := range []struct {
			what string
			all  []judge.Observation
		}{{"for", h.For}, {"against", h.Against}} {
			for _, o := range of.all {
				rows = append(rows, []string{of.what, o.At, o.Text})
			}
		}
		if len(h.Culprits) > 0 {
			rows = append(rows, []string{"by", "", strings.Join(h.Culprits, ", ")})
		}
		s.Grid("llw", append(rows, []string{"would decide", "", h.Decide}))
	}
	if len(d.RuledOut) > 0 {
		s.Blank()
		s.Line("Ruled out:")
		var rows [][]string
		for _, r := range d.RuledOut {
			rows = append(rows, []string{string(r.Mechanism), r.Why})
		}
		s.Grid("lw", rows)
	}
	if len(d.Unknown) > 0 {
		s.Blank()
		s.Line("Cannot be known from what was read:")
		for _, u := range d.Unknown {
			s.Hang("  ", "    ", u)
		}
	}
	s.Blank()
	if d.Dump != nil && len(d.NotUnderstood) > 0 {
		s.Line("Not understood:")
		for _, u := range d.NotUnderstood[:min(mostListed, len(d.NotUnderstood))] {
			s.Hang("  ", "    ", u)
		}
		if more := len(d.NotUnderstood) - mostListed; more > 0 {
			s.Line(fmt.Sprintf("  and %d more, which --json lists", more))
		}
		s.Blank()
	}
	text := "Held against " + d.InOrder
	switch d.InOrder {
	case "":
		text = "Held against nothing: what is so in order too may be named; --healthy takes a dump of the fabric in order"
	case "simulated":
		text = "Held against the scenario, simulated in order"
		if len(d.Changes) > 0 {
			text += ": " + strings.Join(d.Changes, ", ")
		}
	}
	s.Wrap("", text+".")
}
