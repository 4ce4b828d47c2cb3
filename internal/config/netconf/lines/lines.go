// Package lines reads configuration that is a line for each command, in blocks that a command opens and
// "exit" or a command of an outer block closes: FRR's, and those of the switches that speak alike.
//
//	router bgp 65001            opens a block
//	 neighbor 10.0.0.1 bfd      a command of it: the pattern "neighbor ADDRESS bfd"
//	interface swp1              no command of it, but one outside: the block ends
//
// What a command means is for the dialect that has the rules. In a file that is indented anywhere a line that is not
// further in than one that opens a block is outside of it; what is further in than a line that is not understood belongs
// to it, and is not understood either.
//
// A line is of one of three classes: understood by a rule; known, and of no matter to the model, with all that is
// further in; or not understood.
//
// Invariants: each line is of one class, and a remark of none; text of any kind ends in neither a panic nor more memory
// than a few times its size.
package lines

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/located"
	"railyard/internal/config/netconf"
)

// ErrUnknown says that a line is a command and what it says is in no model: it is reported as one that is not
// understood.
var ErrUnknown = errors.New("not understood")

// ErrKnown says that a line is of no matter, and with it what is further in.
var ErrKnown = errors.New("of no matter")

// A Rule is a command. Words of its pattern in capitals stand for one word each, those that end in * for one that
// begins so, a last word TEXT... for the rest of the line.
type Rule[S any] struct {
	Pattern string
	// Do is told of a line, with what stands for the words in capitals, and those with *. Its error is a problem there.
	Do func(s S, l *Line) error
	// Enter is the block that the command opens; nil: none.
	Enter *Block[S]
}

// A Block is the commands that belong together.
type Block[S any] struct {
	Rules []Rule[S]
	// Known are how commands begin that are of no matter, in words as those of a pattern. What is further in than one is
	// of no matter either.
	Known []string
	// OfPort says that it is a port's, whose name the state has: Porter.
	OfPort bool
	// Ends are lines that close it, such as exit.
	Ends []string
}

// A Porter knows the name of the port whose block is read.
type Porter interface{ PortName() string }

// A Line is one that matched.
type Line struct {
	File string
	Number
	Args []string
}

// A Number is that of a line, from 1.
type Number int

// Int reads an argument as a whole number within bounds.
func (l *Line) Int(arg, least, most int) (int, error) {
	v, err := strconv.Atoi(l.Args[arg])
	if err != nil || v < least || v > most {
		return 0, fmt.Errorf("%s: want a number from %d to %d", located.Shown(l.Args[arg]), least, most)
	}
	return v, nil
}

// Read plays a file on s and notes in p what is wrong with it: each line by the first rule that matches, of the innermost
// block that has one. Lines that begin with one of the marks are remarks.
func Read[S any](p *netconf.Parsed, file string, text []byte, marks string, top *Block[S], s S) {
	r := &reading[S]{p: p, file: file, open: []*Block[S]{top}, from: []int{0}, s: s, unread: math.MaxInt, known: math.MaxInt,
		indented: indented(text, marks)}
	text, over := Bounded(file, text)
	p.Problems = append(p.Problems, over...)
	for r.n = 1; len(text) > 0; r.n++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		r.words = located.AppendWords(r.words[:0], string(line))
		if len(r.words) == 0 || strings.ContainsRune(marks, rune(r.words[0].Text[0])) {
			continue
		}
		r.line(line)
	}
}

// A Text is a line of a file as it is to be read, and its number.
type Text struct {
	Number int
	Text   string
}

// Play is Read of lines that were made of a file: of blocks in braces, such as. They have no indentation.
func Play[S any](p *netconf.Parsed, file string, all []Text, marks string, top *Block[S], s S) {
	r := &reading[S]{p: p, file: file, open: []*Block[S]{top}, from: []int{0}, s: s, unread: math.MaxInt, known: math.MaxInt}
	for _, t := range all {
		r.n = t.Number
		r.words = located.AppendWords(r.words[:0], t.Text)
		if len(r.words) == 0 || strings.ContainsRune(marks, rune(r.words[0].Text[0])) {
			continue
		}
		r.line([]byte(t.Text))
	}
}

