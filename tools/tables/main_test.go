package main

import (
	"os"
	"strings"
	"testing"
)

// The tables of the documents are what the program makes: their heads, and of most a row or two that take least time.
func TestDocumentsHaveWhatThisMakes(t *testing.T) {
	t.Chdir("../..")
	for _, c := range []struct {
		table *table
		rows  []int
	}{
		{&seeds, []int{0, 1, 2, 3, 4, 5}}, {&figure, []int{0}}, {&elephants, []int{0}},
		{&permutations, []int{1}}, {&incasts, []int{0}}, {&space, []int{0}}, {&lossy, nil},
	} {
		text := documented(t, c.table)
		for _, i := range c.rows {
			row, err := c.table.row(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Split(text, "\n"); lines[3+i] != line(row) {
				t.Errorf("%s, table %s, row %d: %s\nis now %s: go run ./tools/tables --write %s", c.table.doc, c.table.name, i,
					lines[3+i], line(row), c.table.name)
			}
		}
	}
}

// Of a cure the figure of chapter 10, and of none the two pods: a whole row takes longer.
func TestDocumentedCures(t *testing.T) {
	t.Chdir("../..")
	rows := strings.Split(documented(t, &cures), "\n")[3:]
	for i := range curing {
		c := &curing[i]
		if i > 0 && c.pairs == 0 {
			continue
		}
		want, err := c.chapter10(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want = append([]string{c.name}, want...)
		if i == 0 {
			more, err := c.twoPods(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, more...)
		}
		if !strings.HasPrefix(rows[i], strings.TrimSuffix(line(want), "|")) {
			t.Errorf("row %d: %s\nis now %s: go run ./tools/tables --write cures", i, rows[i], line(want))
		}
	}
}

// documented returns what a document has of a table: its name, an empty line, head and rows.
func documented(t *testing.T, of *table) string {
	t.Helper()
	doc, err := os.ReadFile(of.doc)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "<!-- "+of.name+" -->\n\n")
	text, _, found := strings.Cut(text, "\n\n<!-- /"+of.name+" -->")
	if lines := strings.Split(text, "\n"); !found || lines[0] != line(of.head) || len(lines) != 2+of.rows {
		t.Fatalf("%s: no table %s of %d rows with the head %s", of.doc, of.name, of.rows, line(of.head))
	}
	return "\n" + text
}

func TestReplace(t *testing.T) {
	const doc = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n"
	if got, err := replace(doc, "x", "new\n"); err != nil || got != "a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb\n" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := replace(doc, "y", "new\n"); err == nil {
		t.Errorf("%q, want an error", got)
	}
}
