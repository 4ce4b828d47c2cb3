package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// An edit replaces bytes of a file: one mistake.
type edit struct {
	at, end  int // offsets in the file
	old, new string
}

// swaps are the mistakes with operators: a boundary, a sign, a connective.
var swaps = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.REM: {token.MUL}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.OR}, token.AND_NOT: {token.AND},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.OR_ASSIGN: {token.AND_ASSIGN}, token.AND_ASSIGN: {token.OR_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

// finder collects the edits of one function.
type finder struct {
	file *source
	info *types.Info
	all  []edit
}

// edits are all mistakes that the operators make of a function. Left out is what no input can show:
// texts of messages and panics, conditions of which only a panic depends (a guard against our own
// mistakes), capacities, steps of loops (they hang).
func edits(file *source, info *types.Info, fn *ast.FuncDecl) []edit {
	f := &finder{file: file, info: info}
	if fn.Body == nil || slices.Contains([]string{"String", "Error", "GoString", "Format"}, fn.Name.Name) {
		return nil
	}
	sig := info.Defs[fn.Name].Type().(*types.Signature)
	f.walk(fn.Body, sig)
	return f.all
}

// walk visits a node inside a function of the given signature.
func (f *finder) walk(n ast.Node, sig *types.Signature) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.walk(n.Body, f.info.TypeOf(n).(*types.Signature))
			return false
		case *ast.CallExpr:
			return f.call(n, sig)
		case *ast.ForStmt:
			for _, part := range []ast.Node{n.Init, n.Cond, n.Body} {
				if part != nil && !isNil(part) {
					f.walk(part, sig)
				}
			}
			return false
		case *ast.IfStmt:
			return f.branch(n, sig)
		case *ast.BlockStmt:
			f.removals(n.List)
		case *ast.CaseClause:
			f.removals(n.Body)
		case *ast.BinaryExpr:
			f.swap(n.OpPos, n.Op)
		case *ast.AssignStmt:
			f.swap(n.TokPos, n.Tok)
		case *ast.IncDecStmt:
			f.swap(n.TokPos, n.Tok)
		case *ast.UnaryExpr:
			if x, ok := n.X.(*ast.BasicLit); ok && n.Op == token.SUB && x.Value == "1" {
				f.add(n.Pos(), n.End(), "0") // none becomes the first
				return false
			}
		case *ast.BasicLit:
			f.literal(n)
		case *ast.Ident:
			if obj, ok := f.info.Uses[n].(*types.Const); ok && obj.Parent() == types.Universe {
				if to := map[string]string{"true": "false", "false": "true"}[n.Name]; to != "" {
					f.add(n.Pos(), n.End(), to)
				}
			}
		case *ast.ReturnStmt:
			f.zeroes(n, sig)
		}
		return true
	})
}

func isNil(n ast.Node) bool {
	switch n := n.(type) {
	case ast.Stmt:
		return n == nil
	case ast.Expr:
		return n == nil
	}
	return false
}

func (f *finder) add(from, to token.Pos, text string) {
	at, end := f.file.offset(from), f.file.offset(to)
	f.all = append(f.all, edit{at, end, f.file.text[at:end], text})
}

func (f *finder) swap(at token.Pos, op token.Token) {
	for _, to := range swaps[op] {
		f.add(at, at+token.Pos(len(op.String())), to.String())
	}
}