// A reading is a file as far as it was played.
type reading[S any] struct {
	p     *netconf.Parsed
	file  string
	open  []*Block[S]
	from  []int // columns of the lines that opened them
	s     S
	n     int // of the line
	words []located.Word
	// What is further in than these columns belongs to a line that is not understood, or is of no matter.
	unread, known int
	indented      bool
	indexes       map[*Block[S]]*index
}

// indented reports whether any line that is no remark is further in than the margin.
func indented(text []byte, marks string) bool {
	for line := range bytes.Lines(text) {
		bare := bytes.TrimLeft(line, " \t")
		if len(bare) < len(line) && len(bytes.TrimSpace(bare)) > 0 && !strings.ContainsRune(marks, rune(bare[0])) {
			return true
		}
	}
	return false
}

func (r *reading[S]) line(line []byte) {
	words := r.words
	switch {
	case words[0].Column > r.unread:
		r.unknown(line)
		return
	case words[0].Column > r.known:
		r.p.Lines.Known++
		return
	}
	r.unread, r.known = math.MaxInt, math.MaxInt
	if !utf8.Valid(line) {
		r.wrong(words[0], "not UTF-8")
		return
	}
	if len(r.open) > 1 && ends(r.open[len(r.open)-1], words) {
		r.open = r.open[:len(r.open)-1]
		r.p.Lines.Understood++
		return
	}
	for r.indented && len(r.open) > 1 && words[0].Column <= r.from[len(r.open)-1] {
		r.open = r.open[:len(r.open)-1]
	}
	rule, depth, at := r.find(words)
	if rule == nil {
		if depth < 0 {
			r.unknown(line)
			return
		}
		r.open, r.known = r.open[:depth+1], words[0].Column
		r.p.Lines.Known++
		return
	}
	r.open = r.open[:depth+1]
	if rule.Enter != nil {
		r.open = append(r.open, rule.Enter)
		r.from = append(r.from[:len(r.open)-1], words[0].Column)
	}
	r.p.Lines.Understood++
	if rule.Do != nil {
		r.do(rule, line, at)
	}
}

func (r *reading[S]) do(rule *Rule[S], line []byte, at []int) {
	l := &Line{File: r.file, Number: Number(r.n)}
	for _, i := range at {
		l.Args = append(l.Args, r.words[i].Text)
	}
	if len(at) > 0 && strings.HasSuffix(rule.Pattern, "...") {
		l.Args[len(at)-1] = strings.TrimSpace(string([]rune(string(line))[r.words[at[len(at)-1]].Column-1:]))
	}
	switch err := rule.Do(r.s, l); {
	case errors.Is(err, ErrUnknown):
		r.p.Lines.Understood--
		r.unknown(line)
	case errors.Is(err, ErrKnown):
		r.p.Lines.Understood--
		r.p.Lines.Known++
		r.known = r.words[0].Column
	case err != nil:
		place := r.words[0]
		if len(at) > 0 {
			place = r.words[at[len(at)-1]]
		}
		r.wrong(place, err.Error())
	}
}

func (r *reading[S]) wrong(at located.Word, message string) {
	if !r.p.Problems.Full() {
		r.p.Problems = append(r.p.Problems, located.Problem{File: r.file, Line: r.n, Column: at.Column, Width: at.Width(),
			Message: message})
	}
}

func (r *reading[S]) unknown(line []byte) {
	u := netconf.Unread{Place: netconf.Place{File: r.file, Line: r.n}, Column: r.words[0].Column,
		Text: located.Cut(strings.TrimSpace(string(line)))}
	if porter, ok := any(r.s).(Porter); ok {
		for _, b := range r.open {
			if b.OfPort && u.Column > 1 {
				u.Port = porter.PortName()
			}
		}
	}
	r.p.NotUnderstood(u)
	r.unread = min(r.unread, u.Column)
}

func ends[S any](b *Block[S], words []located.Word) bool {
	for _, e := range b.Ends {
		if len(words) == 1 && words[0].Text == e {
			return true
		}
	}
	return false
}
