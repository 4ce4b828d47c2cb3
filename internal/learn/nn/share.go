package nn

// Way is how tensor-parallel ranks share a layer.
type Way uint8

// The ways.
const (
	Whole      Way = iota // not at all: each has all of it
	Columns               // each makes a part of the outputs from all inputs
	Rows                  // each makes a share of all outputs from a part of the inputs
	Gathered              // by columns, and the parts of the outputs are put side by side
	Inside                // from all inputs to all outputs, in parts between them
	InsideBook            // likewise, with more gathered (Pasanen, 2025, chapter 8)
	Vocabulary            // of a language model's head: the outputs stay in parts, for LossPart
	Sequence              // each has a part of the positions between layers, and of the layer what Inside has
	Spread                // replicas have experts of their own each, and send each other positions
	Together              // all of it, on rows of its own each: replicas sum between phases what all their rows have in common
	Ways
)

// Exchange is what ranks that share a layer do together between two of its phases.
type Exchange uint8

// The exchanges.
const (
	Keep     Exchange = iota // nothing
	Sum                      // an all-reduce
	Gather                   // an all-gather of parts
	Scatter                  // a reduce-scatter: of the sum each keeps its part
	Dispatch                 // an all-to-all: Hand.Give has rows for each rank, the next phase's those from each
	Combine                  // likewise, back: what came from a rank goes to it
)

// A Splitter is a layer that ranks may share.
type Splitter interface {
	Layer
	// Split is how in some way; nil: not so.
	Split(way Way) *Split
}

// Undivided is a layer that ranks cannot share.
type Undivided interface {
	// Undivided says why, in words.
	Undivided() string
}

// Split is a layer in equal parts.
type Split struct {
	Widths []Width // what the parts must divide
	// Of returns a part of so many, from 0, and which parameters of the whole layer it has.
	Of func(part, parts int) (*Part, []Piece)
}

// Width is a size that parts must divide, and of what: "heads".
type Width struct {
	Size int
	What string
}

// Piece says which elements of a layer's parameters a part has: those from Whole are those from Part
// of the part's own. What a part has and no piece names is 0 and stays so.
type Piece struct{ Whole, Part, Elems int }

// A Part is a layer as one of the ranks that share it has it: a forward and a backward in phases, between
// which the ranks exchange what each has made. A phase sees its own rank alone.
//
//	rank 0   phase 0 ─┐          ┌─ phase 1
//	rank 1   phase 0 ─┴ exchange ┴─ phase 1
type Part struct {
	In, Out           int // elements of a row as the rank takes and leaves them
	Params            int
	NewSaved          func(rows int) Saved
	Forward, Backward []Phase
	ThroughWork       []Work
	Saved             int // float32 of a row that Forward leaves for Backward
	Notes             int // see Cost.Notes
	// Partial are parameters that all ranks have, each with the gradient of its own positions: so many
	// from a place.
	Partial struct{ At, Elems int }

	// Of Spread: parameters that this rank alone has; the elements of a row of what it sends to all ranks, and of what it
	// gets from them, at most; of what one gets from another; how many counts it sends them; the elements of what is counted.
	Own               struct{ At, Elems int }
	Rooms             [2]int
	Block, Sorts, Row int
}

// Phase is a stretch of a forward or backward.
type Phase struct {
	Name           string // of the operation
	Work           []Work // of a backward: what a layer whose input's gradient nobody wants leaves out
	Gradient       []Work // of a backward: of the parameters
	Inputs, Params bool   // of a forward: it takes the layer's inputs, its parameters
	Run            func(h *Hand)
	// Positions: Work and Gradient are those of one position each, of as many as come in a step: of a row so many, if all ranks
	// get alike. 0: they are those of a row.
	Positions int

	Then    Exchange // what follows
	What    string   // is exchanged
	InPlace bool     // Sum: of y, or of a backward's dx, not of Give
	Elems   int      // of a row, all parts of it
	Fixed   int      // and beside rows
}

// Hand is what a phase works on. The vectors are those of Layer.Forward and Layer.Backward.
type Hand struct {
	Rows      int
	Y, X, P   []float32
	DX, G, D  []float32
	Saved     Saved
	Pass      *Pass
	Got, Give []float32 // Sum: the sum that the phase before asked for, and what this one wants summed
	// Part is room for a part: own before a Gather, and after a Scatter. Wire fills and empties it between.
	Part []float32
	Wire Wire
	// Counts is how many rows go to each rank for each of its experts, or, of what came, from each rank to each own expert.
	Counts []float32
}

