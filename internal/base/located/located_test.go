package located

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"railyard/internal/base/shown"
)

func TestProblemText(t *testing.T) {
	for _, c := range []struct {
		p    Problem
		want string
	}{
		{Problem{File: "a.yaml", Line: 2, Column: 7, Path: "x.y", Message: "wrong", Hint: "want z"},
			"a.yaml:2:7: x.y: wrong; want z"},
		{Problem{File: "a.yaml", Message: "wrong"}, "a.yaml: wrong"},
		{Problem{File: "a.yaml", Path: "x", Message: "odd", Set: true, Warning: true}, "--set warning: x: odd"},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Problems come out in the order of the text, each once.
func TestSorted(t *testing.T) {
	ps := Problems{{Line: 3, Column: 1}, {File: "b", Line: 1, Column: 1}, {Line: 1, Column: 9},
		{Line: 1, Column: 2, Message: "b"}, {Line: 1, Column: 2, Message: "a"}, {Line: 3, Column: 1}}
	var got []string
	for _, p := range ps.Sorted() {
		got = append(got, fmt.Sprint(p.File, p.Line, ":", p.Column, p.Message))
	}
	if want := "1:2a 1:2b 1:9 3:1 b1:1"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
	if Problems(nil).Err() != nil {
		t.Error("no problem is an error")
	}
}

// A long list is cut, and says where the rest begins.
func TestMost(t *testing.T) {
	var ps Problems
	for i := range 2*Most + 1 {
		ps = append(ps, Problem{File: "f", Line: i + 1, Column: 1, Message: "wrong"})
		if ps.Full() != (i >= Most) {
			t.Fatalf("%d problems: full is %v", i+1, ps.Full())
		}
	}
	got := ps.Sorted()
	if last := got[len(got)-1].String(); len(got) != Most+1 ||
		last != "f:101:1: and at least 101 more problems from here on" {
		t.Errorf("%d problems, the last is %s", len(got), last)
	}
	got = ps[:Most+1].Sorted()
	if last := got[len(got)-1].String(); last != "f:101:1: and at least one more problem from here on" {
		t.Errorf("the last is %s", last)
	}
}

func TestRender(t *testing.T) {
	src := []byte("cluster: {hosts: 2}\njob: {flows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB, prioritty: " +
		"data}]}\r\n" +
		"# " + strings.Repeat("x", 300))
	wrong := Problems{{File: "a.yaml", Line: 2, Column: 62, Width: 9, Path: "job.flows[0].prioritty",
		Message: "unknown key", Hint: "did you mean priority?"}}
	var plainText, coloured bytes.Buffer
	wrong.Render(&plainText, src)
	wrong.Render(shown.NewWriter(&coloured, true), src)
	want := `a.yaml:2:62: job.flows[0].prioritty: unknown key
    2 | lows: [{from: host1/gpu0, to: host2/gpu0, bytes: 1MB, prioritty: data}]}
      |                                                       ^^^^^^^^^
      = did you mean priority?
`
	if plainText.String() != want {
		t.Errorf("got:\n%swant:\n%s", plainText.String(), want)
	}
	strip := strings.NewReplacer("\x1b[31m", "", "\x1b[36m", "", "\x1b[1m", "", "\x1b[0m", "")
	if strip.Replace(coloured.String()) != want || !strings.Contains(coloured.String(), "\x1b[31m^^^^^^^^^\x1b[0m") {
		t.Errorf("in colour: %q", coloured.String())
	}
	long := Problems{{File: "a.yaml", Line: 3, Column: 250, Width: 500, Message: "far to the right"}}
	plainText.Reset()
	long.Render(&plainText, src)
	for line := range strings.SplitSeq(plainText.String(), "\n") {
		if len(line) > 80 {
			t.Errorf("%d characters: %s", len(line), line)
		}
	}
}

// What a terminal would obey is shown as escapes, wherever it comes from, and the caret stands under
// what is wrong.
func TestRenderEscapes(t *testing.T) {
	var b bytes.Buffer
	line := "a\x1b]0;x\x07 \tb\u202e \xff wrong" + strings.Repeat(" \u2066", 40)
	p := Problem{File: "\x1b[2J.yaml", Line: 1, Column: 15, Width: 5, Path: "k\u202e", Message: "x\u009b31m\ny", Hint: "\x7f"}
	Problems{p}.Render(&b, []byte(line))
	want := `\x1b[2J.yaml:1:15: k\u202e: x\u009b31m\ny
    1 | a\x1b]0;x\x07  b\u202e \xff wrong \u2066 \u2066 \u2066 \u2066 \u2066
      |                             ^^^^^
      = \x7f
`
	if b.String() != want {
		t.Errorf("got:\n%swant:\n%s", b.String(), want)
	}
	if got := p.String(); got != `\x1b[2J.yaml:1:15: k\u202e: x\u009b31m\ny; \x7f` {
		t.Error(got)
	}
	b.Reset()
	p.Column, p.Width = 13, 1 // under a character that is shown as four
	Problems{p}.Render(&b, []byte(line))
	if !strings.Contains(b.String(), " |                        ^^^^\n") {
		t.Error(b.String())
	}
}

// What is shown of a line is the same as of a line that is not so long, wherever problems lie.
func TestExcerptOfLongLines(t *testing.T) {
	line := []byte(strings.Repeat("0123456789", 100_000))
	s := &source{text: line, column: 1}
	for _, column := range []int{1, 30, 500_005, 999_990, 1_000_001, 40, 7_000_000} {
		text, before, _ := s.excerpt(column, 1)
		from := min(max(column-1-excerptWidth/2, 0), len(line)-excerptWidth)
		if want := min(column-1, len(line)) - from; text != string(line[from:from+excerptWidth]) || before != want {
			t.Errorf("column %d: %d before of %s, want %d", column, before, text, want)
		}
	}
}

// Columns count characters, whatever their bytes.
func TestColumns(t *testing.T) {
	var got []string
	for _, w := range AppendWords(nil, "  ä\tbö \v x\r") {
		got = append(got, fmt.Sprintf("%s@%d+%d", w.Text, w.Column, w.Width()))
	}
	if want := "ä@3+1 bö@5+2 x@10+1"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
	ps := Problems{{Line: 2, Column: 6}, {Line: 2, Column: 99}, {Line: 7, Column: 3}}
	ps.InCharacters([]byte("x\näö x\n")) // x is byte 6 of its line
	if ps[0].Column != 4 || ps[1].Column != 5 || ps[2].Column != 3 {
		t.Errorf("%+v", ps)
	}
}

func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"400G": "400G", "näme": "näme", "": `""`, "a b": `"a b"`, "a\nb": `"a\nb"`, "\x1b[31m": `"\x1b[31m"`,
		strings.Repeat("x", 50): `"` + strings.Repeat("x", 40) + `..."`,
	} {
		if got := Shown(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// What package unit says of a value is shown as all else is.
func TestBare(t *testing.T) {
	for _, c := range []struct{ text, err, want string }{
		{"400G", `"400G": unknown unit "G"`, `400G: unknown unit "G"`},
		{"4 G", `"4 G": unknown unit "G"`, `"4 G": unknown unit "G"`},
		{"4", "too large", "too large"},
	} {
		if got := Bare(c.text, errors.New(c.err)).Error(); got != c.want {
			t.Errorf("%s: %s, want %s", c.err, got, c.want)
		}
	}
}

// Whatever the text, words cover all that is not blank and are where they say, and a place in it
// renders.
func FuzzWords(f *testing.F) {
	f.Add("link h1 s1 400G 20m")
	f.Add("\xff ä\t\x00")
	f.Fuzz(func(t *testing.T, line string) {
		line, _, _ = strings.Cut(line, "\n")
		words := AppendWords(nil, line)
		rest := strings.NewReplacer(" ", "", "\t", "", "\r", "", "\v", "", "\f", "").Replace(line)
		for _, w := range words {
			if !strings.HasPrefix(rest, w.Text) {
				t.Fatalf("word %q, want the beginning of %q", w.Text, rest)
			}
			rest = rest[len(w.Text):]
			if before := string([]rune(line)[:w.Column-1]); utf8.ValidString(line) &&
				!strings.HasPrefix(line[len(before):], w.Text) {
				t.Fatalf("%q is not at column %d of %q", w.Text, w.Column, line)
			}
			p := Problem{File: "f", Line: 1, Column: w.Column, Width: w.Width(), Message: Shown(w.Text)}
			if strings.ContainsAny(p.String(), "\n\r") {
				t.Fatalf("more than one line: %q", p.String())
			}
			var b bytes.Buffer
			Problems{p}.Render(&b, []byte(line))
			if s := b.String(); shown.Lines(s) != s || strings.Count(s, "\n") != 3 {
				t.Fatalf("%q renders %q", line, s)
			}
		}
		if rest != "" {
			t.Fatalf("no word holds %q", rest)
		}
	})
}

// Columns are found without room for every line: a file of nothing but line feeds has as many lines as bytes.
func TestInCharactersTakesNoRoom(t *testing.T) {
	src := bytes.Repeat([]byte("\n"), 1<<20)
	ps := Problems{{Line: 1 << 20, Column: 1}, {Line: 3, Column: 1}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ps.InCharacters(src)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<10 {
		t.Errorf("%d bytes for a file of %d, want a few", took, len(src))
	}
	if ps[0].Line != 1<<20 || ps[0].Column != 1 {
		t.Errorf("%+v", ps)
	}
}

// A line that is too long is told by its number, and not quoted.
func TestLongLine(t *testing.T) {
	long := strings.Repeat("x", MostLine)
	if err := LongLine("f", []byte("a\n"+long[1:]+"\n"+long)); err != nil {
		t.Error(err)
	}
	if err := LongLine("f", []byte("a\n"+long+"x\n")); err == nil || err.Error() != "f: line 2 has 65538 bytes, want at most 65536" {
		t.Error(err)
	}
}

// The first line that is too long, wherever it stands: as one finds it who looks at each.
func TestLongLineAmongOthers(t *testing.T) {
	long := 0
	rapid.Check(t, func(t *rapid.T) {
		var src strings.Builder
		length := rapid.SampledFrom([]int{0, 1, 1000, MostLine / 2, MostLine - 2, MostLine - 1, MostLine})
		for _, n := range rapid.SliceOfN(length, 1, 12).Draw(t, "lines") {
			src.WriteString(strings.Repeat("x", n) + "\n")
		}
		text := strings.TrimSuffix(src.String(), rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end"))
		want, n := "", 0
		for line := range strings.Lines(text) {
			if n++; len(line) > MostLine {
				want = fmt.Sprintf("f: line %d has %d bytes, want at most %d", n, len(line), MostLine)
				long++
				break
			}
		}
		got := ""
		if err := LongLine("f", []byte(text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
	if long == 0 {
		t.Error("no line was too long")
	}
}

// A message is broken between words where a terminal is narrower, and stays one line where nobody says how wide it is.
func TestMessagesFitTheTerminal(t *testing.T) {
	p := Problems{{File: "a.yaml", Line: 1, Column: 3, Width: 2, Path: "fabric.design",
		Message: "fat-tree: unknown, want rail-optimized, single-switch or leaf-spine",
		Hint:    "did you mean leaf-spine, which has two tiers?"}}
	const src = "a: fat-tree\n"
	for _, c := range []struct {
		columns int
		want    string
	}{
		{0, "a.yaml:1:3: fabric.design: fat-tree: unknown, want rail-optimized, single-switch or leaf-spine\n" +
			"    1 | a: fat-tree\n      |   ^^\n      = did you mean leaf-spine, which has two tiers?\n"},
		{40, "a.yaml:1:3: fabric.design: fat-tree:\n    unknown, want rail-optimized,\n    single-switch or leaf-spine\n" +
			"    1 | a: fat-tree\n      |   ^^\n      = did you mean leaf-spine, which\n        has two tiers?\n"},
		{20, "a.yaml:1:3: \n    fabric.design:\n    fat-tree:\n    unknown, want\n    rail-optimized,\n" +
			"    single-switch or\n    leaf-spine\n" +
			"    1 | a: fat-tree\n      |   ^^\n      = did you mean\n        leaf-spine,\n        which has\n        two tiers?\n"},
	} {
		var b strings.Builder
		p.RenderWidth(&b, []byte(src), c.columns)
		if b.String() != c.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", c.columns, b.String(), c.want)
		}
	}
}

// Whatever the text and the width: the words are those, in order, and only a word that is longer than a line makes a line
// longer than the terminal.
func FuzzFolded(f *testing.F) {
	f.Add("a message of some words", 12, 4, 20)
	f.Add("  blanks  and aVeryLongWordThatDoesNotFit", 3, 8, 16)
	f.Add("a messa\xbf\xea\x1c?O{l\xff\xf2[\x9c\xc3}\x9e\xde\xc1eK~?ge of\xa0some yyyyywords", 2, 4, 29)
	f.Add("\x16 blanks  and aVeryLongWordTha\x92Doe\xff\xffotF\x94W\xee\f\xc3Z>it", 95, 8, 31)
	f.Fuzz(func(t *testing.T, text string, at, indent, columns int) {
		if at < 0 || at > 200 || indent < 0 || indent > 8 || columns < 20 || columns > 200 ||
			strings.ContainsAny(text, "\n\r") {
			return
		}
		got := folded(text, at, indent, columns)
		if !slices.Equal(strings.Fields(got), strings.Fields(text)) {
			t.Errorf("%q became %q", text, got)
		}
		for i, line := range strings.Split(got, "\n") {
			n := utf8.RuneCountInString(line)
			if i == 0 {
				n += at
			}
			if n > columns && len(strings.Fields(line)) > 1 {
				t.Errorf("%d columns of %d: %q", n, columns, line)
			}
		}
	})
}
