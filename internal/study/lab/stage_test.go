package lab

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
)

// stage is a lab that is written line by line, read, and run where its scenario need not be: what a run left is given.
type stage struct {
	scripttest.Log
	t              *testing.T
	readme, expect []string
	scenario       string
	run            string // run.json
	set            []Change
}

// What a lab's text, checks and answers come to is what scripts say: each block is a lab of its own. Lines of README.md begin
// with |, "scenario" gives it two hosts, "ran JSON" is the run.json of its run, "set NAME=VALUE" changes an input; all others
// are of expect.txt.
//
// They fail if a statement is read, worked out, judged or printed otherwise, if a problem points elsewhere, or if a bench shows
// other steps than its arithmetic gives.
func TestScripts(t *testing.T) {
	scripttest.RunIn(t, "testdata/scripts", func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

func (s *stage) say(format string, args ...any) {
	s.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// Do implements scripttest.Stage.
func (s *stage) Do(command []string) { s.Read(strings.Join(command, " ")) }

// Read implements scripttest.Reader.
func (s *stage) Read(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "|":
		s.readme = append(s.readme, rest)
	case "scenario":
		s.scenario = twoHosts + rest
	case "ran":
		s.run = rest
	case "set":
		name, text, _ := strings.Cut(rest, "=")
		s.set = append(s.set, Change{name, text})
	default:
		s.expect = append(s.expect, line)
	}
}

// Told implements scripttest.Stage: the lab ends here.
func (s *stage) Told() string {
	text := strings.Join(append([]string{"# A", "> B?"}, s.readme...), "\n") + "\n"
	fs := folder(text, strings.Join(s.expect, "\n"))
	if s.scenario != "" {
		fs = folder(text, strings.Join(s.expect, "\n"), s.scenario)
	}
	if l, err := Parse("my-lab", fs); err != nil {
		s.say("%v", err)
	} else if o, err := s.outcome(l, s.set); err != nil {
		s.say("%v", err)
	} else {
		s.show(o)
		s.promises(l, o)
	}
	*s = stage{t: s.t, Log: s.Log}
	return s.Log.Told()
}

// outcome is that of a lab with something changed; nothing is written and nothing simulated.
func (s *stage) outcome(l *Lab, set []Change) (*Outcome, error) {
	g := &ledger{lab: l, scenario: l.Scenario}
	if err := g.change(set); err != nil {
		return nil, err
	}
	if s.run != "" {
		if err := json.Unmarshal([]byte(s.run), &g.run); err != nil {
			s.t.Fatal(err)
		}
	}
	if ps := g.pass(); len(ps) > 0 {
		return nil, &Broken{ps.Sorted(), l.files}
	}
	o := &Outcome{Lab: l, Changed: set, Dir: "out", Shown: "out"}
	return o, o.fill(g, nil, "7")
}

func (s *stage) show(o *Outcome) {
	for _, list := range [][]*Quantity{o.Given, o.Formula, o.Measure} {
		for _, q := range list {
			s.quantity(q)
		}
	}
	for _, w := range o.Walks {
		for _, q := range w.Steps {
			s.quantity(q)
		}
		for _, t := range w.Tables {
			s.say("table %s, %s: %s", t.Name, t.align(), strings.Join(t.Columns, " | "))
			for _, row := range t.Rows {
				s.say("  %s", strings.Join(row, " | "))
			}
		}
	}
	for i := range o.Rows {
		r := &o.Rows[i]
		s.say("%s: %s, expected %s within %s: %s", r.Quantity.Name, r.Quantity.Text(), r.ExpectedText(), r.WithinText(), o.judgement(r))
	}
	for i := range o.Errata {
		s.say("%s", o.Errata[i].text())
	}
	for _, g := range o.Guesses {
		s.say("%s %s", g.Question, g.Answer.Text())
	}
	for _, t := range o.Tries {
		s.say("%s: %s", t.Command, t.See)
	}
	for _, b := range o.text.blocks {
		s.block(o, &b)
	}
	if len(o.Judged()) > 0 {
		s.say("%s", o.Verdict())
		s.say("%d failed", len(o.Failed()))
	}
}

// promises holds what is changed against what a command to try says of it.
func (s *stage) promises(l *Lab, o *Outcome) {
	if len(s.set) == 0 {
		return
	}
	was, err := s.outcome(l, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range o.Tries {
		if kept, err := o.Kept(i, was); err == nil {
			s.say("try %d keeps its word: %v", i+1, kept)
		}
	}
}

func (s *stage) quantity(q *Quantity) {
	text := q.Text()
	if q.unknown {
		text = "not known"
	}
	if q.How != "" {
		text += "  <- " + q.How
	}
	s.say("%s = %s", q.Name, text)
}

func (s *stage) block(o *Outcome, b *block) {
	flat := func(in []inline) (out string) {
		for _, i := range in {
			text := i.text
			if i.value != "" {
				q := *o.all[i.value]
				if i.show != auto {
					q.Digits = i.show
				}
				text = q.Text()
			}
			out += map[string]string{"code": "`", "strong": "**", "em": "*"}[i.style] + text + i.source
		}
		return out
	}
	switch {
	case b.kind == place:
		s.say("place: %s", strings.TrimSpace(b.place.Text+" "+b.name))
	case b.kind == fenced:
		s.say("fenced: %d lines, fixed %v", len(b.lines), b.fixed)
	case b.kind == grid:
		for _, row := range b.rows {
			var cells []string
			for _, cell := range row {
				cells = append(cells, flat(cell))
			}
			s.say("row: %s", strings.Join(cells, " / "))
		}
	default:
		if len(b.items) == 0 {
			s.say("%s of nothing", b.kind)
		}
		for _, item := range b.items {
			s.say("%s: %s", b.kind, flat(item))
		}
	}
}

var _ scripttest.Reader = (*stage)(nil)
