package lab

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// indexLine is a line of labs/index.txt: a number of the book, and where a lab shows it.
type indexLine struct {
	line    int
	chapter int
	number  string
	kind    string
	lab     int // 0: none
	name    string
	what    string
}

func (l *indexLine) String() string { return fmt.Sprintf("labs/index.txt:%d: %s", l.line, l.number) }

// readIndex reads labs/index.txt. A line that cannot be read is told.
func readIndex(t *testing.T) (all []indexLine) {
	t.Helper()
	for i, line := range strings.Split(readFile(t, "../../../labs/index.txt"), "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) < 5 {
			t.Fatalf("labs/index.txt:%d: want chapter, number, kind, where and what", i+1)
		}
		l := indexLine{line: i + 1, number: f[1], kind: f[2], what: strings.Join(f[4:], " ")}
		l.chapter, _ = strconv.Atoi(f[0])
		if !slices.Contains([]string{"exact", "shape", "illustrative", "erratum", "later"}, l.kind) {
			t.Errorf("%s is %q, want exact, shape, illustrative, erratum or later", &l, l.kind)
		}
		if l.kind != "later" {
			number, name, _ := strings.Cut(f[3], ":")
			l.lab, _ = strconv.Atoi(number)
			l.name = name
		} else if f[3] != "-" {
			t.Errorf("%s comes later, and is shown by %s", &l, f[3])
		}
		all = append(all, l)
	}
	return all
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEveryNumberOfTheBookHasALine(t *testing.T) {
	lines := readIndex(t)
	for _, n := range bookNumbers(readFile(t, "testdata/facts.md")) {
		switch {
		case len(lines) == 0 || lines[0].chapter != n.chapter:
			t.Fatalf("facts.md:%d: chapter %d: %s in %q has no line in labs/index.txt", n.line, n.chapter, n.text, n.around)
		case lines[0].number != n.text:
			t.Fatalf("facts.md:%d: %s in %q has no line: %s (%s) stands in its place", n.line, n.text, n.around, &lines[0],
				lines[0].what)
		}
		lines = lines[1:]
	}
	for _, l := range lines {
		t.Errorf("%s (%s) is nowhere in chapter %d of facts.md", &l, l.what, l.chapter)
	}
}

func TestEveryLineNamesWhatALabShows(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[int]*labShows{}
	for _, l := range all {
		shown[l.Number] = showsOf(t, l)
	}
	for _, l := range readIndex(t) {
		if l.kind == "later" {
			continue
		}
		s := shown[l.lab]
		if s == nil {
			t.Errorf("%s: there is no lab %d", &l, l.lab)
			continue
		}
		s.check(t, &l)
	}
}

// textMark marks a figure in a text.
var textMark = regexp.MustCompile(`\{\{(?:book|fixed) (.*?)\}\}`)

// stated stands in the place of a number where the book states something without one.
const stated = "statement"

// labShows is what a lab shows without having run.
type labShows struct {
	values map[string]float64 // a value that only a run has is the expected one
	texts  map[string]bool    // numbers in the text and in tables
	words  string             // the text and what is expected, on one line
}

func showsOf(t *testing.T, l *Lab) *labShows {
	t.Helper()
	g := &ledger{lab: l, scenario: l.Scenario}
	if ps := g.pass(); len(ps) > 0 {
		t.Fatal(ps)
	}
	s := &labShows{values: map[string]float64{}, texts: map[string]bool{}}
	for name, q := range g.all {
		s.values[name] = math.NaN()
		if !q.unknown {
			s.values[name] = q.Value
		}
	}
	for _, r := range g.rows {
		if r.Quantity.unknown {
			s.values[r.Quantity.Name] = r.Expected
		}
	}
	texts := []string{string(l.files[readmeFile]), string(l.files[expectFile])}
	for _, w := range g.walks {
		for _, table := range w.Tables {
			texts = append(texts, table.Title, strings.Join(table.Columns, " | "))
			for _, row := range table.Rows {
				texts = append(texts, strings.Join(row, " | "))
			}
		}
	}
	s.words = textMark.ReplaceAllString(strings.Join(strings.Fields(strings.Join(texts, " ")), " "), "$1")
	for _, text := range texts {
		for _, line := range strings.Split(text, "\n") {
			for _, n := range numbersOf(line) {
				s.texts[digitsOf(n.text)] = true
			}
		}
	}
	return s
}

// check holds a line of the index against what its lab shows.
func (s *labShows) check(t *testing.T, l *indexLine) {
	t.Helper()
	if l.number == stated {
		said, _, quoted := strings.Cut(strings.TrimPrefix(l.what, `"`), `": `)
		if !quoted || !strings.Contains(s.words, said) {
			t.Errorf("%s: lab %d does not say %q", l, l.lab, said)
		}
		return
	}
	if l.name == "text" {
		if !s.texts[digitsOf(l.number)] {
			t.Errorf("%s (%s) stands neither in the text nor in a table of lab %d", l, l.what, l.lab)
		}
		return
	}
	v, known := s.values[l.name]
	if !known {
		t.Errorf("%s (%s): lab %d has no value %q", l, l.what, l.lab, l.name)
		return
	}
	printed, decimals := printedAs(t, l.number)
	same := math.Abs(v-printed) <= 0.5*math.Pow(10, -float64(decimals))*(1+1e-9)
	switch {
	case l.kind == "exact" && !same:
		t.Errorf("%s (%s): it is exact, but %s of lab %d is %v", l, l.what, l.name, l.lab, v)
	case l.kind == "erratum" && same:
		t.Errorf("%s (%s): it is an erratum, but %s of lab %d is %v", l, l.what, l.name, l.lab, v)
	}
}

// digitsOf writes a number as digits: two is 2, 1,280 is 1280.
func digitsOf(number string) string {
	if i := slices.Index(spelled, number); i >= 0 {
		return strconv.Itoa(i + 2)
	}
	return strings.TrimPrefix(strings.ReplaceAll(number, ",", ""), "+")
}

// printedAs is a number's value and with how many decimals it is printed.
func printedAs(t *testing.T, number string) (float64, int) {
	t.Helper()
	digits := digitsOf(number)
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		t.Errorf("%s is an address: it can stand in a text alone", number)
	}
	_, fraction, _ := strings.Cut(digits, ".")
	return v, len(fraction)
}
