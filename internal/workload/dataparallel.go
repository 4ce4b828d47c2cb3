package workload

import (
	"fmt"

	"railyard/internal/coll"
	"railyard/internal/unit"
)

// DefaultBucket is PyTorch's bucket_cap_mb: 25 MB.
const DefaultBucket = 25 * unit.Megabyte

// BucketPerLayer as a cap closes a bucket after every layer.
const BucketPerLayer = 1 * unit.Byte

// elem is the size of a weight, gradient or activation: float32.
const elem = 4

// Dense is the shape of one fully connected layer: In x Out weights and Out biases.
type Dense struct {
	In, Out   int
	Activated bool // an activation follows (the last layer's softmax belongs to the loss)
}

// Params returns the number of weights and biases.
func (l Dense) Params() int64 { return int64(l.In)*int64(l.Out) + int64(l.Out) }

// DataParallelConfig is a network of dense layers trained with the same weights on every rank.
type DataParallelConfig struct {
	Layers   []Dense
	Batch    int        // rows per rank and step
	Momentum bool       // the update also reads and writes a velocity
	Bucket   unit.Bytes // cap; 0 is DefaultBucket
	Ranks    int
	Schedule coll.Schedule // all-reduce, over Ranks; unused when Ranks is 1
	Device   Device
}

// DataParallel returns the step of one rank (all ranks are alike): forward,
// loss, backward, an all-reduce per bucket as soon as its layers' gradients are
// there, and an update per bucket, which also divides by the number of ranks.
// With one rank there is no communicator and no collective.
func DataParallel(c DataParallelConfig) (*Step, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	b := builder{c: &c, s: &Step{Streams: []string{"compute"}, Device: c.Device}}
	b.s.Buckets = buckets(c.Layers, c.Bucket)
	n := len(c.Layers)
	for l := range n {
		b.compute(fmt.Sprintf("forward.%d", l+1), Forward, l, b.forward(c.Layers[l]))
	}
	b.compute("loss", Loss, -1, b.loss(c.Layers[n-1]))
	backward := make([]int32, n)
	for l := n - 1; l >= 0; l-- {
		backward[l] = b.compute(fmt.Sprintf("backward.%d", l+1), Backward, l, b.backward(l))
	}
	done := make([]int32, len(b.s.Buckets)) // what each update waits for
	for i, k := range b.s.Buckets {
		done[i] = backward[k.First]
		if c.Ranks > 1 {
			done[i] = b.allReduce(i, backward[k.First])
		}
	}
	for i := range b.s.Buckets {
		b.update(i, done[i])
	}
	return b.s, b.s.Validate()
}

func (c *DataParallelConfig) check() error {
	if len(c.Layers) == 0 {
		return fmt.Errorf("data parallel: no layers, want at least 1")
	}
	for i, l := range c.Layers {
		if l.In < 1 || l.Out < 1 {
			return fmt.Errorf("data parallel: layer %d is %d x %d, want sizes of at least 1", i+1, l.In, l.Out)
		}
		if i > 0 && l.In != c.Layers[i-1].Out {
			return fmt.Errorf("data parallel: layer %d takes %d inputs, layer %d gives %d", i+1,
				l.In, i, c.Layers[i-1].Out)
		}
	}
	if c.Batch < 1 {
		return fmt.Errorf("data parallel: batch %d, want at least 1 row per rank", c.Batch)
	}
	if c.Ranks < 1 {
		return fmt.Errorf("data parallel: %d ranks, want at least 1", c.Ranks)
	}
	if c.Bucket < 0 {
		return fmt.Errorf("data parallel: bucket of %v, want at least 1 byte", c.Bucket)
	}
	if c.Ranks > 1 && (c.Schedule == nil || c.Schedule.Ranks() != c.Ranks) {
		return fmt.Errorf("data parallel: %d ranks want an all-reduce schedule over %d ranks", c.Ranks, c.Ranks)
	}
	return nil
}

// buckets groups the layers, from the last to the first, into ranges of the flat
// gradient vector of at least cap bytes each; the last range may be smaller.
func buckets(layers []Dense, limit unit.Bytes) []Bucket {
	if limit == 0 {
		limit = DefaultBucket
	}
	var end int64
	for _, l := range layers {
		end += l.Params()
	}
	var all []Bucket
	open := Bucket{Last: int32(len(layers) - 1)}
	for l := len(layers) - 1; l >= 0; l-- {
		open.Elems += layers[l].Params()
		if unit.Bytes(open.Elems*elem) >= limit || l == 0 {
			open.First, open.Offset = int32(l), end-open.Elems
			all = append(all, open)
			end, open = open.Offset, Bucket{Last: int32(l - 1)}
		}
	}
	return all
}

