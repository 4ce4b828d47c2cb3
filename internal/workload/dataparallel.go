package workload

import (
	"fmt"
	"maps"
	"slices"

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

// Buffers of a data-parallel job, by index.
const (
	Gradients int32 = iota
	Parameters
)

// GroupKindData is the kind of a group over which gradients are summed.
const GroupKindData = "data-parallel"

// Kinds of work of a dense network: Body.Work.
const (
	Forward  = "forward"  // of layer Index
	Loss     = "loss"     // and its gradient
	Backward = "backward" // of layer Index
	Update   = "update"   // of the parameters On
)

// bucket is a run of layers whose gradients travel together.
type bucket struct {
	first, last   int32 // layers from 0, first <= last
	offset, elems int64 // range of the flat gradient vector
}

// DataParallelConfig is a network of dense layers trained with the same weights on every rank.
type DataParallelConfig struct {
	Layers   []Dense
	Batch    int        // rows per rank and step
	Momentum bool       // the update also reads and writes a velocity
	Bucket   unit.Bytes // cap; 0 is DefaultBucket
	Ranks    int
	Schedule coll.Schedule // all-reduce, over Ranks; unused when Ranks is 1
	Device   Device
	Slow     map[int32]unit.Ratio // ranks whose device takes so many times as long
}

// DataParallel returns a job whose ranks all do the same: forward, loss, // backward, an all-reduce
// per bucket as soon as its layers' gradients are there, and an update per bucket, which also
// divides by the number of ranks. With one rank there is no group and no collective. Slow ranks
// have programs of their own, with other durations.
func DataParallel(c DataParallelConfig) (*Job, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	b := builder{c: &c, j: &Job{Of: make([]int32, c.Ranks)}, buckets: buckets(c.Layers, c.Bucket)}
	params := int64(0)
	for _, l := range c.Layers {
		b.offsets = append(b.offsets, params)
		params += l.Params()
	}
	b.j.Buffers = []Buffer{Gradients: {"gradients", params, elem}, Parameters: {"parameters", params, elem}}
	if c.Ranks > 1 {
		all := Group{Name: "communicator 1", Kind: GroupKindData}
		for r := range c.Ranks {
			all.Ranks = append(all.Ranks, int32(r))
		}
		b.j.Groups = []Group{all}
	}
	b.bodies()
	b.program(c.Device)
	for _, r := range slices.Sorted(maps.Keys(c.Slow)) {
		d := c.Device
		d.Slow = c.Slow[r]
		b.j.Of[r] = int32(len(b.j.Programs))
		b.program(d)
	}
	return b.j, b.j.Validate()
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
	for r := range c.Slow {
		if r < 0 || int(r) >= c.Ranks {
			return fmt.Errorf("data parallel: rank %d is slow, want a rank from 0 to %d", r, c.Ranks-1)
		}
	}
	if c.Ranks > 1 && (c.Schedule == nil || c.Schedule.Ranks() != c.Ranks) {
		return fmt.Errorf("data parallel: %d ranks want an all-reduce schedule over %d ranks", c.Ranks, c.Ranks)
	}
	return nil
}

// buckets groups the layers, from the last to the first, into ranges of the flat
// gradient vector of at least cap bytes each; the last range may be smaller.
func buckets(layers []Dense, limit unit.Bytes) []bucket {
	if limit == 0 {
		limit = DefaultBucket
	}
	var end int64
	for _, l := range layers {
		end += l.Params()
	}
	var all []bucket
	open := bucket{last: int32(len(layers) - 1)}
	for l := len(layers) - 1; l >= 0; l-- {
		open.elems += layers[l].Params()
		if unit.Bytes(open.elems*elem) >= limit || l == 0 {
			open.first, open.offset = int32(l), end-open.elems
			all = append(all, open)
			end, open = open.offset, bucket{last: int32(l - 1)}
		}
	}
	return all
}

// builder appends operations in issue order.
type builder struct {
	c       *DataParallelConfig
	j       *Job
	p       *Program
	buckets []bucket
	offsets []int64                                         // by layer: of its parameters
	body    struct{ forward, loss, backward, update int32 } // the first of each kind in Job.Bodies
	kernels int                                             // since the last operation was added
}

// layer is the parameters of a layer, or their gradients.
func (b *builder) layer(buffer int32, l int) Range {
	return Range{Buffer: buffer, Offset: b.offsets[l], Elems: b.c.Layers[l].Params()}
}

// bucket is the gradients of a bucket, or the parameters that they move.
func (b *builder) bucket(buffer int32, i int) Range {
	return Range{Buffer: buffer, Offset: b.buckets[i].offset, Elems: b.buckets[i].elems}
}

// bodies lists the work that the programs share, and the collectives.
func (b *builder) bodies() {
	add := func(w Body) { b.j.Bodies = append(b.j.Bodies, w) }
	n := len(b.c.Layers)
	for l := range n {
		add(Body{Work: Forward, Index: int32(l)})
	}
	b.body.loss = int32(n)
	add(Body{Work: Loss})
	b.body.backward = int32(n + 1)
	for l := range n {
		add(Body{Work: Backward, Index: int32(l)})
	}
	b.body.update = int32(2*n + 1)
	for i := range b.buckets {
		add(Body{Work: Update, Index: int32(i), On: b.bucket(Parameters, i)})
		if b.c.Ranks > 1 {
			b.j.Collectives = append(b.j.Collectives,
				Collective{Name: fmt.Sprintf("allreduce.bucket%d", i+1), Range: b.bucket(Gradients, i),
					ElemBytes: elem, Schedule: b.c.Schedule})
		}
	}
}

// program appends the step of ranks with a device.
func (b *builder) program(d Device) {
	b.j.Programs = append(b.j.Programs, Program{Streams: []Stream{{"compute", -1}}, Device: d})
	b.p = &b.j.Programs[len(b.j.Programs)-1]
	if b.c.Ranks > 1 {
		b.p.Streams = append(b.p.Streams, Stream{b.j.Groups[0].Name, 0})
	}
	n := len(b.c.Layers)
	for l := range n {
		b.compute(Op{Name: fmt.Sprintf("forward.%d", l+1), Body: b.body.forward + int32(l),
			Duration: b.forward(b.c.Layers[l]),
			Reads:    []Range{b.layer(Parameters, l)}})
	}
	b.compute(Op{Name: "loss", Body: b.body.loss, Duration: b.loss(b.c.Layers[n-1])})
	backward := make([]int32, n)
	for l := n - 1; l >= 0; l-- {
		backward[l] = b.compute(Op{Name: fmt.Sprintf("backward.%d", l+1),
			Body: b.body.backward + int32(l), Duration: b.backward(l),
			Reads: []Range{b.layer(Parameters, l)}, Writes: []Range{b.layer(Gradients, l)}})
	}
	done := make([]int32, len(b.buckets)) // what each update waits for
	for i, k := range b.buckets {
		done[i] = backward[k.first]
		if b.c.Ranks > 1 {
			done[i] = b.allReduce(i, backward[k.first])
		}
	}
	for i := range b.buckets {
		b.update(i, done[i])
	}
}

func (b *builder) add(op Op) int32 {
	op.ID = int32(len(b.p.Ops))
	op.Launch = unit.Duration(b.kernels) * b.c.Device.Launch
	b.kernels = 0
	b.p.Ops = append(b.p.Ops, op)
	return op.ID
}

// compute appends an operation that depends on the one before it on the compute stream.
func (b *builder) compute(op Op) int32 {
	op.Kind, op.Stream, op.Coll = Compute, ComputeStream, -1
	if n := len(b.p.Ops); n > 0 {
		op.Deps = []int32{int32(n - 1)}
	}
	return b.add(op)
}

func (b *builder) allReduce(bucket int, after int32) int32 {
	b.kernels++ // the collective's own
	sum := b.bucket(Gradients, bucket)
	return b.add(Op{Name: b.j.Collectives[bucket].Name, Kind: Communication, Stream: 1, Deps: []int32{after},
		Duration: b.p.Device.LaunchTime(), Body: -1, Coll: int32(bucket), Reads: []Range{sum}, Writes: []Range{sum}})
}

func (b *builder) update(bucket int, after int32) {
	words := int64(3) // weights and gradients are read, weights written
	if b.c.Momentum {
		words = 5
	}
	b.add(Op{Name: fmt.Sprintf("update.%d", bucket+1), Kind: Compute, Stream: ComputeStream, Deps: []int32{after},
		Duration: b.kernel(0, words*b.buckets[bucket].elems), Body: b.body.update + int32(bucket), Coll: -1,
		Reads: []Range{b.bucket(Gradients, bucket)}, Writes: []Range{b.bucket(Parameters, bucket)}})
}

// kernel returns the duration of one kernel that moves so many float32 words.
func (b *builder) kernel(flop, words int64) unit.Duration {
	b.kernels++
	return b.p.Device.Kernel(flop, words*elem)
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
