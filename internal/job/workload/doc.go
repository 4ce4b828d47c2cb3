// Package workload describes a job: what each rank does in one step, a directed
// acyclic graph of compute operations, with durations from a device model, and of
// collectives of groups of ranks over ranges of named buffers.
//
// Ranks may share a program or have their own; every step runs the same programs. It knows neither
// time that has passed (exec walks the graph) nor tensors (train binds each operation to its real
// code), and it reads no model code: layers are given as shapes, parameters and kernels, and
// nothing in the lowering knows what a layer computes.
//
// Lower makes the job of a training from layers and a Layout: replicas (dp) with rows of their own,
// parts of layers (tp), stages (pp) of virtual stages, micro-batches in the order of a timetable,
// shards of what replicas would hold alike (ZeRO). Parameters lie in one flat vector per
// stage and part, or in shards of it; updates act on ranges.
//
// One step of a two-layer network, a bucket per layer:
//
//	stream 0  forward.1 forward.2 loss backward.2 backward.1        update.1 update.2
//	                                        |          |              ^        ^
//	stream 1                                +-> allreduce.bucket1 ----+        |
//	                                                   +-> allreduce.bucket2 --+
//
// One step of two stages with two micro-batches (F forward, B backward; > activations, < their
// gradients travel), and the sum over the replicas of each stage:
//
//	stage 1   F1 F2          B1    B2   allreduce update
//	            >  >       <     <
//	stage 2       F1 B1 F2 B2           allreduce update
//
// With ZeRO a replica holds a shard of what Layout.Zero names: of each bucket the chunks that a
// reduce-scatter leaves with it, one span or more for each channel, one after the other in a buffer of
// the shard. Whole buckets of gradients and parameters have room for two of each (ZeroBuckets), which
// they take in turn: one is in use and the other travels. What a rank has of parameters P, gradients
// and V vectors of state, of n replicas and buckets of at most B elements:
//
//	zero  parameters  gradients  state        a step sends, with m micro-batches
//	0     P           P          V P          2(n-1)/n P
//	1     P           P          P/n          2(n-1)/n P
//	2     P           P/n + 2B   V P/n        (m+1)(n-1)/n P
//	3     P/n + 2B    P/n + 2B   V P/n        3m(n-1)/n P
//
// One step of two layers with parameters in shards: A gathers, R scatters sums, + adds them to the
// shard (place, before each A, puts the rank's own part there):
//
//	stream 0      forward.1 forward.2 loss backward.2 backward.1        + update.1 + update.2
//	stream 1  A1  A2        A2             A1         R2          R1
//
// Staging is beside all this, for each collective its own: small only of schedules with credit.
//
// A job says of itself what a step should take (Forecast), what its groups send (Collective.AppendTraffic)
// and what each rank holds (Memory): closed forms and walks, without a network.
//
// Invariants:
//   - a stream runs one operation at a time, in the order of Program.Ops;
//   - an operation depends only on operations before it in Program.Ops, so the order
//     of Ops is one valid execution and no program can deadlock on its own;
//   - a rank has one stream for each of its groups, and the ranks of a group run its
//     collectives in the same order;
//   - of two operations that may run at the same time none writes what the other touches; an
//     operation names all that it touches, and a rank has the buffers that its program touches;
//   - a stage adds up gradients in ascending order of micro-batches, whatever the timetable;
//   - of n replicas each element of a stage's vectors has one owner, the same for gradients,
//     the optimiser's state and parameters;
//   - durations are exact integers: the same on every machine.
//
// Sizes of an all-to-all may be decided in each step by a compute operation (Counts), as by the
// router of a network with experts.
//
// Buckets follow PyTorch DistributedDataParallel (Li et al., VLDB 2020, section
// 3.2.3): gradients become ready from the last layer to the first and a bucket
// closes when its size reaches the cap. Unlike PyTorch the first bucket has the
// same cap as the others, a layer is never split, and a bucket's layers are of one virtual stage.
//
// A layer that ranks share is a forward and a backward in phases, between which they exchange what each
// has made (Part). Two layers shared by two ranks: by columns, then by rows (Megatron), and each by
// columns (the book's way); = is an all-reduce, # an all-gather, and | puts parts side by side:
//
//	forward.1 forward.2 = finish.2 loss backward.2 backward.1
//	forward.1 # join.1| forward.2 # join.2| loss backward.2 = backward.1
//
// Half a transformer block, and the same with positions in parts (Layout.Sequence); / is a reduce-scatter:
//
//	forward = finish ..                backward = backward-norm
//	norm # forward / finish ..         backward # backward-inner / backward-norm
package workload
