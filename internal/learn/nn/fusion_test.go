package nn

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The language lets a compiler fuse x*y + z, even across statements, and on
// arm64, or amd64 with GOAMD64=v3, it does. Only an explicit conversion rounds
// the product. So in the sources whose results must be the same everywhere,
// each product of floats stands in a conversion (or is a constant). So does a
// quotient by a constant: x/2 is compiled as x*0.5.
func TestEveryFloatProductIsRounded(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"*.go", "kernel/*.go", "../dataset/*.go", "../../study/bayes/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		bad, n := unrounded(t, files)
		seen += n
		for _, at := range bad {
			t.Errorf("%s: product of floats (or quotient by a constant) outside a float32() or float64() "+
				"conversion: the compiler may fuse it with an addition", at)
		}
	}
	if seen < 30 {
		t.Errorf("saw only %d products: is the test looking at the sources?", seen)
	}
}

func TestUnroundedProductIsFound(t *testing.T) {
	const src = `package p
func f(a, b, c float32) float32 { d := a * b; d *= a; return float32(a*b) + c + d/2 - d/a }`
	bad, n := check(t, "p.go", src)
	if len(bad) != 3 || n != 4 {
		t.Errorf("found %v of %d products, want 3 of 4", bad, n)
	}
}

func unrounded(t *testing.T, names []string) (bad []string, products int) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, parse(t, fset, name, nil))
		}
	}
	return productsIn(fset, files)
}

func check(t *testing.T, name, src string) (bad []string, products int) {
	fset := token.NewFileSet()
	return productsIn(fset, []*ast.File{parse(t, fset, name, src)})
}

func parse(t *testing.T, fset *token.FileSet, name string, src any) *ast.File {
	f, err := parser.ParseFile(fset, name, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// noImports leaves every imported name without a type, which counts as a float
// in files that import math.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

func productsIn(fset *token.FileSet, files []*ast.File) (bad []string, products int) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	config.Check("p", fset, files, info) // errors: only what needs the imports
	constant := func(e ast.Expr) bool { return info.Types[e].Value != nil }
	importsMath := false
	floats := func(e ast.Expr) bool {
		tv := info.Types[e]
		if constant(e) {
			return false // a constant: computed exactly by the compiler
		}
		basic, ok := types.Typ[types.Invalid], true
		if tv.Type != nil {
			basic, ok = tv.Type.Underlying().(*types.Basic)
		}
		return ok && (basic.Kind() == types.Invalid && importsMath || basic.Info()&types.IsFloat != 0)
	}
	for _, file := range files {
		rounded := map[ast.Expr]bool{}
		importsMath = slices.ContainsFunc(file.Imports,
			func(s *ast.ImportSpec) bool { return s.Path.Value == `"math"` })
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "float32" || id.Name == "float64") {
					rounded[ast.Unparen(n.Args[0])] = true
				}
			case *ast.BinaryExpr:
				if (n.Op == token.MUL || n.Op == token.QUO && constant(n.Y)) && floats(n) {
					products++
					if !rounded[n] {
						bad = append(bad, fset.Position(n.Pos()).String())
					}
				}
			case *ast.AssignStmt:
				if (n.Tok == token.MUL_ASSIGN || n.Tok == token.QUO_ASSIGN && constant(n.Rhs[0])) && floats(n.Lhs[0]) {
					products++
					bad = append(bad, fset.Position(n.Pos()).String())
				}
			}
			return true
		})
	}
	return bad, products
}
