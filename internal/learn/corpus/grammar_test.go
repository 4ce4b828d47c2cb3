package corpus

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func grammar(t testing.TB, text string) *Grammar {
	t.Helper()
	g, err := ReadGrammar("g", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var byWords = Choices{Cut: Cut{By: Words}, Vocabulary: 1000, MinCount: 1, Window: 6, Stride: 6}

// A script: a grammar, then what is wrong with it, all at once.
func TestWhatIsWrongWithAGrammar(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "g: no rule, want a line such as Sentence -> the dog sleeps .",
		"# none\n":         "g: no rule, want a line such as Sentence -> the dog sleeps .",
		"S -> a B\n":       "g:1:8: B has no rule, want one, or the word in quotes",
		"S -> a\n\nS -> b": "g:3:1: S has a rule on line 1, want one for each name: go on with it after a bar",
		"s -> a":           "g:1:1: s: want a name that begins with a capital letter",
		"S a b":            "g: holds no rule, want lines such as Sentence -> the dog sleeps .", // any file: nothing of it is shown
		"| a\nS -> a":      "g:1:1: an alternative without a rule, want a line such as Sentence -> the dog sleeps .",
		"S a b\nS -> a":    "g:1:1: S: want a rule such as Sentence -> the dog sleeps . or, to go on with the one before, a bar",
		"S -> a | 2:\nT -> \"a": "g:1:10: an alternative without a word, want at least one\n" +
			"g:2:6: \"\\\"a\": want a word between quotes",
		"S -> a || b |": "g:1:13: an alternative without a word, want at least one",
		"S -> 0: a | 1000001: b": "g:1:6: weight 0, want a whole number from 1 to 1000000\n" +
			"g:1:13: weight 1000001, want a whole number from 1 to 1000000",
		"S -> a\nT -> b\nU -> T": "g:2:1: T is used by no sentence: want it in S or in what that uses\n" +
			"g:3:1: U is used by no sentence: want it in S or in what that uses",
		"S -> T a\nT -> b | S": "g:2:10: S may begin with itself by way of this, want a word before it comes again",
		"S -> a S": "g:1:1: S: its words are more than 1000 on average, or never end: want smaller weights for " +
			"what holds it again",
		"S -> 2: a T | b\nT -> 3: c S S | d": "g:2:1: T: its words are more than 1000 on average, or never end: want " +
			"smaller weights for what holds it again",
	} {
		_, err := ReadGrammar("g", []byte(text))
		if got := problems(err); got != want {
			t.Errorf("%q:\n%s\nwant:\n%s", text, got, want)
		}
	}
	deep := "S -> A a\nA -> B a | B b\n"
	for c := 'B'; c < 'N'; c++ {
		deep += string(c) + " -> " + string(c+1) + " a | " + string(c+1) + " b\n"
	}
	if _, err := ReadGrammar("g", []byte(deep+"N -> a | b")); !strings.Contains(problems(err), "in more than 4096 ways") {
		t.Errorf("8192 ways to begin: %v", err)
	}
	long := strings.Replace(deep, "S -> A a", "S -> B"+strings.Repeat(" a", 600), 1)
	long = strings.Replace(long, "A -> B a | B b\n", "", 1)
	if _, err := ReadGrammar("g", []byte(long+"N -> a")); !strings.Contains(problems(err), "more than 1048576 words") {
		t.Errorf("2048 ways of 600 words: %v", err)
	}
}

// Mean words of a sentence, in closed form: 1 + L/2 = L, and 4 + L/4 = L.
func TestExpectedWords(t *testing.T) {
	for text, want := range map[string]float64{
		"S -> a S | b":                  2,
		"S -> b T b b\nT -> 3: a | b S": 16. / 3, // L = 3 + T, T = 1 + L/4
	} {
		if got, _ := grammar(t, text).expected(); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %v words, want %v", text, got, want)
		}
	}
}

