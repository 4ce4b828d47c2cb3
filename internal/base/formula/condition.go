package formula

import (
	"errors"
	"fmt"
	"math"
)

// Condition is comparisons joined by or, each of which is comparisons joined by and.
type Condition struct {
	any [][]comparison
}

// comparison is two expressions and how they must stand to each other.
type comparison struct {
	left, right Expr
	sign        string // < > <= >= = !=
	at          Token
}

// Condition reads comparisons, as long as they are joined.
func (c *Cursor) Condition() *Condition {
	k := &Condition{}
	for {
		all := []comparison{c.comparison()}
		for c.Accept("and") {
			all = append(all, c.comparison())
		}
		k.any = append(k.any, all)
		if !c.Accept("or") {
			return k
		}
	}
}

func (c *Cursor) comparison() comparison {
	k := comparison{left: c.Expr()}
	t := c.Next()
	k.at = t
	switch k.sign = t.Text; {
	case t.Is("<") || t.Is(">"):
		if c.Accept("=") {
			k.sign += "="
		}
	case t.Is("!"):
		c.Take("=")
		k.sign = "!="
	case t.Is("="):
		c.Accept("=") // == is = twice
	default:
		c.Fail(t, "%s: want < > <= >= = or != here", t.Shown())
	}
	k.right = c.Expr()
	return k
}

// Holds works a condition out. Numbers that differ by less than the slack of an expectation are equal. All of it is
// worked out, so that a name that nobody knows is told.
func (k *Condition) Holds(value func(name string) (float64, error)) (bool, error) {
	any := false
	for _, all := range k.any {
		each := true
		for i := range all {
			a, err := all[i].left.Eval(value)
			if err != nil {
				return false, err
			}
			b, err := all[i].right.Eval(value)
			if err != nil {
				return false, err
			}
			slack := 1e-9 * math.Max(math.Abs(a), math.Abs(b))
			less, more := a < b-slack, a > b+slack
			each = each && map[string]bool{"<": less, ">": more, "<=": !more, ">=": !less, "=": !less && !more,
				"!=": less || more}[all[i].sign]
		}
		any = any || each
	}
	return any, nil
}

// Check refuses what cannot be worked out: of says what a name measures, or that there is none.
func (k *Condition) Check(of func(name string) (Dim, error)) *Placed {
	for _, all := range k.any {
		for i := range all {
			c := &all[i]
			x, err := c.left.dim(of)
			if err == nil {
				var y Dim
				if y, err = c.right.dim(of); err == nil {
					_, err = same(c.at, &c.left, &c.right, x, y)
				}
			}
			var p *Placed
			if errors.As(err, &p) {
				return p
			}
		}
	}
	return nil
}

// Names calls visit with every name that the condition uses.
func (k *Condition) Names(visit func(name string, at Token)) {
	for _, all := range k.any {
		for i := range all {
			all[i].left.Names(visit)
			all[i].right.Names(visit)
		}
	}
}

// ParseCondition reads a condition that stands alone in one line. Numbers may have units.
func ParseCondition(text string) (*Condition, *Placed) {
	c, err := alone(text, "want a condition such as drops == 0 or step_time < 10ms")
	if err != nil {
		return nil, err
	}
	k := c.Condition()
	if t := c.Peek(); c.Err == nil && t.Kind != End {
		c.Fail(t, "%s: the condition ends before this; join two with and, or", t.Shown())
	}
	return k, c.Err
}

// alone is a cursor over one line, which knows units.
func alone(text, want string) (*Cursor, *Placed) {
	tokens, ps := Tokens(text, 1)
	switch {
	case len(ps) > 0:
		return nil, &Placed{Token{Line: 1, Column: ps[0].Column, Width: ps[0].Width}, errors.New(ps[0].Message)}
	case len(tokens) == 0:
		return nil, &Placed{Token{Line: 1, Column: 1, Width: 1}, errors.New(want)}
	}
	c := NewCursor(tokens)
	c.Units = true
	return c, nil
}

func unlike(format string, args ...any) error { return fmt.Errorf(format, args...) }
