// Package workload describes what one rank does in one training step: a directed
// acyclic graph of compute operations, with durations from a device model, and of
// collectives over ranges of the gradient vector.
//
// It is a template: every step runs the same graph. It knows neither time that
// has passed (exec walks the graph) nor tensors (train binds each operation to
// its real code), and it reads no model code: layers are given as shapes.
//
// One step of a two-layer network, a bucket per layer:
//
//	stream 0  forward.1 forward.2 loss backward.2 backward.1        update.1 update.2
//	                                        |          |              ^        ^
//	stream 1                                +-> allreduce.bucket1 ----+        |
//	                                                   +-> allreduce.bucket2 --+
//
// Invariants:
//   - a stream runs one operation at a time, in the order of Step.Ops;
//   - an operation depends only on operations before it in Step.Ops, so the order
//     of Ops is one valid execution and no step can deadlock on its own;
//   - durations are exact integers: the same on every machine.
//
// Buckets follow PyTorch DistributedDataParallel (Li et al., VLDB 2020, section
// 3.2.3): gradients become ready from the last layer to the first and a bucket
// closes when its size reaches the cap. Unlike PyTorch the first bucket has the
// same cap as the others, and a layer is never split.
package workload
