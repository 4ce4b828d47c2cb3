package design

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/net/sizing"
	"railyard/internal/plan/scenario"
)

// TestScripts plays testdata: requirements, and what comes of them.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &stage{t: t} })
}

type stage struct {
	scripttest.Log
	t     *testing.T
	lines []string
}

// Do obeys
//
//	given KEY: VALUE      a line of the requirement; a new one begins with gpus
//	study                 each design in a line
//	bill DESIGN NETWORK   the items of a network
//	cables DESIGN N       every N-th cable
//	racks DESIGN          elevations
//	growth DESIGN         phases
//	findings DESIGN       what does not fit
//	scenario DESIGN       the file, with cables of one metre
//	slice DESIGN          the file of a slice
func (s *stage) Do(command []string) {
	if command[0] == "given" {
		if command[1] == "gpus:" {
			s.lines = nil
		}
		s.lines = append(s.lines, strings.Join(command[1:], " "))
		return
	}
	r, err := scenario.ParseRequirement("r.yaml", []byte(strings.Join(s.lines, "\n")))
	if err != nil {
		fmt.Fprintln(s, err)
		return
	}
	options := Study(r)
	if command[0] == "study" {
		for _, o := range options {
			s.option(o)
		}
		return
	}
	for _, o := range options {
		if o.Design == command[1] {
			s.look(r, o, command)
		}
	}
}

func (s *stage) option(o *Option) {
	if o.Refused != "" {
		fmt.Fprintf(s, "%s: refused: %s\n", o.Design, o.Refused)
		return
	}
	fmt.Fprintf(s, "%s:", o.Design)
	for _, n := range o.Nets {
		w := n.Sized
		fmt.Fprintf(s, " %s %d/%d/%d for %d;", n.Name, w.Leaves(), w.Spines(), w.SuperSpines(), n.Machines)
	}
	s.WriteString("\n")
}

func (s *stage) look(r *scenario.Requirement, o *Option, command []string) {
	one := sizing.Lengths{Host: unit.Metre, Spine: unit.Metre, Super: unit.Metre}
	switch command[0] {
	case "growth":
		for _, p := range Growth(o, r.HostsNow(), r.Host.GPUs) {
			fmt.Fprintf(s, "%s: %d GPUs, %d/%d/%d, cables %d %d %d\n", p.What, p.GPUs, p.Leaves, p.Spines, p.SuperSpines,
				p.HostCables, p.LeafCables, p.Supers)
		}
		return
	case "scenario":
		s.Write(Scenario(r, o, one, unit.Megabyte, "all-reduce"))
		return
	case "slice":
		cut, err := Slice(r, o)
		if err != nil {
			s.t.Fatal(err)
		}
		s.Write(Scenario(r, cut, one, unit.Megabyte, "all-reduce", "all-to-all"))
		return
	}
	l, err := Lay(r, o)
	if err != nil {
		s.t.Fatal(err)
	}
	switch command[0] {
	case "bill":
		for _, i := range l.Bill() {
			if i.Net == command[2] {
				fmt.Fprintf(s, "%d %s: %s, %s each\n", i.Count, i.Kind, i.Name, i.PowerText())
			}
		}
	case "total":
		t := Sum(l.Bill())
		fmt.Fprintf(s, "%v and %d unknown; %v and %d unpriced\n", t.Most.Power, t.Most.Unknown, t.Cost, t.Unpriced)
	case "cables":
		s.cables(l, command[2])
	case "racks":
		var b strings.Builder
		if err := l.WriteRacks(&b); err != nil {
			s.t.Fatal(err)
		}
		s.WriteString(strings.ReplaceAll(b.String(), "\n\n", "\n")) // an empty line would end the outcome
	case "findings":
		for _, p := range l.Findings {
			fmt.Fprintln(s, p)
		}
	default:
		s.t.Fatalf("no command %q", command)
	}
}

// cables prints the header and every n-th line.
func (s *stage) cables(l *Layout, every string) {
	var b strings.Builder
	if err := l.WriteCables(&b); err != nil {
		s.t.Fatal(err)
	}
	n := 1
	fmt.Sscan(every, &n)
	for i, line := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		if i == 0 || (i-1)%n == 0 {
			fmt.Fprintln(s, line)
		}
	}
}
