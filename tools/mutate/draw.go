package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"railyard/internal/base/splitmix"
)

// A source is one file of the package.
type source struct {
	path string // absolute
	text string
	ast  *ast.File
	fset *token.FileSet
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// subject is the package that mutants are drawn from, with what it takes to check a changed file.
type subject struct {
	name    string // below its floor
	fset    *token.FileSet
	files   []*source
	info    *types.Info
	imports types.Importer
}

// folder returns where a package lies, by its name without a floor: internal/engine/roce is roce.
func folder(pkg string) string {
	if found, _ := filepath.Glob(filepath.Join("internal", "*", pkg)); len(found) == 1 {
		return filepath.ToSlash(found[0])
	}
	return "internal/" + pkg
}

// load reads and checks a package. What it imports comes from the build's export data.
func load(name string) (*subject, error) {
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
		DepOnly                 bool
	}
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly",
		"./"+folder(name))
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: go list: %w", name, err)
	}
	exports := map[string]string{}
	var self listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			self = p
		}
	}
	s := &subject{name: name, fset: token.NewFileSet()}
	s.imports = importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	for _, f := range self.GoFiles {
		path := filepath.Join(self.Dir, f)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(s.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, &source{path, string(text), parsed, s.fset})
	}
	s.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}
	return s, s.check(nil, s.info)
}

// check says whether the package compiles with a changed file in the place of its own.
func (s *subject) check(changed map[string]string, info *types.Info) error {
	files := make([]*ast.File, len(s.files))
	for i, f := range s.files {
		files[i] = f.ast
		if text, ok := changed[f.path]; ok {
			parsed, err := parser.ParseFile(s.fset, f.path, text, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files[i] = parsed
		}
	}
	conf := types.Config{Importer: s.imports, Error: nil}
	_, err := conf.Check("railyard/"+folder(s.name), s.fset, files, info)
	return err
}

// drawn is one mutant: a function with one mistake.
type drawn struct {
	edit
	file *source
	fn   *ast.FuncDecl
	name string // of the function, with its receiver
	id   string // the same as long as the function is
	pkg  string // below its floor
}

// where is the place of the mistake, as compilers print it.
func (d *drawn) where() string {
	p := d.file.fset.File(d.file.ast.Pos()).Pos(d.at)
	at := d.file.fset.Position(p)
	return fmt.Sprintf("%s:%d:%d", filepath.Base(at.Filename), at.Line, at.Column)
}

// body is the function's body with the mistake, without its braces.
func (d *drawn) body() string {
	from, to := d.file.offset(d.fn.Body.Lbrace)+1, d.file.offset(d.fn.Body.Rbrace)
	return d.file.text[from:d.at] + d.new + d.file.text[d.end:to]
}

// draw takes at most n mutants that compile, one function after another in an order that the seed
// gives, then each function's second, and so on.
func (s *subject) draw(n int, seed uint64) (out []*drawn) {
	var functions [][]*drawn
	for _, f := range s.files {
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
				if all := candidates(f, s.info, fn); len(all) > 0 {
					shuffle(all, seed, all[0].name)
					functions = append(functions, all)
				}
			}
		}
	}
	shuffle(functions, seed, s.name)
	for round := 0; ; round++ {
		left := false
		for i := range functions {
			for len(functions[i]) > 0 {
				d := functions[i][0]
				functions[i] = functions[i][1:]
				if len(out) == n {
					return out
				}
				if s.check(map[string]string{d.file.path: weave(d.file, []planted{{d, 1}})}, nil) == nil {
					d.pkg = s.name
					out = append(out, d)
					left = true
					break
				}
			}
		}
		if !left {
			return out
		}
	}
}

// candidates are the mutants of one function.
func candidates(f *source, info *types.Info, fn *ast.FuncDecl) (all []*drawn) {
	name := fn.Name.Name
	if fn.Recv != nil {
		recv := fn.Recv.List[0].Type
		if star, ok := recv.(*ast.StarExpr); ok {
			recv = star.X
		}
		name = types.ExprString(recv) + "." + name
	}
	from, to := f.offset(fn.Pos()), f.offset(fn.End())
	seen := map[string]bool{}
	for _, e := range edits(f, info, fn) {
		d := &drawn{edit: e, file: f, fn: fn, name: name}
		h := fnv.New64a()
		fmt.Fprint(h, filepath.Base(f.path), f.text[from:to], e.at-from, e.end-from, e.new)
		d.id = fmt.Sprintf("%016x", h.Sum64())
		if !seen[d.id] {
			seen[d.id] = true
			all = append(all, d)
		}
	}
	return all
}

// shuffle orders by random numbers that the seed and a name give.
func shuffle[T any](all []T, seed uint64, name string) {
	h := fnv.New64a()
	io.WriteString(h, name)
	random := splitmix.Stream(splitmix.Mix(seed) ^ h.Sum64())
	for i := len(all) - 1; i > 0; i-- {
		j := random.Next() % uint64(i+1)
		all[i], all[j] = all[j], all[i]
	}
}
