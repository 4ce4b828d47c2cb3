package corpus

import (
	"cmp"
	"container/heap"
	"encoding/json"
	"fmt"
	"slices"
)

// Tokens with a meaning of their own.
const (
	Padding  = 0
	Unknown  = 1
	reserved = 2 // the first of a piece
)

// MaxVocabulary bounds the tokens of a vocabulary, those that are reserved included.
const MaxVocabulary = 1 << 20

// A Vocabulary numbers pieces.
type Vocabulary struct {
	Cut
	pieces []string // token 2, 3, ...
	tokens map[string]int32
}

// newVocabulary numbers pieces, each there once.
func newVocabulary(c Cut, pieces []string) *Vocabulary {
	v := &Vocabulary{c, pieces, make(map[string]int32, len(pieces))}
	for i, p := range pieces {
		v.tokens[p] = int32(reserved + i)
	}
	return v
}

// Equal reports whether two vocabularies are the same.
func (v *Vocabulary) Equal(w *Vocabulary) bool {
	if v == nil || w == nil {
		return v == w
	}
	return v.Cut == w.Cut && slices.Equal(v.pieces, w.pieces)
}

// Size is how many tokens there are, 0 and 1 included.
func (v *Vocabulary) Size() int { return reserved + len(v.pieces) }

// Token is the token of a piece.
func (v *Vocabulary) Token(piece string) int32 {
	if t, ok := v.tokens[piece]; ok {
		return t
	}
	return Unknown
}

// Piece is the piece of a token, in brackets for what is none.
func (v *Vocabulary) Piece(token int32) string {
	switch {
	case token == Padding:
		return "[padding]"
	case token >= reserved && int(token) < v.Size():
		return v.pieces[token-reserved]
	}
	return "[unknown]"
}

// Encode turns a text into tokens.
func (v *Vocabulary) Encode(text string) (tokens []int32) {
	for p := range v.Pieces(text) {
		tokens = append(tokens, v.Token(p))
	}
	return tokens
}

// Decode turns tokens into a text.
func (v *Vocabulary) Decode(tokens []int32) string {
	pieces := make([]string, len(tokens))
	for i, t := range tokens {
		pieces[i] = v.Piece(t)
	}
	return v.Join(pieces)
}

// kept is how a vocabulary is written.
type kept struct {
	Cut
	Pieces []string `json:"pieces"` // token 2 first
}

// MarshalJSON writes the vocabulary.
func (v *Vocabulary) MarshalJSON() ([]byte, error) { return json.Marshal(kept{v.Cut, v.pieces}) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Vocabulary) UnmarshalJSON(b []byte) error {
	var k kept
	if err := json.Unmarshal(b, &k); err != nil {
		return err
	}
	switch {
	case k.By != Characters && k.By != Words:
		return fmt.Errorf("vocabulary: tokens is %q, want %s or %s", k.By, Characters, Words)
	case len(k.Pieces) > MaxVocabulary-reserved:
		return fmt.Errorf("vocabulary: %d pieces, want at most %d", len(k.Pieces), MaxVocabulary-reserved)
	}
	*v = *newVocabulary(k.Cut, k.Pieces)
	if len(v.tokens) != len(k.Pieces) {
		return fmt.Errorf("vocabulary: a piece is there twice, want each once")
	}
	for i, p := range k.Pieces {
		if !k.single(p) {
			return fmt.Errorf("vocabulary: piece %d is %q, want one piece when it is cut by %s", i, p, k.By)
		}
	}
	return nil
}

// single reports whether a text is one piece.
func (c Cut) single(text string) bool {
	n := 0
	for p := range c.Pieces(text) {
		if n++; p != text || n > 1 {
			return false
		}
	}
	return n == 1
}

// A counter numbers pieces by first use, and counts them.
type counter struct {
	number map[string]int32
	inTurn []string
	count  []int
}

func newCounter() *counter { return &counter{number: map[string]int32{}} }

// add counts a piece, and returns its number.
func (c *counter) add(piece string) int32 {
	n, ok := c.number[piece]
	if !ok {
		n = int32(len(c.inTurn))
		c.number[piece] = n
		c.inTurn, c.count = append(c.inTurn, piece), append(c.count, 0)
	}
	c.count[n]++
	return n
}

// choose makes the vocabulary: the pieces that come at least least times, of those the most frequent
// (of equal ones that which sorts first) up to most tokens; sorted, or in order of first use. With it
// comes the token of each number.
func (c *counter) choose(cut Cut, most, least int, firstUse bool) (*Vocabulary, []int32) {
	kept := &worst{c: c}
	for n := range c.inTurn {
		switch n := int32(n); {
		case c.count[n] < least:
		case len(kept.numbers) < most-reserved:
			heap.Push(kept, n)
		case len(kept.numbers) > 0 && c.before(n, kept.numbers[0]):
			kept.numbers[0] = n
			heap.Fix(kept, 0)
		}
	}
	all := kept.numbers
	if firstUse {
		slices.Sort(all)
	} else {
		slices.SortFunc(all, func(a, b int32) int { return cmp.Compare(c.inTurn[a], c.inTurn[b]) })
	}
	pieces, tokens := make([]string, len(all)), make([]int32, len(c.inTurn))
	for n := range tokens {
		tokens[n] = Unknown
	}
	for i, n := range all {
		pieces[i], tokens[n] = c.inTurn[n], int32(reserved+i)
	}
	return newVocabulary(cut, pieces), tokens
}

// before reports whether a piece is chosen before another.
func (c *counter) before(a, b int32) bool {
	return cmp.Or(cmp.Compare(c.count[b], c.count[a]), cmp.Compare(c.inTurn[a], c.inTurn[b])) < 0
}

// worst is a heap of pieces: the first is chosen last. There may be millions of them, of which few
// are chosen: they are not sorted.
type worst struct {
	c       *counter
	numbers []int32
}

func (w *worst) Len() int           { return len(w.numbers) }
func (w *worst) Less(i, j int) bool { return w.c.before(w.numbers[j], w.numbers[i]) }
func (w *worst) Swap(i, j int)      { w.numbers[i], w.numbers[j] = w.numbers[j], w.numbers[i] }
func (w *worst) Push(n any)         { w.numbers = append(w.numbers, n.(int32)) }
func (w *worst) Pop() any           { panic("corpus: nothing is taken out") }
