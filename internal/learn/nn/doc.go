// Package nn is the neural network that Railyard trains: a Model is a list of layers, each an
// explicit forward and backward pair, and a loss; beside them stochastic gradient descent. A
// Layer works on memory that others own; a Replica is a whole model with memory of its own, and
// takes its rows from Examples. It knows nothing of ranks, networks, files or time, starts
// no goroutine and allocates nothing per step.
//
//	x ──Forward(0)──> h ──Forward(1)──> logits ──Loss──> mean loss
//	     W0,b0             W1,b1                  │
//	     Grads[0] <──Backward(0)── dh <──Backward(1)── p - onehot
//
// One parameter vector per replica, gradients in the same layout: layers in
// order, each its tensors in order, named (Model.Tensors). Of dense layers W (out x in, row-major,
// as in PyTorch's Linear) then b (out):
//
//	| W0: 128 rows of 784 | b0: 128 | W1: 10 rows of 128 | b1: 10 |
//
// Beside dense layers there are images (convolution, pooling), recurrent layers (vanilla, LSTM), and
// what transformers are made of (embedding, positions, norms, halves of a block, dropout). What is
// inside after a pass can be looked at: StepNorms, GatesAt, AttentionMap, ProjectedAt, Filters.
//
// Ranks may share a layer (Splitter): a Part of it is a forward and a backward in phases, between which
// they exchange what each has made. What carries it is not of this package.
//
// Invariants:
//   - the same bits on every processor, as long as no value overflows: every
//     sum has one order, every product is rounded before it is added (an
//     explicit conversion forbids the compiler a fused multiply-add), and
//     exp, log, tanh, erf and sine are our own, made of + - * / and bit operations. A test reads
//     the source for products that could fuse. (A NaN's sign is the
//     processor's own: package run stops when the loss is not finite.)
//   - Grads hold the mean over the micro-batch's labels, so that the mean over ranks
//     with equal micro-batches is the gradient of the whole batch. Labels may be Ignored: who
//     divides a batch says over how many a mean goes (Model.Loss).
//   - what dropout drops follows the example, not the rows that it comes with.
//   - a layer's first values depend on the seed, its place and its own shape.
//
// Back-propagation: Rumelhart, Hinton, Williams, Nature 323 (1986). Weight
// initialisation: torch.nn.Linear (kaiming_uniform with a = sqrt 5), which is
// uniform in ±1/sqrt(fan_in) for weights and biases. Momentum: torch.optim.SGD. Layers are PyTorch's in names, layouts and
// formulas; testdata has what PyTorch 1.13 gives for them (tools/pytorch). Transformers: Vaswani and
// others, Attention Is All You Need, 2017.
package nn
