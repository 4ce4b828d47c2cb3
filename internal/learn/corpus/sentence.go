package corpus

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/splitmix"
)

// maxSentence bounds the words of a drawn sentence: the mean is bounded, a draw is not.
const maxSentence = 1 << 16

// MaxSentences bounds the sentences of a part.
const MaxSentences = 1_000_000

// Parts of a generated corpus: part of a sentence's identity, so that the test part is another text.
const (
	partTrain = iota
	partTest
)

// stream draws one sentence.
type stream struct{ splitmix.Stream }

func newStream(seed, part, index uint64) stream {
	const label = 0x73656e74656e6365 // "sentence"
	state := splitmix.Mix(splitmix.Mix(label) ^ seed)
	state = splitmix.Mix(state + part*splitmix.Gamma)
	return stream{splitmix.Stream(splitmix.Mix(state + index*splitmix.Gamma))}
}

// below returns a number in [0, n), every one equally likely: the 2^64 mod n lowest draws are
// thrown away.
func (s *stream) below(n uint64) uint64 {
	for {
		if x := s.Next(); x >= -n%n {
			return x % n
		}
	}
}

// sentence draws the index-th sentence of a part.
func (g *Grammar) sentence(seed, part, index uint64) (string, error) {
	draw := newStream(seed, part, index)
	var b strings.Builder
	n := 0
	for stack := []symbol{^symbol(0)}; len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		i, ok := top.rule()
		if !ok {
			if n++; n > 1 {
				b.WriteByte(' ')
			}
			if n > maxSentence {
				return "", fmt.Errorf("sentence %d of seed %d has more than %d words: want another seed, or smaller weights for "+
					"what holds itself again", index, seed, maxSentence)
			}
			b.WriteString(g.words[top])
			continue
		}
		a := g.rules[i].draw(&draw)
		for j := len(a.symbols) - 1; j >= 0; j-- {
			stack = append(stack, a.symbols[j])
		}
	}
	b.WriteByte('\n')
	return b.String(), nil
}

func (r *rule) draw(s *stream) *alternative {
	at := int64(s.below(uint64(r.weight)))
	for i := range r.any {
		if at -= r.any[i].weight; at < 0 {
			return &r.any[i]
		}
	}
	panic("corpus: weights do not sum")
}

// Draw makes a corpus of sentences that the grammar draws: so many to train on, so many to test
// with. All words of the grammar count once before those of the text, so that none is unknown
// because no sentence of the training part has it.
func (g *Grammar) Draw(seed uint64, train, test int, c Choices) (*Corpus, error) {
	if c.Anywhere {
		panic("corpus: windows of drawn text begin where a sentence does")
	}
	parts := [2]part{}
	size := 0
	for i, n := range []int{partTrain: train, partTest: test} {
		sentences := make([]string, n)
		for j := range sentences {
			var err error
			if sentences[j], err = g.sentence(seed, uint64(i), uint64(j)); err != nil {
				return nil, err
			}
			if size += len(sentences[j]); size > MaxText {
				return nil, fmt.Errorf("%d sentences of %d have more than %d bytes already: want fewer", i*train+j+1,
					train+test, MaxText)
			}
		}
		parts[i] = part{slices.Values(sentences)}
	}
	known := newCounter()
	for _, w := range g.words {
		for p := range c.Pieces(w) {
			known.add(p)
		}
	}
	if c.By == Characters {
		known.add(" ")
		known.add("\n")
	}
	k, err := build(parts[partTrain], parts[partTest], known, c)
	if err != nil {
		return nil, err
	}
	k.Grammar, k.machine = g, g.compile(k.Vocabulary)
	return k, nil
}
