// Package coll holds collective algorithms as data: for every rank and channel
// the list of sends, receives, reductions and copies, generated op by op and
// never stored. It also proves such a schedule right (Check, ReuseSafe), applies
// it to real buffers in one process (Execute), in rounds for people to read (Walk),
// states its closed-form time (Time), and prints and reads it (WriteText, ParseText).
//
// It is not an engine: nothing here knows time, a network or a device. Package
// exec walks a schedule, and a driver moves the bytes.
//
// A buffer is split over channels, each channel's share over chunks (ChunkRange;
// slices of a chunk keep its boundaries). A schedule works in place, in its output
// alone, or reads an input besides (Inputs). A message carries one chunk of either
// buffer. It lands in a staging slot of the receiver and from there is added to
// (Reduce) or put in place of (Copy) a chunk of the output, which need not have the
// number of the one sent:
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
// Each message has its own slot, or the slots of a link, from one rank to another
// in a channel, serve in turn: then the receiver says when one is free.
//
//	rank 0   send 0   send 1   (window 2: waits)    send 2
//	              \        \                       /
//	rank 1         slot 0   slot 1   reduce 0 frees: a credit
//
// What a driver promises, and Check builds on:
//   - a rank starts the ops of a channel in order; an op starts when the op
//     named by After has completed and the Send named by Acked is acknowledged;
//   - bytes of a message may land in the receiver's slot at any time from the
//     start of the Send, whether or not the Recv has been reached (RDMA WRITE is
//     one-sided); they may be read from the sender's chunk until acknowledged;
//   - when an op that Frees its slot is done, its rank gives the sender a credit;
//     credits of a link go in the order of its messages, so that a message's credit
//     says that all before it are read too;
//   - a Send with a Window of W starts when the message W before it on the link has
//     its credit: messages are counted over all runs of the schedule, and those of
//     empty chunks count as credited;
//   - channels are independent; the collective ends on a rank when all its ops
//     have completed and all its sends are acknowledged;
//   - a driver may leave out every op of an empty chunk: the ops that keep a
//     chunk's slots and buffers safe concern that chunk alone.
//
// Invariants of the schedules made here, proved by the tests for 2 to 17 ranks, for
// groups that are a part of a job (Within), with credit and without:
//   - every rank ends with the goal's contributions, each exactly once; after an
//     all-reduce all ranks hold the same bits;
//   - no slot is written while unread, no chunk while a Send may still read it;
//   - nothing of this depends on sizes: chunks of an input may each have a size of
//     their own, known only when they are sent (Layout). Check gives each size a name,
//     of an all-to-all who sends it to whom, and lets an op join two chunks only if their
//     names are the same. So what it proves holds for any numbers, 0 too, if the two
//     ranks of a message take the same number for its name. That is the driver's to see to;
//   - no deadlock, with any number of slots per link from 1 up, even if each op
//     waits for all ops before it, as exec's do;
//   - the result does not depend on the interleaving of ranks, channels and
//     messages, so Execute is an oracle for any driver.
//
// Staging between two runs of one schedule: an all-reduce, and every schedule with
// credit, may run back to back in one staging area. A reduce-scatter, all-gather,
// all-to-all or barrier without credit needs two areas in alternation: a rank can
// finish before its successor has consumed anything. A broadcast, reduce, gather,
// scatter or send without credit is never safe so, whatever the number of areas:
// who sends learns nothing of who has read, so it needs a synchronising collective
// (an all-reduce) in between. ReuseSafe proves this and refuses the rest.
//
// Sources: P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms
// for clusters of workstations", JPDC 69 (2009), section 4 (ring); R. Thakur,
// R. Rabenseifner and W. Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19 (2005) (halving, doubling, pairwise);
// P. Sanders, J. Speck and J. L. Träff, "Two-tree algorithms for full bandwidth
// broadcast, reduction and scan", Parallel Computing 35 (2009) (double tree);
// NCCL, src/graph/trees.cc (its trees); L. Lamport, "Time, clocks, and the
// ordering of events in a distributed system", CACM 21 (1978) and F. Mattern,
// "Virtual time and global states of distributed systems" (1989), section 4
// (vector clocks, used by Check); nccl-tests, PERFORMANCE.md (bus bandwidth).
package coll
