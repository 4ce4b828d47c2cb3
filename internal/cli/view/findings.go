package view

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/config/collected"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/study/prove"
)

// Found is what lint found, of switches or of hosts.
type Found interface {
	Findings() []lint.Finding
	Data() any
	Text(s *sheet.Sheet)
}

// A Tally is findings with what they were seen to do, how many there are by severity, and the lines they were found in by
// class.
type Tally struct {
	All                              []lint.Finding
	Proofs                           prove.Proofs
	Errors, Warnings, Unknown, known int // known: in the baseline
	lines                            netconf.Lines
}

// tallied counts findings without those of a baseline.
func tallied(all []lint.Finding, old lint.Baseline) (n Tally) {
	n.All, n.known = old.Without(all)
	for i := range n.All {
		switch n.All[i].Severity {
		case lint.Error:
			n.Errors++
		case lint.Warning:
			n.Warnings++
		default:
			n.Unknown++
		}
	}
	return n
}

// Findings are those that are not of the baseline.
func (n *Tally) Findings() []lint.Finding { return n.All }

func (n *Tally) add(l netconf.Lines) {
	n.lines.Understood += l.Understood
	n.lines.Known += l.Known
	n.lines.Unread += l.Unread
}

// summary is the line above the findings.
func (n *Tally) summary() string {
	text := unit.CountOf(int64(n.Errors), "error") + ", " + unit.CountOf(int64(n.Warnings), "warning")
	if n.Unknown > 0 {
		text += fmt.Sprintf(", %d not known", n.Unknown)
	}
	if n.known > 0 {
		text += fmt.Sprintf(", %d of the baseline left out", n.known)
	}
	if n.lines.Unread > 0 {
		text += fmt.Sprintf("; not checked: %s of %d", unit.CountOf(int64(n.lines.Unread), "line"),
			n.lines.Understood+n.lines.Known+n.lines.Unread)
	}
	return text
}

// Findings are what is wrong with configurations of switches.
type Findings struct {
	Tally
	Devices int
	Heard   *collected.Heard // nil: no file says it
	Cards   *Cards           // nil: no hosts were given
	Change  *prove.Change    // nil: nothing changed
}

// FindingsOf are the findings of devices that a baseline does not have.
func FindingsOf(devices []*lint.Device, all []lint.Finding, old lint.Baseline) Findings {
	f := Findings{Tally: tallied(all, old), Devices: len(devices)}
	for _, d := range devices {
		f.add(d.Lines)
	}
	return f
}

// Data is what was found as data.
func (f *Findings) Data() any {
	return struct {
		Devices  int              `json:"devices"`
		Errors   int              `json:"errors"`
		Warnings int              `json:"warnings"`
		Unknown  int              `json:"unknown"`
		Lines    netconf.Lines    `json:"lines"`
		Heard    *collected.Heard `json:"lldp,omitempty"`
		Cards    *Cards           `json:"nics,omitempty"`
		Findings []lint.Finding   `json:"findings"`
		Proofs   []*prove.Proof   `json:"proofs,omitempty"`
		Change   *prove.Change    `json:"change,omitempty"`
	}{f.Devices, f.Errors, f.Warnings, f.Unknown, f.lines, f.Heard, f.Cards, append([]lint.Finding{}, f.All...), f.Proofs.All,
		f.Change}
}

// Text prints what was found.
func (f *Findings) Text(s *sheet.Sheet) {
	s.Wrap("", fmt.Sprintf("%s: %s", unit.CountOf(int64(f.Devices), "device"), f.summary()))
	if f.Heard != nil {
		s.Wrap("", f.Heard.String())
	}
	if f.Cards != nil {
		s.Wrap("", f.Cards.String())
	}
	findingsText(s, f.All, &f.Proofs)
	changeText(s, f.Change)
}

// Cards says how many NICs of hosts were held against a port: of those that hear one and say what they pause.
type Cards struct {
	All  int `json:"known"`
	Held int `json:"held_against_a_port"`
}

// String is the line about it.
func (c *Cards) String() string {
	if c.All == 0 {
		return "NICs: of none is it known which port it hears and what it pauses (lldpctl, mlnx_qos): no port was held against one"
	}
	return fmt.Sprintf("NICs: %d of %d were held against the port that they hear", c.Held, c.All)
}

// HostFindings are what is wrong with GPU servers.
type HostFindings struct {
	Tally
	hosts   []*hostinfo.Host
	missing map[string][]string // what was not collected, by host
}

