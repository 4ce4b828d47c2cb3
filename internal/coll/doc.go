// Package coll holds collective algorithms as data: for every rank and channel
// the list of sends, receives, reductions and copies, generated op by op and
// never stored. It also proves such a schedule right (Check, ReuseSafe), applies
// it to real buffers in one process (Execute), states its closed-form cost, and
// prints and reads it (WriteText, ParseText).
//
// It is not an engine: nothing here knows time, a network or a device. Package
// exec walks a schedule, and a driver moves the bytes.
//
// The buffer is split over channels, each channel's share over chunks (Range).
// A message carries one chunk. It lands in a staging slot of the receiver and
// from there is added to (Reduce) or put in place of (Copy) the chunk:
//
//	rank 0                     rank 1
//	chunk A ---- send A ----> slot 0 -- reduce --> chunk A ---- send A ---> ...
//
// A ring of four, reduce-scatter (each arrow adds the sender's partial sum):
//
//	step      0 -> 1   1 -> 2   2 -> 3   3 -> 0
//	  0         A        B        C        D
//	  1         D        A        B        C
//	  2         C        D        A        B     then 0 owns B, 1 C, 2 D, 3 A
//
// What a driver promises, and Check builds on:
//   - a rank starts the ops of a channel in order; an op starts when the op
//     named by After has completed and the Send named by Acked is acknowledged;
//   - bytes of a message may land in the receiver's slot at any time from the
//     start of the Send, whether or not the Recv has been reached (RDMA WRITE is
//     one-sided); they may be read from the sender's chunk until acknowledged;
//   - channels are independent; the collective ends on a rank when all its ops
//     have completed and all its sends are acknowledged;
//   - a driver may leave out every op of an empty chunk: the ops that keep a
//     chunk's slots and buffers safe concern that chunk alone.
//
// Invariants of the schedules made here, proved by the tests for 2 to 17 ranks:
//   - every rank ends with the goal's contributions, each exactly once; after an
//     all-reduce all ranks hold the same bits;
//   - no slot is written while unread, no chunk while a Send may still read it;
//   - the result does not depend on the interleaving of ranks, channels and
//     messages, so Execute is an oracle for any driver.
//
// Staging between two runs of one schedule: a ring all-reduce may run back to
// back in one staging area. A ring reduce-scatter or all-gather needs two areas
// in alternation: a rank can finish before its successor has consumed anything.
// A broadcast is never safe so, whatever the number of areas: the root learns
// nothing of who has read, so it needs a synchronising collective (an all-reduce)
// in between. ReuseSafe proves the first two and refuses the third.
//
// Sources: P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms
// for clusters of workstations", JPDC 69 (2009), section 4 (ring); L. Lamport,
// "Time, clocks, and the ordering of events in a distributed system", CACM 21
// (1978) and F. Mattern, "Virtual time and global states of distributed systems"
// (1989), section 4 (vector clocks, used by Check); nccl-tests, PERFORMANCE.md
// (bus bandwidth).
package coll
