package lab

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/located"
)

// expr is an expression: numbers, names, + - * / ^, brackets and functions.
type expr struct {
	op    byte // 'n' number, 'v' name, 'f' function, '~' minus sign, or + - * / ^
	value float64
	name  string
	args  []expr
	at    token
}

// literal reports whether the expression is one number as it stands.
func (e *expr) literal() bool { return e.op == 'n' || e.op == '~' && e.args[0].op == 'n' }

// percent reports whether it is one number with a percent sign.
func (e *expr) percent() bool { return e.op == 'n' && strings.HasSuffix(e.at.text, "%") }

// names calls visit with every name that the expression uses.
func (e *expr) names(visit func(name string, at token)) {
	if e.op == 'v' {
		visit(e.name, e.at)
	}
	for i := range e.args {
		e.args[i].names(visit)
	}
}

// function is what an expression may call.
type function struct {
	args int
	of   func(x []float64) float64
}

// functions are those of expressions. Their last digits are never shown: texts and JSON round.
var functions = map[string]function{
	"exp":     {1, func(x []float64) float64 { return math.Exp(x[0]) }},
	"ln":      {1, func(x []float64) float64 { return math.Log(x[0]) }},
	"log10":   {1, func(x []float64) float64 { return math.Log10(x[0]) }},
	"log2":    {1, func(x []float64) float64 { return math.Log2(x[0]) }},
	"sqrt":    {1, func(x []float64) float64 { return math.Sqrt(x[0]) }},
	"sin":     {1, func(x []float64) float64 { return math.Sin(x[0]) }},
	"cos":     {1, func(x []float64) float64 { return math.Cos(x[0]) }},
	"abs":     {1, func(x []float64) float64 { return math.Abs(x[0]) }},
	"floor":   {1, func(x []float64) float64 { return math.Floor(x[0]) }},
	"ceil":    {1, func(x []float64) float64 { return math.Ceil(x[0]) }},
	"sigmoid": {1, func(x []float64) float64 { return 1 / (1 + math.Exp(-x[0])) }},
	"relu":    {1, func(x []float64) float64 { return max(0, x[0]) }},
	"min":     {2, func(x []float64) float64 { return min(x[0], x[1]) }},
	"max":     {2, func(x []float64) float64 { return max(x[0], x[1]) }},
	"round": {2, func(x []float64) float64 {
		scale := math.Pow(10, x[1])
		return math.Round(x[0]*scale) / scale
	}},
}

// eval returns the value of an expression. The error has the place.
func (e *expr) eval(of func(name string) (float64, error)) (float64, error) {
	switch e.op {
	case 'n':
		return e.value, nil
	case 'v':
		v, err := of(e.name)
		if err != nil {
			return 0, &placed{e.at, err}
		}
		return v, nil
	}
	x := make([]float64, len(e.args))
	for i := range e.args {
		v, err := e.args[i].eval(of)
		if err != nil {
			return 0, err
		}
		x[i] = v
	}
	v := 0.0
	switch e.op {
	case '~':
		v = -x[0]
	case '+':
		v = x[0] + x[1]
	case '-':
		v = x[0] - x[1]
	case '*':
		v = x[0] * x[1]
	case '/':
		v = x[0] / x[1]
	case '^':
		v = math.Pow(x[0], x[1])
	case 'f':
		v = functions[e.name].of(x)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, &placed{e.at, fmt.Errorf("this is no number: %s of %s", located.Shown(e.at.text), numbers(x))}
	}
	return v, nil
}

func numbers(x []float64) string {
	texts := make([]string, len(x))
	for i, v := range x {
		texts[i] = strconv.FormatFloat(v, 'g', 6, 64)
	}
	return strings.Join(texts, " and ")
}

// placed is an error at a token.
type placed struct {
	at  token
	err error
}

func (p *placed) Error() string { return p.err.Error() }
func (p *placed) Unwrap() error { return p.err }

// cursor reads the tokens of one statement. The first error stays: what is read after it counts for
// nothing.
type cursor struct {
	tokens []token
	last   token // where the statement ends
	err    *placed
}

func newCursor(tokens []token) *cursor {
	last := tokens[len(tokens)-1]
	return &cursor{tokens: tokens, last: token{kind: end, line: last.line, column: last.column + last.width, width: 1}}
}

func (c *cursor) peek() token {
	if len(c.tokens) == 0 || c.err != nil {
		return c.last
	}
	return c.tokens[0]
}

