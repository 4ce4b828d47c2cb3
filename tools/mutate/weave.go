package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// planted is a mutant with the number that the environment calls it by.
type planted struct {
	*drawn
	n int
}

// weave is the text of a file with mutants in it: at the head of a function stand its mutants, each a
// whole body behind the question whether it is the one that runs.
//
//	func f(x int) int { if plantedNow != 0 && plantedIs(7) { return x - 1 }
//		return x + 1
//	}
func weave(f *source, mutants []planted) string {
	heads := map[int]string{} // offset behind the opening brace
	for _, m := range mutants {
		at := f.offset(m.fn.Body.Lbrace) + 1
		heads[at] += fmt.Sprintf(" if plantedNow != 0 && plantedIs(%d) {%s}; ", m.n, m.instead())
	}
	at := make([]int, 0, len(heads))
	for a := range heads {
		at = append(at, a)
	}
	slices.Sort(at)
	var b strings.Builder
	last := 0
	for _, a := range at {
		b.WriteString(f.text[last:a])
		b.WriteString(heads[a])
		last = a
	}
	b.WriteString(f.text[last:])
	text := b.String()
	if len(mutants) == 1 && mutants[0].n == 1 {
		return text + variables // alone, to be checked
	}
	return text
}

// variables stand for chooser where a file is only checked.
const variables = "\nvar plantedNow int; func plantedIs(int) bool { return true }\n"

// instead is the body that runs in the place of the function's own. Labels are of a function, so a
// body with labels gets one.
func (d *drawn) instead() string {
	results := d.fn.Type.Results
	labels := false
	ast.Inspect(d.fn.Body, func(n ast.Node) bool {
		_, is := n.(*ast.LabeledStmt)
		labels = labels || is
		return !labels
	})
	switch {
	case labels && results == nil:
		return "func() {" + d.body() + "}(); return\n"
	case labels:
		from, to := d.file.offset(results.Pos()), d.file.offset(results.End())
		return "return func() " + d.file.text[from:to] + " {" + d.body() + "}()\n"
	case results == nil:
		return d.body() + "\nreturn\n"
	}
	return d.body()
}

// chooser is a file that is added to the package. RAILYARD_MUTANT is the number of the mutant that
// runs; -1: none, but the numbers of those that would have been reached go to RAILYARD_REACHED.
func chooser(pkg string) string {
	return "package " + pkg + `

import (
	plantedfmt "fmt"
	plantedos "os"
	plantedstrconv "strconv"
	plantedsync "sync"
)

var plantedNow = func() int {
	n, _ := plantedstrconv.Atoi(plantedos.Getenv("RAILYARD_MUTANT"))
	return n
}()

var plantedSeen plantedsync.Map

func plantedIs(n int) bool {
	if plantedNow > 0 {
		return plantedNow == n
	}
	if _, was := plantedSeen.LoadOrStore(n, true); !was {
		f, err := plantedos.OpenFile(plantedos.Getenv("RAILYARD_REACHED"),
			plantedos.O_APPEND|plantedos.O_CREATE|plantedos.O_WRONLY, 0o600)
		if err == nil {
			plantedfmt.Fprintln(f, n)
			f.Close()
		}
	}
	return false
}
`
}
