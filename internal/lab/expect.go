package lab

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/located"
	"railyard/internal/scenario"
)

// The names of a lab's files.
const (
	readmeFile   = "README.md"
	expectFile   = "expect.txt"
	scenarioFile = "scenario.yaml"
)

// Kind says what agreement means.
type Kind string

// The kinds of expectations.
const (
	Exact        Kind = "exact"        // the number itself, as far as it was rounded
	Shape        Kind = "shape"        // about as large: it depends on what a model leaves out
	Illustrative Kind = "illustrative" // an example's number that nothing can check: shown, not judged
)

// statement is one line of expect.txt.
type statement struct {
	verb    string
	at      token
	name    token
	expr    expr
	within  expr // what it may be off by: absolute, or with % of the expected value
	kind    Kind
	unit    string
	digits  digits
	words   []string // texts in quotes
	after   token    // event: another one before it
	in      token    // event: the run again that logs it
	bench   string
	call    []argument
	hasName bool       // erratum: there is a right value
	gives   *condition // try: what comes out of another lab run; nil: not stated as one
	prints  []string   // try: what its command prints
}

// argument is one argument of a bench.
type argument struct {
	at   token
	text string
	list []expr
	form byte // 't' text, 'n' number, 'l' list
}

// verbs are the statements: how each goes on, for messages and documents.
var verbs = map[string]struct {
	form string
	read func(*cursor, *statement)
}{
	"takes":   {`takes "2 s"`, func(c *cursor, s *statement) { s.text(c, "how long it takes") }},
	"input":   {`input NAME = NUMBERS [in UNIT] [to DECIMALS] "what it is"`, readDefinition},
	"formula": {`formula NAME = EXPRESSION [in UNIT] [to DECIMALS] "what it predicts"`, readDefinition},
	"measure": {`measure NAME = EXPRESSION [in UNIT] [to DECIMALS] "what it is"`, readDefinition},
	"again":   {`again NAME = "KEY=VALUE" ["KEY=VALUE"...] "what is changed"`, readAgain},
	"event":   {`event NAME = "KIND" at "PORT" [after EVENT] [in AGAIN] "what it is"`, readEvent},
	"bench":   {`bench NAME = KIND(ARGUMENT: VALUE, ...) "what it shows"`, readBench},
	"value": {`value NAME = EXPECTED within TOLERANCE exact|shape "what it is"; or illustrative without within`,
		readValue},
	"erratum": {`erratum "what the book says" [right NAME = EXPECTED within TOLERANCE] "what is right"`, readErratum},
	"figure":  {`figure NAME "caption": a figure of the run's report`, readFigure},
	"try":     {`try "railyard lab {lab} --set NAME=VALUE" "what to see" [gives CONDITION | gives "what is printed"...]`, readTry},
}

func (s *statement) text(c *cursor, what string) {
	s.words = append(s.words, c.of(quoted, what+` in "quotes"`).text)
}

func (s *statement) named(c *cursor, what string) {
	s.name, s.hasName = c.of(word, what), true
}

func readDefinition(c *cursor, s *statement) {
	s.named(c, "a name")
	c.take("=")
	s.expr = c.expr()
	if c.accept("in") {
		t := c.next()
		if t.kind != word && t.kind != quoted {
			c.fail(t, `%s: want a unit such as us, or one in quotes such as "Gb/s"`, t.shown())
		}
		s.unit = t.text
	}
	if c.accept("to") {
		t := c.of(number, "how many decimals are shown")
		v, err := parseNumber(t.text)
		if err != nil || v != float64(int(v)) || v > 9 {
			c.fail(t, "%s: want 0 to 9 decimals", t.shown())
		}
		s.digits = digits(v)
	}
	s.text(c, "what it is")
}

func readBench(c *cursor, s *statement) {
	s.named(c, "a name")
	c.take("=")
	kind := c.of(word, "the kind of bench")
	b, known := benches[kind.text]
	if !known {
		c.fail(kind, "unknown bench %s, want %s", kind.shown(), list(keys(benches)))
	}
	s.bench = kind.text
	c.take("(")
	for c.err == nil && !c.peek().is(")") {
		a := argument{at: c.of(word, "the name of an argument"), form: 'n'}
		i := slices.IndexFunc(b.Params, func(p Param) bool { return p.Name == a.at.text })
		if i < 0 {
			c.fail(a.at, "bench %s has no argument %s, want %s", s.bench, a.at.shown(), list(paramNames(b)))
		}
		c.take(":")
		switch t := c.peek(); {
		case t.kind == quoted:
			a.form, a.text = 't', c.next().text
		case c.accept("["):
			a.form = 'l'
			for c.err == nil && !c.peek().is("]") {
				a.list = append(a.list, c.expr())
				if !c.accept(",") {
					break
				}
			}
			c.take("]")
		default:
			a.list = []expr{c.expr()}
		}
		if c.err == nil {
			a.check(c, b.Params[i])
		}
		s.call = append(s.call, a)
		if !c.accept(",") {
			break
		}
	}
	c.take(")")
	for _, p := range b.Params {
		given := slices.ContainsFunc(s.call, func(a argument) bool { return a.at.text == p.Name })
		if p.Needed && !given {
			c.fail(kind, "bench %s needs the argument %s: %s", s.bench, p.Name, p.Meaning)
		}
	}
	s.text(c, "what it shows")
}

