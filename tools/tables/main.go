// Command tables makes the tables of docs that many runs stand behind, as Markdown.
//
//	go run ./tools/tables [--write] [NAME...]      default: all
//
// It runs in the folder of the repository. With --write a table takes the place of the old one in its
// document, between the lines <!-- NAME --> and <!-- /NAME -->; it is printed in either case. The same bytes
// come out on every machine: a test makes some rows of each and looks for them in the document.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A table is made by runs and lies in a document.
type table struct {
	name, doc string
	head      []string
	rows      int
	row       func(ctx context.Context, i int) ([]string, error) // row i
}

var tables = []table{seeds, cures, figure, elephants, permutations, incasts, space, lossy}

func main() {
	write := flag.Bool("write", false, "put each table into its document")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/tables [--write] [NAME...]; names:", strings.Join(names(), ", "))
	}
	flag.Parse()
	want := flag.Args()
	if len(want) == 0 {
		want = names()
	}
	for _, name := range want {
		i := slices.Index(names(), name)
		if i < 0 {
			flag.Usage()
			os.Exit(2)
		}
		if err := produce(&tables[i], *write); err != nil {
			fmt.Fprintf(os.Stderr, "tables: %s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

func names() (all []string) {
	for _, t := range tables {
		all = append(all, t.name)
	}
	return all
}

// produce makes a table and prints or writes it.
func produce(t *table, write bool) error {
	text := ""
	add := func(line string) {
		text += line + "\n"
		fmt.Println(line)
	}
	add(line(t.head))
	add("|" + strings.Repeat("---|", len(t.head)))
	for i := range t.rows {
		row, err := t.row(context.Background(), i)
		if err != nil {
			return err
		}
		add(line(row))
	}
	if !write {
		return nil
	}
	old, err := os.ReadFile(t.doc)
	if err != nil {
		return err
	}
	fresh, err := replace(string(old), t.name, text)
	if err != nil {
		return fmt.Errorf("%s: %w", t.doc, err)
	}
	return os.WriteFile(t.doc, []byte(fresh), 0o644)
}

// line is a row of Markdown.
func line(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

// replace puts a table between its marks.
func replace(doc, name, text string) (string, error) {
	begin, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- /%s -->\n", name)
	before, rest, found := strings.Cut(doc, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("want a line %q and below it %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + "\n" + text + "\n" + end + after, nil
}
