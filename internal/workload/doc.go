// Package workload describes a job: what each rank does in one step, a directed
// acyclic graph of compute operations, with durations from a device model, and of
// collectives of groups of ranks over ranges of named buffers.
//
// Ranks may share a program or have their own; every step runs the same programs. It knows neither
// time that has passed (exec walks the graph) nor tensors (train binds each operation to its real
// code), and it reads no model code: layers are given as shapes.
//
// One step of a two-layer network, a bucket per layer:
//
//	stream 0  forward.1 forward.2 loss backward.2 backward.1        update.1 update.2
//	                                        |          |              ^        ^
//	stream 1                                +-> allreduce.bucket1 ----+        |
//	                                                   +-> allreduce.bucket2 --+
//
// Invariants:
//   - a stream runs one operation at a time, in the order of Program.Ops;
//   - an operation depends only on operations before it in Program.Ops, so the order
//     of Ops is one valid execution and no program can deadlock on its own;
//   - a rank has one stream for each of its groups, and the ranks of a group run its
//     collectives in the same order;
//   - of two operations that may run at the same time none writes what the other touches;
//   - durations are exact integers: the same on every machine.
//
// Buckets follow PyTorch DistributedDataParallel (Li et al., VLDB 2020, section
// 3.2.3): gradients become ready from the last layer to the first and a bucket
// closes when its size reaches the cap. Unlike PyTorch the first bucket has the
// same cap as the others, and a layer is never split.
package workload
