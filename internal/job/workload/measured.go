package workload

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
)

// Operator is what a kernel computes, as measurements name it: what has the same name takes the same time.
type Operator struct {
	Kind          OperatorKind
	Each, M, N, K int64 // so many products of M x K by K x N; of Moves M is bytes, and the others are 0
}

// OperatorKind is what an operator is.
type OperatorKind uint8

// The kinds of operators.
const (
	NoOperator        OperatorKind = iota // one whose shape is not known
	Product                               // matrix products of one shape
	ProductAdded                          // likewise, added to what is there: gradients of later micro-batches
	Attention                             // scores and values of maps that stay on the chip: two products
	AttentionBackward                     // its way back: five
	Moves                                 // what reads and writes memory, whatever it computes meanwhile
	operatorKinds
)

var operatorNames = [operatorKinds]string{"", "matmul", "matmul-add", "attention", "attention-backward", "memory"}

// String is the name in files.
func (k OperatorKind) String() string { return operatorNames[k] }

// OperatorNamed is the kind with a name, and whether there is one.
func OperatorNamed(name string) (OperatorKind, bool) {
	k := slices.Index(operatorNames[:], name)
	return OperatorKind(max(k, 0)), k > 0
}

// String is the operator as a line of a file of measurements has it, without a time: matmul,8192x1024x4096.
func (o Operator) String() string {
	switch {
	case o.Kind == Moves:
		return fmt.Sprintf("%v,%d", o.Kind, o.M)
	case (o.Kind == Product || o.Kind == ProductAdded) && o.Each == 1:
		return fmt.Sprintf("%v,%dx%dx%d", o.Kind, o.M, o.N, o.K)
	}
	return fmt.Sprintf("%v,%dx%dx%dx%d", o.Kind, o.Each, o.M, o.N, o.K)
}

// flop is what one such operator computes in matrix products.
func (o Operator) flop() int64 {
	times := map[OperatorKind]int64{Product: 2, ProductAdded: 2, Attention: 4, AttentionBackward: 10}[o.Kind]
	return times * o.Each * o.M * o.N * o.K
}

// times is how many such operators compute so many FLOP in products.
func (o Operator) times(product int64) int64 {
	if flop := o.flop(); flop > 0 {
		return max(1, product/flop)
	}
	return 1
}

// operatorOf is what a kernel is for so many rows, in which it moves so many bytes.
func operatorOf(k *Kernel, rows, bytes int64) Operator {
	if k.Product == 0 {
		return Operator{Kind: Moves, M: bytes}
	}
	m, deep, each := k.shape(rows)
	o := Operator{Product, each, m, k.N, deep}
	switch {
	case k.N == 0:
		return Operator{}
	case k.By == BySeen && k.Product*rows == (Operator{AttentionBackward, each, m, k.N, deep}).flop():
		o.Kind = AttentionBackward
	case k.By == BySeen:
		o.Kind = Attention
	}
	return o
}

// Measured is how long operators took on a device, without their launch, by measurement. It notes which were asked for.
type Measured struct {
	took    map[Operator]unit.Duration
	used    map[Operator]bool
	missing map[Operator]*Lacking
}

// Lacking is an operator that was not measured.
type Lacking struct {
	Operator
	Kernels  int64         // that are such
	Modelled unit.Duration // as long as the device model makes one
}

// NewMeasured has the times of operators.
func NewMeasured(took map[Operator]unit.Duration) *Measured {
	return &Measured{took, map[Operator]bool{}, map[Operator]*Lacking{}}
}

// of is how long a kernel takes that computes so many FLOP in products, and whether that was measured. otherwise is what
// it takes by the model.
func (t *Measured) of(o Operator, product int64, otherwise unit.Duration) (unit.Duration, bool) {
	if t == nil || o.Kind == NoOperator || o.Kind == Moves && o.M == 0 {
		return 0, false
	}
	n := o.times(product)
	if d, known := t.took[o]; known {
		t.used[o] = true
		return d * unit.Duration(n), true
	}
	l := t.missing[o]
	if l == nil {
		l = &Lacking{Operator: o, Modelled: otherwise / unit.Duration(n)}
		t.missing[o] = l
	}
	l.Kernels += n
	return 0, false
}

// known is of that notes nothing.
func (t *Measured) known(o Operator, product int64, _ unit.Duration) (unit.Duration, bool) {
	if t == nil || o.Kind == NoOperator {
		return 0, false
	}
	d, known := t.took[o]
	return d * unit.Duration(o.times(product)), known
}

// Used is how many operators of the file were asked for, of how many.
func (t *Measured) Used() (used, all int) { return len(t.used), len(t.took) }

// Missing lists what was asked for and is not there, by what it takes in all, the most first.
func (t *Measured) Missing() (all []Lacking) {
	for _, l := range t.missing { // sorted below
		all = append(all, *l)
	}
	slices.SortFunc(all, func(a, b Lacking) int {
		whole := func(l *Lacking) unit.Duration { return unit.Duration(l.Kernels) * l.Modelled }
		return cmp.Or(cmp.Compare(whole(&b), whole(&a)), cmp.Compare(a.Operator.String(), b.Operator.String()))
	})
	return all
}

// Unused lists the operators of the file that nobody asked for, by name.
func (t *Measured) Unused() (all []Operator) {
	for o := range t.took { // sorted below
		if !t.used[o] {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b Operator) int { return cmp.Compare(a.String(), b.String()) })
	return all
}
