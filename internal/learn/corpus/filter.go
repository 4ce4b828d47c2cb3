package corpus

import (
	"encoding/binary"
	"fmt"
)

// A machine is a grammar over the tokens of a vocabulary.
//
// A reading is a stack of what the sentence still has to give: tokens and, below 0, rules; its last
// element comes next. first has for each rule what its place on a stack may become, such that a
// token comes next.
type machine struct {
	first [][]reading
	begin []reading // of a sentence
}

// A reading is one way to understand a text so far, with its probability.
type reading struct {
	stack []int32
	p     float64
}

// compile turns words into tokens, and expands the leftmost symbol of every rule: it ends, as no
// rule begins with itself.
func (g *Grammar) compile(v *Vocabulary) *machine {
	m := &machine{first: make([][]reading, len(g.rules))}
	spelled := make([][]int32, len(g.words)) // last token first
	for i, w := range g.words {
		if v.By == Characters {
			w = " " + w
		}
		tokens := v.Encode(w)
		if len(tokens) == 0 {
			panic("corpus: a word without a piece")
		}
		for j := len(tokens) - 1; j >= 0; j-- {
			spelled[i] = append(spelled[i], tokens[j])
		}
	}
	for i := range g.rules {
		m.expand(g, spelled, i)
	}
	for _, r := range m.first[0] {
		if v.By == Characters { // a line end comes last, and no space before the first word
			r.stack = concat([]int32{v.Token("\n")}, r.stack[:len(r.stack)-1])
		}
		m.begin = append(m.begin, r)
	}
	return m
}

// expand finds what a rule may begin with.
func (m *machine) expand(g *Grammar, spelled [][]int32, i int) []reading {
	if m.first[i] != nil {
		return m.first[i]
	}
	r := &g.rules[i]
	var all []reading
	for _, a := range r.any {
		p := float64(a.weight) / float64(r.weight)
		var stack []int32
		for j := len(a.symbols) - 1; j > 0; j-- {
			stack = spell(stack, spelled, a.symbols[j])
		}
		if k, ok := a.symbols[0].rule(); ok {
			for _, below := range m.expand(g, spelled, k) {
				all = append(all, reading{concat(stack, below.stack), float64(p * below.p)})
			}
			continue
		}
		all = append(all, reading{spell(stack, spelled, a.symbols[0]), p})
	}
	m.first[i] = all
	return all
}

func spell(stack []int32, spelled [][]int32, s symbol) []int32 {
	if _, ok := s.rule(); ok {
		return append(stack, int32(s))
	}
	return append(stack, spelled[s]...)
}

func concat(a, b []int32) []int32 {
	return append(append(make([]int32, 0, len(a)+len(b)), a...), b...)
}

// A filter reads tokens from the beginning of a sentence on, and knows all ways to read them. At
// the end of a sentence another begins.
type filter struct {
	m   *machine
	all []reading // their p sum to 1
}

func newFilter(m *machine) *filter { return &filter{m, []reading{{nil, 1}}} }

// next takes a token and returns how probable it was. 0: no sentence goes on like that.
func (f *filter) next(token int32) (float64, error) {
	var here []reading
	sum := 0.0
	index := map[string]int{}
	var key []byte
	all := f.ahead()
	if len(all) > maxReadings {
		return 0, fmt.Errorf("the grammar has more than %d ways to read the beginning of a sentence, want fewer: "+
			"alternatives that begin alike should differ sooner", maxReadings)
	}
	for _, r := range all {
		last := len(r.stack) - 1
		if r.stack[last] != token {
			continue
		}
		sum += r.p
		r.stack = r.stack[:last]
		key = key[:0]
		for _, s := range r.stack {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		if i, ok := index[string(key)]; ok {
			here[i].p += r.p
			continue
		}
		index[string(key)] = len(here)
		here = append(here, r)
	}
	for i := range here {
		here[i].p /= sum
	}
	f.all = here
	return sum, nil
}

// ahead is every reading such that a token comes next. It stops past the bound.
func (f *filter) ahead() (all []reading) {
	for _, r := range f.all {
		if len(all) > maxReadings {
			return all
		}
		if len(r.stack) == 0 {
			for _, begin := range f.m.begin {
				all = append(all, reading{begin.stack, float64(r.p * begin.p)})
			}
			continue
		}
		last := len(r.stack) - 1
		if r.stack[last] >= 0 {
			all = append(all, r)
			continue
		}
		rest := r.stack[:last]
		for _, begin := range f.m.first[^r.stack[last]] {
			all = append(all, reading{concat(rest, begin.stack), float64(r.p * begin.p)})
		}
	}
	return all
}

// Entropy is the mean of -log p over all labels of windows of a drawn corpus, in the unit of log: p
// is what the grammar gives the label after the tokens of its window before it.
func (k *Corpus) Entropy(w *Windows, log func(float64) float64) (float64, error) {
	sum, n := 0.0, 0
	for row := range w.Len() {
		f := newFilter(k.machine)
		if _, err := f.next(w.inputs(row)[0]); err != nil {
			return 0, err
		}
		for _, t := range w.labels(row) {
			p, err := f.next(t)
			if err != nil {
				return 0, err
			}
			if p == 0 {
				panic("corpus: a drawn text that its grammar does not give")
			}
			sum -= log(p)
			n++
		}
	}
	return sum / float64(n), nil
}
