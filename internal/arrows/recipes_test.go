package arrows

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quoted   = regexp.MustCompile("`([^`\n]+)`")
	aPath    = regexp.MustCompile(`^(internal|labs)(/[\w.-]+)*$`)
	aName    = regexp.MustCompile(`^([a-z]+)\.([A-Z]\w*)$`)
	aMethod  = regexp.MustCompile(`^([A-Z]\w*)\.([A-Z]\w*)$`)
	declared = `(?m)^(func (\(\w+ \*?\w+\) )?|var |type |	)`
)

// What the recipes of CONTRIBUTING.md name is there: files, folders, and names of the one map that each begins with.
func TestRecipesNameWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "\n## How to add\n")
	recipes, _, _ := strings.Cut(after, "\n## ")
	wrong, n := unnamed(t, recipes)
	for _, what := range wrong {
		t.Errorf("CONTRIBUTING.md names %s, which is not there", what)
	}
	if n < 30 {
		t.Errorf("%d names were looked up: are the recipes there?", n)
	}
	const mistakes = "`internal/net/balance/nowhere.go` `balance.Nothing` `Plan.Nothing` `nowhere.Methods` `balance.Methods`"
	if wrong, _ = unnamed(t, mistakes); len(wrong) != 4 {
		t.Errorf("of four mistakes these are found: %v", wrong)
	}
}

var aFile = regexp.MustCompile(`(^|[\s(])([a-z][a-z0-9_/]*\.go)\b`)

// A doc.go names files of its package that are there.
func TestDocsNameFilesThatAreThere(t *testing.T) {
	docs, err := filepath.Glob("../*/*/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		wrong, of := absent(filepath.Dir(doc), string(text))
		for _, name := range wrong {
			t.Errorf("%s names %s, which is not there", doc, name)
		}
		n += of
	}
	if n < 20 {
		t.Errorf("%d files are named: are they found?", n)
	}
	if wrong, _ := absent("../arrows", "in doc.go, and in (nowhere.go)"); len(wrong) != 1 {
		t.Errorf("of one mistake these are found: %v", wrong)
	}
}

// absent returns the files that a text names and a folder has not, and how many it names.
func absent(dir, text string) (wrong []string, n int) {
	for _, m := range aFile.FindAllStringSubmatch(text, -1) {
		n++
		if _, err := os.Stat(filepath.Join(dir, m[2])); err != nil {
			wrong = append(wrong, m[2])
		}
	}
	return wrong, n
}

// unnamed returns what a text names that is not there, and how many names it has.
func unnamed(t *testing.T, text string) (wrong []string, n int) {
	for _, q := range quoted.FindAllStringSubmatch(text, -1) {
		name, there := q[1], true
		if aPath.MatchString(name) {
			_, err := os.Stat("../../" + name)
			there = err == nil
		} else if m := aName.FindStringSubmatch(name); m != nil {
			there = declares(t, "../*/"+m[1]+"/*.go", m[2]) || declares(t, "../*/*/"+m[1]+"/*.go", m[2])
		} else if m := aMethod.FindStringSubmatch(name); m != nil {
			there = declares(t, "../*/"+strings.ToLower(m[1])+"/*.go", m[2])
		} else {
			continue
		}
		if n++; !there {
			wrong = append(wrong, name)
		}
	}
	return wrong, n
}

// declares reports whether a file of a pattern declares a name.
func declares(t *testing.T, pattern, name string) bool {
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	find := regexp.MustCompile(declared + name + `\b`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if find.Match(text) {
			return true
		}
	}
	return false
}
