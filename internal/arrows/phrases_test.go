package arrows

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const glossary = "../../docs/glossary.md"

// forbidden are the phrases of the glossary's last table, "Do not write".
func forbidden(t *testing.T) (text string, all []*regexp.Regexp) {
	t.Helper()
	src, err := os.ReadFile(glossary)
	if err != nil {
		t.Fatal(err)
	}
	text, table, found := strings.Cut(string(src), "\n## Do not write\n")
	if !found {
		t.Fatal("the glossary has no table of what not to write")
	}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.Contains(line, "---") || strings.TrimSpace(cells[1]) == "not" {
			continue
		}
		for phrase := range strings.SplitSeq(cells[1], ",") {
			words := strings.Fields(phrase)
			for i := range words {
				words[i] = regexp.QuoteMeta(words[i])
			}
			all = append(all, regexp.MustCompile(`(?i)\b`+strings.Join(words, `\s+`)+`\b`))
		}
	}
	if len(all) < 10 {
		t.Fatalf("only %d phrases", len(all))
	}
	return text, all
}

// What users read is in the trade's words: no string of the program, no page and no lab has a phrase that the glossary says not to
// write.
func TestNoForbiddenPhrases(t *testing.T) {
	text, phrases := forbidden(t)
	find := func(where, said string) {
		for _, p := range phrases {
			if at := p.FindString(said); at != "" {
				t.Errorf("%s: %q: see docs/glossary.md, Do not write", where, at)
			}
		}
	}
	find("docs/glossary.md", text)
	for _, root := range []string{"../../README.md", "../../docs", "../../labs", "../../examples"} {
		each(t, root, func(path string, src []byte) {
			if ext := filepath.Ext(path); (ext == ".md" || ext == ".txt" || ext == ".yaml") && filepath.Base(path) != "glossary.md" {
				find(path, string(src))
			}
		})
	}
	strs := 0
	for _, root := range []string{"../../cmd", "../../internal"} {
		each(t, root, func(path string, src []byte) {
			if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					if said, err := strconv.Unquote(l.Value); err == nil {
						strs++
						find(path, said)
					}
				}
				return true
			})
		})
	}
	if strs < 10000 {
		t.Errorf("only %d strings were read", strs)
	}
}

// each reads the files below a root.
func each(t *testing.T, root string, read func(path string, src []byte)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == "testdata" || d.Name() == "node_modules") {
				return filepath.SkipDir
			}
			return err
		}
		src, err := os.ReadFile(path)
		if err == nil {
			read(path, src)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The test would see a phrase, also where a line ends in it.
func TestForbiddenPhrasesAreSeen(t *testing.T) {
	_, phrases := forbidden(t)
	for _, said := range []string{"the bytes of\nothers fill it", "It was felt as pause", "Bits were put on wires"} {
		seen := false
		for _, p := range phrases {
			seen = seen || p.MatchString(said)
		}
		if !seen {
			t.Errorf("%q is not seen", said)
		}
	}
}
