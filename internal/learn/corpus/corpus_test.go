package corpus

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"railyard/internal/base/located"
)

// every is a window from each token on.
var every = Choices{Cut: Cut{By: Characters}, Vocabulary: 1000, MinCount: 1, Window: 4, Stride: 1, Anywhere: true}

func split(t *testing.T, share float64, c Choices, texts ...string) *Corpus {
	t.Helper()
	var all []Text
	for i, s := range texts {
		all = append(all, Text{fmt.Sprintf("text%d", i), s})
	}
	k, err := Split(all, share, c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// rows shows the windows of a part: inputs > labels.
func rows(w *Windows) string {
	var b strings.Builder
	for row := range w.Len() {
		x, y := make([]float32, w.Width()), make([]int32, w.Targets())
		w.ReadInputs(x, []int{row})
		w.ReadLabels(y, []int{row})
		fmt.Fprintf(&b, "%v > %v\n", x, y)
	}
	return b.String()
}

// The book's alphabet: a e l y, after the two tokens that are set aside.
func TestAlley(t *testing.T) {
	k := split(t, 0, every, "alley")
	if got := k.Vocabulary.Encode("alley?"); !slices.Equal(got, []int32{2, 4, 4, 3, 5, Unknown}) {
		t.Errorf("tokens %v", got)
	}
	if got, want := rows(k.Train), `[2 4 4 3] > [4 4 3 5]
[4 4 3 0] > [4 3 5 -1]
[4 3 0 0] > [3 5 -1 -1]
[3 0 0 0] > [5 -1 -1 -1]
`; got != want {
		t.Errorf("windows:\n%swant:\n%s", got, want)
	}
	c := every
	c.FirstUse = true
	if got := split(t, 0, c, "alley").Vocabulary.Encode("alley"); !slices.Equal(got, []int32{2, 3, 3, 4, 5}) {
		t.Errorf("in order of first use: %v", got)
	}
	if k.Train.Classes() != 6 || k.Vocabulary.Size() != 6 {
		t.Errorf("%d classes of %d tokens, want 6", k.Train.Classes(), k.Vocabulary.Size())
	}
}

// The book's sentence: "the" is 2 and "clear" 5, in order of first use and without regard to case.
func TestTheSkyIsClear(t *testing.T) {
	c := every
	c.Cut, c.FirstUse = Cut{By: Words, Fold: true}, true
	k := split(t, 0, c, "The sky is clear, so she finally decided to clear the backyard.")
	if got := k.Vocabulary.Encode("The sky is clear"); !slices.Equal(got, []int32{2, 3, 4, 5}) {
		t.Errorf("tokens %v", got)
	}
	if got := k.Vocabulary.Decode(k.Vocabulary.Encode("clear the sky, please.")); got != "clear the sky, [unknown]." {
		t.Errorf("%q", got)
	}
}

func TestPieces(t *testing.T) {
	for _, c := range []struct {
		by         By
		text, want string
	}{
		{Words, "Don't stop -- it's 3.50 'now'.", "Don't|stop|-|-|it's|3|.|50|'|now|'|."},
		{Words, "naïve cafe\u0301\tx_1", "naïve|cafe\u0301|x|_|1"},
		{Words, " \n", ""},
		{Characters, "a b\r\nc\r", "a| |b|\n|c|\r"},
		{Characters, "äö", "ä|ö"},
	} {
		if got := strings.Join(slices.Collect(Cut{By: c.by}.Pieces(c.text)), "|"); got != c.want {
			t.Errorf("%s of %q: %q, want %q", c.by, c.text, got, c.want)
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two! \"Three?\" Four": `One. |Two! |"Three?" |Four`,
		"It is 3.14 (or so.) Next":  "It is 3.14 (or so.) |Next",
		"a line\nof two\n\nand one": "a line\nof two\n\n|and one",
		"  . . ":                    "  . |. ",
		"\n\nx":                     "\n\n|x",
		"":                          "",
	} {
		if got := strings.Join(slices.Collect(Sentences(text)), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Windows begin where sentences do, at least a stride apart, and cross no text.
func TestWindowsBeginWithSentences(t *testing.T) {
	c := Choices{Cut: Cut{By: Words}, Vocabulary: 100, MinCount: 1, Window: 3, Stride: 4}
	k := split(t, 0, c, "a b. c. d e f. g.", "h i")
	// a 3, b 4, ... i 11; the full stop is 2. Sentences begin at 0, 3, 5 and 9 of the first text.
	if got, want := rows(k.Train), `[3 4 2] > [4 2 5]
[6 7 8] > [7 8 2]
[9 0 0] > [2 -1 -1]
[10 0 0] > [11 -1 -1]
`; got != want {
		t.Errorf("windows:\n%swant:\n%s", got, want)
	}
}

func TestVocabularyLimits(t *testing.T) {
	const text = "b b b a a c c d"
	for _, c := range []struct {
		most, least int
		first       bool
		want        string
		left        int
	}{
		{100, 1, false, "a b c d", 0},
		{100, 2, false, "a b c", 1},
		{4, 1, false, "a b", 2}, // a and c come as often: a sorts first
		{4, 1, true, "b a", 2},
		{3, 1, false, "b", 3},
	} {
		ch := Choices{Cut: Cut{By: Words}, Vocabulary: c.most, MinCount: c.least, FirstUse: c.first, Window: 8, Stride: 8}
		k := split(t, 0, ch, text)
		if got := strings.Join(k.Vocabulary.pieces, " "); got != c.want || k.Left != c.left {
			t.Errorf("at most %d, %d times: %s and %d left, want %s and %d", c.most, c.least, got, k.Left, c.want, c.left)
		}
	}
}

// The test part has its own text, and no say in the vocabulary.
func TestSplit(t *testing.T) {
	c := Choices{Cut: Cut{By: Words}, Vocabulary: 100, MinCount: 1, Window: 8, Stride: 8}
	k := split(t, 0.4, c, "One two. Three. Four five six.", "Alone.")
	if got := k.Shown(k.Train, 99) + "|" + k.Shown(k.Test, 99); got != "One two. Three. Alone.|[unknown] [unknown] [unknown]." {
		t.Error(got)
	}
	if k.Test.Unknown() != 3 || k.Train.Tokens() != 7 {
		t.Errorf("%d unknown of the test part, %d tokens to train on", k.Test.Unknown(), k.Train.Tokens())
	}
	c.Anywhere = true
	k = split(t, 0.5, c, "no full stop anywhere here")
	if got := k.Shown(k.Train, 99); got != "no full stop" || k.Test.Tokens() != 2 {
		t.Errorf("%q to train on", got)
	}
	for want, text := range map[string]string{
		"the training part has 0 tokens, want a text with at least 2": "",
		"the test part has 0 tokens":                                  "One sentence only.",
	} {
		c.Anywhere = false
		if _, err := Split([]Text{{"x", text}}, 0.1, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestReadFindsWhatIsNoText(t *testing.T) {
	_, err := Read("f.txt", []byte("\xef\xbb\xbfab\nä\xffz"))
	if want := "f.txt:2:2: a byte that is no UTF-8 text; save the file as UTF-8"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if got, err := Read("f.txt", []byte("\xef\xbb\xbfab\uFFFD")); err != nil || got.Text != "ab\uFFFD" {
		t.Errorf("%q, %v", got.Text, err)
	}
}

func TestVocabularyIsKept(t *testing.T) {
	want := split(t, 0, every, "alley").Vocabulary
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Vocabulary
	if err := json.Unmarshal(b, &got); err != nil || got.By != want.By || !slices.Equal(got.pieces, want.pieces) ||
		got.Token("l") != want.Token("l") {
		t.Errorf("%s: %+v, %v", b, got, err)
	}
	for bad, why := range map[string]string{
		`{"tokens":"bytes","pieces":["a"]}`:             "tokens is",
		`{"tokens":"words","pieces":["a","a"]}`:         "twice",
		`{"tokens":"words","pieces":["a b"]}`:           "want one piece",
		`{"tokens":"characters","pieces":["ab"]}`:       "want one piece",
		`{"tokens":"words","pieces":[""]}`:              "want one piece",
		`{"tokens":"words","fold":true,"pieces":["A"]}`: "want one piece",
	} {
		if err := json.Unmarshal([]byte(bad), &got); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %s", bad, err, why)
		}
	}
}

// The digest changes with what is trained on, and with nothing else.
func TestDigest(t *testing.T) {
	base := split(t, 0, every, "alley", "valley").Digest()
	if again := split(t, 0, every, "alley", "valley").Digest(); again != base {
		t.Error("the same twice has two digests")
	}
	c := every
	c.Stride = 2
	for what, k := range map[string]*Corpus{
		"other text": split(t, 0, every, "alley", "galley"), "one file": split(t, 0, every, "alleyvalley"),
		"other windows": split(t, 0, c, "alley", "valley"), "another split": split(t, 0.4, every, "alley", "valley"),
	} {
		if k.Digest() == base {
			t.Errorf("%s: the same digest", what)
		}
	}
}

func TestFrequencies(t *testing.T) {
	k := split(t, 0, every, "aab")
	// a twice, b once, each of four tokens once more: labels of all windows are a b b.
	if got, want := k.Frequencies(k.Test, math.Log), -(math.Log(3./7)+2*math.Log(2./7))/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// Whatever the text, its sentences make it up, pieces turn into tokens and back, and each window's
// labels are its inputs one later.
func FuzzSplit(f *testing.F) {
	f.Add("One two. Three? \"Four.\"\n\nfive", true, true)
	f.Add("\u0130.\r\n'a'b' c\u0301", false, false)
	f.Fuzz(func(t *testing.T, text string, byWords, fold bool) {
		read, err := Read("f", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") || utf8.ValidString(text) {
				t.Fatal(err)
			}
			return
		}
		text = read.Text
		c := Choices{Cut: Cut{By: Characters, Fold: fold}, Vocabulary: 1 << 19, MinCount: 1, Window: 5, Stride: 3}
		if byWords {
			c.By = Words
		}
		all := slices.Collect(Sentences(text))
		if strings.Join(all, "") != text {
			t.Fatalf("sentences %q", all)
		}
		k, err := Split([]Text{read}, 0, c)
		if err != nil {
			return
		}
		var back Vocabulary
		if b, err := json.Marshal(k.Vocabulary); err != nil || json.Unmarshal(b, &back) != nil {
			t.Fatalf("vocabulary %s", b)
		}
		if k.Train.Unknown() != 0 {
			t.Fatal("a piece of the text is unknown")
		}
		x, y := make([]float32, 5), make([]int32, 5)
		for row := range k.Train.Len() {
			k.Train.ReadInputs(x, []int{row})
			k.Train.ReadLabels(y, []int{row})
			for i := range 4 {
				if y[i] != Ignored && y[i+1] != Ignored && float32(y[i]) != x[i+1] {
					t.Fatalf("window %d: %v > %v", row, x, y)
				}
			}
			if y[0] == Ignored {
				t.Fatalf("window %d has no label", row)
			}
		}
	})
}

func problems(err error) string {
	ps, ok := err.(located.Problems)
	if !ok {
		return fmt.Sprintf("not located: %v", err)
	}
	return ps.Error()
}