// The weights are the frequencies.
func TestDrawing(t *testing.T) {
	g := grammar(t, "S -> 6: a | 3: \"B\" \"B\" | c")
	count := map[string]float64{}
	for i := range uint64(10000) {
		s, err := g.sentence(1, partTrain, i)
		if err != nil {
			t.Fatal(err)
		}
		count[s]++
	}
	for s, want := range map[string]float64{"a\n": 6000, "B B\n": 3000, "c\n": 1000} { // deviations up to 49
		if math.Abs(count[s]-want) > 200 {
			t.Errorf("%q %v times of 10000, want about %v", s, count[s], want)
		}
	}
}

// The entropy by hand. After a (half the sentences) comes x or y, alike; b is followed by its own
// sentence's end, and sentences follow one another: - log p of the labels, window by window.
func TestEntropyByHand(t *testing.T) {
	g := grammar(t, "S -> a X | b z\nX -> 3: x | y")
	k, err := g.Draw(5, 3, 40, Choices{Cut: Cut{By: Words}, Vocabulary: 100, MinCount: 1, Window: 3, Stride: 1})
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0
	for row := range k.Test.Len() {
		for i, token := range k.Test.labels(row) {
			switch piece := k.Vocabulary.Piece(token); {
			case i%2 == 1: // it begins a sentence
				sum += math.Ln2
			case piece == "x":
				sum += math.Log(4. / 3)
			case piece == "y":
				sum += math.Log(4)
			}
			n++
		}
	}
	got, err := k.Entropy(k.Test, math.Log)
	if want := sum / float64(n); err != nil || math.Abs(got-want) > 1e-12 || n < 100 {
		t.Errorf("%v, %v; want %v of %d labels", got, err, want, n)
	}
}

