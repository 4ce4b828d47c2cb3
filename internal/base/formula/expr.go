package formula

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
)

// Expr is an expression: numbers, names, + - * / ^, brackets and functions.
type Expr struct {
	Op    byte // 'n' number, 'v' name, 'f' function, '~' minus sign, or + - * / ^
	Value float64
	Name  string
	Args  []Expr
	Dim   Dim // of a number
	At    Token
}

// Literal reports whether the expression is one number as it stands.
func (e *Expr) Literal() bool { return e.Op == 'n' || e.Op == '~' && e.Args[0].Op == 'n' }

// Percent reports whether it is one number with a percent sign.
func (e *Expr) Percent() bool { return e.Op == 'n' && strings.HasSuffix(e.At.Text, "%") }

// Names calls visit with every name that the expression uses.
func (e *Expr) Names(visit func(name string, at Token)) {
	if e.Op == 'v' {
		visit(e.Name, e.At)
	}
	for i := range e.Args {
		e.Args[i].Names(visit)
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

// Functions lists the names of what an expression may call.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }

// Eval returns the value of an expression. The error has the place.
func (e *Expr) Eval(of func(name string) (float64, error)) (float64, error) {
	switch e.Op {
	case 'n':
		return e.Value, nil
	case 'v':
		v, err := of(e.Name)
		if err != nil {
			return 0, &Placed{e.At, err}
		}
		return v, nil
	}
	x := make([]float64, len(e.Args))
	for i := range e.Args {
		v, err := e.Args[i].Eval(of)
		if err != nil {
			return 0, err
		}
		x[i] = v
	}
	v := 0.0
	switch e.Op {
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
		v = functions[e.Name].of(x)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, &Placed{e.At, fmt.Errorf("this is no number: %s of %s", located.Shown(e.At.Text), numbers(x))}
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

// Placed is an error at a token.
type Placed struct {
	At  Token
	Err error
}

func (p *Placed) Error() string { return p.Err.Error() }
func (p *Placed) Unwrap() error { return p.Err }

// Cursor reads the tokens of one statement. The first error stays: what is read after it counts for
// nothing.
type Cursor struct {
	tokens []Token
	last   Token // where the statement ends
	depth  int   // of brackets and signs
	Err    *Placed
	Units  bool // a number may have one right behind it: 10us
}

// maxDepth bounds brackets within brackets.
const maxDepth = 100

// NewCursor reads tokens, of which there is at least one.
func NewCursor(tokens []Token) *Cursor {
	last := tokens[len(tokens)-1]
	return &Cursor{tokens: tokens, last: Token{Kind: End, Line: last.Line, Column: last.Column + last.Width, Width: 1}}
}

// Peek returns the next token, Next reads it.
func (c *Cursor) Peek() Token {
	if len(c.tokens) == 0 || c.Err != nil {
		return c.last
	}
	return c.tokens[0]
}

// Next reads a token: the end again and again where there is none.
func (c *Cursor) Next() Token {
	t := c.Peek()
	if t.Kind != End {
		c.tokens = c.tokens[1:]
	}
	return t
}

// Fail keeps the first error, at a token.
func (c *Cursor) Fail(at Token, format string, args ...any) {
	if c.Err == nil {
		c.Err = &Placed{at, fmt.Errorf(format, args...)}
	}
}

// Take reads a token that must be there.
func (c *Cursor) Take(text string) {
	if t := c.Next(); !t.Is(text) {
		c.Fail(t, "%s: want %s here", t.Shown(), text)
	}
}

// Accept reads a token if it is the next.
func (c *Cursor) Accept(text string) bool {
	if !c.Peek().Is(text) {
		return false
	}
	c.Next()
	return true
}

// Of reads a token of a kind.
func (c *Cursor) Of(k Kind, what string) Token {
	t := c.Next()
	if t.Kind != k {
		c.Fail(t, "%s: want %s here", t.Shown(), what)
	}
	return t
}

// Expr reads an expression: a sum of products of powers.
func (c *Cursor) Expr() Expr { return c.binary("+-", func() Expr { return c.binary("*/", c.unary) }) }

func (c *Cursor) binary(signs string, operand func() Expr) Expr {
	left := operand()
	for {
		t := c.Peek()
		if t.Kind != Sign || !strings.Contains(signs, t.Text) {
			return left
		}
		c.Next()
		left = Expr{Op: t.Text[0], Args: []Expr{left, operand()}, At: t}
	}
}

func (c *Cursor) unary() Expr {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxDepth {
		c.Fail(c.Peek(), "more than %d brackets and signs within each other", maxDepth)
	}
	if t := c.Peek(); t.Is("-") {
		c.Next()
		return Expr{Op: '~', Args: []Expr{c.unary()}, At: t}
	}
	base := c.primary()
	if t := c.Peek(); t.Is("^") {
		c.Next()
		return Expr{Op: '^', Args: []Expr{base, c.unary()}, At: t}
	}
	return base
}

func (c *Cursor) primary() Expr {
	t := c.Next()
	switch {
	case t.Is("("):
		e := c.Expr()
		c.Take(")")
		return e
	case t.Kind == Number:
		if c.Units {
			if e, ok := c.withUnit(t); ok {
				return e
			}
		}
		v, err := ParseNumber(t.Text)
		if err != nil {
			c.Fail(t, "%s: want a number such as 4.84, 1e-3 or 5%%", t.Shown())
		}
		return Expr{Op: 'n', Value: v, At: t}
	case t.Kind == Word && c.Peek().Is("("):
		return c.call(t)
	case t.Kind == Word:
		return Expr{Op: 'v', Name: t.Text, At: t}
	}
	c.Fail(t, "%s: want a number, a name or a bracket here", t.Shown())
	return Expr{Op: 'n', At: t}
}

func (c *Cursor) call(t Token) Expr {
	f, known := functions[t.Text]
	if !known {
		c.Fail(t, "unknown function %s, want %s", t.Shown(), located.OneOf(Functions()))
	}
	e := Expr{Op: 'f', Name: t.Text, At: t}
	c.Take("(")
	for c.Err == nil {
		e.Args = append(e.Args, c.Expr())
		if !c.Accept(",") {
			break
		}
	}
	c.Take(")")
	if known && len(e.Args) != f.args {
		c.Fail(t, "%s takes %d, not %d", t.Text, f.args, len(e.Args))
	}
	return e
}

// ParseNumber reads 4.84, 1_000, 1e-3 and 5%.
func ParseNumber(text string) (float64, error) {
	digits, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.ReplaceAll(digits, "_", ""), 64)
	if percent {
		v /= 100
	}
	return v, err
}

// binding is how tightly a sign holds.
var binding = map[byte]int{'+': 1, '-': 1, '*': 2, '/': 2, '~': 3, '^': 4, 'n': 5, 'v': 5, 'f': 5}

// Text writes the expression as one would by hand; name says what stands for a name.
func (e *Expr) Text(name func(string) string) string {
	inner := func(i int, least int) string {
		a := &e.Args[i]
		t := a.Text(name)
		if binding[a.Op] < least || least > 1 && strings.HasPrefix(t, "-") {
			return "(" + t + ")"
		}
		return t
	}
	b := binding[e.Op]
	switch e.Op {
	case 'n':
		return e.At.Text
	case 'v':
		return name(e.Name)
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
	args := make([]string, len(e.Args))
	for i := range e.Args {
		args[i] = e.Args[i].Text(name)
	}
	return e.Name + "(" + strings.Join(args, ", ") + ")"
}
