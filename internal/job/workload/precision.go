package workload

import "slices"

// Format is how numbers lie in memory, and travel.
type Format uint8

// The formats.
const (
	Float32 Format = iota // IEEE 754 binary32
	// BFloat16 is the upper half of a float32, rounded to nearest, ties to even. What is computed is float32,
	// and rounded as it is stored.
	BFloat16
	formats
)

var formatNames = [formats]string{"fp32", "bf16"}

// String is the name that a scenario uses.
func (f Format) String() string { return formatNames[f] }

// Bytes is the size of a number.
func (f Format) Bytes() int64 { return [formats]int64{4, 2}[f] }

// FormatNamed returns the format of a name.
func FormatNamed(name string) (Format, bool) {
	i := slices.Index(formatNames[:], name)
	return Format(max(i, 0)), i >= 0
}

// Precision says in which format a training has what it holds and sends. The zero value is float32 in all of
// them.
type Precision struct {
	Weights     Format // that passes meet; with ZeroParameters as they are gathered, too
	Activations Format // values between layers and their gradients, and what ranks that share layers send
	Kept        Format // what a layer keeps of its inside between forward and backward
	Gradients   Format // of the parameters, as they are added up
	Wire        Format // as what those go from replica to replica
	State       Format // of the optimiser, and of the masters: the weights that updates move
}

// Masters says that updates move other weights than passes meet, in another format, of which those are rounded.
func (p *Precision) Masters() bool { return p.Weights != p.State }

// all returns the formats, in the order of the fields.
func (p *Precision) all() []Format {
	return []Format{p.Weights, p.Activations, p.Kept, p.Gradients, p.Wire, p.State}
}