func (c *cursor) next() token {
	t := c.peek()
	if t.kind != end {
		c.tokens = c.tokens[1:]
	}
	return t
}

func (c *cursor) fail(at token, format string, args ...any) {
	if c.err == nil {
		c.err = &placed{at, fmt.Errorf(format, args...)}
	}
}

// take reads a token that must be there.
func (c *cursor) take(text string) {
	if t := c.next(); !t.is(text) {
		c.fail(t, "%s: want %s here", t.shown(), text)
	}
}

// accept reads a token if it is the next.
func (c *cursor) accept(text string) bool {
	if !c.peek().is(text) {
		return false
	}
	c.next()
	return true
}

// of reads a token of a kind.
func (c *cursor) of(k kind, what string) token {
	t := c.next()
	if t.kind != k {
		c.fail(t, "%s: want %s here", t.shown(), what)
	}
	return t
}

// expr reads an expression: a sum of products of powers.
func (c *cursor) expr() expr { return c.binary("+-", func() expr { return c.binary("*/", c.unary) }) }

func (c *cursor) binary(signs string, operand func() expr) expr {
	left := operand()
	for {
		t := c.peek()
		if t.kind != sign || !strings.Contains(signs, t.text) {
			return left
		}
		c.next()
		left = expr{op: t.text[0], args: []expr{left, operand()}, at: t}
	}
}

func (c *cursor) unary() expr {
	if t := c.peek(); t.is("-") {
		c.next()
		return expr{op: '~', args: []expr{c.unary()}, at: t}
	}
	base := c.primary()
	if t := c.peek(); t.is("^") {
		c.next()
		return expr{op: '^', args: []expr{base, c.unary()}, at: t}
	}
	return base
}

func (c *cursor) primary() expr {
	t := c.next()
	switch {
	case t.is("("):
		e := c.expr()
		c.take(")")
		return e
	case t.kind == number:
		v, err := parseNumber(t.text)
		if err != nil {
			c.fail(t, "%s: want a number such as 4.84, 1e-3 or 5%%", t.shown())
		}
		return expr{op: 'n', value: v, at: t}
	case t.kind == word && c.peek().is("("):
		return c.call(t)
	case t.kind == word:
		return expr{op: 'v', name: t.text, at: t}
	}
	c.fail(t, "%s: want a number, a name or a bracket here", t.shown())
	return expr{op: 'n', at: t}
}

func (c *cursor) call(t token) expr {
	f, known := functions[t.text]
	if !known {
		c.fail(t, "unknown function %s, want %s", t.shown(), list(keys(functions)))
	}
	e := expr{op: 'f', name: t.text, at: t}
	c.take("(")
	for c.err == nil {
		e.args = append(e.args, c.expr())
		if !c.accept(",") {
			break
		}
	}
	c.take(")")
	if known && len(e.args) != f.args {
		c.fail(t, "%s takes %d, not %d", t.text, f.args, len(e.args))
	}
	return e
}

// parseNumber reads 4.84, 1_000, 1e-3 and 5%.
func parseNumber(text string) (float64, error) {
	digits, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.ReplaceAll(digits, "_", ""), 64)
	if percent {
		v /= 100
	}
	return v, err
}

func keys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// list writes a, b or c.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// binding is how tightly a sign holds.
var binding = map[byte]int{'+': 1, '-': 1, '*': 2, '/': 2, '~': 3, '^': 4, 'n': 5, 'v': 5, 'f': 5}

// text writes the expression as one would by hand; name says what stands for a name.
func (e *expr) text(name func(string) string) string {
	inner := func(i int, least int) string {
		a := &e.args[i]
		t := a.text(name)
		if binding[a.op] < least || least > 1 && strings.HasPrefix(t, "-") {
			return "(" + t + ")"
		}
		return t
	}
	b := binding[e.op]
	switch e.op {
	case 'n':
		return e.at.text
	case 'v':
		return name(e.name)
	case '~':
		return "-" + inner(0, b)
	case '+':
		return inner(0, b) + " + " + inner(1, b)
	case '-':
		return inner(0, b) + " - " + inner(1, b+1)
	case '*':
		return inner(0, b) + "*" + inner(1, b)
	case '/':
		return inner(0, b) + "/" + inner(1, b+1)
	case '^':
		return inner(0, b+1) + "^" + inner(1, b)
	}
	args := make([]string, len(e.args))
	for i := range e.args {
		args[i] = e.args[i].text(name)
	}
	return e.name + "(" + strings.Join(args, ", ") + ")"
}