// check holds an argument against its parameter.
func (a *argument) check(c *cursor, p Param) {
	want := ""
	switch p.Default.(type) {
	case float64:
		if a.form != 'n' {
			want = "a number"
		}
	case []float64:
		if a.form != 'l' {
			want = "a list such as [1, 2]"
		}
	case string:
		if a.form != 't' {
			want = "a text in quotes"
		}
	}
	if want != "" {
		c.fail(a.at, "argument %s: want %s", a.at.text, want)
	}
}

func paramNames(b Bench) (names []string) {
	for _, p := range b.Params {
		names = append(names, p.Name)
	}
	return names
}

func readValue(c *cursor, s *statement) {
	s.named(c, "the name of a value")
	c.take("=")
	s.expr = c.expr()
	tolerance := c.peek()
	bounded := c.accept("within")
	if bounded {
		s.within = c.expr()
	}
	t := c.next()
	switch s.kind = Kind(t.text); {
	case t.kind != word || s.kind != Exact && s.kind != Shape && s.kind != Illustrative:
		c.fail(t, "%s: want exact, shape or illustrative here", t.shown())
	case s.kind == Illustrative && bounded:
		c.fail(tolerance, "an illustrative value is not judged: leave within out, or say exact or shape")
	case s.kind != Illustrative && !bounded:
		c.fail(t, "a value that is %s is judged: say within how much, such as within 0.005 or within 5%%", s.kind)
	}
	s.text(c, "what it is")
}

func readErratum(c *cursor, s *statement) {
	s.text(c, "what the book says")
	if c.accept("right") {
		s.named(c, "the name of the right value")
		c.take("=")
		s.expr = c.expr()
		c.take("within")
		s.within = c.expr()
	}
	s.text(c, "what is right")
}

func readFigure(c *cursor, s *statement) {
	t := c.next()
	name := t
	for t.kind == word && c.peek().is("-") { // names of figures have hyphens
		c.next()
		more := c.of(word, "the name of a figure")
		name.text += "-" + more.text
		name.width = more.column + more.width - name.column
	}
	if t.kind != word {
		c.fail(t, "%s: want the name of a figure of the run's report, such as timeline", t.shown())
	}
	s.name, s.hasName = name, true
	s.text(c, "a caption")
}

func readTry(c *cursor, s *statement) {
	t := c.peek()
	s.text(c, "a command")
	if c.err == nil && !strings.HasPrefix(s.words[0], "railyard ") {
		c.fail(t, `%s: want a command that begins with railyard, such as "railyard lab {lab} --set x=1"`, t.shown())
	}
	s.text(c, "what to see")
	if !c.accept("gives") {
		return
	}
	if of := c.peek(); of.kind != quoted {
		if s.gives = c.condition(); c.err == nil && !strings.HasPrefix(s.words[0], labCommand) {
			c.fail(of, `a condition is of the values of a lab: of another command say what it prints, in "quotes"`)
		}
		return
	}
	for c.err == nil && c.peek().kind == quoted {
		s.prints = append(s.prints, c.next().text)
	}
}

// labCommand begins a command that runs the same lab with changes.
const labCommand = "railyard lab {lab} "

// parseExpect reads expect.txt. What its statements mean together, check says.
func parseExpect(file, text string) (all []*statement, ps located.Problems) {
	lines, ps := statements(file, text)
	for _, tokens := range lines {
		if ps.Full() {
			break
		}
		c := newCursor(tokens)
		first := c.next()
		v, known := verbs[first.text]
		if first.kind != word || !known {
			ps = append(ps, problemAt(file, first, "unknown statement %s, want %s", first.shown(), list(keys(verbs)),
				hintOf(first.text, keys(verbs))))
			continue
		}
		s := &statement{verb: first.text, at: first, digits: auto}
		v.read(c, s)
		if t := c.peek(); c.err == nil && t.kind != end {
			c.fail(t, "%s: the statement ends before this", t.shown())
		}
		if c.err != nil {
			p := problemAt(file, c.err.at, "%v", c.err.err)
			p.Hint = "the form is " + v.form
			ps = append(ps, p)
			continue
		}
		all = append(all, s)
	}
	return all, ps
}

// problemAt is a problem at a token. A last argument of type hint is one.
func problemAt(file string, at token, format string, args ...any) located.Problem {
	p := located.Problem{File: file, Line: at.line, Column: at.column, Width: at.width}
	if n := len(args); n > 0 {
		if h, ok := args[n-1].(hint); ok {
			p.Hint, args = string(h), args[:n-1]
		}
	}
	p.Message = fmt.Sprintf(format, args...)
	return p
}

type hint string

// hintOf suggests the nearest of some names.
func hintOf(name string, names []string) hint {
	best, least := "", max(1, len(name)/3)+1
	for _, n := range names {
		if d := scenario.Edits(name, n); d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return hint("did you mean " + best + "?")
}

// placeOf returns the token that an error is at, or a default.
func placeOf(err error, otherwise token) (token, error) {
	var p *placed
	if errors.As(err, &p) {
		return p.at, p.err
	}
	return otherwise, err
}

// defines reports whether a statement gives a name to something.
func (s *statement) defines() bool {
	return s.verb == "input" || s.verb == "formula" || s.verb == "measure" || s.verb == "bench" || s.verb == "again" ||
		s.verb == "event"
}
