package corpus

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// By says what the pieces of a text are.
type By string

// What pieces may be.
const (
	Characters By = "characters"
	Words      By = "words"
)

// Cut says how a text is cut into pieces.
type Cut struct {
	By   By   `json:"tokens"`
	Fold bool `json:"fold,omitempty"` // to lower case first
}

// Pieces are the pieces of a text in order. Of characters they are its characters, line ends as \n.
// Of words they are runs of letters, digits and marks, with apostrophes inside, and every other
// character that is no space; spaces are left out.
func (c Cut) Pieces(text string) iter.Seq[string] {
	if c.Fold {
		text = strings.ToLower(text)
	}
	if c.By == Characters {
		return characters(text)
	}
	return words(text)
}

func characters(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			_, n := utf8.DecodeRuneInString(text[i:])
			if strings.HasPrefix(text[i:], "\r\n") {
				i++
				continue
			}
			if !yield(text[i : i+n]) {
				return
			}
			i += n
		}
	}
}

func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			n := wordLength(text[i:])
			r, size := utf8.DecodeRuneInString(text[i:])
			switch {
			case n > 0:
			case unicode.IsSpace(r):
				i += size
				continue
			default:
				n = size
			}
			if !yield(text[i : i+n]) {
				return
			}
			i += n
		}
	}
}

// wordLength is how many bytes of a text its first word takes, 0 if it begins with none.
func wordLength(text string) int {
	end := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			end = i + n
		case apostrophe(r) && end == i && i > 0: // inside only: the next must be a letter
		default:
			return end
		}
		i += n
	}
	return end
}

func apostrophe(r rune) bool { return r == '\'' || r == '\u2019' }

// Sentences are the sentences of a text, which they make up without a gap. One ends with a full
// stop, an exclamation or question mark, with the quotes and brackets that close after it and the
// space after them, or at an empty line. An abbreviation's full stop ends one too.
func Sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		begin, ending, spaced, lines := 0, false, false, 0
		for i, r := range text {
			switch {
			case unicode.IsSpace(r):
				spaced = true
				if r == '\n' {
					lines++
				}
				continue
			case spaced && (ending || lines > 1) && i > begin:
				if !yield(text[begin:i]) {
					return
				}
				begin, ending = i, false
			}
			ending = strings.ContainsRune(".!?", r) || ending && !spaced && strings.ContainsRune("\"')]}\u2019\u201d", r)
			spaced, lines = false, 0
		}
		if begin < len(text) {
			yield(text[begin:])
		}
	}
}

// Join writes pieces as a text: characters one after the other, words with a space between them but
// before and after punctuation that takes none.
func (c Cut) Join(pieces []string) string {
	if c.By == Characters {
		return strings.Join(pieces, "")
	}
	var b strings.Builder
	for i, p := range pieces {
		if i > 0 && !strings.Contains(".,;:!?)]}%", p) && !strings.Contains("([{", pieces[i-1]) {
			b.WriteByte(' ')
		}
		b.WriteString(p)
	}
	return b.String()
}
