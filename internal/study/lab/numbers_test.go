package lab

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// bookNumber is a number as it is printed, in the section of a chapter.
type bookNumber struct {
	chapter int
	text    string
	line    int    // in the text
	around  string // what stands there
}

// The rules by which numbers of a text are found:
//
//   - headings and what is above the first are left out;
//   - numbers of chapters and figures are left out: "chapter 2", "(also 3, 8)", "figure 2-3", and in a line with a
//     figure any other N-M of the same chapter;
//   - a year from 1990 to 2029 is left out;
//   - a word with a letter in it is a name (w0, FP32, t10k, F1), but 28x28 is two numbers;
//   - a sign directly before the digits belongs to them, unless a letter, a digit or a bracket is before it (2-3);
//   - 1,280 is one number, 1,1 is two; 127.0.0.1 is one;
//   - two to ten in letters are numbers, one is not: it is mostly a pronoun.
var (
	chapterRef = regexp.MustCompile(`(?i)\bchapters? \d+|\(also [0-9, ]+\)`)
	figureRef  = regexp.MustCompile(`\b\d+-\d+\b`)
	aFigure    = regexp.MustCompile(`(?i)\bfigures? (\d+)-\d+`)
	year       = regexp.MustCompile(`\b(199\d|20[0-2]\d)\b`)
	times      = regexp.MustCompile(`\b(\d+)x(\d+)\b`)
	aWord      = regexp.MustCompile(`[A-Za-z0-9_]+(\.[0-9]+|,[0-9]{3}\b)*`)
	wholeWord  = regexp.MustCompile(`^\d+(,\d{3})*(\.\d+)*$`)
	spelled    = []string{"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
)

// bookNumbers returns the numbers of a text, chapter by chapter, in its order.
//
// A line that begins with "- S:" is a statement, whatever numbers it has.
func bookNumbers(text string) (out []bookNumber) {
	chapter := 0
	for i, line := range strings.Split(text, "\n") {
		if after, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "##") {
			chapter, _ = strconv.Atoi(strings.Fields(after)[0])
			continue
		}
		if chapter == 0 {
			continue
		}
		found := numbersOf(line)
		if strings.HasPrefix(line, "- S: ") {
			found = []bookNumber{{text: stated, around: line}}
		}
		for _, n := range found {
			n.chapter, n.line = chapter, i+1
			out = append(out, n)
		}
	}
	return out
}

// numbersOf returns the numbers of a line.
func numbersOf(line string) (out []bookNumber) {
	if f := aFigure.FindStringSubmatch(line); f != nil {
		line = figureRef.ReplaceAllStringFunc(line, func(ref string) string {
			if strings.HasPrefix(ref, f[1]+"-") {
				return "figure"
			}
			return ref
		})
	}
	line = chapterRef.ReplaceAllString(line, "chapter")
	line = year.ReplaceAllString(line, "year")
	line = times.ReplaceAllString(line, "$1 x $2")
	for _, at := range aWord.FindAllStringIndex(line, -1) {
		word := line[at[0]:at[1]]
		switch {
		case slices.Contains(spelled, strings.ToLower(word)):
			word = strings.ToLower(word)
		case !wholeWord.MatchString(word):
			continue
		case at[0] > 0 && strings.ContainsRune("+-", rune(line[at[0]-1])) &&
			(at[0] == 1 || strings.ContainsRune(" (,", rune(line[at[0]-2]))):
			word = line[at[0]-1 : at[1]]
		}
		out = append(out, bookNumber{text: word, around: line[max(0, at[0]-28):min(len(line), at[1]+20)]})
	}
	return out
}

func TestNumbersAreFoundByTheStatedRules(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"z = w0*1 + w1*x1, weights +0.3, -4.0 and 4.84 - 4.3", "1 +0.3 -4.0 4.84 4.3"},
		{"t10k-images of 28x28 bytes in FP32, 101,632 of them", "28 28 101,632"},
		{"x,e = 1,1 and -1,-1: 1 against 0", "1 1 -1 -1 1 0"},
		{"784-128-10, chapter 8's figure 8-16 splits, 8-17 not, 2-3 neither; stage m+3+(4-s)", "784 128 10 2 3 3 4"},
		{"(also 3, 8, 9) from 127.0.0.1 in 2025, 2,048 bytes, 1F1B, 405B", "127.0.0.1 2,048"},
		{"Two steps, one of ten", "two ten"},
		{"2(n-1)/n = 1/(1+e^-z)", "2 1 1 1"},
	} {
		var got []string
		for _, n := range numbersOf(c.line) {
			got = append(got, n.text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.line, s, c.want)
		}
	}
}
