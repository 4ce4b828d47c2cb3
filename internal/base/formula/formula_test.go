package formula

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
)

// world has what names stand for in the scripts.
type world struct {
	scripttest.Log
	values map[string]Quantity
}

func TestScripts(t *testing.T) {
	scripttest.Run(t, func(*testing.T) scripttest.Stage { return &world{values: map[string]Quantity{}} })
}

func (w *world) Do(command []string) {
	rest := strings.Join(command[1:], " ")
	switch command[0] {
	case "let": // let NAME VALUE
		q, ok := ParseQuantity(command[2])
		if !ok {
			fmt.Fprintf(w, "%s: no quantity\n", command[2])
			return
		}
		w.values[command[1]] = q
	case "if": // if CONDITION
		k, err := ParseCondition(rest)
		if err == nil {
			err = k.Check(func(name string) (Dim, error) {
				q, err := w.of(name)
				return q.Dim, err
			})
		}
		if err != nil {
			fmt.Fprintf(w, "column %d to %d: %v\n", err.At.Column, err.At.Column+err.At.Width-1, err)
			return
		}
		holds, wrong := k.Holds(func(name string) (float64, error) {
			q, err := w.of(name)
			return q.Value, err
		})
		if wrong != nil {
			fmt.Fprintln(w, wrong)
			return
		}
		fmt.Fprintln(w, holds)
	case "range": // range TEXT
		r, err := ParseRange(rest)
		if err != nil {
			fmt.Fprintln(w, err)
			return
		}
		values, err := r.Values()
		if err != nil {
			fmt.Fprintln(w, err)
			return
		}
		fmt.Fprintln(w, strings.Join(values, " "))
	case "work": // work EXPRESSION: its value, and what it is
		w.work(rest)
	case "names": // names CONDITION: those that it uses, by column
		k, err := ParseCondition(rest)
		if err != nil {
			fmt.Fprintln(w, err)
			return
		}
		k.Names(func(name string, at Token) { fmt.Fprintf(w, "%d: %s\n", at.Column, name) })
	case "cut": // cut TEXT: its tokens
		tokens, ps := Tokens(rest, 3)
		for _, t := range tokens {
			fmt.Fprintf(w, "%d:%d+%d: %s %s\n", t.Line, t.Column, t.Width, kinds[t.Kind], t.Shown())
		}
		for _, p := range ps {
			fmt.Fprintf(w, "%d:%d+%d: %s\n", p.Line, p.Column, p.Width, p.Message)
		}
	case "middle": // middle TEXT: what lies halfway
		r, err := ParseRange(rest)
		fmt.Fprintln(w, r.At(0), r.At(0.5), r.At(1), err)
	default:
		fmt.Fprintln(w, "unknown command", command[0])
	}
}

var kinds = [...]string{End: "end", Word: "word", Number: "number", Quoted: "quoted", Sign: "sign"}

// work reads an expression as labs do: without units, up to the end of the line.
func (w *world) work(text string) {
	tokens, ps := Tokens(text, 1)
	if len(ps) > 0 || len(tokens) == 0 {
		fmt.Fprintln(w, "no tokens", ps)
		return
	}
	c := NewCursor(tokens)
	e := c.Expr()
	if c.Err == nil && c.Peek().Kind != End {
		c.Of(End, "the end")
	}
	if c.Err != nil {
		fmt.Fprintf(w, "column %d: %v\n", c.Err.At.Column, c.Err)
		return
	}
	v, err := e.Eval(func(name string) (float64, error) {
		q, err := w.of(name)
		return q.Value, err
	})
	if err != nil {
		p := new(Placed)
		if !errors.As(err, &p) {
			fmt.Fprint(w, "nowhere: ")
		}
		fmt.Fprintf(w, "column %d: %v\n", p.At.Column, err)
		return
	}
	more := ""
	if e.Literal() {
		more = ", one number"
	}
	if e.Percent() {
		more += " of a hundred"
	}
	fmt.Fprintf(w, "%.10g%s\n", v, more)
}

func (w *world) of(name string) (Quantity, error) {
	q, ok := w.values[name]
	if !ok {
		return q, fmt.Errorf("unknown name %s", name)
	}
	return q, nil
}

// Hostile text is an error at a place in it; what is read is worked out or told.
func FuzzCondition(f *testing.F) {
	for _, s := range []string{"drops == 0", "step_time < 10us and mfu > 40%", "((1))<2 or a=b", "-1^-2>=min(3MB, 4kB)", "1Gb/s<2",
		"2..64 log 6", "100us..1ms 10", "0.1..0.9 3", "1MB..4MB step 512kB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		k, err := ParseCondition(text)
		if err == nil {
			dims := func(name string) (Dim, error) { return Plain, nil }
			if k.Check(dims) == nil {
				k.Holds(func(string) (float64, error) { return 3, nil }) //nolint:errcheck // a division by 0 is one
			}
		} else if err.At.Column < 1 || err.Error() == "" {
			t.Errorf("%q: no place: %+v", text, err)
		}
		r, wrong := ParseRange(text)
		if wrong != nil {
			return
		}
		values, wrong := r.Values()
		for _, v := range append(values, r.At(0.5)) {
			if _, ok := ParseQuantity(v); !ok {
				t.Errorf("%q: %s cannot be read, %v", text, v, wrong)
			}
		}
	})
}

// What is no number is told with what it is of, six digits each.
func TestNumbersOfAnErrorAreShort(t *testing.T) {
	if got := numbers([]float64{1.0 / 3, 2e10, -4}); got != "0.333333 and 2e+10 and -4" {
		t.Error(got)
	}
}
