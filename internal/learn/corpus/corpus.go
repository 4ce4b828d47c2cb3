package corpus

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"railyard/internal/base/located"
)

// MaxText bounds the bytes of all texts of a corpus.
const MaxText = 8 << 20

// Choices say what becomes of texts.
type Choices struct {
	Cut
	Vocabulary int  // tokens at most, 0 and 1 included
	MinCount   int  // pieces that come less often in the training part are unknown
	FirstUse   bool // token numbers follow the first use of pieces; else they are sorted
	Window     int  // tokens of a window
	Stride     int  // from where one window begins to where the next may
	Anywhere   bool // windows begin anywhere; else where a sentence does
}

// A Corpus is text to train on and text to test with.
type Corpus struct {
	Vocabulary  *Vocabulary
	Train, Test *Windows
	Left        int      // different pieces of the training part that are not in the vocabulary
	Grammar     *Grammar // that drew the text; nil: it is the user's
	Sentences   bool     // windows begin where a sentence does

	machine *machine
	digest  string
}

// A Text is the contents of one file.
type Text struct{ Name, Text string }

// Read makes a text of the bytes of a file. The error is located.Problems.
func Read(name string, src []byte) (Text, error) {
	src = bytes.TrimPrefix(src, located.BOM)
	if utf8.Valid(src) {
		return Text{name, string(src)}, nil
	}
	line, column := 1, 1
	for rest := src; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 {
			break
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
		rest = rest[n:]
	}
	return Text{}, located.Problems{{File: name, Line: line, Column: column, Width: 1, Private: true,
		Message: "a byte that is no UTF-8 text", Hint: "save the file as UTF-8"}}
}

// A part is what windows are made of: texts, each as its sentences in order.
type part []iter.Seq[string]

// Split makes a corpus of texts. The last share of each is the test part, whole sentences where
// windows begin with them; a text of one sentence is all to train on. With share 0 the texts are the
// test part as well.
func Split(texts []Text, share float64, c Choices) (*Corpus, error) {
	var train, test part
	for _, t := range texts {
		a, b := t.divide(int(float64(len(t.Text))*(1-share)), c)
		if share == 0 {
			b = a
		}
		train, test = append(train, a), append(test, b)
	}
	return build(train, test, newCounter(), c)
}

// divide returns the sentences that end within so many bytes, at least one, and the others.
func (t Text) divide(limit int, c Choices) (train, test iter.Seq[string]) {
	if c.Anywhere {
		limit = t.within(limit, c.By)
		return slices.Values([]string{t.Text[:limit]}), slices.Values([]string{t.Text[limit:]})
	}
	end := 0
	for s := range Sentences(t.Text) {
		if end > 0 && end+len(s) > limit {
			break
		}
		end += len(s)
	}
	return Sentences(t.Text[:end]), Sentences(t.Text[end:]) // the same as those of the whole
}

// within is the most bytes up to a limit that cut no character or word.
func (t Text) within(limit int, by By) int {
	for limit > 0 && limit < len(t.Text) {
		r, _ := utf8.DecodeRuneInString(t.Text[limit:])
		if utf8.RuneStart(t.Text[limit]) && (by == Characters || unicode.IsSpace(r)) {
			break
		}
		limit--
	}
	return limit
}

// build numbers the pieces and makes the windows. known counts pieces beforehand.
func build(train, test part, known *counter, c Choices) (*Corpus, error) {
	k := &Corpus{Sentences: !c.Anywhere}
	k.Train = train.windows(c, known.add)
	var tokens []int32
	k.Vocabulary, tokens = known.choose(c.Cut, c.Vocabulary, c.MinCount, c.FirstUse)
	for i, n := range k.Train.tokens { // so far they are numbers of the counter
		k.Train.tokens[i] = tokens[n]
	}
	k.Left = len(known.inTurn) - len(k.Vocabulary.pieces)
	k.Test = test.windows(c, k.Vocabulary.Token)
	for i, w := range []*Windows{k.Train, k.Test} {
		if w.Len() == 0 {
			return nil, fmt.Errorf("the %s part has %d tokens, want a text with at least 2%s", [2]string{"training", "test"}[i],
				w.Tokens(), [2]string{"", ", or test: none"}[i])
		}
	}
	h := newDigest()
	v, err := json.Marshal(k.Vocabulary)
	if err != nil {
		panic(err)
	}
	h.Write(v)
	k.Train.digest(h)
	k.Test.digest(h)
	k.digest = hex.EncodeToString(h.Sum(nil))
	return k, nil
}

// Digest names the tokens, the windows and the vocabulary: SHA-256, hexadecimal.
func (k *Corpus) Digest() string { return k.digest }

// windows makes the windows of a part; token numbers its pieces.
func (p part) windows(c Choices, token func(string) int32) *Windows {
	w := &Windows{width: c.Window}
	for _, sentences := range p {
		first := len(w.tokens)
		starts := []int32{}
		for s := range sentences {
			from := len(w.tokens)
			for piece := range c.Pieces(s) {
				w.tokens = append(w.tokens, token(piece))
			}
			if len(w.tokens) > from {
				starts = append(starts, int32(from-first))
			}
		}
		if c.Anywhere {
			starts = nil
		}
		w.cut(first, starts, c.Stride)
	}
	return w
}

// Shown is the beginning of a part as text, at most so many tokens of it.
func (k *Corpus) Shown(w *Windows, most int) string {
	return strings.TrimSpace(k.Vocabulary.Decode(w.tokens[:min(most, len(w.tokens))]))
}

// Frequencies is the mean of -log p over all labels of a part where p is how often the label comes
// among the tokens of the training part, each token of the vocabulary once more: what a network
// reaches that has learned nothing but that.
func (k *Corpus) Frequencies(w *Windows, log func(float64) float64) float64 {
	count := make([]int, k.Vocabulary.Size())
	for _, t := range k.Train.tokens {
		count[t]++
	}
	all := float64(len(k.Train.tokens) + len(count))
	costs := make([]float64, len(count))
	for t, n := range count {
		costs[t] = log(float64(n+1) / all)
	}
	sum, n := 0.0, 0
	for row := range w.Len() {
		for _, t := range w.labels(row) {
			sum -= costs[t]
			n++
		}
	}
	return sum / float64(n)
}

// Bytes is what the corpus takes in memory: tokens, and where windows are.
func (k *Corpus) Bytes() int64 { return k.Train.bytes() + k.Test.bytes() }
