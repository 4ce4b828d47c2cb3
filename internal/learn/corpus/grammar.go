package corpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"railyard/internal/base/located"
)

// Bounds of a grammar.
const (
	MaxGrammar  = 1 << 20 // bytes of its file
	maxRules    = 1000
	maxSymbols  = 10_000 // of all alternatives
	maxWeight   = 1_000_000
	maxExpected = 1000    // words of a sentence, on average
	maxReadings = 4096    // ways in which a name may begin, and in which a text may be read
	maxStacks   = 1 << 20 // words and names that are left after the beginnings of all rules
)

// A Grammar draws sentences. Its file has a rule for each name, the first for a sentence:
//
//	# Names begin with a capital letter, words do not, or stand in quotes.
//	Sentence -> Noun sleeps . | 3: "I" see Noun .
//	Noun     -> the dog
//	          | the cat
//
// Alternatives stand between bars and are drawn with their weights, 1 where there is none. A
// sentence is its words with a space between them, and a line end.
type Grammar struct {
	rules []rule // the first is that of a sentence
	words []string
}

type rule struct {
	name   string
	at     located.Problem // where it stands
	weight int64           // of all alternatives
	any    []alternative
}

type alternative struct {
	weight  int64
	symbols []symbol
	at      located.Problem
}

// A symbol is the index of a word or, below 0, ^ the index of a rule.
type symbol int32

func (s symbol) rule() (index int, ok bool) { return int(^s), s < 0 }

// grammarReader reads a grammar's file.
type grammarReader struct {
	g        Grammar
	name     string
	line     int
	rules    map[string]int    // by name
	words    map[string]symbol // by word
	used     []use
	symbols  int
	arrow    bool // some line has that of a rule
	problems located.Problems
}

// use is where a name is used: it may be defined later.
type use struct {
	name         string
	at           located.Problem
	rule, any, i int // of the rule, the alternative and the symbol
}

// ReadGrammar reads a grammar from its text. The error is located.Problems: all that is wrong.
func ReadGrammar(name string, src []byte) (*Grammar, error) {
	if len(src) > MaxGrammar {
		return nil, located.Problems{{File: name, Message: fmt.Sprintf("%d bytes, want at most %d", len(src), MaxGrammar)}}
	}
	t, err := Read(name, src)
	if err != nil {
		return nil, err
	}
	r := &grammarReader{name: name, rules: map[string]int{}, words: map[string]symbol{}}
	for line := range strings.SplitSeq(t.Text, "\n") {
		if r.line++; r.problems.Full() {
			break
		}
		r.read(line)
	}
	if !r.arrow && len(r.problems) > 0 { // it may be any file: no word of it is shown, and no line
		return nil, located.Problems{{File: name, Message: "holds no rule, want lines such as Sentence -> the dog sleeps ."}}
	}
	r.resolve()
	if len(r.problems) == 0 {
		r.check()
	}
	if len(r.problems) > 0 {
		return nil, r.problems.Sorted()
	}
	return &r.g, nil
}

func (r *grammarReader) at(w located.Word) located.Problem {
	return located.Problem{File: r.name, Line: r.line, Column: max(w.Column, 1), Width: max(w.Width(), 1)}
}

func (r *grammarReader) fail(at located.Problem, format string, args ...any) {
	at.Message = fmt.Sprintf(format, args...)
	r.problems = append(r.problems, at)
}

// read takes one line: a rule, or more alternatives of the one before.
func (r *grammarReader) read(line string) {
	words := located.AppendWords(nil, line)
	if i := slices.IndexFunc(words, func(w located.Word) bool { return strings.HasPrefix(w.Text, "#") }); i >= 0 {
		words = words[:i]
	}
	r.arrow = r.arrow || len(words) > 1 && words[1].Text == "->"
	switch {
	case len(words) == 0:
	case words[0].Text == "|":
		if len(r.g.rules) == 0 {
			r.fail(r.at(words[0]), "an alternative without a rule, want a line such as Sentence -> the dog sleeps .")
			return
		}
		r.alternatives(words[1:], words[0])
	case len(words) < 2 || words[1].Text != "->":
		r.fail(r.at(words[0]), "%s: want a rule such as Sentence -> the dog sleeps . or, to go on with the one before, a bar",
			located.Shown(words[0].Text))
	case !isName(words[0].Text):
		r.fail(r.at(words[0]), "%s: want a name that begins with a capital letter", located.Shown(words[0].Text))
	default:
		r.rule(words[0])
		r.alternatives(words[2:], words[1])
	}
}

