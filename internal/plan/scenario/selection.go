package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"railyard/internal/base/located"
)

// A Selection is some of the hosts, or of the GPUs of a host, as spans in ascending order; nil: all.
type Selection []Span

// Span is numbers from First to Last, counted from 0.
type Span struct{ First, Last int }

// Of returns the numbers below n that are selected, in ascending order.
func (s Selection) Of(n int) []int {
	if s == nil {
		s = Selection{{0, n - 1}}
	}
	var all []int
	for _, p := range s {
		for i := p.First; i <= min(p.Last, n-1); i++ {
			all = append(all, i)
		}
	}
	return all
}

// count returns how many of the numbers below n are selected.
func (s Selection) count(n int) int {
	if s == nil {
		return n
	}
	all := 0
	for _, p := range s {
		all += max(0, min(p.Last, n-1)-p.First+1)
	}
	return all
}

// last is the highest number that is selected, -1 where all are.
func (s Selection) last() int {
	if s == nil {
		return -1
	}
	return s[len(s)-1].Last
}

// maxSpans is how many entries a selection may have.
const maxSpans = 4096

// selection is the kind of lists such as [host1, host3-host5]: a word and a number, from base on.
func selection(word string, base int) *kind[Selection] {
	number := "(0|[1-9][0-9]{0,6})"
	if base == 1 {
		number = "[1-9][0-9]{0,6}"
	}
	name := func(i int) string { return word + strconv.Itoa(i+base) }
	example := fmt.Sprintf("[%s, %s-%s]", name(0), name(2), name(3))
	parse := func(text string) (Span, error) {
		from, to, through := strings.Cut(text, "-")
		first, err := numbered(from, word, base)
		if err != nil {
			return Span{}, fmt.Errorf("%s: want %s, or %s-%s for those from one to the other", located.Shown(text),
				name(0), name(0), name(3))
		}
		if !through {
			return Span{first, first}, nil
		}
		last, err := numbered(to, word, base)
		switch {
		case err != nil:
			return Span{}, fmt.Errorf("%s: want %s-%s for those from one to the other", located.Shown(text), name(0), name(3))
		case last <= first:
			return Span{}, fmt.Errorf("%s: ends where it begins or before it, want %s-%s", text, name(first), name(first+1))
		}
		return Span{first, last}, nil
	}
	return &kind[Selection]{
		traits: traits{
			name: Chosen, want: "a list of " + word + "s such as " + example,
			forms: only(Form{Type: "array", Least: 1, Most: maxSpans,
				Entry: &Form{Type: "string", Pattern: "^" + word + number + "(-" + word + number + ")?$"}}),
			written: "numbered names and spans of them, ascending: " + example,
		},
		list: func(_ *Field, n *node) (s Selection, hint string, err error) {
			if len(n.items) < 1 || len(n.items) > maxSpans {
				return nil, "", fmt.Errorf("%d entries, want 1 to %d", len(n.items), maxSpans)
			}
			for i, item := range n.items {
				wrong := func(err error) error { return &entryError{item.at, fmt.Errorf("entry %d: %w", i+1, err)} }
				if item.shape != scalarShape {
					return nil, "", wrong(fmt.Errorf("%s, want a %s such as %s", item.described(), word, name(0)))
				}
				p, err := parse(item.text)
				if err == nil && i > 0 && p.First <= s.last() {
					err = fmt.Errorf("%s: not after %s, want them ascending", item.text, name(s.last()))
				}
				if err != nil {
					return nil, "", wrong(err)
				}
				s = append(s, p)
			}
			return s, "", nil
		},
		parse: func(f *Field, text string) (Selection, string, error) {
			if text == f.Word {
				return nil, "", nil
			}
			hint := ""
			if _, err := parse(text); err == nil {
				hint = "a list stands in brackets: [" + text + "]"
			}
			return nil, hint, fmt.Errorf("%s: want %s", located.Shown(text), f.want())
		},
		format: func(f *Field, s Selection) string {
			if s == nil {
				return f.Word
			}
			parts := make([]string, len(s))
			for i, p := range s {
				if parts[i] = name(p.First); p.Last > p.First {
					parts[i] += "-" + name(p.Last)
				}
			}
			return "[" + strings.Join(parts, ", ") + "]"
		},
	}
}

// numbered reads a word with a number behind it, counted from base, as the number from 0.
func numbered(text, word string, base int) (int, error) {
	digits, ok := strings.CutPrefix(text, word)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < base || len(digits) > 7 || digits != strconv.Itoa(n) {
		return 0, fmt.Errorf("%s: no %s", text, word)
	}
	return n - base, nil
}
