package formula

import (
	"strconv"
	"strings"

	"railyard/internal/base/unit"
)

// Dim is what a number measures: of two that are compared or added it is the same.
type Dim string

// The dimensions, by the unit in which their values count.
const (
	Plain   Dim = ""    // a count, a part or a figure without a unit
	Time    Dim = "ps"  // unit.Duration
	Bytes   Dim = "B"   // unit.Bytes
	Bitrate Dim = "b/s" // unit.Bitrate
	Length  Dim = "mm"  // unit.Length
)

// dims says of each dimension how its numbers are written.
var dims = []struct {
	dim     Dim
	noun    string
	example string
	parse   func(string) (int64, error)
	print   func(int64) string
}{
	{Time, "a time", "10us",
		func(s string) (int64, error) { v, err := unit.ParseDuration(s); return int64(v), err },
		func(v int64) string { return unit.Duration(v).String() }},
	{Bytes, "bytes", "4MB",
		func(s string) (int64, error) { v, err := unit.ParseBytes(s); return int64(v), err },
		func(v int64) string { return unit.Bytes(v).String() }},
	{Bitrate, "a rate", "400Gb/s",
		func(s string) (int64, error) { v, err := unit.ParseBitrate(s); return int64(v), err },
		func(v int64) string { return unit.Bitrate(v).String() }},
	{Length, "a length", "20m",
		func(s string) (int64, error) { v, err := unit.ParseLength(s); return int64(v), err },
		func(v int64) string { return unit.Length(v).String() }},
}

// noun says what a dimension is, with an example.
func (d Dim) noun() (noun, example string) {
	for _, k := range dims {
		if k.dim == d {
			return k.noun, k.example
		}
	}
	return "a number without a unit", "4"
}

// Quantity is a number with its dimension.
type Quantity struct {
	Value float64
	Dim   Dim
}

// ParseQuantity reads 4, 0.5, 5%, 10us, 4MB or 400Gb/s; false if the text is none of them.
func ParseQuantity(text string) (Quantity, bool) {
	text = strings.TrimSpace(text)
	if v, err := parseNumber(text); err == nil {
		return Quantity{v, Plain}, true
	}
	for _, k := range dims {
		if v, err := k.parse(text); err == nil {
			return Quantity{float64(v), k.dim}, true
		}
	}
	return Quantity{}, false
}

// Text writes the quantity as ParseQuantity reads it, a dimension's to its smallest unit.
func (q Quantity) Text() string {
	for _, k := range dims {
		if k.dim == q.Dim {
			return k.print(int64(q.Value))
		}
	}
	return strconv.FormatFloat(q.Value, 'g', -1, 64)
}

// parseNumber is ParseNumber without what only Go reads as one: inf, nan, 0x1p4.
func parseNumber(text string) (float64, error) {
	if text == "" || strings.Trim(text, "0123456789+-.eE_%") != "" {
		return 0, strconv.ErrSyntax
	}
	return ParseNumber(text)
}

// withUnit reads the unit that stands right behind a number, of a cursor that knows units.
func (c *Cursor) withUnit(number Token) (e Expr, ok bool) {
	at, text := number, number.Text
	var found Quantity
	n := 0
	for i, t := range c.tokens {
		if t.Line != number.Line || t.Column != at.Column+at.Width || i > 2 || t.Kind != Word && !t.Is("/") {
			break
		}
		text, at = text+t.Text, Token{Column: at.Column, Width: at.Width + t.Width}
		if q, is := ParseQuantity(text); is {
			found, n = q, i+1
			number.Text, number.Width = text, at.Width
		}
	}
	if n == 0 || c.Err != nil {
		return e, false
	}
	c.tokens = c.tokens[n:]
	return Expr{Op: 'n', Value: found.Value, Dim: found.Dim, At: number}, true
}

// dim works out what an expression measures, and refuses a sum of what does not belong together. Zero is zero of
// everything.
func (e *Expr) dim(of func(name string) (Dim, error)) (Dim, error) {
	switch e.Op {
	case 'n':
		return e.Dim, nil
	case 'v':
		d, err := of(e.Name)
		if err != nil {
			return "", &Placed{e.At, err}
		}
		return d, nil
	}
	args := make([]Dim, len(e.Args))
	for i := range e.Args {
		d, err := e.Args[i].dim(of)
		if err != nil {
			return "", err
		}
		args[i] = d
	}
	switch {
	case e.Op == '~' || e.Op == 'f' && keepsDim[e.Name] && len(args) == 1:
		return args[0], nil
	case e.Op == '+' || e.Op == '-' || e.Op == 'f' && keepsDim[e.Name]:
		return same(e.At, &e.Args[0], &e.Args[1], args[0], args[1])
	case e.Op == '*' && (args[0] == Plain || args[1] == Plain):
		return args[0] + args[1], nil
	case e.Op == '/' && args[1] == Plain:
		return args[0], nil
	case e.Op == '/' && args[0] == args[1]:
		return Plain, nil
	}
	for i, d := range args {
		if d != Plain {
			noun, _ := d.noun()
			return "", &Placed{e.Args[i].first(), unlike("%s here, want a number without a unit", noun)}
		}
	}
	return Plain, nil
}

// keepsDim has the functions whose value measures what their arguments do.
var keepsDim = map[string]bool{"abs": true, "min": true, "max": true}

// same is the dimension of two that are compared or added.
func same(at Token, a, b *Expr, x, y Dim) (Dim, error) {
	switch {
	case x == y:
		return x, nil
	case a.zero():
		return y, nil
	case b.zero():
		return x, nil
	}
	first, example := x.noun()
	second, _ := y.noun()
	if y == Plain && b.Op == 'n' {
		return "", &Placed{b.first(), unlike("%s: no unit, want %s such as %s", b.At.Text, first, example)}
	}
	return "", &Placed{at, unlike("%s and %s cannot be held against each other", first, second)}
}

func (e *Expr) zero() bool { return e.Op == 'n' && e.Value == 0 && e.Dim == Plain }

// first is where an expression begins, for a message.
func (e *Expr) first() Token {
	for len(e.Args) > 0 && e.Op != 'f' && e.Op != '~' {
		e = &e.Args[0]
	}
	return e.At
}