// By characters the sum over a text is the same but for what the spelling tells beforehand: here
// nothing, as no two words begin alike and no sentence may go on where it ends.
func TestEntropyByCharacters(t *testing.T) {
	g := grammar(t, "S -> the X .\nX -> 3: dog | cat | 2: dog and X")
	total := func(by By) float64 {
		k, err := g.Draw(1, 2, 200, Choices{Cut: Cut{By: by}, Vocabulary: 100, MinCount: 1, Window: 1 << 20, Stride: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		e, err := k.Entropy(k.Test, math.Log)
		if err != nil {
			t.Fatal(err)
		}
		return e * float64(k.Test.Tokens()-1)
	}
	if w, c := total(Words), total(Characters); math.Abs(w-c) > 1e-9 || w < 50 {
		t.Errorf("%v by words, %v by characters", w, c)
	}
}

// An ambiguous grammar: a text's probability is the sum over the ways to read it.
func TestReadingsAreAddedUp(t *testing.T) {
	g := grammar(t, "S -> 2: A c | 1: B c | 1: a b d\nA -> a b\nB -> a X\nX -> b | e")
	m := g.compile(vocabularyOf(g))
	f := newFilter(m)
	for _, step := range []struct {
		word string
		p    float64
	}{{"a", 1}, {"b", 7. / 8}, {"c", (5. / 8) / (7. / 8)}, {"a", 1}, {"e", 1. / 8}, {"c", 1}, {"b", 0}} {
		p, err := f.next(vocabularyOf(g).Token(step.word))
		if err != nil || math.Abs(p-step.p) > 1e-12 {
			t.Fatalf("%s: %v, %v; want %v", step.word, p, err, step.p)
		}
	}
}

// A grammar may be read in too many ways at once.
func TestTooManyReadings(t *testing.T) {
	g := grammar(t, "S -> a X S b | a Y S c | 9: d\nX -> a | a a\nY -> a | a a")
	f := newFilter(g.compile(vocabularyOf(g)))
	for range 200 {
		if _, err := f.next(vocabularyOf(g).Token("a")); err != nil {
			if !strings.Contains(err.Error(), "more than 4096 ways to read") {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("%d ways", len(f.all))
}

func vocabularyOf(g *Grammar) *Vocabulary { return newVocabulary(Cut{By: Words}, g.words) }

// Whatever was read, what may come next has probability 1 in all.
func TestWhatMayFollowSumsToOne(t *testing.T) {
	g := English()
	rapid.Check(t, func(t *rapid.T) {
		c := byWords
		if rapid.Bool().Draw(t, "by characters") {
			c.By = Characters
		}
		k, err := g.Draw(rapid.Uint64().Draw(t, "seed"), 1, 3, c)
		if err != nil {
			t.Fatal(err)
		}
		f := newFilter(k.machine)
		for _, token := range k.Test.tokens {
			sum := 0.0
			for any := range k.Vocabulary.Size() {
				g := *f
				p, err := g.next(int32(any))
				if err != nil {
					t.Fatal(err)
				}
				sum += p
			}
			if p, _ := f.next(token); math.Abs(sum-1) > 1e-9 || p <= 0 {
				t.Fatalf("they sum to %v, and what came had %v", sum, p)
			}
		}
	})
}

// Words that are not in the vocabulary are one token, which is as probable as all of them.
func TestUnknownWordsOfAGrammar(t *testing.T) {
	g := grammar(t, "S -> 8: a | b | c")
	c := byWords
	c.Vocabulary = 3
	k, err := g.Draw(1, 100, 50, c)
	if err != nil {
		t.Fatal(err)
	}
	if k.Left != 2 || k.Vocabulary.Size() != 3 {
		t.Fatalf("%d left, %d tokens", k.Left, k.Vocabulary.Size())
	}
	if p, err := newFilter(k.machine).next(Unknown); err != nil || math.Abs(p-0.2) > 1e-12 {
		t.Errorf("unknown: %v, %v; want 0.2", p, err)
	}
}

// The same bytes on every processor: these are constants.
func TestGoldenCorpus(t *testing.T) {
	g := English()
	k, err := g.Draw(1, 50, 20, byWords)
	if err != nil {
		t.Fatal(err)
	}
	const digest = "09300b6709776441"
	if got := k.Digest()[:16]; got != digest {
		t.Errorf("the corpus is %s, want %s", got, digest)
	}
	more, err := g.Draw(1, 60, 20, byWords)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(more.Train.tokens[:k.Train.Tokens()], k.Train.tokens) {
		t.Error("more sentences changed the first ones")
	}
	if slices.Equal(k.Train.tokens[:50], k.Test.tokens[:50]) {
		t.Error("the test part is the training part")
	}
}

// What is accepted draws sentences, each of which it can read.
func FuzzGrammar(f *testing.F) {
	f.Add([]byte(englishText))
	f.Add([]byte("S -> 2: a | \"B\" T\nT -> c S d | e # end\n| f"))
	f.Fuzz(func(t *testing.T, src []byte) {
		g, err := ReadGrammar("f", src)
		if err != nil {
			problems(err)
			return
		}
		c := byWords
		if len(src)%2 == 1 {
			c.By = Characters
		}
		k, err := g.Draw(1, 3, 3, c)
		if err != nil {
			return // too few tokens, or too many
		}
		if _, err := k.Entropy(k.Train, math.Log); err != nil && !strings.Contains(err.Error(), "ways to read") {
			t.Fatal(err)
		}
	})
}

// A word that is blank, as no-break spaces and line separators are, is refused, for it is no piece of a text.
func TestBlankWords(t *testing.T) {
	for _, blank := range []string{"\u00a0", "\u2028", "\u3000\u3000", "\"\u00a0\"", "\u0085"} {
		_, err := ReadGrammar("g", []byte("S -> the "+blank+" sleeps"))
		if got := problems(err); !strings.Contains(got, "is blank, want a word") {
			t.Errorf("%q: %s", blank, got)
		}
	}
}
