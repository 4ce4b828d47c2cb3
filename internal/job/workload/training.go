package workload

import (
	"cmp"
	"slices"
)

// Buffers of the first stage of a training, by index: with data parallelism alone those of all ranks.
const (
	Gradients int32 = iota
	Parameters
)

// Kinds of group: what it is for.
const (
	GroupKindData       = "data-parallel"   // gradients are summed over it
	GroupKindTensor     = "tensor-parallel" // its ranks share layers: activations and their gradients go round
	GroupKindTied       = "tied"            // two stages sum the gradients of their copies of one tensor
	GroupKindNorm       = "gradient-norm"   // the squares of all gradients are summed over it
	GroupKindStatistics = "statistics"      // its replicas sum what the rows of a micro-batch have in common
	GroupKindExpert     = "expert-parallel" // its replicas send each other positions for their experts
	GroupKindPipeline   = "pipeline"        // the first rank sends activations or their gradients to the second
)

// Kinds of work of a training: Body.Work.
const (
	Forward  = "forward"  // a phase of it: Y from X with Params, or what is between them
	Loss     = "loss"     // and its gradient D, from Y; likewise
	Backward = "backward" // likewise: Grads, and DX unless it is empty, from X and D with Params; D is room then
	Update   = "update"   // Params and State, by Grads, and Y, if there is one, is Params rounded; with ZeRO what the rank owns
	Stash    = "stash"    // Y is what X is
	SumTied  = "tie"      // X and Y are the sum of both
	Pack     = "pack"     // Y is X as it goes over the wire: rounded
	Unpack   = "unpack"   // Y is what X of the wire is as float32
	// SquareGradients makes Y the sum of the squares of what the rank has of the gradients X, with ZeRO what
	// it owns; an Update then takes X, summed over all ranks.
	SquareGradients = "norm-gradients"
	// Of what the rank owns of a bucket its shard has one element after the other.
	Place      = "place"      // what the rank owns of Y is X
	Accumulate = "accumulate" // Grads is what the rank owns of X, or is added to
)

// Body names the work of a compute operation or a copy, which whoever trains binds to code, and the memory
// that it is on.
type Body struct {
	Work  string // of which kind, by a name that the binder knows
	Layer int    // from 0
	Phase int    // of a layer's Forward, Backward, or of the Loss
	Micro int    // the micro-batch, from 0
	Slot  int    // of what Forward saves for Backward
	Adds  bool   // Backward, Accumulate add gradients to those of the micro-batches before

	// What the phase before gave and the ranks exchanged, and what this one gives. Of a sum in place
	// that is Y or DX.
	Got, Give Handed

	Bucket int // of ZeRO's Place, Accumulate, Update: index in Stage.Buckets, see Training.Owned

	Params, Grads, X, Y, D, DX Range
	Sends, Gets                Range           // of a layer whose experts are spread: the counts that it makes, and that it takes
	Table                      bool            // they are those of all: a line of what each rank that shares the experts has
	State                      [MaxState]Range // of the optimiser; empty: not kept

	Drop Range // what is not needed after it, and holds nothing from then on
}

// Handed is what goes from one phase of a layer to the next by an exchange. The zero value is nothing.
type Handed struct {
	By   Exchange
	Coll int32 // which collective, index in Job.Collectives
	On   Range
	Part int64 // elements of a part, of Gather and Scatter
}

// reads and writes are the ranges that the work touches. Of a vector that is whole, an Update with
// ZeRO touches less.
func (b *Body) reads() []Range {
	switch b.Work {
	case Forward:
		return present(b.Params, b.X, b.Got.On, b.Gets)
	case Loss:
		return present(b.Y, b.Got.On)
	case Backward:
		return present(b.Params, b.X, b.D, b.Got.On)
	case Update:
		return present(b.Grads, b.X)
	}
	return present(b.X)
}

func (b *Body) writes() []Range {
	switch b.Work {
	case Forward:
		return present(b.Y, b.Give.On, b.Sends, b.Drop)
	case Loss:
		return present(b.D, b.Give.On)
	case Backward:
		return present(b.Grads, b.DX, b.D, b.Give.On, b.Drop)
	case Update:
		return present(append([]Range{b.Params, b.Y}, b.State[:]...)...)
	case Accumulate:
		return present(b.Grads, b.Drop)
	case SumTied:
		return present(b.X, b.Y)
	}
	return present(b.Y, b.Drop)
}

