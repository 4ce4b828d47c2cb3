package lab

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
)

// A text follows its values: {{if CONDITION}} ... {{else if CONDITION}} ... {{else}} ... {{end}}, within one
// paragraph, item or cell. The first branch whose condition holds is what is read, or nothing.

// wasPrefix begins the name of a value as it is where nothing is changed: in what a try promises.
const wasPrefix = "was."

// choice is a condition of the text with its branches; the last may have none.
type choice struct {
	at       formula.Token
	branches []branch
}

type branch struct {
	when *formula.Condition // nil: else
	text []inline
}

// conditionOf reads a condition of the text; column is that of its first character.
func conditionOf(text string, line, column int) (*formula.Condition, located.Problems) {
	tokens, ps := formula.Tokens(text, line)
	for i := range tokens {
		tokens[i].Column += column - 1
	}
	for i := range ps {
		ps[i].File, ps[i].Column = readmeFile, ps[i].Column+column-1
	}
	if len(ps) > 0 {
		return nil, ps
	}
	if len(tokens) == 0 {
		return nil, located.Problems{{File: readmeFile, Line: line, Column: column, Width: 1,
			Message: "want a condition such as lr < 0.1 or run.steps = 3"}}
	}
	c := formula.NewCursor(tokens)
	k := c.Condition()
	if t := c.Peek(); c.Err == nil && t.Kind != formula.End {
		c.Fail(t, "%s: the condition ends before this; join two with and, or", t.Shown())
	}
	if c.Err != nil {
		return nil, located.Problems{problemAt(readmeFile, c.Err.At, "%v", c.Err.Err)}
	}
	return k, nil
}

// mark is a directive of a condition in the text as it was read, in its order.
type mark struct {
	word string // if, else if, else, end
	when *formula.Condition
	at   formula.Token
}

// markOf reads the inside of {{ }} as a directive of a condition.
func (r *reader) markOf(inside string, at span) (*mark, bool) {
	text := strings.TrimSpace(inside)
	for _, verb := range []string{"else if", "if", "else", "end"} {
		rest, ok := strings.CutPrefix(text, verb)
		if !ok || rest != "" && rest[0] != ' ' {
			continue
		}
		m := &mark{word: verb}
		m.at = formula.Token{Kind: formula.Word, Line: at.line, Column: at.column + 2, Width: utf8.RuneCountInString(inside)}
		if verb == "else" || verb == "end" {
			if rest != "" {
				r.fail(at.line, at.column+2, m.at.Width, "want {{"+verb+"}} alone")
			}
			return m, true
		}
		before := utf8.RuneCountInString(inside[:strings.Index(inside, verb)+len(verb)])
		var ps located.Problems
		m.when, ps = conditionOf(rest, at.line, at.column+2+before)
		r.problems = append(r.problems, ps...)
		return m, true
	}
	return nil, false
}

// nested makes branches of what was read in a row.
func (r *reader) nested(flat []inline) []inline {
	type level struct {
		out   []inline
		under *choice
	}
	stack := []level{{}}
	for _, in := range flat {
		top := &stack[len(stack)-1]
		switch {
		case in.mark == nil:
			top.out = append(top.out, in)
		case in.mark.word == "if":
			stack = append(stack, level{under: &choice{at: in.mark.at, branches: []branch{{when: in.mark.when}}}})
		case top.under == nil:
			r.fail(in.mark.at.Line, in.mark.at.Column, in.mark.at.Width, "there is no {{if CONDITION}} before this in the same "+
				"paragraph, item or cell")
		default:
			last := &top.under.branches[len(top.under.branches)-1]
			last.text, top.out = top.out, nil
			if in.mark.word == "end" {
				done := inline{choice: top.under, show: auto}
				stack = stack[:len(stack)-1]
				stack[len(stack)-1].out = append(stack[len(stack)-1].out, done)
				continue
			}
			if last.when == nil && len(top.under.branches) > 1 {
				r.fail(in.mark.at.Line, in.mark.at.Column, in.mark.at.Width, "{{else}} is the last branch, want {{end}}")
			}
			top.under.branches = append(top.under.branches, branch{when: in.mark.when})
		}
	}
	if top := stack[len(stack)-1]; top.under != nil {
		r.fail(top.under.at.Line, top.under.at.Column, top.under.at.Width, "this is never closed, want {{end}} in the same "+
			"paragraph, item or cell")
	}
	return stack[0].out
}