// builder appends operations in issue order.
type builder struct {
	c       *DataParallelConfig
	s       *Step
	kernels int // since the last operation was added
}

func (b *builder) add(op Op) int32 {
	op.ID = int32(len(b.s.Ops))
	op.Launch = unit.Duration(b.kernels) * b.c.Device.Launch
	b.kernels = 0
	b.s.Ops = append(b.s.Ops, op)
	return op.ID
}

// compute appends an operation that depends on the one before it on the compute stream.
func (b *builder) compute(name string, p Phase, layer int, d unit.Duration) int32 {
	op := Op{Name: name, Kind: Compute, Stream: ComputeStream, Duration: d, Phase: p,
		Layer: int32(layer), Bucket: -1, Coll: -1}
	if n := len(b.s.Ops); n > 0 {
		op.Deps = []int32{int32(n - 1)}
	}
	return b.add(op)
}

func (b *builder) allReduce(bucket int, after int32) int32 {
	if len(b.s.Streams) == 1 {
		b.s.Streams = append(b.s.Streams, "communicator 1")
	}
	b.kernels++ // the collective's own
	k := b.s.Buckets[bucket]
	name := fmt.Sprintf("allreduce.bucket%d", bucket+1)
	b.s.Collectives = append(b.s.Collectives,
		Collective{Name: name, Bucket: int32(bucket), Offset: k.Offset, Elems: k.Elems,
			ElemBytes: elem, Schedule: b.c.Schedule})
	return b.add(Op{Name: name, Kind: Communication, Stream: 1, Deps: []int32{after},
		Duration: b.c.Device.LaunchTime(), Layer: -1, Bucket: -1,
		Coll: int32(len(b.s.Collectives) - 1)})
}

func (b *builder) update(bucket int, after int32) {
	words := int64(3) // weights and gradients are read, weights written
	if b.c.Momentum {
		words = 5
	}
	b.add(Op{Name: fmt.Sprintf("update.%d", bucket+1), Kind: Compute, Stream: ComputeStream, Deps: []int32{after},
		Duration: b.kernel(0, words*b.s.Buckets[bucket].Elems), Phase: Update, Layer: -1,
		Bucket: int32(bucket), Coll: -1})
}

// kernel returns the duration of one kernel that moves so many float32 words.
func (b *builder) kernel(flop, words int64) unit.Duration {
	b.kernels++
	return b.c.Device.Kernel(flop, words*elem)
}

// forward is a matrix product, Batch x In by In x Out, and one elementwise pass
// that adds the bias and applies the activation in place.
func (b *builder) forward(l Dense) unit.Duration {
	rows, in, out := int64(b.c.Batch), int64(l.In), int64(l.Out)
	product := b.kernel(2*rows*in*out, rows*in+in*out+rows*out)
	return product + b.kernel(0, 2*rows*out+out)
}

// loss is one elementwise pass over the outputs that also writes their
// gradient, and one back through the last layer's activation if it has one.
func (b *builder) loss(last Dense) unit.Duration {
	n := int64(b.c.Batch) * int64(last.Out)
	d := b.kernel(0, 2*n)
	if last.Activated {
		d += b.kernel(0, 3*n)
	}
	return d
}

// backward is the product for the weights' gradient, which also sums the bias's
// (as cuBLAS's epilogue does), the product for the gradient of the layer's input,
// and an elementwise pass back through the activation that made that input. The
// first layer needs no gradient of its input: one product.
func (b *builder) backward(l int) unit.Duration {
	rows, in, out := int64(b.c.Batch), int64(b.c.Layers[l].In), int64(b.c.Layers[l].Out)
	d := b.kernel(2*rows*in*out, rows*in+rows*out+in*out+out)
	if l == 0 {
		return d
	}
	d += b.kernel(2*rows*in*out, rows*out+in*out+rows*in)
	if b.c.Layers[l-1].Activated {
		d += b.kernel(0, 3*rows*in)
	}
	return d
}