// present returns the ranges that are not empty.
func present(all ...Range) []Range {
	kept := all[:0]
	for _, r := range all {
		if r.Elems > 0 {
			kept = append(kept, r)
		}
	}
	return kept
}

// Training says what a job trains and where the parameters lie in its ranks' memory.
type Training struct {
	Layout    Layout // with its defaults
	Layers    int
	Trained   int // the first layer with parameters: nobody wants the gradient of its input
	Batch     int // rows per replica and step
	Precision Precision
	Clip      bool // updates have the norm of all gradients
	Stages    []Stage
	Shards    [][]Span // by rank, with ZeRO: what it owns of its stage's vectors, ascending
}

// Owned visits the elements [lo, hi) of a bucket of its stage that a rank owns, with ZeRO, in order.
func (t *Training) Owned(rank int32, bucket int, visit func(lo, hi int64)) {
	k, all := &t.Stages[t.Layout.Coord(int(rank)).Stage].Buckets[bucket], t.Shards[rank]
	i, _ := slices.BinarySearchFunc(all, k.Offset, func(s Span, at int64) int { return cmp.Compare(s.Offset, at) })
	for ; i < len(all) && all[i].Offset < k.Offset+k.Elems; i++ {
		visit(all[i].Offset-k.Offset, all[i].Offset-k.Offset+all[i].Elems)
	}
}

// Rows returns the rows of a micro-batch.
func (t *Training) Rows() int { return t.Batch / t.Layout.MicroBatches }

// MaxState is the most vectors that an optimiser keeps beside parameters and gradients.
const MaxState = 2

// Stage is what the ranks of a stage hold: one flat vector of parameters, one of gradients, and those
// of the optimiser's state and masters, layer after layer in ascending order. Of a vector that
// Layout.Zero names a rank holds its shard, in a buffer for the largest.
type Stage struct {
	Parameters, Gradients int32
	Masters               int32   // the weights that updates move: Parameters, or others with Precision.Masters
	State                 []int32 // of the optimiser
	Layers                []Held
	Buckets               []Bucket // in the order of their numbers: gradients are there in it
}

// Span is elements of a stage's vectors.
type Span struct{ Offset, Elems int64 }

// Bucket is layers of a stage whose gradients, and with ZeRO parameters, travel together.
type Bucket struct {
	Span
	// Sum and Gather are the collectives of its first micro-batch among the replicas that have the
	// first part of layers, indices in Job.Collectives: the all-reduce, or the reduce-scatter and
	// the all-gather. -1: none.
	Sum, Gather int32
	// Own: it is of experts. Sums are then the collectives of the ranks that have the first of each rank's, the second, ...
	// With ZeRO Gathers are the all-gathers of the same ranks.
	Own           bool
	Sums, Gathers []int32
}

// bucket is the index of the bucket at an offset.
func (s *Stage) bucket(offset int64) int {
	return slices.IndexFunc(s.Buckets, func(k Bucket) bool { return k.Offset == offset })
}

// Own reports whether an element of the stage's vectors is of experts that some replicas have.
func (s *Stage) Own(offset int64) bool {
	return slices.ContainsFunc(s.Buckets, func(k Bucket) bool {
		return k.Own && offset >= k.Offset && offset < k.Offset+k.Elems
	})
}

// Held is where a layer's parameters lie in the vectors of its stage.
type Held struct {
	Layer         int // from 0
	Offset, Elems int64
	In, Out       int   // of a row, as the rank takes and leaves them
	Saved         int   // elements that a row's forward leaves for its backward
	Again         int   // that its backward makes again first
	Way           Way   // in which tensor-parallel ranks share it: part Coord.Tensor of Layout.TP
	Sum           int32 // of Together: one of what sums between its phases, all by one schedule; index in Job.Collectives
}

// Params returns the length of the stage's vectors.
func (s *Stage) Params() int64 {
	last := s.Layers[len(s.Layers)-1]
	return last.Offset + last.Elems
}

// Touches reports of each buffer whether a program touches it: the rank that runs it has that memory.
func (j *Job) Touches(p *Program) []bool {
	touched := make([]bool, len(j.Buffers))
	for _, ops := range [][]Op{p.Start, p.Ops} {
		for i := range ops {
			for _, b := range ops[i].buffers() {
				touched[b] = true
			}
		}
	}
	return touched
}