func isName(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first)
}

// rule begins one. A second of the same name is reported, and read for what is wrong in it.
func (r *grammarReader) rule(w located.Word) {
	switch first, twice := r.rules[w.Text]; {
	case twice:
		r.fail(r.at(w), "%s has a rule on line %d, want one for each name: go on with it after a bar", located.Shown(w.Text),
			r.g.rules[first].at.Line)
	case len(r.g.rules) == maxRules:
		r.fail(r.at(w), "rule %d, want at most %d", maxRules+1, maxRules)
	default:
		r.rules[w.Text] = len(r.g.rules)
	}
	r.g.rules = append(r.g.rules, rule{name: w.Text, at: r.at(w)})
}

// alternatives reads what stands between bars after the word before.
func (r *grammarReader) alternatives(words []located.Word, before located.Word) {
	for {
		bar := slices.IndexFunc(words, func(w located.Word) bool { return w.Text == "|" })
		if bar < 0 {
			r.alternative(words, before)
			return
		}
		r.alternative(words[:bar], before)
		before, words = words[bar], words[bar+1:]
	}
}

func (r *grammarReader) alternative(words []located.Word, before located.Word) {
	a := alternative{weight: 1, at: r.at(before)}
	if len(words) > 0 {
		a.at = r.at(words[0])
		if digits, ok := strings.CutSuffix(words[0].Text, ":"); ok && digits != "" {
			n, err := strconv.ParseInt(digits, 10, 64)
			if err != nil || n < 1 || n > maxWeight {
				r.fail(a.at, "weight %s, want a whole number from 1 to %d", located.Shown(digits), maxWeight)
				n = 1
			}
			a.weight, words = n, words[1:]
		}
	}
	if len(words) == 0 {
		r.fail(a.at, "an alternative without a word, want at least one")
		return
	}
	if r.symbols += len(words); r.symbols > maxSymbols {
		if r.symbols-len(words) <= maxSymbols {
			r.fail(a.at, "more than %d words and names in all alternatives, want at most that", maxSymbols)
		}
		return
	}
	a.symbols = make([]symbol, len(words))
	last := &r.g.rules[len(r.g.rules)-1]
	last.weight += a.weight
	for i, w := range words {
		a.symbols[i] = r.symbol(w, len(r.g.rules)-1, len(last.any), i)
	}
	last.any = append(last.any, a)
}

// symbol is that of a word; of a name it is known when all rules are.
func (r *grammarReader) symbol(w located.Word, rule, any, i int) symbol {
	text := w.Text
	if isName(text) {
		r.used = append(r.used, use{text, r.at(w), rule, any, i})
		return 0
	}
	if bare, ok := strings.CutPrefix(text, `"`); ok {
		if bare, ok = strings.CutSuffix(bare, `"`); !ok || bare == "" || strings.Contains(bare, `"`) {
			r.fail(r.at(w), "%s: want a word between quotes", located.Shown(text))
			return 0
		}
		text = bare
	}
	if strings.TrimSpace(text) == "" { // a no-break space, say: no piece of a text
		r.fail(r.at(w), "%s: is blank, want a word", located.Shown(text))
		return 0
	}
	s, known := r.words[text]
	if !known {
		s = symbol(len(r.g.words))
		r.words[text], r.g.words = s, append(r.g.words, text)
	}
	return s
}

// resolve finds the rules of the names.
func (r *grammarReader) resolve() {
	if len(r.g.rules) == 0 && len(r.problems) == 0 {
		r.problems = append(r.problems, located.Problem{File: r.name,
			Message: "no rule, want a line such as Sentence -> the dog sleeps ."})
	}
	for _, u := range r.used {
		i, ok := r.rules[u.name]
		if !ok {
			r.fail(u.at, "%s has no rule, want one, or the word in quotes", located.Shown(u.name))
			continue
		}
		r.g.rules[u.rule].any[u.any].symbols[u.i] = ^symbol(i)
	}
}

