// Package host is the memory side of simulated hosts: ranks with their agenda on
// simulated time, NVLink, PCIe and copies, explicit flows. What carries messages from
// one host's memory to another's is behind the interface Network: NICs over a fabric
// (package nic), an ideal wire (host/hosttest), later flows or sockets.
//
//	exec.Rank --Post, Credit--> Job --Post, Credit--> Network
//	    ^                        | NVLink share              |
//	    |                        v                           | Fetch: GPU -> NVLink -> PCIe -> NIC
//	    +--Received, Acked,--- Hosts <--Received, Acked,-----+ Store: NIC -> PCIe -> NVLink -> GPU
//	       Credited                     Credited             | Memory: what an address names, see verbs
//
// Links inside a host are shared equally by the flows (queue pairs, or ranks over NVLink)
// that have bytes for them, see share: a latency, and bytes at a rate; several in a row are
// cut through, not stored and forwarded. Towards the GPUs PCIe carries packets as they come.
//
// A connection of two ranks may be several queue pairs (lanes): messages are dealt to them in turn, or
// split, and both ends put the order right that ranks count on. What waits for a message on another
// queue pair has that one's causes.
//
// Bodies, the real work of operations, run on other cores between the virtual start and end of their
// operation. They touch disjoint memory, so which core and when cannot matter. A body is handed over
// if its arithmetic and bytes (workload.Effort) are worth waking a core; who comes to an operation's
// end before its body is done does others' meanwhile.
//
// A queue pair that gives up, or a watchdog, aborts its job alone (OnFail). A job that starts again
// has new ranks and ways.
//
// Invariants:
//   - what an event of a host touches belongs to that host: both ends of a way over a network
//     are structs of their own, and what the receiver knows of a message came with it;
//   - messages of a way are received in the order in which they were posted, also where the
//     protocol changes from one to the next and a later one would be there sooner;
//   - work of one instant is done in the order of entry.Before, whatever planned it first.
//
// Decisions a reader may question:
//   - A transfer takes its shares of all its links from its post, also of those that its first byte
//     reaches a latency later. With shares that differ it is as late as on the slowest of them.
//   - A packet that a NIC hands to another GPU's NVLink takes its share as of then; what comes
//     later does not hold it up.
package host
