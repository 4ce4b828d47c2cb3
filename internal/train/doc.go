// Package train binds a network of package nn to the operations of a data-parallel
// step of package workload: it is the real work behind an operation (exec.Body)
// and the memory that messages are read from and placed in (exec.Memory). It knows
// neither a network nor time.
//
//	rank 0             rank 1             one replica each:
//	+---------+        +---------+          parameters, velocity
//	| params  |        | params  |          gradients   <- exec.Ref, by buffer of the job
//	| grads   |--------| grads   |          staging     <- the buffers after those
//	| staging |        | staging |
//	+---------+        +---------+
//
// Each epoch draws one permutation of the images, from a random stream named by
// the seed and the epoch, which all ranks share. A global batch is the next ranks
// x batch images; rank r takes the r-th micro-batch of it. Images that do not fill
// the last global batch of an epoch are left out of that epoch.
//
// Invariants:
//   - every rank owns its replica alone: ranks meet only in the bytes that a
//     driver carries, so wrong placement gives wrong weights;
//   - all replicas begin with the same parameters, drawn or those of a State (no broadcast is simulated yet)
//     and, after every step, hold the same bits;
//   - bodies of different ranks, and of one rank's compute and channels, touch
//     disjoint memory: a driver may run them on any core.
//
// Oracle is the judge of all this: the same training in one process and one loop,
// whose sums follow the schedule through coll.Execute and which uses nothing of
// exec or of a network. OneRank trains the same global batches on a single replica.
//
// Synchronous data-parallel SGD: Li et al., "PyTorch Distributed", VLDB 2020,
// section 2.
package train
