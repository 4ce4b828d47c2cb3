package lab

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The words of a text, by what they are: what refers to a place in a book (chapter 2, figure 2-3, lab 14), a hexadecimal
// number, a name (w0, GPT-3, Ethernet1/24, 1F1B), a number.
var textWord = regexp.MustCompile(`((?i:chapters?|labs?|figures?|examples?)\s+\d+(?:-\d+)?(?:\s+(?:to|and)\s+\d+(?:-\d+)?)*)` +
	`|(0x[0-9A-Fa-f]+)|([0-9]*[A-Za-z_][A-Za-z0-9_]*(?:[-/.:][A-Za-z0-9_]+)*)|(\d(?:[\d,]*\d)?(?:\.\d+)*)`)

// figuresIn lists the figures of a text: numbers in digits, and those from two to ten in letters. One is mostly a pronoun.
func figuresIn(text string) (all []string) {
	for _, m := range textWord.FindAllStringSubmatch(text, -1) {
		reference, hex, name, number := m[1], m[2], m[3], m[4]
		switch {
		case reference != "":
		case hex != "" || number != "":
			all = append(all, hex+number)
		case slices.Contains(spelled, strings.ToLower(name)):
			all = append(all, name)
		}
	}
	return all
}

func TestFiguresAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"two hosts of 8 GPUs":                              "two 8",
		"chapter 5 and 6, figures 8-15 to 8-18, GPT-3":     "",
		"Ethernet1/24 has 0x8012, w0 and 1F1B":             "0x8012",
		"[1,0] - 0.5*(y - 1)^2 = 1,024":                    "1,0 0.5 1 2 1,024",
		"10.0.1.N/28 in lab 14, and one of them is at 3/7": "10.0.1 3 7",
	} {
		if got := strings.Join(figuresIn(text), " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// No figure stands in the text of a lab but as a value, as the book's, or as one that nothing changes: a figure that
// does not follow its key is a lie once the key is turned.
func TestEveryFigureOfATextIsAValueOrMarked(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		for _, lone := range loneFigures(l) {
			t.Errorf("lab %d: %s is neither a value nor marked: say {{value NAME}}, {{book N}} or {{fixed N}}", l.Number, lone)
		}
	}
	l, err := Parse("my-lab", folder("# A 1\n> B?\n\nOf 5, {{fixed 6}} and {{value a}}, {{if a > 1}}eight{{end}}.\n\n"+
		"| 9 |\n|---|\n| `z = 3*{{book 2}}` |\n\n```\n7\n```\n\n```fixed\n4\n```\n", "input a = 2 \"x\""))
	if err != nil {
		t.Fatal(err)
	}
	const want = "5 in \"Of 5,\" | eight in \"eight\" | 9 in \"9\" | 3 in \"z = 3*\" | 7 in \"7\""
	if got := strings.Join(loneFigures(l), " | "); got != want {
		t.Errorf("lone figures: %s", got)
	}
}

// loneFigures lists figures of a lab's text, and of the captions of its figures, that are neither values nor marked.
func loneFigures(l *Lab) (all []string) {
	look := func(text string) {
		for _, f := range figuresIn(text) {
			all = append(all, f+` in "`+strings.TrimSpace(text)+`"`)
		}
	}
	l.text.texts(func(in []inline) {
		walk(in, func(i *inline) {
			if i.source == "" {
				look(i.text)
			}
		})
	})
	for _, b := range l.text.blocks {
		if b.kind == fenced && !b.fixed {
			for _, line := range b.lines {
				look(line)
			}
		}
	}
	for _, s := range l.statements {
		if s.verb == "figure" {
			look(s.words[0])
		}
	}
	return all
}