// walk calls visit with all pieces of a text, those of every branch too.
func walk(in []inline, visit func(*inline)) {
	for i := range in {
		visit(&in[i])
		if in[i].choice != nil {
			for _, b := range in[i].choice.branches {
				walk(b.text, visit)
			}
		}
	}
}

// check holds the conditions of a choice against what there is.
func (c *choice) check(g *ledger) (ps located.Problems) {
	for _, b := range c.branches {
		if b.when == nil {
			continue
		}
		_, err := b.when.Holds(g.value)
		if at, err := placeOf(err, c.at); err != nil && err != errNotRun {
			p := problemAt(readmeFile, at, "%v", err)
			if h, ok := err.(hinted); ok {
				p.Hint = string(h.h)
			}
			ps = append(ps, p)
		}
	}
	return ps
}

// texts calls visit with each text of a README: the question, and what stands in blocks.
func (t *readme) texts(visit func([]inline)) {
	visit(t.question)
	for _, b := range t.blocks {
		for _, item := range b.items {
			visit(item)
		}
		for _, row := range b.rows {
			for _, cell := range row {
				visit(cell)
			}
		}
	}
}

// value works out a name of any origin.
func (g *ledger) value(name string) (float64, error) {
	return g.named(name, []Origin{Given, Predicted, Measured, Stepped}, "a condition")
}

// promised is value, and with was. before a name what it is where nothing is changed.
func (g *ledger) promised(was *ledger) func(name string) (float64, error) {
	return func(name string) (float64, error) {
		before, ok := strings.CutPrefix(name, wasPrefix)
		if ok {
			return was.value(before)
		}
		return g.value(name)
	}
}

// Kept reports whether what a command to try promises came out: o is of the lab as that command changes it, was of the
// lab as it is. A command that promises nothing of a lab's values has an error.
func (o *Outcome) Kept(try int, was *Outcome) (bool, error) {
	for _, s := range o.Lab.statements {
		if s.verb != "try" {
			continue
		}
		if try--; try < 0 && s.gives != nil {
			return s.gives.Holds(o.g.promised(was.g))
		} else if try < 0 {
			break
		}
	}
	return false, errors.New("lab: this command promises nothing of values")
}

// chosen leaves of a text what is read with the values there are; taken hears of every branch.
func (g *ledger) chosen(in []inline, taken func(*choice, int)) (out []inline, err error) {
	for _, i := range in {
		if i.choice == nil {
			out = append(out, i)
			continue
		}
		found := len(i.choice.branches)
		for n, b := range i.choice.branches {
			holds := b.when == nil
			if !holds {
				if holds, err = b.when.Holds(g.value); err == errNotRun && len(g.changed) > 0 {
					holds, err = false, nil // of what the change has left nothing of
				}
				if err != nil {
					return nil, fmt.Errorf("README.md:%d: %w", i.choice.at.Line, err)
				}
			}
			if holds {
				found = n
				break
			}
		}
		taken(i.choice, found)
		if found < len(i.choice.branches) {
			more, err := g.chosen(i.choice.branches[found].text, taken)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
	}
	return out, nil
}

// tight is a text without a blank before a comma or a point: a branch that begins with one may stand in a line of its own.
func tight(in []inline) []inline {
	for i := 1; i < len(in); i++ {
		before := &in[i-1]
		if in[i].text != "" && strings.ContainsRune(",.;:", rune(in[i].text[0])) && before.style == "" && before.source == "" {
			before.text = strings.TrimRight(before.text, " ")
		}
	}
	return in
}

// read is the text as it is read with the values there are: blocks of which nothing is left are gone.
func (g *ledger) read(t *readme, taken func(*choice, int)) (out readme, err error) {
	out = readme{title: t.title, question: t.question}
	text := func(in []inline) []inline {
		if err != nil {
			return nil
		}
		var left []inline
		left, err = g.chosen(in, taken)
		return tight(left)
	}
	for _, b := range t.blocks {
		items, rows := b.items, b.rows
		b.items, b.rows = nil, nil
		for _, item := range items {
			if left := text(item); strings.TrimSpace(plain(left)) != "" || len(left) > 0 && left[0].value != "" {
				b.items = append(b.items, left)
			}
		}
		for _, row := range rows {
			var cells [][]inline
			for _, cell := range row {
				cells = append(cells, text(cell))
			}
			b.rows = append(b.rows, cells)
		}
		if len(items) == 0 || len(b.items) > 0 {
			out.blocks = append(out.blocks, b)
		}
	}
	return out, err
}
