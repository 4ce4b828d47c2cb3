package lines_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// A stage reads lines of a small dialect, or values, and says what became of each.
type stage struct {
	scripttest.Log
	text  string
	flat  bool // lines that were made of a file, without indentation
	value string
}

// PortName is that of the port whose block is read.
func (s *stage) PortName() string { return "Ethernet1/1" }

func did(what string) func(*stage, *lines.Line) error {
	return func(s *stage, l *lines.Line) error {
		s.WriteString(fmt.Sprintf("%d: %s %q\n", l.Number, what, l.Args))
		return nil
	}
}

// The small dialect.
var (
	inner = &lines.Block[*stage]{Ends: []string{"exit", "quit"}, Rules: []lines.Rule[*stage]{
		{Pattern: "leaf NAME", Do: did("inner leaf")},
		{Pattern: "number N", Do: func(s *stage, l *lines.Line) error {
			v, err := l.Int(0, 1, 10)
			s.WriteString(fmt.Sprintf("%d: number %d\n", l.Number, v))
			return err
		}},
	}}
	port = &lines.Block[*stage]{OfPort: true, Known: []string{"snmp"}, Rules: []lines.Rule[*stage]{
		{Pattern: "queue N", Enter: inner},
		{Pattern: "text TEXT...", Do: did("text")},
	}}
	top = &lines.Block[*stage]{Known: []string{"logging", "ip ANY server"}, Rules: []lines.Rule[*stage]{
		{Pattern: "interface NAME", Enter: port, Do: did("interface")},
		{Pattern: "leaf NAME", Do: did("leaf")},
		{Pattern: "no-*", Do: did("no")},
		{Pattern: "strange", Do: func(*stage, *lines.Line) error { return fmt.Errorf("here: %w", lines.ErrUnknown) }},
		{Pattern: "fine", Do: func(*stage, *lines.Line) error { return lines.ErrKnown }},
		{Pattern: "wrong", Do: func(*stage, *lines.Line) error { return errors.New("it is wrong") }},
	}}
)

// Do is of no use: lines are read.
func (s *stage) Do([]string) { panic("lines") }

// Read takes a line of a text; @ flat, @ as, @ address, @ address4, @ prefix4, @ prefix6 and @ whole are commands.
func (s *stage) Read(line string) {
	command, ok := strings.CutPrefix(line, "@ ")
	switch {
	case !ok:
		s.text += line + "\n"
	case command == "flat":
		s.flat = true
	default:
		s.read(strings.Fields(command))
	}
}

func (s *stage) read(words []string) {
	var v any
	var err error
	switch text := words[1]; words[0] {
	case "as":
		v, err = lines.AS(text)
	case "whole":
		v, err = lines.Whole(text, 5, 9)
	case "address":
		v, err = lines.Address(text)
	case "address4":
		v, err = lines.Address4(text)
	case "prefix":
		v, err = lines.Prefix(text, false, true)
	case "prefix-within":
		v, err = lines.Prefix(text, false, false)
	case "prefix6":
		v, err = lines.Prefix(text, true, true)
	}
	if err != nil {
		v = err
	}
	s.value += fmt.Sprintf("%v\n", v)
}

// Told plays the text since the last call.
func (s *stage) Told() string {
	if s.text == "" {
		defer func() { s.value = "" }()
		return s.value
	}
	p := &netconf.Parsed{}
	text := strings.ReplaceAll(s.text, `\xff`, "\xff")
	if s.flat {
		var all []lines.Text
		for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			all = append(all, lines.Text{Number: 10 * (n + 1), Text: line})
		}
		lines.Play(p, "f", all, "!", top, s)
	} else {
		lines.Read(p, "f", []byte(text), "!", top, s)
	}
	s.text, s.flat = "", false
	for _, q := range p.Problems {
		fmt.Fprintf(s, "%v\n", q)
	}
	for _, u := range p.Unread {
		fmt.Fprintf(s, "%d:%d: not understood: %s %s\n", u.Line, u.Column, u.Text, u.Port)
	}
	fmt.Fprintf(s, "understood %d, known %d, not %d\n", p.Lines.Understood, p.Lines.Known, p.Lines.Unread)
	return strings.ReplaceAll(s.Log.Told(), " \n", "\n")
}

// Blocks, classes of lines, and values.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage { return &stage{} })
}