// check reports rules that no sentence uses, that begin with themselves, and that do not end.
func (r *grammarReader) check() {
	g := &r.g
	if reached := g.reached(); len(reached) < len(g.rules) {
		for i := range g.rules {
			if !reached[i] {
				r.fail(g.rules[i].at, "%s is used by no sentence: want it in %s or in what that uses",
					located.Shown(g.rules[i].name), g.rules[0].name)
			}
		}
	}
	r.leftmost()
	if len(r.problems) > 0 {
		return
	}
	if n, most := g.expected(); n > maxExpected {
		r.fail(g.rules[most].at, "%s: its words are more than %d on average, or never end: want smaller weights for what "+
			"holds it again", located.Shown(g.rules[most].name), maxExpected)
	}
}

// reached are the rules that a sentence may use.
func (g *Grammar) reached() map[int]bool {
	all := map[int]bool{0: true}
	for next := []int{0}; len(next) > 0; {
		i := next[0]
		next = next[1:]
		for _, a := range g.rules[i].any {
			for _, s := range a.symbols {
				if j, ok := s.rule(); ok && !all[j] {
					all[j], next = true, append(next, j)
				}
			}
		}
	}
	return all
}

// leftmost reports rules that may begin with themselves, and those that may begin in too many ways.
func (r *grammarReader) leftmost() {
	const open, done = 1, 2
	state := make([]int, len(r.g.rules))
	ways := make([]int, len(r.g.rules))
	stacks := make([]int, len(r.g.rules)) // symbols that are left after all ways
	total := 0
	var visit func(i int)
	visit = func(i int) {
		state[i] = open
		for _, a := range r.g.rules[i].any {
			j, ok := a.symbols[0].rule()
			if !ok {
				ways[i]++
				stacks[i] += len(a.symbols) - 1
				continue
			}
			switch state[j] {
			case open:
				r.fail(a.at, "%s may begin with itself by way of this, want a word before it comes again",
					located.Shown(r.g.rules[j].name))
			case 0:
				visit(j)
			}
			ways[i] = min(ways[i]+ways[j], maxReadings+1)
			stacks[i] = min(stacks[i]+stacks[j]+ways[j]*(len(a.symbols)-1), maxStacks+1)
		}
		state[i] = done
		switch total += stacks[i]; {
		case ways[i] > maxReadings:
			r.fail(r.g.rules[i].at, "%s may begin in more than %d ways, want at most that", located.Shown(r.g.rules[i].name),
				maxReadings)
		case total > maxStacks && total-stacks[i] <= maxStacks:
			r.fail(r.g.rules[i].at, "%s and the rules before it may begin in ways that leave more than %d words and names, "+
				"want at most that", located.Shown(r.g.rules[i].name), maxStacks)
		}
	}
	for i := range r.g.rules {
		if state[i] == 0 {
			visit(i)
		}
	}
}

// expected is how many words the longest rule has on average, and which that is. The sums rise to it
// from below; they stop early where they pass the bound, or do not settle.
func (g *Grammar) expected() (words float64, longest int) {
	const rounds = 5000
	now, next := make([]float64, len(g.rules)), make([]float64, len(g.rules))
	for range rounds {
		grew := 0.0
		words = 0
		for i := range g.rules {
			next[i] = g.rules[i].length(now)
			grew = max(grew, next[i]-now[i])
			if next[i] > words {
				words, longest = next[i], i
			}
		}
		now, next = next, now
		if grew < 1e-9 || words > maxExpected {
			return words, longest
		}
	}
	return maxExpected + 1, longest
}

// length is how many words the rule has on average, if those of all rules are so many.
func (r *rule) length(of []float64) (sum float64) {
	for _, a := range r.any {
		n := 0.0
		for _, s := range a.symbols {
			if i, ok := s.rule(); ok {
				n += of[i]
			} else {
				n++
			}
		}
		sum += float64(float64(a.weight) * n)
	}
	return sum / float64(r.weight)
}