// call takes min for max, and says whether the arguments may be changed.
func (f *finder) call(n *ast.CallExpr, sig *types.Signature) bool {
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		if _, ok := f.info.Uses[fun].(*types.Builtin); !ok {
			return true
		}
		switch fun.Name {
		case "panic":
			return false
		case "min":
			f.add(fun.Pos(), fun.End(), "max")
		case "max":
			f.add(fun.Pos(), fun.End(), "min")
		case "make":
			if len(n.Args) == 2 && !isMap(f.info.TypeOf(n)) {
				f.walk(n.Args[1], sig)
			} else if len(n.Args) == 3 {
				f.walk(n.Args[1], sig)
			}
			return false
		}
	case *ast.SelectorExpr:
		x, ok := fun.X.(*ast.Ident)
		if !ok {
			return true
		}
		if p, ok := f.info.Uses[x].(*types.PkgName); ok {
			path := p.Imported().Path()
			return path != "fmt" && path != "errors" && (path != "slices" || fun.Sel.Name != "Grow")
		}
	}
	return true
}

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// branch negates a condition, and says whether the parts of the statement may be changed.
func (f *finder) branch(n *ast.IfStmt, sig *types.Signature) bool {
	if len(n.Body.List) == 1 && onlyPanics(n.Body.List[0]) {
		if n.Else != nil {
			f.walk(n.Else, sig)
		}
		return false
	}
	cond, ok := n.Cond.(*ast.BinaryExpr)
	if !ok || len(swaps[cond.Op]) == 1 && cond.Op != token.EQL && cond.Op != token.NEQ {
		at, end := f.file.offset(n.Cond.Pos()), f.file.offset(n.Cond.End())
		f.add(n.Cond.Pos(), n.Cond.End(), "!("+f.file.text[at:end]+")")
	}
	if ok && f.extreme(n, cond) { // if a < b { b = a }: where they are equal it is the same
		f.add(cond.OpPos, cond.OpPos+token.Pos(len(cond.Op.String())), swaps[cond.Op][1].String())
		f.walk(cond.X, sig)
		f.walk(cond.Y, sig)
		f.walk(n.Body, sig)
		return false
	}
	return true
}

// extreme says whether a statement keeps the smaller or the larger of two.
func (f *finder) extreme(n *ast.IfStmt, cond *ast.BinaryExpr) bool {
	if len(swaps[cond.Op]) != 2 || len(n.Body.List) != 1 || n.Init != nil || n.Else != nil {
		return false
	}
	set, ok := n.Body.List[0].(*ast.AssignStmt)
	if !ok || len(set.Lhs) != 1 || set.Tok != token.ASSIGN {
		return false
	}
	x, y := types.ExprString(cond.X), types.ExprString(cond.Y)
	l, r := types.ExprString(set.Lhs[0]), types.ExprString(set.Rhs[0])
	return l == x && r == y || l == y && r == x
}

func onlyPanics(s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	fun, ok := call.Fun.(*ast.Ident)
	return ok && fun.Name == "panic"
}

// removals leave out one statement.
func (f *finder) removals(stmts []ast.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if onlyPanics(s) {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		f.add(s.Pos(), s.End(), "")
	}
}

// literal makes a constant one more.
func (f *finder) literal(n *ast.BasicLit) {
	if n.Kind != token.INT && n.Kind != token.FLOAT {
		return
	}
	v := constant.BinaryOp(constant.MakeFromLiteral(n.Value, n.Kind, 0), token.ADD, constant.MakeInt64(1))
	if n.Kind == token.INT {
		f.add(n.Pos(), n.End(), v.ExactString())
		return
	}
	x, _ := constant.Float64Val(v)
	f.add(n.Pos(), n.End(), strconv.FormatFloat(x, 'g', -1, 64))
}

// zeroes return nothing in the place of one result.
func (f *finder) zeroes(n *ast.ReturnStmt, sig *types.Signature) {
	if len(n.Results) != sig.Results().Len() {
		return
	}
	for i, x := range n.Results {
		zero := zeroOf(sig.Results().At(i).Type())
		at, end := f.file.offset(x.Pos()), f.file.offset(x.End())
		if id, ok := x.(*ast.Ident); ok && (id.Name == "true" || id.Name == "false") {
			continue // a flip is the same mistake
		}
		if zero != "" && zero != f.file.text[at:end] {
			f.add(x.Pos(), x.End(), zero)
		}
	}
}

func zeroOf(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsNumeric != 0:
			return "0"
		case u.Info()&types.IsString != 0:
			return `""`
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Signature, *types.Interface, *types.Chan:
		if _, ok := t.(*types.TypeParam); !ok {
			return "nil"
		}
	}
	return ""
}
