package lab

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/formula"
	"railyard/internal/base/located"
	"railyard/internal/plan/scenario"
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
	at      formula.Token
	name    formula.Token
	expr    formula.Expr
	within  formula.Expr // what it may be off by: absolute, or with % of the expected value
	kind    Kind
	unit    string
	digits  digits
	words   []string      // texts in quotes
	after   formula.Token // event: another one before it
	in      formula.Token // event: the run again that logs it
	bench   string
	call    []argument
	hasName bool               // erratum: there is a right value
	gives   *formula.Condition // try: what comes out of another lab run; nil: not stated as one
	prints  []string           // try: what its command prints
}

// argument is one argument of a bench.
type argument struct {
	at   formula.Token
	text string
	list []formula.Expr
	form byte // 't' text, 'n' number, 'l' list
}

// verbs are the statements: how each goes on, for messages and documents.
var verbs = map[string]struct {
	form string
	read func(*formula.Cursor, *statement)
}{
	"takes":   {`takes "2 s"`, func(c *formula.Cursor, s *statement) { s.text(c, "how long it takes") }},
	"input":   {`input NAME = NUMBERS [in UNIT] [to DECIMALS] "what it is"`, readDefinition},
	"formula": {`formula NAME = EXPRESSION [in UNIT] [to DECIMALS] "what it predicts"`, readDefinition},
	"measure": {`measure NAME = EXPRESSION [in UNIT] [to DECIMALS] "what it is"`, readDefinition},
	"again":   {`again NAME = "KEY=VALUE" ["KEY=VALUE"...] "what is changed"`, readAgain},
	"event":   {`event NAME = "KIND" at "PORT" [after EVENT] [in AGAIN] "what it is"`, readEvent},
	"bench":   {`bench NAME = KIND(ARGUMENT: VALUE, ...) "what it shows"`, readBench},
	"value": {`value NAME = EXPECTED within TOLERANCE exact|shape "what it is"; or illustrative without within`,
		readValue},
	"erratum": {`erratum "what the book says" [right NAME = EXPECTED within TOLERANCE] "what is right"`, readErratum},
	"guess":   {`guess NAME "a question that the value of NAME answers"`, readGuess},
	"figure":  {`figure NAME "caption": a figure of the run's report`, readFigure},
	"try":     {`try "railyard lab {lab} --set NAME=VALUE" "what to see" [gives CONDITION | gives "what is printed"...]`, readTry},
}

func (s *statement) text(c *formula.Cursor, what string) {
	s.words = append(s.words, c.Of(formula.Quoted, what+` in "quotes"`).Text)
}

func (s *statement) named(c *formula.Cursor, what string) {
	s.name, s.hasName = c.Of(formula.Word, what), true
}

func readDefinition(c *formula.Cursor, s *statement) {
	s.named(c, "a name")
	c.Take("=")
	s.expr = c.Expr()
	if c.Accept("in") {
		t := c.Next()
		if t.Kind != formula.Word && t.Kind != formula.Quoted {
			c.Fail(t, `%s: want a unit such as us, or one in quotes such as "Gb/s"`, t.Shown())
		}
		s.unit = t.Text
	}
	if c.Accept("to") {
		t := c.Of(formula.Number, "how many decimals are shown")
		v, err := formula.ParseNumber(t.Text)
		if err != nil || v != float64(int(v)) || v > 9 {
			c.Fail(t, "%s: want 0 to 9 decimals", t.Shown())
		}
		s.digits = digits(v)
	}
	s.text(c, "what it is")
}

func readBench(c *formula.Cursor, s *statement) {
	s.named(c, "a name")
	c.Take("=")
	kind := c.Of(formula.Word, "the kind of bench")
	b, known := benches[kind.Text]
	if !known {
		c.Fail(kind, "unknown bench %s, want %s", kind.Shown(), located.OneOf(keys(benches)))
	}
	s.bench = kind.Text
	c.Take("(")
	for c.Err == nil && !c.Peek().Is(")") {
		a := argument{at: c.Of(formula.Word, "the name of an argument"), form: 'n'}
		i := slices.IndexFunc(b.Params, func(p Param) bool { return p.Name == a.at.Text })
		if i < 0 {
			c.Fail(a.at, "bench %s has no argument %s, want %s", s.bench, a.at.Shown(), located.OneOf(paramNames(b)))
		}
		c.Take(":")
		switch t := c.Peek(); {
		case t.Kind == formula.Quoted:
			a.form, a.text = 't', c.Next().Text
		case c.Accept("["):
			a.form = 'l'
			for c.Err == nil && !c.Peek().Is("]") {
				a.list = append(a.list, c.Expr())
				if !c.Accept(",") {
					break
				}
			}
			c.Take("]")
		default:
			a.list = []formula.Expr{c.Expr()}
		}
		if c.Err == nil {
			a.check(c, b.Params[i])
		}
		s.call = append(s.call, a)
		if !c.Accept(",") {
			break
		}
	}
	c.Take(")")
	for _, p := range b.Params {
		given := slices.ContainsFunc(s.call, func(a argument) bool { return a.at.Text == p.Name })
		if p.Needed && !given {
			c.Fail(kind, "bench %s needs the argument %s: %s", s.bench, p.Name, p.Meaning)
		}
	}
	s.text(c, "what it shows")
}