// HostFindingsOf are the findings of hosts that a baseline does not have.
func HostFindingsOf(hosts []*hostinfo.Host, all []lint.Finding, old lint.Baseline) HostFindings {
	f := HostFindings{Tally: tallied(all, old), hosts: hosts, missing: map[string][]string{}}
	for _, h := range hosts {
		f.add(h.Lines)
		if m := h.Missing(); len(m) > 0 {
			f.missing[h.Name] = m
		}
	}
	return f
}

// Data is what was found as data.
func (f *HostFindings) Data() any {
	return struct {
		Hosts    int                 `json:"hosts"`
		Errors   int                 `json:"errors"`
		Warnings int                 `json:"warnings"`
		Unknown  int                 `json:"unknown"`
		Lines    netconf.Lines       `json:"lines"`
		Missing  map[string][]string `json:"not_collected"`
		Findings []lint.Finding      `json:"findings"`
		Proofs   []*prove.Proof      `json:"proofs,omitempty"`
	}{len(f.hosts), f.Errors, f.Warnings, f.Unknown, f.lines, f.missing, append([]lint.Finding{}, f.All...), f.Proofs.All}
}

// Text prints what was found, and what was not looked at.
func (f *HostFindings) Text(s *sheet.Sheet) {
	s.Wrap("", fmt.Sprintf("%s: %s", unit.CountOf(int64(len(f.hosts)), "host"), f.summary()))
	of := map[string][]string{} // hosts by what is missing of them
	var lists []string
	for _, h := range f.hosts {
		if m := strings.Join(f.missing[h.Name], ", "); m != "" {
			if of[m] == nil {
				lists = append(lists, m)
			}
			of[m] = append(of[m], h.Name)
		}
	}
	for _, m := range lists {
		s.Hang("", "  ", fmt.Sprintf("not collected of %s, so not checked: %s", lint.Some(of[m]), m))
	}
	findingsText(s, f.All, &f.Proofs)
}

// findingsText prints findings, and below each what it was seen to do.
func findingsText(s *sheet.Sheet, all []lint.Finding, proofs *prove.Proofs) {
	for i, f := range all {
		place := f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		s.Blank()
		s.Line(fmt.Sprintf("%s: %s %s", place, f.Severity, f.Rule))
		s.Hang("  ", "  ", f.Text)
		s.Hang("  why: ", "       ", f.Reason)
		s.Hang("  fix: ", "       ", f.Fix)
		proofText(s, proofs, i)
	}
}

// proofText prints what a finding was seen to do, below it.
func proofText(s *sheet.Sheet, p *prove.Proofs, finding int) {
	x := p.Of[finding]
	switch {
	case p.Of == nil:
		return
	case x == nil && p.Same[finding].Why != "":
		return // the first says why there is none
	case x == nil:
		s.Hang("  proof: ", "         ", "as for the first that is the same")
		return
	case x.Why != "":
		s.Hang("  no proof: ", "            ", x.Why)
		return
	case x.Shown || x.Unmoved:
		s.Hang("  proof: ", "         ", x.Claim)
	case slices.Contains(x.Pays, x.Figures[0].Name):
		s.Hang("  no proof: ", "            ", "mended alone this network does worse, by "+strings.Join(x.Pays, ", ")+
			": the finding may follow from another one, which has to be mended first")
	default:
		s.Hang("  no proof: ", "            ", "this network shows no difference where one was looked for: "+x.Figures[0].Name)
	}
	s.Hang("         ", "         ", x.Network)
	rows := [][]string{{"", "as it is", "mended: " + x.Mended}}
	for i := range x.Figures {
		f := &x.Figures[i]
		rows = append(rows, []string{"         " + f.Name, f.Text(f.Broken), f.Text(f.Mended)})
	}
	s.Grid("lrw", rows)
	if x.Shown && len(x.Pays) > 0 {
		s.Hang("         ", "         ", "pays for it: "+strings.Join(x.Pays, ", ")+"; better: "+strings.Join(x.Better, ", "))
	}
}

// changeText prints what a change does to the job.
func changeText(s *sheet.Sheet, c *prove.Change) {
	if c == nil {
		return
	}
	s.Blank()
	s.Wrap("", c.String())
	rows := [][]string{{"", "before", "after"}}
	for i := range c.Figures {
		f := &c.Figures[i]
		rows = append(rows, []string{"  " + f.Name, f.Text(f.Broken), f.Text(f.Mended)})
	}
	s.Grid("lrr", rows)
	for _, why := range []string{c.Before, c.After} {
		if why != "" {
			s.Hang("  ", "  ", why)
		}
	}
}
