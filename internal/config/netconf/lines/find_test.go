package lines_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/lines"
)

// A line is played by the first rule of all that it matches, of the innermost block that has one: as if it were held against
// each in turn. Words with capitals and those with * stand among the rules of other words, and keep their place.
func TestTheFirstRuleThatMatches(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "ab", "ANY", "a*", "b*", "WORD"})
	pattern := rapid.Custom(func(t *rapid.T) string {
		all := rapid.SliceOfN(word, 1, 3).Draw(t, "words")
		if rapid.IntRange(0, 5).Draw(t, "rest") == 0 {
			all = append(all, "TEXT...")
		}
		return strings.Join(all, " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		var got []string
		block := func(name string) *lines.Block[*int] {
			b := &lines.Block[*int]{Known: rapid.SliceOfN(pattern, 0, 3).Draw(t, "known")}
			for i, p := range rapid.SliceOfN(pattern, 0, 6).Draw(t, "rules") {
				b.Rules = append(b.Rules, lines.Rule[*int]{Pattern: p, Do: func(_ *int, l *lines.Line) error {
					got = append(got, fmt.Sprint(name, i, l.Args))
					return nil
				}})
			}
			return b
		}
		outer, inner := block("outer"), block("inner")
		outer.Rules = append([]lines.Rule[*int]{{Pattern: "open", Enter: inner}}, outer.Rules...)
		line := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "ba", "c"}), 1, 4).Draw(t, "line"), " ")
		})
		for _, l := range rapid.SliceOfN(line, 1, 8).Draw(t, "lines") {
			got = nil
			p := &netconf.Parsed{}
			lines.Read(p, "f", []byte("open\n"+l+"\n"), "!", outer, new(int))
			want, known := byTurns(l, []*lines.Block[*int]{inner, outer}, []string{"inner", "outer"})
			if fmt.Sprint(got) != fmt.Sprint(want) || p.Lines.Known != known {
				t.Fatalf("%q: %v, known %d; want %v, %d\n%+v\n%+v", l, got, p.Lines.Known, want, known, inner, outer)
			}
		}
	})
}

// byTurns holds a line against all patterns, one after the other.
func byTurns(line string, blocks []*lines.Block[*int], names []string) (did []string, known int) {
	words := strings.Fields(line)
	match := func(pattern string, begins bool) (args []string, ok bool) {
		pat := strings.Fields(pattern)
		for i, p := range pat {
			switch {
			case i >= len(words):
				return nil, false
			case p == "TEXT...":
				return append(args, strings.Join(words[i:], " ")), true
			case p == "ANY" || p == "WORD" || strings.HasSuffix(p, "*") && strings.HasPrefix(words[i], p[:1]):
				args = append(args, words[i])
			case p != words[i]:
				return nil, false
			}
		}
		return args, begins || len(pat) == len(words)
	}
	for k, b := range blocks {
		for i := range b.Rules {
			if b.Rules[i].Do == nil { // opens the inner block: no line here says so
				continue
			}
			if args, ok := match(b.Rules[i].Pattern, false); ok {
				if names[k] == "outer" {
					i--
				}
				return []string{fmt.Sprint(names[k], i, args)}, 0
			}
		}
		for _, prefix := range b.Known {
			if _, ok := match(prefix, true); ok {
				return nil, 1
			}
		}
	}
	return nil, 0
}