// check holds an argument against its parameter.
func (a *argument) check(c *formula.Cursor, p Param) {
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
		c.Fail(a.at, "argument %s: want %s", a.at.Text, want)
	}
}

func paramNames(b Bench) (names []string) {
	for _, p := range b.Params {
		names = append(names, p.Name)
	}
	return names
}

func readValue(c *formula.Cursor, s *statement) {
	s.named(c, "the name of a value")
	c.Take("=")
	s.expr = c.Expr()
	tolerance := c.Peek()
	bounded := c.Accept("within")
	if bounded {
		s.within = c.Expr()
	}
	t := c.Next()
	switch s.kind = Kind(t.Text); {
	case t.Kind != formula.Word || s.kind != Exact && s.kind != Shape && s.kind != Illustrative:
		c.Fail(t, "%s: want exact, shape or illustrative here", t.Shown())
	case s.kind == Illustrative && bounded:
		c.Fail(tolerance, "an illustrative value is not judged: leave within out, or say exact or shape")
	case s.kind != Illustrative && !bounded:
		c.Fail(t, "a value that is %s is judged: say within how much, such as within 0.005 or within 5%%", s.kind)
	}
	s.text(c, "what it is")
}

func readErratum(c *formula.Cursor, s *statement) {
	s.text(c, "what the book says")
	if c.Accept("right") {
		s.named(c, "the name of the right value")
		c.Take("=")
		s.expr = c.Expr()
		c.Take("within")
		s.within = c.Expr()
	}
	s.text(c, "what is right")
}

// readGuess reads a question that a reader answers first.
func readGuess(c *formula.Cursor, s *statement) {
	s.named(c, "the name of what answers the question")
	at := c.Peek()
	if s.text(c, "the question"); c.Err == nil && !strings.HasSuffix(s.words[0], "?") {
		c.Fail(at, "%s: want a question, which ends in ?", at.Shown())
	}
}

func readFigure(c *formula.Cursor, s *statement) {
	t := c.Next()
	name := t
	for t.Kind == formula.Word && c.Peek().Is("-") { // names of figures have hyphens
		c.Next()
		more := c.Of(formula.Word, "the name of a figure")
		name.Text += "-" + more.Text
		name.Width = more.Column + more.Width - name.Column
	}
	if t.Kind != formula.Word {
		c.Fail(t, "%s: want the name of a figure of the run's report, such as timeline", t.Shown())
	}
	s.name, s.hasName = name, true
	s.text(c, "a caption")
}

func readTry(c *formula.Cursor, s *statement) {
	t := c.Peek()
	s.text(c, "a command")
	if c.Err == nil && !strings.HasPrefix(s.words[0], "railyard ") {
		c.Fail(t, `%s: want a command that begins with railyard, such as "railyard lab {lab} --set x=1"`, t.Shown())
	}
	s.text(c, "what to see")
	if !c.Accept("gives") {
		return
	}
	if of := c.Peek(); of.Kind != formula.Quoted {
		if s.gives = c.Condition(); c.Err == nil && !strings.HasPrefix(s.words[0], labCommand) {
			c.Fail(of, `a condition is of the values of a lab: of another command say what it prints, in "quotes"`)
		}
		return
	}
	for c.Err == nil && c.Peek().Kind == formula.Quoted {
		s.prints = append(s.prints, c.Next().Text)
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
		c := formula.NewCursor(tokens)
		first := c.Next()
		v, known := verbs[first.Text]
		if first.Kind != formula.Word || !known {
			ps = append(ps, problemAt(file, first, "unknown statement %s, want %s", first.Shown(), located.OneOf(keys(verbs)),
				hintOf(first.Text, keys(verbs))))
			continue
		}
		s := &statement{verb: first.Text, at: first, digits: auto}
		v.read(c, s)
		if t := c.Peek(); c.Err == nil && t.Kind != formula.End {
			c.Fail(t, "%s: the statement ends before this", t.Shown())
		}
		if c.Err != nil {
			p := problemAt(file, c.Err.At, "%v", c.Err.Err)
			p.Hint = "the form is " + v.form
			ps = append(ps, p)
			continue
		}
		all = append(all, s)
	}
	return all, ps
}

// problemAt is a problem at a token. A last argument of type hint is one.
func problemAt(file string, at formula.Token, format string, args ...any) located.Problem {
	p := located.Problem{File: file, Line: at.Line, Column: at.Column, Width: at.Width}
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
func placeOf(err error, otherwise formula.Token) (formula.Token, error) {
	var p *formula.Placed
	if errors.As(err, &p) {
		return p.At, p.Err
	}
	return otherwise, err
}

// defines reports whether a statement gives a name to something.
func (s *statement) defines() bool {
	return s.verb == "input" || s.verb == "formula" || s.verb == "measure" || s.verb == "bench" || s.verb == "again" ||
		s.verb == "event"
}
