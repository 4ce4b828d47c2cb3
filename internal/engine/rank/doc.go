// Package rank drives exec.Rank on real time: the second driver beside package host, which drives it on simulated time.
// The ranks of this process run in a goroutine each; messages go to other ranks by links: within the process, through
// memory that processes of a host share, or over TCP.
//
//	             Loop of rank 3 (one goroutine)
//	bodies ----> +--------------------------+
//	mailbox ---> | exec.Rank, its memory    | --Post--> Link to rank 2: shared memory
//	rings -----> |                          | --Post--> Link to rank 5: TCP
//	             +--------------------------+
//
// A message is a Frame: whose it is, where it goes, the header of package verbs, its bytes, a checksum of both. It is
// acknowledged when its bytes have left the sender's memory, or have been read there: links keep order and lose nothing, or
// the job ends. What a
// frame may be is known before it comes: the k-th message of a collective from a peer goes to the slot of the k-th Recv
// (see registered). Anything else ends the job and names both ends.
//
// It starts no process and opens no file: that is for package launch.
//
// Invariants:
//   - only the loop of a rank calls it, and takes and gives its memory;
//   - a link never makes a loop wait: what does not fit is sent later;
//   - no bytes of a peer are believed before they are held against the schedule; nothing that a peer says allocates more
//     than a message of the schedule has;
//   - when a loop ends, for whatever reason, it ends once, with one reason.
package rank
