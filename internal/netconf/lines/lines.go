// Package lines reads configuration that is a line for each command, in blocks that a command opens and
// "exit" or a command of an outer block closes: FRR's, and those of the switches that speak alike.
//
//	router bgp 65001            opens a block
//	 neighbor 10.0.0.1 bfd      a command of it: the pattern "neighbor ADDRESS bfd"
//	interface swp1              no command of it, but one outside: the block ends
//
// What a command means is for the dialect that has the rules. Indentation means nothing, but that what is further
// in than a line that is not understood belongs to it, and is not understood either.
//
// Invariants: each line is understood by one rule, or is a problem; text of any kind ends in neither a
// panic nor more memory than a few times its size.
package lines

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"railyard/internal/located"
)

// ErrUnknown says that a line is a command and what it says is in no model: it is reported as one that is not
// understood.
var ErrUnknown = errors.New("not understood")

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
	// Ends are lines that close it, such as exit.
	Ends []string
}

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

// Read plays a file on s: each line by the first rule that matches, of the innermost block that has
// one. Lines that begin with one of the marks are remarks. What no rule matches is a problem, a warning:
// a configuration holds much that is for nobody here.
func Read[S any](file string, text []byte, marks string, top *Block[S], s S) (problems located.Problems) {
	text, problems = Bounded(file, text)
	open := []*Block[S]{top}
	unread := math.MaxInt // what is further in than this belongs to a line that is not understood
	for n := 1; len(text) > 0; n++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		words := located.AppendWords(nil, string(line))
		if len(words) == 0 || strings.ContainsRune(marks, rune(words[0].Text[0])) {
			continue
		}
		wrong := func(at located.Word, message string, warning bool) {
			if problems.Full() {
				return
			}
			problems = append(problems, located.Problem{File: file, Line: n, Column: at.Column, Width: at.Width(),
				Message: message, Warning: warning})
		}
		unknown := func() {
			all := words[0]
			all.Text = strings.TrimSpace(string(line))
			wrong(all, located.Shown(all.Text)+": not understood", true)
			unread = min(unread, words[0].Column)
		}
		if words[0].Column > unread {
			unknown()
			continue
		}
		unread = math.MaxInt
		if !utf8.Valid(line) {
			wrong(words[0], "not UTF-8", false)
			continue
		}
		if len(open) > 1 && ends(open[len(open)-1], words) {
			open = open[:len(open)-1]
			continue
		}
		rule, depth, at := find(open, words)
		if rule == nil {
			unknown()
			continue
		}
		open = open[:depth+1]
		if rule.Enter != nil {
			open = append(open, rule.Enter)
		}
		if rule.Do == nil {
			continue
		}
		l := &Line{File: file, Number: Number(n)}
		for _, i := range at {
			l.Args = append(l.Args, words[i].Text)
		}
		if len(at) > 0 && strings.HasSuffix(rule.Pattern, "...") {
			l.Args[len(at)-1] = strings.TrimSpace(string([]rune(string(line))[words[at[len(at)-1]].Column-1:]))
		}
		switch err := rule.Do(s, l); {
		case errors.Is(err, ErrUnknown):
			unknown()
		case err != nil:
			place := words[0]
			if len(at) > 0 {
				place = words[at[len(at)-1]]
			}
			wrong(place, err.Error(), false)
		}
	}
	return problems
}

func ends[S any](b *Block[S], words []located.Word) bool {
	for _, e := range b.Ends {
		if len(words) == 1 && words[0].Text == e {
			return true
		}
	}
	return false
}

// find returns the rule for a line, how deep its block is, and which words are arguments.
func find[S any](open []*Block[S], words []located.Word) (rule *Rule[S], depth int, args []int) {
	for depth = len(open) - 1; depth >= 0; depth-- {
		for i := range open[depth].Rules {
			r := &open[depth].Rules[i]
			if args, ok := match(r.Pattern, words); ok {
				return r, depth, args
			}
		}
	}
	return nil, 0, nil
}

// match holds words against a pattern.
func match(pattern string, words []located.Word) (args []int, ok bool) {
	i := 0
	for p := range strings.FieldsSeq(pattern) {
		switch {
		case i >= len(words):
			return nil, false
		case strings.HasSuffix(p, "..."):
			return append(args, i), true
		case strings.HasSuffix(p, "*"):
			if !strings.HasPrefix(words[i].Text, p[:len(p)-1]) {
				return nil, false
			}
			args = append(args, i)
		case p == strings.ToUpper(p) && strings.ContainsAny(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
			args = append(args, i)
		case p != words[i].Text:
			return nil, false
		}
		i++
	}
	return args, i == len(words)
}
