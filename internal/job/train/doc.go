// Package train binds a network of package nn to the operations of a training that
// package workload has lowered: it is the real work behind an operation (exec.Body)
// and the memory that messages are read from and placed in (exec.Memory). It knows
// neither a network nor time.
//
//	rank 0             rank 1             each its own memory:
//	+---------+        +---------+          the buffers of the job that its program touches
//	| params  |        | params  |            (exec.Ref, by buffer: parameters, gradients,
//	| grads   |--------| grads   |            optimiser's state, activations and their gradients)
//	| staging |        | staging |          staging    <- the buffers after those
//	+---------+        +---------+
//
// Each epoch draws one permutation of the images, from a random stream named by
// the seed and the epoch, which all ranks share. A global batch is the next replicas
// x batch images; replica r takes the r-th batch of it, and cuts it into micro-batches
// in order. Images that do not fill the last global batch of an epoch are left out of
// that epoch.
//
// Invariants:
//   - every rank owns its memory alone: ranks meet only in the bytes that a
//     driver carries, so wrong placement gives wrong weights;
//   - parameters that a rank gets from another in its start phase are NaN until it has them:
//     all replicas begin with the same, drawn or those of a State, and, after every step,
//     hold the same bits;
//   - a staging slot has memory from when a message is addressed to it until that has been read; what is
//     read of one to which nothing has come is NaN;
//   - with ZeRO a rank holds its shards, and whole buckets while they are needed: before they are
//     gathered and after their last use they are NaN, so that a byte that comes too late, or is taken
//     too early, shows;
//   - bodies of different ranks, and of one rank's compute and channels, touch
//     disjoint memory: a driver may run them on any core.
//
// The ranks may live in several processes: each makes memory for its own (Config.Ranks), and one of them hears what the
// others say of their steps (Say, Hear), and knows losses, states and weights as if all were here.
//
// Oracle is the judge of all this: the same training in one process and one loop,
// with whole models, whose sums follow the schedule through coll.Execute and which uses
// nothing of exec, of a network, or of the lowering's programs. OneRank trains the same
// global batches on a single replica; Job.Drift is how far from that a job came that updates within
// a step.
//
// Synchronous data-parallel SGD: Li et al., "PyTorch Distributed", VLDB 2020,
// section 2. Pipelines: see workload.PipelineSchedule.
package train
