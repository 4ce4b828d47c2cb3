package sheet

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the outcomes in testdata anew")

// The scripts in testdata: commands, ----, what they come to.
//
//	width 60
//	wrap INDENT|TEXT    hang FIRST|REST|TEXT    line TEXT    title TEXT
//	grid ALIGN, columns: rows follow, a line each, cells between bars; "." is an empty row
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, part := range strings.Split(strings.TrimRight(string(b), "\n"), "\n\n\n") {
			script, want, _ := strings.Cut(part, "\n----")
			want = strings.TrimPrefix(want, "\n")
			s, err := play(script)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			got := strings.TrimRight(s.b.String(), "\n")
			check(t, s, script)
			if got != want && !*update {
				t.Errorf("%s:\n%s\n----\n%s\nwant\n%s", file, script, got, want)
			}
			out = append(out, script+"\n----\n"+got)
		}
		if *update {
			if err := os.WriteFile(file, []byte(strings.Join(out, "\n\n\n")+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// check holds the invariants of a sheet.
func check(t *testing.T, s *Sheet, of string) {
	t.Helper()
	for line := range strings.SplitSeq(s.b.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > s.Width || strings.HasSuffix(line, " ") {
			t.Errorf("%d columns of %d, or blanks at its end: %q\nof\n%s", n, s.Width, line, of)
		}
	}
}

// play carries a script out.
func play(script string) (*Sheet, error) {
	s := New(0)
	lines := strings.Split(script, "\n")
	for i := 0; i < len(lines); i++ {
		verb, rest, _ := strings.Cut(lines[i], " ")
		args := strings.Split(rest, "|")
		switch verb {
		case "width":
			n := 0
			if _, err := fmt.Sscan(rest, &n); err != nil {
				return nil, err
			}
			s = New(n)
		case "line":
			s.Line(rest)
		case "title":
			s.Title(rest)
		case "wrap":
			s.Wrap(args[0], args[1])
		case "hang":
			s.Hang(args[0], args[1], args[2])
		case "grid", "columns":
			var rows [][]string
			for ; i+1 < len(lines); i++ {
				if row := lines[i+1]; row == "." {
					rows = append(rows, nil)
				} else {
					rows = append(rows, strings.Split(row, "|"))
				}
			}
			if verb == "grid" {
				s.Grid(rest, rows)
				continue
			}
			s.Columns(turned(rows))
		default:
			return nil, fmt.Errorf("no command %q", verb)
		}
	}
	return s, nil
}

// turned makes of rows the column of names and the others.
func turned(rows [][]string) (names []string, columns [][]string) {
	columns = make([][]string, len(rows[0])-1)
	for _, row := range rows {
		names = append(names, row[0])
		for c := range columns {
			columns[c] = append(columns[c], row[c+1])
		}
	}
	return names, columns
}

// Whatever the width and however long the cells, no line is too long and no word of a column of
// words is lost.
func TestNoLineIsTooLong(t *testing.T) {
	words := strings.Repeat("word ", 30) + strings.Repeat("x", 200)
	rows := [][]string{{strings.Repeat("name", 20), "12345", words}, {"n", "1", "short"}, {words}, {}, {"only", "two"}}
	for width := 0; width < 250; width += 3 {
		for _, align := range []string{"lrw", "wrl", "lrl"} {
			s := New(width)
			s.Grid(align, rows)
			s.Wrap("  - ", words)
			s.Title(words)
			check(t, s, align)
			if n := strings.Count(s.b.String(), "word"); align == "lrw" && n < 4*30 {
				t.Errorf("width %d: %d words of %d", width, n, 4*30)
			}
			if n := strings.Count(s.b.String(), "x"); align == "lrw" && n != 4*200 {
				t.Errorf("width %d: %d letters of %d", width, n, 4*200)
			}
		}
	}
}

// A name in a column that is too narrow to leave out its middle is cut.
func TestShortenInANarrowColumn(t *testing.T) {
	for width := range 4 {
		if got := Shorten("abcdef", width); got != Clip("abcdef", width) || utf8.RuneCountInString(got) > width || width > 0 && got == "" {
			t.Errorf("width %d: %q", width, got)
		}
	}
}