// Wire is what the ranks exchange, part by part.
type Wire interface {
	Take(part int) // after a Gather: makes Hand.Part that of a rank
	Put(part int)  // before a Scatter: Hand.Part is for a rank
}

// WholePart is all of a layer as a part: one phase forward and one back.
func WholePart(l Layer) (*Part, []Piece) {
	c := l.Cost()
	return &Part{In: l.In(), Out: l.Out(), Params: l.Params(), NewSaved: l.NewSaved,
		ThroughWork: c.Through, Saved: c.Saved, Notes: c.Notes,
		Forward: []Phase{{Name: "forward", Work: c.Forward, Inputs: true, Params: true, Run: func(h *Hand) {
			l.Forward(h.Y, h.X, h.P, h.Rows, h.Saved, h.Pass)
		}}},
		Backward: []Phase{{Name: "backward", Work: c.Input, Gradient: c.Gradient, Run: func(h *Hand) {
			l.Backward(h.DX, h.G, h.D, h.X, h.P, h.Rows, h.Saved)
		}}}}, []Piece{{Elems: l.Params()}}
}

// byColumns is a layer that makes a part of the outputs: the gradients of its inputs are summed.
func byColumns(l Layer) *Part {
	p, _ := WholePart(l)
	b := &p.Backward[0]
	b.Then, b.What, b.InPlace = Sum, "input-deltas", true
	return p
}

// gathered is a layer that makes a part of the outputs of whole, so many numbers for each of count
// groups of a row, whose parts are then put side by side.
//
//	y of a row   | group 0: part 0 | part 1 | group 1: part 0 | part 1 | ..
func gathered(whole, own Layer, part, parts, groups int) *Part {
	p, of := byColumns(own), side{parts, groups, whole.Out() / groups, own.Out() / groups}
	c, back := whole.Cost(), p.Backward[0]
	p.Out, p.ThroughWork = whole.Out(), c.Through
	f := &p.Forward[0]
	f.Run = func(h *Hand) { own.Forward(h.Part, h.X, h.P, h.Rows, h.Saved, h.Pass) }
	f.Then, f.What, f.Elems = Gather, "outputs", own.Out()*parts
	p.Forward = append(p.Forward, Phase{Name: "join", Work: []Work{{Words: 2 * int64(whole.Out())}},
		Run: func(h *Hand) { of.join(h.Y, h) }})
	p.Backward[0].Run = func(h *Hand) {
		of.cut(h.Part, h.D, part, h.Rows)
		d := h.D
		h.D = h.Part[:h.Rows*own.Out()]
		back.Run(h)
		h.D = d
	}
	return p
}

// side is parts side by side: of each row so many groups, of each group part after part. The last part
// may be wider than what is left.
type side struct{ parts, groups, whole, own int }

// width is how much of a group a part has that is not beyond its end.
func (s side) width(part int) int { return max(0, min(s.own, s.whole-part*s.own)) }

// join puts gathered parts side by side.
func (s side) join(y []float32, h *Hand) {
	for t := range s.parts {
		h.Wire.Take(t)
		s.place(y, h.Part, t, h.Rows)
	}
}

// place puts a part where it belongs.
func (s side) place(y, part []float32, t, rows int) {
	n := s.width(t)
	for i := range rows * s.groups {
		if n > 0 { // else it begins beyond the end
			copy(y[i*s.whole+t*s.own:][:n], part[i*s.own:])
		}
	}
}

// cut takes a part out of the whole.
func (s side) cut(part, y []float32, t, rows int) {
	n := s.width(t)
	for i := range rows * s.groups {
		if n > 0 { // else it begins beyond the end
			copy(part[i*s.own:][:n], y[i*s.whole+t*s.own:])
		}
		clear(part[i*s.own+n:][:s.own-n])
	}
}

// put gives each rank its part to sum.
func (s side) put(y []float32, h *Hand) {
	for t := range s.parts {
		s.cut(h.Part, y, t, h.Rows)
		h.Wire.Put(t)
	}
}
