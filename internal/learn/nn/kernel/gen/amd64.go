package main

import (
	"errors"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// set is an instruction set: how wide its registers are, and how many rows of a tile they hold.
type set struct {
	name string
	vec  func() reg.VecVirtual
	wide int // float32s of a register
	rows int // of a tile of two registers' width
}

// generator adds the instructions that depend on the set to avo's.
type generator struct {
	*build.Context
	set
	labels    int
	constants *constants
}

func amd64() (asm, stubs []byte, err error) {
	c := build.NewContext()
	c.ConstraintExpr("amd64")
	sets := []set{{name: "AVX2", vec: c.YMM, wide: 8, rows: 6}, {name: "AVX512", vec: c.ZMM, wide: 16, rows: 12}}
	for _, s := range sets {
		g := &generator{Context: c, set: s}
		g.tile("fused", g.fusedStep)
		g.tile("portable", g.portableStep)
		g.copyPanel()
	}
	narrow := &generator{Context: c, set: sets[0]}
	narrow.transpose()
	narrow.image()
	narrow.elements()
	f, err := c.Result()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Name: "gen", Argv: []string{"gen"}, Pkg: "kernel"}
	asm, err1 := printer.NewGoAsm(cfg).Print(f)
	stubs, err2 := printer.NewStubs(cfg).Print(f)
	return asm, stubs, errors.Join(err1, err2)
}

func (g *generator) begin(name, signature, doc string) {
	g.Function(name)
	g.Attributes(attr.NOSPLIT)
	g.SignatureExpr(signature)
	g.Doc(name + " " + doc)
	g.Pragma("noescape")
}

// pointer loads a pointer, count an integer, stride a distance in bytes of float32s.
func (g *generator) pointer(name string) reg.GPVirtual {
	return g.Load(g.Param(name), g.GP64()).(reg.GPVirtual)
}

func (g *generator) count(name string) reg.GPVirtual { return g.pointer(name) }

func (g *generator) stride(name string) reg.GPVirtual {
	r := g.pointer(name)
	g.SHLQ(operand.U8(2), r)
	return r
}

func at(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// row is the address of row n of three from base, each so many bytes after the one before.
func row(base, apart reg.Register, n, disp int) operand.Mem {
	m := at(base, disp)
	if n > 0 {
		m.Index, m.Scale = apart, uint8(n)
	}
	return m
}
